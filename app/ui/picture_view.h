#pragma once

#include <string>
#include <string_view>

#include "ui/context.h"
#include "view/picture.h"

namespace tilescope::ui {

/// The mouse on a picture in this frame. Points and distances are in the picture's pixels.
struct PictureEvents {
  bool hovered = false;  ///< The mouse is over it.
  view::Point mouse;
  session::Target target;  ///< Under the mouse; also written to context.hover_next.
  bool clicked = false;
  bool double_clicked = false;
  bool dragged = false;  ///< The left button is held since it was pressed here, and has moved.
  view::Point drag;      ///< How far since the last frame.
  float wheel = 0;       ///< Notches, up is positive.
};

/// Paints the picture at ImGui's cursor, scaled by context.scale, as one item called `id`.
PictureEvents show_picture(const Context& context, const char* id, const view::Picture& picture);

/// The properties of a canvas that a picture depends on.
struct CanvasKey {
  float width = 0, height = 0, text = 0;
  uint64_t fonts = 0;
  CanvasKey() = default;
  explicit CanvasKey(const view::Canvas& canvas)
      : width(canvas.width), height(canvas.height), text(canvas.text), fonts(canvas.measure->version()) {}
  bool operator==(const CanvasKey&) const = default;
};

/// The canvas that fills the rest of ImGui's current window, in unscaled pixels, measured with the window's fonts.
view::Canvas canvas_here(const Context& context, float width = 0, float height = 0);

/// What a picture of that name shows, for a line below it: kernel, sizes and place; empty before the first run.
std::string picture_caption(const session::Workspace& workspace, std::string_view name);

/// The picture of that name with its caption below it, as files have it.
view::Picture with_caption(view::Picture picture, const session::Workspace& workspace, std::string_view name,
                           const view::TextMeasure& measure);

}  // namespace tilescope::ui
