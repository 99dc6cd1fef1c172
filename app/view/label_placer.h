#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "view/picture.h"

namespace tilescope::view {

/// The box of a label's text.
Box box_of(const Label& label, const TextMeasure& measure);

/// The parts of the line from one point to another that no label of the picture is on, without those between two words
/// that are too short to be seen as a line.
std::vector<std::pair<Point, Point>> parts_beside_labels(Point from, Point to, const Picture& picture,
                                                         const TextMeasure& measure);

/// Finds room for labels on a canvas: no label overlaps existing things or leaves the canvas.
class LabelPlacer {
 public:
  /// Labels that are placed together or not at all.
  using Group = std::vector<Label>;

  LabelPlacer(const Box& bounds, const TextMeasure& measure) : bounds_(bounds), measure_(&measure) {}

  /// Reserves a box: no label may overlap it.
  void take(const Box& box) { taken_.push_back(box); }
  bool is_free(const Box& box) const;
  /// Adds the first candidate that has room to the picture, the best one first, and returns its index; nullopt if none
  /// has room.
  std::optional<size_t> place(const std::vector<Group>& candidates, Picture& picture);

 private:
  Box bounds_;
  const TextMeasure* measure_;
  std::vector<Box> taken_;
};

}  // namespace tilescope::view
