#pragma once

#include <imgui.h>

#include "draw/cell_layer.h"
#include "draw/palette.h"
#include "ui/font_book.h"
#include "view/picture.h"

namespace tilescope::ui {

/// Paints the shapes of a picture into a draw list, in order. Edges and lines along the axes fall on whole pixels.
class PicturePainter {
 public:
  /// `origin`: of the picture in the window; `scale`: pixels of the window by pixels of the picture.
  PicturePainter(ImDrawList& list, ImVec2 origin, float scale, const draw::Palette& palette, FontBook& fonts,
                 draw::CellLayer& cells)
      : list_(list), origin_(origin), scale_(scale), palette_(palette), fonts_(fonts), cells_(cells) {}

  void paint(const view::Picture& picture);

  void operator()(const view::Rectangle& shape);
  void operator()(const view::Polyline& shape);
  void operator()(const view::Label& shape);
  void operator()(const view::Cells& shape);

 private:
  ImVec2 place(const view::Point& point) const;
  bool is_visible(const view::Box& box) const;
  bool paint_straight(const view::Polyline& shape, ImU32 colour);
  void paint_dashed(const view::Polyline& shape, ImU32 colour);

  ImDrawList& list_;
  ImVec2 origin_;
  float scale_;
  const draw::Palette& palette_;
  FontBook& fonts_;
  draw::CellLayer& cells_;
  draw::CellsKey next_;  ///< Of the shape being painted.
};

}  // namespace tilescope::ui
