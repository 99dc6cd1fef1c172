#include "predict/predict.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/words.h"

namespace tilescope::predict {
namespace {

constexpr double kSchedulers = 4;
using Terms = std::array<double, kTerms>;

double& of(Terms& terms, Term term) { return terms[static_cast<size_t>(term)]; }

double joined(std::initializer_list<double> terms, double sharpness) {
  const double longest = std::max(terms);
  if (longest == 0) return 0;
  double sum = 0;
  for (const double term : terms) sum += std::pow(term / longest, sharpness);
  return longest * std::pow(sum, 1 / sharpness);
}

/// Clocks that `blocks` together need of each, on one SM.
Terms round_of(const Model& model, const Demand& demand, double blocks) {
  const BlockDemand& block = demand.block;
  const double path = block.wavefronts + model.spill * block.spills, issue_of_warp = block.issue / demand.warps;
  const auto most_warps = [&](double of_blocks) { return std::ceil(of_blocks * demand.warps / kSchedulers); };
  Terms terms{};
  of(terms, Term::Path) = blocks * (path + model.barrier_path * block.barriers);
  of(terms, Term::Fma) = most_warps(blocks) * block.fmas / demand.warps;
  of(terms, Term::Issue) = (most_warps(blocks) + model.straggler) * issue_of_warp;
  const double of_other_warps = (most_warps(1) - 1) * issue_of_warp;
  of(terms, Term::Latency) = (block.alone + model.global_load * block.load_waits) / demand.warps +
                             model.barrier * block.barriers +
                             model.own * joined({path, of_other_warps}, model.sharpness);
  return terms;
}

double clocks_of(Terms& terms, double sharpness) {
  return joined({of(terms, Term::Path), of(terms, Term::Issue), of(terms, Term::Latency)}, sharpness);
}

}  // namespace

std::string_view to_string(Term term) {
  constexpr std::array<std::string_view, kTerms> names{tr_later("L1 and shared memory"),
                                                       tr_later("FMA issue"),
                                                       tr_later("issue slots"),
                                                       tr_later("latency"),
                                                       tr_later("last wave"),
                                                       tr_later("launch")};
  return names[static_cast<size_t>(term)];
}

std::string_view to_string(Doubt doubt) {
  switch (doubt) {
    case Doubt::Short: return tr_later("shorter than any launch that the model was fitted to");
    case Doubt::Unmodelled: return tr_later("tensor cores and atomics are not in the model");
    default: return "";
  }
}

std::optional<Predicted> predict(const Model& model, const arch::Device& device, const Demand& demand) {
  if (!device.sms || !device.clock_hz || demand.blocks_per_sm == 0 || demand.warps == 0) return std::nullopt;
  const auto sms = static_cast<uint64_t>(device.sms->value);
  const uint64_t places = sms * demand.blocks_per_sm;
  const uint64_t full = demand.blocks / places, left = demand.blocks % places;
  Predicted result{device.name, model.device, 0, 0, 0, {}, Term::Path, demand, Doubt::None};
  double clocks = 0;
  const auto add = [&](uint64_t rounds, double blocks) {
    Terms terms = round_of(model, demand, blocks);
    clocks += static_cast<double>(rounds) * clocks_of(terms, model.sharpness);
    for (size_t i = 0; i < kTerms; ++i)
      result.terms[i] += static_cast<double>(rounds) * terms[i] / device.clock_hz->value;
  };
  if (full > 0) add(full, demand.blocks_per_sm);
  if (left > 0) {
    constexpr uint64_t kInStep = 2;  // So many rounds from the start.
    const double most = demand.blocks_per_sm, drifted = full < kInStep ? 0 : model.late * most;
    add(1, std::min(most, std::ceil(static_cast<double>(left) / static_cast<double>(sms) + drifted)));
  }
  const double full_rounds = static_cast<double>(demand.blocks) / static_cast<double>(places);
  Terms full_round = round_of(model, demand, demand.blocks_per_sm);
  const double of_full_round = clocks_of(full_round, model.sharpness);
  of(result.terms, Term::LastRound) = std::max(0.0, clocks - full_rounds * of_full_round) / device.clock_hz->value;
  of(result.terms, Term::Launch) = model.launch;
  result.seconds = clocks / device.clock_hz->value + model.launch;
  const size_t filled = full > 0 ? 1 : 0;
  result.low = model.low[filled] * result.seconds;
  result.high = model.high[filled] * result.seconds;
  result.doubt = demand.unmodelled ? Doubt::Unmodelled : result.seconds < model.shortest ? Doubt::Short : Doubt::None;
  result.limiting =
      static_cast<Term>(std::max_element(result.terms.begin(), result.terms.end()) - result.terms.begin());
  return result;
}

}  // namespace tilescope::predict
