#include "predict/predict.h"

#include <algorithm>
#include <cmath>

#include "base/words.h"

namespace tilescope::predict {
namespace {

constexpr double kSchedulers = 4;
using Terms = std::array<double, kTerms>;

double& of(Terms& terms, Term term) { return terms[static_cast<size_t>(term)]; }

/// Clocks that `blocks` together need of each, on one SM.
Terms round_of(const Model& model, const Demand& demand, double blocks) {
  const BlockDemand& block = demand.block;
  const double instructions = block.fmas + block.memory + model.other * block.others;
  const double path = block.wavefronts + model.spill * block.spills;
  const double per_scheduler = blocks * demand.warps / kSchedulers;
  const double idle = std::ceil(per_scheduler) / per_scheduler;
  Terms terms{};
  of(terms, Term::Path) = blocks * (path + model.barrier_path * block.barriers);
  of(terms, Term::Fma) = blocks * model.fma * block.fmas / kSchedulers * idle;
  of(terms, Term::Issue) = blocks * instructions / kSchedulers * idle;
  of(terms, Term::Latency) = block.barriers / demand.warps / 2 * model.step + block.barriers * model.barrier +
                             (instructions * model.instruction + block.global_loads * model.global_load +
                              block.shared_requests * model.shared_request) /
                                 demand.warps +
                             model.own_path * path;
  return terms;
}

double joined(const Terms& terms, double sharpness) {
  const double longest = *std::max_element(terms.begin(), terms.end());
  if (longest == 0) return 0;
  double sum = 0;
  for (const double term : terms) sum += std::pow(term / longest, sharpness);
  return longest * std::pow(sum, 1 / sharpness);
}

}  // namespace

std::string_view to_string(Term term) {
  constexpr std::array<std::string_view, kTerms> names{tr_later("L1 and shared memory"), tr_later("FMA issue"),
                                                       tr_later("issue slots"),          tr_later("latency"),
                                                       tr_later("last round of blocks"), tr_later("launch")};
  return names[static_cast<size_t>(term)];
}

std::optional<Predicted> predict(const Model& model, const arch::Device& device, const Demand& demand) {
  if (!device.sms || !device.clock_hz || demand.blocks_per_sm == 0 || demand.warps == 0) return std::nullopt;
  const auto sms = static_cast<uint64_t>(device.sms->value);
  const uint64_t places = sms * demand.blocks_per_sm;
  const uint64_t full = demand.blocks / places, left = demand.blocks % places;
  Predicted result{device.name, model.device, 0, 0, 0, {}, Term::Path, demand};
  double clocks = 0;
  const auto add = [&](uint64_t rounds, uint64_t blocks) {
    const Terms terms = round_of(model, demand, static_cast<double>(blocks));
    clocks += static_cast<double>(rounds) * joined(terms, model.sharpness);
    for (size_t i = 0; i < kTerms; ++i)
      result.terms[i] += static_cast<double>(rounds) * terms[i] / device.clock_hz->value;
  };
  if (full > 0) add(full, demand.blocks_per_sm);
  if (left > 0) add(1, (left + sms - 1) / sms);
  const double full_rounds = static_cast<double>(demand.blocks) / static_cast<double>(places);
  const double of_full_round = joined(round_of(model, demand, demand.blocks_per_sm), model.sharpness);
  of(result.terms, Term::LastRound) = std::max(0.0, clocks - full_rounds * of_full_round) / device.clock_hz->value;
  of(result.terms, Term::Launch) = model.launch;
  result.seconds = clocks / device.clock_hz->value + model.launch;
  const size_t filled = full > 0 ? 1 : 0;
  result.low = model.low[filled] * result.seconds;
  result.high = model.high[filled] * result.seconds;
  result.limiting =
      static_cast<Term>(std::max_element(result.terms.begin(), result.terms.end()) - result.terms.begin());
  return result;
}

}  // namespace tilescope::predict
