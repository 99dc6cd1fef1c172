#include "view/lane_uses.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "view/stage/stage_layout.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using run::TracedArray;
using run::TracedBlock;
using trace::kLanes;

void add_elements(const TracedBlock& traced, uint32_t record, std::vector<LaneUse>& result) {
  const trace::Trace& trace = traced.trace;
  uint64_t addresses[kLanes];
  trace.addresses(record, addresses);
  const LaneUse::How how = trace::is_write(trace.access_kind(record)) ? LaneUse::How::Writes : LaneUse::How::Reads;
  for (uint32_t rest = trace.active(record); rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const TracedArray* array = traced.accesses.find(trace.space(record), addresses[lane]);
    if (!array) continue;
    const uint32_t size = std::max(1u, size_of(array->allocation.element));
    for (uint64_t byte = 0; byte < std::max(size, trace.bytes(record)); byte += size)
      if (array->allocation.contains(addresses[lane] + byte))
        result.push_back({array, array->index_of(addresses[lane] + byte), lane, how});
  }
}

/// The elements that a bulk copy reads and writes, assigned to the lane that starts it.
void add_bulk_copy(const TracedBlock& traced, const trace::BulkRecord& copy, std::vector<LaneUse>& result) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(copy.at.active));
  const auto add = [&](Space space, uint64_t address, uint32_t bytes, LaneUse::How how) {
    const TracedArray* array = traced.accesses.find(space, address);
    if (!array) return;
    const uint32_t size = std::max(1u, size_of(array->allocation.element));
    for (uint32_t byte = 0; byte < bytes; byte += size)
      result.push_back({array, array->index_of(address + byte), lane, how});
  };
  const LaneUse::How shared = copy.to_shared ? LaneUse::How::Writes : LaneUse::How::Reads,
                     global = copy.to_shared ? LaneUse::How::Reads : LaneUse::How::Writes;
  for (const trace::BulkCopy::Piece& piece : copy.pieces) {
    add(Space::Shared, piece.shared, piece.bytes, shared);
    if (piece.global != trace::BulkCopy::kNowhere) add(Space::Global, piece.global, piece.bytes, global);
  }
}

void add_factors(const TracedBlock& traced, const StepRef& at, std::vector<LaneUse>& result) {
  const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc(at));
  for (uint32_t rest = traced.timeline.active(at); rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (const size_t operand : {1, 2}) {
      const auto from = traced.accesses.data_flow().origin(at, lane, instruction.operands[operand]);
      const TracedArray* array = from ? traced.accesses.find(from->space, from->address) : nullptr;
      if (array) result.push_back({array, array->index_of(from->address), lane, LaneUse::How::Uses});
    }
  }
}

/// Calls visit(array, element index, lane) for the elements that one store writes.
template <class Visit>
void for_each_stored(const TracedBlock& traced, const run::OutputStore& store, uint32_t lanes, Visit visit) {
  uint64_t addresses[kLanes];
  traced.trace.addresses(store.record, addresses);
  const TracedArray* array = traced.accesses.output();
  const uint64_t offset = uint64_t{store.part} * size_of(array->allocation.element);
  for (uint32_t rest = traced.trace.active(store.record) & lanes; rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (array->allocation.contains(addresses[lane] + offset))
      visit(*array, array->index_of(addresses[lane] + offset), lane);
  }
}

void add_sums(const TracedBlock& traced, const StepRef& at, std::vector<LaneUse>& result) {
  const int32_t sum = traced.accesses.data_flow().sum_of(traced.timeline.pc(at));
  if (sum < 0) return;
  for (const run::OutputStore& store : traced.accesses.output_stores(at.warp))
    if (store.sum == sum)
      for_each_stored(traced, store, traced.timeline.active(at),
                      [&](const TracedArray& array, uint64_t index, uint32_t lane) {
                        result.push_back({&array, index, lane, LaneUse::How::Adds});
                      });
}

}  // namespace

std::vector<LaneUse> lane_uses(const TracedBlock& traced, const StepRef& at) {
  std::vector<LaneUse> result;
  const auto [first, last] = traced.timeline.records(at);
  for (const uint32_t* record = first; record != last; ++record)
    if (traced.trace.kind(*record) == trace::RecordKind::Access) add_elements(traced, *record, result);
  for (const trace::BulkRecord* copy : traced.timeline.bulk_copies(at)) add_bulk_copy(traced, *copy, result);
  if (traced.timeline.kind(at) == StepKind::Multiply) {
    add_factors(traced, at, result);
    add_sums(traced, at, result);
  }
  return result;
}

std::vector<ProductUse> product_uses(const TracedBlock& traced, const StepRef& at) {
  std::vector<ProductUse> result;
  const trace::ProductRecord* read = traced.timeline.product_read(at);
  if (!read) return result;
  for (const trace::ProductRead::Piece& piece : read->pieces)
    for (uint64_t address = piece.shared; address < piece.shared + piece.bytes;) {
      const TracedArray* array = traced.accesses.find(Space::Shared, address);
      if (!array || array->columns == 0) break;
      result.push_back({array, array->index_of(address)});
      address += size_of(array->allocation.element);
    }
  return result;
}

std::vector<WarpUse> warp_uses(const Focus& focus, const WarpPlaces& places) {
  const TracedBlock& traced = *focus.traced;
  const analysis::Timeline& timeline = traced.timeline;
  const bool loads = timeline.phase(focus.cursor).kind == analysis::PhaseKind::Load;
  std::vector<WarpUse> all;
  for_each_access_in_tile(traced, focus.cursor, UINT32_MAX,
                          [&](const StepRef& at, uint32_t record, const uint64_t* addresses) {
                            const bool now = places.is_at(at);
                            if (!now && !(loads && timeline.phase(at).kind == analysis::PhaseKind::Load)) return;
                            const uint64_t first = addresses[std::countr_zero(traced.trace.active(record))];
                            const TracedArray* array = traced.accesses.find(traced.trace.space(record), first);
                            if (!array) return;
                            const bool done = places.has_executed(at);
                            run::for_each_accessed(traced.trace, *array, record, [&](uint64_t index, uint32_t) {
                              all.push_back({array, index, at.warp, false, now, done});
                            });
                          });
  const auto element = [](const WarpUse& use) { return std::pair(use.array, use.index); };
  std::ranges::stable_sort(all, {}, element);
  std::vector<WarpUse> result;
  for (const WarpUse& use : all) {
    if (result.empty() || element(result.back()) != element(use)) result.push_back(use);
    WarpUse& of_element = result.back();
    of_element.several |= of_element.warp != use.warp;
    of_element.now |= use.now;
    of_element.done |= use.done;
  }
  return result;
}

std::vector<SumElement> sum_elements(const TracedBlock& traced, uint32_t warp, uint32_t lane) {
  std::vector<SumElement> result;
  for (const run::OutputStore& store : traced.accesses.output_stores(warp))
    for_each_stored(traced, store, 1u << lane, [&](const TracedArray& array, uint64_t index, uint32_t) {
      result.push_back({store.sum, &array, index, store.step});
    });
  return result;
}

}  // namespace tilescope::view
