#include "analysis/data_flow.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "ptx/fragment.h"
#include "ptx/opcode_table.h"

namespace tilescope::analysis {
namespace {
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;

bool is_register(const Operand& operand, int32_t index) {
  return operand.kind == Operand::Kind::Register && operand.index == index;
}

bool writes_register(const Instruction& instruction, int32_t index) {
  const bool has_no_destination = instruction.op == Op::St || instruction.op == Op::Red ||
                                  instruction.op == Op::CpAsync || instruction.op == Op::Stmatrix ||
                                  instruction.operands.empty();
  if (has_no_destination) return false;
  const Operand& first = instruction.operands[0];
  if (first.kind != Operand::Kind::Vector) return is_register(first, index);
  return std::any_of(first.elements.begin(), first.elements.end(),
                     [&](const Operand& o) { return is_register(o, index); });
}

/// Rounding to TF32 by hand: add half of the last kept bit, and keep the upper bits.
constexpr uint64_t kHalfOfTf32 = 0x1000, kBitsOfTf32 = 0xffffe000;

bool rounds_to_tf32(const Instruction& instruction) {
  if (instruction.operands.size() != 3 || instruction.operands[2].kind != Operand::Kind::Immediate) return false;
  const uint64_t constant = instruction.operands[2].bits & 0xffffffff;
  return (instruction.op == Op::Add && constant == kHalfOfTf32) ||
         (instruction.op == Op::And && constant == kBitsOfTf32);
}

/// The source from which an instruction passes on a byte of its value, as the first or another byte of the source; null
/// if it does not.
const Operand* passed_on(const Instruction& instruction, uint32_t& byte) {
  const bool passes = instruction.op == Op::Mov || instruction.op == Op::Cvt || rounds_to_tf32(instruction);
  if (!passes || instruction.operands.size() < 2) return nullptr;
  const Operand* source = &instruction.operands[1];
  if (source->kind == Operand::Kind::Vector && !source->elements.empty()) {
    const size_t bytes = size_of(instruction.type) / source->elements.size();
    if (bytes == 0 || byte / bytes >= source->elements.size()) return nullptr;
    source = &source->elements[byte / bytes];
    byte %= static_cast<uint32_t>(bytes);
  }
  return source->kind == Operand::Kind::Register ? source : nullptr;
}

const Operand* passed_on(const Instruction& instruction) {
  uint32_t byte = 0;
  return passed_on(instruction, byte);
}

/// Calls visit(destination, addend) for each register of a matrix product's sums; the addend is null where it is the
/// destination itself.
template <class Visit>
void for_each_fragment_sum(const Instruction& instruction, Visit visit) {
  if (ptx::class_of(instruction.op) != ptx::OpClass::MatrixMultiply) return;
  const std::vector<Operand>& sums = instruction.operands[0].elements;
  const bool apart = instruction.op != Op::WgmmaMma && instruction.operands.size() > 3 &&
                     instruction.operands[3].elements.size() == sums.size();
  for (size_t i = 0; i < sums.size(); ++i) visit(sums[i], apart ? &instruction.operands[3].elements[i] : nullptr);
}

bool accumulates(const Instruction& instruction) {
  return kind_of(instruction) == StepKind::Multiply && instruction.operands.size() >= 4 &&
         instruction.operands[0].kind == Operand::Kind::Register;
}

int32_t find(std::vector<int32_t>& parents, int32_t x) {
  while (parents[static_cast<size_t>(x)] != x)
    x = parents[static_cast<size_t>(x)] = parents[static_cast<size_t>(parents[static_cast<size_t>(x)])];
  return x;
}

void unite(std::vector<int32_t>& parents, const Operand& a, const Operand& b) {
  if (a.kind != Operand::Kind::Register || b.kind != Operand::Kind::Register) return;
  parents[static_cast<size_t>(find(parents, a.index))] = find(parents, b.index);
}

/// alpha * sum + beta * C as one multiply-add: its factor is the sum, and nothing is added to its result.
void unite_scaled(std::vector<int32_t>& parents, const ptx::Function& function, const std::vector<bool>& is_added_to) {
  const auto is_sum = [&](const Operand& o) {
    return o.kind == Operand::Kind::Register && is_added_to[static_cast<size_t>(o.index)];
  };
  std::vector<bool> is_addend(parents.size());
  for (const Instruction& instruction : function.instructions)
    if (accumulates(instruction) && instruction.operands[3].kind == Operand::Kind::Register)
      is_addend[static_cast<size_t>(instruction.operands[3].index)] = true;
  for (const Instruction& instruction : function.instructions) {
    if (!accumulates(instruction) || is_sum(instruction.operands[3])) continue;
    if (is_addend[static_cast<size_t>(instruction.operands[0].index)]) continue;
    for (const size_t factor : {1, 2})
      if (is_sum(instruction.operands[factor])) unite(parents, instruction.operands[0], instruction.operands[factor]);
  }
}

/// The first operand that is a sum, or else computed from one; -1 if none.
int32_t sum_taken_by(const Instruction& instruction, const std::vector<int32_t>& sums,
                     const std::vector<int32_t>& made_of) {
  if (ptx::class_of(instruction.op) == ptx::OpClass::Load) return -1;
  for (const std::vector<int32_t>* known : {&sums, &made_of})
    for (size_t i = 1; i < instruction.operands.size(); ++i)
      if (instruction.operands[i].kind == Operand::Kind::Register)
        if (const int32_t sum = (*known)[static_cast<size_t>(instruction.operands[i].index)]; sum >= 0) return sum;
  return -1;
}

/// By register the sum that it is computed from in any number of instructions, or -1.
std::vector<int32_t> made_of_sums(const ptx::Function& function, const std::vector<int32_t>& sums) {
  std::vector<int32_t> made_of(sums.size(), -1);
  for (bool learnt = true; learnt;) {
    learnt = false;
    for (const Instruction& instruction : function.instructions) {
      if (instruction.operands.empty() || instruction.operands[0].kind != Operand::Kind::Register) continue;
      const auto made = static_cast<size_t>(instruction.operands[0].index);
      if (sums[made] >= 0 || made_of[made] >= 0) continue;
      made_of[made] = sum_taken_by(instruction, sums, made_of);
      learnt |= made_of[made] >= 0;
    }
  }
  return made_of;
}

}  // namespace

DataFlow::DataFlow(const ptx::Function& function, const trace::Trace& trace, const Timeline& timeline)
    : function_(&function), trace_(&trace), timeline_(&timeline) {
  std::vector<int32_t> parents(function.registers.size());
  std::iota(parents.begin(), parents.end(), 0);
  std::vector<bool> is_sum(parents.size()), is_added_to(parents.size());
  for (const Instruction& instruction : function.instructions)
    if (accumulates(instruction)) {
      unite(parents, instruction.operands[0], instruction.operands[3]);
      is_added_to[static_cast<size_t>(instruction.operands[0].index)] = true;
    } else {
      for_each_fragment_sum(instruction, [&](const Operand& sum, const Operand* addend) {
        if (sum.kind != Operand::Kind::Register) return;
        if (addend) unite(parents, sum, *addend);
        is_added_to[static_cast<size_t>(sum.index)] = true;
      });
    }
  // A finished sum that is moved. A move between sums, or from none, brings their initial zero.
  for (const Instruction& instruction : function.instructions) {
    const Operand* source = instruction.op == Op::Mov ? passed_on(instruction) : nullptr;
    if (source && is_added_to[static_cast<size_t>(source->index)] &&
        !is_added_to[static_cast<size_t>(instruction.operands[0].index)])
      unite(parents, instruction.operands[0], *source);
  }
  unite_scaled(parents, function, is_added_to);
  for (size_t r = 0; r < parents.size(); ++r)
    if (is_added_to[r]) is_sum[static_cast<size_t>(find(parents, static_cast<int32_t>(r)))] = true;
  for (int32_t r = 0; r < static_cast<int32_t>(parents.size()); ++r) {
    const int32_t root = find(parents, r);
    sums_.push_back(is_sum[static_cast<size_t>(root)] ? root : -1);
  }
  made_of_ = made_of_sums(function, sums_);
  for (const Instruction& instruction : function.instructions)
    sum_of_pc_.push_back(accumulates(instruction) ? sums_[static_cast<size_t>(instruction.operands[0].index)] : -1);
}

std::optional<LoadedFrom> DataFlow::origin(const StepRef& at, uint32_t lane, const Operand& operand) const {
  if (operand.kind != Operand::Kind::Register) return std::nullopt;
  return origin(at, lane, operand.index);
}

std::optional<LoadedFrom> DataFlow::origin(const StepRef& at, uint32_t lane, int32_t index, uint32_t byte) const {
  for (StepRef before = at; before.step-- > 0;) {
    const Instruction& instruction = function_->instructions[timeline_->pc(before)];
    if (!writes_register(instruction, index) || !(timeline_->active(before) >> lane & 1)) continue;
    if (instruction.op == Op::Ld || instruction.op == Op::Ldu || instruction.op == Op::Ldmatrix) {
      if (const auto loaded = loaded_part(before, lane, index, byte)) return loaded;
      continue;  // Its guard was false for this lane.
    }
    const Operand* source = passed_on(instruction, byte);
    if (!source) return std::nullopt;
    index = source->index;
  }
  return std::nullopt;
}

std::optional<LoadedFrom> DataFlow::loaded_part(const StepRef& at, uint32_t lane, int32_t index, uint32_t byte) const {
  const std::optional<uint32_t> record = timeline_->access(at);
  if (!record) return std::nullopt;
  uint64_t addresses[trace::kLanes];
  trace_->addresses(*record, addresses);
  const Instruction& instruction = function_->instructions[timeline_->pc(at)];
  const Operand& destination = instruction.operands[0];
  uint64_t part = 0;
  if (destination.kind == Operand::Kind::Vector)
    while (!is_register(destination.elements[part], index)) ++part;
  if (instruction.op == Op::Ldmatrix) {
    // The register's matrix has its rows from eight lanes.
    const ptx::FragmentPlace place = ptx::place_in_matrix(lane, byte / 2, instruction.trans);
    const uint64_t row = 8 * part + place.row;
    if (!(trace_->active(*record) >> row & 1)) return std::nullopt;
    return LoadedFrom{at, lane, trace_->space(*record), addresses[row] + 2 * place.column + byte % 2};
  }
  if (!(trace_->active(*record) >> lane & 1)) return std::nullopt;
  return LoadedFrom{at, lane, trace_->space(*record), addresses[lane] + part * size_of(instruction.type) + byte};
}

const Operand* DataFlow::stored_operand(const StepRef& at, uint32_t lane, uint64_t address) const {
  const Instruction& instruction = function_->instructions[timeline_->pc(at)];
  const std::optional<uint32_t> record = timeline_->access(at);
  if (instruction.op != Op::St || !record || !(trace_->active(*record) >> lane & 1)) return nullptr;
  uint64_t addresses[trace::kLanes];
  trace_->addresses(*record, addresses);
  const uint64_t part = (address - addresses[lane]) / std::max(1u, size_of(instruction.type));
  const Operand& value = instruction.operands[1];
  if (value.kind != Operand::Kind::Vector) return part == 0 ? &value : nullptr;
  return part < value.elements.size() ? &value.elements[part] : nullptr;
}

std::optional<LoadedFrom> DataFlow::source_of_store(const StepRef& at, uint32_t lane, uint64_t address) const {
  if (timeline_->kind(at) != StepKind::AsyncCopy) {
    const Operand* value = stored_operand(at, lane, address);
    if (!value || value->kind != Operand::Kind::Register) return std::nullopt;
    uint64_t addresses[trace::kLanes];
    trace_->addresses(*timeline_->access(at), addresses);
    const uint32_t size = std::max(1u, size_of(function_->instructions[timeline_->pc(at)].type));
    return origin(at, lane, value->index, static_cast<uint32_t>((address - addresses[lane]) % size));
  }
  uint64_t from[trace::kLanes] = {}, to[trace::kLanes] = {};
  const auto [first, last] = timeline_->records(at);
  for (const uint32_t* record = first; record != last; ++record) {
    if (trace_->kind(*record) != trace::RecordKind::Access) continue;
    trace_->addresses(*record, trace_->access_kind(*record) == trace::AccessKind::AsyncCopyRead ? from : to);
  }
  return LoadedFrom{at, lane, Space::Global, from[lane] + address - to[lane]};
}

/// Searches the warp's steps of that k-tile and of the one before it.
void DataFlow::find_store(uint64_t shared_address, uint32_t slot, uint32_t warp, int32_t tile, Stored& latest) const {
  const auto& tiles = timeline_->tiles(warp);
  const auto first_step = [&](int32_t of) {
    return of <= 0                                  ? 0
           : static_cast<size_t>(of) < tiles.size() ? tiles[static_cast<size_t>(of)]
                                                    : timeline_->steps(warp);
  };
  const uint32_t begin = first_step(tile - 1), end = first_step(tile + 1);
  if (begin >= end) return;
  const uint32_t* first = timeline_->records({warp, begin}).first;
  for (const uint32_t* record = timeline_->records({warp, end - 1}).second; record != first;) {
    const uint32_t i = *--record;
    const StepRef at{warp, trace_->step(i).warp_step};
    const uint32_t here = timeline_->slot(at);
    if (latest.from && here <= latest.slot) return;
    if (here >= slot || trace_->kind(i) != trace::RecordKind::Access || trace_->space(i) != Space::Shared ||
        !trace::is_write(trace_->access_kind(i)))
      continue;
    uint64_t addresses[trace::kLanes];
    trace_->addresses(i, addresses);
    for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
      if ((trace_->active(i) >> lane & 1) && shared_address >= addresses[lane] &&
          shared_address < addresses[lane] + trace_->bytes(i))
        latest = {source_of_store(at, lane, shared_address), here};
  }
}

// k-tile by k-tile, because a kernel with several of them in shared memory stores each that many before it is read.
std::optional<LoadedFrom> DataFlow::stored_from(uint64_t shared_address, uint32_t slot) const {
  int32_t tile = -1;
  for (uint32_t warp = 0; warp < timeline_->warps(); ++warp)
    if (timeline_->steps(warp) > 0)
      tile = std::max(tile, timeline_->tile({warp, timeline_->step_at_or_before(warp, slot)}));
  Stored latest;
  for (; tile >= -1 && !latest.from; --tile)
    for (uint32_t warp = 0; warp < timeline_->warps(); ++warp) find_store(shared_address, slot, warp, tile, latest);
  find_bulk_copy(shared_address, slot, latest);
  return latest.from;
}

void DataFlow::find_bulk_copy(uint64_t shared_address, uint32_t slot, Stored& latest) const {
  const std::vector<trace::BulkRecord>& copies = trace_->bulk_copies();
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    const StepRef at{copy->at.warp, copy->at.warp_step};
    const uint32_t here = timeline_->slot(at);
    if (!copy->to_shared || here >= slot || (latest.from && here <= latest.slot)) continue;
    for (const trace::BulkCopy::Piece& piece : copy->pieces) {
      if (shared_address - piece.shared >= piece.bytes) continue;
      latest = {std::nullopt, here};
      if (piece.global == trace::BulkCopy::kNowhere) return;
      const auto lane = static_cast<uint32_t>(std::countr_zero(copy->at.active));
      latest.from = LoadedFrom{at, lane, Space::Global, piece.global + shared_address - piece.shared};
      return;
    }
  }
}

int32_t DataFlow::sum_stored(const StepRef& at, uint32_t part) const {
  const Instruction& store = function_->instructions[timeline_->pc(at)];
  if (store.op != Op::St) return -1;
  const Operand& value = store.operands[1];
  if (value.kind == Operand::Kind::Vector && part >= value.elements.size()) return -1;
  const Operand& stored = value.kind == Operand::Kind::Vector ? value.elements[part] : value;
  if (stored.kind != Operand::Kind::Register) return -1;
  if (const int32_t sum = sums_[static_cast<size_t>(stored.index)]; sum >= 0) return sum;
  // C = alpha * sum + beta * C, or plus the parts that other warps have of the sum: computed from it.
  for (StepRef before = at; before.step-- > 0;) {
    const Instruction& instruction = function_->instructions[timeline_->pc(before)];
    if (!writes_register(instruction, stored.index)) continue;
    // Two sums in a register: cvt d, upper, lower.
    if (instruction.op == Op::Cvt && instruction.operands.size() == 3 && value.kind == Operand::Kind::Register)
      if (const Operand& half = instruction.operands[part % 2 == 0 ? 2 : 1]; half.kind == Operand::Kind::Register)
        return sums_[static_cast<size_t>(half.index)];
    return sum_taken_by(instruction, sums_, made_of_);
  }
  return -1;
}

}  // namespace tilescope::analysis
