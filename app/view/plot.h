#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "session/command.h"
#include "view/picture.h"
#include "view/plot_axes.h"
#include "view/plot_data.h"

/// What every plot is, and what all of them draw alike.
namespace tilescope::view {

/// A place of a plot that answers to the mouse.
struct PlotSpot {
  Box box;
  std::string title;
  std::vector<std::string> lines;
  std::vector<session::Command> go;  ///< What a click does; empty: nothing.
  int64_t size = 0;                  ///< Measured size that a click chooses; 0: as it is.
};

/// A plot as it is shown, and what it was drawn from.
struct Plot {
  Picture picture;
  std::vector<PlotSpot> spots;  ///< Later ones lie above earlier ones.
  std::optional<Axis> x, y;     ///< The axes that can be zoomed and panned.
  std::string csv;              ///< What is drawn, as a table; RFC 4180.
};

/// The spot under the point: of those that hold it the one whose centre is nearest. Null when there is none.
const PlotSpot* spot_at(const Plot& plot, Point point);

/// The part of an axis that the user zoomed to; absent: all.
struct PlotRange {
  std::optional<std::pair<double, double>> x, y;
};
/// The axis with that part.
Axis limited(Axis axis, const std::optional<std::pair<double, double>>& range);

/// Each provenance has its ink and its shape: none is told by colour alone.
enum class Marker : uint8_t { Disc, Square, Diamond, Ring, Frame };
struct SeriesLook {
  Ink ink = Ink::Text;
  Marker marker = Marker::Disc;
};
SeriesLook look_of(store::Provenance provenance);
/// cuBLAS in the same runs: grey, the same shape hollow.
SeriesLook cublas_look_of(store::Provenance provenance);

/// An entry of a legend: the shape, the word for what kind of figures these are, and whose.
struct LegendEntry {
  SeriesLook look;
  std::string kind, text;
};

/// Draws a plot's parts in the sizes that all plots share.
class PlotPainter {
 public:
  explicit PlotPainter(const Canvas& canvas);

  float text_size() const { return text_; }
  /// From here on text is at most that high, and not below what can be read.
  void shrink_text(float most) { text_ = std::clamp(most, std::min(text_, 9.0f), text_); }
  float line() const { return text_ * 1.25f; }
  float width(const std::string& text, Font font = Font::Text) const;
  const Canvas& canvas() const { return canvas_; }

  void label(Point at, std::string text, Colour colour, Align horizontal = Align::Begin, Align vertical = Align::Centre,
             Font font = Font::Text);
  /// What fits of a text, with "…" at its end where some is missing.
  std::string shortened(const std::string& text, float room, Font font = Font::Text) const;
  void marker(Point at, Marker marker, Colour colour, float size);
  /// A spread as a bar with caps; nothing where it would be no longer than the mark that it belongs to.
  void whisker(const Axis& y, float x, double low, double high, Colour colour);
  void whisker_across(const Axis& x, double low, double high, float y, Colour colour);
  /// Ticks under the area, with hairlines through it; the title at the picture's right edge, in place of labels
  /// that it would meet.
  void x_axis(const Axis& axis, const Box& area, const Unit& unit, const std::string& title);
  /// The same with ticks at these values, those left out that have no room.
  void x_axis_at(const Axis& axis, const Box& area, const std::vector<double>& values, const std::string& title);
  void y_axis(const Axis& axis, const Box& area, const Unit& unit);
  /// Room at the left of an area for the labels of that axis.
  float y_labels_width(const Axis& axis, const Unit& unit) const;
  /// Lines of entries that end at `right`; returns the height that they took. Draws nothing when `measure_only`.
  float legend(const std::vector<LegendEntry>& entries, Point left_top, float width, bool measure_only = false);
  float legend_width(const LegendEntry& entry) const;
  /// A sentence in the middle of a plot that has nothing to show.
  void sentence(const std::string& text);
  void spot(PlotSpot spot) { plot.spots.push_back(std::move(spot)); }

  Plot plot;

 private:
  void draw_x_ticks(const Axis& axis, const Box& area, const std::vector<Tick>& ticks, const std::string& title);

  const Canvas& canvas_;
  float text_;
};

/// Where a plot with numeric axes draws its points.
Box plot_area(float left, float top, float right, float bottom);

}  // namespace tilescope::view
