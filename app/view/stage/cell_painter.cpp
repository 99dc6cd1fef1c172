#include "view/stage/cell_painter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilescope::view {
namespace {

constexpr float kSmallestCell = 1.5f;
constexpr float kGapFrom = 4;  // Cells of this many pixels have a gap between them.

/// A power of two, as warps share an array in parts of such sizes: a cell is seldom of two of them.
uint64_t elements_a_cell(float pixels) {
  return pixels >= kSmallestCell
             ? 1
             : std::bit_ceil(static_cast<uint64_t>(std::ceil(kSmallestCell / std::max(pixels, 1e-6f))));
}

}  // namespace

float CellPainter::gap(const ArrayPanel& panel) {
  const float pixels = std::min(panel.cell_width(), panel.cell_height());
  return pixels < kGapFrom ? 0 : pixels < 12 ? 1 : 1.5f;
}

CellPainter::CellPainter(const ArrayPanel& panel, Colour ground)
    : panel_(panel),
      row_step_(elements_a_cell(panel.cell_height())),
      column_step_(elements_a_cell(panel.cell_width())) {
  cells_.rows = static_cast<uint32_t>((panel.rows_shown() + row_step_ - 1) / row_step_);
  cells_.columns = static_cast<uint32_t>((panel.columns_shown() + column_step_ - 1) / column_step_);
  cells_.box = {panel.box.x, panel.box.y, static_cast<float>(cells_.columns * column_step_) * panel.cell_width(),
                static_cast<float>(cells_.rows * row_step_) * panel.cell_height()};
  cells_.gap = gap(panel);
  ground.strength *= panel.strength;
  cells_.colours.assign(size_t{cells_.rows} * cells_.columns, ground);
  of_several_.assign(cells_.colours.size(), false);
}

size_t CellPainter::cell(uint64_t row, uint64_t column) const {
  const uint64_t down = panel_.transposed() ? column - panel_.window.column : row - panel_.window.row;
  const uint64_t across = panel_.transposed() ? row - panel_.window.row : column - panel_.window.column;
  return down / row_step_ * cells_.columns + across / column_step_;
}

void CellPainter::set(uint64_t row, uint64_t column, Colour colour) {
  if (!panel_.window.contains(row, column)) return;
  const size_t number = cell(row, column);
  Colour& here = cells_.colours[number];
  colour.strength *= panel_.strength;
  if (colour.strength < here.strength) return;
  const bool shared = row_step_ * column_step_ > 1 && colour.ink == Ink::Warp && colour.strength == here.strength;
  of_several_[number] = shared && (of_several_[number] || (here.ink == Ink::Warp && here.value != colour.value));
  here = of_several_[number] ? Colour{panel_.ink, colour.strength} : colour;
}

void CellPainter::set(uint64_t index, Colour colour) {
  set(index / panel_.array->columns, index % panel_.array->columns, colour);
}

void CellPainter::fill(const run::Region& region, Colour colour) {
  const run::Region& window = panel_.window;
  const uint64_t rows = std::min(region.row_end, window.row_end),
                 columns = std::min(region.column_end, window.column_end);
  const uint64_t row_step = panel_.transposed() ? column_step_ : row_step_;
  const uint64_t column_step = panel_.transposed() ? row_step_ : column_step_;
  for (uint64_t row = std::max(region.row, window.row); row < rows; row += row_step)
    for (uint64_t column = std::max(region.column, window.column); column < columns; column += column_step)
      set(row, column, colour);
}

void CellPainter::add_to(Picture& picture) const {
  if (cells_.colours.empty() || panel_.strength <= 0) return;
  picture.add(cells_);
  picture.hot_cells.push_back({panel_.box, static_cast<uint32_t>(panel_.rows_shown()),
                               static_cast<uint32_t>(panel_.columns_shown()), panel_.array->allocation.space,
                               panel_.array->allocation.name, panel_.window.row, panel_.window.column,
                               panel_.array->columns, panel_.transposed()});
}

}  // namespace tilescope::view
