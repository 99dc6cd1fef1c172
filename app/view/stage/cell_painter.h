#pragma once

#include "view/stage/stage_layout.h"

namespace tilescope::view {

/// Colours the elements of a panel. If elements are too small to see, several share a cell, which takes the strongest
/// of their colours; if that is the hue of several warps, the array's own, as an element of several warps has.
class CellPainter {
 public:
  CellPainter(const ArrayPanel& panel, Colour ground);
  /// Between a panel's cells, in pixels; 0 if they are small.
  static float gap(const ArrayPanel& panel);

  /// `region` may reach out of the window.
  void fill(const run::Region& region, Colour colour);
  void set(uint64_t row, uint64_t column, Colour colour);
  /// The row-major number of an element in the array.
  void set(uint64_t index, Colour colour);
  const ArrayPanel& panel() const { return panel_; }
  /// The cells, and where they react to the mouse.
  void add_to(Picture& picture) const;

 private:
  size_t cell(uint64_t row, uint64_t column) const;

  ArrayPanel panel_;
  uint64_t row_step_ = 1, column_step_ = 1;  ///< Elements per cell, as drawn.
  Cells cells_;
  std::vector<bool> of_several_;  ///< By cell: its strongest elements are of several warps.
};

}  // namespace tilescope::view
