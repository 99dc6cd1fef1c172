#include "run/count.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::run {
namespace {

uint64_t sum(const std::vector<uint64_t>& values) { return std::accumulate(values.begin(), values.end(), uint64_t{0}); }

/// The floating-point multiply-adds of one thread's execution.
uint64_t fma_weight(const ptx::Instruction& instruction) {
  if (ptx::class_of(instruction.op) != ptx::OpClass::MultiplyAdd) return 0;
  if (instruction.type == ptx::Type::F16x2 || instruction.type == ptx::Type::BF16x2) return 2;
  return ptx::is_float(instruction.type) ? 1 : 0;
}

/// The types that a warp's matrix product multiplies and adds.
arch::TensorType tensor_type(const ptx::Instruction& product) {
  switch (product.source_type) {
    case ptx::Type::F64: return arch::TensorType::F64;
    case ptx::Type::TF32: return arch::TensorType::Tf32;
    case ptx::Type::F16:
    case ptx::Type::BF16: return product.type == ptx::Type::F16 ? arch::TensorType::F16Sums : arch::TensorType::F16;
    default: return arch::TensorType::S8;
  }
}

/// The multiply-adds of a warp's matrix product: a quarter of wgmma's m x n x k.
uint64_t tensor_weight(const ptx::Instruction& instruction) {
  if (ptx::class_of(instruction.op) != ptx::OpClass::MatrixMultiply) return 0;
  const ptx::MatrixShape& shape = instruction.shape;
  const uint64_t all = uint64_t{shape.m} * shape.n * shape.k;
  return instruction.op == ptx::Op::WgmmaMma ? all / 4 : all;
}

/// `line_of` gives an instruction's line by its pc.
template <class LineOf>
std::vector<LineCounts> count_lines(const GridRun& run, LineOf line_of) {
  std::map<int, LineCounts> lines;
  for (uint32_t pc = 0; pc < run.counts.warp_executions.size(); ++pc) {
    if (run.counts.warp_executions[pc] == 0) continue;
    LineCounts& line = lines[line_of(pc)];
    line.warp_instructions += run.counts.warp_executions[pc];
    line.memory.merge(run.counter.per_pc()[pc]);
  }
  std::vector<LineCounts> result;
  for (auto& [number, line] : lines) {
    line.line = number;
    result.push_back(line);
  }
  return result;
}

void add_line(const std::vector<LineCounts>& lines, LineCounts& to) {
  for (const LineCounts& line : lines)
    if (line.line == to.line) {
      to.warp_instructions += line.warp_instructions;
      to.memory.merge(line.memory);
    }
}

bool accesses_memory(const analysis::PcCounts& counts) {
  return counts.global_load.requests + counts.global_store.requests + counts.local_load.requests +
             counts.local_store.requests + counts.shared_load.requests + counts.shared_store.requests >
         0;
}

}  // namespace

GlobalSectors global_sectors(const analysis::PcCounts& counts) {
  const uint64_t atomics = counts.global_atomic.words;
  return {counts.global_load.sectors + counts.bulk_load.sectors + atomics,
          counts.global_store.sectors + counts.bulk_store.sectors + atomics};
}

uint64_t dram_bytes(const kernel::Configuration& configuration, const GlobalSectors& requested) {
  uint64_t inputs = 0, outputs = 0;
  for (const kernel::ArrayShape& array : configuration.arrays) {
    if (array.space != Space::Global) continue;
    if (array.role != kernel::Role::Output) inputs += array.bytes;
    if (array.role != kernel::Role::Input) outputs += array.bytes;
  }
  return std::min(inputs, requested.read * arch::kSectorBytes) +
         std::min(outputs, requested.written * arch::kSectorBytes);
}

void set_least_traffic(analysis::Work& work, const kernel::Configuration& configuration,
                       const GlobalSectors& requested) {
  work.dram_bytes = dram_bytes(configuration, requested);
  work.l2_sectors = work.dram_bytes / arch::kSectorBytes;
}

uint64_t cost_of(const emulator::Counts& counts, const ptx::Function& function) {
  uint64_t cost = 0;
  for (size_t pc = 0; pc < counts.warp_executions.size(); ++pc)
    cost +=
        counts.warp_executions[pc] * std::max<uint64_t>(1, tensor_weight(function.instructions[pc]) / arch::kWarpSize);
  return cost;
}

analysis::Work work_of(const Counts& counts, const kernel::Configuration& configuration) {
  const analysis::PcCounts& memory = counts.memory;
  analysis::Work work;
  work.fmas = counts.fma_issued;
  work.tensor_fmas = counts.tensor_fmas;
  work.shared_wavefronts =
      memory.shared_load_merged.wavefronts + memory.shared_store_merged.wavefronts + memory.product_wavefronts;
  for (const analysis::GlobalCounts* counted :
       {&memory.global_load, &memory.global_store, &memory.local_load, &memory.local_store})
    work.l1_wavefronts += counted->wavefronts, work.l1_lines += counted->lines;
  set_least_traffic(work, configuration, global_sectors(memory));
  const kernel::Size& size = configuration.size;
  work.flops = 2.0 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k);
  return work;
}

Counts count(const GridRun& run, const analysis::LaunchFacts& facts, uint64_t total) {
  Counts counts;
  counts.blocks_counted = run.blocks_done;
  counts.blocks_total = total;
  counts.warp_instructions = sum(run.counts.warp_executions);
  counts.thread_instructions = sum(run.counts.thread_executions);
  for (size_t pc = 0; pc < run.counts.thread_executions.size(); ++pc)
    if (const uint64_t weight = fma_weight(facts.function->instructions[pc])) {
      counts.fma += run.counts.thread_executions[pc] * weight;
      counts.fma_issued += run.counts.thread_executions[pc];
      counts.fma_warps += run.counts.warp_executions[pc];
    }
  for (size_t pc = 0; pc < run.counts.warp_executions.size(); ++pc)
    if (const uint64_t weight = tensor_weight(facts.function->instructions[pc])) {
      counts.tensor_instructions += run.counts.warp_executions[pc];
      counts.tensor_fmas[static_cast<size_t>(tensor_type(facts.function->instructions[pc]))] +=
          run.counts.warp_executions[pc] * weight;
    }
  counts.divergent_branches = run.counts.divergent_branches;
  counts.memory = run.counter.total();
  counts.lines = count_lines(run, [&](uint32_t pc) { return facts.line_of(pc); });
  counts.calls = count_lines(run, [&](uint32_t pc) { return facts.caller_of(pc); });
  counts.pcs = run.counter.per_pc();
  for (size_t pc = 0; pc < run.counts.warp_executions.size(); ++pc)
    counts.ptx_lines[facts.function->instructions[pc].line] += run.counts.warp_executions[pc];
  return counts;
}

LineCounts counts_of_line(const Counts& counts, int line) {
  LineCounts found;
  found.line = line;
  add_line(counts.lines, found);
  if (line > 0 && !accesses_memory(found.memory)) add_line(counts.calls, found);
  return found;
}

}  // namespace tilescope::run
