#include "ui/picture_painter.h"

#include <algorithm>
#include <cmath>

#include "ui/text_measure.h"

namespace tilescope::ui {
namespace {

ImVec2 rounded(ImVec2 at) { return {std::round(at.x), std::round(at.y)}; }

// How much of a text's extent is before its anchor.
float part(view::Align align) { return static_cast<float>(align) / 2; }

void paint_cells(const ImDrawList*, const ImDrawCmd* command) {
  const auto& grid = *static_cast<const draw::CellLayer::Grid*>(command->UserCallbackData);
  const ImVec4& clip = command->ClipRect;
  grid.layer->paint(grid, {clip.x, clip.y, clip.z - clip.x, clip.w - clip.y});
}

bool is_along_an_axis(const view::Polyline& shape) {
  return shape.points.size() == 2 && (shape.points[0].x == shape.points[1].x || shape.points[0].y == shape.points[1].y);
}

}  // namespace

ImVec2 PicturePainter::place(const view::Point& point) const {
  return {origin_.x + point.x * scale_, origin_.y + point.y * scale_};
}

bool PicturePainter::is_visible(const view::Box& box) const {
  const ImVec2 from = place({box.x, box.y}), to = place({box.right(), box.bottom()});
  const ImVec2 low = list_.GetClipRectMin(), high = list_.GetClipRectMax();
  return to.x >= low.x && from.x <= high.x && to.y >= low.y && from.y <= high.y;
}

void PicturePainter::paint(const view::Picture& picture) {
  next_ = {picture.serial, 0};
  for (const view::Shape& shape : picture.shapes) {
    std::visit(*this, shape);
    ++next_.number;
  }
}

void PicturePainter::operator()(const view::Rectangle& shape) {
  if (!is_visible(shape.box)) return;
  const ImVec2 from = rounded(place({shape.box.x, shape.box.y}));
  const ImVec2 to = rounded(place({shape.box.right(), shape.box.bottom()}));
  const float rounding = shape.rounding * scale_;
  if (shape.fill.strength > 0) list_.AddRectFilled(from, to, palette_(shape.fill), rounding);
  if (shape.stroke.strength > 0)
    list_.AddRect(from, to, palette_(shape.stroke), rounding, 0, std::max(1.0f, shape.stroke_width * scale_));
}

bool PicturePainter::paint_straight(const view::Polyline& shape, ImU32 colour) {
  if (!is_along_an_axis(shape)) return false;
  const float width = std::max(1.0f, std::round(shape.width * scale_)), before = std::floor(width / 2);
  const ImVec2 a = rounded(place(shape.points[0])), b = rounded(place(shape.points[1]));
  const ImVec2 from{std::min(a.x, b.x), std::min(a.y, b.y)}, to{std::max(a.x, b.x), std::max(a.y, b.y)};
  if (shape.points[0].x == shape.points[1].x)
    list_.AddRectFilled({from.x - before, from.y}, {from.x - before + width, to.y}, colour);
  else
    list_.AddRectFilled({from.x, from.y - before}, {to.x, from.y - before + width}, colour);
  return true;
}

void PicturePainter::paint_dashed(const view::Polyline& shape, ImU32 colour) {
  const float dash = 4 * scale_, width = std::max(1.0f, shape.width * scale_);
  float done = 0;  // Of the pattern, over all segments.
  for (size_t i = 1; i < shape.points.size(); ++i) {
    const ImVec2 a = place(shape.points[i - 1]), b = place(shape.points[i]);
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    if (length <= 0) continue;
    const auto at = [&](float way) {
      return ImVec2{a.x + (b.x - a.x) * way / length, a.y + (b.y - a.y) * way / length};
    };
    for (float way = -std::fmod(done, 2 * dash); way < length; way += 2 * dash)
      if (way + dash > 0) list_.AddLine(at(std::max(way, 0.0f)), at(std::min(way + dash, length)), colour, width);
    done += length;
  }
}

void PicturePainter::operator()(const view::Polyline& shape) {
  const ImU32 colour = palette_(shape.colour);
  if (shape.points.size() < 2 || shape.colour.strength <= 0) return;
  if (shape.dashed) return paint_dashed(shape, colour);
  if (paint_straight(shape, colour)) return;
  std::vector<ImVec2> points(shape.points.size());
  std::transform(shape.points.begin(), shape.points.end(), points.begin(),
                 [&](const view::Point& p) { return place(p); });
  list_.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, std::max(1.0f, shape.width * scale_));
}

void PicturePainter::operator()(const view::Label& shape) {
  if (shape.text.empty() || shape.colour.strength <= 0) return;
  fonts_.need(shape.text);
  const float size = shape.size * scale_;
  const Face face = fonts_.at(shape.font, size);
  ImVec2 at = place(shape.at);
  if (shape.horizontal != view::Align::Begin) at.x -= part(shape.horizontal) * width_of(face, shape.text);
  // The label gives the place of the em square; ascent and descent together are a little more.
  at.y -= part(shape.vertical) * size + (face.height - size) / 2;
  ImFont* font = face.font ? face.font : ImGui::GetFont();
  const char* begin = shape.text.data();
  list_.AddText(font, face.height, rounded(at), palette_(shape.colour), begin, begin + shape.text.size());
}

void PicturePainter::operator()(const view::Cells& shape) {
  if (!is_visible(shape.box)) return;
  const ImVec2 from = place({shape.box.x, shape.box.y});
  const view::Box box{from.x, from.y, shape.box.width * scale_, shape.box.height * scale_};
  draw::CellLayer::Grid* grid = cells_.add(shape, box, shape.gap * scale_, palette_, next_);
  if (!grid) return;
  list_.AddCallback(paint_cells, grid);
  list_.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace tilescope::ui
