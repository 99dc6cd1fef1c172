#include "view/stage/stage_marks.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/words.h"
#include "view/label_placer.h"
#include "view/stage/cell_painter.h"
#include "view/sync_words.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using run::Region;
using run::Side;
using run::TracedArray;
using session::Target;
using trace::kLanes;

constexpr float kNumberApart = 4;                    // Pixels between two lanes' numbers.
constexpr float kNumberLine = 1.3f;                  // A number's ground, of its size.
constexpr float kGapOfRows = 2;                      // Pixels.
constexpr float kFrameFrom = 6, kThinFrameFrom = 3;  // Pixels; smaller elements are filled instead of framed.
constexpr float kSectorsFrom = 7;                    // Least width of an element, in pixels, for lines between sectors.
constexpr size_t kMostFrames = 96;                   // With more parts there is one frame for all.
constexpr size_t kMostBlocks = 4096;

/// Fills a box with diagonal lines, which rise for something absent and fall for what is on its way.
void add_hatch(const Box& box, Colour colour, Picture& picture, bool falls = false) {
  constexpr float kPitch = 7, kWidth = 1.5f;
  // Lines x + y = sum, at the same places for all boxes, so that neighbours look like one; those that fall with -y for
  // y.
  const float sign = falls ? -1.0f : 1.0f, top = falls ? -box.bottom() : box.y, bottom = top + box.height;
  const float last = box.right() + bottom;
  for (float sum = std::ceil((box.x + top) / kPitch) * kPitch; sum < last; sum += kPitch) {
    const float left = std::max(box.x, sum - bottom), right = std::min(box.right(), sum - top);
    if (right - left >= 1)
      picture.add(Polyline{{{left, sign * (sum - left)}, {right, sign * (sum - right)}}, colour, kWidth});
  }
}

Region element_at(const TracedArray& array, uint64_t index) {
  const uint64_t row = index / array.columns, column = index % array.columns;
  return {row, column, row + 1, column + 1};
}

/// `apart`: pixels between the elements and the frame's middle.
void add_frame(const ArrayPanel& panel, const Region& region, Colour colour, Picture& picture) {
  const Region part = clipped(region, panel.window);
  if (part.empty()) return;
  Box box = panel.place(part);
  box = {box.x - 1, box.y - 1, box.width + 2, box.height + 2};
  colour.strength *= panel.strength;
  picture.add(Rectangle{box, kNoColour, colour, 2, 1.5f});
}

Box with_margin(const Box& box, float margin) {
  return {box.x - margin, box.y - margin / 2, box.width + 2 * margin, box.height + margin};
}

/// A frame around the blocks of each cluster, if they are adjacent; else around each of them.
void mark_clusters(const StageFrame& frame, const ArrayPanel& panel, const std::vector<analysis::StoreRegion>& all,
                   Picture& picture) {
  if (frame.blocks_of_cluster() == 1) return;
  struct Cluster {
    Region bounds;
    std::vector<Region> blocks;
    uint64_t elements = 0;
  };
  std::map<uint64_t, Cluster> clusters;
  for (const analysis::StoreRegion& stores : all) {
    const Region region = clipped(part_on_show(panel, stores.region), panel.window);
    if (region.empty()) continue;
    Cluster& cluster = clusters[frame.cluster_of(stores.block)];
    cluster.bounds.add(region);
    cluster.blocks.push_back(region);
    cluster.elements += region.rows() * region.columns();
  }
  for (const auto& [number, cluster] : clusters) {
    const bool together = cluster.elements == cluster.bounds.rows() * cluster.bounds.columns();
    const bool here = number == frame.cluster_of(frame.traced.block);
    for (const Region& region : together ? std::vector<Region>{cluster.bounds} : cluster.blocks) {
      const Box box = panel.place(region);
      const float inset = std::min({4.0f, box.width / 4, box.height / 4});
      picture.add(Rectangle{{box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset},
                            kNoColour,
                            {here ? Ink::Accent : Ink::Text, 0.9f},
                            1.5f,
                            6});
    }
  }
}

constexpr float kLeastEdged = 8;  ///< Pixels of a block; the edges of smaller ones would hide their colour.

void mark_blocks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const std::vector<analysis::StoreRegion> all = frame.stores_to(*panel.array);
  const bool few = all.size() <= kMostBlocks;
  const auto place_of = [](const Region& region) {
    return std::tuple(region.row, region.column, region.row_end, region.column_end);
  };
  std::map<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>, std::set<uint32_t>> blocks_at;
  for (const analysis::StoreRegion& stores : all) blocks_at[place_of(stores.region)].insert(stores.block);
  LabelPlacer names(panel.box, *frame.canvas.measure);
  for (const analysis::StoreRegion& stores : all) {
    const bool traced = stores.block == frame.traced.block;
    const Region region = clipped(part_on_show(panel, stores.region), panel.window);
    if (region.empty() || (!few && !traced)) continue;
    const Box box = panel.place(region);
    if (std::min(box.width, box.height) >= kLeastEdged || traced)
      picture.add(Rectangle{box, kNoColour, {traced ? Ink::Accent : Ink::Window, 1}, traced ? 2.5f : 1.0f, 0});
    std::set<uint32_t> blocks = blocks_at[place_of(stores.region)];
    if (const auto helpers = frame.helpers.find(stores.block); helpers != frame.helpers.end())
      blocks.insert(helpers->second.begin(), helpers->second.end());
    const std::string text = positions_text(frame.traced.report.grid, blocks);
    for (const float size : {frame.canvas.text * 0.9f, kLeastWords}) {
      const Label name{box.centre(), text, {Ink::Text}, Font::Mono, size, Align::Centre, Align::Centre};
      const Box plate = with_margin(box_of(name, *frame.canvas.measure), kNumberApart);
      // A block that wrote in others' places has no place of its own.
      if (plate.width + kNumberApart > box.width || plate.height > box.height || !names.is_free(plate)) continue;
      names.take(plate);
      picture.add(Rectangle{plate, {Ink::Window, 0.75f}, kNoColour, 0, 3});
      picture.add(name);
      break;
    }
    picture.add(box, {Target::Kind::Block, Space::None, "", stores.block, 0});
  }
  if (few) mark_clusters(frame, panel, all, picture);
}

/// Which part of the inputs each of the blocks takes that sum products of one tile.
void mark_parts_of_k(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const Dim3& grid = frame.traced.report.grid;
  for (const auto& [block, part] : frame.parts_of_k(*panel.array)) {
    const Region region = clipped(part, panel.window);
    if (region.empty()) continue;
    const bool traced = block == frame.traced.block;
    const Box box = panel.place(region);
    picture.add(Rectangle{box, kNoColour, {traced ? Ink::Accent : Ink::Text, traced ? 1 : 0.6f}, traced ? 2.0f : 1.0f});
    picture.add(box, {Target::Kind::Block, Space::None, "", block, 0});
    const Dim3 position = position_in(grid, block);
    const std::string text = grid.count() == grid.x ? std::to_string(position.x) : position_text(position);
    const Label name{box.centre(), text, {Ink::Text}, Font::Mono, kLeastWords, Align::Centre, Align::Centre};
    if (box_of(name, *frame.canvas.measure).width + 2 <= box.width && kLeastWords < box.height) picture.add(name);
  }
}

/// Where threads were launched outside of C.
void mark_beyond(const ArrayPanel& panel, Picture& picture) {
  const Box &box = panel.box, whole = panel.whole_box();
  for (const Box& beyond : {Box{box.right(), box.y, whole.width - box.width, whole.height},
                            Box{box.x, box.bottom(), box.width, whole.height - box.height}})
    if (beyond.width > 0 && beyond.height > 0) {
      picture.add(Rectangle{beyond, {panel.ink, 0.1f * panel.strength}});
      add_hatch(beyond, {panel.ink, 0.6f * panel.strength}, picture);
    }
}

/// Lines between the sectors of global memory, if an element is wide enough to distinguish them from those
/// between elements.
void mark_sectors(const ArrayPanel& panel, Picture& picture) {
  if (!has_sectors(panel)) return;
  const float before = CellPainter::gap(panel) / 2;
  for (const Region& starts : regions_of(*panel.array, sector_starts(*panel.array, panel.window))) {
    const Box box = panel.place(starts);
    const Point from{box.x - before, box.y}, to{box.x - before, box.bottom()};
    picture.add(Polyline{{from, to}, {Ink::Text, 0.5f * panel.strength}, 1});
  }
}

/// Two strokes across both edges along which elements are longer or shorter than in the rest of the picture: rather
/// within the array above and below, where words are, and rather outside at its sides, where numbers are within; in the
/// middle, or where no number is.
void mark_breaks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  constexpr float kStroke = 5, kApart = 4, kWithin = 3, kOutside = 2;
  constexpr float kPlaces[] = {0.5f, 0.4f, 0.6f, 0.3f, 0.7f, 0.1f, 0.9f};
  std::vector<Box> words;
  for (const Shape& shape : picture.shapes)
    if (const auto* label = std::get_if<Label>(&shape)) words.push_back(box_of(*label, *frame.canvas.measure));
  const auto covers_words = [&](Point at) {
    return std::ranges::any_of(words, [&](const Box& box) {
      return box.x < at.x + kStroke && at.x - kStroke < box.right() && box.y < at.y + kStroke &&
             at.y - kStroke < box.bottom();
    });
  };
  const auto add = [&](auto place) {
    const auto* part = std::ranges::find_if(kPlaces, [&](float each) { return !covers_words(place(each)); });
    const Point at = place(part == std::end(kPlaces) ? kPlaces[0] : *part);
    picture.add(Rectangle{{at.x - kApart, at.y - kApart, 2 * kApart, 2 * kApart}, {Ink::Window, panel.strength}});
    for (const float side : {-kApart / 2, kApart / 2})
      picture.add(Polyline{{{at.x + side - kStroke / 2, at.y + kStroke}, {at.x + side + kStroke / 2, at.y - kStroke}},
                           {Ink::Text, 0.8f * panel.strength},
                           1.5f});
  };
  const Box& box = panel.box;
  if (panel.broken_across && box.width >= 4 * kApart)
    for (const float y : {box.y + kWithin, box.bottom() - kWithin})
      add([&](float part) { return Point{box.x + part * box.width, y}; });
  if (panel.broken_down && box.height >= 4 * kApart)
    for (const float x : {box.x - kOutside, box.right() + kOutside})
      add([&](float part) { return Point{x, box.y + part * box.height}; });
}

/// In a shared array elements still to be written in this k-tile are hatched, stages on the way hatched downwards,
/// those overwritten too early are in Bad, and those never accessed are dashed.
void mark_tile(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  if (frame.shared.empty() || panel.array->allocation.space != Space::Shared) return;
  for (const Region& missing : regions_of(*panel.array, frame.shared[frame.number_of(*panel.array)].missing))
    if (const Region part = clipped(missing, panel.window); !part.empty())
      add_hatch(panel.place(part), {Ink::Window, panel.strength}, picture);
  const StagesNow& stages = frame.stages[frame.number_of(*panel.array)];
  for (const uint32_t stage : frame.is_swizzled(*panel.array) ? std::vector<uint32_t>{} : stages.on_the_way)
    if (const Region part = clipped(region_of_stage(*panel.array, stage), panel.window); !part.empty())
      add_hatch(panel.place(part), {Ink::Window, panel.strength}, picture, true);
  for (const uint32_t stage : stages.read)
    add_frame(panel, region_of_stage(*panel.array, stage), {Ink::LoadShared}, picture);
  if (!frame.spoiled.empty())
    for (const Region& spoiled : regions_of(*panel.array, frame.spoiled[frame.number_of(*panel.array)]))
      if (const Region part = clipped(spoiled, panel.window); !part.empty())
        add_hatch(panel.place(part), {Ink::Bad, panel.strength}, picture);
  for (const Region& unused : never_accessed(*panel.array)) {
    const Region part = clipped(unused, panel.window);
    if (part.empty()) continue;
    const Box box = panel.place(part);
    // Banks show the purpose of the padding: the rows below begin in other banks.
    const float cover = panel.array == frame.banks ? 0.35f : 0.8f;
    picture.add(Rectangle{box, {Ink::Window, cover * panel.strength}});
    picture.add(Polyline{
        {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}},
        {panel.ink, panel.strength},
        1,
        true});
  }
}

/// Frames around the elements of the cursor's instruction.
void mark_uses(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const std::vector<uint64_t> used = frame.used(*panel.array);
  std::vector<Region> regions = regions_of(*panel.array, used);
  if (regions.size() > kMostFrames) regions = {bounds_of(*panel.array, used)};
  for (const Region& region : regions) {
    const Region part = clipped(region, panel.window);
    if (part.empty()) continue;
    const Box box = panel.place(part);
    // Where banks are shown, what is in the frame is the point.
    const float least = std::min(box.width, box.height);
    if (least >= kFrameFrom || panel.array == frame.banks)
      add_frame(panel, region, {kUsedInk}, picture);
    else if (least >= kThinFrameFrom)
      picture.add(Rectangle{box, kNoColour, {kUsedInk, panel.strength}, 1});
    else
      picture.add(Rectangle{box, {kUsedInk, panel.strength}, kNoColour, 0, 0});
  }
}

/// Frames around elements read or written in the wrong order.
void mark_out_of_order(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  std::vector<uint64_t> elements;
  for (const OutOfOrder& each : frame.out_of_order)
    if (each.array == panel.array) elements.push_back(each.index);
  for (const Region& region : regions_of(*panel.array, elements)) {
    const Region part = clipped(region, panel.window);
    if (part.empty()) continue;
    const Box box = panel.place(part);
    if (std::min(box.width, box.height) >= kFrameFrom)
      add_frame(panel, region, {Ink::Bad}, picture);
    else
      picture.add(Rectangle{box, {Ink::Bad, panel.strength}});
  }
}

/// As large as the box allows; with `ground` on its own background, over the lines between cells. `strength`: of the
/// panel.
void add_number(const StageFrame& frame, const Box& box, uint32_t lane, bool ground, float strength, Picture& picture) {
  const float text = frame.canvas.text, two_digits = frame.canvas.measure->width("30", Font::Mono, text) / text;
  const float size = std::min({text, box.height * 0.8f, (box.width - kNumberApart) / two_digits});
  if (size < kLeastWords) return;
  // In a low box over the whole height: of the lines between cells no ends would be left above and below.
  const float ground_height = size * kNumberLine, across = two_digits * size + kNumberApart,
              down = box.height < 2 * ground_height ? box.height - kGapOfRows : ground_height;
  const Point at = box.centre();
  Colour under = frame.colour_of(lane);
  under.strength *= strength;
  if (ground) picture.add(Rectangle{{at.x - across / 2, at.y - down / 2, across, down}, under, kNoColour, 0, 2});
  const Colour colour = strength < 1 ? Colour{Ink::Text, strength} : frame.text_on(lane);
  picture.add(Label{at, std::to_string(lane), colour, Font::Mono, size, Align::Centre, Align::Centre});
}

/// The lane's number once in each rectangle of the elements, as many of them as the window shows.
void number_elements(const StageFrame& frame, const ArrayPanel& panel, const std::vector<uint64_t>& elements,
                     uint32_t lane, Picture& picture) {
  const bool lines = CellPainter::gap(panel) > 0;
  const size_t array = frame.number_of(*panel.array);
  const bool hatched = array < frame.stages.size() && !frame.stages[array].on_the_way.empty();
  for (const Region& region : regions_of(*panel.array, elements)) {
    const Region part = clipped(region, panel.window);
    const bool ground = hatched || (lines && part.rows() * part.columns() > 1);
    if (!part.empty()) add_number(frame, panel.place(part), lane, ground, panel.strength, picture);
  }
}

/// On the elements that one lane alone loads or stores.
void number_uses(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  std::map<uint64_t, std::vector<uint32_t>> users;
  for (const LaneUse& use : frame.uses)
    if (use.array == panel.array && use.how != LaneUse::How::Adds) users[use.index].push_back(use.lane);
  std::array<std::vector<uint64_t>, kLanes> own;
  for (const auto& [index, lanes] : users)
    if (lanes.size() == 1) own[lanes.front()].push_back(index);
  for (uint32_t lane = 0; lane < kLanes; ++lane) number_elements(frame, panel, own[lane], lane, picture);
}

/// Which of the words of mbarriers are brief: where one has to be, all are, so that they can be compared.
struct MbarrierWords {
  bool brief_phase = false, brief_arrivals = false, brief_bytes = false;

  std::string phase(const run::MbarrierState& state) const {
    return brief_phase ? tr_format("ph. {}", state.phase) : tr_format("phase {}", state.phase);
  }
  std::string arrivals(const run::MbarrierState& state) const {
    return brief_arrivals ? std::to_string(state.pending) : plural(state.pending, "{} arrival", "{} arrivals");
  }
  std::string bytes(const run::MbarrierState& state) const {
    const auto bytes = static_cast<uint64_t>(std::max<int64_t>(state.bytes, 0));
    return brief_bytes && bytes < 1024 ? fmt::format("{} B", bytes) : bytes_text(bytes);
  }
};

constexpr float kBesideWords = 2;  ///< Pixels of an mbarrier's box.

float width_in(const StageFrame& frame, const std::string& words, float size) {
  return frame.canvas.measure->width(words, Font::Text, size);
}

Box box_of_mbarrier(const ArrayPanel& panel, uint64_t index) {
  const Box box = panel.place(element_at(*panel.array, index));
  const float gap = std::min(1.0f, box.width * 0.05f);
  return {box.x + gap, box.y, box.width - 2 * gap, box.height};
}

/// The phase of one mbarrier, and its missing arrivals and bytes; of these the ones that it waits for, if there is no
/// room for both. The box is filled by the share of arrivals, hatched for those that come with copies; the line below
/// shows bytes in flight. `top`: pixels above the words.
void draw_mbarrier(const StageFrame& frame, const ArrayPanel& panel, const Box& box, float top,
                   const run::MbarrierState& state, const MbarrierWords& all, Picture& picture) {
  constexpr float kBytesHeight = 3;
  const float part = box.width / static_cast<float>(std::max(state.expected, 1u));
  const float come = part * static_cast<float>(state.expected - std::min(state.pending, state.expected));
  picture.add(Rectangle{{box.x, box.y, come, box.height}, {panel.ink, 0.55f * panel.strength}});
  if (state.promised > 0)
    add_hatch({box.x + come, box.y, part * static_cast<float>(std::min(state.promised, state.pending)), box.height},
              {panel.ink, 0.7f * panel.strength}, picture);
  const bool bytes = state.bytes > 0;
  if (bytes) picture.add(Rectangle{{box.x, box.bottom() - kBytesHeight, box.width, kBytesHeight}, {Ink::AsyncCopy}});
  const float room = box.height - top - (bytes ? kBytesHeight : 0);
  const auto [rows, size, height] = lines_of_mbarrier(room, frame.canvas.text);
  const std::string missing = all.bytes(state);
  const bool only_bytes = bytes && state.pending == 0 && rows < 3;
  std::vector<std::string> lines;
  if (rows >= 2) lines.push_back(all.phase(state));
  if (rows >= 1) lines.push_back(only_bytes ? missing : all.arrivals(state));
  if (rows >= 3 && bytes) lines.push_back(missing);
  float y = box.y + top + (room - height * static_cast<float>(lines.size() - 1)) / 2;
  if (!lines.empty() && state.promised > 0)  // Words on hatching could not be read.
    picture.add(Rectangle{{box.x, y - height / 2, box.width, height * static_cast<float>(lines.size())},
                          {Ink::Window, 0.6f * panel.strength}});
  for (const std::string& words : lines) {
    if (width_in(frame, words, size) <= box.width - kBesideWords)
      picture.add(Label{{box.centre().x, y}, words, {Ink::Text}, Font::Text, size, Align::Centre, Align::Centre});
    y += height;
  }
}

MbarrierWords words_of_mbarriers(const StageFrame& frame) {
  const float size = lines_of_mbarrier(0, frame.canvas.text).size;
  MbarrierWords words;
  for (const ArrayPanel& panel : frame.panels) {
    if (panel.window.empty() || !holds_mbarriers(frame.traced, *panel.array)) continue;
    const TracedArray& array = *panel.array;
    for (uint64_t index = 0; index < array.rows * array.columns; ++index) {
      const run::MbarrierState state = frame.traced.mbarriers.at(array.address_of(index), frame.slot);
      if (!state.initialised) continue;
      const float room = box_of_mbarrier(panel, index).width - kBesideWords;
      words.brief_phase |= width_in(frame, words.phase(state), size) > room;
      words.brief_arrivals |= width_in(frame, words.arrivals(state), size) > room;
      words.brief_bytes |= width_in(frame, words.bytes(state), size) > room;
    }
  }
  return words;
}

/// The state of each mbarrier at the cursor, and which other warps are at it.
void mark_mbarriers(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  constexpr float kWarpMark = 4;
  const TracedArray& array = *panel.array;
  const Region& window = panel.window;
  if (!holds_mbarriers(frame.traced, array)) return;
  const MbarrierWords words = words_of_mbarriers(frame);
  for (uint64_t row = window.row; row < window.row_end; ++row)
    for (uint64_t column = window.column; column < window.column_end; ++column) {
      const uint64_t index = row * array.columns + column;
      const Box box = box_of_mbarrier(panel, index);
      const run::MbarrierState state = frame.traced.mbarriers.at(array.address_of(index), frame.slot);
      std::vector<uint32_t> others;
      for (const MbarrierUse& use : frame.mbarriers)
        if (use.array == &array && use.index == index && use.warp != frame.focus.cursor.warp)
          others.push_back(use.warp);
      if (state.initialised)
        draw_mbarrier(frame, panel, box, others.empty() ? 0 : kWarpMark + 1, state, words, picture);
      Box mark{box.x + 1, box.y + 1, kWarpMark, kWarpMark};
      for (size_t i = 0; i < others.size() && mark.right() < box.right(); ++i, mark.x += kWarpMark + 1)
        picture.add(Rectangle{mark, warp_colour(others[i], panel.strength)});
    }
}

/// On each element its bank, if numbers fit.
void number_banks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const float text = frame.canvas.text, two_digits = frame.canvas.measure->width("30", Font::Mono, text) / text;
  const float size = std::min({text, panel.cell_height() * 0.8f, (panel.cell_width() - kNumberApart) / two_digits});
  if (size < kLeastWords) return;
  const std::vector<uint64_t> used = frame.used(*panel.array);
  const std::set<uint64_t> accessed(used.begin(), used.end());
  const Region& window = panel.window;
  for (uint64_t row = window.row; row < window.row_end; ++row)
    for (uint64_t column = window.column; column < window.column_end; ++column) {
      const uint64_t index = row * panel.array->columns + column;
      const Colour colour = accessed.contains(index) ? Colour{Ink::OnLight} : Colour{Ink::Text, panel.strength};
      picture.add(Label{panel.place(element_at(*panel.array, index)).centre(),
                        std::to_string(bank_of(*panel.array, index)), colour, Font::Mono, size, Align::Centre,
                        Align::Centre});
    }
}

/// On C the elements that a lane alone stores, whatever the instruction; where they are in many places, in the first
/// alone. Returns whether any number had room.
bool number_output(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  constexpr size_t kMostPlaces = 2;
  const size_t before = picture.shapes.size();
  std::vector<uint64_t> all;
  for (const std::vector<uint64_t>& elements : frame.owned) all.insert(all.end(), elements.begin(), elements.end());
  std::ranges::sort(all);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    std::vector<uint64_t> own = frame.owned[lane];
    std::erase_if(own, [&](uint64_t index) { return std::ranges::equal_range(all, index).size() > 1; });
    const std::vector<Region> places = regions_of(*panel.array, own);
    if (places.size() <= kMostPlaces)
      number_elements(frame, panel, own, lane, picture);
    else if (const Region first = clipped(places.front(), panel.window); !first.empty())
      add_number(frame, panel.place(first), lane, CellPainter::gap(panel) > 0 && first.rows() * first.columns() > 1,
                 panel.strength, picture);
  }
  return picture.shapes.size() > before;
}

/// In the largest part of C that a warp alone computes, its number; of the cursor's, unless its lanes are numbered
/// there.
void name_warps(const StageFrame& frame, const ArrayPanel& panel, bool numbered, Picture& picture) {
  const std::vector<uint64_t>& of_several = frame.traced.accesses.output_of_several();
  for (uint32_t warp = 0; warp < frame.traced.timeline.warps(); ++warp) {
    const bool mine = warp == frame.focus.cursor.warp;
    if (mine && numbered) continue;
    std::vector<uint64_t> elements = frame.traced.accesses.copied_output(warp);
    for (const run::OutputStore& store : frame.traced.accesses.output_stores(warp))
      if (store.part == 0)
        run::for_each_accessed(frame.traced.trace, *panel.array, store.record,
                               [&](uint64_t index, uint32_t) { elements.push_back(index); });
    std::erase_if(elements, [&](uint64_t index) { return std::ranges::binary_search(of_several, index); });
    Box largest;
    for (const Region& region : regions_of(*panel.array, std::move(elements))) {
      const Region part = clipped(region, panel.window);
      const Box box = part.empty() ? Box{} : panel.place(part);
      if (box.width * box.height > largest.width * largest.height) largest = box;
    }
    const std::string name = tr_format("warp {}", warp);
    const float size = std::min(frame.canvas.text, largest.height * 0.8f);
    if (size < kLeastWords || frame.canvas.measure->width(name, Font::Text, size) > largest.width - 4) continue;
    if (CellPainter::gap(panel) > 0) {
      const float width = frame.canvas.measure->width(name, Font::Text, size) + 2 * kNumberApart;
      const Point at = largest.centre();
      picture.add(Rectangle{{at.x - width / 2, at.y - size * kNumberLine / 2, width, size * kNumberLine},
                            mine ? warp_colour(warp) : Colour{Ink::Window, 0.75f},
                            kNoColour,
                            0,
                            3});
    }
    picture.add(Label{
        largest.centre(), name, {mine ? Ink::OnLight : Ink::Text}, Font::Text, size, Align::Centre, Align::Centre});
  }
}

/// For a shared element pointed at, the place in this array that its value was loaded from.
std::optional<uint64_t> source_in(const StageFrame& frame, const TracedArray& array, const Target& lit) {
  const TracedArray* shared = frame.traced.accesses.find(Space::Shared, lit.array);
  if (!shared) return std::nullopt;
  const auto from = frame.traced.accesses.data_flow().stored_from(shared->address_of(lit.index), frame.slot + 1);
  if (!from || !array.allocation.contains(from->address)) return std::nullopt;
  return array.index_of(from->address);
}

void mark_lit(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const Target& lit = frame.focus.lit();
  const TracedArray& array = *panel.array;
  const Colour hover{Ink::Hover};
  const auto mark = [&](uint64_t index) { add_frame(panel, element_at(array, index), hover, picture); };
  if (lit.kind == Target::Kind::Element) {
    if (lit.array == array.allocation.name && lit.space == array.allocation.space) mark(lit.index);
    if (lit.space == Space::Shared && array.allocation.space == Space::Global)
      if (const auto source = source_in(frame, array, lit)) mark(*source);
  }
  if (lit.kind == Target::Kind::Lane && lit.warp == frame.focus.cursor.warp)
    for (const LaneUse& use : frame.uses)
      if (use.array == &array && use.lane == lit.index) mark(use.index);
  if (lit.kind == Target::Kind::Warp && !frame.focus.hidden.has(session::Fact::Accesses) &&
      !array.warp_touched.empty() && array.is_output())
    add_frame(panel, array.warp_touched[std::min<size_t>(lit.warp, array.warp_touched.size() - 1)], hover, picture);
}

}  // namespace

bool has_sectors(const ArrayPanel& panel) {
  return panel.array->allocation.space == Space::Global && panel.cell_width() >= kSectorsFrom &&
         !sector_starts(*panel.array, panel.window).empty();
}

void add_marks(const StageFrame& frame, const ArrayPanel& panel, Picture& picture) {
  const bool output = panel.array->is_output(), numbered = output && frame.view.level >= 1;
  if (output && frame.shows_grid() && !frame.focus.hidden.has(session::Fact::Accesses))
    mark_blocks(frame, panel, picture);
  if (frame.shows_grid()) mark_parts_of_k(frame, panel, picture);
  mark_beyond(panel, picture);
  if (frame.view.level > 0.5f) {
    mark_tile(frame, panel, picture);
    mark_sectors(panel, picture);
    if (!frame.focus.hidden.has(session::Fact::Accesses)) mark_mbarriers(frame, panel, picture);
    mark_uses(frame, panel, picture);
    mark_out_of_order(frame, panel, picture);
    bool has_numbers = false;
    if (panel.array == frame.banks)
      number_banks(frame, panel, picture);
    else if (numbered)
      has_numbers = number_output(frame, panel, picture);
    else if (!frame.is_bulk)
      number_uses(frame, panel, picture);
    if (numbered && !frame.shows_lanes() && !frame.focus.hidden.has(session::Fact::Accesses))
      name_warps(frame, panel, has_numbers, picture);
  }
  mark_breaks(frame, panel, picture);
  mark_lit(frame, panel, picture);
}

}  // namespace tilescope::view
