#include "view/strip_picture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/words.h"
#include "ptx/module.h"
#include "view/access_words.h"
#include "view/register_words.h"
#include "view/words.h"
#include "wording/finding.h"

namespace tilescope::view {
namespace {
using session::Target;
using trace::kLanes;

constexpr float kLeastLabel = 8;  ///< The smallest size of a number that is one of many, in the banks' grid.
constexpr float kApart = 3, kLabelsApart = 2;  ///< Between two of them side by side.
constexpr float kNeighbourStrength = 0.42f;    ///< Of words that a merged access reads for other instructions.

bool has(uint32_t mask, uint32_t lane) { return mask >> lane & 1; }

/// Bytes of an array that are lit.
struct LitBytes {
  Space space = Space::None;
  uint64_t begin = 0, end = 0;
  bool overlaps(Space in, uint64_t address, uint64_t bytes) const {
    return in == space && address < end && begin < address + bytes;
  }
};

LitBytes lit_element(const session::Scene& scene, const Target& lit) {
  if (lit.kind != Target::Kind::Element) return {};
  const auto bytes_of = [&](const Allocation& array) {
    const uint64_t size = size_of(array.element), begin = array.base + lit.index * size;
    return LitBytes{lit.space, begin, begin + size};
  };
  for (const auto& global : scene.facts.global)
    if (lit.space == Space::Global && global.allocation.name == lit.array) return bytes_of(global.allocation);
  for (const Allocation& array : scene.facts.shared)
    if (lit.space == Space::Shared && array.name == lit.array) return bytes_of(array);
  return {};
}

/// What every kind of strip has: sizes, the row of lanes, small helpers.
class Strip {
 public:
  Strip(const Focus& focus, const Canvas& canvas)
      : focus_(focus), canvas_(canvas), lit_bytes_(lit_element(*focus.scene, focus.lit())) {
    picture_.width = canvas.width;
    picture_.height = canvas.height;
    small_ = std::max(9.0f, std::min(canvas.text * 0.78f, canvas.height / 7));
    const std::string widest = tr_format("quarter warp {} of {}", 4, 4);
    gutter_ = std::round(canvas.measure->width(widest, Font::Text, small_) + 3.2f * small_);
    cell_ = std::max(2.0f, (canvas.width - gutter_ - 8) / kLanes);
  }

  Picture take() { return std::move(picture_); }

 protected:
  float plot_width() const { return cell_ * kLanes; }
  Box lane_box(uint32_t lane) const {
    return {gutter_ + cell_ * static_cast<float>(lane) + 1, lanes_top_, cell_ - 2, lanes_height_};
  }
  float width(const std::string& text, Font font, float size) const { return canvas_.measure->width(text, font, size); }

  void text(Point at, const std::string& words, Colour colour, float size, Align horizontal,
            Align vertical = Align::Centre, Font font = Font::Text) {
    picture_.add(Label{at, words, colour, font, size, horizontal, vertical});
  }
  /// In the gutter, flush right.
  void gutter_text(float y, const std::string& words, Ink ink, Font font = Font::Text) {
    text({gutter_ - 8, y}, words, {ink}, small_, Align::End, Align::Centre, font);
  }
  void outline(Box box, Ink ink = Ink::Hover, float stroke = 2) {
    picture_.add(Rectangle{box, {Ink::Panel, 0}, {ink}, stroke, 2});
  }

  Target lane_target(uint32_t lane) const {
    Target target;
    target.kind = Target::Kind::Lane;
    target.warp = focus_.cursor.warp;
    target.index = lane;
    return target;
  }
  Target element_target(Space space, uint64_t address) const {
    const Allocation* array = focus_.scene->facts.array_at(space, address);
    if (!array) return {};
    Target target;
    target.kind = Target::Kind::Element;
    target.space = space;
    target.array = array->name;
    target.index = (address - array->base) / size_of(array->element);
    return target;
  }
  void make_hot(Box box, Target target) {
    if (target) picture_.add(box, std::move(target));
  }
  bool lit_lane(uint32_t lane) const { return focus_.lit() == lane_target(lane); }
  bool lit_lanes(uint32_t lanes) const {
    for (; lanes; lanes &= lanes - 1)
      if (lit_lane(lowest(lanes))) return true;
    return false;
  }

  /// The least step among 1, 2, 4, 8 and 16 at which two-digit numbers have room in cells of that width.
  uint32_t number_step(float cell) const {
    uint32_t step = 1;
    while (step < 16 && cell * static_cast<float>(step) < width("30", Font::Mono, small_) + kApart) step *= 2;
    return step;
  }

  /// The lanes with their numbers; `full` in their colours, those of `active` that are not `full` faint, the others
  /// hollow. Where numbers fit no cell at a size that can be read, only every second, fourth, ... stands.
  void draw_lanes(float top, float height, uint32_t full, uint32_t active, bool numbers = true) {
    lanes_top_ = top;
    lanes_height_ = height;
    for (uint32_t lane = 0; lane < kLanes; ++lane) draw_lane(lane, has(full, lane), has(active, lane));
    if (!numbers) return;
    const float fitting = small_ * std::min(1.0f, (cell_ - kApart) / width("30", Font::Mono, small_));
    const bool all = fitting >= kLeastNumber;
    const uint32_t step = all ? 1 : number_step(cell_);
    const float own = small_ * std::min(1.0f, (cell_ - 1) / width("30", Font::Mono, small_));
    const float size = all ? fitting : std::max(own, kLeastNumber);
    for (uint32_t lane = 0; lane < kLanes; lane += step) {
      const Colour ink = has(full, lane) ? on_lane(lane) : Colour{has(active, lane) ? Ink::Text : Ink::Faint};
      const Box box = lane_box(lane);
      // A number wider than its lane stands on the lane's colour, not on its neighbours'.
      const float wide = width("30", Font::Mono, size) + 2;
      if (has(full, lane) && !all && wide > box.width)
        picture_.add(
            Rectangle{{box.centre().x - wide / 2, box.y, wide, box.height}, lane_colour(lane), kNoColour, 0, 2});
      text(box.centre(), fmt::format("{}", lane), ink, size, Align::Centre, Align::Centre, Font::Mono);
    }
  }

  void draw_lane(uint32_t lane, bool full, bool active) {
    const Box box = lane_box(lane);
    if (full)
      picture_.add(Rectangle{box, lane_colour(lane), {Ink::Line, 0}, 1, 2});
    else
      picture_.add(Rectangle{box, lane_colour(lane, active ? 0.22f : 0), {active ? Ink::Text : Ink::Line}, 1, 2});
    if (lit_lane(lane)) outline(box);
    make_hot(box, lane_target(lane));
  }

  /// A curve from a lane to what it accesses, on a grey one so that the darkest and the brightest lanes show too.
  void link(Point from, Point to, uint32_t lane, bool lit) {
    Polyline line{curve(from, to), {Ink::Faint, 0.45f}, 2.4f};
    picture_.add(line);
    line.colour = lit ? Colour{Ink::Hover} : lane_colour(lane);
    line.width = lit ? 2.4f : 1.2f;
    picture_.add(std::move(line));
  }

  /// Leaves and arrives upright.
  static std::vector<Point> curve(Point from, Point to) {
    if (std::abs(from.x - to.x) < 0.5f) return {from, to};
    constexpr int kParts = 12;
    std::vector<Point> points;
    for (int i = 0; i <= kParts; ++i) {
      const float t = static_cast<float>(i) / kParts, eased = t * t * (3 - 2 * t);
      points.push_back({from.x + (to.x - from.x) * eased, from.y + (to.y - from.y) * t});
    }
    return points;
  }

  const Focus& focus_;
  const Canvas& canvas_;
  LitBytes lit_bytes_;
  Picture picture_;
  float small_ = 11, gutter_ = 100, cell_ = 18, lanes_top_ = 0, lanes_height_ = 0;
};

// --- Global memory: lanes above, lines and their sectors below. ---

class GlobalStrip : public Strip {
 public:
  GlobalStrip(const Focus& focus, const Canvas& canvas, const WarpAccess& access)
      : Strip(focus, canvas), access_(access), sectors_(access.sectors()) {
    for (const auto& sector : sectors_) {
      const uint64_t line = sector.address / analysis::kLineBytes * analysis::kLineBytes;
      if (lines_.empty() || lines_.back() != line) lines_.push_back(line);
    }
    const float names = small_ + 5;
    sector_height_ = std::clamp(canvas.height * 0.32f, 16.0f, 72.0f);
    sector_top_ = canvas.height - names - sector_height_;
    const auto count = static_cast<float>(lines_.size());
    gap_ = count > 16 ? 3.0f : count > 4 ? 6.0f : 12.0f;
    line_width_ = (plot_width() - gap_ * (count - 1)) / count;
  }

  Picture draw() {
    draw_lanes(1, std::clamp(small_ + 6, 12.0f, canvas_.height * 0.2f), access_.active, access_.active);
    gutter_text(lanes_top_ + lanes_height_ / 2, tr("lane"), Ink::Faint);
    draw_figures();
    for (const uint64_t line : lines_) draw_line(line);
    for (const auto& sector : sectors_) draw_sector(sector);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      if (has(access_.active, lane)) draw_link(lane);
    draw_names();
    return take();
  }

 private:
  float line_left(uint64_t line) const {
    const auto at = std::lower_bound(lines_.begin(), lines_.end(), line) - lines_.begin();
    return gutter_ + static_cast<float>(at) * (line_width_ + gap_);
  }
  float sector_width() const { return line_width_ / 4; }
  Box sector_box(uint64_t address) const {
    const uint64_t line = address / analysis::kLineBytes * analysis::kLineBytes;
    const auto number = static_cast<float>((address - line) / analysis::kSectorBytes);
    const float space = sector_width() > 8 ? 2.0f : 0.6f;
    return {line_left(line) + number * sector_width() + space / 2, sector_top_, sector_width() - space, sector_height_};
  }
  /// Bytes lie side by side in a wide sector and one above the other in a narrow one.
  bool upright() const { return sector_width() < analysis::kSectorBytes; }
  Box bytes_box(uint64_t sector, uint32_t first, uint32_t bytes) const {
    const Box box = sector_box(sector);
    const float from = static_cast<float>(first) / analysis::kSectorBytes,
                part = static_cast<float>(bytes) / analysis::kSectorBytes;
    if (upright()) return {box.x, box.y + from * box.height, box.width, part * box.height};
    return {box.x + from * box.width, box.y, part * box.width, box.height};
  }

  void draw_figures() {
    const auto found = static_cast<uint32_t>(sectors_.size()), ideal = analysis::ideal_sectors(sectors_);
    const float y = sector_top_ + sector_height_ / 2, half = small_ * 0.65f;
    gutter_text(y - half, tr_format("sectors {}", found), found > ideal ? Ink::Warning : Ink::Strong, Font::Bold);
    gutter_text(y + half, tr_format("ideal {}", ideal), Ink::Faint);
    gutter_text(canvas_.height - small_ / 2 - 1, counted(lines_.size(), "{} line", "{} lines"), Ink::Faint);
  }

  void draw_line(uint64_t line) {
    for (uint64_t sector = line; sector < line + analysis::kLineBytes; sector += analysis::kSectorBytes)
      picture_.add(Rectangle{sector_box(sector), {Ink::Raised, 0.5f}, {Ink::Line}, 1, upright() ? 0.0f : 2.0f});
  }

  Target sector_target(uint64_t address) const {
    Target target;
    target.kind = Target::Kind::Sector;
    target.space = Space::Global;
    target.index = address;
    return target;
  }

  void draw_sector(const analysis::SectorUse& sector) {
    const Box box = sector_box(sector.address);
    picture_.add(Rectangle{box, {Ink::Warning, 0.16f}, {Ink::Text, 0.7f}, 1, 0});
    make_hot(box, sector_target(sector.address));
    for (uint32_t byte = 0; byte < analysis::kSectorBytes;) byte = draw_bytes(sector, byte);
    const bool lit = focus_.lit() == sector_target(sector.address) || lit_lanes(sector.lanes) ||
                     lit_bytes_.overlaps(Space::Global, sector.address, analysis::kSectorBytes);
    if (lit) outline(box);
  }

  /// Draws the bytes from `first` on that the same lane uses first. Returns where the next ones begin.
  uint32_t draw_bytes(const analysis::SectorUse& sector, uint32_t first) {
    const auto owner = owner_of(sector, first);
    uint32_t end = first + 1;
    while (end < analysis::kSectorBytes && owner_of(sector, end) == owner) ++end;
    if (!owner) return end;
    Box box = bytes_box(sector.address, first, end - first);
    if (!upright() && box.width > 6) box.width -= 1;
    picture_.add(Rectangle{box, lane_colour(*owner)});
    if (!upright() || sector_width() > 12) make_hot(box, element_target(Space::Global, sector.address + first));
    if (lit_bytes_.overlaps(Space::Global, sector.address + first, end - first)) outline(box);
    return end;
  }

  /// The lowest lane that uses a byte.
  std::optional<uint32_t> owner_of(const analysis::SectorUse& sector, uint32_t byte) const {
    if (!has(sector.bytes_used, byte)) return std::nullopt;
    for (uint32_t lanes = sector.lanes; lanes; lanes &= lanes - 1) {
      const uint32_t lane = lowest(lanes);
      if (sector.address + byte - access_.addresses[lane] < access_.bytes) return lane;
    }
    return std::nullopt;
  }

  void draw_link(uint32_t lane) {
    const Box from = lane_box(lane);
    if (sector_top_ - from.bottom() < 8) return;
    const uint64_t address = access_.addresses[lane],
                   sector = address / analysis::kSectorBytes * analysis::kSectorBytes;
    const Box to = bytes_box(sector, static_cast<uint32_t>(address - sector), access_.bytes);
    const bool lit = lit_lane(lane) || focus_.lit() == sector_target(sector) ||
                     lit_bytes_.overlaps(Space::Global, address, access_.bytes);
    link({from.centre().x, from.bottom() + 1}, {to.centre().x, sector_top_ - 1}, lane, lit);
  }

  /// The first sector that is used of each line.
  std::vector<analysis::SectorUse> first_sectors() const {
    std::vector<analysis::SectorUse> firsts;
    for (const auto& sector : sectors_)
      if (firsts.empty() || firsts.back().address / analysis::kLineBytes != sector.address / analysis::kLineBytes)
        firsts.push_back(sector);
    return firsts;
  }

  std::string name_of(const analysis::SectorUse& sector) const {
    return wording::element_at(focus_.scene->facts, Space::Global, sector.address + lowest(sector.bytes_used));
  }

  /// Under the lines their first elements that are used; under every second, fourth, ... where there is less room.
  void draw_names() {
    const std::vector<analysis::SectorUse> firsts = first_sectors();
    float widest = 0;
    for (const auto& sector : firsts) widest = std::max(widest, width(name_of(sector), Font::Mono, small_));
    size_t step = 1;
    while (static_cast<float>(step) * (line_width_ + gap_) < widest + small_ && step < firsts.size()) step *= 2;
    for (size_t i = 0; i < firsts.size(); i += step) draw_name(name_of(firsts[i]), sector_box(firsts[i].address));
  }

  void draw_name(const std::string& name, Box sector) {
    if (sector.x + width(name, Font::Mono, small_) > canvas_.width) return;
    const Point at{sector.x, canvas_.height - small_ / 2 - 1};
    text(at, name, {Ink::Text}, small_, Align::Begin, Align::Centre, Font::Mono);
  }

  const WarpAccess& access_;
  std::vector<analysis::SectorUse> sectors_;
  std::vector<uint64_t> lines_;
  float sector_top_ = 0, sector_height_ = 0, gap_ = 0, line_width_ = 0;
};

// --- Shared memory: banks across, wavefronts down. ---

class SharedStrip : public Strip {
 public:
  SharedStrip(const Focus& focus, const Canvas& canvas, const WarpAccess& access)
      : Strip(focus, canvas), access_(access), banks_(access.banks()), rows_(banks_.wavefronts()) {
    roomy_ = rows_ <= 2;
    lanes_height_ = roomy_ ? std::clamp(small_ + 6, 12.0f, canvas.height * 0.2f) : std::max(3.0f, small_ * 0.4f);
    const auto groups = static_cast<float>(banks_.groups.size()), rows = static_cast<float>(rows_);
    group_gap_ = groups > 1 ? 4.0f : 0.0f;
    const float links = roomy_ ? canvas.height * 0.2f : 1, taken = 1 + lanes_height_ + small_ + 3;
    const float free = canvas.height - taken - 2 - group_gap_ * (groups - 1);
    row_ = std::clamp((free - links) / rows, 1.0f, small_ * 2.6f);
    grid_top_ = taken + (roomy_ ? free - rows * row_ : links);
    label_size_ = label_size();
  }

  Picture draw() {
    draw_lanes(1, lanes_height_, access_.active, access_.active, roomy_);
    if (lanes_height_ >= small_ * 0.9f) gutter_text(lanes_top_ + lanes_height_ / 2, tr("lane"), Ink::Faint);
    draw_bank_numbers();
    for (uint32_t group = 0; group < banks_.groups.size(); ++group) draw_group(group);
    for (const auto& word : banks_.words) draw_word(word);
    draw_meetings();
    draw_links();
    draw_lit_bank();
    return take();
  }

 private:
  float row_top(uint32_t group, uint32_t wavefront) const {
    return grid_top_ + static_cast<float>(wavefront) * row_ + static_cast<float>(group) * group_gap_;
  }
  Box word_box(const analysis::BankWord& word) const {
    return {gutter_ + static_cast<float>(word.bank) * cell_, row_top(word.group, word.wavefront), cell_, row_};
  }
  float gap() const { return row_ > 6 ? 2.0f : row_ > 3 ? 1.0f : 0.0f; }
  /// "7": the lane that uses the word; "×16": how many do.
  static std::string label_of(const analysis::BankWord& word) {
    const int lanes = std::popcount(word.lanes);
    return lanes == 1 ? fmt::format("{}", lowest(word.lanes)) : fmt::format("×{}", lanes);
  }
  /// The largest at which every word's label fits its cell; 0 when it could not be read.
  float label_size() const {
    float size = std::min(small_, row_ - 1);
    for (const auto& word : banks_.words)
      size = std::min(size, size * (cell_ - kLabelsApart) / width(label_of(word), Font::Mono, size));
    return size < kLeastLabel ? 0 : size;
  }
  Target bank_target(uint32_t bank) const {
    Target target;
    target.kind = Target::Kind::Bank;
    target.index = bank;
    return target;
  }

  void draw_bank_numbers() {
    const float y = grid_top_ - small_ / 2 - 2;
    gutter_text(y, tr("bank"), Ink::Faint);
    const uint32_t step = number_step(cell_);
    for (uint32_t bank = 0; bank < analysis::kBanks; ++bank) {
      const Box column{gutter_ + static_cast<float>(bank) * cell_, grid_top_ - small_ - 3, cell_,
                       canvas_.height - grid_top_ + small_ + 3};
      make_hot(column, bank_target(bank));
      if (bank % step == 0)
        text({column.centre().x, y}, fmt::format("{}", bank), {Ink::Faint}, small_, Align::Centre, Align::Centre,
             Font::Mono);
    }
  }

  /// The group's cells, all empty but for its words, and its labels in the gutter.
  void draw_group(uint32_t group) {
    const uint32_t first = first_wavefront(group), count = banks_.groups[group].wavefronts;
    Cells cells;
    cells.box = {gutter_, row_top(group, first), plot_width(), row_ * static_cast<float>(count)};
    cells.rows = count;
    cells.columns = analysis::kBanks;
    cells.gap = gap();
    cells.colours.assign(size_t{count} * analysis::kBanks, {Ink::Raised, 0.55f});
    for (const auto& word : banks_.words)
      if (word.group == group)
        cells.colours[(word.wavefront - first) * analysis::kBanks + word.bank] =
            lane_colour(lowest(word.lanes), is_own(word) ? 1 : kNeighbourStrength);
    picture_.add(std::move(cells));
    name_group(group, first, count);
    for (uint32_t row = 0; row < count; ++row) name_row(group, first + row, row > 0);
  }

  uint32_t first_wavefront(uint32_t group) const {
    uint32_t first = 0;
    for (uint32_t before = 0; before < group; ++before) first += banks_.groups[before].wavefronts;
    return first;
  }

  void name_group(uint32_t group, uint32_t first, uint32_t count) {
    const uint32_t lanes = lanes_of_group(access_, banks_);
    if (lanes == kLanes) return;
    const float height = row_ * static_cast<float>(count), x = gutter_ - 3.0f * small_;
    const uint32_t number = lowest(banks_.groups[group].lanes) / lanes;
    const std::string part = lanes == 16 ? tr_format("half warp {} of {}", number + 1, 2)
                                         : tr_format("quarter warp {} of {}", number + 1, kLanes / lanes);
    const float middle = row_top(group, first) + height / 2, half = small_ * 0.6f;
    const bool two = height >= small_ * 2.2f;
    text({x, middle - (two ? half : 0)}, part, {Ink::Text}, std::min(small_, height), Align::End);
    if (two)
      text({x, middle + half}, tr_format("lanes {}–{}", number * lanes, (number + 1) * lanes - 1), {Ink::Faint}, small_,
           Align::End);
  }

  /// The number of a wavefront, with a flag where it is one too many.
  void name_row(uint32_t group, uint32_t wavefront, bool extra) {
    const float size = std::min(small_, row_), y = row_top(group, wavefront) + row_ / 2;
    if (row_ < kLeastNumber) return draw_tick(y, extra);
    const float x = gutter_ - 8 - small_ * 0.9f;
    text({x, y}, fmt::format("{}", wavefront + 1), {extra ? Ink::Warning : Ink::Faint}, size, Align::End, Align::Centre,
         Font::Mono);
    if (extra) draw_flag({gutter_ - 6 - small_ * 0.7f, y - size * 0.42f}, size * 0.84f);
  }

  void draw_tick(float y, bool extra) {
    if (extra) picture_.add(Rectangle{{gutter_ - 10, y - row_ / 2, 5, std::max(1.0f, row_ - 1)}, {Ink::Warning}});
  }

  void draw_flag(Point top, float height) {
    picture_.add(Rectangle{{top.x, top.y, 1.4f, height}, {Ink::Warning}});
    picture_.add(Rectangle{{top.x, top.y, height * 0.72f, height * 0.5f}, {Ink::Warning}});
  }

  bool is_own(const analysis::BankWord& word) const {
    if (access_.merged == 1) return true;
    const uint64_t own = access_.addresses[lowest(word.lanes)] + access_.own_offset;
    return word.word * 4 + 4 > own && word.word * 4 < own + access_.own_bytes;
  }

  void draw_word(const analysis::BankWord& word) {
    const Box box = word_box(word);
    make_hot(box, element_target(Space::Shared, word.word * 4));
    label_word(word, box);
    if (lit_lanes(word.lanes) || lit_bytes_.overlaps(Space::Shared, word.word * 4, 4))
      outline({box.x, box.y, box.width, std::max(2.0f, box.height)});
  }

  void label_word(const analysis::BankWord& word, Box box) {
    if (label_size_ == 0) return;
    text(box.centre(), label_of(word), is_own(word) ? on_lane(lowest(word.lanes)) : Colour{Ink::Text}, label_size_,
         Align::Centre, Align::Centre, Font::Mono);
  }

  /// Words of one bank and group that come in different wavefronts, joined from row to row; one arc for a stretch of
  /// banks that the same lanes meet in.
  void draw_meetings() {
    for (uint32_t group = 0; group < banks_.groups.size(); ++group) {
      std::vector<const analysis::BankWord*> before;
      for (uint32_t bank = 0; bank <= analysis::kBanks; ++bank) {
        std::vector<const analysis::BankWord*> words = words_in(group, bank);
        if (before.size() > 1 && !same_lanes(before, words)) draw_meeting(before);
        before = std::move(words);
      }
    }
  }

  std::vector<const analysis::BankWord*> words_in(uint32_t group, uint32_t bank) const {
    std::vector<const analysis::BankWord*> words;
    for (const auto& word : banks_.words)
      if (word.group == group && word.bank == bank) words.push_back(&word);
    std::sort(words.begin(), words.end(), [](auto* a, auto* b) { return a->wavefront < b->wavefront; });
    return words;
  }

  static bool same_lanes(const std::vector<const analysis::BankWord*>& a,
                         const std::vector<const analysis::BankWord*>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto* x, auto* y) { return x->lanes == y->lanes; });
  }

  void draw_meeting(const std::vector<const analysis::BankWord*>& words) {
    const bool room = words_in(words.front()->group, words.front()->bank + 1).empty();
    const float bulge = room ? cell_ * 0.42f : 2.5f;
    if (row_ < 7) return arc(word_box(*words.front()), word_box(*words.back()), bulge);
    for (size_t i = 1; i < words.size(); ++i) arc(word_box(*words[i - 1]), word_box(*words[i]), bulge);
  }

  void arc(Box from, Box to, float most) {
    const float x = from.right() - (most < 3 ? 3.0f : 1.0f), top = from.centre().y, bottom = to.centre().y;
    const float bulge = std::min(most, (bottom - top) * 0.5f);
    Polyline line{{}, {Ink::Warning}, 1.8f};
    constexpr int kParts = 10;
    for (int i = 0; i <= kParts; ++i) {
      const float angle = static_cast<float>(i) * 3.14159265f / kParts;
      line.points.push_back({x + bulge * std::sin(angle), (top + bottom) / 2 - (bottom - top) / 2 * std::cos(angle)});
    }
    picture_.add(std::move(line));
  }

  /// From each lane to its first own word, where there is room above the grid.
  void draw_links() {
    if (!roomy_) return;
    const float from = lanes_top_ + lanes_height_ + 1, to = grid_top_ - small_ - 4;
    if (to - from < 8) return;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!has(access_.active, lane)) continue;
      const uint64_t address = access_.addresses[lane] + access_.own_offset;
      const auto bank = static_cast<float>(address / 4 % analysis::kBanks);
      const bool lit = lit_lane(lane) || lit_bytes_.overlaps(Space::Shared, address, access_.own_bytes);
      link({lane_box(lane).centre().x, from}, {gutter_ + (bank + 0.5f) * cell_, to}, lane, lit);
    }
  }

  void draw_lit_bank() {
    const Target& lit = focus_.lit();
    if (lit.kind != Target::Kind::Bank || lit.index >= analysis::kBanks) return;
    const float bottom = row_top(static_cast<uint32_t>(banks_.groups.size()) - 1, rows_ - 1) + row_;
    outline({gutter_ + static_cast<float>(lit.index) * cell_, grid_top_, cell_, bottom - grid_top_});
  }

  const WarpAccess& access_;
  analysis::SharedPicture banks_;
  uint32_t rows_ = 0;
  bool roomy_ = false;
  float grid_top_ = 0, row_ = 0, group_gap_ = 0, label_size_ = 0;
};

// --- An access that a question asks about. ---

class CoveredStrip : public Strip {
 public:
  CoveredStrip(const Focus& focus, const Canvas& canvas, Space space)
      : Strip(focus, canvas), space_(space), size_(std::min(canvas.text, canvas.height / 4)) {}

  /// All lanes alike: which of them take part may be the question.
  Picture draw() {
    draw_lanes(1, std::clamp(small_ + 6, 12.0f, canvas_.height * 0.2f), ~0u, ~0u);
    gutter_text(lanes_top_ + lanes_height_ / 2, tr("lane"), Ink::Faint);
    const float top = lanes_top_ + lanes_height_ + size_ * 0.6f;
    const Box box{gutter_, top, plot_width(), canvas_.height - top - 1};
    picture_.add(Rectangle{box, {Ink::Raised, 0.5f}, {Ink::Line}, 1, 4});
    text(box.centre(), words(box.width), {Ink::Text}, size_, Align::Centre);
    return take();
  }

 private:
  /// The longer of two sentences where it has room.
  std::string words(float room) const {
    const std::string all = tr(focus_.cover.accesses     ? "What the lanes access will be here once you have answered."
                               : space_ == Space::Shared ? "The banks will be here once you have answered."
                                                         : "The sectors will be here once you have answered.");
    return width(all, Font::Text, size_) < room - size_ ? all : tr("Answer first.");
  }

  Space space_;
  float size_;
};

// --- Everything else: which lanes take part. ---

class LaneStrip : public Strip {
 public:
  using Strip::Strip;

  Picture draw() {
    const auto& timeline = *focus_.scene->timeline;
    const uint32_t active = timeline.active(focus_.cursor), taken = taken_lanes(active);
    const float height = std::clamp(canvas_.height * 0.24f, small_ + 6, small_ * 2.6f);
    const float content = height + small_ * 1.3f + canvas_.text * 1.2f + small_ * 1.9f;
    draw_lanes(std::max(1.0f, (canvas_.height - content) / 2), height, taken, active);
    gutter_text(lanes_top_ + height / 2, tr("lane"), Ink::Faint);
    const float below = lanes_top_ + height + small_ * 1.3f, next = below + canvas_.text * 1.5f;
    draw_instruction(below);
    if (timeline.kind(focus_.cursor) == analysis::StepKind::Barrier)
      draw_warps(below + canvas_.text * 1.2f);
    else
      draw_values(next);
    return take();
  }

 private:
  /// Of a branch the lanes that take it, of anything else those that run it.
  uint32_t taken_lanes(uint32_t active) const {
    const auto [first, last] = focus_.scene->timeline->records(focus_.cursor);
    for (const uint32_t* record = first; record != last; ++record) {
      if (focus_.scene->trace->kind(*record) == trace::RecordKind::Branch) return focus_.scene->trace->taken(*record);
      if (focus_.scene->trace->kind(*record) == trace::RecordKind::Access) return focus_.scene->trace->active(*record);
    }
    return active;
  }

  void draw_instruction(float y) {
    const session::Scene& scene = *focus_.scene;
    draw_line(y,
              ptx::print(*scene.facts.module, scene.function(), scene.instruction(scene.timeline->pc(focus_.cursor))),
              Ink::Strong);
  }

  // The registers of one lane.
  void draw_values(float y) {
    const std::string words = register_words(focus_, focus_.lit_lane());
    if (words.empty()) return;
    gutter_text(y, tr_format("lane {}", focus_.lit_lane()), Ink::Faint);
    draw_line(y, words, Ink::Text);
  }

  /// As much of it as there is room for.
  void draw_line(float y, const std::string& line, Ink ink) {
    text({gutter_, y}, shortened(*canvas_.measure, line, Font::Mono, canvas_.text, canvas_.width - gutter_ - 4), {ink},
         canvas_.text, Align::Begin, Align::Centre, Font::Mono);
  }

  /// The block's warps before a wall.
  void draw_warps(float top) {
    const uint32_t warps = focus_.scene->facts.warps();
    const float size =
        std::min({canvas_.height - top - 3, small_ * 1.9f, (plot_width() - 8) / static_cast<float>(warps)});
    if (size < 6) return;
    gutter_text(top + size / 2, tr(warps == 1 ? "warp" : "warps"), Ink::Faint);
    for (uint32_t warp = 0; warp < warps; ++warp)
      draw_warp(warp, {gutter_ + size * static_cast<float>(warp), top, size - 2, size});
    picture_.add(Rectangle{{gutter_ + size * static_cast<float>(warps) + 2, top - 3, 3, size + 6}, {Ink::Barrier}});
  }

  void draw_warp(uint32_t warp, Box box) {
    const bool here = warp == focus_.cursor.warp;
    Target target;
    target.kind = Target::Kind::Warp;
    target.warp = warp;
    picture_.add(Rectangle{box, {Ink::Raised}, {here ? Ink::Accent : Ink::Line}, here ? 2.0f : 1.0f, 2});
    const std::string number = fmt::format("{}", warp);
    if (width(number, Font::Mono, small_) < box.width - 1)
      text(box.centre(), number, {here ? Ink::Accent : Ink::Text}, small_, Align::Centre, Align::Centre, Font::Mono);
    if (focus_.lit() == target) outline(box);
    make_hot(box, target);
  }
};

}  // namespace

Picture strip_picture(const Focus& focus, const Canvas& canvas) {
  for (const WarpAccess& access : accesses_at(*focus.scene, focus.cursor)) {
    if (focus.cover.access()) return CoveredStrip(focus, canvas, access.space).draw();
    if (access.space == Space::Global) return GlobalStrip(focus, canvas, access).draw();
    if (access.space == Space::Shared) return SharedStrip(focus, canvas, access).draw();
  }
  return LaneStrip(focus, canvas).draw();
}

}  // namespace tilescope::view
