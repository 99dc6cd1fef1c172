#include "view/label_placer.h"

#include <algorithm>

namespace tilescope::view {
namespace {

constexpr float kRounding = 0.01f;  ///< Overlap allowed for rounding.
constexpr float kBetweenTexts = 3;  ///< Pixels between texts side by side.

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
