#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "view/picture.h"

/// Checks of pictures.
namespace tilescope::view {

inline const PlainMeasure kMeasure;

inline Box extent_of(const Label& label, const TextMeasure& measure) {
  const float width = measure.width(label.text, label.font, label.size);
  const auto shift = [](Align align) { return align == Align::Begin ? 0.0f : align == Align::Centre ? 0.5f : 1.0f; };
  return {label.at.x - width * shift(label.horizontal), label.at.y - label.size * shift(label.vertical), width,
          label.size};
}

inline Box extent_of(const Polyline& line) {
  Box box{line.points.at(0).x, line.points.at(0).y, 0, 0};
  for (const Point& point : line.points) {
    const float right = std::max(box.right(), point.x), bottom = std::max(box.bottom(), point.y);
    box.x = std::min(box.x, point.x);
    box.y = std::min(box.y, point.y);
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
  return box;
}

inline Box extent_of(const Shape& shape, const TextMeasure& measure) {
  if (const auto* rectangle = std::get_if<Rectangle>(&shape)) return rectangle->box;
  if (const auto* line = std::get_if<Polyline>(&shape)) return extent_of(*line);
  if (const auto* cells = std::get_if<Cells>(&shape)) return cells->box;
  return extent_of(std::get<Label>(shape), measure);
}

inline bool inside(const Box& box, const Picture& picture) {
  constexpr float kSlack = 2.5f;  // An outline around a thing at the edge.
  return box.x >= -kSlack && box.y >= -kSlack && box.right() <= picture.width + kSlack &&
         box.bottom() <= picture.height + kSlack;
}

/// Everything is in the picture, and there are as many colours as cells.
inline void expect_inside(const Picture& picture, const TextMeasure& measure) {
  for (const Shape& shape : picture.shapes) {
    const Box box = extent_of(shape, measure);
    const auto* label = std::get_if<Label>(&shape);
    EXPECT_TRUE(inside(box, picture)) << "kind " << shape.index() << " at " << box.x << " " << box.y << " to "
                                      << box.right() << " " << box.bottom() << " of " << picture.width << " x "
                                      << picture.height << " " << (label ? label->text : "");
    if (const auto* cells = std::get_if<Cells>(&shape)) {
      EXPECT_EQ(cells->colours.size(), size_t{cells->rows} * cells->columns);
    }
  }
  for (const HitArea& hot : picture.hot) EXPECT_TRUE(inside(hot.box, picture));
}

template <class T>
std::vector<T> shapes_of(const Picture& picture) {
  std::vector<T> found;
  for (const Shape& shape : picture.shapes)
    if (const auto* one = std::get_if<T>(&shape)) found.push_back(*one);
  return found;
}

inline std::vector<std::string> labels_of(const Picture& picture) {
  std::vector<std::string> texts;
  for (const Label& label : shapes_of<Label>(picture)) texts.push_back(label.text);
  return texts;
}

inline std::vector<session::Target> targets_of(const Picture& picture, session::Target::Kind kind) {
  std::vector<session::Target> targets;
  for (const HitArea& hot : picture.hot)
    if (hot.target.kind == kind) targets.push_back(hot.target);
  return targets;
}

/// The lane or warp of a colour, of any strength; nullopt for other colours.
inline std::optional<uint32_t> lane_of(const Colour& colour) {
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (colour == lane_colour(lane, colour.strength)) return lane;
  return std::nullopt;
}
inline std::optional<uint32_t> warp_of(const Colour& colour) {
  const auto warp = static_cast<uint32_t>(std::max(0.0f, colour.value));
  return colour == warp_colour(warp, colour.strength) ? std::optional(warp) : std::nullopt;
}

/// Every shape and every place that reacts to the mouse, one per line: pictures that look and behave the same have the
/// same text.
inline std::string text_of(const Picture& picture) {
  std::string text = fmt::format("{} x {}\n", picture.width, picture.height);
  const auto out = std::back_inserter(text);
  const auto box = [&](const Box& b) { fmt::format_to(out, " {},{},{},{}", b.x, b.y, b.width, b.height); };
  const auto colour = [&](const Colour& c) {
    fmt::format_to(out, " {}/{}/{}", static_cast<int>(c.ink), c.strength, c.value);
  };
  for (const Shape& shape : picture.shapes) {
    if (const auto* rectangle = std::get_if<Rectangle>(&shape)) {
      box(rectangle->box), colour(rectangle->fill), colour(rectangle->stroke);
      fmt::format_to(out, " {} {}", rectangle->stroke_width, rectangle->rounding);
    } else if (const auto* line = std::get_if<Polyline>(&shape)) {
      for (const Point& point : line->points) fmt::format_to(out, " {},{}", point.x, point.y);
      colour(line->colour), fmt::format_to(out, " {} {}", line->width, line->dashed);
    } else if (const auto* cells = std::get_if<Cells>(&shape)) {
      box(cells->box), fmt::format_to(out, " {} {} {}", cells->rows, cells->columns, cells->gap);
      for (const Colour& each : cells->colours) colour(each);
    } else {
      const Label& label = std::get<Label>(shape);
      fmt::format_to(out, " {} {},{} {}", label.text, label.at.x, label.at.y, label.size), colour(label.colour);
    }
    text += '\n';
  }
  for (const HitArea& hot : picture.hot)
    box(hot.box), fmt::format_to(out, " {} {} {} {}\n", static_cast<int>(hot.target.kind), hot.target.array,
                                 hot.target.index, hot.target.warp);
  for (const HitCells& hot : picture.hot_cells)
    box(hot.box), fmt::format_to(out, " {} {} {}\n", hot.array, hot.first_row, hot.first_column);
  return text;
}

}  // namespace tilescope::view
