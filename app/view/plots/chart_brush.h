#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "view/label_placer.h"
#include "view/plots/chart.h"

namespace tilescope::view {

constexpr float kTickGap = 14;  ///< Between labels of one axis.
constexpr float kNameGap = 8;   ///< Between a row's name and its bar, and an axis's labels and its area.
constexpr float kLowChart = 9;  ///< Lines of text; in less there is no room for a second line of legend.

/// At least a pixel wide and high.
Box box_between(float left, float top, float right, float bottom);

/// Draws the parts that charts have in common, in the same sizes.
class Brush {
 public:
  explicit Brush(const Canvas& canvas)
      : width(canvas.width), height(canvas.height), text(std::round(canvas.text * 0.9f)), measure_(*canvas.measure) {
    plot.picture.width = width;
    plot.picture.height = height;
  }

  float line() const { return text * 1.25f; }
  float width_of(const std::string& words, Font font = Font::Text) const { return measure_.width(words, font, text); }
  const TextMeasure& measure() const { return measure_; }
  void add(Shape shape) { plot.picture.add(std::move(shape)); }
  void line_through(Point from, Point to, Colour colour, float thick = 1) { add(Polyline{{from, to}, colour, thick}); }

  Label label_at(Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
                 Font font = Font::Text) const {
    return {at, words, colour, font, text, horizontal, Align::Centre};
  }
  void label(Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
             Font font = Font::Text) {
    if (!words.empty()) add(label_at(at, words, colour, horizontal, font));
  }
  /// As much of the words as fits.
  void label_in(float room, Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
                Font font = Font::Text) {
    label(at, shortened(measure_, words, font, text, room), colour, horizontal, font);
  }

  std::vector<std::string> wrapped(const std::string& words, float room) const {
    return view::wrapped(measure_, words, Font::Text, text, room);
  }

  void spot(PlotSpot spot, const Box& box) {
    if (spot.title.empty()) return;
    spot.box = box;
    plot.spots.push_back(std::move(spot));
  }

  void marker(Point at, Marker marker, Colour colour, float size);

  /// A spread along an axis as a bar with caps; nothing if it would be no longer than its mark.
  void whisker(Point from, Point to, Colour colour);

  float width_of(const LegendEntry& entry, bool brief) const;
  /// Lines of entries from the upper left corner on; returns their height.
  float legend(const std::vector<LegendEntry>& entries, Point corner, float room, bool brief = false,
               bool measure_only = false);

  /// Ticks under the area with hairlines through it.
  void x_ticks(const Axis& axis, const Box& area, double unit, const std::vector<double>& values, LabelPlacer& placer);

  float width, height, text;
  Plot plot;

 private:
  const TextMeasure& measure_;
};

}  // namespace tilescope::view
