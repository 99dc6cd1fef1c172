#include "predict/predict.h"

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "base/words.h"

namespace tilescope::predict {
namespace {

constexpr double kSchedulers = arch::kSchedulers;
constexpr double kLanesIssuedTo = kSchedulers * arch::kWarpSize, kWavefrontBytes = arch::kBanks * arch::kBankBytes;
using Terms = std::array<double, kTerms>;

double& of(Terms& terms, Term term) { return terms[static_cast<size_t>(term)]; }

/// Clocks of an FMA's lanes, and of a wavefront of shared memory: more than one where an SM has half of either.
struct Pace {
  double fma = 1, shared = 1;
};

Pace pace_of(const arch::Device& device) {
  Pace pace;
  if (device.fma_lanes_per_sm) pace.fma = kLanesIssuedTo / device.fma_lanes_per_sm->value;
  if (device.shared_bytes_per_clock) pace.shared = kWavefrontBytes / device.shared_bytes_per_clock->value;
  return pace;
}

/// Clocks that `blocks` together need of each, on one SM.
Terms round_of(const Model& model, const Demand& demand, const Pace& pace, double blocks) {
  const BlockDemand& block = demand.block;
  const double warps = demand.warps, most_warps = std::ceil(blocks * warps / kSchedulers),
               of_a_block = std::ceil(warps / kSchedulers);
  const double wavefronts = block.wavefronts + (pace.shared - 1) * block.shared_wavefronts;
  const double issue = (block.slots + model.banks * (block.issue - block.slots)) / warps;
  const double path = wavefronts + model.spill * block.spills;
  // The first warp fetches a line of machine code for the others, which have other work meanwhile.
  const double fetch = model.fetch * block.fetches / warps / (most_warps * most_warps);
  const double waited = (block.alone + model.global_load * block.load_waits + model.barrier * block.barriers) / warps;
  const double latency = std::max({waited + fetch, of_a_block * issue, path});
  Terms terms{};
  of(terms, Term::Path) = blocks * path;
  of(terms, Term::Fma) = most_warps * pace.fma * block.fmas / warps;
  of(terms, Term::Issue) = most_warps * issue;
  of(terms, Term::Latency) = latency;
  if (blocks > 1) {
    of(terms, Term::Path) += blocks * model.barrier_path * block.barriers;
    of(terms, Term::Issue) += model.straggler * std::min(latency - of_a_block * issue, issue);
  }
  return terms;
}

/// `one`: what one block needs, which its latency already includes.
double clocks_of(const Terms& all, const Terms& one, double sharpness) {
  const auto issue = [](const Terms& terms) {
    return std::max(terms[static_cast<size_t>(Term::Issue)], terms[static_cast<size_t>(Term::Fma)]);
  };
  const auto path = [](const Terms& terms) { return terms[static_cast<size_t>(Term::Path)]; };
  const double alone = std::max({all[static_cast<size_t>(Term::Latency)], issue(one), path(one)});
  const double longest = std::max({alone, issue(all), path(all)});
  if (longest <= 0) return 0;
  const auto power = [&](double clocks) { return std::pow(clocks / longest, sharpness); };
  const double sum = power(alone) + std::max(0.0, power(issue(all)) - power(issue(one))) +
                     std::max(0.0, power(path(all)) - power(path(one)));
  return longest * std::pow(sum, 1 / sharpness);
}

double seconds_for(double bytes, const std::optional<arch::Figure>& bytes_per_s) {
  return bytes_per_s ? bytes / bytes_per_s->value : 0;
}

Doubt doubt_of(const Model& model, const Predicted& predicted) {
  const BlockDemand& block = predicted.demand.block;
  if (predicted.demand.atomics) return Doubt::Atomics;
  if (block.fmas < model.fewest_fmas * block.issue) return Doubt::FewFmas;
  if (predicted.limiting == Term::L2 || predicted.limiting == Term::Dram) return Doubt::Memory;
  return predicted.seconds < model.shortest ? Doubt::Short : Doubt::None;
}

}  // namespace

std::string_view to_string(Term term) {
  constexpr std::array<std::string_view, kTerms> names{tr_later("L1 and shared memory"),
                                                       tr_later("FMA issue"),
                                                       tr_later("issue slots"),
                                                       tr_later("latency"),
                                                       "L2",
                                                       "DRAM",
                                                       tr_later("last wave"),
                                                       tr_later("launch")};
  return names[static_cast<size_t>(term)];
}

std::string_view to_string(Doubt doubt) {
  switch (doubt) {
    case Doubt::Short: return tr_later("shorter than any launch that the model was fitted to");
    case Doubt::Atomics: return tr_later("atomics are not in the model");
    case Doubt::FewFmas:
      return tr_later("fewer FMAs among its instructions than in any kernel that the model was fitted to");
    case Doubt::Memory: return tr_later("no launch that the model was fitted to is limited by L2 or DRAM");
    default: return "";
  }
}

std::string_view to_string(Gap gap) {
  switch (gap) {
    case Gap::TensorCores:
      return tr_later("the model does not cover tensor cores, nor the lower clock that they cause");
    case Gap::BulkCopies: return tr_later("the model does not cover bulk copies (TMA), nor warps that only copy");
    case Gap::UnlikeBlocks: return tr_later("what its first block does, in all blocks, is not the whole product");
    default: return "";
  }
}

std::optional<Predicted> predict(const Model& model, const arch::Device& device, const Demand& demand) {
  if (demand.gap != Gap::None || demand.blocks_per_sm == 0 || demand.warps == 0) return std::nullopt;
  if (!device.sms || !device.clock_hz) return std::nullopt;
  const Pace pace = pace_of(device);
  const auto sms = static_cast<uint64_t>(device.sms->value);
  const uint64_t places = sms * demand.blocks_per_sm;
  const uint64_t full = demand.blocks / places, left = demand.blocks % places;
  Predicted result{device.name, model.device, 0, 0, 0, {}, Term::Path, demand, Doubt::None};
  double clocks = 0;
  const Terms of_one = round_of(model, demand, pace, 1);
  const auto add = [&](uint64_t rounds, double blocks) {
    const Terms terms = round_of(model, demand, pace, blocks);
    clocks += static_cast<double>(rounds) * clocks_of(terms, of_one, model.sharpness);
    for (size_t i = 0; i < kTerms; ++i)
      result.terms[i] += static_cast<double>(rounds) * terms[i] / device.clock_hz->value;
  };
  if (full > 0) add(full, demand.blocks_per_sm);
  if (left > 0) {
    constexpr uint64_t kInStep = 2;  // This many rounds from the start.
    const double most = demand.blocks_per_sm, drifted = full < kInStep ? 0 : model.late * most;
    add(1, std::min(most, std::ceil(static_cast<double>(left) / static_cast<double>(sms) + drifted)));
  }
  const double full_rounds = static_cast<double>(demand.blocks) / static_cast<double>(places);
  const double of_full_round = clocks_of(round_of(model, demand, pace, demand.blocks_per_sm), of_one, model.sharpness);
  of(result.terms, Term::LastRound) = std::max(0.0, clocks - full_rounds * of_full_round) / device.clock_hz->value;
  const double of_l2 = seconds_for(demand.l2_bytes, device.l2_bytes_per_s),
               of_dram = seconds_for(demand.dram_bytes, device.dram_bytes_per_s);
  of(result.terms, Term::L2) = of_l2, of(result.terms, Term::Dram) = of_dram;
  of(result.terms, Term::Launch) = model.launch;
  result.seconds = joined({clocks / device.clock_hz->value, of_l2, of_dram}, model.sharpness) + model.launch;
  const size_t filled = full > 0 ? 1 : 0;
  result.low = model.low[filled] * result.seconds;
  result.high = model.high[filled] * result.seconds;
  result.limiting =
      static_cast<Term>(std::max_element(result.terms.begin(), result.terms.end()) - result.terms.begin());
  result.doubt = doubt_of(model, result);
  return result;
}

}  // namespace tilescope::predict
