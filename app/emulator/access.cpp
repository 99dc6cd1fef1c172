// Loads, stores and atomics of every form, lane by lane: partial masks, generic addresses, faults.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulator/block.h"
#include "emulator/scalar.h"

namespace tilescope::emulator {
namespace {

using trace::AccessKind;
using trace::FaultKind;
using trace::kLanes;

Space resolve(Space space, uint64_t& address) {
  if (space != Space::Generic) return space;
  const auto in_window = [&](uint64_t base) { return address >= base && address - base < kWindowBytes; };
  const auto take = [&](uint64_t base, Space found) {
    address -= base;
    return found;
  };
  if (in_window(kSharedWindow)) return take(kSharedWindow, Space::Shared);
  if (in_window(kLocalWindow)) return take(kLocalWindow, Space::Local);
  if (in_window(kParamWindow)) return take(kParamWindow, Space::Param);
  return Space::Global;
}

std::byte* inside(std::byte* host, uint64_t extent, uint64_t address, uint64_t bytes) {
  return bytes <= extent && address <= extent - bytes ? host + address : nullptr;
}

// A load only reads; any other access to memory may write it.
uint8_t touch_of(ptx::Op op) {
  const bool only_reads = ptx::class_of(op) == ptx::OpClass::Load || op == ptx::Op::CpAsync;
  return only_reads ? kTouchRead : kTouchRead | kTouchWritten;
}

// The slow path: the instruction touches another allocation than last time.
std::byte* global_host(Warp& warp, uint32_t pc, uint64_t address, uint64_t bytes) {
  Window& window = warp.global[pc];
  if (std::byte* host = inside(window.host, window.bytes, address - window.base, bytes)) return host;
  GlobalMemory& memory = warp.block->memory;
  if (const int index = memory.find(address, bytes); index >= 0) {
    const Allocation& allocation = memory.allocations()[static_cast<size_t>(index)];
    warp.block->touched[static_cast<size_t>(index)] |= touch_of(warp.block->program.code[pc].text->op);
    window = {allocation.base, allocation.bytes, memory.bytes(index).data()};
  } else if (const GlobalMemory::HeapBlock block = memory.heap_block(address, bytes); block.base != 0) {
    window = {block.base, block.bytes.size(), block.bytes.data()};
  } else {
    return nullptr;
  }
  return window.host + (address - window.base);
}

void load_lane(Warp& warp, const DecodedInstruction& in, const std::byte* host, uint32_t lane) {
  for (uint32_t v = 0; v < in.vector; ++v)
    write_row_lane(warp.file + in.rows[v], in.lane_size, lane,
                   read_memory(host + v * in.size, in.size, in.sign_extend));
}

void store_lane(const Warp& warp, const DecodedInstruction& in, std::byte* host, uint32_t lane) {
  for (uint32_t v = 0; v < in.vector; ++v)
    std::memcpy(host + v * in.size, warp.file + in.source_rows[v] + lane * in.lane_size, in.size);
}

void atomic_lane(Warp& warp, const DecodedInstruction& in, Space space, std::byte* host, uint32_t lane) {
  for (uint32_t v = 0; v < in.vector; ++v) {
    const Wide old = read_memory(host + v * in.size, in.size, false);
    const Wide b = read_memory(warp.file + in.source_rows[v] + lane * in.lane_size, in.size, false);
    const Wide c = read_memory(warp.file + in.source[2] + lane * in.lane_size, in.size, false);
    const Wide result = atomic_result(*in.text, space, old, b, c);
    std::memcpy(host + v * in.size, &result, in.size);
    if (in.access == AccessKind::Atomic) write_row_lane(warp.file + in.rows[v], in.lane_size, lane, old);
  }
}

// A load that faults reads zeros, so that the run can go on to the next finding.
void zero_lane(Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  if (in.access != AccessKind::Load && in.access != AccessKind::Atomic) return;
  for (uint8_t v = 0; v < in.vector; ++v) write_row_lane(warp.file + in.rows[v], in.lane_size, lane, 0);
}

void access_lane(Warp& warp, const DecodedInstruction& in, Space space, std::byte* host, uint32_t lane) {
  switch (in.access) {
    case AccessKind::Load: return load_lane(warp, in, host, lane);
    case AccessKind::Store: return store_lane(warp, in, host, lane);
    default: return atomic_lane(warp, in, space, host, lane);
  }
}

}  // namespace

void lane_addresses(const Warp& warp, const DecodedInstruction& in, uint64_t* addresses) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    const uint64_t base = read_lane(warp.file + in.source[0], in.address_size, l);
    const uint64_t sum = base + static_cast<uint64_t>(in.offset);
    addresses[l] = in.address_size == 4 ? sum & 0xffffffffu : sum;
  }
}

void place_lanes(Warp& warp, const DecodedInstruction& in, uint64_t bytes, uint32_t mask, LanePlaces& lanes) {
  uint32_t misaligned = 0, out_of_bounds = 0;
  Space bad_space = Space::Global;
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    const bool aligned = lanes.address[l] % bytes == 0;
    const Place place = place_of(warp, in.pc, in.space, lanes.address[l], l, bytes);
    lanes.address[l] = place.address;
    lanes.host[l] = aligned ? place.host : nullptr;
    if (lanes.host[l]) {
      lanes.by_space[static_cast<size_t>(place.space)] |= 1u << l;
      continue;
    }
    bad_space = place.space;
    (aligned ? out_of_bounds : misaligned) |= 1u << l;
  }
  const auto report = [&](FaultKind kind, uint32_t bad) {
    fault_lanes(warp, in, kind, in.access, bad_space, static_cast<uint8_t>(bytes), mask, bad, lanes.address);
  };
  report(FaultKind::Misaligned, misaligned);
  report(FaultKind::OutOfBounds, out_of_bounds);
}

void publish_each_space(Warp& warp, const DecodedInstruction& in, const LanePlaces& lanes,
                        const uint8_t (*values)[16]) {
  for (const Space space : {Space::Global, Space::Shared, Space::Local, Space::Const}) {
    const uint32_t there = lanes.by_space[static_cast<size_t>(space)];
    if (!there) continue;
    DecodedInstruction resolved = in;
    resolved.space = space;
    publish(warp, resolved, there, lanes.address, values);
  }
}

Place place_of(Warp& warp, uint32_t pc, Space space, uint64_t address, uint32_t lane, uint64_t bytes) {
  Place place;
  place.space = resolve(space, address);
  place.address = address;
  const Block& block = *warp.block;
  switch (place.space) {
    case Space::Shared:
      if (address >> trace::kRankShift) {
        Block* owner = owner_of(*warp.block, address);
        if (owner) place.host = inside(owner->shared.data(), owner->shared_bytes, address, bytes);
        break;
      }
      place.host = inside(warp.shared.host, warp.shared.bytes, address, bytes);
      if (!place.host && block.reserved_shared && address >= block.reserved_shared) {
        place.host = inside(warp.shared.host, block.shared.size(), address, bytes);
        if (place.host) place.space = Space::None;  // No array of the kernel's: not published.
      }
      break;
    case Space::Local:
      place.host =
          inside(warp.local + uint64_t{lane} * block.program.local_bytes, block.program.local_bytes, address, bytes);
      break;
    case Space::Param:
      place.host = inside(reinterpret_cast<std::byte*>(const_cast<uint8_t*>(block.launch.parameters.data())),
                          block.launch.parameters.size(), address, bytes);
      break;
    default: place.host = global_host(warp, pc, address, bytes);
  }
  return place;
}

void fault_lanes(Warp& warp, const DecodedInstruction& in, FaultKind kind, AccessKind access, Space space,
                 uint8_t bytes, uint32_t mask, uint32_t lanes, const uint64_t* addresses) {
  if (!warp.observer || !lanes) return;
  trace::Fault fault;
  fault.at = warp.step(in.pc, mask);
  fault.kind = kind;
  fault.space = space;
  fault.access = access;
  fault.bytes = bytes;
  fault.lanes = lanes;
  fault.addresses = addresses;
  warp.observer->fault(fault);
}

void AddressPattern::renew(const uint64_t* addresses) {
  int64_t lowest = 0, highest = 0;
  bits = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    distances[l] = addresses[l] - addresses[0];
    bits |= distances[l];
    lowest = std::min(lowest, static_cast<int64_t>(distances[l]));
    highest = std::max(highest, static_cast<int64_t>(distances[l]));
  }
  least = static_cast<uint64_t>(lowest);
  span = static_cast<uint64_t>(highest) - least;
  number = std::max(number + 1, 1u);
}

void publish(Warp& warp, const DecodedInstruction& in, uint32_t mask, const uint64_t* addresses,
             const uint8_t (*values)[16], uint32_t pattern) {
  trace::Access access;
  access.at = warp.step(in.pc, mask);
  access.kind = in.access;
  access.space = in.space;
  access.bytes = static_cast<uint8_t>(in.size * in.vector);
  access.is_volatile = in.is_volatile;
  access.addresses = addresses;
  access.values = values;
  access.pattern = pattern;
  warp.observer->access(access);
}

namespace {

template <size_t kSize>
void gather_stored(const Warp& warp, const DecodedInstruction& in, uint8_t (*values)[16]) {
  for (uint32_t v = 0; v < in.vector; ++v)
    for (uint32_t l = 0; l < kLanes; ++l)
      std::memcpy(values[l] + v * kSize, warp.file + in.source_rows[v] + l * in.lane_size, kSize);
}

}  // namespace

namespace {

// The first `size * vector` bytes of each lane.
void gather_values(const Warp& warp, const DecodedInstruction& in, uint8_t (*values)[16]) {
  switch (in.size) {
    case 1: return gather_stored<1>(warp, in, values);
    case 2: return gather_stored<2>(warp, in, values);
    case 4: return gather_stored<4>(warp, in, values);
    case 8: return gather_stored<8>(warp, in, values);
    default: return gather_stored<16>(warp, in, values);
  }
}

}  // namespace

void publish_store(Warp& warp, const DecodedInstruction& in, uint32_t mask, const uint64_t* addresses,
                   uint32_t pattern) {
  uint8_t values[kLanes][16];
  gather_values(warp, in, values);
  publish(warp, in, mask, addresses, values, pattern);
}

void slow_access(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  LanePlaces lanes;
  lane_addresses(warp, in, lanes.address);
  place_lanes(warp, in, uint64_t{in.size} * in.vector, mask, lanes);
  // Before the data moves: a load may overwrite its own address register.
  if (warp.observer) {
    uint8_t values[kLanes][16];
    const bool writes = in.access != AccessKind::Load;
    if (writes) gather_values(warp, in, values);
    publish_each_space(warp, in, lanes, writes ? values : nullptr);
  }
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    const bool is_shared = lanes.by_space[static_cast<size_t>(Space::Shared)] >> l & 1;
    if (lanes.host[l])
      access_lane(warp, in, is_shared ? Space::Shared : Space::Global, lanes.host[l], l);
    else
      zero_lane(warp, in, l);
  }
}

void copy_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  if (mask == trace::kAllLanes) {
    std::memcpy(warp.file + in.destination, warp.file + in.source[0], size_t{kLanes} * in.lane_size);
    return;
  }
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    std::memcpy(warp.file + in.destination + l * in.lane_size, warp.file + in.source[0] + l * in.lane_size,
                in.lane_size);
  }
}

void address_space_lanes(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  auto& predicate = *reinterpret_cast<uint32_t*>(warp.file + in.destination);
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    uint64_t address = read_lane(warp.file + in.source[0], 8, l);
    const Space found = resolve(Space::Generic, address);
    const bool is_const =
        found == Space::Global && warp.block->memory.find(address, 1) >= 0 &&
        warp.block->memory.allocations()[static_cast<size_t>(warp.block->memory.find(address, 1))].space ==
            Space::Const;
    const bool holds = in.text->space == (is_const ? Space::Const : found);
    predicate = (predicate & ~(1u << l)) | (holds ? 1u << l : 0);
  }
}

void nothing(Warp&, const DecodedInstruction&, uint32_t) {}

void request_yield(Warp& warp, const DecodedInstruction&, uint32_t) { warp.wants_yield = true; }

void read_clock(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  // Time passes with the instructions that the block issues; there is no other clock here.
  const ptx::Special special = in.text->operands[1].special;
  const bool high = special == ptx::Special::ClockHi || special == ptx::Special::GlobaltimerHi;
  const uint64_t now = warp.block->steps - warp.steps + warp.step_base + in.pc;
  for (uint32_t m = mask; m; m &= m - 1)
    write_lane(warp.file + in.destination, in.lane_size, static_cast<uint32_t>(std::countr_zero(m)),
               high ? now >> 32 : now);
}

void fence(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  if (warp.observer) warp.observer->sync({warp.step(in.pc, mask), trace::SyncKind::Fence, 0, 0});
}

}  // namespace tilescope::emulator
