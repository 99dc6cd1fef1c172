#include "analysis/load_merge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/address_form.h"
#include "analysis/machine_code.h"
#include "analysis/unroll.h"
#include "ptx/control_flow.h"
#include "sass/instruction.h"

namespace tilescope::analysis {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::OpClass;

constexpr uint32_t kWord = 4;

/// Whether reads of shared memory may not move across it in either direction.
bool orders_shared_memory(const Instruction& instruction) {
  switch (ptx::class_of(instruction.op)) {
    case OpClass::Store:
    case OpClass::Atomic: return instruction.space != Space::Global && instruction.space != Space::Local;
    case OpClass::AsyncCopy:
    case OpClass::BulkCopy:
    case OpClass::CopyGroup:
    case OpClass::WarpBarrier:
    case OpClass::Barrier:
    case OpClass::BarrierArrive:
    case OpClass::Mbarrier:
    case OpClass::MbarrierWait:
    case OpClass::Fence:
    case OpClass::Call: return true;
    default: return false;
  }
}

uint32_t bytes_of(const Instruction& instruction) { return ptx::size_of(instruction.type) * instruction.vector; }

bool may_merge(const Instruction& instruction, Op op) {
  const uint32_t bytes = bytes_of(instruction);
  const bool wide_enough = ptx::size_of(instruction.type) >= kWord && (bytes == 4 || bytes == 8);
  return instruction.op == op && instruction.space == Space::Shared && instruction.guard < 0 &&
         !instruction.is_volatile && wide_enough;
}

/// One access of one copy of an instruction.
struct Candidate {
  uint32_t pc = 0, copy = 0;
  uint32_t bytes = 0;
  std::map<uint32_t, uint32_t> base;  ///< The address's terms.
  uint32_t window_bytes = kWord;      ///< Of the aligned window that is known to contain it: 4, 8 or 16.
  uint32_t window = 0, offset = 0;    ///< Number of the window, counted from the base, and the place in it.

  auto key() const { return std::tie(base, window_bytes, window); }
  uint32_t mask() const { return ((1u << bytes / kWord) - 1) << offset / kWord; }
};

/// A part of a window that one instruction accesses.
struct Piece {
  uint32_t offset, bytes;
};

/// How ptxas covers the words in `mask`. A load may fetch an extra word, a store may not write one.
std::vector<Piece> pieces_of(uint32_t mask, bool is_load) {
  if (mask == 0xf || (is_load && std::popcount(mask) == 3)) return {{0, 16}};
  std::vector<Piece> pieces;
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t words = mask >> 2 * half & 3;
    if (words == 3) pieces.push_back({8 * half, 8});
    if (words == 1 || words == 2) pieces.push_back({8 * half + (words == 2 ? kWord : 0), kWord});
  }
  return pieces;
}

/// How often each basic block is written out.
using AllCopies = std::vector<Copies>;

class Planner {
 public:
  Planner(const AddressFacts& facts, const ptx::ControlFlow& graph, const AllCopies& copies)
      : facts_(facts), graph_(graph), copies_(copies) {
    plan_.roles.resize(facts.function().instructions.size());
  }

  void plan_block(int32_t index) {
    const ptx::BasicBlock& block = graph_.blocks[static_cast<size_t>(index)];
    const Copies copies = copies_[static_cast<size_t>(index)];
    AddressWalk walk = copies.count > 1 ? walk_into_loop(facts_, block, copies) : AddressWalk(facts_);
    for (uint32_t copy = 0; copy < copies.count; ++copy)
      for (auto pc = static_cast<uint32_t>(block.first); pc <= static_cast<uint32_t>(block.last); ++pc)
        instruction(walk, pc, copy, copies.count);
    flush();
  }

  MergePlan take() { return std::move(plan_); }

 private:
  void instruction(AddressWalk& walk, uint32_t pc, uint32_t copy, uint32_t copies) {
    const Instruction& instruction = facts_.function().instructions[pc];
    const bool is_load = may_merge(instruction, Op::Ld);
    if (is_load || may_merge(instruction, Op::St)) {
      plan_.roles[pc].resize(copies);
      auto access = candidate(walk, pc, copy);
      if (access) add(std::move(*access), is_load);
      if (!access && !is_load) flush();
    } else if (orders_shared_memory(instruction)) {
      flush();
    }
    walk.step(instruction);
  }

  std::optional<Candidate> candidate(const AddressWalk& walk, uint32_t pc, uint32_t copy) const {
    const Instruction& instruction = facts_.function().instructions[pc];
    auto form = address(walk, instruction.operands[instruction.op == Op::Ld ? 1 : 0]);
    if (!form) return std::nullopt;
    const uint32_t constant = std::exchange(form->constant, 0);
    const LowBits low = walk.low_bits(*form);
    Candidate candidate{pc, copy, bytes_of(instruction), std::move(form->terms)};
    candidate.window_bytes = std::max(low.modulus, kWord);
    const uint32_t position = constant + (low.modulus < kWord ? 0 : low.residue);
    candidate.window = position / candidate.window_bytes;
    candidate.offset = position % candidate.window_bytes;
    const bool fits = candidate.bytes <= candidate.window_bytes && candidate.offset % candidate.bytes == 0;
    return fits ? std::optional(std::move(candidate)) : std::nullopt;
  }

  std::optional<AddressForm> address(const AddressWalk& walk, ptx::Operand operand) const {
    const auto offset = static_cast<uint32_t>(std::exchange(operand.offset, 0));
    if (operand.index < 0 && operand.variable < 0) return constant_form(offset);
    operand.kind = operand.index >= 0 ? ptx::Operand::Kind::Register : ptx::Operand::Kind::Variable;
    auto base = walk.form(operand);
    if (base) base->constant += offset;
    return base;
  }

  void add(Candidate candidate, bool is_load) {
    const bool other_kind = !pending_.empty() && pending_are_loads_ != is_load;
    if (other_kind || (!is_load && !continues_stores(candidate))) flush();
    pending_are_loads_ = is_load;
    pending_.push_back(std::move(candidate));
  }

  /// Whether a store is in the window of earlier ones and writes none of their words.
  bool continues_stores(const Candidate& store) const {
    return std::all_of(pending_.begin(), pending_.end(), [&store](const Candidate& before) {
      return before.key() == store.key() && (before.mask() & store.mask()) == 0;
    });
  }

  void flush() {
    std::stable_sort(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });
    for (size_t first = 0; first < pending_.size();) {
      size_t end = first;
      uint32_t mask = 0;
      for (; end < pending_.size() && pending_[end].key() == pending_[first].key(); ++end) mask |= pending_[end].mask();
      for (const Piece& piece : pieces_of(mask, pending_are_loads_)) merge(first, end, piece);
      first = end;
    }
    pending_.clear();
  }

  /// Assigns roles to the window's candidates inside the piece.
  void merge(size_t first, size_t end, const Piece& piece) {
    std::vector<const Candidate*> members;
    for (size_t i = first; i < end; ++i)
      if (pending_[i].offset - piece.offset < piece.bytes) members.push_back(&pending_[i]);
    if (members.size() < 2) return;
    const auto access = static_cast<uint32_t>(plan_.accesses.size());
    for (const Candidate* member : members) plan_.roles[member->pc][member->copy] = {access, member == members.front()};
    const Candidate& leader = *members.front();
    const auto offset = static_cast<int32_t>(piece.offset) - static_cast<int32_t>(leader.offset);
    plan_.accesses.push_back({leader.pc, offset, static_cast<uint8_t>(piece.bytes)});
  }

  const AddressFacts& facts_;
  const ptx::ControlFlow& graph_;
  const AllCopies& copies_;
  MergePlan plan_;
  std::vector<Candidate> pending_;
  bool pending_are_loads_ = true;
};

MergePlan plan_with(const AddressFacts& facts, const ptx::ControlFlow& graph, const AllCopies& copies) {
  Planner planner(facts, graph, copies);
  for (size_t block = 0; block < graph.blocks.size(); ++block) planner.plan_block(static_cast<int32_t>(block));
  return planner.take();
}

size_t width_index(uint32_t bytes) { return bytes == 16 ? 2 : bytes == 8 ? 1 : 0; }

/// The shared loads and FMAs of the planned code, each counted once.
MachineLoads loads_of(const ptx::Function& function, const ptx::ControlFlow& graph, const AllCopies& copies,
                      const MergePlan& plan) {
  MachineLoads loads;
  for (size_t block = 0; block < graph.blocks.size(); ++block)
    for (auto pc = static_cast<size_t>(graph.blocks[block].first); pc <= static_cast<size_t>(graph.blocks[block].last);
         ++pc) {
      const Instruction& instruction = function.instructions[pc];
      if (instruction.op == Op::Fma && instruction.type == ptx::Type::F32) loads.fmas += copies[block].count;
      if (instruction.op != Op::Ld || instruction.space != Space::Shared) continue;
      std::vector<MergeRole> roles = plan.roles[pc];
      roles.resize(copies[block].count);
      for (const MergeRole& role : roles) {
        if (role.as_written()) ++loads.shared_loads[width_index(bytes_of(instruction))];
        if (role.leads) ++loads.shared_loads[width_index(plan.accesses[role.access].bytes)];
      }
    }
  return loads;
}

/// How far apart the shared loads per FMA are, as a part of the machine's.
double distance(const MachineLoads& planned, const MachineLoads& machine) {
  double apart = 0, all = 0;
  for (size_t i = 0; i < machine.shared_loads.size(); ++i) {
    const double wanted = static_cast<double>(machine.shared_loads[i]) / machine.fmas;
    apart += std::abs(static_cast<double>(planned.shared_loads[i]) / std::max(1U, planned.fmas) - wanted);
    all += wanted;
  }
  return apart / all;
}

/// Unrolls each loop so that the plan is nearest to the machine code, unless it is already near.
MergePlan plan_like(const ptx::Module& module, const AddressFacts& facts, const ptx::ControlFlow& graph,
                    AllCopies copies, const MachineLoads& machine) {
  constexpr double kNear = 0.1;
  const auto distance_of = [&](const MergePlan& plan, const AllCopies& written) {
    return distance(loads_of(facts.function(), graph, written, plan), machine);
  };
  MergePlan best = plan_with(facts, graph, copies);
  double least = distance_of(best, copies);
  for (size_t block = 0; block < graph.blocks.size() && least > kNear; ++block) {
    AllCopies tried = copies;
    for (const Copies& other : other_copies_of(module, facts, graph, static_cast<int32_t>(block))) {
      tried[block] = other;
      MergePlan plan = plan_with(facts, graph, tried);
      const double apart = distance_of(plan, tried);
      if (apart < least) {
        least = apart;
        best = std::move(plan);
        copies[block] = other;
      }
    }
  }
  return best;
}

}  // namespace

void MergeRoles::block_begin() {
  for (auto& runs : runs_) runs.clear();
}

MergeRole MergeRoles::next(const trace::Step& step) {
  if (step.pc >= runs_.size() || plan_->roles[step.pc].empty()) return {};
  const auto& roles = plan_->roles[step.pc];
  if (roles.size() == 1) return roles.front();
  auto& runs = runs_[step.pc];
  if (runs.size() <= step.warp) runs.resize(step.warp + size_t{1});
  return roles[runs[step.warp]++ % roles.size()];
}

std::optional<MachineLoads> read_machine_loads(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::vector<sass::Instruction> code = read_machine_code(cubin, entry);
  if (code.empty()) return std::nullopt;
  MachineLoads loads;
  for (const sass::Instruction& each : code) loads.fmas += each.opcode == sass::Opcode::FFMA;
  loads.shared_loads = count_shared_loads(code);
  return loads;
}

MergePlan plan_load_merge(const ptx::Module& module, const ptx::Function& function,
                          const std::vector<Allocation>& shared_arrays, const std::optional<MachineLoads>& machine) {
  const AddressFacts facts(module, function, shared_arrays);
  const ptx::ControlFlow graph = ptx::control_flow(function);
  AllCopies copies;
  for (size_t block = 0; block < graph.blocks.size(); ++block)
    copies.push_back(copies_of(module, facts, graph, static_cast<int32_t>(block)));
  const bool has_loads = machine && machine->fmas > 0 && machine->shared_loads != std::array<uint32_t, 3>{};
  return has_loads ? plan_like(module, facts, graph, std::move(copies), *machine) : plan_with(facts, graph, copies);
}

}  // namespace tilescope::analysis
