// Instructions whose lanes look at each other, and atomics.

#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/general.h"

namespace tilescope::machine {
namespace {

using sass::Field;
using sass::Opcode;

void shuffle(Warp& warp, const Step& step, uint32_t mask) {
  const uint32_t *from = warp.row(step.a.row), *b = warp.row(step.b.row), *c = warp.row(step.c.row);
  enum Mode : uint8_t { kIndex, kUp, kDown, kButterfly };
  const uint8_t mode = (*step.in)[Field::Mode];
  alignas(64) uint32_t result[kLanes];
  uint32_t in_range = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const auto lane = static_cast<int32_t>(l), offset = static_cast<int32_t>(b[l] & 31);
    const auto clamp = static_cast<int32_t>(c[l] & 31), segment = static_cast<int32_t>(c[l] >> 8 & 31);
    const int32_t last = (lane & segment) | (clamp & ~segment);
    int32_t source = 0;
    bool good = false;
    switch (mode) {
      case kUp:
        source = lane - offset;
        good = source >= last;
        break;
      case kDown:
        source = lane + offset;
        good = source <= last;
        break;
      case kButterfly:
        source = lane ^ offset;
        good = source <= last;
        break;
      default: source = (lane & segment) | (offset & ~segment), good = source <= last; break;
    }
    in_range |= static_cast<uint32_t>(good) << l;
    result[l] = from[good ? source & 31 : lane];
  }
  commit(warp.written(step.d), result, mask);
  commit_predicate(warp, step.p0, in_range, mask);
}

// VOTE, VOTEU: over the lanes that execute it. What is written to a uniform register or predicate is so in all lanes.
void vote(Warp& warp, const Step& step, uint32_t mask) {
  const uint32_t ballot = (warp.predicates[step.q0] ^ step.q0_flip) & mask;
  enum Mode : uint8_t { kAll, kAny, kEqual };
  const uint8_t mode = (*step.in)[Field::Mode];
  const bool holds = mode == kAll ? ballot == mask : mode == kAny ? ballot != 0 : ballot == 0 || ballot == mask;
  const uint32_t written = step.in->opcode == Opcode::VOTEU ? ~0u : mask;
  alignas(64) uint32_t result[kLanes];
  std::fill_n(result, kLanes, ballot);
  commit(warp.written(step.d), result, written);
  commit_predicate(warp, step.p0, holds ? ~0u : 0, written);
}

// R2UR: the value of the lowest lane; the predicate says which other lanes are still to come, one after another.
void to_uniform(Warp& warp, const Step& step, uint32_t mask) {
  const uint32_t value = warp.row(step.a.row)[std::countr_zero(mask)];
  std::fill_n(warp.written(step.d), kLanes, value);
  commit_predicate(warp, step.p0, mask & (mask - 1), mask);
}

void elect(Warp& warp, const Step& step, uint32_t mask) {
  const uint32_t lowest = mask & (0 - mask);
  commit_predicate(warp, step.p0, lowest, mask);
  std::fill_n(warp.written(step.d), kLanes, static_cast<uint32_t>(std::countr_zero(mask)));
}

void match(Warp& warp, const Step& step, uint32_t mask) {
  const bool wide = (*step.in)[Field::Size], any = (*step.in)[Field::Mode];
  const uint32_t *low = warp.row(step.a.row),
                 *high = warp.row(wide ? step.a.high : warp.launched->program->impl().zero_row());
  alignas(64) uint32_t result[kLanes];
  uint32_t all = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t same = 0;
    for (uint32_t o = 0; o < kLanes; ++o)
      same |= static_cast<uint32_t>((mask >> o & 1) && low[o] == low[l] && high[o] == high[l]) << o;
    result[l] = any ? same : same == mask ? mask : 0;
    all |= static_cast<uint32_t>(same == mask) << l;
  }
  commit(warp.written(step.d), result, mask);
  commit_predicate(warp, step.p0, all, mask);
}

void reduce(Warp& warp, const Step& step, uint32_t mask) {  // REDUX
  const uint32_t* from = warp.row(step.a.row);
  enum Operation : uint8_t { kAnd, kOr, kXor, kSum, kMin, kMax };
  const uint8_t operation = (*step.in)[Field::Operation];
  const bool is_signed = (*step.in)[Field::Signed];
  uint32_t value = from[std::countr_zero(mask)];
  for (uint32_t lanes = mask & (mask - 1); lanes; lanes &= lanes - 1) {
    const uint32_t other = from[std::countr_zero(lanes)];
    const bool less = is_signed ? static_cast<int32_t>(other) < static_cast<int32_t>(value) : other < value;
    switch (operation) {
      case kAnd: value &= other; break;
      case kOr: value |= other; break;
      case kXor: value ^= other; break;
      case kSum: value += other; break;
      case kMin: value = less ? other : value; break;
      default: value = less ? value : other; break;
    }
  }
  std::fill_n(warp.written(step.d), kLanes, value);
}

/// BMOV: the lanes of a convergence barrier, to a register and back.
void move_sync(Warp& warp, const Step& step, uint32_t mask) {
  uint32_t& sync = warp.syncs[step.value0 & 15];
  if (step.in->opcode == Opcode::BMOV_B) {
    sync = warp.row(step.b.row)[std::countr_zero(mask)];
    return;
  }
  alignas(64) uint32_t result[kLanes];
  std::fill_n(result, kLanes, sync);
  commit(warp.written(step.d), result, mask);
  if ((*step.in)[Field::Mode]) sync = 0;
}

void barrier_result(Warp& warp, const Step& step, uint32_t mask) {  // B2R.RESULT, after BAR.RED
  alignas(64) uint32_t result[kLanes];
  std::fill_n(result, kLanes, warp.barrier_result);
  commit(warp.written(step.d), result, mask);
  commit_predicate(warp, step.p0, warp.barrier_result ? ~0u : 0, mask);
}

/// The values of Field::Type of an atomic.
enum NumberType : uint8_t { kU32, kS32, kU64, kF32, kF16x2, kS64, kF64 };

// What an atomic stores, from what is there and its operand.
uint64_t combined(uint8_t operation, uint8_t type, uint64_t old, uint64_t value) {
  enum Operation : uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange };
  const auto pick = [&](bool less) { return (operation == kMin) == less ? value : old; };
  switch (operation) {
    case kAdd:
      if (type == kF32)
        return std::bit_cast<uint32_t>(std::bit_cast<float>(static_cast<uint32_t>(old)) +
                                       std::bit_cast<float>(static_cast<uint32_t>(value)));
      if (type == kF64) return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(value));
      return old + value;
    case kMin:
    case kMax:
      if (type == kS32) return pick(static_cast<int32_t>(value) < static_cast<int32_t>(old));
      if (type == kS64) return pick(static_cast<int64_t>(value) < static_cast<int64_t>(old));
      return pick(value < old);
    case kInc: return old >= value ? 0 : old + 1;
    case kDec: return old == 0 || old > value ? value : old - 1;
    case kAnd: return old & value;
    case kOr: return old | value;
    case kXor: return old ^ value;
    default: return value;
  }
}

uint64_t word_pair(const uint32_t* rows, uint32_t lane, uint32_t bytes) {
  return bytes == 8 ? uint64_t{rows[kLanes + lane]} << 32 | rows[lane] : rows[lane];
}

// ATOM, ATOMG, RED, ATOMS and their compare-and-swap, lane after lane.
void atomic(Warp& warp, const Step& step, uint32_t mask) {
  const sass::Instruction& in = *step.in;
  const bool swaps = in.opcode == Opcode::ATOMG_CAS || in.opcode == Opcode::ATOM_CAS || in.opcode == Opcode::ATOMS_CAS;
  const bool counts = in.opcode == Opcode::ATOMS_POPC;                                    // One more for each lane.
  const bool says_whether = in.opcode == Opcode::ATOMS_CAS && in[Field::Operation] == 3;  // CAST.SPIN
  Access& access = new_access(warp, step.space, step.kind, step.bytes, mask);
  read_addresses(warp, step, in.address, step.space, access.addresses.data());
  const uint32_t *b = warp.row(step.b.row), *c = warp.row(step.c.row);
  alignas(64) uint32_t low[kLanes] = {}, high[kLanes] = {};
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    std::byte* at = memory_of(warp, step.space, l, access.addresses[l], step.bytes);
    if (!at) return;
    if (is_global(step.space, access.addresses[l])) warp.block->before_store(at, step.bytes);
    uint64_t old = 0;
    std::memcpy(&old, at, step.bytes);
    const uint64_t value = counts ? 1 : word_pair(b, l, step.bytes);
    const bool equal = old == value;
    const bool floats = in.opcode == Opcode::RED_FP || in.opcode == Opcode::ATOMG_FP;
    const uint8_t type = !floats ? in[Field::Type] : step.bytes == 8 ? uint8_t{kF64} : uint8_t{kF32};
    const uint64_t stored = swaps    ? (equal ? word_pair(c, l, step.bytes) : old)
                            : counts ? old + value
                                     : combined(in[Field::Operation], type, old, value);
    std::memcpy(at, &stored, step.bytes);
    low[l] = says_whether ? equal : static_cast<uint32_t>(old);
    high[l] = says_whether ? 0 : static_cast<uint32_t>(old >> 32);
  }
  if (in.d.kind == sass::Operand::Kind::None) return;
  commit(warp.written(step.d), low, mask);
  if (step.bytes == 8) commit(warp.written(step.d_high), high, mask);
  commit_predicate(warp, step.p0, ~0u, mask);
}
bool atomic_is_executed(const sass::Instruction& in) {
  if (in.opcode == Opcode::ATOMS) return in[Field::Operation] <= 8;
  if (in.opcode == Opcode::RED_FP || in.opcode == Opcode::ATOMG_FP) return in[Field::Operation] == 0;
  return in[Field::Type] != kF16x2;
}

}  // namespace

Handler select_exchange(const Step& step) {
  switch (step.in->opcode) {
    case Opcode::SHFL: return &shuffle;
    case Opcode::VOTE:
    case Opcode::VOTEU: return &vote;
    case Opcode::R2UR: return &to_uniform;
    case Opcode::ELECT: return &elect;
    case Opcode::MATCH: return &match;
    case Opcode::REDUX: return &reduce;
    case Opcode::BMOV_R:
    case Opcode::BMOV_B: return step.value0 < 16 ? &move_sync : nullptr;
    case Opcode::B2R: return (*step.in)[Field::Mode] == 2 ? &barrier_result : nullptr;
    case Opcode::ATOM:
    case Opcode::ATOMG:
    case Opcode::RED:
    case Opcode::ATOMS:
    case Opcode::ATOMS_POPC:
    case Opcode::ATOM_CAS:
    case Opcode::ATOMG_CAS:
    case Opcode::ATOMS_CAS:
    case Opcode::RED_FP:
    case Opcode::ATOMG_FP: return atomic_is_executed(*step.in) ? &atomic : nullptr;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
