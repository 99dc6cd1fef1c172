#include "analysis/finding.h"

#include <array>

#include "base/words.h"

namespace tilescope::analysis {

std::string_view to_string(Checker checker) {
  constexpr std::array<std::string_view, 4> names{"memcheck", "racecheck", "initcheck", "synccheck"};
  return names[static_cast<size_t>(checker)];
}

std::string_view to_string(FindingKind kind) {
  constexpr std::array<std::string_view, kFindingKinds> names{tr_later("out-of-bounds"),
                                                              tr_later("misaligned"),
                                                              tr_later("trap"),
                                                              tr_later("write-write-race"),
                                                              tr_later("read-write-race"),
                                                              tr_later("async-copy-race"),
                                                              tr_later("uninitialised-memory"),
                                                              tr_later("uninitialised-register"),
                                                              tr_later("divergent-barrier"),
                                                              tr_later("barrier-after-exit"),
                                                              tr_later("mismatched-barriers"),
                                                              tr_later("deadlock"),
                                                              tr_later("incomplete-warp-sync"),
                                                              tr_later("bad-barrier"),
                                                              tr_later("bad-copy"),
                                                              tr_later("unwaited-copy"),
                                                              tr_later("bad-descriptor"),
                                                              tr_later("accumulator-in-flight"),
                                                              tr_later("bad-register-count"),
                                                              tr_later("missing-proxy-fence"),
                                                              tr_later("mate-exited")};
  return names[static_cast<size_t>(kind)];
}

const ptx::Instruction* LaunchFacts::instruction(uint32_t pc) const {
  return function && pc < function->instructions.size() ? &function->instructions[pc] : nullptr;
}

int LaunchFacts::line_of(uint32_t pc) const {
  const ptx::Instruction* at = instruction(pc);
  if (!at) return 0;
  const bool from_elsewhere = at->called_from.file >= 0 && at->called_from.file != at->source.file;
  return from_elsewhere ? at->called_from.line : at->source.line;
}

int LaunchFacts::caller_of(uint32_t pc) const {
  const ptx::Instruction* at = instruction(pc);
  return at && at->called_from.file >= 0 && at->called_from.file == at->source.file ? at->called_from.line : 0;
}

Thread LaunchFacts::thread_at(uint32_t block_number, uint32_t warp, uint32_t lane) const {
  return {block_number, position_in(grid, block_number), position_in(block, warp * trace::kLanes + lane), warp, lane};
}

Site LaunchFacts::site_at(uint32_t pc, uint32_t block_number, uint32_t warp, uint32_t lane) const {
  const ptx::Instruction* at = instruction(pc);
  return {thread_at(block_number, warp, lane),
          pc,
          line_of(pc),
          at ? at->line : 0,
          trace::AccessKind::Load,
          false,
          caller_of(pc)};
}

bool LaunchFacts::same_source(uint32_t pc, uint32_t other_pc) const {
  const ptx::Instruction *a = instruction(pc), *b = instruction(other_pc);
  if (pc == other_pc || !a || !b) return pc == other_pc;
  return a->source.line && a->source == b->source && a->inlined_at == b->inlined_at;
}

bool LaunchFacts::is_block_barrier(uint32_t pc) const {
  const ptx::Instruction* at = instruction(pc);
  if (!at) return true;
  switch (at->op) {
    case ptx::Op::BarSync:
    case ptx::Op::BarCtaSync:
    case ptx::Op::BarrierSync:
    case ptx::Op::BarrierCtaSync: return at->operands.size() < 2;
    case ptx::Op::BarRed:
    case ptx::Op::BarCtaRed:
    case ptx::Op::BarrierRed:
    case ptx::Op::BarrierCtaRed: return at->operands.size() < 4;
    default: return false;
  }
}

const Allocation* LaunchFacts::array_at(Space space, uint64_t address) const {
  if (space == Space::Shared) {
    for (const Allocation& array : shared)
      if (array.contains(address)) return &array;
  } else if (space == Space::Global || space == Space::Const) {
    for (const GlobalArray& array : global)
      if (array.allocation.contains(address)) return &array.allocation;
  }
  return nullptr;
}

std::string LaunchFacts::element_at(Space space, uint64_t address, uint32_t bytes) const {
  const Allocation* array = array_at(space, address);
  if (!array) return {};
  return element_name(in_elements_of(*array, bytes), address);
}

void LaunchFacts::name_place(Finding& finding) const {
  if (const Allocation* array = array_at(finding.space, finding.address)) finding.array = array->name;
  finding.element = element_at(finding.space, finding.address, finding.bytes);
}

}  // namespace tilescope::analysis
