#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "machine/general.h"

namespace tilescope::machine {

std::byte* Block::Impl::at_global(uint64_t address, uint32_t bytes) {
  if (address - global.base < global.bytes && global.bytes - (address - global.base) >= bytes)
    return global.host + (address - global.base);
  emulator::GlobalMemory& memory = *launched->memory;
  if (const int found = memory.find(address, bytes); found >= 0) {
    const Allocation& allocation = memory.allocations()[static_cast<size_t>(found)];
    global = {allocation.base, allocation.bytes, memory.bytes(found).data()};
  } else if (const auto block = memory.heap_block(address, bytes); block.base != 0) {
    global = {block.base, block.bytes.size(), block.bytes.data()};
  } else {
    return nullptr;
  }
  return global.host + (address - global.base);
}

using sass::Field;
using sass::Opcode;

Access& new_access(Warp& warp, Space space, AccessKind kind, uint32_t bytes, uint32_t lanes) {
  Access& access = warp.issue->access[warp.issue->accesses++];
  access.space = space;
  access.kind = kind;
  access.bytes = static_cast<uint8_t>(bytes);
  access.lanes = lanes;
  access.rank = Access::kOwnBlock;
  return access;
}

void name_space(const Warp& warp, Access& access) {
  if (access.space != Space::Generic || access.lanes == 0) return;
  const uint64_t first = access.addresses[static_cast<size_t>(std::countr_zero(access.lanes))];
  access.space = first >> 32 == kSharedWindow  ? Space::Shared
                 : first >> 32 == kLocalWindow ? Space::Local
                                               : Space::Global;
  if (access.space == Space::Global) return;
  if (access.space == Space::Local) {
    for (uint64_t& address : access.addresses) address &= ~uint32_t{0};
    return;
  }
  const uint64_t rank = (first & ~uint32_t{0}) >> kRankShift;
  if (rank != warp.block->rank) access.rank = static_cast<int>(rank);
  for (uint64_t& address : access.addresses) address &= kSharedOffset;
}

void read_addresses(const Warp& warp, const Step& step, const sass::Address& address, Space space, uint64_t* to) {
  const Program::Impl& program = warp.launched->program->impl();
  const bool none = address.base == sass::kZeroRegister;
  const uint32_t* base = warp.row(none ? program.zero_row() : address.base);
  const bool adds_uniform = address.has_uniform && !address.descriptor;
  uint64_t add = static_cast<uint64_t>(int64_t{address.offset});
  if (space == Space::Global || space == Space::Generic) {
    if (adds_uniform)
      add += uint64_t{warp.row(program.uniform_row(address.uniform + 1u))[0]} << 32 |
             warp.row(program.uniform_row(address.uniform))[0];
    const uint32_t* high = none || !address.wide ? warp.row(program.zero_row()) : base + kLanes;
    for (uint32_t l = 0; l < kLanes; ++l) to[l] = (uint64_t{high[l]} << 32 | base[l]) + add;
    return;
  }
  if (adds_uniform) add += warp.row(program.uniform_row(address.uniform))[0];
  const uint32_t scale = (*step.in)[Field::Stride] == 0 ? 0 : (*step.in)[Field::Stride] + 1;
  const auto added = static_cast<uint32_t>(add);
  for (uint32_t l = 0; l < kLanes; ++l) to[l] = (base[l] << scale) + added;
}

std::byte* memory_of(Warp& warp, Space space, uint32_t lane, uint64_t address, uint32_t bytes) {
  Block::Impl* block = warp.block;
  std::byte* at = nullptr;
  if (space == Space::Generic && address >> 32 == kSharedWindow) {
    space = Space::Shared;
    address &= ~uint32_t{0};
    block = block->of_rank(static_cast<uint32_t>(address >> kRankShift));
  }
  if (space == Space::Generic && address >> 32 == kLocalWindow) {
    space = Space::Local;
    address &= ~uint32_t{0};
  }
  const uint64_t offset = address & kSharedOffset;
  if ((address & (bytes - 1)) == 0 && block) {
    if (space == Space::Global || space == Space::Generic)
      at = block->at_global(address, bytes);
    else if (space == Space::Shared)
      at = offset + bytes <= block->shared.size() ? block->shared.data() + offset : nullptr;
    else
      at = address + bytes <= warp.launched->local_bytes
               ? warp.local.data() + lane * size_t{warp.launched->local_bytes} + address
               : nullptr;
  }
  if (!at)
    warp.block->fail(warp, lane, address,
                     address & (bytes - 1) ? Message("an address that is not a multiple of the access's size")
                                           : Message("an access outside of every array"));
  return at;
}

const std::byte* constant_or_global(Warp& warp, uint64_t address, uint32_t bytes) {
  const uint64_t offset = address - kParameterWindow;
  const std::vector<uint8_t>& bank = warp.launched->banks[0];
  const uint64_t at = warp.launched->program->impl().parameter_offset + offset;
  if (offset < bank.size() && at + bytes <= bank.size()) return reinterpret_cast<const std::byte*>(bank.data() + at);
  return warp.block->at_global(address, bytes);
}

namespace {

/// Where the lanes' addresses lead when they all lead into one run of memory, as nearly always: the host's address of
/// address 0 there. Null where they do not, or where one is bad.
std::byte* common_memory(Warp& warp, Space space, const uint64_t* addresses, uint32_t bytes, uint32_t mask) {
  uint64_t least = ~uint64_t{0}, most = 0, bits = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t keep = 0 - uint64_t{mask >> l & 1};
    least = std::min(least, addresses[l] | ~keep);
    most = std::max(most, addresses[l] & keep);
    bits |= addresses[l] & keep;
  }
  if (bits & (bytes - 1)) return nullptr;
  Block::Impl& block = *warp.block;
  if (space == Space::Shared) {
    const uint64_t rank = least & ~kSharedOffset;
    return (most & ~kSharedOffset) == rank && (most & kSharedOffset) + bytes <= block.shared.size()
               ? block.shared.data() - rank
               : nullptr;
  }
  if (space != Space::Global) return nullptr;
  const std::byte* first = block.at_global(least, bytes);
  return first && most - block.global.base <= block.global.bytes - bytes ? block.global.host - block.global.base
                                                                         : nullptr;
}

template <class Word>
void load_words(uint32_t* row, const std::byte* memory, const uint64_t* addresses, uint32_t offset, uint32_t mask) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1)) continue;
    Word value;
    std::memcpy(&value, memory + addresses[l] + offset, sizeof value);
    row[l] = static_cast<uint32_t>(static_cast<std::conditional_t<std::is_signed_v<Word>, int32_t, uint32_t>>(value));
  }
}
/// One of the row's words of `size` (a value of Field::Size) from every lane's memory.
void load_row(uint32_t* row, const std::byte* memory, const uint64_t* addresses, uint32_t offset, uint8_t size,
              uint32_t mask) {
  switch (size) {
    case 0: load_words<uint8_t>(row, memory, addresses, offset, mask); break;
    case 1: load_words<int8_t>(row, memory, addresses, offset, mask); break;
    case 2: load_words<uint16_t>(row, memory, addresses, offset, mask); break;
    case 3: load_words<int16_t>(row, memory, addresses, offset, mask); break;
    default: load_words<uint32_t>(row, memory, addresses, offset, mask); break;
  }
}

void load(Warp& warp, const Step& step, uint32_t mask) {
  Access& access = new_access(warp, step.space, AccessKind::Load, step.bytes, mask);
  const uint64_t* addresses = access.addresses.data();
  read_addresses(warp, step, step.in->address, step.space, access.addresses.data());
  if (step.in->d.index == sass::kZeroRegister) return;
  const uint32_t words = step.bytes <= 4 ? 1 : step.bytes / 4;
  const uint8_t size = (*step.in)[Field::Size];
  uint32_t* rows = warp.written(step.d);
  const bool moves = warp.block->moves(step);
  if (const std::byte* memory = common_memory(warp, step.space, addresses, step.bytes, mask)) {
    for (uint32_t w = 0; moves && w < words; ++w) load_row(rows + w * kLanes, memory, addresses, w * 4, size, mask);
    return;
  }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    const std::byte* at = memory_of(warp, step.space, l, addresses[l], step.bytes);
    if (!at) return;
    for (uint32_t w = 0; moves && w < words; ++w)
      load_row(rows + w * kLanes, at - addresses[l], addresses, w * 4, size, lanes & (0 - lanes));
  }
}

void store_row(const uint32_t* row, std::byte* memory, const uint64_t* addresses, uint32_t offset, uint32_t bytes,
               uint32_t mask) {
  for (uint32_t l = 0; l < kLanes; ++l)
    if (mask >> l & 1) std::memcpy(memory + addresses[l] + offset, &row[l], bytes);
}

void store(Warp& warp, const Step& step, uint32_t mask) {
  Access& access = new_access(warp, step.space, AccessKind::Store, step.bytes, mask);
  const uint64_t* addresses = access.addresses.data();
  read_addresses(warp, step, step.in->address, step.space, access.addresses.data());
  const Program::Impl& program = warp.launched->program->impl();
  const uint32_t words = step.bytes <= 4 ? 1 : step.bytes / 4;
  const auto store_lanes = [&](std::byte* memory, uint32_t lanes) {
    for (uint32_t w = 0; w < words; ++w) {
      const uint32_t* row = warp.row(register_row(program, step.in->b.index, w));
      if (step.bytes == 1)
        store_row(row, memory, addresses, 0, 1, lanes);
      else if (step.bytes == 2)
        store_row(row, memory, addresses, 0, 2, lanes);
      else
        store_row(row, memory, addresses, w * 4, 4, lanes);
    }
  };
  const Block::Impl& block = *warp.block;
  if (std::byte* memory = common_memory(warp, step.space, addresses, step.bytes, mask)) {
    if (!block.moves(step)) return;
    for (uint32_t lanes = step.space == Space::Global && block.launched->old ? mask : 0; lanes; lanes &= lanes - 1)
      block.before_store(memory + addresses[std::countr_zero(lanes)], step.bytes);
    store_lanes(memory, mask);
    return;
  }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    std::byte* at = memory_of(warp, step.space, l, addresses[l], step.bytes);
    if (!at) return;
    if (!block.moves(step)) continue;
    if (is_global(step.space, addresses[l])) block.before_store(at, step.bytes);
    store_lanes(at - addresses[l], lanes & (0 - lanes));
  }
}

/// LDGSTS. The copy lands at once; a kernel whose waits are right cannot tell.
void copy_to_shared(Warp& warp, const Step& step, uint32_t mask) {
  Access& read = new_access(warp, Space::Global, AccessKind::Load, step.bytes, mask);
  Access& written = new_access(warp, Space::Shared, AccessKind::Store, step.bytes, mask);
  read_addresses(warp, step, step.in->from, Space::Global, read.addresses.data());
  read_addresses(warp, step, step.in->address, Space::Shared, written.addresses.data());
  const uint32_t filled = warp.predicates[step.q0] ^ step.q0_flip;  // The others are filled with zeros.
  read.lanes = mask & filled;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    std::byte* to = memory_of(warp, Space::Shared, l, written.addresses[l], step.bytes);
    if (!to) return;
    const bool is_filled = filled >> l & 1;
    const std::byte* from = is_filled ? memory_of(warp, Space::Global, l, read.addresses[l], step.bytes) : nullptr;
    if (is_filled && !from) return;
    if (!warp.block->moves(step)) continue;
    if (from)
      std::memcpy(to, from, step.bytes);
    else
      std::memset(to, 0, step.bytes);
  }
}

void load_constant(Warp& warp, const Step& step, uint32_t mask) {  // LDC, ULDC
  const sass::Instruction& in = *step.in;
  constexpr uint32_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  const uint8_t size = in[Field::Size];
  const uint32_t bytes = kBytes[size];
  const Program::Impl& program = warp.launched->program->impl();
  const uint32_t* index =
      warp.row(in.b.indexed_by_uniform ? program.uniform_row(in.b.index) : register_row(program, in.b.index, 0));
  if (in.b.index == sass::kZeroRegister && !in.b.indexed_by_uniform) index = warp.row(program.zero_row());
  for (uint32_t rest = mask; rest != 0; ++warp.issue->constants) {
    const uint32_t first = index[std::countr_zero(rest)];
    for (uint32_t l = 0; l < kLanes; ++l) rest &= ~(uint32_t{index[l] == first} << l);
  }
  const uint32_t words = bytes <= 4 ? 1 : bytes / 4;
  for (uint32_t w = 0; w < words; ++w) {
    alignas(64) uint32_t result[kLanes];
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (l > 0 && index[l] == index[l - 1]) {
        result[l] = result[l - 1];
        continue;
      }
      uint32_t value = warp.launched->constant(in.b.bank, int64_t{static_cast<int32_t>(index[l])} + in.b.offset + w * 4,
                                               bytes < 4 ? bytes : 4);
      if (size == 1) value = static_cast<uint32_t>(int32_t{static_cast<int8_t>(value)});
      if (size == 3) value = static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
      result[l] = value;
    }
    commit(warp.written(step.d + w), result, mask);
  }
}

// Numbers of special registers.
enum SpecialRegister : uint32_t {
  kLaneId = 0,
  kVirtualId = 3,  // The warp's number from bit 8 on.
  kVirtualSm = 67,
  kTidX = 33,
  kTidY = 34,
  kTidZ = 35,
  kCtaidX = 37,
  kCtaidY = 38,
  kCtaidZ = 39,
  kEqMask = 56,
  kLtMask = 57,
  kLeMask = 58,
  kGtMask = 59,
  kGeMask = 60,
  kSharedWindowHigh = 47,
  kClusterCtaId = 136,
  kClockLow = 80,
  kClockHigh = 81,
  kTimeLow = 82,
  kTimeHigh = 83,
  kZero = 255,
};

/// Nanoseconds, of which the hardware counts 32 at a time.
uint64_t time_of(const Warp& warp) {
  constexpr uint64_t kTick = 32;
  const double rate = warp.launched->clocks_per_nanosecond;
  return static_cast<uint64_t>(static_cast<double>(warp.block->clock) / rate) / kTick * kTick;
}

void read_special(Warp& warp, const Step& step, uint32_t mask) {  // S2R, S2UR, CS2R
  const emulator::Launch& launch = *warp.launched->launch;
  const Dim3& at = warp.block->position;
  alignas(64) uint32_t result[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint32_t thread = warp.index * kLanes + l;
    switch (step.value0) {
      case kLaneId: result[l] = l; break;
      case kVirtualId: result[l] = warp.index << 8; break;
      case kVirtualSm: result[l] = static_cast<uint32_t>(warp.block->index % std::max(1U, launch.sms)); break;
      case kTidX: result[l] = thread % launch.block.x; break;
      case kTidY: result[l] = thread / launch.block.x % launch.block.y; break;
      case kTidZ: result[l] = thread / launch.block.x / launch.block.y; break;
      case kCtaidX: result[l] = at.x; break;
      case kCtaidY: result[l] = at.y; break;
      case kCtaidZ: result[l] = at.z; break;
      case kEqMask: result[l] = 1u << l; break;
      case kLtMask: result[l] = (1u << l) - 1; break;
      case kLeMask: result[l] = (2u << l) - 1; break;
      case kGtMask: result[l] = ~((2u << l) - 1); break;
      case kGeMask: result[l] = ~((1u << l) - 1); break;
      case kSharedWindowHigh: result[l] = kSharedWindow; break;
      case kClusterCtaId: result[l] = warp.block->rank; break;
      case kClockLow: result[l] = static_cast<uint32_t>(warp.block->clock); break;
      case kClockHigh: result[l] = static_cast<uint32_t>(warp.block->clock >> 32); break;
      case kTimeLow: result[l] = static_cast<uint32_t>(time_of(warp)); break;
      case kTimeHigh: result[l] = static_cast<uint32_t>(time_of(warp) >> 32); break;
      default: result[l] = 0; break;
    }
  }
  commit(warp.written(step.d), result, step.in->d.is_uniform() ? ~0u : mask);
  if (step.in->opcode == Opcode::CS2R && (*step.in)[Field::Size]) {
    alignas(64) uint32_t high[kLanes] = {};
    if (step.value0 == kClockLow) std::fill_n(high, kLanes, static_cast<uint32_t>(warp.block->clock >> 32));
    if (step.value0 == kTimeLow) std::fill_n(high, kLanes, static_cast<uint32_t>(time_of(warp) >> 32));
    commit(warp.written(step.d_high), high, mask);
  }
}
bool special_is_known(uint32_t number) {
  switch (number) {
    case kLaneId:
    case kVirtualId:
    case kVirtualSm:
    case kTidX:
    case kTidY:
    case kTidZ:
    case kCtaidX:
    case kCtaidY:
    case kCtaidZ:
    case kEqMask:
    case kLtMask:
    case kLeMask:
    case kGtMask:
    case kGeMask:
    case kSharedWindowHigh:
    case kClusterCtaId:
    case kClockLow:
    case kClockHigh:
    case kTimeLow:
    case kTimeHigh:
    case kZero: return true;
    default: return false;
  }
}

void nothing(Warp&, const Step&, uint32_t) {}

/// A function of the driver. What printf prints is not printed here.
void call_driver(Warp& warp, const Step& step, uint32_t mask) {
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t address = uint64_t{warp.row(step.a.high)[l]} << 32 | warp.row(step.a.row)[l];
    if (address == kPrintAddress) continue;
    warp.block->fail(warp, l, address, Message("a failed assert or another call of the driver"));
    return;
  }
}
void trap(Warp& warp, const Step&, uint32_t mask) {
  warp.block->fail(warp, static_cast<uint32_t>(std::countr_zero(mask)), 0, Message("a trap"));
}
void code_address(Warp& warp, const Step& step, uint32_t mask) {  // LEPC
  alignas(64) uint32_t low[kLanes], high[kLanes] = {};
  const bool is_own = step.in->opcode == Opcode::LEPC_OWN;
  std::fill_n(low, kLanes, step.in->offset + (is_own ? 0 : sass::kInstructionBytes + step.value0));
  commit(warp.written(step.d), low, mask);
  commit(warp.written(step.d_high), high, mask);
}

}  // namespace

Handler select_general(const Step& step) {
  switch (step.in->opcode) {
    case Opcode::LDG:
    case Opcode::LD:
    case Opcode::LDS:
    case Opcode::LDL: return &load;
    case Opcode::STG:
    case Opcode::ST:
    case Opcode::STS:
    case Opcode::STL: return &store;
    case Opcode::LDGSTS: return &copy_to_shared;
    case Opcode::LDC: return (*step.in)[Field::Mode] == 0 ? &load_constant : nullptr;
    case Opcode::ULDC: return &load_constant;
    case Opcode::S2R:
    case Opcode::S2UR:
    case Opcode::CS2R: return special_is_known(step.value0) ? &read_special : nullptr;
    case Opcode::CALL_ABS: return &call_driver;
    case Opcode::BPT: return &trap;
    case Opcode::LEPC:
    case Opcode::LEPC_OWN: return &code_address;
    // The flow does all of these.
    case Opcode::BRA:
    case Opcode::BRA_DIV:
    case Opcode::BSSY:
    case Opcode::BSYNC:
    case Opcode::BREAK:
    case Opcode::EXIT:
    case Opcode::WARPSYNC:
    case Opcode::BAR:
    case Opcode::YIELD:
    case Opcode::NANOSLEEP:
    case Opcode::UCGABAR_WAIT:
    case Opcode::CALL_REL:
    case Opcode::CALL_REL_R:
    case Opcode::RET_REL:
    case Opcode::BRX:
    case Opcode::BRXU: return &nothing;
    // Copies have landed, and memory is always in order.
    case Opcode::NOP:
    case Opcode::LDGDEPBAR:
    case Opcode::DEPBAR:
    case Opcode::MEMBAR:
    case Opcode::ERRBAR:
    case Opcode::CGAERRBAR:
    case Opcode::CCTL:
    case Opcode::FENCE_VIEW_ASYNC:
    case Opcode::ENDCOLLECTIVE:
    case Opcode::SYNCS_CCTL:
    case Opcode::UTMACCTL:
    case Opcode::UTMACMDFLUSH:
    case Opcode::WARPGROUP:
    case Opcode::PREEXIT:
    case Opcode::ACQBULK: return &nothing;
    default: break;
  }
  for (const auto select : {&select_conversion, &select_exchange, &select_tensor, &select_async})
    if (const Handler handler = select(step)) return handler;
  return nullptr;
}

}  // namespace tilescope::machine
