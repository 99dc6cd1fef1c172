// Copies that land later, objects that count arrivals, and the matrix forms of shared-memory access.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "emulator/block.h"
#include "emulator/scalar.h"
#include "ptx/fragment.h"

namespace tilescope::emulator {
namespace {

using ptx::Op;
using trace::AccessKind;
using trace::FaultKind;
using trace::kLanes;
using trace::SyncKind;

uint64_t lane_address(const Warp& warp, uint32_t row, uint32_t lane_size, int64_t offset, uint32_t lane) {
  return read_lane(warp.file + row, lane_size, lane) + static_cast<uint64_t>(offset);
}

// Checks both sides of a copy; lanes that fail are published and left out.
struct CopySides {
  uint64_t source[kLanes] = {}, destination[kLanes] = {};
  uint32_t misaligned_source = 0, bad_source = 0, misaligned_destination = 0, bad_destination = 0;
  uint32_t bad() const { return misaligned_source | bad_source | misaligned_destination | bad_destination; }
};

uint8_t copied_bytes(const Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  if (in.text->operands.size() < 4) return in.size;
  if (in.ignore_source) {
    const uint32_t ignored = *reinterpret_cast<const uint32_t*>(warp.file + in.source[3]);
    return ((in.flip_predicate ? ~ignored : ignored) >> lane & 1) ? 0 : in.size;
  }
  return static_cast<uint8_t>(std::min<uint64_t>(read_lane(warp.file + in.source[3], 4, lane), in.size));
}

void place_lane(Warp& warp, const DecodedInstruction& in, uint32_t lane, PendingCopy& copy, CopySides& sides) {
  const uint32_t bit = 1u << lane;
  sides.destination[lane] = lane_address(warp, in.source[0], in.address_size, in.offset, lane);
  sides.source[lane] = lane_address(warp, in.source[1], in.address_size2, in.offset2, lane);
  copy.source_bytes[lane] = copied_bytes(warp, in, lane);
  if (sides.destination[lane] % in.size) sides.misaligned_destination |= bit;
  if (sides.source[lane] % in.size) sides.misaligned_source |= bit;
  const Place to = place_of(warp, in.pc, Space::Shared, sides.destination[lane], lane, in.size);
  if (!to.host) sides.bad_destination |= bit & ~sides.misaligned_destination;
  copy.destination[lane] = to.host;
  if (copy.source_bytes[lane] == 0) return;
  const Place from = place_of(warp, in.pc, Space::Global, sides.source[lane], lane, copy.source_bytes[lane]);
  if (!from.host) sides.bad_source |= bit & ~sides.misaligned_source;
  copy.source[lane] = from.host;
}

void publish_copy(Warp& warp, const DecodedInstruction& in, uint32_t lanes, const CopySides& sides) {
  DecodedInstruction side = in;
  side.vector = 1;
  side.access = AccessKind::AsyncCopyRead;
  side.space = Space::Global;
  publish(warp, side, lanes, sides.source, nullptr);
  side.access = AccessKind::AsyncCopyWrite;
  side.space = Space::Shared;
  publish(warp, side, lanes, sides.destination, nullptr);
}

void fault_copy(Warp& warp, const DecodedInstruction& in, uint32_t mask, const CopySides& sides) {
  const auto report = [&](FaultKind kind, AccessKind access, Space space, uint32_t lanes, const uint64_t* addresses) {
    fault_lanes(warp, in, kind, access, space, in.size, mask, lanes, addresses);
  };
  report(FaultKind::Misaligned, AccessKind::AsyncCopyRead, Space::Global, sides.misaligned_source, sides.source);
  report(FaultKind::OutOfBounds, AccessKind::AsyncCopyRead, Space::Global, sides.bad_source, sides.source);
  report(FaultKind::Misaligned, AccessKind::AsyncCopyWrite, Space::Shared, sides.misaligned_destination,
         sides.destination);
  report(FaultKind::OutOfBounds, AccessKind::AsyncCopyWrite, Space::Shared, sides.bad_destination, sides.destination);
}

void land(PendingCopy& copy, uint32_t lane) {
  std::memset(copy.destination[lane], 0, copy.bytes);
  if (copy.source_bytes[lane]) std::memcpy(copy.destination[lane], copy.source[lane], copy.source_bytes[lane]);
  copy.mask &= ~(1u << lane);
}

// Lands the copies of the lanes in `mask` that `is_due` picks.
template <class IsDue>
void land_due(Warp& warp, uint32_t mask, IsDue is_due) {
  for (PendingCopy& copy : warp.copies)
    for (uint32_t m = mask & copy.mask; m; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      if (is_due(copy, lane)) land(copy, lane);
    }
  std::erase_if(warp.copies, [](const PendingCopy& copy) { return copy.mask == 0; });
}

void publish_sync(Warp& warp, const DecodedInstruction& in, uint32_t mask, SyncKind kind, uint32_t id,
                  uint32_t amount = 0) {
  if (warp.observer) warp.observer->sync({warp.step(in.pc, mask), kind, id, mask, amount});
}

}  // namespace

void async_copy(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  PendingCopy copy;
  CopySides sides;
  copy.bytes = in.size;
  copy.step = warp.step_base + in.pc;
  copy.group.fill(PendingCopy::kUncommitted);
  for (uint32_t m = mask; m; m &= m - 1) place_lane(warp, in, static_cast<uint32_t>(std::countr_zero(m)), copy, sides);
  fault_copy(warp, in, mask, sides);
  copy.mask = mask & ~sides.bad();
  if (!copy.mask) return;
  if (warp.observer) publish_copy(warp, in, copy.mask, sides);
  warp.copies.push_back(copy);
}

void async_commit(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  for (PendingCopy& copy : warp.copies)
    for (uint32_t l = 0; l < kLanes; ++l)
      if (mask >> l & 1 && copy.group[l] == PendingCopy::kUncommitted) copy.group[l] = warp.committed_groups[l];
  for (uint32_t l = 0; l < kLanes; ++l) warp.committed_groups[l] += mask >> l & 1;
  publish_sync(warp, in, mask, SyncKind::CopyCommit, 0);
}

void async_wait(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const bool all = in.text->op == Op::CpAsyncWaitAll;
  const uint32_t in_flight = all ? 0 : static_cast<uint32_t>(in.text->operands[0].bits);
  land_due(warp, mask, [&](const PendingCopy& copy, uint32_t lane) {
    const uint32_t group = copy.group[lane];
    return all || (group != PendingCopy::kUncommitted && uint64_t{group} + in_flight < warp.committed_groups[lane]);
  });
  publish_sync(warp, in, mask, SyncKind::CopyWait, in_flight);
}

namespace {

// The mbarrier object as this emulator packs it into its 64 bits; PTX leaves the format open.
struct MbarrierObject {
  uint32_t expected = 0;     ///< Arrivals a phase needs; 20 bits.
  uint32_t pending = 0;      ///< Arrivals still missing in this phase; 20 bits.
  bool phase = false;        ///< Parity of the phase under way.
  int32_t transactions = 0;  ///< Bytes still expected; 21 bits with sign.

  static MbarrierObject unpack(uint64_t bits) {
    MbarrierObject object;
    object.expected = bits & 0xfffff;
    object.pending = bits >> 20 & 0xfffff;
    object.phase = bits >> 40 & 1;
    object.transactions = static_cast<int32_t>(static_cast<int64_t>(bits) >> 41);
    return object;
  }
  uint64_t pack() const {
    return uint64_t{expected & 0xfffff} | uint64_t{pending & 0xfffff} << 20 | uint64_t{phase} << 40 |
           static_cast<uint64_t>(int64_t{transactions}) << 41;
  }
  void complete_if_due() {
    if (pending != 0 || transactions != 0) return;
    phase = !phase;
    pending = expected;
  }
};

uint32_t operand_or(const Warp& warp, const DecodedInstruction& in, size_t operands_with_it, int source, uint32_t lane,
                    uint32_t fallback) {
  if (in.text->operands.size() < operands_with_it) return fallback;
  return static_cast<uint32_t>(read_lane(warp.file + in.source[source], 4, lane));
}

void arrive_on(const DecodedInstruction& in, MbarrierObject& object, uint32_t operand) {
  const uint32_t count = in.text->expect_tx ? 1 : operand;
  if (in.text->expect_tx) object.transactions += static_cast<int32_t>(operand);
  if (in.text->op == Op::MbarrierArriveDrop) object.expected -= count;
  object.pending -= count;
  if (!in.text->no_complete) object.complete_if_due();
}

// Parity of the phase that the waiter names.
bool awaited_phase(const Warp& warp, const DecodedInstruction& in, uint32_t lane) {
  if (in.text->parity) return read_lane(warp.file + in.source[1], 4, lane) & 1;
  return MbarrierObject::unpack(read_lane(warp.file + in.source[1], 8, lane)).phase;
}

// The sum over the lanes that use one object; see trace::Sync.
uint32_t amount_of(const Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
  uint32_t sum = 0;
  const auto add = [&](size_t operands_with_it, uint32_t fallback) {
    for (uint32_t m = lanes; m; m &= m - 1)
      sum += operand_or(warp, in, operands_with_it, 1, static_cast<uint32_t>(std::countr_zero(m)), fallback);
    return sum;
  };
  switch (in.text->op) {
    case Op::MbarrierInit: return operand_or(warp, in, 2, 1, first, 0);
    case Op::MbarrierInval: return 0;
    case Op::MbarrierExpectTx:
    case Op::MbarrierCompleteTx: return add(2, 0);
    case Op::MbarrierArrive:
    case Op::MbarrierArriveDrop: return add(3, 1);
    case Op::CpAsyncMbarrierArrive: return static_cast<uint32_t>(std::popcount(lanes));
    default: return awaited_phase(warp, in, first);
  }
}

// What one lane does to the object at `host`. Returns whether the lane has to wait.
bool mbarrier_lane(Warp& warp, const DecodedInstruction& in, std::byte* host, uint32_t lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, host, sizeof bits);
  MbarrierObject object = MbarrierObject::unpack(bits);
  bool waits = false;
  switch (in.text->op) {
    case Op::MbarrierInit:
      object = {};
      object.expected = object.pending = operand_or(warp, in, 2, 1, lane, 0);
      break;
    case Op::MbarrierInval: object = {}; break;
    case Op::MbarrierExpectTx: object.transactions += static_cast<int32_t>(operand_or(warp, in, 2, 1, lane, 0)); break;
    case Op::MbarrierCompleteTx:
      object.transactions -= static_cast<int32_t>(operand_or(warp, in, 2, 1, lane, 0));
      object.complete_if_due();
      break;
    case Op::MbarrierArrive:
    case Op::MbarrierArriveDrop:
      write_lane(warp.file + in.destination, 8, lane, bits);
      arrive_on(in, object, operand_or(warp, in, 3, 1, lane, 1));
      break;
    case Op::CpAsyncMbarrierArrive: object.pending += !in.text->no_inc; break;
    default: {                                                          // test_wait, try_wait
      const bool over = object.phase != awaited_phase(warp, in, lane);  // The object is in the other one.
      auto& predicate = *reinterpret_cast<uint32_t*>(warp.file + in.destination);
      predicate = (predicate & ~(1u << lane)) | static_cast<uint32_t>(over) << lane;
      waits = !over;
    }
  }
  bits = object.pack();
  std::memcpy(host, &bits, sizeof bits);
  return waits;
}

MbarrierObject object_at(const Block& block, uint64_t barrier) {
  uint64_t bits = 0;
  std::memcpy(&bits, block.shared.data() + barrier, sizeof bits);
  return MbarrierObject::unpack(bits);
}

void write_object(Block& block, uint64_t barrier, const MbarrierObject& object) {
  const uint64_t bits = object.pack();
  std::memcpy(block.shared.data() + barrier, &bits, sizeof bits);
}

// Completes the copies before a cp.async.mbarrier.arrive and lets its lanes arrive.
void land_arrival(Block& block, const PendingArrival& arrival) {
  Warp& warp = block.warps[arrival.at.warp];
  land_due(warp, arrival.lanes, [&](const PendingCopy& copy, uint32_t) { return copy.step < arrival.at.warp_step; });
  MbarrierObject object = object_at(block, arrival.barrier);
  object.pending -= static_cast<uint32_t>(std::popcount(arrival.lanes));
  object.complete_if_due();
  write_object(block, arrival.barrier, object);
  if (warp.observer) warp.observer->landed({arrival.at, arrival.barrier, false, block.number});
}

void land_transaction(Block& block, const PendingBulk& copy) {
  land_bulk(block, copy);
  MbarrierObject object = object_at(block, copy.barrier);
  object.transactions -= static_cast<int32_t>(copy.bytes);
  object.complete_if_due();
  write_object(block, copy.barrier, object);
  Warp& warp = block.warps[copy.at.warp];
  if (warp.observer) warp.observer->landed({copy.at, copy.barrier, true, block.number});
}

// A wait on an mbarrier completes the copies to it, in the order of issue, once nothing else is missing: as late as
// possible. Returns whether the phase is over then.
bool finish_phase(Block& block, uint64_t barrier) {
  const bool phase = object_at(block, barrier).phase;
  const auto is_over = [&] { return object_at(block, barrier).phase != phase; };
  const auto is_here = [&](const auto& pending) { return pending.barrier == barrier; };
  uint32_t on_their_way = 0;
  for (const PendingArrival& arrival : block.pending_arrivals)
    if (is_here(arrival)) on_their_way += static_cast<uint32_t>(std::popcount(arrival.lanes));
  if (object_at(block, barrier).pending > on_their_way) return false;
  const auto land_first = [&](auto& list, auto land) {
    const auto first = std::find_if(list.begin(), list.end(), is_here);
    if (first == list.end()) return false;
    const auto pending = std::move(*first);
    list.erase(first);
    land(block, pending);
    return true;
  };
  while (!is_over() && land_first(block.pending_arrivals, land_arrival)) continue;
  while (!is_over() && object_at(block, barrier).pending == 0 && land_first(block.bulk_copies, land_transaction))
    continue;
  return is_over();
}

// Once for the lanes at each object.
void publish_by_object(Warp& warp, const DecodedInstruction& in, uint32_t lanes, SyncKind kind,
                       const uint64_t* addresses) {
  for (uint32_t left = lanes; left;) {
    const uint64_t barrier = addresses[std::countr_zero(left)];
    uint32_t here = 0;
    for (uint32_t m = left; m; m &= m - 1)
      if (addresses[std::countr_zero(m)] == barrier) here |= m & ~(m - 1);
    left &= ~here;
    publish_sync(warp, in, here, kind, static_cast<uint32_t>(barrier), amount_of(warp, in, here));
  }
}

bool is_wait(Op op) { return op == Op::MbarrierTestWait || op == Op::MbarrierTryWait; }

// The lanes of cp.async.mbarrier.arrive arrive when their copies have landed.
void defer_arrivals(Warp& warp, const DecodedInstruction& in, uint32_t lanes, const uint64_t* addresses) {
  const trace::Step at = warp.step(in.pc, lanes);
  while (lanes) {
    const uint64_t barrier = addresses[std::countr_zero(lanes)];
    PendingArrival arrival{at, 0, static_cast<uint32_t>(barrier)};
    for (uint32_t m = lanes; m; m &= m - 1)
      if (addresses[std::countr_zero(m)] == barrier) arrival.lanes |= m & ~(m - 1);
    lanes &= ~arrival.lanes;
    warp.block->pending_arrivals.push_back(arrival);
  }
}

}  // namespace

Message missing_at(const Block& block, uint64_t barrier) {
  const MbarrierObject object = object_at(block, barrier);
  const auto pending = static_cast<int32_t>(object.pending << 12) >> 12;  // Past zero its 20 bits wrap.
  const auto arrivals = [&] {
    if (pending < 0) return pending == -1 ? Message("1 arrival too many") : Message("{} arrivals too many", -pending);
    return pending == 1 ? Message("1 arrival missing") : Message("{} arrivals missing", pending);
  };
  const auto bytes = [&] {
    if (object.transactions < 0) return Message("{} bytes too many", -object.transactions);
    return Message("{} bytes missing", object.transactions);
  };
  if (object.transactions == 0) return arrivals();
  return pending == 0 ? bytes() : Message("{}, {}", arrivals(), bytes());
}

void mbarrier(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  if (in.text->op == Op::MbarrierPendingCount) {
    for (uint32_t l = 0; l < kLanes; ++l)
      if (mask >> l & 1)
        write_lane(warp.file + in.destination, 4, l,
                   MbarrierObject::unpack(read_lane(warp.file + in.source[0], 8, l)).pending);
    return;
  }
  uint32_t bad = 0, misaligned = 0, waiting = 0;
  uint64_t addresses[kLanes] = {};
  for (uint32_t m = mask; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const Space space = in.text->space == Space::None ? Space::Generic : in.text->space;
    const Place place =
        place_of(warp, in.pc, space, lane_address(warp, in.source[0], in.address_size, in.offset, lane), lane, 8);
    addresses[lane] = place.address;
    if (place.address % 8)
      misaligned |= 1u << lane;
    else if (!place.host || (is_wait(in.text->op) && place.address >> trace::kRankShift))
      bad |= 1u << lane;  // A block waits only on its own mbarriers.
    else if (mbarrier_lane(warp, in, place.host, lane) &&
             !(finish_phase(*warp.block, place.address) && !mbarrier_lane(warp, in, place.host, lane)))
      waiting |= 1u << lane;
  }
  fault_lanes(warp, in, FaultKind::Misaligned, AccessKind::Atomic, Space::Shared, 8, mask, misaligned, addresses);
  fault_lanes(warp, in, FaultKind::OutOfBounds, AccessKind::Atomic, Space::Shared, 8, mask, bad, addresses);
  if (waiting) {
    warp.wants_yield = true;
    warp.unfinished_wait = {waiting, in.pc, addresses[std::countr_zero(waiting)]};
  }
  const uint32_t done = mask & ~waiting & ~bad & ~misaligned;
  if (done && in.text->op == Op::CpAsyncMbarrierArrive) defer_arrivals(warp, in, done, addresses);
  publish_by_object(warp, in, done, is_wait(in.text->op) ? SyncKind::MbarrierWait : SyncKind::MbarrierArrive,
                    addresses);
  publish_by_object(warp, in, waiting, SyncKind::MbarrierTry, addresses);
}

namespace {

constexpr uint8_t kMatrixRowBytes = 16;

// The rows of up to four 8 x 8 matrices: eight lanes give the addresses of the rows of each.
struct MatrixRows {
  std::byte* host[kLanes] = {};  ///< Null where the lane gives no address, or a bad one.
  uint64_t addresses[kLanes] = {};
  uint32_t lanes = 0, bad = 0, misaligned = 0;
};

MatrixRows matrix_rows(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  MatrixRows rows;
  rows.lanes = mask & (in.vector == 4 ? ~0u : (1u << (8 * in.vector)) - 1);
  const Space space = in.text->space == Space::None ? Space::Generic : in.text->space;
  for (uint32_t m = rows.lanes; m; m &= m - 1) {
    const auto l = static_cast<uint32_t>(std::countr_zero(m));
    const Place place = place_of(warp, in.pc, space, lane_address(warp, in.source[0], in.address_size, in.offset, l), l,
                                 kMatrixRowBytes);
    rows.addresses[l] = place.address;
    if (place.address % kMatrixRowBytes)
      rows.misaligned |= 1u << l;
    else if (!place.host)
      rows.bad |= 1u << l;
    else
      rows.host[l] = place.host;
  }
  return rows;
}

void publish_rows(Warp& warp, const DecodedInstruction& in, uint32_t mask, const MatrixRows& rows) {
  trace::Access access;
  access.kind = in.text->op == Op::Ldmatrix ? AccessKind::Load : AccessKind::Store;
  access.space = Space::Shared;
  access.bytes = kMatrixRowBytes;
  access.is_matrix = true;
  access.addresses = rows.addresses;
  fault_lanes(warp, in, FaultKind::Misaligned, access.kind, Space::Shared, access.bytes, mask, rows.misaligned,
              rows.addresses);
  fault_lanes(warp, in, FaultKind::OutOfBounds, access.kind, Space::Shared, access.bytes, mask, rows.bad,
              rows.addresses);
  access.at = warp.step(in.pc, rows.lanes & ~rows.bad & ~rows.misaligned);
  if (warp.observer && access.at.active) warp.observer->access(access);
}

// Both elements of the lane's word, between its register and its row in memory.
void move_matrix_word(const DecodedInstruction& in, const MatrixRows& rows, uint32_t matrix, uint32_t lane,
                      std::byte* word) {
  for (uint32_t part = 0; part < 2; ++part) {
    const ptx::FragmentPlace place = ptx::place_in_matrix(lane, part, in.text->trans);
    std::byte* row = rows.host[8 * matrix + place.row];
    if (!row) continue;
    std::byte* element = row + 2 * place.column;
    if (in.text->op == Op::Ldmatrix)
      std::memcpy(word + 2 * part, element, 2);
    else
      std::memcpy(element, word + 2 * part, 2);
  }
}

}  // namespace

void matrix_access(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const MatrixRows rows = matrix_rows(warp, in, mask);
  publish_rows(warp, in, mask, rows);
  const uint32_t* registers = in.text->op == Op::Ldmatrix ? in.rows : in.source_rows;
  for (uint32_t matrix = 0; matrix < in.vector; ++matrix)
    for (uint32_t m = mask; m; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      move_matrix_word(in, rows, matrix, lane, warp.file + registers[matrix] + lane * 4);
    }
}

}  // namespace tilescope::emulator
