#include "analysis/unroll.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tilescope::analysis {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

struct BodyLimit {
  uint32_t trips, cost;
};
/// The largest body (see Body) that CUDA 13.0's ptxas for sm_80 and sm_90 writes out in full, by trip count: found
/// by assembling loops of 1, 4 and 8 shared loads, 1, 2 and 4 pointers, and more and more multiply-adds. It is not
/// quite a function of these: 57 was seen to be written out 8 times in one loop and not in another.
constexpr std::array kLargestBody = {
    BodyLimit{2, 192}, BodyLimit{3, 122}, BodyLimit{4, 97},  BodyLimit{5, 74},  BodyLimit{6, 70},  BodyLimit{7, 58},
    BodyLimit{8, 56},  BodyLimit{9, 50},  BodyLimit{10, 47}, BodyLimit{12, 41}, BodyLimit{14, 39}, BodyLimit{16, 34},
    BodyLimit{20, 30}, BodyLimit{24, 26}, BodyLimit{32, 22}, BodyLimit{48, 17}, BodyLimit{64, 14},
};

/// Before sm_90 a loop within another is written out in full when that makes no more than about this cost in all. The
/// smallest that was refused cost 4060, the largest that was not, with another body, 4900.
constexpr uint32_t kLargestNested = 4000;
/// And only with enough loads in it: 4 with 100 multiply-adds were, 1 with 80 were not.
constexpr uint32_t kMostCostPerLoad = 32;
constexpr uint32_t kMostTrips = 256;

/// The largest body that is written out in part, found likewise, and how often it then mostly is.
constexpr uint32_t kLargestBodyInPart = 72;
constexpr uint32_t kCopiesInPart = 4;

/// A trip count between two rows takes the later one.
uint32_t largest_body(uint32_t trips) {
  for (const BodyLimit& limit : kLargestBody)
    if (trips <= limit.trips) return limit.cost;
  return 0;
}

/// The comparison that decides whether the loop repeats.
struct Condition {
  const Instruction* setp = nullptr;
  AddressForm left, right;  ///< In the first iteration.
  int32_t counter = -1;     ///< The register in `left`, up to a constant.
};

bool is_true(const Instruction& setp, uint32_t left, uint32_t right) {
  using ptx::Compare;
  const auto signed_left = static_cast<int32_t>(left), signed_right = static_cast<int32_t>(right);
  const bool less = ptx::is_signed(setp.type) ? signed_left < signed_right : left < right;
  switch (setp.compare) {
    case Compare::Eq: return left == right;
    case Compare::Ne: return left != right;
    case Compare::Lt:
    case Compare::Lo: return less;
    case Compare::Le:
    case Compare::Ls: return less || left == right;
    case Compare::Gt:
    case Compare::Hi: return !less && left != right;
    case Compare::Ge:
    case Compare::Hs: return !less;
    default: return false;
  }
}

bool writes(const Instruction& instruction, int32_t reg) {
  const auto registers = written_registers(instruction);
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

/// What a register holds when the block is entered from elsewhere, if one instruction makes it of lasting values.
std::optional<AddressForm> initial_form(const AddressFacts& facts, const ptx::BasicBlock& block, int32_t reg) {
  const Instruction* writer = nullptr;
  const auto& instructions = facts.function().instructions;
  for (int32_t pc = 0; pc < static_cast<int32_t>(instructions.size()); ++pc) {
    const Instruction& instruction = instructions[static_cast<size_t>(pc)];
    if ((pc >= block.first && pc <= block.last) || !writes(instruction, reg)) continue;
    if (writer) return std::nullopt;
    writer = &instruction;
  }
  return writer ? facts.lasting_result(*writer) : std::nullopt;
}

/// Whether the block's last instruction branches to its first if a predicate holds.
bool loops_on_itself(const Instruction& last, const ptx::BasicBlock& block) {
  return last.op == Op::Bra && last.guard >= 0 && last.operands[0].kind == Operand::Kind::Label &&
         last.operands[0].index == block.first;
}

/// The source of the last instruction's predicate; no setp if it is not a plain comparison with a constant.
Condition find_condition(const AddressFacts& facts, const ptx::BasicBlock& block, AddressWalk& walk) {
  Condition condition;
  const auto& instructions = facts.function().instructions;
  const int32_t predicate = instructions[static_cast<size_t>(block.last)].guard;
  for (int32_t pc = block.first; pc <= block.last; ++pc) {
    const Instruction& instruction = instructions[static_cast<size_t>(pc)];
    if (instruction.op == Op::Setp && writes(instruction, predicate) && instruction.operands.size() == 3) {
      const auto left = walk.form(instruction.operands[1]), right = walk.form(instruction.operands[2]);
      const bool counts = left && right && left->terms.size() == 1 && left->terms.begin()->second == 1 &&
                          left->terms.begin()->first < facts.function().registers.size() && right->terms.empty();
      condition = {};
      if (counts) condition = {&instruction, *left, *right, static_cast<int32_t>(left->terms.begin()->first)};
    }
    walk.step(instruction);
  }
  return condition;
}

/// The loop's trip count; 0 if not constant or more than kMostTrips.
uint32_t trip_count(const AddressFacts& facts, const ptx::BasicBlock& block) {
  const Instruction& last = facts.function().instructions[static_cast<size_t>(block.last)];
  if (!loops_on_itself(last, block)) return 0;
  AddressWalk walk(facts);
  const Condition condition = find_condition(facts, block, walk);
  if (!condition.setp) return 0;
  const auto start = initial_form(facts, block, condition.counter);
  Operand counter;
  counter.kind = Operand::Kind::Register;
  counter.index = condition.counter;
  const auto next = walk.form(counter);
  if (!start || !start->terms.empty() || !next || next->terms != condition.left.terms) return 0;
  uint32_t left = start->constant + condition.left.constant;
  for (uint32_t trips = 1; trips <= kMostTrips; ++trips, left += next->constant)
    if (is_true(*condition.setp, left, condition.right.constant) == last.guard_negated) return trips;
  return 0;
}

bool steps_a_register(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  return instruction.op == Op::Add && operands[0].index == operands[1].index &&
         operands[2].kind == Operand::Kind::Immediate;
}

struct Body {
  uint32_t cost = 0;  ///< Instructions, a load counting as two; counter, one pointer, comparison and branch are free.
  uint32_t loads = 0;
};

Body measure(const AddressFacts& facts, const ptx::BasicBlock& block) {
  Body body;
  uint32_t steps = 0;
  for (int32_t pc = block.first; pc < block.last; ++pc) {
    const Instruction& instruction = facts.function().instructions[static_cast<size_t>(pc)];
    if (steps_a_register(instruction))
      ++steps;
    else if (instruction.op != Op::Setp)
      ++body.cost;
    body.loads += instruction.op == Op::Ld;
  }
  body.cost += body.loads + (steps > 2 ? steps - 2 : 0);
  return body;
}

/// Whether the block's loop is inside another: control can return to it after leaving it.
bool is_nested(const ptx::ControlFlow& graph, int32_t loop) {
  std::vector<bool> seen(graph.blocks.size(), false);
  std::vector<int32_t> left = {loop};
  while (!left.empty()) {
    const int32_t block = left.back();
    left.pop_back();
    for (int32_t next : graph.blocks[static_cast<size_t>(block)].successors) {
      if (next == loop && block != loop) return true;
      if (next == loop || seen[static_cast<size_t>(next)]) continue;
      seen[static_cast<size_t>(next)] = true;
      left.push_back(next);
    }
  }
  return false;
}

/// Capabilities have two digits before sm_100.
bool is_before_sm_90(const ptx::Module& module) {
  const std::string_view target = module.target;
  return target.size() == 5 && target.starts_with("sm_") && target < "sm_90";
}

/// Whether the lines over the instruction, up to another instruction, hold .pragma "nounroll".
bool may_not_unroll(const ptx::Module& module, const Instruction& first) {
  for (auto line = static_cast<size_t>(first.line) - 1; line-- > 0 && line < module.lines.size();) {
    const std::string_view text = module.lines[line];
    if (text.find("\"nounroll\"") != text.npos) return true;
    const bool is_instruction = text.find(';') != text.npos || text.find('{') != text.npos;
    if (is_instruction && text.find(".loc") == text.npos) return false;
  }
  return false;
}

}  // namespace

Copies copies_of(const ptx::Module& module, const AddressFacts& facts, const ptx::ControlFlow& graph, int32_t index) {
  const ptx::BasicBlock& block = graph.blocks[static_cast<size_t>(index)];
  const uint32_t trips = trip_count(facts, block);
  const Instruction& first = facts.function().instructions[static_cast<size_t>(block.first)];
  if (trips == 0 || (first.line > 0 && may_not_unroll(module, first))) return {};
  const Body body = measure(facts, block);
  if (body.cost <= largest_body(trips)) return {trips, true, true};
  const bool nested_fits = body.cost * trips <= kLargestNested && body.cost <= kMostCostPerLoad * body.loads;
  if (nested_fits && is_before_sm_90(module) && is_nested(graph, index)) return {trips, true, false};
  if (body.cost <= kLargestBodyInPart && trips % kCopiesInPart == 0) return {kCopiesInPart, false, false};
  return {};
}

std::vector<Copies> other_copies_of(const ptx::Module& module, const AddressFacts& facts, const ptx::ControlFlow& graph,
                                    int32_t index) {
  const ptx::BasicBlock& block = graph.blocks[static_cast<size_t>(index)];
  const uint32_t trips = trip_count(facts, block);
  const Instruction& first = facts.function().instructions[static_cast<size_t>(block.first)];
  std::vector<Copies> others;
  if (trips <= 1 || (first.line > 0 && may_not_unroll(module, first))) return others;
  others.push_back({});
  for (uint32_t count = 2; count < trips; count *= 2)
    if (trips % count == 0) others.insert(others.end(), {{count, false, false}, {count, false, true}});
  others.insert(others.end(), {{trips, true, false}, {trips, true, true}});
  return others;
}

AddressWalk walk_into_loop(const AddressFacts& facts, const ptx::BasicBlock& block, Copies copies) {
  AddressWalk walk(facts, copies.is_small);
  for (int32_t pc = block.first; pc <= block.last; ++pc) {
    const Instruction& instruction = facts.function().instructions[static_cast<size_t>(pc)];
    if (!steps_a_register(instruction)) continue;
    const int32_t reg = instruction.operands[0].index;
    auto form = initial_form(facts, block, reg);
    if (!form) continue;
    const auto step = static_cast<uint32_t>(instruction.operands[2].bits) * copies.count;
    if (copies.is_whole_loop)
      walk.set(reg, std::move(*form));
    else
      walk.set_unknown(reg, either(divisor_only(walk.low_bits(*form)), divisor_only(low_bits_of(step))));
  }
  return walk;
}

}  // namespace tilescope::analysis
