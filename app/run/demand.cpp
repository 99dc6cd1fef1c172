#include "run/demand.h"

#include <algorithm>

#include "base/file.h"
#include "trace/observer.h"

namespace tilescope::run {
namespace {

/// Of all counted blocks.
predict::BlockDemand demand_of(const Counts& counts, const Resources& resources) {
  constexpr double kWordBytes = 4;
  const analysis::PcCounts& memory = counts.memory;
  uint64_t requests = memory.barriers, wavefronts = 0;
  for (const analysis::GlobalCounts* each :
       {&memory.global_load, &memory.global_store, &memory.local_load, &memory.local_store})
    requests += each->requests, wavefronts += each->wavefronts;
  const uint64_t shared = memory.shared_load_merged.requests + memory.shared_store_merged.requests;
  const uint64_t as_written = memory.shared_load.requests + memory.shared_store.requests;
  uint64_t most = 0;
  for (const auto& [line, executions] : counts.ptx_lines) most = std::max(most, executions);

  predict::BlockDemand demand;
  demand.fmas = static_cast<double>(counts.fma) / trace::kLanes;
  demand.memory = static_cast<double>(requests + shared);
  demand.others = std::max(
      0.0, static_cast<double>(counts.warp_instructions) - demand.fmas - static_cast<double>(requests + as_written));
  demand.wavefronts =
      static_cast<double>(wavefronts + memory.shared_load_merged.wavefronts + memory.shared_store_merged.wavefronts);
  demand.global_loads = static_cast<double>(memory.global_load.requests);
  demand.shared_requests = static_cast<double>(shared);
  demand.barriers = static_cast<double>(memory.barriers);
  demand.spills = static_cast<double>(resources.spill_bytes.value_or(0)) / kWordBytes * static_cast<double>(most);
  return demand;
}

}  // namespace

std::optional<predict::Demand> demand_of(const Report& report) {
  if (!report.occupancy || report.stopped || report.counts.blocks_counted == 0) return std::nullopt;
  predict::Demand demand{demand_of(report.counts, report.resources), report.counts.blocks_total,
                         static_cast<uint32_t>(report.occupancy->block.warps()), report.occupancy->blocks_per_sm};
  for (double predict::BlockDemand::*each : predict::kBlockDemands)
    demand.block.*each /= static_cast<double>(report.counts.blocks_counted);
  return demand;
}

const Result<predict::Model>& prediction_model() {
  static const Result<predict::Model> model = predict::load_model(data_folder() / "assets/prediction.toml");
  return model;
}

std::optional<predict::Predicted> predicted_of(const Report& report, const arch::Device& device) {
  const std::optional<predict::Demand> demand = demand_of(report);
  if (!demand || !prediction_model()) return std::nullopt;
  return predict::predict(*prediction_model(), device, *demand);
}

}  // namespace tilescope::run
