#include "run/block_accesses.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/turns.h"
#include "run/stage_copies.h"

namespace tilescope::run {
namespace {
using analysis::LoadedFrom;
using analysis::StepRef;

/// The arrays of C = A * B, whatever their order and the kernel's other arguments.
Side named_side(std::string_view name) {
  return name == "A" ? Side::A : name == "B" ? Side::B : name == "C" ? Side::C : Side::None;
}

const std::vector<size_t>& beside_in(const kernel::Configuration& configuration, const std::string& name) {
  static const std::vector<size_t> none;
  for (const kernel::ArrayShape& array : configuration.arrays)
    if (array.space == Space::Shared && array.name == name) return array.beside;
  return none;
}

TracedArray traced_array(const Allocation& allocation, uint32_t warps) {
  TracedArray array;
  array.allocation = allocation;
  const uint64_t elements = allocation.bytes / std::max(1u, size_of(allocation.element));
  array.columns = allocation.shape.empty() ? elements : allocation.shape.back();
  array.rows = array.columns == 0 ? 0 : (elements + array.columns - 1) / array.columns;
  array.warp_touched.resize(warps);
  array.warp_read.resize(warps);
  return array;
}

/// An element of a shared array and the input's element that it was filled from.
struct Pair {
  uint64_t row = 0, column = 0, input_row = 0, input_column = 0;
};

/// Whether a row of the shared array holds different rows of the input and the same column.
bool looks_transposed(const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs) {
    const Pair& first = pairs.front();
    if (pair.row == first.row && pair.column != first.column)
      return pair.input_row != first.input_row && pair.input_column == first.input_column;
    if (pair.column == first.column && pair.row != first.row)
      return pair.input_column != first.input_column && pair.input_row == first.input_row;
  }
  return false;
}

}  // namespace

void TracedArray::lay_out(const std::vector<size_t>& beside) {
  if (allocation.shape.size() < 2 || (beside.empty() && allocation.pitch == 0)) return;
  extents.resize(allocation.shape.size());
  uint64_t bytes = size_of(allocation.element);
  rows = columns = 1;
  for (size_t d = allocation.shape.size(); d-- > 0;) {
    const bool across = d + 1 == allocation.shape.size() || std::find(beside.begin(), beside.end(), d) != beside.end();
    extents[d] = {bytes, across ? 0 : rows, across ? columns : 0};
    (across ? columns : rows) *= allocation.shape[d];
    bytes *= allocation.shape[d];
  }
  if (allocation.pitch > 0) extents.front().bytes = allocation.pitch;
}

uint64_t TracedArray::index_of(uint64_t address) const {
  uint64_t offset = address - allocation.base;
  if (extents.empty()) return offset / size_of(allocation.element);
  uint64_t row = 0, column = 0;
  for (const Extent& extent : extents) {
    const uint64_t index = offset / extent.bytes;
    offset %= extent.bytes;
    row += index * extent.rows;
    column += index * extent.columns;
  }
  return row * columns + column;
}

Region TracedArray::region_of(const uint64_t* addresses, uint32_t active, uint32_t bytes) const {
  Region region;
  const auto add = [&](uint64_t address) {
    if (!allocation.contains(address)) return;
    const uint64_t index = index_of(address);
    region.add(index / columns, index % columns);
  };
  uint64_t low = UINT64_MAX, high = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const uint64_t first = addresses[std::countr_zero(rest)];
    low = std::min(low, first), high = std::max(high, first + bytes - 1);
  }
  // Most accesses are to one row; its ends are enough then.
  if (allocation.contains(low) && allocation.contains(high) && high < end_of_row(low)) {
    add(low), add(high);
    return region;
  }
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const uint64_t first = addresses[std::countr_zero(rest)];
    add(first), add(first + bytes - 1);
  }
  return region;
}

uint64_t TracedArray::end_of_row(uint64_t address) const {
  const std::vector<uint64_t>& shape = allocation.shape;
  const uint64_t row = (shape.empty() ? columns : shape.back()) * size_of(allocation.element);
  return address + row - allocation.bytes_before(address) % row;
}

uint64_t TracedArray::address_of(uint64_t index) const {
  if (extents.empty()) return allocation.base + index * size_of(allocation.element);
  uint64_t address = allocation.base, row = index / columns, column = index % columns;
  for (const Extent& extent : extents) {
    uint64_t& place = extent.rows > 0 ? row : column;
    const uint64_t step = extent.rows > 0 ? extent.rows : extent.columns;
    address += place / step * extent.bytes;
    place %= step;
  }
  return address;
}

BlockAccesses::BlockAccesses(const ptx::Function& function, const trace::Trace& trace,
                             const analysis::Timeline& timeline, const kernel::Configuration& configuration)
    : trace_(&trace),
      timeline_(&timeline),
      data_flow_(function, trace, timeline),
      output_stores_(timeline.warps()),
      copied_output_(timeline.warps()) {
  for (const Allocation& allocation : trace.header().global)
    arrays_.push_back(traced_array(allocation, timeline.warps()));
  for (const Allocation& allocation : trace.header().shared) {
    arrays_.push_back(traced_array(allocation, timeline.warps()));
    arrays_.back().lay_out(beside_in(configuration, allocation.name));
  }
  rows_touched_.resize(arrays_.size());
  place_globals(configuration);
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp) {
    visit_records(warp);
    let_turns_pass();
  }
  for (const trace::BulkRecord& copy : trace.bulk_copies()) visit_bulk_copy(copy);
  for (const trace::ProductRecord& read : trace.product_reads()) visit_product(read);
  for (TracedArray& array : arrays_) {
    for (const Region& region : array.warp_touched) array.touched.add(region);
    find_touched_rows(array);
    if (array.allocation.space == Space::Shared && !array.is_mates()) place_shared(array);
  }
  find_stage_copies(function, trace, timeline, arrays_);
  find_output_of_several();
  find_copied_output();
}

void BlockAccesses::place_globals(const kernel::Configuration& configuration) {
  const auto has = [&](std::string_view name, bool input) {
    return std::ranges::any_of(configuration.arrays, [&](const kernel::ArrayShape& shape) {
      return shape.space == Space::Global && shape.name == name && (shape.role == kernel::Role::Input) == input;
    });
  };
  const bool is_product = has("A", true) && has("B", true) && has("C", false);
  Side next_input = Side::A;
  for (const kernel::ArrayShape& shape : configuration.arrays) {
    if (shape.space != Space::Global) continue;
    const auto array = std::find_if(arrays_.begin(), arrays_.end(), [&](const TracedArray& a) {
      return a.allocation.space == Space::Global && a.allocation.name == shape.name;
    });
    if (array == arrays_.end()) continue;
    if (is_product) {
      array->side = named_side(shape.name);
    } else if (shape.role != kernel::Role::Input) {
      if (!output()) array->side = Side::C;
    } else {
      array->side = next_input;
      next_input = next_input == Side::A ? Side::B : Side::None;
    }
  }
}

void BlockAccesses::visit_records(uint32_t warp) {
  for (const uint32_t record : trace_->warp_records(0, warp))
    if (trace_->kind(record) == trace::RecordKind::Access) visit_access(warp, record);
}

void BlockAccesses::visit_access(uint32_t warp, uint32_t record) {
  const uint32_t active = trace_->active(record);
  if (active == 0) return;
  uint64_t addresses[trace::kLanes];
  trace_->addresses(record, addresses);
  const TracedArray* found = find(trace_->space(record), addresses[std::countr_zero(active)]);
  if (!found || found->columns == 0) return;
  TracedArray* array = &arrays_[static_cast<size_t>(found - arrays_.data())];
  const Region region = array->region_of(addresses, active, trace_->bytes(record));
  array->warp_touched[warp].add(region);
  if (region.rows() == 1)
    note_rows(*array, region);
  else
    for (uint32_t rest = active; rest; rest &= rest - 1)
      note_rows(*array, array->region_of(&addresses[std::countr_zero(rest)], 1, trace_->bytes(record)));
  if (!trace::is_write(trace_->access_kind(record))) array->warp_read[warp].add(region);
  if (array->is_output() && trace::is_write(trace_->access_kind(record)))
    note_output(*array, {warp, trace_->step(record).warp_step}, record);
}

void BlockAccesses::visit_bulk_copy(const trace::BulkRecord& copy) {
  const auto add = [&](Space space, uint64_t address, uint32_t bytes, bool reads) {
    const TracedArray* found = find(space, address);
    if (!found || found->columns == 0 || bytes == 0) return;
    TracedArray& array = arrays_[static_cast<size_t>(found - arrays_.data())];
    const Region region = array.region_of(&address, 1, bytes);
    array.warp_touched[copy.at.warp].add(region);
    note_rows(array, region);
    if (reads) array.warp_read[copy.at.warp].add(region);
  };
  for (const trace::BulkCopy::Piece& piece : copy.pieces) {
    add(Space::Shared, piece.shared, piece.bytes, !copy.to_shared);
    if (piece.global == trace::BulkCopy::kNowhere) continue;
    add(Space::Global, piece.global, piece.bytes, copy.to_shared);
    const TracedArray *shared = find(Space::Shared, piece.shared), *global = find(Space::Global, piece.global);
    const bool has_rows = shared && shared->allocation.shape.size() > 1;
    if (has_rows && global) arrays_[static_cast<size_t>(shared - arrays_.data())].side = global->side;
  }
}

void BlockAccesses::note_rows(const TracedArray& array, const Region& region) {
  if (array.allocation.space != Space::Global || region.empty()) return;
  std::vector<Columns>& rows = rows_touched_[static_cast<size_t>(&array - arrays_.data())];
  rows.resize(array.rows);
  for (uint64_t row = region.row; row < region.row_end; ++row)
    rows[row] = {std::min(rows[row].first, region.column), std::max(rows[row].end, region.column_end)};
}

void BlockAccesses::find_touched_rows(TracedArray& array) {
  const std::vector<Columns> rows = std::exchange(rows_touched_[static_cast<size_t>(&array - arrays_.data())], {});
  for (uint64_t row = 0; row < rows.size(); ++row) {
    if (rows[row].end == 0) continue;
    if (row > 0 && rows[row] == rows[row - 1])
      ++array.touched_rows.back().row_end;
    else
      array.touched_rows.push_back({row, rows[row].first, row + 1, rows[row].end});
  }
}

void BlockAccesses::visit_product(const trace::ProductRecord& read) {
  for (const trace::ProductRead::Piece& piece : read.pieces)
    for (uint64_t address = piece.shared; address < piece.shared + piece.bytes;) {
      const TracedArray* found = find(Space::Shared, address);
      if (!found || found->columns == 0) break;
      TracedArray& array = arrays_[static_cast<size_t>(found - arrays_.data())];
      const uint64_t end = std::min(piece.shared + piece.bytes, array.end_of_row(address));
      const Region region = array.region_of(&address, 1, static_cast<uint32_t>(end - address));
      array.warp_touched[read.at.warp].add(region);
      array.warp_read[read.at.warp].add(region);
      address = end;
    }
}

void BlockAccesses::note_output(const TracedArray& array, const StepRef& at, uint32_t record) {
  const uint32_t parts = std::max(1u, trace_->bytes(record) / std::max(1u, size_of(array.allocation.element)));
  for (uint32_t part = 0; part < parts; ++part)
    output_stores_[at.warp].push_back({record, at.step, part, data_flow_.sum_stored(at, part)});
}

// A block that is stuck before its first copy: As and Bs are tiles of the inputs all the same.
void BlockAccesses::place_by_name(TracedArray& array) const {
  const TracedArray* input = find(Space::Global, array.allocation.name.substr(0, 1));
  if (input && !input->is_output() && array.allocation.shape.size() > 1) array.side = input->side;
}

// The sources of a few warps' first stores show to which input the array belongs, and its layout.
void BlockAccesses::place_shared(TracedArray& array) const {
  if (array.touched.empty()) return place_by_name(array);
  constexpr size_t kEnough = 256;
  std::vector<Pair> pairs;
  for (uint32_t warp = 0; warp < timeline_->warps() && pairs.size() < kEnough; ++warp)
    for (const uint32_t record : trace_->warp_records(0, warp)) {
      if (pairs.size() >= kEnough) break;
      if (trace_->kind(record) != trace::RecordKind::Access || trace_->space(record) != Space::Shared ||
          !trace::is_write(trace_->access_kind(record)))
        continue;
      uint64_t addresses[trace::kLanes];
      trace_->addresses(record, addresses);
      for (uint32_t rest = trace_->active(record); rest; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        if (!array.allocation.contains(addresses[lane])) break;
        const auto from = data_flow_.source_of_store({warp, trace_->step(record).warp_step}, lane, addresses[lane]);
        const TracedArray* input = from ? find(from->space, from->address) : nullptr;
        if (!input || input->columns == 0 || input->allocation.space != Space::Global) break;
        array.side = input->side;
        const uint64_t here = array.index_of(addresses[lane]), there = input->index_of(from->address);
        pairs.push_back({here / array.columns, here % array.columns, there / input->columns, there % input->columns});
      }
    }
  array.transposed = !pairs.empty() && looks_transposed(pairs);
}

void BlockAccesses::find_output_of_several() {
  const TracedArray* array = output();
  if (!array || timeline_->warps() < 2) return;
  std::vector<std::pair<uint64_t, uint32_t>> stored;  // Element and warp.
  for (uint32_t warp = 0; warp < timeline_->warps(); ++warp)
    for (const OutputStore& store : output_stores_[warp])
      if (store.part == 0)
        for_each_accessed(*trace_, *array, store.record,
                          [&](uint64_t index, uint32_t) { stored.emplace_back(index, warp); });
  std::ranges::sort(stored);
  for (size_t i = 1; i < stored.size(); ++i)
    if (stored[i].first == stored[i - 1].first && stored[i].second != stored[i - 1].second)
      output_of_several_.push_back(stored[i].first);
  output_of_several_.erase(std::ranges::unique(output_of_several_).begin(), output_of_several_.end());
}

// Who stored the bytes last that a copy takes: stores and copies are visited in the order of their slots.
void BlockAccesses::find_copied_output() {
  constexpr uint64_t kWord = 4;
  struct Event {
    uint32_t slot = 0, warp = 0;
    std::optional<uint32_t> store;            // A record of the trace,
    const trace::BulkRecord* copy = nullptr;  // or a copy.
  };
  std::vector<Event> events;
  for (const trace::BulkRecord& copy : trace_->bulk_copies())
    if (!copy.to_shared)
      events.push_back({timeline_->slot({copy.at.warp, copy.at.warp_step}), copy.at.warp, {}, &copy});
  if (events.empty()) return;
  for (uint32_t warp = 0; warp < timeline_->warps(); ++warp)
    for (const uint32_t record : trace_->warp_records(0, warp))
      if (trace_->kind(record) == trace::RecordKind::Access && trace_->space(record) == Space::Shared &&
          trace::is_write(trace_->access_kind(record)))
        events.push_back({timeline_->slot({warp, trace_->step(record).warp_step}), warp, record, nullptr});
  std::ranges::stable_sort(events, {}, &Event::slot);
  std::unordered_map<uint64_t, uint32_t> writers;  // The warp, by the word's address.
  const auto take_store = [&](const Event& event) {
    uint64_t addresses[trace::kLanes];
    trace_->addresses(*event.store, addresses);
    for (uint32_t rest = trace_->active(*event.store); rest; rest &= rest - 1) {
      const uint64_t first = addresses[std::countr_zero(rest)] / kWord * kWord;
      for (uint64_t byte = 0; byte < trace_->bytes(*event.store); byte += kWord) writers[first + byte] = event.warp;
    }
  };
  const auto take_piece = [&](const trace::BulkCopy::Piece& piece) {
    const TracedArray* output = piece.global == trace::BulkCopy::kNowhere ? nullptr : find(Space::Global, piece.global);
    if (!output || !output->is_output() || output->columns == 0) return;
    const uint32_t size = std::max(1u, size_of(output->allocation.element));
    for (uint64_t byte = 0; byte < piece.bytes; byte += size)
      if (const auto writer = writers.find((piece.shared + byte) / kWord * kWord); writer != writers.end())
        copied_output_[writer->second].push_back(output->index_of(piece.global + byte));
  };
  for (const Event& event : events) {
    if (event.store) take_store(event);
    for (size_t i = 0; event.copy && i < event.copy->pieces.size(); ++i) take_piece(event.copy->pieces[i]);
  }
  if (std::ranges::all_of(copied_output_, &std::vector<uint64_t>::empty)) return;
  TracedArray& output = *std::ranges::find_if(arrays_, &TracedArray::is_output);
  for (uint32_t warp = 0; warp < timeline_->warps(); ++warp) {
    std::vector<uint64_t>& elements = copied_output_[warp];
    std::ranges::sort(elements);
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    if (!output_stores_[warp].empty()) continue;
    // A warp that starts copies touches what others have made.
    output.warp_touched[warp] = {};
    for (const uint64_t index : elements) output.warp_touched[warp].add(index / output.columns, index % output.columns);
  }
}

const TracedArray* BlockAccesses::find(Space space, uint64_t address) const {
  for (const TracedArray& array : arrays_)
    if (array.allocation.space == space && array.allocation.contains(address)) return &array;
  return nullptr;
}

const TracedArray* BlockAccesses::find(Space space, std::string_view name) const {
  for (const TracedArray& array : arrays_)
    if (array.allocation.space == space && array.allocation.name == name) return &array;
  return nullptr;
}

const TracedArray* BlockAccesses::output() const {
  for (const TracedArray& array : arrays_)
    if (array.is_output()) return &array;
  return nullptr;
}

bool BlockAccesses::has_two_inputs() const {
  return std::ranges::any_of(arrays_, [](const TracedArray& array) {
    return array.side == Side::B && array.allocation.space == Space::Global;
  });
}

bool BlockAccesses::has_sum_index() const {
  const auto is_input = [](const TracedArray& array, Side side) {
    return array.side == side && array.allocation.space == Space::Global;
  };
  return std::ranges::any_of(arrays_, [&](const TracedArray& a) {
    return is_input(a, Side::A) && std::ranges::any_of(arrays_, [&](const TracedArray& b) {
             const bool is_flat = a.rows == 1 || b.rows == 1;  // Of vectors the same elements are added or multiplied.
             return is_input(b, Side::B) && (b.rows == a.columns || (is_flat && !(a.touched == b.touched)));
           });
  });
}

}  // namespace tilescope::run
