#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "view/access_words.h"
#include "view/label_placer.h"
#include "view/strip/strip_parts.h"

namespace tilescope::view {
namespace {
using analysis::BankWord;
using session::Target;
using trace::kLanes;

constexpr float kLabelsApart = 2;            ///< Between two of them side by side.
constexpr float kNeighbourStrength = 0.42f;  ///< Of words that a merged access reads for other instructions.

/// "7": the lane that uses the word; "×16": how many do.
std::string label_of(const BankWord& word) {
  const int lanes = std::popcount(word.lanes);
  return lanes == 1 ? fmt::format("{}", lowest(word.lanes)) : fmt::format("×{}", lanes);
}

/// Banks across, wavefronts down, the groups of lanes served together separated by a gap.
struct BankGrid {
  analysis::SharedPicture banks;
  Band lanes;          ///< The row above the grid.
  bool roomy = false;  ///< The lanes have numbers, and links to their words.
  float left = 0, top = 0, cell = 0, row = 0, group_gap = 0;

  float row_top(uint32_t group, uint32_t wavefront) const {
    return top + static_cast<float>(wavefront) * row + static_cast<float>(group) * group_gap;
  }
  Box word_box(const BankWord& word) const {
    return {left + static_cast<float>(word.bank) * cell, row_top(word.group, word.wavefront), cell, row};
  }
  uint32_t first_wavefront(uint32_t group) const {
    uint32_t first = 0;
    for (uint32_t before = 0; before < group; ++before) first += banks.groups[before].wavefronts;
    return first;
  }
  float bottom() const { return row_top(static_cast<uint32_t>(banks.groups.size()) - 1, banks.wavefronts() - 1) + row; }
};

BankGrid bank_grid(const Strip& strip, const WarpAccess& access) {
  BankGrid grid;
  grid.banks = access.banks();
  grid.left = strip.gutter;
  grid.cell = strip.cell;
  const float height = strip.canvas.height, small = strip.small;
  const auto groups = static_cast<float>(grid.banks.groups.size()), rows = static_cast<float>(grid.banks.wavefronts());
  grid.roomy = rows <= 2;
  grid.lanes = {1, grid.roomy ? std::clamp(small + 6, 12.0f, height * 0.2f) : std::max(3.0f, small * 0.4f)};
  grid.group_gap = groups > 1 ? 4.0f : 0.0f;
  const float links = grid.roomy ? height * 0.2f : 1, taken = grid.lanes.bottom() + small + 3;
  const float free = height - taken - 2 - grid.group_gap * (groups - 1);
  grid.row = std::clamp((free - links) / rows, 1.0f, small * 2.6f);
  grid.top = taken + (grid.roomy ? free - rows * grid.row : links);
  return grid;
}

Target bank_target(uint32_t bank) {
  Target target;
  target.kind = Target::Kind::Bank;
  target.index = bank;
  return target;
}

void draw_bank_numbers(Strip& strip, const BankGrid& grid) {
  const float y = grid.top - strip.small / 2 - 2;
  strip.gutter_text(y, tr("bank"), Ink::Faint);
  const uint32_t step = strip.number_step(grid.cell);
  for (uint32_t bank = 0; bank < analysis::kBanks; ++bank) {
    const Box column{grid.left + static_cast<float>(bank) * grid.cell, grid.top - strip.small - 3, grid.cell,
                     strip.canvas.height - grid.top + strip.small + 3};
    strip.make_hot(column, bank_target(bank));
    if (bank % step == 0)
      strip.text({column.centre().x, y}, fmt::format("{}", bank), {Ink::Faint}, strip.small, Align::Centre,
                 Align::Centre, Font::Mono);
  }
}

// --- The words. ---

/// Whether the word belongs to this instruction among the merged ones.
bool is_own(const WarpAccess& access, const BankWord& word) {
  if (access.merged == 1) return true;
  const uint64_t own = access.addresses[lowest(word.lanes)] + access.own_offset;
  return word.word * 4 + 4 > own && word.word * 4 < own + access.own_bytes;
}

/// A group's cells, all empty except its words.
Cells cells_of_group(const BankGrid& grid, const WarpAccess& access, uint32_t group) {
  const uint32_t first = grid.first_wavefront(group), count = grid.banks.groups[group].wavefronts;
  Cells cells;
  cells.box = {grid.left, grid.row_top(group, first), grid.cell * analysis::kBanks,
               grid.row * static_cast<float>(count)};
  cells.rows = count;
  cells.columns = analysis::kBanks;
  cells.gap = grid.row > 6 ? 2.0f : grid.row > 3 ? 1.0f : 0.0f;
  cells.colours.assign(size_t{count} * analysis::kBanks, {Ink::Raised, 0.55f});
  for (const BankWord& word : grid.banks.words)
    if (word.group == group)
      cells.colours[(word.wavefront - first) * analysis::kBanks + word.bank] =
          lane_colour(lowest(word.lanes), is_own(access, word) ? 1 : kNeighbourStrength);
  return cells;
}

/// The largest size at which every word's label fits its cell; 0 if it would not be readable.
float label_size(const Strip& strip, const BankGrid& grid) {
  float size = std::min(strip.small, grid.row - 1);
  for (const BankWord& word : grid.banks.words)
    size = std::min(size, size * (grid.cell - kLabelsApart) / strip.width(label_of(word), Font::Mono, size));
  return size < kLeastWords ? 0 : size;
}

/// In the order of their wavefronts.
std::vector<const BankWord*> words_in(const BankGrid& grid, uint32_t group, uint32_t bank) {
  std::vector<const BankWord*> words;
  for (const BankWord& word : grid.banks.words)
    if (word.group == group && word.bank == bank) words.push_back(&word);
  std::sort(words.begin(), words.end(), [](auto* a, auto* b) { return a->wavefront < b->wavefront; });
  return words;
}

/// How far an arc from word to word of a conflict reaches to the right of them.
float bulge_of(const BankGrid& grid, const std::vector<const BankWord*>& words) {
  const bool room = words_in(grid, words.front()->group, words.front()->bank + 1).empty();
  return words.size() == 1 ? 0 : room ? grid.cell * 0.42f : 2.5f;
}

/// The count of a word whose cell is too narrow for it is beside the cell and the arc of a conflict, if no other
/// word of the instruction is in the way.
void draw_count_beside(Strip& strip, const BankGrid& grid, const WarpAccess& access, const BankWord& word) {
  if (std::popcount(word.lanes) == 1 || grid.row <= kLeastWords || !is_own(access, word)) return;
  const Box box = grid.word_box(word);
  const float left = box.right() + kLabelsApart + bulge_of(grid, words_in(grid, word.group, word.bank)),
              right = left + strip.width(label_of(word), Font::Mono, kLeastWords) + kLabelsApart;
  const auto in_the_way = [&](const BankWord& other) {
    return other.wavefront == word.wavefront && is_own(access, other) && grid.word_box(other).x >= box.right() &&
           grid.word_box(other).x < right;
  };
  if (right > grid.left + grid.cell * analysis::kBanks || std::ranges::any_of(grid.banks.words, in_the_way)) return;
  strip.text({left, box.centre().y}, label_of(word), {Ink::Text}, kLeastWords, Align::Begin, Align::Centre, Font::Mono);
}

void draw_words(Strip& strip, const BankGrid& grid, const WarpAccess& access) {
  const float size = label_size(strip, grid);
  for (const BankWord& word : grid.banks.words) {
    const Box box = grid.word_box(word);
    strip.make_hot(box, element_target(*strip.focus.traced, Space::Shared, word.word * 4));
    const Colour ink = is_own(access, word) ? on_lane(lowest(word.lanes)) : Colour{Ink::Text};
    if (size > 0)
      strip.text(box.centre(), label_of(word), ink, size, Align::Centre, Align::Centre, Font::Mono);
    else
      draw_count_beside(strip, grid, access, word);
    if (strip.lit_lanes(word.lanes) || strip.lit_bytes.overlaps(Space::Shared, word.word * 4, 4))
      strip.outline({box.x, box.y, box.width, std::max(2.0f, box.height)});
  }
}

// --- The names of groups and wavefronts in the gutter. ---

void name_group(Strip& strip, const BankGrid& grid, const WarpAccess& access, uint32_t group) {
  const uint32_t lanes = lanes_of_group(access, grid.banks);
  if (lanes == kLanes) return;
  const uint32_t number = lowest(grid.banks.groups[group].lanes) / lanes;
  const std::string part = access.is_matrix ? tr_format("matrix {}", number)
                           : lanes == 16    ? tr_format("half warp {} of {}", number + 1, 2)
                                            : tr_format("quarter warp {} of {}", number + 1, kLanes / lanes);
  const std::string which = tr_format("lanes {}–{}", number * lanes, (number + 1) * lanes - 1);
  const float height = grid.row * static_cast<float>(grid.banks.groups[group].wavefronts);
  const Box room{0, grid.row_top(group, grid.first_wavefront(group)), strip.gutter - 3.0f * strip.small, height};
  const float middle = room.centre().y, half = strip.small * 0.6f;
  const auto label = [&](const std::string& words, float y, Ink ink, float size) {
    return Label{{room.right(), y}, words, {ink}, Font::Text, size, Align::End, Align::Centre};
  };
  LabelPlacer(room, *strip.canvas.measure)
      .place(
          {{label(part, middle - half, Ink::Text, strip.small), label(which, middle + half, Ink::Faint, strip.small)},
           {label(part, middle, Ink::Text, std::min(strip.small, height))}},
          strip.picture);
}

/// The number of a wavefront, with a flag where it is one more than its group needs without conflict.
void name_wavefront(Strip& strip, const BankGrid& grid, uint32_t group, uint32_t wavefront) {
  const bool extra = wavefront > grid.first_wavefront(group);
  const float y = grid.row_top(group, wavefront) + grid.row / 2, small = strip.small;
  const auto mark = [&](const Box& box) { strip.picture.add(Rectangle{box, {Ink::Warning}}); };
  if (grid.row < kLeastWords) {
    if (extra) mark({strip.gutter - 10, y - grid.row / 2, 5, std::max(1.0f, grid.row - 1)});
    return;
  }
  const float size = std::min(small, grid.row), pole = size * 0.84f, x = strip.gutter - 6 - small * 0.7f;
  strip.text({strip.gutter - 8 - small * 0.9f, y}, fmt::format("{}", wavefront + 1),
             {extra ? Ink::Warning : Ink::Faint}, size, Align::End, Align::Centre, Font::Mono);
  if (!extra) return;
  mark({x, y - pole / 2, 1.4f, pole});
  mark({x, y - pole / 2, pole * 0.72f, pole * 0.5f});
}

// --- Conflicts: words of one bank and group that come in different wavefronts. ---

void draw_arc(Picture& picture, const Box& from, const Box& to, float most) {
  const float x = from.right() - (most < 3 ? 3.0f : 1.0f), top = from.centre().y, bottom = to.centre().y;
  const float bulge = std::min(most, (bottom - top) * 0.5f);
  Polyline line{{}, {Ink::Warning}, 1.8f};
  constexpr int kParts = 10;
  for (int i = 0; i <= kParts; ++i) {
    const float angle = static_cast<float>(i) * 3.14159265f / kParts;
    line.points.push_back({x + bulge * std::sin(angle), (top + bottom) / 2 - (bottom - top) / 2 * std::cos(angle)});
  }
  picture.add(std::move(line));
}

void draw_conflict(Strip& strip, const BankGrid& grid, const std::vector<const BankWord*>& words) {
  const float bulge = bulge_of(grid, words);
  if (grid.row < 7) return draw_arc(strip.picture, grid.word_box(*words.front()), grid.word_box(*words.back()), bulge);
  for (size_t i = 1; i < words.size(); ++i)
    draw_arc(strip.picture, grid.word_box(*words[i - 1]), grid.word_box(*words[i]), bulge);
}

/// Joined from row to row; one arc for a stretch of banks in which the same lanes conflict.
void draw_conflicts(Strip& strip, const BankGrid& grid) {
  const auto same_lanes = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto* x, auto* y) { return x->lanes == y->lanes; });
  };
  for (uint32_t group = 0; group < grid.banks.groups.size(); ++group) {
    std::vector<const BankWord*> before;
    for (uint32_t bank = 0; bank <= analysis::kBanks; ++bank) {
      std::vector<const BankWord*> words = words_in(grid, group, bank);
      if (before.size() > 1 && !same_lanes(before, words)) draw_conflict(strip, grid, before);
      before = std::move(words);
    }
  }
}

/// From each lane to its first own word, if there is room above the grid.
void draw_links(Strip& strip, const BankGrid& grid, const WarpAccess& access) {
  const float from = grid.lanes.bottom() + 1, to = grid.top - strip.small - 4;
  if (!grid.roomy || to - from < 8) return;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(access.active, lane)) continue;
    const uint64_t address = access.addresses[lane] + access.own_offset;
    const auto bank = static_cast<float>(address / 4 % analysis::kBanks);
    const bool lit = strip.lit_lane(lane) || strip.lit_bytes.overlaps(Space::Shared, address, access.own_bytes);
    const Point begin{strip.lane_box(grid.lanes, lane).centre().x, from};
    strip.link(begin, {grid.left + (bank + 0.5f) * grid.cell, to}, lane, lit);
  }
}

}  // namespace

Picture shared_strip(const Focus& focus, const Canvas& canvas, const WarpAccess& access) {
  Strip strip(focus, canvas);
  const BankGrid grid = bank_grid(strip, access);
  strip.draw_lanes(grid.lanes, access.active, access.active);
  if (grid.roomy) strip.number_lanes(grid.lanes, access.active, access.active);
  if (grid.lanes.height >= strip.small * 0.9f) strip.gutter_text(grid.lanes.middle(), tr("lane"), Ink::Faint);
  draw_bank_numbers(strip, grid);
  for (uint32_t group = 0; group < grid.banks.groups.size(); ++group) {
    strip.picture.add(cells_of_group(grid, access, group));
    name_group(strip, grid, access, group);
    const uint32_t first = grid.first_wavefront(group), end = first + grid.banks.groups[group].wavefronts;
    for (uint32_t wavefront = first; wavefront < end; ++wavefront) name_wavefront(strip, grid, group, wavefront);
  }
  draw_words(strip, grid, access);
  draw_conflicts(strip, grid);
  draw_links(strip, grid, access);
  const Target& lit = focus.lit();
  if (lit.kind == Target::Kind::Bank && lit.index < analysis::kBanks)
    strip.outline(
        {grid.left + static_cast<float>(lit.index) * grid.cell, grid.top, grid.cell, grid.bottom() - grid.top});
  return std::move(strip.picture);
}

}  // namespace tilescope::view
