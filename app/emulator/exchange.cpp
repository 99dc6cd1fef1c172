// Instructions that exchange values between lanes, and moves that the vector loops do not handle.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/block.h"
#include "emulator/scalar.h"
#include "ptx/opcode_table.h"

namespace tilescope::emulator {
namespace {

using ptx::Op;
using trace::kLanes;

uint32_t* row32(Warp& warp, uint32_t offset) { return reinterpret_cast<uint32_t*>(warp.file + offset); }

void write_predicate(Warp& warp, uint32_t offset, uint32_t value, uint32_t mask) {
  uint32_t& predicate = *row32(warp, offset);
  predicate = (predicate & ~mask) | (value & mask);
}

void write_row(Warp& warp, uint32_t offset, const uint32_t* values, uint32_t mask) {
  uint32_t* row = row32(warp, offset);
  for (uint32_t l = 0; l < kLanes; ++l)
    if (mask >> l & 1) row[l] = values[l];
}

struct ShuffleSource {
  uint32_t lane = 0;
  bool in_range = false;
};

// b and c as in the PTX document: c holds the clamp in bits 0..4 and the segment mask in bits 8..12.
ShuffleSource shuffle_source(ptx::ShuffleMode mode, uint32_t lane, uint32_t b, uint32_t c) {
  const auto bval = static_cast<int32_t>(b & 0x1f), cval = static_cast<int32_t>(c & 0x1f);
  const auto segment = static_cast<int32_t>(c >> 8 & 0x1f), self = static_cast<int32_t>(lane);
  const int32_t max_lane = (self & segment) | (cval & ~segment & 0x1f);
  const int32_t min_lane = self & segment;
  int32_t from = self;
  bool ok = true;
  switch (mode) {
    case ptx::ShuffleMode::Up:
      from = self - bval;
      ok = from >= max_lane;
      break;
    case ptx::ShuffleMode::Down:
      from = self + bval;
      ok = from <= max_lane;
      break;
    case ptx::ShuffleMode::Bfly:
      from = self ^ bval;
      ok = from <= max_lane;
      break;
    default: from = min_lane | (bval & ~segment & 0x1f); ok = from <= max_lane;
  }
  return {static_cast<uint32_t>(ok ? from : self) & 0x1f, ok};
}

template <class T, class F>
T fold(const uint32_t* row, uint32_t mask, F&& combine) {
  T result = static_cast<T>(row[std::countr_zero(mask)]);
  for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
    result = combine(result, static_cast<T>(row[std::countr_zero(m)]));
  return result;
}

uint32_t reduced(const ptx::Instruction& i, const uint32_t* row, uint32_t mask) {
  const bool is_signed = i.type == ptx::Type::S32;
  const auto smaller = [](auto a, auto b) { return b < a ? b : a; };
  const auto larger = [](auto a, auto b) { return a < b ? b : a; };
  switch (i.atomic) {
    case ptx::AtomicOp::Add: return fold<uint32_t>(row, mask, [](uint32_t a, uint32_t b) { return a + b; });
    case ptx::AtomicOp::And: return fold<uint32_t>(row, mask, [](uint32_t a, uint32_t b) { return a & b; });
    case ptx::AtomicOp::Or: return fold<uint32_t>(row, mask, [](uint32_t a, uint32_t b) { return a | b; });
    case ptx::AtomicOp::Xor: return fold<uint32_t>(row, mask, [](uint32_t a, uint32_t b) { return a ^ b; });
    case ptx::AtomicOp::Min:
      return is_signed ? static_cast<uint32_t>(fold<int32_t>(row, mask, smaller)) : fold<uint32_t>(row, mask, smaller);
    case ptx::AtomicOp::Max:
      return is_signed ? static_cast<uint32_t>(fold<int32_t>(row, mask, larger)) : fold<uint32_t>(row, mask, larger);
    default: return 0;
  }
}

}  // namespace

void shuffle(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  uint32_t result[kLanes], in_range = 0, undefined = 0, outside = 0;
  // The lanes at the end of a down or up shuffle read others by design, and do not use what they get.
  const bool is_exact = in.text->shuffle == ptx::ShuffleMode::Bfly || in.text->shuffle == ptx::ShuffleMode::Idx;
  const uint32_t* a = row32(warp, in.source[0]);
  for (uint32_t l = 0; l < kLanes; ++l) {
    const ShuffleSource from =
        shuffle_source(in.text->shuffle, l, row32(warp, in.source[1])[l], row32(warp, in.source[2])[l]);
    result[l] = a[from.lane];
    in_range |= static_cast<uint32_t>(from.in_range) << l;
    const uint32_t missing = row32(warp, in.source[3])[l] & ~mask;  // Members that have exited or never existed.
    undefined |= (mask >> l & missing >> from.lane & 1) << l;
    if (is_exact) outside |= (mask >> l & ~(row32(warp, in.source[3])[l] | mask) >> from.lane & 1) << l;
  }
  if (outside)
    warp.block->fault(warp, trace::FaultKind::IncompleteWarpSync, in.pc, mask, outside,
                      Message("it reads the register of a lane that the mask does not name"));
  if (undefined)
    warp.block->fault(warp, trace::FaultKind::IncompleteWarpSync, in.pc, mask, undefined,
                      Message("it reads the register of a lane that has exited"));
  write_row(warp, in.destination, result, mask);
  if (in.destination2) write_predicate(warp, in.destination2, in_range, mask);
}

void vote(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  uint32_t predicate = *row32(warp, in.source[0]);
  if (in.flip_predicate) predicate = ~predicate;
  predicate &= mask;
  if (in.text->vote == ptx::VoteMode::Ballot) {
    uint32_t* row = row32(warp, in.destination);
    for (uint32_t l = 0; l < kLanes; ++l)
      if (mask >> l & 1) row[l] = predicate;
    return;
  }
  bool holds = predicate == mask;
  if (in.text->vote == ptx::VoteMode::Any) holds = predicate != 0;
  if (in.text->vote == ptx::VoteMode::Uni) holds = predicate == 0 || predicate == mask;
  write_predicate(warp, in.destination, holds ? ~0u : 0, mask);
}

void match(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const uint32_t size = ptx::size_of(in.text->type);
  const std::byte* a = warp.file + in.source[0];
  uint32_t same[kLanes] = {};
  uint32_t all_same = ~0u;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    for (uint32_t n = mask; n; n &= n - 1) {
      const auto k = static_cast<uint32_t>(std::countr_zero(n));
      if (read_lane(a, size, l) == read_lane(a, size, k)) same[l] |= 1u << k;
    }
    if (same[l] != mask) all_same = 0;
  }
  if (in.text->op == Op::MatchAll) {
    for (uint32_t& lanes : same) lanes = all_same ? mask : 0;
    if (in.destination2) write_predicate(warp, in.destination2, all_same, mask);
  }
  write_row(warp, in.destination, same, mask);
}

void reduce(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  uint32_t result[kLanes];
  std::fill(result, result + kLanes, reduced(*in.text, row32(warp, in.source[0]), mask));
  write_row(warp, in.destination, result, mask);
}

void elect(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  uint32_t leader[kLanes];
  std::fill(leader, leader + kLanes, static_cast<uint32_t>(std::countr_zero(mask)));
  write_row(warp, in.destination, leader, mask);
  if (in.destination2) write_predicate(warp, in.destination2, 1u << leader[0], mask);
}

void active_mask(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  uint32_t result[kLanes];
  std::fill(result, result + kLanes, mask);
  write_row(warp, in.destination, result, mask);
}

void convert_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const bool packed = in.text->operands.size() == 3;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t second = packed ? read_lane(warp.file + in.source[1], 4, l) : 0;
    const uint64_t result = convert(*in.text, read_lane(warp.file + in.source[0], in.address_size, l), second);
    write_lane(warp.file + in.destination, in.lane_size, l, result);
  }
}

// Packs or unpacks: the elements of one side, end to end, are those of the other.
void move_vector(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const uint32_t bytes = ptx::size_of(in.text->type);
  const uint32_t from_size = bytes / in.source_count, to_size = bytes / in.vector;
  const uint32_t from_lane = std::max(4u, from_size), to_lane = std::max(4u, to_size);
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    std::byte value[16] = {};
    for (uint32_t s = 0; s < in.source_count; ++s)
      std::memcpy(value + s * from_size, warp.file + in.source_rows[s] + l * from_lane, from_size);
    for (uint32_t d = 0; d < in.vector; ++d) {
      std::byte element[16] = {};
      std::memcpy(element, value + d * to_size, to_size);
      std::memcpy(warp.file + in.rows[d] + l * to_lane, element, to_lane);
    }
  }
}

namespace {

// An unsigned sum of three words in double width; the carry is bit `bits`.
template <class T>
void carry_lane(Warp& warp, const DecodedInstruction& in, uint32_t lane, uint32_t& carries) {
  const ptx::Instruction& i = *in.text;
  const auto source = [&](int n) { return static_cast<T>(read_lane(warp.file + in.source[n], sizeof(T), lane)); };
  const bool is_mad = i.op == Op::Mad || i.op == Op::Madc;
  const bool subtracts = i.op == Op::Sub || i.op == Op::Subc;
  const bool takes_carry = i.op == Op::Addc || i.op == Op::Subc || i.op == Op::Madc;
  const bool is_signed = ptx::is_signed(i.type);
  T a = source(0), b = source(1);
  if (is_mad) {
    const Wide product = is_signed ? static_cast<Wide>(static_cast<SignedWide>(static_cast<std::make_signed_t<T>>(a)) *
                                                       static_cast<std::make_signed_t<T>>(b))
                                   : static_cast<Wide>(a) * b;
    a = static_cast<T>(i.part == ptx::Part::Hi ? product >> (8 * sizeof(T)) : product);
    b = source(2);
  }
  const T carry_in = takes_carry && (carries >> lane & 1) ? 1 : 0;
  const Wide sum = subtracts ? static_cast<Wide>(a) - b - carry_in : static_cast<Wide>(a) + b + carry_in;
  write_lane(warp.file + in.destination, sizeof(T), lane, static_cast<T>(sum));
  if (!i.carry) return;
  carries = (carries & ~(1u << lane)) | static_cast<uint32_t>(sum >> (8 * sizeof(T)) & 1) << lane;
}

}  // namespace

void carry_arithmetic(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    if (ptx::size_of(in.text->type) == 8)
      carry_lane<uint64_t>(warp, in, l, warp.carries);
    else
      carry_lane<uint32_t>(warp, in, l, warp.carries);
  }
}

}  // namespace tilescope::emulator
