#include "view/label_placer.h"

#include <algorithm>
#include <cmath>

namespace tilescope::view {
namespace {

constexpr float kRounding = 0.01f;  ///< Overlap allowed for rounding.
constexpr float kBetweenTexts = 3;  ///< Pixels between texts side by side.
constexpr float kLeastPart = 10;    ///< Pixels of a line between two words.

bool meet(const Box& a, const Box& b) {
  return a.x + kRounding < b.right() && b.x + kRounding < a.right() && a.y + kRounding < b.bottom() &&
         b.y + kRounding < a.bottom();
}

}  // namespace

Box box_of(const Label& label, const TextMeasure& measure) {
  const float width = measure.width(label.text, label.font, label.size);
  const auto before = [](Align align) { return static_cast<float>(align) / 2; };
  return {label.at.x - width * before(label.horizontal), label.at.y - label.size * before(label.vertical), width,
          label.size};
}

namespace {

/// The part of the line, from 0 to 1, that is in the box; empty where the second is not above the first.
std::pair<float, float> part_in(const Box& box, Point from, Point to) {
  float begin = 0, end = 1;
  const auto clip = [&](float start, float way, float low, float high) {
    if (way == 0) {
      if (start < low || start > high) end = begin;
      return;
    }
    const float a = (low - start) / way, b = (high - start) / way;
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
  };
  clip(from.x, to.x - from.x, box.x, box.right());
  clip(from.y, to.y - from.y, box.y, box.bottom());
  return {begin, end};
}

}  // namespace

std::vector<std::pair<Point, Point>> parts_beside_labels(Point from, Point to, const Picture& picture,
                                                         const TextMeasure& measure) {
  std::vector<std::pair<float, float>> covered;
  for (const Shape& shape : picture.shapes) {
    const auto* label = std::get_if<Label>(&shape);
    if (!label) continue;
    Box box = box_of(*label, measure);
    box = {box.x - kBetweenTexts, box.y - 1, box.width + 2 * kBetweenTexts, box.height + 1 + kBetweenTexts};
    if (const auto part = part_in(box, from, to); part.first < part.second) covered.push_back(part);
  }
  std::ranges::sort(covered);
  covered.emplace_back(1.0f, 1.0f);
  const auto at = [&](float part) { return Point{from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part}; };
  std::vector<std::pair<Point, Point>> parts;
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  float begin = 0;
  for (const auto& [first, last] : covered) {
    if ((first - begin) * length >= std::min(length, kLeastPart)) parts.emplace_back(at(begin), at(first));
    begin = std::max(begin, last);
  }
  return parts;
}

bool LabelPlacer::is_free(const Box& box) const {
  const bool inside = box.x + kRounding >= bounds_.x && box.y + kRounding >= bounds_.y &&
                      box.right() <= bounds_.right() + kRounding && box.bottom() <= bounds_.bottom() + kRounding;
  return inside && std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) { return meet(box, other); });
}

std::optional<size_t> LabelPlacer::place(const std::vector<Group>& candidates, Picture& picture) {
  const auto fits = [&](const Group& group) {
    return std::all_of(group.begin(), group.end(),
                       [&](const Label& label) { return is_free(box_of(label, *measure_)); });
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
  if (found == candidates.end()) return std::nullopt;
  for (const Label& label : *found) {
    Box box = box_of(label, *measure_);
    box.x -= kBetweenTexts;
    box.width += 2 * kBetweenTexts;
    take(box);
    picture.add(label);
  }
  return static_cast<size_t>(found - candidates.begin());
}

}  // namespace tilescope::view
