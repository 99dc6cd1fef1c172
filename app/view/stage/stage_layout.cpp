#include "view/stage/stage_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "view/stage/array_facts.h"
#include "view/stage/stage_copy.h"
#include "view/stage/stage_mbarriers.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;
using run::TracedBlock;

// How much of the sum's index, at least and at most, an input shows around the current k-tile: few enough elements that
// their cells can be seen.
constexpr uint64_t kLeastDepth = 16, kMostDepth = 64;
constexpr uint64_t kTilesOfBlock = 4;
constexpr float kGap = 14;
constexpr float kLetter = 11, kLeastWidth = 60;  // Of a name in the corner, and of the array beside it.
// Of a warp's part of C, the cells may be this far from square, to use the room there is.
constexpr float kMostStretch[] = {1, 1, 3};  // By level.

Region whole(const TracedArray& array) { return {0, 0, array.rows, array.columns}; }

/// Cuts [begin, end) to a range of `least`, or more if the tile is deeper, that contains the tile and moves in steps of
/// half `least`.
void narrow(uint64_t& begin, uint64_t& end, uint64_t tile_begin, uint64_t tile_end, uint64_t least) {
  if (end - begin <= least) return;
  const uint64_t step = least / 2;
  const uint64_t first = begin + (std::max(tile_begin, begin) - begin) / step * step;
  const uint64_t depth = std::max(least, tile_end - std::min(first, tile_end));
  begin = std::min(first, end - std::min(depth, end - begin));
  end = std::min(end, begin + depth);
}

/// The rows of A for the warp's part of C, its columns of B, or the part that it reads of a shared array.
Region warp_window(const TracedArray& array, uint32_t warp, Region region, const Region& output) {
  const Region& read = array.warp_read[warp];
  if (array.is_output()) return array.warp_touched[warp].empty() ? region : array.warp_touched[warp];
  const bool along_rows = (array.side == Side::A) != array.transposed;
  const Region& near = array.allocation.space == Space::Shared ? read : output;
  if (array.in_corner() || near.empty()) return region;
  if (along_rows) {
    region.row = std::max(region.row, near.row);
    region.row_end = std::min(region.row_end, near.row_end);
  } else {
    region.column = std::max(region.column, near.column);
    region.column_end = std::min(region.column_end, near.column_end);
  }
  return region;
}

/// How much of the sum's index is shown: some k-tiles of a block, for a warp only the current one.
uint64_t input_depth(uint64_t tile, int level) {
  return level == 1 ? std::clamp(kTilesOfBlock * std::bit_ceil(tile), kLeastDepth, kMostDepth) : kLeastDepth;
}

/// The first element of the array that the cursor's instruction accesses; nullopt if it accesses another array, or if a
/// question is about it.
std::optional<uint64_t> first_accessed(const Focus& focus, const TracedArray& array) {
  const TracedBlock& traced = *focus.traced;
  if (focus.hidden.access() || traced.timeline.steps(focus.cursor.warp) == 0) return std::nullopt;
  const auto [first, last] = traced.timeline.records(focus.cursor);
  uint64_t addresses[trace::kLanes];
  for (const uint32_t* record = first; record != last; ++record) {
    if (traced.trace.kind(*record) != trace::RecordKind::Access || traced.trace.active(*record) == 0) continue;
    traced.trace.addresses(*record, addresses);
    const uint64_t address = addresses[std::countr_zero(traced.trace.active(*record))];
    if (traced.trace.space(*record) == array.allocation.space && array.allocation.contains(address))
      return array.index_of(address);
  }
  return std::nullopt;
}

/// The part of a box of elements that lies in the slice: its rows are the same in each slice that it goes through.
/// Empty if it does not go through this slice.
Region part_in_slice(const TracedArray& array, const Region& region, uint64_t slice) {
  const uint64_t slices = slices_of(array), height = array.rows / slices, first = slice * height;
  if (slices == 1 || region.empty()) return region;
  if (slice < region.row / height || slice > (region.row_end - 1) / height) return {};
  const uint64_t begin = region.row % height, last = (region.row_end - 1) % height;
  if (begin > last) return {first, region.column, first + height, region.column_end};
  return {first + begin, region.column, first + last + 1, region.column_end};
}

/// The visible part in the shown slice; all of the slice if that is empty.
Region within_slice(const Focus& focus, const TracedArray& array, const Region& region, int slice) {
  if (slices_of(array) == 1 || array.allocation.space == Space::Shared) return region;
  const uint64_t height = array.rows / slices_of(array), shown = slice_shown(focus, array, slice);
  const Region part = part_in_slice(array, region, shown);
  return part.empty() ? Region{shown * height, 0, (shown + 1) * height, array.columns} : part;
}

/// The part of an array shown at each level.
Region window_of(const TracedBlock& traced, const TracedArray& array, const Region& tile, uint32_t warp, int level) {
  const bool shared = array.allocation.space == Space::Shared;
  if (level == 0) return shared ? Region{} : whole(array);
  if (array.is_mates() && array.touched.empty()) return {};
  Region region = shared ? whole(array) : array.touched;
  // A block that never stored to C, stuck before it: no element shows where it is.
  const TracedArray* output = traced.accesses.output();
  if (!shared && region.empty() && array.side != Side::None && output && output->touched.empty()) region = whole(array);
  const bool has_depth = !shared && traced.accesses.has_sum_index();
  if (has_depth && array.side == Side::A)
    narrow(region.column, region.column_end, tile.column, tile.column_end, input_depth(tile.columns(), level));
  if (has_depth && array.side == Side::B)
    narrow(region.row, region.row_end, tile.row, tile.row_end, input_depth(tile.rows(), level));
  if (level < 2 || region.empty()) return region;
  return warp_window(array, warp, region, output ? output->warp_touched[warp] : Region{});
}

/// The extents in pixels of the panels of one direction.
struct Extents {
  float input = 0, shared = 0, output = 0;
  float elements = 1;  ///< The part of the output's extent that is elements; the rest is beyond.
  uint64_t most = 0;   ///< Where all arrays are side by side with cells of one size: of the longest; else 0.
  float total() const { return input + shared + output + (input > 0 ? kGap : 0) + (shared > 0 ? kGap : 0); }
};

/// The part of the area's shorter side that the sum's index may take in an input, and in a shared array.
struct Shares {
  float input_least, input_most, shared_least, shared_most;
  bool names_corner = true;  ///< Whether A is as wide as the arrays above it need for their names.
};
constexpr Shares kGridShares{0.06f, 0.6f, 0, 0, false};
// The tiles are essential for a block: their cells are as large as C's if there is room.
constexpr Shares kBlockShares{0.08f, 0.14f, 0.09f, 0.42f};
// A warp computes from the shared arrays.
constexpr Shares kWarpShares{0.08f, 0.12f, 0.10f, 0.32f};
// Without shared memory the inputs themselves are read at every step.
constexpr Shares kInputShares{0.09f, 0.45f, 0, 0};

// Without a second input nothing is beside C but what it is made of: of the width.
constexpr Shares kOneInputShares{0.10f, 0.38f, 0.08f, 0.38f};

const Shares& shares_at(int level, bool shared, bool two_inputs) {
  if (level == 0) return kGridShares;
  if (!two_inputs) return kOneInputShares;
  if (!shared) return kInputShares;
  return level == 1 ? kBlockShares : kWarpShares;
}

struct Arrays {
  std::vector<const ArrayPanel*> panels;
  const ArrayPanel* find(Side side, Space space) const {
    for (const ArrayPanel* panel : panels)
      if (panel->array->side == side && panel->array->allocation.space == space && !panel->window.empty()) return panel;
    return nullptr;
  }
  bool has_corner() const {
    return std::ranges::any_of(
        panels, [](const ArrayPanel* panel) { return panel->array->in_corner() && !panel->window.empty(); });
  }
  /// Whether there is nothing above C, but an input and its tile at its left.
  bool are_side_by_side() const {
    return !find(Side::B, Space::Global) && !find(Side::B, Space::Shared) && !is_one_number();
  }
  /// The letters of the longest name of an array in the corner.
  float corner_names() const {
    size_t letters = 0;
    for (const ArrayPanel* panel : panels)
      if (panel->array->in_corner() && !panel->window.empty())
        letters = std::max(letters, panel->array->allocation.name.size());
    return static_cast<float>(letters);
  }
  /// Whether all that is computed is one number: it says nothing of how large the others are drawn.
  bool is_one_number() const {
    const ArrayPanel* c = find(Side::C, Space::Global);
    return c && c->array->rows * c->array->columns == 1;
  }
};

uint64_t columns_of(const ArrayPanel* panel) { return panel ? panel->columns_shown() : 0; }
uint64_t rows_of(const ArrayPanel* panel) { return panel ? panel->rows_shown() : 0; }

/// The depth of both inputs, or of both shared arrays, in pixels: one scale for A and B, that of C if it is within the
/// share. `most`, `least`: pixels.
void set_depth(const ArrayPanel* a, const ArrayPanel* b, float cell, float least, float most, float& across,
               float& down) {
  const auto of_a = static_cast<float>(columns_of(a)), of_b = static_cast<float>(rows_of(b)),
             depth = std::max(of_a, of_b);
  if (depth == 0) return;
  const float scale = std::clamp(depth * cell, least, most) / depth;
  across = of_a * scale;
  down = of_b * scale;
}

/// The length that Shares are parts of.
float side_of(const Arrays& arrays, const Box& area) {
  const bool both = arrays.find(Side::B, Space::Global) || arrays.find(Side::B, Space::Shared);
  return both ? std::min(area.width, area.height) : area.width;
}

/// All extents for a size of C's cells.
void set_extents(const Arrays& arrays, const Shares& shares, const Box& area, float cell, Extents& x, Extents& y) {
  const ArrayPanel* c = arrays.find(Side::C, Space::Global);
  const uint64_t columns = columns_of(c) + (c ? c->columns_beyond : 0), rows = rows_of(c) + (c ? c->rows_beyond : 0);
  x.output = static_cast<float>(columns) * cell;
  y.output = static_cast<float>(rows) * cell;
  if (arrays.is_one_number())
    y.output = std::max(y.output, static_cast<float>(rows_of(arrays.find(Side::A, Space::Global))) * cell);
  x.elements = columns == 0 ? 1 : static_cast<float>(columns_of(c)) / static_cast<float>(columns);
  y.elements = rows == 0 ? 1 : static_cast<float>(rows_of(c)) / static_cast<float>(rows);
  y.most =
      arrays.are_side_by_side()
          ? std::max({rows, rows_of(arrays.find(Side::A, Space::Global)), rows_of(arrays.find(Side::A, Space::Shared))})
          : 0;
  if (y.most > 0) y.output = static_cast<float>(y.most) * cell;
  const float side = side_of(arrays, area);
  set_depth(arrays.find(Side::A, Space::Global), arrays.find(Side::B, Space::Global), cell, shares.input_least * side,
            shares.input_most * side, x.input, y.input);
  set_depth(arrays.find(Side::A, Space::Shared), arrays.find(Side::B, Space::Shared), cell, shares.shared_least * side,
            shares.shared_most * side, x.shared, y.shared);
  constexpr float kOfCorner = 0.3f;  // Of the height, for other arrays where no B leaves them a corner.
  if (!arrays.has_corner()) return;
  if (y.input + y.shared == 0) y.input = kOfCorner * area.height;
  const float least = arrays.corner_names() * kLetter + kLeastWidth, here = x.input + x.shared;
  if (shares.names_corner && here > 0 && here < least) x.input = least - x.shared;
}

/// Both depths grow with C's cells, as far as the share and the room in both directions allow.
void stretch_depth(float stretch, float most, float room_across, float room_down, float& across, float& down) {
  const float depth = std::max(across, down);
  if (depth <= 0) return;
  stretch = std::min(stretch, most / depth);
  if (across > 0) stretch = std::min(stretch, 1 + room_across / across);
  if (down > 0) stretch = std::min(stretch, 1 + room_down / down);
  across *= std::max(1.0f, stretch);
  down *= std::max(1.0f, stretch);
}

/// The largest square cells of C with which everything fits; then, from near, the remaining room in one direction.
/// Returns the size of the square cells.
float fit(const Arrays& arrays, const Shares& shares, float stretch, const Box& area, Extents& x, Extents& y) {
  // A single row or column is drawn at least this thick.
  constexpr float kLeastSeen = 0.12f;  // Of the room.
  float low = 0, high = arrays.is_one_number() ? kLeastSeen * area.height : std::max(area.width, area.height);
  for (int i = 0; i < 24; ++i) {
    const float cell = (low + high) / 2;
    set_extents(arrays, shares, area, cell, x, y);
    (x.total() <= area.width && y.total() <= area.height ? low : high) = cell;
  }
  set_extents(arrays, shares, area, low, x, y);
  const auto stretched_to = [&](float output, float total, float all) {
    const float most = std::max(stretch, kLeastSeen * all / std::max(1.0f, output));
    return std::clamp(1 + (all - total) / std::max(1.0f, output), 1.0f, most);
  };
  const float across = stretched_to(x.output, x.total(), area.width);
  const float down = stretched_to(y.output, y.total(), area.height);
  x.output *= across;
  y.output *= down;
  if (stretch <= 1) return low;
  stretch_depth(std::max(across, down), shares.shared_most * side_of(arrays, area), area.width - x.total(),
                area.height - y.total(), x.shared, y.shared);
  return low;
}

Box box_of(const ArrayPanel& panel, const Box& area, const Extents& x, const Extents& y) {
  const float left = area.x + (area.width - x.total()) / 2, top = area.y + (area.height - y.total()) / 2;
  const float c_x = left + x.total() - x.output, c_y = top + y.total() - y.output;
  const bool shared = panel.array->allocation.space == Space::Shared;
  // A tile is as large as the block, even beyond the matrix.
  const float width = x.output * (shared ? 1 : x.elements);
  const float height = y.most > 0 ? y.output * static_cast<float>(panel.rows_shown()) / static_cast<float>(y.most)
                                  : y.output * (shared ? 1 : y.elements);
  switch (panel.array->side) {
    case Side::A: return {shared ? c_x - kGap - x.shared : left, c_y, shared ? x.shared : x.input, height};
    case Side::B: return {c_x, shared ? c_y - kGap - y.shared : top, width, shared ? y.shared : y.input};
    case Side::C: return {c_x, c_y, width, height};
    case Side::None: break;
  }
  return {};
}

/// Other arrays are above A and at the left of B, one below the other: arrays of one row as high as a line of text,
/// mbarriers as three, the others as high as there is room. At the left of each is room for its name.
void place_in_corner(const TracedBlock& traced, std::vector<ArrayPanel>& panels, const Box& area, const Extents& x,
                     const Extents& y) {
  constexpr float kMostName = 0.65f, kLeastName = 0.2f, kLeastHeight = 40, kMostRow = 16, kLeastRow = 3, kApart = 6,
                  kWidthOfOthers = 320;
  constexpr float kMostOfMbarriers = 44;  // Three lines of text and one of bytes.
  constexpr float kNameOfBelow = 28;      // The names of A and As are above them.
  std::vector<ArrayPanel*> here;
  for (ArrayPanel& panel : panels)
    if (panel.array->in_corner() && !panel.window.empty()) here.push_back(&panel);
  if (here.empty()) return;
  const float edge = area.x + (area.width - x.total()) / 2, top = area.y + (area.height - y.total()) / 2;
  const float end = edge + x.total() - x.output - kGap;
  const float left = std::min(edge, std::max(area.x, end - kWidthOfOthers));
  const float width = std::max(kLeastWidth, end - left),
              height = std::max(kLeastHeight, y.total() - y.output - 2 * kGap - kNameOfBelow);
  const auto is_row = [](const ArrayPanel* panel) { return panel->rows_shown() == 1; };
  const auto rows = static_cast<float>(std::ranges::count_if(here, is_row));
  const float each =
      std::max(kLeastRow, (height - kApart * static_cast<float>(here.size() - 1)) / static_cast<float>(here.size()));
  const auto most_of = [&](const ArrayPanel* panel) {
    return holds_mbarriers(traced, *panel->array) ? kMostOfMbarriers : kMostRow;
  };
  float spare = 0;  // That rows leave to the others.
  for (const ArrayPanel* panel : here)
    if (is_row(panel)) spare += std::max(0.0f, each - most_of(panel));
  const float others = static_cast<float>(here.size()) - rows;
  size_t letters = 0;
  for (const ArrayPanel* panel : here) letters = std::max(letters, panel->array->allocation.name.size());
  const float name = std::clamp(kLetter * static_cast<float>(letters) / width, kLeastName, kMostName);
  float at = top;
  for (ArrayPanel* panel : here) {
    const float own = is_row(panel) ? std::min(most_of(panel), each) : each + spare / others;
    panel->box = {left + width * name, at, width * (1 - name), own};
    at += own + kApart;
  }
}

/// Where all that is shown are a few long rows of no product: one array below the other, inputs above outputs, over the
/// whole width. False otherwise.
bool stack_rows(std::vector<ArrayPanel>& panels, const Box& area) {
  constexpr float kNames = 42, kMostHeight = 60, kLeastHeight = 6;  // A panel may be higher if its cells are wide.
  constexpr uint64_t kMostRows = 8, kLeastLength = 3;               // Of a row, in rows.
  std::vector<ArrayPanel*> rows;
  for (const bool outputs : {false, true})
    for (ArrayPanel& panel : panels) {
      if (panel.window.empty() || panel.array->is_output() != outputs) continue;
      const uint64_t rows_shown = panel.rows_shown();
      if (rows_shown > kMostRows || (rows_shown > 1 && panel.columns_shown() < kLeastLength * rows_shown)) return false;
      rows.push_back(&panel);
    }
  if (rows.empty()) return false;
  const float each = area.height / static_cast<float>(rows.size());
  float end = area.y;
  for (ArrayPanel* panel : rows) {
    const auto shown = static_cast<float>(panel->columns_shown());
    const float cell = std::min(area.width / (shown + static_cast<float>(panel->columns_beyond)), kMostHeight);
    const float square = cell * static_cast<float>(panel->rows_shown());
    const float height = std::clamp(each - kNames, kLeastHeight, std::max(kMostHeight, square));
    end += each;
    panel->box = {area.x, end - height, cell * shown, height};
    panel->rows_beyond = 0;
    panel->named_above = true;
  }
  return true;
}

/// Notes where the elements are not as large as in the rest of the picture.
void note_breaks(std::vector<ArrayPanel>& panels, float cell) {
  constexpr float kSlack = 0.06f;
  const auto differs = [&](float length) { return std::abs(length / cell - 1) > kSlack; };
  for (ArrayPanel& panel : panels) {
    if (panel.array->in_corner() || panel.window.empty()) continue;
    panel.broken_across = differs(panel.cell_width());
    panel.broken_down = differs(panel.cell_height());
  }
}

/// The names of arrays at the left are above them: without anything else there, their height is left free.
Box below_names(const Arrays& arrays, const Box& area) {
  constexpr float kNames = 0.12f;  // Two lines, of the height.
  const auto has = [&](Side side) { return arrays.find(side, Space::Global) || arrays.find(side, Space::Shared); };
  const float names = has(Side::A) && !has(Side::B) ? kNames * area.height : 0;
  return {area.x, area.y + names, area.width, area.height - names};
}

std::vector<ArrayPanel> panels_at(const Focus& focus, const Box& area, int level, const std::vector<Region>& tiles,
                                  int slice) {
  const TracedBlock& traced = *focus.traced;
  if (level == 2) {
    const std::vector<Region> copies = copy_regions(traced, focus.cursor);
    const auto is_copied = [](const Region& region) { return !region.empty(); };
    if (std::any_of(copies.begin(), copies.end(), is_copied)) return copy_panels(focus, area, copies);
  }
  std::vector<ArrayPanel> panels;
  for (size_t i = 0; i < traced.accesses.arrays().size(); ++i) {
    const TracedArray& array = traced.accesses.arrays()[i];
    const Region window = window_of(traced, array, tiles[i], focus.cursor.warp, level);
    ArrayPanel panel{&array, {}, within_slice(focus, array, window, slice), 1, array_ink(array)};
    if (panel.window.empty()) panel.strength = 0;
    if (array.is_output() && slices_of(array) == 1 && level < 2 && !focus.hidden.has(session::Fact::Accesses) &&
        !focus.hidden.has(session::Fact::Resources)) {
      const Beyond beyond = beyond_output(focus, level == 0);
      panel.rows_beyond = beyond.rows;
      panel.columns_beyond = beyond.columns;
    }
    panels.push_back(panel);
  }
  Arrays arrays;
  for (const ArrayPanel& panel : panels) arrays.panels.push_back(&panel);
  if (!traced.report.is_product && stack_rows(panels, area)) return panels;
  Extents x, y;
  const Box room = below_names(arrays, area);
  const float cell =
      fit(arrays, shares_at(level, !traced.trace.header().shared.empty(), traced.accesses.has_two_inputs()),
          traced.report.is_product ? kMostStretch[level] : 1, room, x, y);
  for (ArrayPanel& panel : panels) panel.box = box_of(panel, room, x, y);
  place_in_corner(traced, panels, room, x, y);
  if (level < 2 && cell > 0) note_breaks(panels, cell);
  return panels;
}

float between(float a, float b, float part) { return a + (b - a) * part; }
uint64_t between(uint64_t a, uint64_t b, float part) {
  return static_cast<uint64_t>(std::lround(between(static_cast<float>(a), static_cast<float>(b), part)));
}

ArrayPanel between(ArrayPanel a, ArrayPanel b, float part) {
  if (a.window.empty()) a.window = b.window;
  if (b.window.empty()) b.window = a.window;
  ArrayPanel result = b;
  result.box = {between(a.box.x, b.box.x, part), between(a.box.y, b.box.y, part),
                between(a.box.width, b.box.width, part), between(a.box.height, b.box.height, part)};
  result.window = {between(a.window.row, b.window.row, part), between(a.window.column, b.window.column, part),
                   between(a.window.row_end, b.window.row_end, part),
                   between(a.window.column_end, b.window.column_end, part)};
  result.strength = between(a.strength, b.strength, part);
  return result;
}

/// Cuts [begin, end), drawn from `at` over `extent`, to the cells that overlap [low, high).
void cut(uint64_t& begin, uint64_t& end, float& at, float& extent, float low, float high) {
  if (end <= begin || at + extent <= low || at >= high) {
    end = begin;
    return;
  }
  const float cell = extent / static_cast<float>(end - begin);
  const auto skipped = at < low ? static_cast<uint64_t>((low - at) / cell) : 0;
  const float right = at + extent;
  const auto cut_off = right > high ? static_cast<uint64_t>((right - high) / cell) : 0;
  begin += skipped;
  end -= std::min(cut_off, end - begin);
  at += static_cast<float>(skipped) * cell;
  extent = static_cast<float>(end - begin) * cell;
}

}  // namespace

Box ArrayPanel::place(const Region& region) const {
  const uint64_t from_row = transposed() ? region.column - window.column : region.row - window.row;
  const uint64_t from_column = transposed() ? region.row - window.row : region.column - window.column;
  const uint64_t rows = transposed() ? region.columns() : region.rows();
  const uint64_t columns = transposed() ? region.rows() : region.columns();
  return {box.x + static_cast<float>(from_column) * cell_width(), box.y + static_cast<float>(from_row) * cell_height(),
          static_cast<float>(columns) * cell_width(), static_cast<float>(rows) * cell_height()};
}

float level_of(session::Scale scale, const Focus& focus) {
  if (scale == session::Scale::Grid) return 0;
  return scale != session::Scale::Warp || focus.hidden.has(session::Fact::Accesses) ? 1 : 2;
}

std::vector<Region> tile_regions(const TracedBlock& traced, const analysis::StepRef& cursor) {
  const std::vector<TracedArray>& arrays = traced.accesses.arrays();
  std::vector<Region> regions(arrays.size());
  for_each_access_in_tile(traced, cursor, UINT32_MAX,
                          [&](const analysis::StepRef&, uint32_t record, const uint64_t* addresses) {
                            const uint32_t active = traced.trace.active(record);
                            const TracedArray* array =
                                traced.accesses.find(traced.trace.space(record), addresses[std::countr_zero(active)]);
                            if (!array || array->columns == 0) return;
                            regions[static_cast<size_t>(array - arrays.data())].add(
                                array->region_of(addresses, active, traced.trace.bytes(record)));
                          });
  for_each_bulk_copy_in_tile(traced, cursor, [&](const analysis::StepRef&, const trace::BulkRecord& copy) {
    for (const trace::BulkCopy::Piece& piece : copy.pieces)
      for (const auto& [space, address] :
           {std::pair(Space::Shared, piece.shared), std::pair(Space::Global, piece.global)}) {
        const TracedArray* array = traced.accesses.find(space, address);
        if (!array || array->columns == 0) continue;
        regions[static_cast<size_t>(array - arrays.data())].add(array->region_of(&address, 1, piece.bytes));
      }
  });
  return regions;
}

Region part_on_show(const ArrayPanel& panel, const Region& region) {
  const uint64_t slices = slices_of(*panel.array);
  return slices == 1 ? region : part_in_slice(*panel.array, region, panel.window.row / (panel.array->rows / slices));
}

uint64_t slices_of(const TracedArray& array) {
  const std::vector<uint64_t>& shape = array.allocation.shape;
  const uint64_t height = shape.size() < 3 ? 0 : shape[shape.size() - 2];
  return height == 0 || array.rows < height ? 1 : array.rows / height;
}

uint64_t slice_shown(const Focus& focus, const TracedArray& array, int slice) {
  const uint64_t slices = slices_of(array), height = std::max<uint64_t>(1, array.rows / slices);
  if (slice >= 0) return std::min(static_cast<uint64_t>(slice), slices - 1);
  if (const auto accessed = first_accessed(focus, array)) return *accessed / array.columns / height;
  const TracedArray* output = focus.traced->accesses.output();
  const bool like_output = output && !output->touched.empty() && slices_of(*output) == slices;
  const Region& touched = like_output ? output->touched : array.touched;
  const uint64_t of_touched = like_output ? output->rows / slices : height;
  return touched.empty() ? 0 : touched.row / std::max<uint64_t>(1, of_touched);
}

std::vector<ArrayPanel> stage_panels(const Focus& focus, const Box& area, float level, const std::vector<Region>& tiles,
                                     int slice) {
  const int below = std::clamp(static_cast<int>(std::floor(level)), 0, 2);
  const int above = std::min(below + 1, 2);
  const float part = level - static_cast<float>(below);
  const std::vector<ArrayPanel> panels = panels_at(focus, area, below, tiles, slice);
  if (part <= 0 || above == below) return panels;
  return panels_between(panels, panels_at(focus, area, above, tiles, slice), part);
}

std::vector<ArrayPanel> panels_between(const std::vector<ArrayPanel>& from, const std::vector<ArrayPanel>& to,
                                       float part) {
  std::vector<ArrayPanel> panels;
  for (size_t i = 0; i < from.size(); ++i) panels.push_back(between(from[i], to[i], part));
  return panels;
}

ArrayPanel visible_part(ArrayPanel panel, const Box& area, const StageView& view) {
  const Point centre = area.centre();
  const uint64_t last_row = panel.window.row_end, last_column = panel.window.column_end;
  panel.box = {centre.x + (panel.box.x - centre.x) * view.zoom + view.pan_x * area.width,
               centre.y + (panel.box.y - centre.y) * view.zoom + view.pan_y * area.height, panel.box.width * view.zoom,
               panel.box.height * view.zoom};
  Region& w = panel.window;
  uint64_t& column = panel.transposed() ? w.row : w.column;
  uint64_t& column_end = panel.transposed() ? w.row_end : w.column_end;
  uint64_t& row = panel.transposed() ? w.column : w.row;
  uint64_t& row_end = panel.transposed() ? w.column_end : w.row_end;
  cut(column, column_end, panel.box.x, panel.box.width, area.x, area.right());
  cut(row, row_end, panel.box.y, panel.box.height, area.y, area.bottom());
  if (row_end <= row || column_end <= column) panel.strength = 0;
  if (w.row_end < last_row) panel.rows_beyond = 0;
  if (w.column_end < last_column) panel.columns_beyond = 0;
  return panel;
}

}  // namespace tilescope::view
