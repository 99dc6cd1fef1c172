#pragma once

#include <optional>
#include <vector>

#include "view/picture.h"

namespace tilescope::view {

/// Where a label's text lies.
Box box_of(const Label& label, const TextMeasure& measure);

/// Finds room for labels on a canvas: nothing is placed over what is there already, or beside the canvas.
class LabelPlacer {
 public:
  /// Labels that stand or fall together.
  using Group = std::vector<Label>;

  LabelPlacer(const Box& bounds, const TextMeasure& measure) : bounds_(bounds), measure_(&measure) {}

  /// No label may lie there.
  void take(const Box& box) { taken_.push_back(box); }
  bool is_free(const Box& box) const;
  /// Adds to the picture the first of the candidates, the best one first, that has room, and says which that is; none
  /// when none has any.
  std::optional<size_t> place(const std::vector<Group>& candidates, Picture& picture);

 private:
  Box bounds_;
  const TextMeasure* measure_;
  std::vector<Box> taken_;
};

}  // namespace tilescope::view
