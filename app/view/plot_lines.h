#pragma once

#include "view/plot.h"

namespace tilescope::view {

/// One figure in a plot with two numeric axes.
struct LinePoint {
  double x = 0;
  double low = 0, y = 0, high = 0;  ///< Quartiles.
  std::string title;
  std::vector<std::string> lines;
  std::vector<session::Command> go;
  int64_t size = 0;        ///< Measured size that a click chooses; 0: as it is.
  bool current = false;    ///< Where the sliders are.
  std::string label = {};  ///< Beside the point.
};

/// Figures of one provenance on one device.
struct Line {
  SeriesLook look;
  std::vector<LinePoint> points;
  bool joined = true;
  float strength = 1;
};

/// A straight edge that no point can be above.
struct Roof {
  std::vector<std::pair<double, double>> points;  ///< Two, in values.
  std::string name;
  bool below = false;  ///< The name stands under it.
};

struct LinePlot {
  std::vector<Line> lines;
  std::vector<Roof> roofs;
  std::vector<LegendEntry> legend;
  AxisScale x_scale = AxisScale::Linear, y_scale = AxisScale::Linear;
  std::string x_title, y_name;                       ///< "BM"; "FLOP/s" or "s".
  std::optional<double> current;                     ///< Where the sliders are on the x axis.
  std::vector<double> x_values;                      ///< Ticks; empty: as the axis likes.
  std::optional<std::pair<double, double>> x_range;  ///< Without it: what the points need.
  std::string nothing;                               ///< The sentence in place of a plot without points.
  PlotRange zoom;
};

/// Spread as bars with caps; the point at the sliders larger and ringed; a line through the points of each series.
Plot draw_lines(const LinePlot& plot, const Canvas& canvas);

/// What the y axis shows.
enum class Quantity : uint8_t { Speed, Time };
/// A figure as a point: its median with quartiles as speed in FLOP/s or time in seconds.
LinePoint point_of(const store::Measurement& figure, Quantity quantity, double x);
/// cuBLAS's in the same run; the figure has a reference.
LinePoint reference_point_of(const store::Measurement& figure, Quantity quantity, double x);

}  // namespace tilescope::view
