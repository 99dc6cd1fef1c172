#include "view/stage/array_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "arch/arch.h"
#include "view/lane_uses.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_layout.h"

namespace tilescope::view {
using run::Region;
using run::TracedArray;

namespace {

/// Rows and columns of C that a full block covers, from its first element.
struct Cover {
  uint64_t row = 0, column = 0, rows = 0, columns = 0;
  bool known() const { return rows > 0; }
};

/// For a block whose threads each store an element, at (y, x) from the block's first or at (x, y), whether or not C has
/// such a row or column; else unknown.
Cover cover_of_threads(const run::TracedBlock& traced, const TracedArray& output) {
  struct Store {
    uint64_t index = 0;
    Dim3 thread;
  };
  std::vector<Store> stores;
  uint64_t first = UINT64_MAX;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    for (const run::OutputStore& store : traced.accesses.output_stores(warp)) {
      run::for_each_accessed(traced.trace, output, store.record, [&](uint64_t index, uint32_t lane) {
        stores.push_back({index, traced.facts.thread_at(traced.block, warp, lane).position});
        first = std::min(first, index);
      });
      if (stores.size() > traced.facts.block.count()) return {};
    }
  bool upright = !stores.empty(), turned = upright;  // Rows follow y, or x.
  for (const auto& [index, thread] : stores) {
    upright &= index - first == thread.y * output.columns + thread.x && thread.x < output.columns;
    turned &= index - first == thread.x * output.columns + thread.y && thread.y < output.columns;
  }
  const Dim3& block = traced.facts.block;
  if (!upright && !turned) return {};
  return {first / output.columns, first % output.columns, upright ? block.y : block.x, upright ? block.x : block.y};
}

uint64_t past(uint64_t begin, uint64_t extent, uint64_t end) { return begin + extent > end ? begin + extent - end : 0; }

}  // namespace

Beyond beyond_output(const Focus& focus, bool grid) {
  const run::TracedBlock& traced = *focus.traced;
  const TracedArray* output = traced.accesses.output();
  if (!output || output->touched.empty() || output->rows * output->columns == 1) return {};
  Cover full = cover_of_threads(traced, *output);
  if (!full.known()) {
    full = {output->touched.row, output->touched.column};
    for (const analysis::StoreRegion& stores : focus.counted ? focus.counted->stores : traced.stores) {
      if (traced.facts.global[stores.array].allocation.name != output->allocation.name) continue;
      full.rows = std::max(full.rows, stores.region.rows());
      full.columns = std::max(full.columns, stores.region.columns());
    }
  }
  if (!grid) return {past(full.row, full.rows, output->rows), past(full.column, full.columns, output->columns)};
  const auto rounded_up = [](uint64_t value, uint64_t step) { return (value + step - 1) / step * step; };
  return {rounded_up(output->rows, full.rows) - output->rows,
          rounded_up(output->columns, full.columns) - output->columns};
}

std::map<uint32_t, std::set<uint32_t>> helpers_of_blocks(const Focus& focus) {
  std::map<uint32_t, std::set<uint32_t>> helpers;
  const TracedArray* output = focus.traced->accesses.output();
  if (!focus.counted || !output) return helpers;
  const auto holds_sums = [&](uint32_t array) {
    const Allocation& allocation = focus.counted->facts.global[array].allocation;
    return allocation.element == output->allocation.element && allocation.name != output->allocation.name;
  };
  for (const analysis::StoreRegion& loaded : focus.counted->loads) {
    if (!holds_sums(loaded.array)) continue;
    for (const analysis::StoreRegion& stored : focus.counted->stores)
      if (stored.array == loaded.array && stored.block != loaded.block &&
          !clipped(stored.region, loaded.region).empty())
        helpers[loaded.block].insert(stored.block);
  }
  return helpers;
}

std::string positions_text(const Dim3& grid, const std::set<uint32_t>& blocks) {
  const Dim3 first = position_in(grid, *blocks.begin()), last = position_in(grid, *blocks.rbegin());
  std::string text = position_text(first);
  if (blocks.size() == 1) return text;
  if (last.x - first.x + 1 != blocks.size() || last.y != first.y || last.z != first.z)
    return fmt::format("{} + {}", text, blocks.size() - 1);
  const std::string x = std::to_string(first.x);
  return text.insert(text.find(x) + x.size(), fmt::format("…{}", last.x));
}

TileState tile_state(const Focus& focus, const WarpPlaces& places, const TracedArray& array) {
  enum class State : uint8_t { Untouched, Missing, Written };
  struct Element {
    State state = State::Untouched;
    uint32_t writer = 0;
  };
  const run::TracedBlock& traced = *focus.traced;
  std::vector<Element> elements(array.rows * array.columns);
  for_each_access_in_tile(
      traced, focus.cursor, UINT32_MAX, [&](const analysis::StepRef& at, uint32_t record, const uint64_t*) {
        if (traced.trace.space(record) != Space::Shared || !trace::is_write(traced.trace.access_kind(record))) return;
        const bool written = places.has_executed(at);
        run::for_each_accessed(traced.trace, array, record, [&](uint64_t index, uint32_t) {
          if (index >= elements.size()) return;
          if (written)
            elements[index] = {State::Written, at.warp};
          else if (elements[index].state == State::Untouched)
            elements[index].state = State::Missing;
        });
      });
  for_each_bulk_copy_in_tile(traced, focus.cursor, [&](const analysis::StepRef& at, const trace::BulkRecord& copy) {
    for (const trace::BulkCopy::Piece& piece : copy.pieces)
      for (uint32_t byte = 0; copy.to_shared && byte < piece.bytes; byte += size_of(array.allocation.element)) {
        const uint64_t index = array.index_of(piece.shared + byte);
        if (!array.allocation.contains(piece.shared + byte) || index >= elements.size()) continue;
        if (places.has_executed(at))
          elements[index] = {State::Written, at.warp};
        else if (elements[index].state == State::Untouched)
          elements[index].state = State::Missing;
      }
  });
  TileState result;
  for (uint64_t index = 0; index < elements.size(); ++index) {
    const auto& [state, writer] = elements[index];
    if (state == State::Written) result.written.push_back(index), result.writers.push_back(writer);
    if (state == State::Missing) result.missing.push_back(index);
  }
  return result;
}

std::vector<Region> never_accessed(const TracedArray& array) {
  std::vector<Region> regions;
  const Region& used = array.touched;
  if (used.empty()) return regions;
  // Parts drawn side by side all have the same padding.
  const uint64_t part = array.extents.empty() ? array.columns : array.allocation.shape.back(),
                 parts = (used.column_end + part - 1) / part, padding = parts * part - used.column_end;
  for (uint64_t end = part; padding > 0 && end <= parts * part; end += part)
    regions.push_back({0, end - padding, array.rows, end});
  if (parts * part < array.columns) regions.push_back({0, parts * part, array.rows, array.columns});
  if (used.row_end < array.rows) regions.push_back({used.row_end, 0, array.rows, used.column_end});
  return regions;
}

std::vector<uint64_t> sector_starts(const TracedArray& array, const Region& window) {
  std::vector<uint64_t> starts;
  for (uint64_t row = window.row; row < window.row_end; ++row)
    for (uint64_t column = window.column + 1; column < window.column_end; ++column)
      if (array.address_of(row * array.columns + column) % arch::kSectorBytes == 0)
        starts.push_back(row * array.columns + column);
  return starts;
}

}  // namespace tilescope::view
