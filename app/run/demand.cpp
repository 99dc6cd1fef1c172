#include "run/demand.h"

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "base/file.h"
#include "ptx/control_flow.h"

namespace tilescope::run {
namespace {

/// The requests of a kind as merged by ptxas, and as in the PTX.
struct Requests {
  uint64_t merged = 0, as_written = 0;
};

Requests shared_requests(const analysis::PcCounts& memory) {
  return {memory.shared_load_merged.requests + memory.shared_store_merged.requests,
          memory.shared_load.requests + memory.shared_store.requests};
}

uint64_t other_requests(const analysis::PcCounts& memory) {
  return memory.global_load.requests + memory.global_store.requests + memory.local_load.requests +
         memory.local_store.requests + memory.barriers;
}

/// Clocks of the data path: wavefronts, or the tags of the lines that a load looks up, four a clock, where those take
/// longer. What cp.async reads overlaps with its store, but for a clock. Never less than the bound has.
double path_clocks(const Counts& counts) {
  constexpr double kTagsPerClock = 4;
  double clocks = static_cast<double>(counts.memory.product_wavefronts), lines = 0;
  for (const analysis::PcCounts& memory : counts.pcs) {
    const bool is_copy = memory.shared_store.requests > 0;
    const double tags = is_copy ? 0 : static_cast<double>(memory.global_load.lines) / kTagsPerClock;
    clocks += std::max(static_cast<double>(memory.global_load.wavefronts), tags);
    if (is_copy) clocks += static_cast<double>(memory.global_load.requests);
    clocks += static_cast<double>(memory.global_store.wavefronts + memory.local_load.wavefronts +
                                  memory.local_store.wavefronts + memory.shared_load_merged.wavefronts +
                                  memory.shared_store_merged.wavefronts);
    for (const auto& of : {memory.global_load, memory.global_store, memory.local_load, memory.local_store})
      lines += static_cast<double>(of.lines);
  }
  return std::max(clocks, lines / kTagsPerClock);
}

/// How often warps ran through a basic block that loads from global memory: ptxas issues all loads of a block before it
/// waits for one.
double runs_through_loads(const Counts& counts, const emulator::Program& program) {
  const ptx::Function& function = program.function();
  double runs = 0;
  for (const ptx::BasicBlock& block : ptx::control_flow(function).blocks) {
    uint64_t most = 0;
    for (auto pc = static_cast<size_t>(block.first); pc <= static_cast<size_t>(block.last) && pc < counts.pcs.size();
         ++pc)
      if (ptx::class_of(function.instructions[pc].op) == ptx::OpClass::Load)
        most = std::max(most, counts.pcs[pc].global_load.requests);
    runs += static_cast<double>(most);
  }
  return runs;
}

bool has(const ptx::Function& function, ptx::OpClass wanted) {
  return std::any_of(function.instructions.begin(), function.instructions.end(), [&](const ptx::Instruction& each) {
    return ptx::class_of(each.op) == wanted && (wanted != ptx::OpClass::Atomic || each.space != Space::Shared);
  });
}

predict::Gap gap_of(const ptx::Function& function) {
  if (has(function, ptx::OpClass::MatrixMultiply)) return predict::Gap::TensorCores;
  return has(function, ptx::OpClass::BulkCopy) ? predict::Gap::BulkCopies : predict::Gap::None;
}

/// Clocks of the data path per request; 1 without requests.
template <typename Counted>
double clocks_for(const Counted& counted) {
  return counted.requests == 0 ? 1 : ratio(counted.wavefronts, counted.requests);
}

/// Of the counts' blocks, all equal.
analysis::BlockShare share_of(const Counts& counts, double warps) {
  const analysis::PcCounts& memory = counts.memory;
  analysis::PcCounts loads, copies;  // cp.async is counted on the same lines of the PTX as a load and as a store.
  for (const analysis::PcCounts& of_pc : counts.pcs)
    (of_pc.global_load.requests > 0 && of_pc.shared_store.requests > 0 ? copies : loads).merge(of_pc);
  return {warps,
          clocks_for(memory.shared_load_merged),
          clocks_for(loads.shared_store_merged),
          clocks_for(loads.global_load),
          clocks_for(memory.global_store),
          clocks_for(copies.shared_store) + 1};
}

/// From the PTX alone. The factors are medians over the recorded configurations of kernels 01 to 11, whose machine code
/// is known: most address arithmetic and moves of the PTX vanish in it. The time of a single block is joined from a
/// warp's own time, the scheduler's issue slots and the data path's clocks.
void estimate_time(predict::BlockDemand& demand, const Counts& counts, const Resources& resources,
                   const emulator::Program& program, uint32_t warps) {
  constexpr double kOtherSlots = 0.63, kFmaConflicts = 0.29;
  constexpr double kAlonePerSlot = 1.17, kAlonePerShared = 3.9, kAlonePerBarrier = 37;
  constexpr double kBlock = 1.03, kBlockSharpness = 3, kSchedulers = arch::kSchedulers;
  constexpr double kSpillsRun = 0.58;  // Share of the most executed instructions.
  constexpr double kWordBytes = 4;
  const Requests shared = shared_requests(counts.memory);
  const auto requests = static_cast<double>(other_requests(counts.memory));
  const double written = demand.fmas + requests + static_cast<double>(shared.as_written);
  const double others = std::max(0.0, static_cast<double>(counts.warp_instructions) - written);
  const double slots = demand.fmas + requests + static_cast<double>(shared.merged) + kOtherSlots * others;
  demand.slots = slots;
  demand.issue = slots + kFmaConflicts * demand.fmas;
  const double of_warp =
      kAlonePerSlot * slots + kAlonePerShared * static_cast<double>(shared.merged) + kAlonePerBarrier * demand.barriers;
  demand.alone = kBlock * joined({of_warp, std::ceil(warps / kSchedulers) * demand.issue, warps * demand.wavefronts},
                                 kBlockSharpness);
  demand.load_waits = runs_through_loads(counts, program);
  uint64_t most = 0;
  for (const auto& [line, executions] : counts.ptx_lines) most = std::max(most, executions);
  demand.spills =
      kSpillsRun * static_cast<double>(resources.spill_bytes.value_or(0)) / kWordBytes * static_cast<double>(most);
}

/// From the machine code; false if that does not explain the counts.
bool read_time(predict::BlockDemand& demand, const Counts& counts, double warps,
               const analysis::MachineKernel& machine) {
  const analysis::PcCounts& memory = counts.memory;
  const auto of_warp = [&](uint64_t all) { return static_cast<double>(all) / warps; };
  const std::optional<analysis::WarpTime> time =
      analysis::warp_time(machine,
                          {demand.fmas / warps, of_warp(memory.global_load.requests),
                           of_warp(memory.global_store.requests), of_warp(memory.shared_load_merged.requests),
                           of_warp(memory.shared_store_merged.requests), of_warp(memory.barriers)},
                          share_of(counts, warps / static_cast<double>(counts.blocks_counted)));
  if (!time) return false;
  demand.slots = time->slots * warps;
  demand.issue = time->issue * warps;
  demand.alone = time->alone * warps;
  demand.load_waits = time->load_waits * warps;
  demand.fetches = time->fetches * warps;
  // Arrays in local memory are in the PTX, and counted.
  demand.spills = std::max(
      0.0, time->spills * warps - static_cast<double>(memory.local_load.requests + memory.local_store.requests));
  return true;
}

}  // namespace

std::optional<predict::Demand> demand_of(const Report& report, const Code& code) {
  const Counts& counts = report.counts;
  if (!report.occupancy || report.stopped || counts.blocks_counted == 0) return std::nullopt;
  predict::Demand demand{
      {}, counts.blocks_total, static_cast<uint32_t>(report.occupancy->block.warps()), report.occupancy->blocks_per_sm};
  demand.gap = gap_of(code.program.function());
  demand.atomics = has(code.program.function(), ptx::OpClass::Atomic);
  demand.block.fmas = static_cast<double>(counts.fma_warps);
  demand.block.wavefronts = path_clocks(counts);
  demand.block.shared_wavefronts =
      static_cast<double>(counts.memory.shared_load_merged.wavefronts + counts.memory.shared_store_merged.wavefronts +
                          counts.memory.product_wavefronts);
  demand.block.barriers = static_cast<double>(counts.memory.barriers);
  const double warps = static_cast<double>(demand.warps) * static_cast<double>(counts.blocks_counted);
  if (!code.machine || !read_time(demand.block, counts, warps, *code.machine))
    estimate_time(demand.block, counts, report.resources, code.program, demand.warps);
  // A warp does not wait more often than its loads miss L1.
  const analysis::GlobalCounts& loads = counts.memory.global_load;
  if (loads.looked_at > 0)
    demand.block.load_waits =
        std::min(demand.block.load_waits, ratio(loads.misses, loads.looked_at) * static_cast<double>(loads.requests));
  demand.block.issue = std::max(demand.block.issue, demand.block.fmas);
  // Lanes that do not exist spill nothing.
  demand.block.spills *= static_cast<double>(report.occupancy->block.threads) / (demand.warps * arch::kWarpSize);
  for (double predict::BlockDemand::*each : predict::kBlockDemands)
    demand.block.*each /= static_cast<double>(counts.blocks_counted);
  return demand;
}

const Result<predict::Model>& prediction_model() {
  static const Result<predict::Model> model = predict::load_model(data_folder() / "assets/prediction.toml");
  return model;
}

void add_prediction(Report& report, const Code& code, const arch::Device& device, uint64_t dram_bytes) {
  std::optional<predict::Demand> demand = demand_of(report, code);
  if (!demand || !prediction_model()) return;
  demand->l2_bytes = demand->dram_bytes = static_cast<double>(dram_bytes);
  report.not_predicted = demand->gap;
  report.predicted = predict::predict(*prediction_model(), device, *demand);
}

}  // namespace tilescope::run
