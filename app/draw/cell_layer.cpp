#include "draw/cell_layer.h"

#include <algorithm>
#include <cmath>

#include "draw/cell_program.h"

namespace tilescope::draw {
namespace {

// Gaps are drawn only where the cell keeps most of its pixels.
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
  keep_slots(grids_.size());
  grids_.clear();
}

void CellLayer::keep_slots(size_t count) {
  slots_.resize(std::min(count, slots_.size()));
  colours_.resize(slots_.empty() ? 0 : slots_.back().first + slots_.back().count);
}

/// The next slot, if it has that many colours; otherwise it is replaced, and those after it are removed.
CellLayer::Slot& CellLayer::next_slot(size_t count) {
  const size_t next = grids_.size();
  if (next < slots_.size() && slots_[next].count != count) keep_slots(next);
  if (next == slots_.size()) {
    slots_.push_back({{}, colours_.size(), count});
    colours_.resize(colours_.size() + count);
  }
  return slots_[next];
}

CellLayer::Grid* CellLayer::add(const view::Cells& cells, const view::Box& box, float gap, const Palette& palette,
                                CellsKey key) {
  const uint64_t count = uint64_t{cells.rows} * cells.columns;
  if (count == 0 || count != cells.colours.size() || box.width <= 0 || box.height <= 0) return nullptr;
  if (palette.inks != palette_.inks) {
    keep_slots(grids_.size());
    palette_ = palette;
  }
  Slot& slot = next_slot(count);
  if (key.picture == 0 || slot.key != key) {
    slot.key = key;
    std::transform(cells.colours.begin(), cells.colours.end(),
                   colours_.begin() + static_cast<std::ptrdiff_t>(slot.first), palette);
    changed_begin_ = changed_begin_ < changed_end_ ? std::min(changed_begin_, slot.first) : slot.first;
    changed_end_ = std::max(changed_end_, slot.first + slot.count);
  }
  return &grids_.emplace_back(Grid{this, box, cells.rows, cells.columns, gap, static_cast<uint32_t>(slot.first)});
}

void CellLayer::paint(const Grid& grid, const view::Box& clip) {
  if (!program_) return;
  if (changed_begin_ < changed_end_) program_->upload(colours_, changed_begin_, changed_end_);
  changed_begin_ = changed_end_ = 0;
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
