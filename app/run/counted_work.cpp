#include "run/counted_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run/count.h"
#include "run/grid_counters.h"
#include "run/growth.h"
#include "run/launch_clock.h"
#include "run/verify_launch.h"

namespace tilescope::run {

namespace {

/// The share of a matrix product's FMAs that were counted; 1 if none were.
double share_of_product(const analysis::Work& work) {
  const uint64_t fmas = work.fmas + std::accumulate(work.tensor_fmas.begin(), work.tensor_fmas.end(), uint64_t{0});
  return fmas == 0 ? 1 : 2 * static_cast<double>(fmas) / work.flops;
}

/// Whether the block that was counted, as often as the grid has blocks, does all FMAs of a matrix product. Where few
/// blocks share all tiles, how much each does follows from the whole matrix.
bool stands_for_grid(const analysis::Work& work, const kernel::Configuration& whole) {
  constexpr double kOfAll = 0.99;
  return !is_matrix_product(whole) || share_of_product(work) >= kOfAll;
}

/// Whether the block that was counted, as often as the grid has blocks, requests all of the arrays. Where a few blocks
/// share them, how often each goes on to its next part follows from the whole arrays.
bool requests_all(const analysis::Work& work, const kernel::Configuration& whole) {
  return work.dram_bytes >= dram_bytes(whole);
}

/// Whether the blocks, each as the one that was counted, do the FMAs of the product and no others: none is at an edge
/// that its tile stands out of, none has another share of the tiles.
bool is_all_of(const analysis::Work& work) { return std::abs(share_of_product(work) - 1) < 1e-9; }

CountedWork carried_on(const Prepared& prepared, const BlockGrowth& growth) {
  const kernel::Configuration& whole = prepared.configuration;
  const Request& request = prepared.request;
  CountedWork counted{request.kernel.name,
                      request.kernel.source,
                      whole.parameters,
                      request.size.m,
                      {},
                      whole.grid.count(),
                      growth.demand_at(request.size.k, whole.grid.count())};
  const auto of_all_blocks = [&](const Growth& of_one) {
    return static_cast<uint64_t>(of_one.at(request.size.k) * static_cast<double>(counted.blocks));
  };
  if (prepared.device) counted.device = prepared.device->name;
  counted.work = work_of({}, whole);  // Its operations follow from the sizes.
  counted.work.fmas = of_all_blocks(growth.fmas);
  for (size_t i = 0; i < arch::kTensorTypes; ++i) counted.work.tensor_fmas[i] = of_all_blocks(growth.tensor_fmas[i]);
  counted.work.shared_wavefronts = of_all_blocks(growth.shared_wavefronts);
  counted.work.l1_wavefronts = of_all_blocks(growth.l1_wavefronts);
  counted.work.l1_lines = of_all_blocks(growth.l1_lines);
  counted.stands_for_grid = stands_for_grid(counted.work, whole);
  const double share = counted.stands_for_grid ? 1 : share_of_product(counted.work);
  const auto of_grid = [&](const Growth& of_one) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(of_all_blocks(of_one)) / share));
  };
  set_least_traffic(counted.work, whole, {of_grid(growth.sectors_read), of_grid(growth.sectors_written)});
  if (counted.demand) {
    counted.demand->l2_bytes = counted.demand->dram_bytes = static_cast<double>(counted.work.dram_bytes);
    if (counted.demand->gap == predict::Gap::None && !counted.stands_for_grid)
      counted.demand->gap = predict::Gap::UnlikeBlocks;
  }
  for (const Growth& counter : growth.counters) counted.counters.push_back(of_grid(counter));
  return counted;
}

}  // namespace

Result<CountedWork> count_work(const Prepared& prepared, compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  Control control;
  control.cancel = cancel;
  control.threads = 1;
  const Result<BlockGrowth> growth = growth_in_k(prepared, compiler, control);
  if (!growth) return growth.errors();
  CountedWork counted = carried_on(prepared, *growth);
  // Blocks that wait for one another would all run: at the whole size that takes too long.
  const bool is_part = !counted.stands_for_grid || !requests_all(counted.work, prepared.configuration);
  if (is_part && !prepared.runs_together()) {
    const Result<BlockGrowth> whole = growth_in_k(prepared, compiler, control, Extent::Whole);
    if (whole) counted = carried_on(prepared, *whole);
  }
  counted.counters_are_whole = !is_matrix_product(prepared.configuration) || is_all_of(counted.work);
  if (!counted.counters_are_whole)
    if (std::optional<std::vector<uint64_t>> whole = grid_counters(prepared, compiler, control)) {
      counted.counters = std::move(*whole);
      counted.counters_are_whole = true;
    }
  if (cancelled(control)) return error("Cancelled.");
  return counted;
}

Result<CountedWork> count_and_time(const Prepared& prepared, compile::Compiler& compiler,
                                   const std::atomic<bool>* cancel) {
  Result<CountedWork> counted = count_work(prepared, compiler, cancel);
  if (!counted) return counted;
  if (const Result<LaunchClock> clock = clock_of(prepared, prepared.request.seed, {.cancel = cancel}))
    counted->simulated = clock->predicted;
  return counted;
}

std::optional<predict::Predicted> predict_time(const CountedWork& counted, const predict::Model& model,
                                               const arch::Device& device) {
  if (counted.simulated && counted.simulated->device == device.name) return counted.simulated;
  return counted.demand ? predict::predict(model, device, *counted.demand) : std::nullopt;
}

predict::Gap gap_of(const CountedWork& counted, const arch::Device& device) {
  const bool is_simulated = counted.simulated && counted.simulated->device == device.name;
  return counted.demand && !is_simulated ? counted.demand->gap : predict::Gap::None;
}

void WorkCounter::want(const std::vector<Request>& requests) {
  std::vector<std::pair<std::string, Request>> wanted;
  std::vector<std::string> keys;
  for (const Request& request : requests) {
    std::string key = key_of(request);
    const auto is_key = [&](const std::string& other) { return other == key; };
    if (std::any_of(known_.begin(), known_.end(), is_key) || std::any_of(keys.begin(), keys.end(), is_key)) continue;
    keys.push_back(key);
    wanted.emplace_back(std::move(key), request);
  }
  if (keys == waiting_) return;
  waiting_ = std::move(keys);
  worker_.replace([this, wanted = std::move(wanted), runs = runs_](const Worker::Turn& turn) {
    for (const auto& [key, request] : wanted) {
      const Result<PreparedPointer> prepared = runs->prepare(request, &turn.cancel());
      Result<CountedWork> counted = prepared ? count_and_time(**prepared, runs->compiler(), &turn.cancel())
                                             : Result<CountedWork>(prepared.errors());
      if (turn.cancel()) return;
      turn.deliver([this, key = key, counted = std::move(counted)] { keep(key, counted); });
    }
  });
}

void WorkCounter::keep(const std::string& key, Result<CountedWork> counted) {
  std::erase(waiting_, key);
  known_.push_back(key);
  if (known_.size() > kMostKept) known_.pop_front();
  if (!counted) return;
  counted_.push_back(std::move(*counted));
  if (counted_.size() > kMostKept) counted_.erase(counted_.begin());
  ++version_;
}

}  // namespace tilescope::run
