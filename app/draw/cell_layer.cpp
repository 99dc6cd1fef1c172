#include "draw/cell_layer.h"

#include <algorithm>
#include <cmath>

#include "draw/cell_program.h"

namespace tilescope::draw {
namespace {

// A gap is worth its pixels only where the cell keeps most of them.
float gap_pixels(const CellLayer::Grid& grid, float density) {
  const float smallest =
      std::min(grid.box.width / static_cast<float>(grid.columns), grid.box.height / static_cast<float>(grid.rows)) *
      density;
  if (grid.gap <= 0 || smallest < 4) return 0;
  return std::max(1.0f, std::round(grid.gap * density));
}

view::Box scaled(const view::Box& box, float factor) {
  return {box.x * factor, box.y * factor, box.width * factor, box.height * factor};
}

}  // namespace

CellLayer::CellLayer() = default;
CellLayer::~CellLayer() = default;

Result<std::monostate> CellLayer::create_program() {
  Result<std::unique_ptr<CellProgram>> program = CellProgram::create();
  if (!program) return program.errors();
  program_ = std::move(*program);
  return std::monostate{};
}

void CellLayer::destroy_program() { program_.reset(); }

void CellLayer::clear() {
  grids_.clear();
  colours_.clear();
}

CellLayer::Grid* CellLayer::add(const view::Cells& cells, const view::Box& box, float gap, const Palette& palette) {
  const uint64_t count = uint64_t{cells.rows} * cells.columns;
  if (count == 0 || count != cells.colours.size() || box.width <= 0 || box.height <= 0) return nullptr;
  const auto first = static_cast<uint32_t>(colours_.size());
  for (const view::Colour& colour : cells.colours) colours_.push_back(palette(colour));
  uploaded_ = false;
  return &grids_.emplace_back(Grid{this, box, cells.rows, cells.columns, gap, first});
}

void CellLayer::paint(const Grid& grid, const view::Box& clip) {
  if (!program_) return;
  if (!uploaded_) program_->upload(colours_);
  uploaded_ = true;
  CellProgram::Draw draw;
  draw.width = surface_.width * surface_.density;
  draw.height = surface_.height * surface_.density;
  draw.box = scaled(grid.box, surface_.density);
  draw.clip = scaled(clip, surface_.density);
  draw.rows = grid.rows;
  draw.columns = grid.columns;
  draw.gap = gap_pixels(grid, surface_.density);
  draw.first = grid.first;
  program_->draw(draw);
}

}  // namespace tilescope::draw
