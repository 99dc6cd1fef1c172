#pragma once

#include "view/plots/chart_brush.h"

namespace tilescope::view {

constexpr float kValueGap = 6;  ///< Behind a bar, and beside a column's name.
constexpr float kMostBar = 26;

/// As columns where there is no height for rows.
void draw_rows(Brush& brush, const Chart& chart, const ChartRows& content);
void draw_columns(Brush& brush, const Chart& chart, const ChartRows& content);
void draw_lines(Brush& brush, const Chart& chart, const ChartLines& content, const PlotRange& zoom);
void draw_cells(Brush& brush, const Chart& chart, const CellGrid& grid);

/// The largest value of a row, of all rows and rules.
double end_of(const ChartRow& row);
double largest(const ChartRows& content);
Font font_of(const ChartRow& row);

}  // namespace tilescope::view
