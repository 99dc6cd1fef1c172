#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "session/command.h"
#include "store/measurement.h"
#include "view/picture.h"
#include "view/plots/plot_axes.h"

/// The one chart under all plots, as plain records: bars in rows, points and lines between two numeric axes, or a grid
/// of cells, with a legend and places that react to the mouse.
namespace tilescope::view {

/// A place of a plot that reacts to the mouse.
struct PlotSpot {
  std::string title;
  std::vector<std::string> lines;
  std::vector<session::Command> go = {};  ///< The commands of a click; may be empty.
  int64_t size = 0;                       ///< Measured size that a click chooses; 0: unchanged.
  Box box = {};                           ///< Filled in by draw().
};

/// A plot and its data.
struct Plot {
  Picture picture;
  std::vector<PlotSpot> spots;  ///< Later ones are above earlier ones.
  std::optional<Axis> x, y;     ///< The axes that can be zoomed and panned.
  std::string csv;              ///< The data as a table; RFC 4180. May be empty.
};

/// The spot under the point: of those that contain it the one whose centre is nearest. Null if there is none.
const PlotSpot* spot_at(const Plot& plot, Point point);

/// The part of the axes that the user zoomed to; absent: all.
struct PlotRange {
  std::optional<std::pair<double, double>> x, y;
  bool operator==(const PlotRange&) const = default;
};

/// Each provenance has its ink and its shape: none is distinguished only by colour. Tick: a line across a row.
/// Triangle: hollow.
enum class Marker : uint8_t { Disc, Square, Diamond, Ring, Frame, Triangle, Tick, None };
struct SeriesLook {
  Ink ink = Ink::Text;
  Marker marker = Marker::Disc;
};

/// An entry of a legend: the shape, the word for what kind of figures these are, and whose.
struct LegendEntry {
  SeriesLook look;
  std::string kind, text;
  std::string short_text = {};  ///< If there is little room.
};

struct ChartAxis {
  AxisScale scale = AxisScale::Linear;
  std::string unit = {};                                ///< Of the values, "FLOP/s"; a prefix is put before it.
  std::string title = {};                               ///< After the unit, or alone.
  std::optional<std::pair<double, double>> range = {};  ///< By default: from the values.
  std::vector<double> ticks = {};                       ///< Empty: chosen by the axis.
};

/// A value in a row: a bar from 0, or a mark.
struct Bar {
  double low = 0, value = 0, high = 0;  ///< Quartiles; low 0: no spread is drawn.
  Colour fill = kNoColour, stroke = kNoColour;
  bool second = false;  ///< Thinner, below the first.
  PlotSpot spot = {};   ///< Of a second bar.
};
struct Mark {
  double value = 0;
  Marker marker = Marker::Diamond;
  Colour colour;
  PlotSpot spot = {};  ///< Without a title: none.
};
struct ChartRow {
  std::string name;
  std::string short_name = {}, short_words = {};  ///< Of a column: below and above it.
  bool current = false;
  bool ends_group = false;  ///< A line separates it from the next row.
  std::vector<Bar> bars;
  std::vector<Mark> marks;
  std::string words;  ///< The value, written after the bars and marks.
  Ink ink = Ink::Text;
  PlotSpot spot;
};

/// A value of the x axis as a line through all rows, with its mark above them.
struct Rule {
  double value = 0;
  SeriesLook look;
  PlotSpot spot;
};

/// One figure between two numeric axes.
struct ChartPoint {
  double x = 0;
  double low = 0, y = 0, high = 0;  ///< Quartiles.
  PlotSpot spot;
  bool current = false;    ///< Where the sliders are.
  std::string label = {};  ///< Beside the point.
};
/// Figures of one provenance on one device.
struct Series {
  SeriesLook look;
  std::vector<ChartPoint> points;
  bool joined = true;
  float strength = 1;
  bool banded = false;  ///< From low to high as a band instead of a bar with caps.
};
/// A straight edge that no point can be above.
struct Roof {
  std::array<std::pair<double, double>, 2> ends;  ///< In values.
  std::string name;
};
/// A value of the x axis that reacts to the mouse wherever no point is.
struct Column {
  double value = 0;
  bool crossed = false;  ///< Not available.
  PlotSpot spot;
};

/// A cell of a grid: in the colour of its magnitude, hatched, or empty. Hollow: a frame in that colour.
struct ChartCell {
  std::optional<double> value;
  bool hatched = false, current = false, hollow = false;
  PlotSpot spot;
};
struct CellGrid {
  std::string across, up;                  ///< Names of the axes ...
  std::vector<std::string> columns, rows;  ///< ... and of what is on them; rows from the bottom.
  std::vector<ChartCell> cells;            ///< rows * columns
  std::string unit;                        ///< Of the values.
  std::string hatched, empty;              ///< What such cells mean.
};

/// Bars and marks in rows from the top, over the x axis from 0. If the canvas is too low for their text, rows with
/// short names become columns, with the current one's name and words above; if not all columns fit, the last one and
/// those nearest to the current one stay.
struct ChartRows {
  std::vector<ChartRow> rows;
  std::vector<Rule> rules = {};
  std::string words_unit = {};  ///< The unit of the words over columns.
  bool words_at_edge = false;   ///< Instead of after the bars.
};

/// Points and lines between two numeric axes. Spread as bars with caps; the point at the sliders larger and ringed.
struct ChartLines {
  std::vector<Series> series = {};
  std::vector<Roof> roofs = {};
  std::vector<Column> columns = {};
  std::optional<double> current = {};  ///< Where the sliders are on the x axis.
};

struct Chart {
  std::variant<ChartLines, ChartRows, CellGrid> content;
  std::string nothing = {};               ///< The sentence in place of an empty chart.
  std::vector<std::string> heading = {};  ///< Lines above rows; the first is the important one.
  std::vector<LegendEntry> legend = {};
  ChartAxis x = {}, y = {};
  std::vector<store::Measurement> figures = {};  ///< The drawn figures, for the table.
};

/// The unit in which the values of rows are written.
Unit unit_of(const std::vector<ChartRow>& rows, std::string_view unit);

/// `zoom`: of lines.
Plot draw(const Chart& chart, const Canvas& canvas, const PlotRange& zoom = {});

}  // namespace tilescope::view
