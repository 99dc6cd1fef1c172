#include "view/stage/stage_words.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "arch/arch.h"
#include "base/words.h"
#include "view/label_placer.h"
#include "view/stage/stage_marks.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;
using session::Target;
using trace::kLanes;

// Heights of text, of the canvas's.
constexpr float kNameSize = 1.1f, kTextSize = 0.92f, kSmallSize = 0.86f, kKeyHeight = 0.95f, kKeyWidth = 9;
constexpr float kAroundKey = 3;  // Pixels above and below, where the frame of the warp at the cursor reaches.

/// The places of words, and what they may not cover.
struct Page {
  const StageFrame& frame;
  LabelPlacer& placer;
  Picture& picture;

  float text() const { return frame.canvas.text; }
  float line() const { return frame.line(); }
  float width(const std::string& words, Font font, float size) const {
    return frame.canvas.measure->width(words, font, size * text());
  }
  bool place(const std::vector<LabelPlacer::Group>& candidates) const {
    return placer.place(candidates, picture).has_value();
  }
  /// Whether the next words below a label, if there are any, are not close to it.
  bool is_apart_below(const Label& label) const {
    Box box = box_of(label, *frame.canvas.measure);
    box.height = std::min(box.height + text() * 0.15f, frame.canvas.height - box.y);
    return placer.is_free(box);
  }
  /// Words that the window explains under the mouse, by that name.
  bool place_explained(const std::vector<LabelPlacer::Group>& candidates, const char* name) const {
    const std::optional<size_t> placed = placer.place(candidates, picture);
    if (!placed) return false;
    for (const Label& label : candidates[*placed])
      picture.add(box_of(label, *frame.canvas.measure), Target{Target::Kind::Word, Space::None, name, 0, 0});
    return true;
  }
};

/// An array whose name has been placed.
struct Named {
  const ArrayPanel* panel = nullptr;
  Point at;              ///< The upper left corner of its words; the upper right one where they end at a line.
  float name_begin = 0;  ///< Pixels from the left; the name is at the height of `at`.
  bool extents = false;  ///< They are already there, or have no room.
};

bool is_left(const ArrayPanel& panel) {
  return panel.named_above || panel.array->side == Side::A || panel.array->in_corner();
}

/// At the left, above the array: the words of a shared array end where it ends, because C's column begins after it.
bool ends_at_line(const ArrayPanel& panel) {
  return panel.array->side == Side::A && panel.array->allocation.space == Space::Shared;
}

/// Of an array's name, of the canvas's text: low rows one below the other have lower names.
float name_size(const Page& page, const ArrayPanel& panel) {
  constexpr float kBetweenRows = 5;
  const float lowest = kLeastWords / page.text();
  if (!panel.array->in_corner() || panel.named_above) return kNameSize;
  return std::clamp((panel.box.height + kBetweenRows) / page.text(), std::min(lowest, kNameSize), kNameSize);
}

float name_width(const Page& page, const ArrayPanel& panel) {
  return page.width(panel.array->allocation.name, Font::Bold, name_size(page, panel));
}

Label name_label(const Page& page, const ArrayPanel& panel, Point at) {
  return {
      at, panel.array->allocation.name, {panel.ink, panel.strength}, Font::Bold, name_size(page, panel) * page.text()};
}

/// "512 × 512", of a shared array with stages "4 × 16 × 128", of another with slices "64 × 64, slice 3 of 8".
std::string extents_text(const ArrayPanel& panel) {
  const run::TracedArray& array = *panel.array;
  if (array.is_mates())
    return tr_format("of block {} of the cluster", (array.allocation.base >> trace::kRankShift) - 1);
  if (array.allocation.space == Space::Shared && array.allocation.shape.size() != 2)
    return fmt::format("{}", fmt::join(array.allocation.shape, " × "));
  const uint64_t slices = slices_of(array), height = array.rows / std::max<uint64_t>(1, slices);
  const std::string whole = fmt::format("{} × {}", array.rows, array.columns);
  const Region& shown = panel.window;
  if (slices == 1)
    return shown.rows() == array.rows && shown.columns() == array.columns
               ? whole
               : tr_format("{} × {} of {}", shown.rows(), shown.columns(), whole);
  return tr_format("{} × {}, slice {} of {}", height, array.columns, panel.window.row / height + 1, slices);
}

/// After a name that begins at `name`.
Label extents_label(const Page& page, const ArrayPanel& panel, Point name) {
  const float behind = page.width(panel.array->allocation.name + " ", Font::Bold, name_size(page, panel));
  return {{name.x + behind, name.y + 1},
          extents_text(panel),
          {Ink::Faint, panel.strength},
          Font::Text,
          kTextSize * page.text()};
}

/// Beside an array at the right: at its upper edge or the middle of a low one; then further down.
std::vector<Point> places_beside(const Page& page, const ArrayPanel& panel, float lowest) {
  Point at{panel.whole_box().right() + page.text(), panel.box.y};
  if (panel.box.height < page.line() * 2) at.y += (panel.box.height - page.line() * 2) / 2;
  at.y = std::max(std::min(at.y, lowest), at.y - page.line() * 1.5f);
  at.y = std::max(at.y, page.text() * 0.4f);  // Above the canvas are buttons.
  std::vector<Point> places;
  for (; at.y + page.text() * kNameSize <= page.frame.canvas.height; at.y += page.line() / 2) places.push_back(at);
  return places;
}

/// At the left of an array in the corner; if arrays are closer than lines of text, the names are staggered, each
/// further left than the one before.
std::vector<Point> places_in_corner(const Page& page, const ArrayPanel& panel) {
  constexpr int kTurns = 4;
  float widest = 0;
  for (const ArrayPanel& each : page.frame.panels)
    if (each.array->in_corner() && !each.window.empty()) widest = std::max(widest, name_width(page, each));
  Point at{panel.box.x - name_width(page, panel) - page.text() * 0.5f,
           panel.box.centre().y - page.text() * name_size(page, panel) * 0.62f};
  std::vector<Point> places;
  for (int turn = 0; turn < kTurns && at.x >= 0; ++turn, at.x -= widest + page.text() * 0.5f) places.push_back(at);
  return places;
}

/// Whether words above an array at the left leave the names of those further left where they begin.
bool leaves_names(const Page& page, const ArrayPanel& panel, const Box& words) {
  return std::ranges::none_of(page.frame.panels, [&](const ArrayPanel& other) {
    if (&other == &panel || !is_left(other) || other.array->in_corner()) return false;
    const float end = other.box.x + name_width(page, other) + page.text();
    return other.box.x < panel.box.x && words.x < end && other.box.y == panel.box.y;
  });
}

/// A line from a name to its array, if others are between them; false if none are.
bool lead_to(const Page& page, const ArrayPanel& panel, float name_end) {
  const Point end{panel.box.x - page.text() * 0.2f, panel.box.centre().y};
  if (end.x - name_end < page.text()) return false;
  page.picture.add(Polyline{{{name_end + page.text() * 0.3f, end.y}, end}, {panel.ink, 0.4f * panel.strength}, 1});
  return true;
}

/// Of an array at the left: above it from where it begins; further left if the words have no room before the next
/// array; at its left if something else is above it.
std::optional<Named> place_name_above(const Page& page, const ArrayPanel& panel, float above) {
  std::vector<LabelPlacer::Group> candidates;
  const float step = page.text() / 2;
  for (const bool extents : {true, false}) {
    const auto group_at = [&](float x, float y) {
      LabelPlacer::Group group{name_label(page, panel, {x, y})};
      if (extents) group.push_back(extents_label(page, panel, {x, y}));
      return group;
    };
    const Box last = box_of(group_at(0, 0).back(), *page.frame.canvas.measure);
    for (float x = panel.box.x; x >= panel.box.x || x + last.right() >= panel.box.x + step; x -= step)
      if (page.placer.is_free({x, above, last.right() + step, last.bottom()})) candidates.push_back(group_at(x, above));
    candidates.push_back(group_at(panel.box.x - step - last.right(), panel.box.y));
  }
  const auto placed = page.placer.place(candidates, page.picture);
  if (!placed) return std::nullopt;
  const LabelPlacer::Group& words = candidates[*placed];
  return Named{&panel, words.front().at, words.front().at.x, words.size() > 1};
}

/// `lowest`: from where a name at the right leaves room for words below it.
std::optional<Named> place_name(const Page& page, const ArrayPanel& panel, float lowest) {
  const float width = name_width(page, panel), above = panel.box.y - page.line() * 2.1f;
  if (ends_at_line(panel)) {
    const Label bare = name_label(page, panel, {panel.box.right() - width, above});
    Label name = bare, extents = extents_label(page, panel, bare.at);
    const float both =
        extents.at.x - bare.at.x + page.frame.canvas.measure->width(extents.text, extents.font, extents.size);
    name.at.x = panel.box.right() - both;
    extents = extents_label(page, panel, name.at);
    const bool has_room = leaves_names(page, panel, box_of(name, *page.frame.canvas.measure));
    Label close = bare;  // In a low window, without words below it.
    close.at.y = panel.box.y - page.line();
    std::vector<LabelPlacer::Group> candidates{{bare}, {close}};
    if (has_room) candidates.insert(candidates.begin(), {name, extents});
    const auto placed = page.placer.place(candidates, page.picture);
    if (!placed) return std::nullopt;
    const Point at = candidates[*placed].front().at;
    return Named{&panel, {panel.box.right(), at.y}, at.x, true};
  }
  const bool in_corner = panel.array->in_corner() && !panel.named_above;
  if (is_left(panel) && !in_corner) return place_name_above(page, panel, above);
  std::vector<Point> places{{panel.box.x, above}};
  if (in_corner) std::ranges::copy(places_in_corner(page, panel), std::inserter(places, places.begin()));
  if (!is_left(panel)) places = places_beside(page, panel, lowest);
  if (panel.array->side == Side::None)
    places.push_back({panel.box.right() + page.text() / 2, panel.box.centre().y - page.text() * kNameSize / 2});
  std::vector<LabelPlacer::Group> candidates;
  for (const Point& at : places) candidates.push_back({name_label(page, panel, at)});
  const auto placed = page.placer.place(candidates, page.picture);
  if (!placed) return std::nullopt;
  const bool is_led = in_corner && lead_to(page, panel, places[*placed].x + width);
  return Named{&panel, places[*placed], places[*placed].x, is_led};
}

void underline(const Page& page, const Named& named) {
  const auto& names = page.frame.focus.emphasised;
  if (std::find(names.begin(), names.end(), named.panel->array->allocation.name) == names.end()) return;
  const Box box{named.name_begin, named.at.y + page.text() * 1.06f, name_width(page, *named.panel), 2};
  page.picture.add(Rectangle{box, {Ink::Accent, named.panel->strength}});
}

/// Not where the next word would begin right behind it.
void place_extents(const Page& page, const Named& named) {
  if (named.extents) return;
  const Label label = extents_label(page, *named.panel, {named.name_begin, named.at.y});
  Box box = box_of(label, *page.frame.canvas.measure);
  if (is_left(*named.panel)) box.width += page.text() / 2;
  if (page.placer.is_free(box)) page.place({{label}});
}

/// "[2][24…27][16…23]", without the first of an array that has no slices.
std::string used_text(const ArrayPanel& panel, const Region& used) {
  const uint64_t slices = slices_of(*panel.array), height = panel.array->rows / slices;
  if (slices == 1) return region_text(used);
  const uint64_t first = used.row / height, last = (used.row_end - 1) / height;
  if (first != last) return fmt::format("[{}…{}]", first, last);
  return fmt::format("[{}]{}", first,
                     region_text({used.row % height, used.column, used.row_end - first * height, used.column_end}));
}

/// The elements of the cursor's instruction: below the name, at the right also after it.
void place_used(const Page& page, const Named& named) {
  const Region used = bounds_of(*named.panel->array, page.frame.used(*named.panel->array));
  if (used.empty() || page.frame.view.level <= 0.5f) return;
  const TracedArray& array = *named.panel->array;
  Label label{{named.at.x, named.at.y + page.line()},
              array.extents.empty() && array.allocation.shape.size() != 1
                  ? used_text(*named.panel, used)
                  : elements_text(array, page.frame.used(array)),
              {Ink::Accent, named.panel->strength},
              Font::Mono,
              kTextSize * page.text(),
              ends_at_line(*named.panel) ? Align::End : Align::Begin};
  std::vector<LabelPlacer::Group> candidates{{label}};
  label.at = {named.name_begin + name_width(page, *named.panel) + page.text() * 0.5f, named.at.y + 1};
  if (!is_left(*named.panel)) candidates.push_back({label});
  page.place(candidates);
}

/// The shown part of the sum's index of an input; empty if that is all of it.
std::string depth_text(const ArrayPanel& panel) {
  const TracedArray& array = *panel.array;
  if (array.allocation.space == Space::Shared || (array.side != Side::A && array.side != Side::B)) return {};
  const Region& shown = panel.window;
  const bool columns = is_left(panel) != panel.transposed();
  if ((columns ? shown.columns() : shown.rows()) >= (columns ? array.columns : array.rows)) return {};
  return columns ? fmt::format("k {}…{}", shown.column, shown.column_end - 1)
                 : fmt::format("k {}…{}", shown.row, shown.row_end - 1);
}

/// Below an array at the left; below the name of one at the right, if that is beside the array.
void place_depth(const Page& page, const Named& named) {
  const ArrayPanel& panel = *named.panel;
  const std::string text = page.frame.focus.traced->accesses.has_sum_index() ? depth_text(panel) : "";
  if (text.empty() || (!is_left(panel) && panel.box.height < page.line() * 3)) return;
  const Colour colour{Ink::Faint, panel.strength};
  const float size = kSmallSize * page.text();
  const Point at =
      is_left(panel) ? Point{panel.box.x, panel.box.bottom() + 3} : Point{named.at.x, named.at.y + page.line() * 2};
  // Below a copy's panel are the arrows to the tile.
  const Label label =
      panel.named_above
          ? Label{{panel.box.right(), panel.box.y - page.line()}, text, colour, Font::Text, size, Align::End}
          : Label{at, text, colour, Font::Text, size};
  page.place_explained({{label}}, "k");
}

void place_transposed(const Page& page, const Named& named) {
  const ArrayPanel& panel = *named.panel;
  if (!panel.array->transposed || panel.strength <= 0.5f || page.frame.view.level <= 0.5f) return;
  if (page.frame.focus.hidden.has(session::Fact::Defect)) return;
  const bool left = is_left(panel);
  std::vector<LabelPlacer::Group> candidates;
  for (const char* words : {tr("drawn transposed"), tr("transposed")})
    for (int line = 1; line <= (left ? 1 : 3); ++line) {
      const Point at = left ? Point{panel.box.right(), panel.box.bottom() + 3}
                            : Point{named.at.x, named.at.y + page.line() * static_cast<float>(line)};
      candidates.push_back({Label{at,
                                  words,
                                  {Ink::Faint, panel.strength},
                                  Font::Text,
                                  kSmallSize * page.text(),
                                  left ? Align::End : Align::Begin}});
    }
  page.place_explained(candidates, "drawn transposed");
}

/// The meaning of hatched and dashed elements of a shared array.
void place_tile_key(const Page& page, const Named& named) {
  const ArrayPanel& panel = *named.panel;
  if (page.frame.shared.empty() || panel.array->allocation.space != Space::Shared || panel.array->in_corner()) return;
  std::vector<std::vector<std::string>> all;  // Of each the words that are tried in turn.
  if (!page.frame.shared[page.frame.number_of(*panel.array)].missing.empty())
    all.push_back({tr("hatched: not yet written")});
  const StagesNow& stages = page.frame.stages[page.frame.number_of(*panel.array)];
  const auto listed = [](const std::vector<uint32_t>& numbers) {
    return fmt::format("{}", fmt::join(numbers, ",\u00a0"));
  };
  if (!stages.read.empty()) all.push_back({tr_format("framed, being read: stage {}", listed(stages.read))});
  if (!stages.on_the_way.empty() && !page.frame.is_swizzled(*panel.array))
    all.push_back({tr_format("hatched downwards, on the way: stage {}", listed(stages.on_the_way)),
                   tr("hatched downwards, on the way")});
  if (!page.frame.spoiled.empty() && !page.frame.spoiled[page.frame.number_of(*panel.array)].empty())
    all.push_back({tr("red: overwritten too early")});
  if (page.frame.is_swizzled(*panel.array)) all.push_back({tr("swizzled: a colour for each 16 bytes of a row")});
  if (std::ranges::any_of(never_accessed(*panel.array),
                          [&](const Region& unused) { return !clipped(unused, panel.window).empty(); }))
    all.push_back({tr("dashed: never accessed")});
  const bool left = is_left(panel);
  const float room = left ? panel.box.right() : page.frame.canvas.width - named.at.x - page.text() / 2;
  for (const std::vector<std::string>& words : all) {
    std::vector<LabelPlacer::Group> candidates;
    for (const std::string& text : words) {
      const std::vector<std::string> lines =
          wrapped(*page.frame.canvas.measure, text, Font::Text, kSmallSize * page.text(), room);
      for (int line = 1; line <= 6; ++line) {  // The key of the banks may take two.
        const float down = page.line() * static_cast<float>(line);
        Point at = left ? Point{panel.box.right(), panel.box.bottom() + 3 + down - page.line()}
                        : Point{named.at.x, named.at.y + down};
        LabelPlacer::Group group;
        for (const std::string& each : lines) {
          group.push_back(Label{at,
                                each,
                                {Ink::Faint, panel.strength},
                                Font::Text,
                                kSmallSize * page.text(),
                                left ? Align::End : Align::Begin});
          at.y += page.line();
        }
        // Further down they would seem to be about the next array.
        const bool beside = left || line <= 4 || group.back().at.y + page.line() <= panel.box.bottom();
        if (beside && page.is_apart_below(group.back())) candidates.push_back(std::move(group));
      }
    }
    page.place(candidates);
  }
}

bool is_initialised(const StageFrame& frame, const TracedArray& array) {
  for (uint64_t index = 0; index < array.rows * array.columns; ++index)
    if (frame.traced.mbarriers.at(array.address_of(index), frame.slot).initialised) return true;
  return false;
}

/// The meaning of the boxes of mbarriers, below the last of their arrays.
void place_mbarrier_key(const Page& page, const std::vector<Named>& all) {
  const ArrayPanel* last = nullptr;
  bool initialised = false;
  for (const Named& named : all) {
    if (!holds_mbarriers(page.frame.traced, *named.panel->array) || named.panel->strength <= 0.5f) continue;
    initialised |= is_initialised(page.frame, *named.panel->array);
    if (!last || named.panel->box.y > last->box.y) last = named.panel;
  }
  if (!last || page.frame.focus.hidden.has(session::Fact::Accesses) || page.frame.view.level <= 0.5f) return;
  std::vector<LabelPlacer::Group> candidates;
  constexpr float kLettersOfPhase = 2.5f;
  const MbarrierLines lines = lines_of_mbarrier(last->box.height, page.text());
  const size_t rows = last->cell_width() < kLettersOfPhase * lines.size ? std::min<size_t>(lines.rows, 1) : lines.rows;
  const std::vector<const char*> written{tr("phase; missing: arrivals, bytes"), tr("phase; what is missing")},
      brief{tr("missing: arrivals, bytes")},
      drawn{tr("filled: arrivals; line: bytes on their way"), tr("filled: arrivals")}, empty{tr("not yet initialised")};
  for (const char* words : !initialised ? empty : rows == 0 ? drawn : rows == 1 ? brief : written)
    candidates.push_back({Label{{last->box.right(), last->box.bottom() + 3},
                                words,
                                {Ink::Faint, last->strength},
                                Font::Text,
                                kSmallSize * page.text(),
                                Align::End}});
  page.place_explained(candidates, "missing: arrivals, bytes");
}

/// The colours of the banks, below the name or the array, like the words about a tile.
void place_bank_key(const Page& page, const Named& named) {
  const ArrayPanel& panel = *named.panel;
  if (panel.array != page.frame.banks) return;
  const std::string text = tr_format("banks 0…{}", arch::kBanks - 1);
  const bool left = is_left(panel);
  const float width = page.text() * kKeyWidth, height = page.text() * 0.6f;
  for (int line = 1; line <= 3; ++line) {
    const float down = page.line() * static_cast<float>(line);
    const Point at = left ? Point{panel.box.right() - width, panel.box.bottom() + 3 + down - page.line()}
                          : Point{named.at.x, named.at.y + down};
    const Box key{at.x, at.y + page.line(), width, height};
    if (!page.placer.is_free({at.x, at.y, width, page.line() + height})) continue;
    page.place({{Label{at, text, {Ink::Faint, panel.strength}, Font::Text, kSmallSize * page.text()}}});
    Cells cells{key, 1, arch::kBanks, 0, {}};
    for (uint32_t bank = 0; bank < arch::kBanks; ++bank) cells.colours.push_back(bank_colour(bank, panel.strength));
    page.picture.add(std::move(cells));
    return page.placer.take(key);
  }
}

/// The words below C's name.
struct Description {
  std::vector<std::vector<std::string>> sentences;  ///< Each in its lines.
  Ink ink = Ink::Faint;
  bool key = false;  ///< The last one is about lanes or warps; their colours are below it.
};

std::vector<std::string> grid_lines(const Page& page, const TracedArray& output) {
  std::vector<std::string> lines;
  const uint64_t total = page.frame.traced.report.grid.count(), known = page.frame.blocks_run(),
                 wave = page.frame.blocks_per_wave();
  lines.push_back(plural(total, "{} block", "{} blocks"));
  if (known < total) lines.push_back(tr_format("{} of them run", known));
  if (const uint64_t others = known - std::min(known, page.frame.blocks_storing(output)); others > 0)
    lines.push_back(plural(others, "{} block writes none of it", "{} blocks write none of it"));
  if (std::ranges::any_of(page.frame.panels,
                          [&](const ArrayPanel& panel) { return !page.frame.parts_of_k(*panel.array).empty(); }))
    lines.push_back(tr("framed in the inputs: each block's part of k"));
  if (page.frame.blocks_of_cluster() > 1)
    lines.push_back(
        plural(page.frame.blocks_of_cluster(), "framed: clusters of {} block", "framed: clusters of {} blocks"));
  if (wave == 0 || !page.frame.focus.tells_of_sms) return lines;
  lines.push_back(tr_format("{} at a time on {}", wave, page.frame.traced.prepared->device->name));
  lines.push_back(
      tr_format("({} on each of {} SMs)", page.frame.traced.report.occupancy->blocks_per_sm, page.frame.sms()));
  const uint64_t waves = (total + wave - 1) / wave;
  const double full = 100.0 * static_cast<double>(total) / static_cast<double>(wave);
  lines.push_back(waves > 1  ? plural(waves, "{} wave", "{} waves")
                  : full < 1 ? tr("one wave, less than 1 % of that")
                             : tr_format("one wave, {:.0f} % of that", full));
  return lines;
}

/// "64 × 64 per block", of an array with slices "2 × 8 × 8 per block".
std::string per_block_text(const TracedArray& output) {
  const Region& touched = output.touched;
  if (slices_of(output) == 1 || touched.empty())
    return tr_format("{} × {} per block", touched.rows(), touched.columns());
  const uint64_t height = output.rows / slices_of(output), last = touched.row_end - 1;
  const uint64_t rows = last % height >= touched.row % height ? last % height - touched.row % height + 1 : height;
  return tr_format("{} × {} × {} per block", last / height - touched.row / height + 1, rows, touched.columns());
}

/// Which blocks share a tile of C, if several do.
std::vector<std::string> sharing_lines(const StageFrame& frame) {
  std::vector<std::string> lines;
  const Dim3& grid = frame.traced.report.grid;
  for (const auto& [block, helpers] : frame.helpers)
    if (block == frame.traced.block)
      lines.push_back(tr_format("adds the sums of {}", positions_text(grid, helpers)));
    else if (helpers.contains(frame.traced.block))
      lines.push_back(tr_format("{} adds its sums", positions_text(grid, {block})));
  return lines;
}

std::vector<std::string> block_lines(const StageFrame& frame, const TracedArray& output) {
  if (output.touched.empty()) return {tr("this block writes none of it")};
  size_t most = 0;
  for (const auto& owned : frame.owned) most = std::max(most, owned.size());
  std::vector<std::string> lines{per_block_text(output)};
  if (most > 0) lines.push_back(plural(most, "{} element per thread", "{} elements per thread"));
  return lines;
}

/// What lines over the arrays mean.
std::vector<std::string> legend_lines(const Page& page) {
  const auto any = [&](auto is) { return std::ranges::any_of(page.frame.panels, is); };
  std::vector<std::string> lines;
  if (page.frame.view.level > 0.5f && any([](const ArrayPanel& panel) { return has_sectors(panel); }))
    lines.push_back(tr("thin lines: 32-byte sectors"));
  if (any([](const ArrayPanel& panel) { return panel.broken_across || panel.broken_down; }))
    lines.push_back(tr("// not to scale"));
  return lines;
}

/// Whether anything is coloured by lane.
bool has_lane_colours(const StageFrame& frame) {
  return (!frame.uses.empty() && !frame.banks) ||
         std::ranges::any_of(frame.owned, [](const std::vector<uint64_t>& elements) { return !elements.empty(); });
}

Description description_of(const Page& page, const ArrayPanel& panel, float room) {
  const Focus& focus = page.frame.focus;
  const TracedArray& output = *panel.array;
  const bool beyond = panel.rows_beyond + panel.columns_beyond > 0;
  Description result;
  std::vector<std::string> lines;
  if (focus.hidden.has(session::Fact::Accesses)) {
    result.ink = Ink::Text;
    lines = {covered_text(focus.hidden.asked_in(session::Fact::Accesses))};
  } else if (page.frame.shows_grid()) {
    if (!focus.hidden.has(session::Fact::Resources)) lines = grid_lines(page, output);
    if (beyond) lines.push_back(tr_format("hatched: threads outside {}", output.allocation.name));
    if (page.frame.wrong_in(output)) lines.push_back(tr("red: wrong values"));
  } else {
    if (!focus.hidden.has(session::Fact::Resources)) lines = block_lines(page.frame, output);
    std::ranges::move(sharing_lines(page.frame), std::back_inserter(lines));
    if (beyond) lines.push_back(tr_format("hatched: threads outside {}", output.allocation.name));
    const uint32_t warp = focus.cursor.warp, warps = page.frame.traced.timeline.warps();
    if (page.frame.wrong_in(output) && !page.frame.shows_lanes()) lines.push_back(tr("red: wrong values"));
    result.key = !page.frame.shows_lanes() || has_lane_colours(page.frame);
    if (result.key)
      lines.push_back(page.frame.shows_lanes() ? tr_format("lanes 0 to 31 of warp {}", warp)
                                               : tr_format("warps 0 to {}, here {}", warps - 1, warp));
  }
  const std::vector<std::string> legend = legend_lines(page);
  lines.insert(lines.end() - (result.key ? 1 : 0), legend.begin(), legend.end());
  // The colours have no room where their words have none on one line.
  if (result.key && page.width(lines.back(), Font::Text, kTextSize) > room) {
    lines.pop_back();
    result.key = false;
  }
  for (const std::string& line : lines)
    result.sentences.push_back(wrapped(*page.frame.canvas.measure, line, Font::Text, kTextSize * page.text(), room));
  return result;
}

float key_height(const Page& page) { return page.text() * kKeyHeight + 2 * kAroundKey; }

float height_of(const Page& page, const Description& description) {
  size_t lines = 0;
  for (const std::vector<std::string>& sentence : description.sentences) lines += sentence.size();
  return page.line() * static_cast<float>(lines) + (description.key ? page.line() * 0.4f + key_height(page) : 0);
}

/// The colours of the lanes, or of the warps with their numbers; a click goes there. `at` is their upper left corner.
void place_key(const Page& page, Point at) {
  const StageFrame& frame = page.frame;
  const bool lanes = frame.shows_lanes();
  const uint32_t count = lanes ? kLanes : frame.traced.timeline.warps();
  const float height = page.text() * kKeyHeight, width = page.text() * kKeyWidth,
              cell = std::min(width / static_cast<float>(count), height * 2);
  Cells key{{at.x, at.y + kAroundKey, cell * static_cast<float>(count), lanes ? page.text() * 0.6f : height},
            1,
            count,
            1,
            {}};
  std::vector<Shape> over;
  for (uint32_t i = 0; i < count; ++i) {
    const bool here = !lanes && i == frame.focus.cursor.warp;
    const Box box{at.x + cell * static_cast<float>(i), key.box.y, cell, key.box.height};
    key.colours.push_back(lanes ? lane_colour(i) : warp_colour(i, here ? 1 : 0.38f));
    page.picture.add(Box{box.x, at.y, cell, page.text()}, {lanes ? Target::Kind::Lane : Target::Kind::Warp, Space::None,
                                                           "", lanes ? i : 0, lanes ? frame.focus.cursor.warp : i});
    if (here) over.push_back(Rectangle{box, kNoColour, {Ink::Accent}, 2, 1});
    const float size = kSmallSize * page.text();
    if (!lanes && page.width("30", Font::Mono, kSmallSize) < cell)
      over.push_back(Label{box.centre(),
                           std::to_string(i),
                           {here ? Ink::OnLight : Ink::Text},
                           Font::Mono,
                           size,
                           Align::Centre,
                           Align::Centre});
  }
  page.picture.add(std::move(key));
  for (Shape& shape : over) page.picture.add(std::move(shape));
}

/// The words beside the name of a shared array at the right, before the next array's name is placed below it.
void place_words_beside(const Page& page, const Named& named) {
  place_used(page, named);
  place_extents(page, named);
  place_transposed(page, named);
  place_bank_key(page, named);
  place_tile_key(page, named);
}

/// As many of its sentences as fit, a line below the name, or higher if the last ones would not fit; beside an array
/// with its name above it.
void place_description(const Page& page, const Named& named, const Description& description) {
  const ArrayPanel& panel = *named.panel;
  const bool used = !page.frame.used(*panel.array).empty();
  const float least = panel.named_above ? 0 : named.at.y + page.line() * (used ? 2.1f : 1.1f);
  const float most = page.frame.canvas.height - height_of(page, description);
  const Point own = panel.named_above ? Point{panel.whole_box().right() + page.text(), panel.box.y}
                                      : Point{named.at.x, named.at.y + page.line() * 2.2f};
  Point at{own.x, std::clamp(own.y, least, std::max(least, most))};
  for (size_t i = 0; i < description.sentences.size(); ++i) {
    const bool of_key = description.key && i + 1 == description.sentences.size();
    if (of_key) at.y += page.line() * 0.4f;
    // Its words say nothing without the colours below them.
    if (of_key && !page.placer.is_free({at.x, at.y, page.text() * kKeyWidth, page.line() + key_height(page)})) return;
    LabelPlacer::Group lines;
    for (const std::string& line : description.sentences[i]) {
      lines.push_back({at, line, {description.ink}, Font::Text, kTextSize * page.text()});
      at.y += page.line();
    }
    const char* const term = page.frame.shows_lanes() ? "lane" : "warp";
    if (!(of_key ? page.place_explained({lines}, term) : page.place({lines}))) return;
  }
  if (description.key) place_key(page, at);
}

}  // namespace

void add_words(const StageFrame& frame, Picture& picture) {
  const float edge = frame.canvas.text / 4;
  LabelPlacer placer({edge, 0, frame.canvas.width - 2 * edge, frame.canvas.height}, *frame.canvas.measure);
  const Page page{frame, placer, picture};
  // Words with only one place, where an array at the left ends, come before those that can move; then from the top
  // down.
  std::vector<const ArrayPanel*> panels;
  for (const ArrayPanel& panel : frame.panels) {
    placer.take(panel.whole_box());
    panels.push_back(&panel);
  }
  std::stable_sort(panels.begin(), panels.end(), [](const ArrayPanel* a, const ArrayPanel* b) {
    return std::pair(!ends_at_line(*a), a->box.y) < std::pair(!ends_at_line(*b), b->box.y);
  });
  std::vector<Named> all, later;
  std::optional<Named> output;
  Description description;
  for (const ArrayPanel* panel : panels) {
    float lowest = frame.canvas.height;
    if (panel->array->is_output()) {
      description = description_of(page, *panel, frame.canvas.width - panel->whole_box().right() - page.text());
      lowest -= page.line() * 2.1f + height_of(page, description);
    }
    const auto named = place_name(page, *panel, lowest);
    if (!named) continue;
    all.push_back(*named);
    underline(page, *named);
    if (!is_left(*panel) && panel->array->allocation.space == Space::Shared)
      place_words_beside(page, *named);
    else
      later.push_back(*named);
    if (panel->array->is_output()) output = named;
  }
  place_mbarrier_key(page, all);
  for (const Named& named : later) place_used(page, named);
  for (const Named& named : later) place_extents(page, named);
  if (output) place_description(page, *output, description);
  for (const Named& named : later) place_depth(page, named);
  for (const Named& named : later) place_transposed(page, named);
  for (const Named& named : later) place_bank_key(page, named);
  for (const Named& named : later) place_tile_key(page, named);
}

}  // namespace tilescope::view
