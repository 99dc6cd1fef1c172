// Instructions whose lanes look at each other, and atomics.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "emulator/scalar.h"
#include "machine/general.h"
#include "ptx/opcode_table.h"
#include "sass/opcode_table.h"

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

/// The atom of PTX that it is; of several numbers, that of each.
ptx::Instruction as_ptx(const Step& step) {
  using ptx::AtomicOp, ptx::Type;
  constexpr Type kTypes[] = {Type::U32, Type::S32, Type::U64, Type::F32, Type::F16x2, Type::S64, Type::F64, Type::None},
                 kFloats[] = {Type::F16x2, Type::F16x2, Type::F16x2, Type::BF16x2, Type::BF16x2, Type::BF16x2,
                              Type::None,  Type::None,  Type::None,  Type::F32,    Type::F32,    Type::F32,
                              Type::None,  Type::None,  Type::None,  Type::F64};
  constexpr AtomicOp kOperations[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Inc, AtomicOp::Dec,
                                      AtomicOp::And, AtomicOp::Or,  AtomicOp::Xor, AtomicOp::Exch};
  const uint8_t type = (*step.in)[Field::Type], operation = (*step.in)[Field::Operation];
  ptx::Instruction atom;
  switch (step.in->opcode) {
    case Opcode::ATOM_CAS:
    case Opcode::ATOMG_CAS:
    case Opcode::ATOMS_CAS:
      atom.atomic = AtomicOp::Cas;
      atom.type = step.bytes == 8 ? Type::B64 : Type::B32;
      break;
    case Opcode::ATOM_FP:
    case Opcode::ATOMG_FP:
    case Opcode::RED_FP:
      atom.atomic = AtomicOp::Add;
      atom.type = kFloats[type];
      break;
    case Opcode::ATOMS_POPC:
      atom.atomic = AtomicOp::Add;
      atom.type = Type::U32;
      break;
    default:
      atom.atomic = kOperations[operation];
      atom.type = kTypes[type];
      break;
  }
  return atom;
}

// ATOM, ATOMG, RED, ATOMS and their compare-and-swap, lane after lane.
void atomic(Warp& warp, const Step& step, uint32_t mask) {
  constexpr uint32_t kMostWords = 4;
  const sass::Instruction& in = *step.in;
  const ptx::Instruction atom = as_ptx(step);
  const uint32_t size = ptx::size_of(atom.type);
  const bool counts = in.opcode == Opcode::ATOMS_POPC;                                       // One more for each lane.
  const bool says_whether = atom.atomic == ptx::AtomicOp::Cas && in[Field::Operation] == 3;  // CAST.SPIN
  Access& access = new_access(warp, step.space, step.kind, step.bytes, mask);
  read_addresses(warp, step, in.address, step.space, access.addresses.data());
  const Program::Impl& program = warp.launched->program->impl();
  const auto words_of = [&](const sass::Operand& operand, uint32_t lane, uint32_t offset) {
    emulator::Wide words = 0;
    for (uint32_t w = 0; w < size / 4; ++w)
      words |= emulator::Wide{warp.row(register_row(program, operand.index, offset / 4 + w))[lane]} << 32 * w;
    return words;
  };
  const bool moves = warp.block->moves(step);
  alignas(64) uint32_t result[kMostWords][kLanes] = {};
  uint32_t done = mask;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    const bool in_global = is_global(step.space, access.addresses[l]);
    if (!in_global && step.space == Space::Generic && step.p0 != kLostPredicate) {
      done &= ~(1u << l);  // What shared memory has no atomic for is left to the loop behind it.
      continue;
    }
    std::byte* at = memory_of(warp, step.space, l, access.addresses[l], step.bytes);
    if (!at) return;
    if (!moves) continue;
    if (in_global) warp.block->before_store(at, step.bytes);
    for (uint32_t offset = 0; offset < step.bytes; offset += size) {
      const emulator::Wide old = emulator::read_memory(at + offset, size, false);
      const emulator::Wide value = counts ? 1 : words_of(in.b, l, offset);
      const emulator::Wide stored = emulator::atomic_result(atom, in_global ? Space::Global : Space::Shared, old, value,
                                                            words_of(in.c, l, offset));
      std::memcpy(at + offset, &stored, size);
      const emulator::Wide returned = says_whether ? emulator::Wide{old == value} : old;
      for (uint32_t w = 0; w < size / 4; ++w) result[offset / 4 + w][l] = static_cast<uint32_t>(returned >> 32 * w);
    }
  }
  if (in.d.kind == sass::Operand::Kind::None || !moves) return;
  for (uint32_t w = 0; w < step.bytes / 4u; ++w) commit(warp.written(step.d + w), result[w], done);
  commit_predicate(warp, step.p0, done, mask);
}
bool atomic_is_executed(const sass::Instruction& in) {
  return !sass::is_float_atomic(in.opcode) || in[Field::Operation] == 0;
}

void tell_space(Warp& warp, const Step& step, uint32_t mask) {  // QSPC
  enum Wanted : uint8_t { kGlobal, kLocal, kShared, kOfCluster };
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, step, step.in->address, Space::Generic, addresses.data());
  uint32_t is_there = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t window = addresses[l] >> 32, rank = (addresses[l] & ~uint32_t{0}) >> kRankShift;
    bool there = false;
    switch ((*step.in)[Field::Mode]) {
      case kLocal: there = window == kLocalWindow; break;
      case kShared: there = window == kSharedWindow && rank == warp.block->rank; break;
      case kOfCluster: there = window == kSharedWindow; break;
      default: there = is_global(Space::Generic, addresses[l]); break;
    }
    is_there |= static_cast<uint32_t>(there) << l;
  }
  commit_predicate(warp, step.p0, is_there, mask);
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
    case Opcode::ATOM_FP:
    case Opcode::ATOMG_FP: return atomic_is_executed(*step.in) ? &atomic : nullptr;
    case Opcode::QSPC: return step.in->d.index == sass::kZeroRegister ? &tell_space : nullptr;
    default: return nullptr;
  }
}

}  // namespace tilescope::machine
