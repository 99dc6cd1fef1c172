#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Axes of plots: the places of values, ticks, and the format of figures.
namespace tilescope::view {

enum class AxisScale : uint8_t { Linear, Log2, Log10 };

/// A range of values on a range of pixels. `begin` is below `end` on an axis that goes up.
struct Axis {
  AxisScale scale = AxisScale::Linear;
  double low = 0, high = 1;  ///< At begin and end; both above 0 on a log scale.
  float begin = 0, end = 1;  ///< Pixels.

  float at(double value) const;
  double value_at(float pixel) const;
  bool shows(double value) const { return value >= low && value <= high; }
};

/// `factor` times as many values (or decades), about the value at `pixel`.
Axis zoomed(const Axis& axis, double factor, float pixel);
/// Moved with the mouse by that many pixels.
Axis panned(const Axis& axis, float pixels);
/// The least range that holds the values with a little room on both sides; from 0 on a linear scale if none is
/// negative. Values that a log scale cannot show are skipped. 0 to 1, or 1 to 10, without values.
Axis around(AxisScale scale, const std::vector<double>& values);

struct Tick {
  double value = 0;
  std::string text;
};
/// The most ticks whose labels do not meet: 1, 2 or 5 times a power of ten on linear and log10 scales, whole powers
/// (every one, every second ...) if those are too many, powers of two on a log2 scale. `room` is the width of a
/// label along the axis, including its distance to the next one. Labels are values divided by `unit`.
std::vector<Tick> ticks(const Axis& axis, double unit, const std::function<float(const std::string&)>& room);

/// Ticks only at these ascending values; one whose label would touch the previous one is left out.
std::vector<Tick> ticks_at(const Axis& axis, const std::vector<double>& values,
                           const std::function<float(const std::string&)>& room);

/// A unit with an SI prefix: {1e12, "TFLOP/s"}.
struct Unit {
  double factor = 1;
  std::string name;
};
/// The one in which `largest` is from 1 to 999; without a prefix for 0.
Unit unit_for(double largest, std::string_view name);

/// Three significant digits, no exponent for figures with a prefixed unit: "25.9", "6.25", "0.512", "102".
std::string significant(double value);
/// "25.9 TFLOP/s", "5.27 ms"
std::string with_unit(double value, std::string_view name);

}  // namespace tilescope::view
