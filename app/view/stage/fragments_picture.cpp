#include "view/stage/fragments_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "ptx/fragment.h"
#include "view/stage/fragments.h"
#include "view/words.h"

namespace tilescope::view {
namespace {
using ptx::kRowsOfWarp;
using ptx::kWarpsOfGroup;
using session::Target;
using Role = FragmentMatrix::Role;

constexpr float kMostMatrixCell = 46, kMostMatrixStretch = 2;  // Pixels; width of a cell, of its height.
constexpr float kNumberPart = 0.78f;                           // Of a cell's height.
constexpr float kLeastPart = 0.5f;                             // Of other text.
constexpr float kTightPart = 0.95f;
constexpr float kBriefLines = 20;  // Of text: a picture with room for fewer lines says less.
constexpr uint32_t kColumnsOfLanes = 8;
constexpr float kOtherWarp = 0.4f;

/// The layout, and the tools for drawing.
struct FragmentPage {
  const Focus& focus;
  const Canvas& canvas;
  const Fragments& fragments;
  Picture& picture;

  float text() const { return canvas.text; }
  float line() const { return canvas.text * 1.35f; }
  bool brief() const { return canvas.height < kBriefLines * canvas.text; }
  uint32_t first_warp() const { return focus.cursor.warp / kWarpsOfGroup * kWarpsOfGroup; }

  /// The first of the wordings that has room, else the last.
  std::string fitting(const std::vector<std::string>& wordings, Font font, float size, float room) const {
    const auto fits = [&](const std::string& words) { return canvas.measure->width(words, font, size) <= room; };
    const auto found = std::find_if(wordings.begin(), wordings.end(), fits);
    return found == wordings.end() ? wordings.back() : *found;
  }

  /// Cut if it does not fit.
  void add(Point at, const std::string& words, Colour colour, Font font, float size, float room,
           Align horizontal = Align::Begin) const {
    const std::string fitting = shortened(*canvas.measure, words, font, size, room);
    if (!fitting.empty()) picture.add(Label{at, fitting, colour, font, size, horizontal, Align::Begin});
  }
};

Ink matrix_ink(Role role) {
  switch (role) {
    case Role::A: return Ink::ArrayA;
    case Role::B: return Ink::ArrayB;
    case Role::D: return Ink::ArrayC;
    case Role::Rows: return Ink::LoadShared;
  }
  return Ink::ArrayOther;
}

/// The input of the values: a kernel may compute C^T = B^T A^T, whose A holds values of B.
Ink matrix_ink(const FragmentMatrix& matrix) {
  const bool is_factor = matrix.role == Role::A || matrix.role == Role::B;
  return is_factor && matrix.side == run::Side::A   ? Ink::ArrayA
         : is_factor && matrix.side == run::Side::B ? Ink::ArrayB
                                                    : matrix_ink(matrix.role);
}

/// Whether A holds values of B and B of A.
bool are_exchanged(const Fragments& fragments) {
  return matrix_ink(fragments.matrices[0]) == Ink::ArrayB || matrix_ink(fragments.matrices[1]) == Ink::ArrayA;
}

const char* letter_of(Role role) { return role == Role::A ? "A" : role == Role::B ? "B" : "D"; }

/// "A[64…79][32…39]", of one element "A[64][32] …"; empty if unknown.
std::string source_text(const FragmentSource& source) {
  if (!source.array || source.array->allocation.shape.empty()) return {};
  const run::Region& region = source.region;
  if (region.rows() == 1 && region.columns() == 1)
    return name_of(*source.array, region.row * source.array->columns + region.column) + " …";
  // Arrays of more than two extents have rows that are several indices.
  if (source.array->allocation.shape.size() == 2) return source.array->allocation.name + region_text(region);
  const uint64_t columns = source.array->columns;
  return tr_format("{} to {}", name_of(*source.array, region.row * columns + region.column),
                   name_of(*source.array, (region.row_end - 1) * columns + region.column_end - 1));
}

/// Both places, if known: "As[0…15][0…7], of A[64…79][32…39]".
std::string sources_text(const FragmentMatrix& matrix) {
  const std::string near = source_text(matrix.source), far = source_text(matrix.input);
  if (near.empty() || far.empty()) return near + far;
  return tr_format("{}, of {}", near, far);
}

/// The size of a number in cells of that many pixels; 0 if it would not be readable, or, as in a presentation, not
/// beside all other text.
float number_size(const FragmentPage& page, float width, float height) {
  const float two_digits = page.canvas.measure->width("30", Font::Mono, page.text()) / page.text();
  const float room = (width - 4) / two_digits, size = std::min({page.text() * 1.5f, height * kNumberPart, room});
  // In low rows; a number as high as its row is left out.
  const float tight = std::min({kLeastWords, height * kTightPart, room});
  const float best = size >= kLeastWords ? size : tight >= kLeastWords ? tight : 0;
  return best < page.text() * kLeastPart ? 0 : best;
}

/// A rectangle in a lane's colour with its number, framed if the lane is highlighted; it reacts to the mouse.
void add_word(const FragmentPage& page, const Box& box, uint32_t lane, float size) {
  const bool lit = lane == page.focus.lit_lane();
  const float gap = std::min(1.0f, box.height * 0.05f);
  const Box inner{box.x + gap, box.y + gap, box.width - 2 * gap, box.height - 2 * gap};
  page.picture.add(Rectangle{inner, lane_colour(lane), lit ? Colour{Ink::Accent} : kNoColour, 3, 2});
  if (size > 0)
    page.picture.add(
        Label{box.centre(), std::to_string(lane), on_lane(lane), Font::Mono, size, Align::Centre, Align::Centre});
  page.picture.add(box, Target{Target::Kind::Lane, Space::None, "", lane, page.focus.cursor.warp});
}

/// The number of the viewed lane, over more than its words if they are too low for it.
void add_plate(const FragmentPage& page, Point middle) {
  const uint32_t lane = page.focus.lit_lane();
  const float size = page.text(), height = size * 1.25f,
              width = page.canvas.measure->width("30", Font::Mono, size) + size * 0.4f;
  const Box plate{std::max(middle.x - width / 2, 0.0f), middle.y - height / 2, width, height};
  page.picture.add(Rectangle{plate, lane_colour(lane), {Ink::Accent}, 2, 3});
  page.picture.add(
      Label{plate.centre(), std::to_string(lane), on_lane(lane), Font::Mono, size, Align::Centre, Align::Centre});
}

/// The matrix in its lanes' words, from row `first_row` on.
void add_matrix(const FragmentPage& page, const FragmentMatrix& matrix, const Box& box, uint32_t first_row = 0,
                uint32_t rows = 0, uint32_t columns = 0) {
  if (rows == 0) {
    rows = matrix.rows;
    columns = matrix.columns;
  }
  const float width = box.width / static_cast<float>(columns), height = box.height / static_cast<float>(rows);
  const float size =
      number_size(page, width * static_cast<float>(matrix.word_columns), height * static_cast<float>(matrix.word_rows));
  for (uint32_t row = 0; row < rows; row += matrix.word_rows)
    for (uint32_t column = 0; column < columns; column += matrix.word_columns)
      add_word(page,
               {box.x + static_cast<float>(column) * width, box.y + static_cast<float>(row) * height,
                width * static_cast<float>(matrix.word_columns), height * static_cast<float>(matrix.word_rows)},
               matrix.lanes[size_t{first_row + row} * matrix.columns + column], size);
  page.picture.add(
      Rectangle{{box.x - 1, box.y - 1, box.width + 2, box.height + 2}, kNoColour, {matrix_ink(matrix)}, 2, 2});
  if (size > 0) return;
  for (uint32_t row = 0; row < rows; row += matrix.word_rows)
    for (uint32_t column = 0; column < columns; column += matrix.word_columns) {
      const uint32_t first = column;
      while (column < columns &&
             matrix.lanes[size_t{first_row + row} * matrix.columns + column] == page.focus.lit_lane())
        column += matrix.word_columns;
      if (column > first)
        add_plate(page, {box.x + static_cast<float>(first + column) / 2 * width,
                         box.y + (static_cast<float>(row) + static_cast<float>(matrix.word_rows) / 2) * height});
    }
}

/// "A  16 × 8, 4 registers per lane", or its first part if it does not fit.
std::string heading(const FragmentPage& page, const FragmentMatrix& matrix, float room) {
  const std::string size = fmt::format("{}  {} × {}", letter_of(matrix.role), matrix.rows, matrix.columns);
  if (matrix.registers == 0) return size;
  const std::string all =
      fmt::format("{}, {}", size, plural(matrix.registers, "{} register per lane", "{} registers per lane"));
  return page.canvas.measure->width(all, Font::Bold, page.text()) < room ? all : size;
}

/// The heading; the second line if there is room for many.
float add_title(const FragmentPage& page, const std::string& title, const std::string& below) {
  const float left = page.text(), room = page.canvas.width - 2 * left;
  page.add({left, page.text() * 0.3f}, title, {Ink::Strong}, Font::Bold, page.text() * 1.15f, room);
  if (page.brief()) return page.text() * 0.3f + page.line() * 1.15f;
  float y = page.text() * 0.3f + page.line() * 1.15f;
  for (const std::string& line : wrapped(*page.canvas.measure, below, Font::Text, page.text(), room)) {
    page.add({left, y}, line, {Ink::Text}, Font::Text, page.text(), room);
    y += page.line() * 1.15f;
  }
  return y;
}

std::string instruction_text(const Fragments& fragments) {
  return fmt::format("{} {} ({})", fragments.opcode, fragments.shape, fragments.type);
}

/// A × B = D side by side: the room is wide and low.
void draw_product(const FragmentPage& page) {
  const std::vector<FragmentMatrix>& all = page.fragments.matrices;
  const bool pairs = all[0].word_columns > 1;
  const float top = add_title(
      page,
      tr_format("{}: D = A × B + D, by all lanes of warp {}", instruction_text(page.fragments), page.focus.cursor.warp),
      pairs ? tr("The number is the lane that holds the element in a register; a register of A and B holds two.")
            : tr("The number is the lane that holds the element in a register."));
  const float sign = page.text() * 2.2f, margin = page.text();
  const float across = page.canvas.width - 2 * margin - 2 * sign, heads = page.line() * 1.2f, feet = page.line() * 1.2f;
  const float down = page.canvas.height - top - heads - feet;
  float columns = 0;
  uint32_t rows = 0;
  for (const FragmentMatrix& matrix : all)
    columns += static_cast<float>(matrix.columns), rows = std::max(rows, matrix.rows);
  const float height = std::min(down / static_cast<float>(rows), kMostMatrixCell);
  const float width = std::min({across / columns, kMostMatrixCell * kMostMatrixStretch, height * kMostMatrixStretch});
  float x = (page.canvas.width - columns * width - 2 * sign) / 2;
  const float middle = top + heads + height * static_cast<float>(rows) / 2;
  for (size_t i = 0; i < all.size(); ++i) {
    const FragmentMatrix& matrix = all[i];
    const Box box{x, middle - height * static_cast<float>(matrix.rows) / 2, width * static_cast<float>(matrix.columns),
                  height * static_cast<float>(matrix.rows)};
    const float room = std::min(box.width + sign * 0.8f, page.canvas.width - x - page.text() * 0.3f);
    page.add({x, box.y - heads}, heading(page, matrix, room), {matrix_ink(matrix)}, Font::Bold, page.text(), room);
    add_matrix(page, matrix, box);
    page.add({x, box.bottom() + page.text() * 0.35f}, sources_text(matrix), {Ink::Text}, Font::Mono, page.text() * 0.9f,
             room);
    x = box.right();
    if (i + 1 < all.size())
      page.picture.add(Label{{x + sign / 2, middle},
                             i == 0 ? "×" : "=",
                             {Ink::Strong},
                             Font::Bold,
                             page.text() * 1.6f,
                             Align::Centre,
                             Align::Centre});
    x += sign;
  }
}

/// D of four warps, in bands of 16 rows; of the cursor's warp stronger.
void add_bands(const FragmentPage& page, const Box& box, bool named) {
  const float band = box.height / kWarpsOfGroup;
  for (uint32_t i = 0; i < kWarpsOfGroup; ++i) {
    const uint32_t warp = page.first_warp() + i;
    const bool here = warp == page.focus.cursor.warp;
    const Box part{box.x, box.y + static_cast<float>(i) * band, box.width, band};
    page.picture.add(Rectangle{{part.x, part.y + 1, part.width, part.height - 2},
                               warp_colour(warp, here ? 1 : kOtherWarp),
                               here ? Colour{Ink::Accent} : kNoColour,
                               2.5f,
                               2});
    page.picture.add(part, Target{Target::Kind::Warp, Space::None, "", 0, warp});
    const std::string name = tr_format("warp {}", warp);
    if (named && page.canvas.measure->width(name, Font::Bold, page.text()) < part.width)
      page.picture.add(Label{part.centre(),
                             name,
                             {here ? Ink::OnLight : Ink::Text},
                             Font::Bold,
                             std::min(page.text() * 1.2f, band * kNumberPart),
                             Align::Centre,
                             Align::Centre});
  }
}

/// A left of D and B above it as on the stage; at the right which lanes hold the first eight columns of the warp's
/// rows.
void draw_wide_product(const FragmentPage& page) {
  const FragmentMatrix &a = page.fragments.matrices[0], &b = page.fragments.matrices[1],
                       &d = page.fragments.matrices[2];
  const uint32_t warp = page.focus.cursor.warp;
  const trace::ProductRecord* product = page.focus.traced->timeline.product_read(page.focus.cursor);
  const std::string formula = product && !product->adds ? "D = A × B" : "D = A × B + D";
  const std::string where = a.lanes.empty()
                                ? tr("A and B are in shared memory; each warp holds 16 rows of D in registers.")
                                : tr("B is in shared memory; each warp holds 16 rows of A and of D in registers.");
  const std::string whose = tr("Cᵀ = BᵀAᵀ: A holds values of B, and B values of A.");
  const float top = add_title(page,
                              tr_format("{}: {}, by warps {} to {}", instruction_text(page.fragments), formula,
                                        page.first_warp(), page.first_warp() + kWarpsOfGroup - 1),
                              are_exchanged(page.fragments) ? fmt::format("{} {}", whose, where) : where);
  const Ink a_ink = matrix_ink(a), b_ink = matrix_ink(b);
  const float margin = page.text(), gap = page.text() * 0.8f, feet = page.line() * 1.3f;
  const float bottom = page.canvas.height - feet;
  // The lanes' part.
  const float lanes_rows = kRowsOfWarp, lanes_top = top + page.line() * 1.3f;
  const float cell_height = std::min((bottom - lanes_top) / lanes_rows, kMostMatrixCell);
  const float cell_width = std::min(cell_height * kMostMatrixStretch, page.canvas.width * 0.34f / kColumnsOfLanes);
  const Box lanes{page.canvas.width - margin - cell_width * kColumnsOfLanes, lanes_top, cell_width * kColumnsOfLanes,
                  cell_height * lanes_rows};
  page.add({lanes.x, top}, tr_format("columns 0 to 7 of warp {}", warp), warp_colour(warp), Font::Bold, page.text(),
           lanes.width);
  add_matrix(page, d, lanes, (warp - page.first_warp()) * kRowsOfWarp, kRowsOfWarp, kColumnsOfLanes);
  const float below = lanes.width + margin;
  page.add({lanes.x, lanes.bottom() + page.text() * 0.35f},
           page.fitting({tr_format("{} registers per lane: the next 8 columns likewise", d.registers),
                         plural(d.registers, "{} register per lane", "{} registers per lane")},
                        Font::Text, page.text() * 0.9f, below),
           {Ink::Text}, Font::Text, page.text() * 0.9f, below);
  // The whole.
  const float across = lanes.x - 2 * margin - gap, head = page.line() * 1.3f;
  const float k_width = std::min(across * 0.16f, page.text() * 7),
              k_height = std::min((bottom - top) * 0.2f, page.text() * 5);
  const Box of_d{margin + k_width + gap, top + head + k_height + gap, across - k_width - gap,
                 bottom - top - head - k_height - gap};
  const Box of_a{margin, of_d.y, k_width, of_d.height}, of_b{of_d.x, top + head, of_d.width, k_height};
  page.picture.add(Rectangle{of_b, {b_ink, 0.6f}, {b_ink}, 2, 2});
  page.add({of_b.x, of_b.y - head}, heading(page, b, of_b.width), {b_ink}, Font::Bold, page.text(), of_b.width);
  page.add({of_b.x + gap, of_b.centre().y - page.text() / 2}, sources_text(b), {Ink::Text}, Font::Mono,
           page.text() * 0.9f, of_b.width - 2 * gap);
  add_bands(page, of_a, false);
  page.picture.add(Rectangle{of_a, kNoColour, {a_ink}, 2, 2});
  page.add({of_a.x, of_a.y - page.line()}, fmt::format("A  {} × {}", a.rows, a.columns), {a_ink}, Font::Bold,
           page.text(), of_a.width);
  page.add({of_a.x, of_a.bottom() + page.text() * 0.35f}, sources_text(a), {Ink::Text}, Font::Mono, page.text() * 0.9f,
           across * 0.5f);
  add_bands(page, of_d, true);
  page.picture.add(Rectangle{of_d, kNoColour, {Ink::ArrayC}, 2, 2});
  page.add({of_d.right(), of_d.bottom() + page.text() * 0.35f}, fmt::format("D  {} × {}", d.rows, d.columns),
           {Ink::ArrayC}, Font::Bold, page.text(), across * 0.4f, Align::End);
}

/// Up to four matrices side by side, at the left of each row the lane that gives its address.
void draw_rows(const FragmentPage& page) {
  const std::vector<FragmentMatrix>& all = page.fragments.matrices;
  const bool loads = page.fragments.kind == Fragments::Kind::Load;
  const float top = add_title(
      page,
      tr_format("{} of warp {}: matrices of 8 × 8 elements of 16 bits", page.fragments.opcode, page.focus.cursor.warp),
      page.fragments.transposed
          ? tr("Left of each row the lane that gives its address. A word that a lane has is two rows of one column.")
      : loads ? tr("Left of each row the lane that gives its address; in the row the lanes that receive its words.")
              : tr("Left of each row the lane that gives its address; in the row the lanes whose words are stored."));
  const float margin = page.text(), gap = page.text() * 1.6f, heads = page.line() * 1.2f, feet = page.line() * 1.2f;
  const auto count = static_cast<float>(all.size());
  const float rows = 8, columns = 8 + 1.6f;  // With the addressing lane.
  const float height = std::min((page.canvas.height - top - heads - feet) / rows, kMostMatrixCell);
  const float width = std::min(
      {(page.canvas.width - 2 * margin - (count - 1) * gap) / (count * columns), kMostMatrixCell, height * 1.2f});
  float x = (page.canvas.width - count * columns * width - (count - 1) * gap) / 2;
  for (size_t i = 0; i < all.size(); ++i) {
    const FragmentMatrix& matrix = all[i];
    const Box box{x + 1.6f * width, top + heads, 8 * width, 8 * height};
    const float wide = std::min(columns * width + gap * 0.8f, page.canvas.width - x - 2);
    page.add({x, box.y - heads},
             page.fitting({tr_format("matrix {}: register {}", i, i), tr_format("matrix {}", i)}, Font::Bold,
                          page.text(), wide),
             {Ink::LoadShared}, Font::Bold, page.text(), wide);
    const float size = number_size(page, width * 1.2f, height);
    for (uint32_t row = 0; row < matrix.row_lanes.size(); ++row) {
      const Box chip{x, box.y + static_cast<float>(row) * height, 1.2f * width, height};
      add_word(page, chip, matrix.row_lanes[row], size);
      page.picture.add(Polyline{{{chip.right(), chip.centre().y}, {box.x - 1, chip.centre().y}}, {Ink::Text}, 1.5f});
    }
    add_matrix(page, matrix, box);
    const std::string first = source_text(matrix.row_sources.front());
    if (!first.empty())
      page.add({x, box.bottom() + page.text() * 0.35f},
               page.fitting({tr_format("row 0 at {}", first), first}, Font::Mono, page.text() * 0.9f, wide),
               {Ink::Text}, Font::Mono, page.text() * 0.9f, wide);
    x += columns * width + gap;
  }
}

}  // namespace

Picture fragments_picture(const Focus& focus, const Canvas& canvas) {
  Picture picture;
  picture.width = canvas.width;
  picture.height = canvas.height;
  const Fragments fragments = fragments_at(focus);
  const FragmentPage page{focus, canvas, fragments, picture};
  switch (fragments.kind) {
    case Fragments::Kind::None: break;
    case Fragments::Kind::Product: draw_product(page); break;
    case Fragments::Kind::WideProduct: draw_wide_product(page); break;
    case Fragments::Kind::Load:
    case Fragments::Kind::Store: draw_rows(page); break;
  }
  return picture;
}

}  // namespace tilescope::view
