#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "base/words.h"
#include "view/access_words.h"
#include "view/label_placer.h"
#include "view/strip/strip_parts.h"
#include "wording/finding.h"

namespace tilescope::view {
namespace {
using analysis::kLineBytes;
using analysis::kSectorBytes;
using analysis::SectorUse;
using trace::kLanes;

constexpr uint32_t kSectorsPerLine = kLineBytes / kSectorBytes;
constexpr float kLeastSector = 12;   ///< Width of a sector from which a line shows all four, used or not.
constexpr float kWideSector = 48;    ///< Width from which the rows of sectors are few enough.
constexpr float kLeastRow = 13;      ///< Height of a row among several: a lane's number fits.
constexpr float kUprightBelow = 32;  ///< Bytes lie one above the other in a sector narrower than this.

uint64_t line_of(uint64_t address) { return address / kLineBytes * kLineBytes; }

/// A sector in its place.
struct PlacedSector {
  uint64_t address = 0;
  uint32_t row = 0;
  Box box;
  const SectorUse* use = nullptr;  ///< Null: no lane accesses it.
};

/// The layout of sectors: line by line in one row; if that would make them thin strokes, in several rows, and only the
/// accessed ones.
struct SectorLayout {
  Band lanes;
  bool wraps = false;
  float heading = 0;  ///< Middle of the line of text above the rows, where they wrap.
  float top = 0, bottom = 0;
  size_t lines = 0;     ///< 128-byte lines that are accessed.
  size_t left_out = 0;  ///< Sectors of them that are not drawn.
  std::vector<PlacedSector> sectors;

  bool upright() const { return sectors.front().box.width < kUprightBelow; }
  Box bytes_box(const PlacedSector& sector, uint32_t first, uint32_t bytes) const {
    const Box& box = sector.box;
    const float from = static_cast<float>(first) / kSectorBytes, part = static_cast<float>(bytes) / kSectorBytes;
    if (upright()) return {box.x, box.y + from * box.height, box.width, part * box.height};
    return {box.x + from * box.width, box.y, part * box.width, box.height};
  }
};

/// The accessed sectors of one line.
using Line = std::vector<const SectorUse*>;

std::vector<Line> cache_lines_of(const std::vector<SectorUse>& sectors) {
  std::vector<Line> lines;
  for (const SectorUse& sector : sectors) {
    if (lines.empty() || line_of(lines.back().front()->address) != line_of(sector.address)) lines.emplace_back();
    lines.back().push_back(&sector);
  }
  return lines;
}

/// Lines side by side in rows, `per_line` sectors in each.
struct SectorGrid {
  size_t rows = 1, columns = 1;  ///< Of lines.
  uint32_t per_line = kSectorsPerLine;
  float width = 0;  ///< Of a sector.
  float gap() const { return columns > 16 ? 3.0f : columns > 4 ? 6.0f : 12.0f; }
};

SectorGrid grid_in_rows(size_t lines, size_t rows, uint32_t per_line, float room) {
  SectorGrid grid{rows, (lines + rows - 1) / rows, per_line};
  const auto columns = static_cast<float>(grid.columns);
  grid.width = (room - grid.gap() * (columns - 1)) / columns / static_cast<float>(per_line);
  return grid;
}

/// `most`: rows that fit in the height.
SectorGrid wrapped_grid(const std::vector<Line>& lines, size_t most, float room) {
  size_t per_line = 1, rows = 1;
  for (const Line& line : lines) per_line = std::max(per_line, line.size());
  const auto in_rows = [&] { return grid_in_rows(lines.size(), rows, static_cast<uint32_t>(per_line), room); };
  while (rows * 2 <= std::min(most, lines.size()) && in_rows().width < kWideSector) rows *= 2;
  return in_rows();
}

/// The sectors of a line that are drawn: all four, or those that are accessed.
std::vector<PlacedSector> sectors_of(const Line& line, bool all) {
  std::vector<PlacedSector> sectors;
  if (!all)
    for (const SectorUse* use : line) sectors.push_back({use->address, 0, {}, use});
  for (uint32_t number = 0; all && number < kSectorsPerLine; ++number) {
    const uint64_t address = line_of(line.front()->address) + number * kSectorBytes;
    const auto use = std::find_if(line.begin(), line.end(), [&](auto* each) { return each->address == address; });
    sectors.push_back({address, 0, {}, use == line.end() ? nullptr : *use});
  }
  return sectors;
}

/// Fills the layout's rows, which are `pitch` apart and `height` high.
void place_lines(const Strip& strip, const std::vector<Line>& lines, const SectorGrid& grid, float pitch, float height,
                 SectorLayout& layout) {
  const float space = grid.width > 8 ? 2.0f : 0.6f;
  const float line_width = grid.width * static_cast<float>(grid.per_line) + grid.gap();
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto row = static_cast<uint32_t>(i / grid.columns);
    float x = strip.gutter + static_cast<float>(i % grid.columns) * line_width;
    for (PlacedSector& sector : sectors_of(lines[i], !layout.wraps)) {
      sector.row = row;
      sector.box = {x + space / 2, layout.top + static_cast<float>(row) * pitch, grid.width - space, height};
      layout.sectors.push_back(sector);
      x += grid.width;
    }
  }
}

SectorLayout sector_layout(const Strip& strip, const std::vector<SectorUse>& sectors) {
  const float height = strip.canvas.height, small = strip.small;
  const std::vector<Line> lines = cache_lines_of(sectors);
  SectorLayout layout;
  layout.lanes = {1, std::clamp(small + 6, 12.0f, height * 0.2f)};
  layout.lines = lines.size();
  const SectorGrid one_row = grid_in_rows(lines.size(), 1, kSectorsPerLine, strip.plot_width());
  layout.wraps = one_row.width < kLeastSector;
  if (!layout.wraps) {
    const float row = std::clamp(height * 0.32f, 16.0f, 72.0f);
    layout.bottom = height - small - 5;
    layout.top = layout.bottom - row;
    place_lines(strip, lines, one_row, row, row, layout);
    return layout;
  }
  layout.heading = layout.lanes.bottom() + small * 0.85f;
  layout.top = layout.heading + small * 0.7f;
  layout.bottom = height - 1;
  layout.left_out = lines.size() * kSectorsPerLine - sectors.size();
  const float room = layout.bottom - layout.top;
  const SectorGrid grid =
      wrapped_grid(lines, std::max<size_t>(1, static_cast<size_t>(room / kLeastRow)), strip.plot_width());
  const float pitch = room / static_cast<float>(grid.rows);
  place_lines(strip, lines, grid, pitch, grid.rows > 1 ? pitch - std::clamp(pitch * 0.2f, 2.0f, 6.0f) : pitch, layout);
  return layout;
}

// --- The sectors. ---

/// Those of `lanes` that access the byte.
uint32_t lanes_at(const WarpAccess& access, uint32_t lanes, uint64_t byte) {
  uint32_t found = 0;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t lane = lowest(lanes);
    if (byte - access.addresses[lane] < access.bytes) found |= 1u << lane;
  }
  return found;
}

/// Neighbouring bytes that the same lanes access.
struct BytesUse {
  uint32_t first = 0, bytes = 0;
  uint32_t lanes = 0;
};

std::vector<BytesUse> uses_of(const WarpAccess& access, const SectorUse& sector) {
  std::vector<BytesUse> uses;
  for (uint32_t byte = 0; byte < kSectorBytes; ++byte) {
    const uint32_t lanes = lanes_at(access, sector.lanes, sector.address + byte);
    if (lanes == 0) continue;
    const bool goes_on = !uses.empty() && uses.back().lanes == lanes && uses.back().first + uses.back().bytes == byte;
    if (goes_on)
      ++uses.back().bytes;
    else
      uses.push_back({byte, 1, lanes});
  }
  return uses;
}

/// The lane that uses the bytes, or how many do: on them if any number fits, else beside them; if bytes are thin
/// strokes, in the middle of the sector if they are `alone` in it.
void name_lanes(Strip& strip, const Box& sector, const Box& bytes, uint32_t lanes, bool alone, LabelPlacer& placer) {
  const int count = std::popcount(lanes);
  const float size = std::min(strip.small, sector.height - 1);
  if (size < kLeastWords) return;
  Label label{bytes.centre(),
              count == 1 ? fmt::format("{}", lowest(lanes)) : fmt::format("×{}", count),
              on_lane(lowest(lanes)),
              Font::Mono,
              size,
              Align::Centre,
              Align::Centre};
  if (bytes.width > strip.width("×30", Font::Mono, size)) {
    if (bytes.height >= size) return strip.picture.add(label);
    label.at = sector.centre();
    label.colour = {Ink::Text};
    if (alone) strip.picture.add(label);
    return;
  }
  label.colour = {Ink::Text};
  Label after = label, before = label;
  after.at.x = bytes.right() + 3;
  after.horizontal = Align::Begin;
  before.at.x = bytes.x - 3;
  before.horizontal = Align::End;
  placer.place({{after}, {before}}, strip.picture);
}

void draw_sector(Strip& strip, const SectorLayout& layout, const WarpAccess& access, const PlacedSector& sector) {
  if (!sector.use)
    return strip.picture.add(
        Rectangle{sector.box, {Ink::Raised, 0.5f}, {Ink::Line}, 1, layout.upright() ? 0.0f : 2.0f});
  strip.picture.add(Rectangle{sector.box, {Ink::Warning, 0.16f}, {Ink::Text, 0.7f}, 1, 0});
  strip.make_hot(sector.box, sector_target(sector.address));
  const std::vector<BytesUse> uses = uses_of(access, *sector.use);
  LabelPlacer placer(sector.box, *strip.canvas.measure);
  for (const BytesUse& use : uses) {
    Box box = layout.bytes_box(sector, use.first, use.bytes);
    if (!layout.upright() && box.width > 6) box.width -= 1;
    placer.take(box);
    const uint64_t address = sector.address + use.first;
    strip.picture.add(Rectangle{box, lane_colour(lowest(use.lanes))});
    if (!layout.upright() || sector.box.width > kLeastSector)
      strip.make_hot(box, element_target(*strip.focus.traced, Space::Global, address));
    if (strip.lit_bytes.overlaps(Space::Global, address, use.bytes)) strip.outline(box);
  }
  for (const BytesUse& use : uses)
    if (layout.wraps)
      name_lanes(strip, sector.box, layout.bytes_box(sector, use.first, use.bytes), use.lanes, uses.size() == 1,
                 placer);
  if (strip.focus.lit() == sector_target(sector.address) || strip.lit_lanes(sector.use->lanes) ||
      strip.lit_bytes.overlaps(Space::Global, sector.address, kSectorBytes))
    strip.outline(sector.box);
}

/// From each lane to its bytes. If sectors wrap, they contain the lanes' numbers, and only highlighted ones have links.
void draw_links(Strip& strip, const SectorLayout& layout, const WarpAccess& access) {
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(access.active, lane)) continue;
    const uint64_t address = access.addresses[lane];
    const auto sector = std::find_if(layout.sectors.begin(), layout.sectors.end(),
                                     [&](const PlacedSector& s) { return address - s.address < kSectorBytes; });
    const bool lit = strip.lit_lane(lane) || strip.focus.lit() == sector_target(sector->address) ||
                     strip.lit_bytes.overlaps(Space::Global, address, access.bytes);
    const Box from = strip.lane_box(layout.lanes, lane);
    if ((layout.wraps && !lit) || sector->box.y - from.bottom() < 8) continue;
    const Box to = layout.bytes_box(*sector, static_cast<uint32_t>(address - sector->address), access.bytes);
    strip.link({from.centre().x, from.bottom() + 1}, {to.centre().x, sector->box.y - 1}, lane, lit);
  }
}

// --- The words beside them. ---

/// The element of an array that the sector's first used byte belongs to.
std::string first_element(const Strip& strip, const PlacedSector& sector) {
  return wording::element_at(strip.focus.traced->facts, Space::Global, sector.address + lowest(sector.use->bytes_used));
}

struct SectorFigures {
  std::string found, ideal, lines, wavefronts;
  Ink ink = Ink::Strong;
};

SectorFigures figures_of(const WarpAccess& access, const std::vector<SectorUse>& sectors, size_t lines) {
  const auto found = static_cast<uint32_t>(sectors.size()), ideal = analysis::ideal_sectors(sectors);
  const uint32_t wavefronts = analysis::global_wavefronts(access.addresses.data(), access.active, access.bytes);
  return {tr_format("sectors {}", found), tr_format("ideal {}", ideal), plural(lines, "{} line", "{} lines"),
          plural(wavefronts, "{} L1 wavefront", "{} L1 wavefronts"), found > ideal ? Ink::Warning : Ink::Strong};
}

/// The figures beside a single row, in which the lines are visible; under the lines their first used elements, as many
/// as fit.
void write_beside_row(Strip& strip, const SectorLayout& layout, const SectorFigures& figures) {
  const float middle = (layout.top + layout.bottom) / 2, half = strip.small * 0.65f;
  const float below = strip.canvas.height - strip.small / 2 - 1;
  strip.gutter_text(middle - half, figures.found, figures.ink, Font::Bold);
  strip.gutter_text(middle + half, figures.ideal, Ink::Faint, Font::Text, "ideal");
  strip.gutter_text(below, figures.wavefronts, Ink::Faint, Font::Text, "wavefront");
  LabelPlacer names({strip.gutter, layout.bottom, strip.canvas.width - strip.gutter, strip.small + 5},
                    *strip.canvas.measure);
  std::optional<uint64_t> named;
  for (const PlacedSector& sector : layout.sectors) {
    if (!sector.use || named == line_of(sector.address)) continue;
    named = line_of(sector.address);
    const Label name{
        {sector.box.x, below}, first_element(strip, sector), {Ink::Text}, Font::Mono, strip.small, Align::Begin,
        Align::Centre};
    if (names.place({{name}}, strip.picture)) {
      Box with_gap = box_of(name, *strip.canvas.measure);
      with_gap.width += strip.small;
      names.take(with_gap);
    }
  }
}

/// Part of a label, explained under the mouse by that name.
void explain_part(Strip& strip, const Label& label, const std::string& part, const char* name) {
  const size_t at = label.text.find(part);
  if (at == std::string::npos) return;
  const auto width = [&](const std::string& text) { return strip.canvas.measure->width(text, label.font, label.size); };
  Box box = box_of(label, *strip.canvas.measure);
  box.x += width(label.text.substr(0, at));
  box.width = width(part);
  strip.make_hot(box, {session::Target::Kind::Word, Space::None, name, 0, 0});
}

/// The figures above the rows, and what the rows leave out; beside each row its first used element.
void write_beside_rows(Strip& strip, const SectorLayout& layout, const SectorFigures& figures) {
  strip.gutter_text(layout.heading, figures.found, figures.ink, Font::Bold);
  const auto label = [&](const std::string& words) {
    return Label{
        {strip.gutter, layout.heading}, words, {Ink::Faint}, Font::Text, strip.small, Align::Begin, Align::Centre};
  };
  const std::string found = fmt::format("{}   {}   {}", figures.ideal, figures.lines, figures.wavefronts);
  const auto left_out = static_cast<uint64_t>(layout.left_out);
  const std::vector<LabelPlacer::Group> headings{
      {label(fmt::format("{}   {}", found,
                         plural(left_out, "the other {} sector of these lines is not drawn",
                                "the other {} sectors of these lines are not drawn")))},
      {label(fmt::format("{}   {}", found, tr("other sectors are not drawn")))},
      {label(found)},
      {label(figures.ideal)}};
  LabelPlacer heading({strip.gutter, 0, strip.plot_width(), layout.top + strip.small}, *strip.canvas.measure);
  if (const std::optional<size_t> placed = heading.place(headings, strip.picture)) {
    explain_part(strip, headings[*placed].front(), figures.ideal, "ideal");
    explain_part(strip, headings[*placed].front(), figures.wavefronts, "wavefront");
  }
  LabelPlacer names({0, layout.top, strip.gutter, layout.bottom - layout.top}, *strip.canvas.measure);
  std::optional<uint32_t> named;
  for (const PlacedSector& sector : layout.sectors) {
    if (named == sector.row) continue;
    named = sector.row;
    names.place({{{{strip.gutter - 8, sector.box.centre().y},
                   first_element(strip, sector),
                   {Ink::Text},
                   Font::Mono,
                   strip.small,
                   Align::End,
                   Align::Centre}}},
                strip.picture);
  }
}

}  // namespace

Picture global_strip(const Focus& focus, const Canvas& canvas, const WarpAccess& access) {
  Strip strip(focus, canvas);
  const std::vector<SectorUse> sectors = access.sectors();
  const SectorLayout layout = sector_layout(strip, sectors);
  strip.draw_lanes(layout.lanes, access.active, access.active);
  strip.number_lanes(layout.lanes, access.active, access.active);
  strip.gutter_text(layout.lanes.middle(), tr("lane"), Ink::Faint);
  for (const PlacedSector& sector : layout.sectors) draw_sector(strip, layout, access, sector);
  draw_links(strip, layout, access);
  const SectorFigures figures = figures_of(access, sectors, layout.lines);
  layout.wraps ? write_beside_rows(strip, layout, figures) : write_beside_row(strip, layout, figures);
  return std::move(strip.picture);
}

}  // namespace tilescope::view
