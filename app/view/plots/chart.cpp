#include "view/plots/chart.h"

#include <algorithm>
#include <cmath>

#include "store/store.h"
#include "view/plots/chart_painters.h"

namespace tilescope::view {
namespace {

void draw_sentence(Brush& brush, const std::string& text) {
  const std::vector<std::string> lines = brush.wrapped(text, brush.width - 16);
  float y = (brush.height - brush.line() * static_cast<float>(lines.size() - 1)) / 2;
  for (const std::string& line : lines) {
    brush.label({brush.width / 2, y}, line, {Ink::Faint}, Align::Centre);
    y += brush.line();
  }
}

}  // namespace

const PlotSpot* spot_at(const Plot& plot, Point point) {
  const auto distance = [&](const Box& box) { return std::hypot(box.centre().x - point.x, box.centre().y - point.y); };
  const PlotSpot* nearest = nullptr;
  for (const PlotSpot& spot : plot.spots)
    if (spot.box.contains(point) && (!nearest || distance(spot.box) <= distance(nearest->box))) nearest = &spot;
  return nearest;
}

Unit unit_of(const std::vector<ChartRow>& rows, std::string_view unit) { return unit_for(largest({rows}), unit); }

Plot draw(const Chart& chart, const Canvas& canvas, const PlotRange& zoom) {
  Brush brush(canvas);
  const auto* rows = std::get_if<ChartRows>(&chart.content);
  const auto* lines = std::get_if<ChartLines>(&chart.content);
  const auto* grid = std::get_if<CellGrid>(&chart.content);
  const auto has_points = [](const Series& series) { return !series.points.empty(); };
  if (rows && !rows->rows.empty())
    draw_rows(brush, chart, *rows);
  else if (lines && std::any_of(lines->series.begin(), lines->series.end(), has_points))
    draw_lines(brush, chart, *lines, zoom);
  else if (grid && !grid->cells.empty())
    draw_cells(brush, chart, *grid);
  else
    draw_sentence(brush, chart.nothing);
  if (!chart.figures.empty()) brush.plot.csv = store::to_csv(chart.figures);
  return std::move(brush.plot);
}

}  // namespace tilescope::view
