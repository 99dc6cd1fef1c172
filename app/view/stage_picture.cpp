#include "view/stage_picture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/words.h"
#include "view/cell_painter.h"
#include "view/touches.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using analysis::Moment;
using session::ArrayStory;
using session::Region;
using session::Scene;
using session::Side;
using session::Target;
using trace::kLanes;

constexpr float kNumberApart = 4;    // Pixels between two lanes' numbers.
constexpr float kNumberLine = 1.3f;  // A number's ground, of its size.
constexpr size_t kMostOutlines = 96;

// Of what stands beside C, in lines of text: its name and the gap below it, what is said of a block, and of the grid or
// in place of what a question asks for; in the text's size the lanes' colours below all that.
constexpr float kNameLines = 1.1f, kBlockLines = 3.4f, kOtherLines = 3, kKeyHeight = 0.8f;
// Between what is said of a block and its lanes, in lines.
constexpr float kBeforeLanes = 0.4f;

/// Distinct elements as rectangles: runs along rows, those of neighbouring rows joined.
std::vector<Region> rectangles(std::vector<std::pair<uint64_t, uint64_t>> elements) {
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  std::vector<Region> runs;
  for (const auto& [row, column] : elements) {
    if (!runs.empty() && runs.back().row == row && runs.back().column_end == column)
      ++runs.back().column_end;
    else
      runs.push_back({row, column, row + 1, column + 1});
  }
  std::vector<Region> joined;
  std::map<std::pair<uint64_t, uint64_t>, size_t> open;  // By columns: the last rectangle with them.
  for (const Region& run : runs) {
    const auto known = open.find({run.column, run.column_end});
    if (known != open.end() && joined[known->second].row_end == run.row) {
      ++joined[known->second].row_end;
      continue;
    }
    open[{run.column, run.column_end}] = joined.size();
    joined.push_back(run);
  }
  return joined;
}

Region clipped(Region region, const Region& window) {
  region.row = std::max(region.row, window.row);
  region.column = std::max(region.column, window.column);
  region.row_end = std::min(region.row_end, window.row_end);
  region.column_end = std::min(region.column_end, window.column_end);
  if (region.row >= region.row_end || region.column >= region.column_end) return {};
  return region;
}

std::string range(uint64_t begin, uint64_t end) {
  return end == begin + 1 ? fmt::format("[{}]", begin) : fmt::format("[{}…{}]", begin, end - 1);
}

/// Draws one frame of the stage.
class Stage {
 public:
  Stage(const Focus& focus, const Canvas& canvas, const StageView& view)
      : focus_(focus),
        scene_(*focus.scene),
        canvas_(canvas),
        view_(view),
        line_(canvas.text * 1.3f),
        column_(scene_.timeline->column(focus.cursor)),
        now_(focus.cover.accesses ? std::vector<Touch>{} : touches(scene_, focus.cursor)),
        tiles_(tile_regions(scene_, focus.cursor)) {
    picture_.width = canvas.width;
    picture_.height = canvas.height;
    const std::string widest = tr_format("{} elements per thread", 128);
    const float right = canvas.measure->width(widest, Font::Text, canvas.text * 0.92f) + canvas.text * 2,
                left = canvas.text * 1.5f, top = canvas.text * 0.6f;
    area_ = {left, top, canvas.width - left - right, canvas.height - top - canvas.text * 1.2f};
  }

  Picture draw() {
    if (area_.width < 40 || area_.height < 40 || scene_.timeline->warps() == 0) return std::move(picture_);
    const Box all{0, 0, canvas_.width, canvas_.height};
    std::vector<ArrayPanel> shown;
    for (const ArrayPanel& panel : stage_panels(focus_, area_, view_.level, tiles_)) {
      shown.push_back(visible_part(panel, all, view_));
      if (shown.back().strength <= 0.02f) shown.pop_back();
    }
    find_room_at_left(shown);
    for (const ArrayPanel& panel : shown) draw_array(panel);
    std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.box.y < b.box.y; });
    for (const ArrayPanel& panel : shown) name(panel);
    return std::move(picture_);
  }

 private:
  void find_room_at_left(const std::vector<ArrayPanel>& shown) {
    for (const ArrayPanel& panel : shown) {
      if (!is_left(panel))
        left_words_end_ = std::min(left_words_end_, panel.box.x);
      else if (panel.array->allocation.space == Space::Shared)
        left_names_end_ = std::min(left_names_end_, panel.box.right() - name_width(*panel.array) - canvas_.text);
      else if (panel.array->allocation.space == Space::Global)
        left_names_begin_ =
            std::max(left_names_begin_, panel.box.x + bare_name_width(*panel.array) + canvas_.text * 0.5f);
    }
    left_names_end_ = std::min(left_names_end_, left_words_end_);
  }

  void draw_array(const ArrayPanel& panel) {
    CellPainter cells(panel, {panel.ink, 0.13f});
    const float closeness = std::min(1.0f, view_.level);
    if (panel.array->side == Side::C)
      paint_output(cells, closeness);
    else if (panel.array->allocation.space == Space::Shared)
      paint_shared(cells);
    else
      paint_input(cells, closeness);
    if (view_.level > 0.5f && !focus_.cover.accesses) paint_touches(cells);
    cells.add_to(picture_);
    if (panel.array->side == Side::C && view_.level < 0.5f && !focus_.cover.accesses) outline_blocks(panel);
    if (view_.level > 0.5f) outline_touches(panel);
    if (panel.array->side == Side::C && view_.level >= 1) number_output(panel);
    outline_lit(panel);
  }

  // What the block reads of it altogether, in this k-tile, and by now.
  void paint_input(CellPainter& cells, float closeness) {
    const ArrayPanel& panel = cells.panel();
    if (focus_.cover.accesses && closeness < 1) return;
    cells.fill(panel.array->touched, {panel.ink, 0.13f + 0.17f * (1 - closeness)});
    const Region& tile = tiles_[static_cast<size_t>(panel.array - scene_.story->arrays().data())];
    cells.fill(tile, {panel.ink, 0.34f + 0.2f * (1 - closeness)});
  }

  void paint_shared(CellPainter& cells) {
    const ArrayPanel& panel = cells.panel();
    if (focus_.cover.accesses) return;
    for_each_access_in_tile(
        scene_, focus_.cursor, column_ + 1, [&](const Moment&, uint32_t record, const uint64_t* addresses) {
          if (scene_.trace->space(record) != Space::Shared || !trace::is_write(scene_.trace->access_kind(record)))
            return;
          for_each_element(*panel.array, record, addresses, [&](uint64_t index, uint32_t) {
            cells.set(index, {panel.ink, 0.42f});
          });
        });
  }

  template <class Visit>
  void for_each_element(const ArrayStory& array, uint32_t record, const uint64_t* addresses, Visit visit) const {
    const uint32_t size = std::max(1u, size_of(array.allocation.element));
    for (uint32_t rest = scene_.trace->active(record); rest; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      for (uint64_t byte = 0; byte < std::max(size, scene_.trace->bytes(record)); byte += size)
        if (array.allocation.contains(addresses[lane] + byte)) visit(array.index_of(addresses[lane] + byte), lane);
    }
  }

  // By whole blocks from afar, by the lanes of the cursor's warp from near.
  void paint_output(CellPainter& cells, float closeness) {
    const ArrayPanel& panel = cells.panel();
    if (closeness < 1 && !focus_.cover.accesses) paint_blocks(cells, 1 - closeness);
    if (closeness >= 1 || !focus_.cover.accesses) cells.fill(panel.array->touched, {panel.ink, 0.22f});
    if (closeness < 0.5f || focus_.cover.accesses) return;
    for (uint32_t warp = 0; warp < scene_.timeline->warps(); ++warp)
      for (const session::OutputStore& store : scene_.story->output_stores(warp)) paint_store(cells, warp, store);
  }

  void paint_store(CellPainter& cells, uint32_t warp, const session::OutputStore& store) {
    const bool mine = warp == focus_.cursor.warp, stored = scene_.timeline->column({warp, store.step}) <= column_;
    if (store.part != 0 || (!mine && !stored)) return;  // The first part stands for all.
    uint64_t addresses[kLanes];
    scene_.trace->addresses(store.record, addresses);
    for_each_element(*cells.panel().array, store.record, addresses, [&](uint64_t index, uint32_t lane) {
      cells.set(index, mine ? lane_colour(lane, stored ? 1.0f : 0.86f) : Colour{cells.panel().ink, 0.6f});
      if (mine) note_owner(index, lane);
    });
  }

  void note_owner(uint64_t index, uint32_t lane) {
    const uint64_t columns = scene_.story->output()->columns;
    owned_[lane].push_back({index / columns, index % columns});
  }

  const std::vector<analysis::BlockStores>& all_stores() const {
    return focus_.counted && !focus_.counted->stores.empty() ? focus_.counted->stores : scene_.stores;
  }

  uint64_t blocks_a_wave() const {
    const auto& occupancy = scene_.report.occupancy;
    return occupancy && scene_.device ? occupancy->blocks_per_sm * sms() : 0;
  }

  uint64_t sms() const {
    return scene_.device && scene_.device->sms ? static_cast<uint64_t>(scene_.device->sms->value) : 0;
  }

  // Later waves are lighter; without an occupancy all are alike.
  void paint_blocks(CellPainter& cells, float strength) {
    const uint64_t wave = blocks_a_wave(), total = scene_.report.grid.count();
    const auto waves = static_cast<float>(wave == 0 ? 1 : (total + wave - 1) / wave);
    for (const analysis::BlockStores& stores : all_stores()) {
      const float number = wave == 0 ? 0 : static_cast<float>(stores.block / wave);
      const bool traced = stores.block == scene_.block;
      const float shade = 0.25f + 0.35f * (waves <= 1 ? 0.5f : number / (waves - 1));
      cells.fill(stores.region, {cells.panel().ink, (traced ? 0.95f : shade) * strength});
    }
  }

  void outline_blocks(const ArrayPanel& panel) {
    constexpr size_t kMostBlocks = 4096;
    const bool few = all_stores().size() <= kMostBlocks;
    for (const analysis::BlockStores& stores : all_stores()) {
      const bool traced = stores.block == scene_.block;
      const Region region = clipped(stores.region, panel.window);
      if (region.empty() || (!few && !traced)) continue;
      const Box box = panel.place(region);
      if (box.width >= 4 || traced)
        picture_.add(Rectangle{box, kNoColour, {traced ? Ink::Accent : Ink::Window, 1}, traced ? 2.5f : 1.0f, 0});
      const std::string text = to_string(position_in(scene_.report.grid, stores.block));
      const float size = canvas_.text * 0.9f;
      if (canvas_.measure->width(text, Font::Mono, size) < box.width - 6 && box.height > size * 1.6f)
        picture_.add(Label{
            box.centre(), text, {traced ? Ink::Window : Ink::Text}, Font::Mono, size, Align::Centre, Align::Centre});
      picture_.add(box, {Target::Kind::Block, Space::None, "", stores.block, 0});
    }
  }

  // Other warps stand in the same column as if all ran in step.
  void paint_touches(CellPainter& cells) {
    const ArrayPanel& panel = cells.panel();
    uint64_t addresses[kLanes];
    for (uint32_t warp = 0; warp < scene_.timeline->warps(); ++warp) {
      const auto step = scene_.timeline->step_in(warp, column_);
      const auto record = step && warp != focus_.cursor.warp ? scene_.timeline->access({warp, *step}) : std::nullopt;
      if (!record) continue;
      scene_.trace->addresses(*record, addresses);
      for_each_element(*panel.array, *record, addresses, [&](uint64_t index, uint32_t) {
        cells.set(index, {panel.ink, 0.7f});
      });
    }
    std::map<uint64_t, std::pair<uint32_t, int>> lanes;  // By element: the first lane, and how many.
    for (const Touch& touch : now_)
      if (touch.array == panel.array && ++lanes.try_emplace(touch.index, touch.lane, 0).first->second.second) continue;
    for (const auto& [index, lane] : lanes)
      cells.set(index, lane.second == 1 ? lane_colour(lane.first, 1) : Colour{panel.ink, 1});
  }

  void outline_touches(const ArrayPanel& panel) {
    std::vector<std::pair<uint64_t, uint64_t>> elements;
    Region bounds;
    for (const Touch& touch : now_) {
      if (touch.array != panel.array) continue;
      elements.emplace_back(touch.index / panel.array->columns, touch.index % panel.array->columns);
      bounds.add(elements.back().first, elements.back().second);
    }
    if (elements.empty()) return;
    std::vector<Region> regions = rectangles(elements);
    if (regions.size() > kMostOutlines) regions = {bounds};
    for (const Region& region : regions) mark(panel, region);
    touched_[panel.array] = bounds;
    number_touches(panel);
  }

  // What is too small for a frame is filled.
  void mark(const ArrayPanel& panel, const Region& region) {
    constexpr float kFrameFrom = 6;
    const Region part = clipped(region, panel.window);
    if (part.empty()) return;
    const Box box = panel.place(part);
    if (std::min(box.width, box.height) >= kFrameFrom) return outline(panel, region, {Ink::Accent}, 2);
    picture_.add(Rectangle{box, {Ink::Accent, panel.strength}, kNoColour, 0, 0});
  }

  void outline(const ArrayPanel& panel, const Region& region, Colour colour, float width) {
    const Region part = clipped(region, panel.window);
    if (part.empty()) return;
    Box box = panel.place(part);
    box = {box.x - 1, box.y - 1, box.width + 2, box.height + 2};
    colour.strength *= panel.strength;
    picture_.add(Rectangle{box, kNoColour, colour, width, 1.5f});
  }

  // With `ground` on a ground of its own, over the lines between cells.
  void number(const Box& box, uint32_t lane, bool ground = false) {
    const float two_digits = canvas_.measure->width("30", Font::Mono, canvas_.text) / canvas_.text;
    const float size = std::min({canvas_.text, box.height * 0.8f, (box.width - kNumberApart) / two_digits});
    if (size < kLeastNumber) return;
    const Colour colour = lane_colour(lane, 1);
    const float across = two_digits * size + kNumberApart, down = size * kNumberLine;
    const Point at = box.centre();
    if (ground && down < box.height)
      picture_.add(Rectangle{{at.x - across / 2, at.y - down / 2, across, down}, colour, kNoColour, 0, 2});
    picture_.add(
        Label{at, std::to_string(lane), {on_magnitude(colour.value)}, Font::Mono, size, Align::Centre, Align::Centre});
  }

  void number_touches(const ArrayPanel& panel) {
    if (panel.array->side == Side::C && view_.level >= 1) return;  // Each lane's elements have their number already.
    std::map<uint64_t, std::vector<uint32_t>> lanes;
    for (const Touch& touch : now_)
      if (touch.array == panel.array && touch.how != Touch::How::Adds) lanes[touch.index].push_back(touch.lane);
    for (const auto& [index, of_element] : lanes) {
      const uint64_t row = index / panel.array->columns, column = index % panel.array->columns;
      if (of_element.size() == 1 && panel.window.contains(row, column))
        number(panel.place({row, column, row + 1, column + 1}), of_element.front());
    }
  }

  // Once in each run of a lane's elements, as large as its part allows.
  void number_output(const ArrayPanel& panel) {
    const bool lines = CellPainter::gap(panel) > 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      for (const Region& region : rectangles(owned_[lane])) {
        const Region part = clipped(region, panel.window);
        if (!part.empty()) number(panel.place(part), lane, lines && part.rows() * part.columns() > 1);
      }
  }

  void outline_lit(const ArrayPanel& panel) {
    const Target& lit = focus_.lit();
    const auto element = [&](uint64_t index) {
      const uint64_t row = index / panel.array->columns, column = index % panel.array->columns;
      outline(panel, {row, column, row + 1, column + 1}, {Ink::Hover}, 2);
    };
    if (lit.kind == Target::Kind::Element && lit.array == panel.array->allocation.name &&
        lit.space == panel.array->allocation.space)
      element(lit.index);
    if (lit.kind == Target::Kind::Element && lit.space == Space::Shared &&
        panel.array->allocation.space == Space::Global)
      if (const auto source = source_of(lit); source && panel.array->allocation.contains(source->address))
        element(panel.array->index_of(source->address));
    if (lit.kind == Target::Kind::Lane && lit.warp == focus_.cursor.warp)
      for (const Touch& touch : now_)
        if (touch.array == panel.array && touch.lane == lit.index) element(touch.index);
    if (lit.kind == Target::Kind::Warp && !focus_.cover.accesses && !panel.array->warp_touched.empty() &&
        panel.array->side == Side::C)
      outline(panel, panel.array->warp_touched[std::min<size_t>(lit.warp, panel.array->warp_touched.size() - 1)],
              {Ink::Hover}, 2);
  }

  /// Where the value of a shared element was loaded from.
  std::optional<analysis::LoadedFrom> source_of(const Target& target) const {
    const ArrayStory* array = scene_.story->find(Space::Shared, target.array);
    if (!array) return std::nullopt;
    return scene_.story->data_flow().stored_from(array->address_of(target.index), column_ + 1);
  }

  static bool is_left(const ArrayPanel& panel) {
    return panel.array->side == Side::A || panel.array->side == Side::None;
  }

  static std::string extents_of(const ArrayStory& array) { return fmt::format("{} × {}", array.rows, array.columns); }

  bool is_emphasised(const std::string& name) const {
    return std::find(focus_.emphasised.begin(), focus_.emphasised.end(), name) != focus_.emphasised.end();
  }

  float bare_name_width(const ArrayStory& array) const {
    return canvas_.measure->width(array.allocation.name, Font::Bold, canvas_.text * 1.1f);
  }

  float name_width(const ArrayStory& array) const {
    return canvas_.measure->width(array.allocation.name + " ", Font::Bold, canvas_.text * 1.1f) +
           canvas_.measure->width(extents_of(array), Font::Text, canvas_.text * 0.92f);
  }

  /// What C's name and the words below it take.
  float words_height(const ArrayStory& array) const {
    const float described = focus_.cover.accesses || view_.level < 0.5f ? kOtherLines : kBlockLines;
    return line_ * (kNameLines + (touched_.count(&array) ? 1.0f : 0.0f) + described) + canvas_.text * kKeyHeight;
  }

  /// Its words end at the array's right edge, as those of a shared array above it do.
  static bool is_flush_right(const ArrayPanel& panel) {
    return is_left(panel) && panel.array->allocation.space == Space::Shared;
  }

  // Beside the array, where the figure leaves room: above those at the left, at the right of the others.
  Point name_place(const ArrayPanel& panel) const {
    if (is_left(panel)) return {is_flush_right(panel) ? panel.box.right() : panel.box.x, panel.box.y - line_ * 2.1f};
    Point at{panel.box.right() + canvas_.text, panel.box.y};
    if (panel.box.height < line_ * 2) at.y += (panel.box.height - line_ * 2) / 2;
    if (panel.array->side == Side::C)
      at.y = std::max(at.y - line_ * 1.5f, std::min(at.y, canvas_.height - words_height(*panel.array)));
    return at;
  }

  /// Whether the array's extents have room behind its name.
  bool has_room_for_extents(const ArrayPanel& panel, Point at) const {
    if (is_flush_right(panel)) return at.x - name_width(*panel.array) > left_names_begin_;
    return !is_left(panel) || at.x + name_width(*panel.array) < left_names_end_;
  }

  void name(const ArrayPanel& panel) {
    Point at = name_place(panel);
    if (!is_left(panel)) at.y = std::max(at.y, right_names_end_);
    if (at.y + line_ > canvas_.height) return;
    draw_name(panel, at);
    float y = at.y + line_;
    if (const auto touched = touched_.find(panel.array); touched != touched_.end()) {
      say_touched(panel, {at.x, y}, touched->second);
      y += line_;
    }
    const bool transposed = panel.array->transposed && panel.strength > 0.5f && view_.level > 0.5f;
    if (!is_left(panel)) right_names_end_ = std::max(transposed ? y + line_ : y, depth_end(panel, at));
    // Higher where its last line would be cut off below.
    const float least = y + line_ * (kNameLines - 1);
    const float most = canvas_.height - line_ * kBlockLines - canvas_.text * kKeyHeight;
    if (panel.array->side == Side::C && least <= most + line_)
      describe_output(panel, {at.x, std::max(least, std::min(at.y + line_ * 2.2f, most))});
    say_depth(panel, at);
    if (transposed) say_transposed(panel, {at.x, y});
  }

  void draw_name(const ArrayPanel& panel, Point at) {
    const ArrayStory& array = *panel.array;
    const float size = canvas_.text * 1.1f, strength = panel.strength;
    const bool extents = has_room_for_extents(panel, at);
    if (is_flush_right(panel)) at.x -= extents ? name_width(array) : bare_name_width(array);
    picture_.add(Label{at, array.allocation.name, {panel.ink, strength}, Font::Bold, size});
    if (is_emphasised(array.allocation.name))
      picture_.add(Rectangle{{at.x, at.y + canvas_.text * 1.06f, bare_name_width(array), 2}, {Ink::Accent, strength}});
    if (!extents) return;
    at.x += canvas_.measure->width(array.allocation.name + " ", Font::Bold, size);
    picture_.add(Label{{at.x, at.y + 1}, extents_of(array), {Ink::Faint, strength}, Font::Text, canvas_.text * 0.92f});
  }

  /// The elements that the cursor's instruction has to do with.
  void say_touched(const ArrayPanel& panel, Point at, const Region& touched) {
    const std::string text = range(touched.row, touched.row_end) + range(touched.column, touched.column_end);
    const float end = at.x + canvas_.measure->width(text, Font::Mono, canvas_.text * 0.92f);
    if (is_left(panel) && !is_flush_right(panel) && end > left_words_end_) return;
    picture_.add(Label{at,
                       text,
                       {Ink::Accent, panel.strength},
                       Font::Mono,
                       canvas_.text * 0.92f,
                       is_flush_right(panel) ? Align::End : Align::Begin});
  }

  void say_transposed(const ArrayPanel& panel, Point at) {
    const float size = canvas_.text * 0.86f;
    if (is_left(panel)) return say_transposed_below(panel, size);
    picture_.add(Label{at, tr("drawn transposed"), {Ink::Faint, panel.strength}, Font::Text, size});
  }

  // No wider than the array and the gap before it, for there another's words may stand; nothing where they do.
  void say_transposed_below(const ArrayPanel& panel, float size) {
    const auto width = [&](const std::string& text) { return canvas_.measure->width(text, Font::Text, size); };
    const std::string all = tr("drawn transposed");
    const std::string words = width(all) < panel.box.width + canvas_.text ? all : tr("transposed");
    const Point at{panel.box.right(), panel.box.bottom() + 3};
    if (at.x - width(words) < left_depth_end_) return;
    picture_.add(Label{at, words, {Ink::Faint, panel.strength}, Font::Text, size, Align::End});
  }

  // Which part of the sum's index an input shows; empty where that is all of it.
  std::string depth_text(const ArrayPanel& panel) const {
    const ArrayStory& array = *panel.array;
    if (array.allocation.space == Space::Shared || (array.side != Side::A && array.side != Side::B)) return {};
    const Region& shown = panel.window;
    const bool columns = is_left(panel) != panel.transposed();
    if ((columns ? shown.columns() : shown.rows()) >= (columns ? array.columns : array.rows)) return {};
    return columns ? fmt::format("k {}…{}", shown.column, shown.column_end - 1)
                   : fmt::format("k {}…{}", shown.row, shown.row_end - 1);
  }

  /// Where the depth of an array at the right ends, below its name at `at`; 0 where it is not said.
  float depth_end(const ArrayPanel& panel, Point at) const {
    const bool room = panel.box.height >= line_ * 3 && at.y + line_ * 3 < canvas_.height;
    return room && !depth_text(panel).empty() ? at.y + line_ * 3 : 0;
  }

  void say_depth(const ArrayPanel& panel, Point at) {
    const std::string text = depth_text(panel);
    const bool left = is_left(panel);
    if (text.empty() || (!left && depth_end(panel, at) == 0)) return;
    at = left ? Point{panel.box.x, panel.box.bottom() + 3} : Point{at.x, at.y + line_ * 2};
    const float size = canvas_.text * 0.86f;
    if (left) left_depth_end_ = at.x + canvas_.measure->width(text + " ", Font::Text, size);
    picture_.add(Label{at, text, {Ink::Faint, panel.strength}, Font::Text, size});
  }

  /// Lines of a text, broken where it says so.
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t begin = 0; begin <= text.size(); begin += lines.back().size() + 1)
      lines.push_back(text.substr(begin, text.find('\n', begin) - begin));
    return lines;
  }

  void say_covered(Point at) {
    for (const std::string& line : lines_of(tr("What the lanes access\nwill be marked once\nyou have answered.")))
      say(at, line, Ink::Text);
  }

  void say(Point& at, const std::string& text, Ink ink = Ink::Faint) {
    picture_.add(Label{at, text, {ink}, Font::Text, canvas_.text * 0.92f});
    at.y += line_;
  }

  void describe_output(const ArrayPanel& panel, Point at) {
    if (focus_.cover.accesses) return say_covered(at);
    if (view_.level < 0.5f) return focus_.cover.resources ? void() : describe_waves(at);
    if (!focus_.cover.resources) describe_block(panel.array->touched, at);
    at.y += line_ * kBeforeLanes;
    if (at.y + line_ + canvas_.text * kKeyHeight > canvas_.height + 1) return;
    say(at, tr_format("lanes 0…31 of warp {}", focus_.cursor.warp));
    draw_key(at);
  }

  /// The lanes' colours.
  void draw_key(Point at) {
    const float width = canvas_.text * 9;
    Cells key{{at.x, at.y + 2, width, canvas_.text * 0.6f}, 1, kLanes, 1, {}};
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      key.colours.push_back(lane_colour(lane, 1));
      picture_.add(Box{at.x + width * static_cast<float>(lane) / kLanes, at.y, width / kLanes, canvas_.text},
                   {Target::Kind::Lane, Space::None, "", lane, focus_.cursor.warp});
    }
    picture_.add(std::move(key));
  }

  void describe_block(const Region& tile, Point& at) {
    say(at, tr_format("{} × {} per block", tile.rows(), tile.columns()));
    size_t most = 0;
    for (const auto& owned : owned_) most = std::max(most, owned.size());
    if (most > 0) say(at, most == 1 ? tr("1 element per thread") : tr_format("{} elements per thread", most));
  }

  void describe_waves(Point at) {
    const uint64_t total = scene_.report.grid.count(), wave = blocks_a_wave(), known = all_stores().size();
    say(at, total == 1 ? tr("1 block") : tr_format("{} blocks", total));
    if (known < total) say(at, tr_format("{} of them run", known));
    if (wave == 0) return;
    say_wave(at, wave);
    say(at, tr_format("({} on each of {} SMs)", scene_.report.occupancy->blocks_per_sm, sms()));
    const uint64_t waves = (total + wave - 1) / wave;
    const double full = 100.0 * static_cast<double>(total) / static_cast<double>(wave);
    say(at, waves > 1  ? tr_format("{} waves", waves)
            : full < 1 ? tr("one wave, not 1 % full")
                       : tr_format("one wave, {:.0f} % full", full));
  }

  /// In two lines where one would be too long.
  void say_wave(Point& at, uint64_t wave) {
    const std::string all = tr_format("{} at a time on {}", wave, scene_.device->name);
    if (at.x + canvas_.measure->width(all, Font::Text, canvas_.text * 0.92f) < canvas_.width) return say(at, all);
    for (const std::string& line : lines_of(tr_format("{} at a time on\n{}", wave, scene_.device->name))) say(at, line);
  }

  const Focus& focus_;
  const Scene& scene_;
  const Canvas& canvas_;
  const StageView& view_;
  float line_;
  uint32_t column_;
  std::vector<Touch> now_;
  std::vector<Region> tiles_;  ///< What the block touches in this k-tile, by array.
  Box area_;
  Picture picture_;
  std::array<std::vector<std::pair<uint64_t, uint64_t>>, kLanes> owned_;
  std::map<const ArrayStory*, Region> touched_;
  float left_names_begin_ = 0;  ///< Where the names of shared arrays at the left can begin.
  float left_names_end_ = std::numeric_limits<float>::max();  ///< Where the names at the left must end.
  float left_words_end_ = std::numeric_limits<float>::max();  ///< Where anything said at the left must end.
  float right_names_end_ = 0;  ///< Below the names at the right so far, from the top down.
  float left_depth_end_ = 0;   ///< Where the depth of the array farthest left ends.
};

}  // namespace

Picture stage_picture(const Focus& focus, const Canvas& canvas, const StageView& view) {
  return Stage(focus, canvas, view).draw();
}

std::string breadcrumb(const Focus& focus) {
  const Scene& scene = *focus.scene;
  const uint32_t steps = scene.timeline->steps(focus.cursor.warp);
  return tr_format("block {} › warp {} › instruction {} of {}", to_string(position_in(scene.report.grid, scene.block)),
                   focus.cursor.warp, grouped(focus.cursor.step + 1), grouped(steps));
}

}  // namespace tilescope::view
