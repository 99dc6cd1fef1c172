#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "view/plots/chart_painters.h"

namespace tilescope::view {
namespace {

constexpr float kHollowFill = 0.18f, kHollowFrame = 2.5f;
constexpr int kScaleSteps = 48;

/// Lines from the lower left to the upper right, cut at the box.
void hatch(Brush& brush, const Box& box) {
  constexpr float kHatchApart = 7;
  for (float at = kHatchApart; at < box.width + box.height; at += kHatchApart) {
    const float down = std::min(at, box.height), along = std::min(at, box.width);
    brush.line_through({box.x + at - down, box.y + down}, {box.x + along, box.y + at - along}, {Ink::Line});
  }
}

/// The colours with their figures, and what the other cells mean, if there are any and they leave room for both
/// figures.
void draw_scale(Brush& brush, const CellGrid& grid, Point corner, float height, const std::string& low,
                const std::string& high) {
  const float line = brush.line(), least = 1.8f * line;
  std::vector<const std::string*> keys;
  if (std::ranges::any_of(grid.cells, &ChartCell::hatched)) keys.push_back(&grid.hatched);
  if (std::ranges::any_of(grid.cells, [](const ChartCell& cell) { return !cell.hatched && !cell.value; }))
    keys.push_back(&grid.empty);
  const auto left_by = [&](size_t count) {
    return count == 0 ? height : height - (static_cast<float>(count) + 0.7f) * line;
  };
  while (!keys.empty() && left_by(keys.size()) < least) keys.pop_back();
  const float bar = left_by(keys.size());
  for (int i = 0; i < kScaleSteps; ++i) {
    const float part = (static_cast<float>(i) + 0.5f) / kScaleSteps, step = bar / kScaleSteps;
    brush.add(Rectangle{{corner.x, corner.y + bar - step * static_cast<float>(i + 1), 10, step + 0.5f},
                        {Ink::Magnitude, 1, part}});
  }
  brush.label({corner.x + 16, corner.y + line * 0.4f}, high, {Ink::Text});
  if (bar >= least) brush.label({corner.x + 16, corner.y + bar - line * 0.4f}, low, {Ink::Text});
  Box key{corner.x, corner.y + bar + line * 0.9f - 5, 10, 10};
  for (const std::string* words : keys) {
    if (words == &grid.hatched) hatch(brush, key);
    brush.add(Rectangle{key, kNoColour, {Ink::Line}});
    brush.label({key.right() + 6, key.centre().y}, *words, {Ink::Faint});
    key.y += line;
  }
}

}  // namespace

void draw_cells(Brush& brush, const Chart& chart, const CellGrid& grid) {
  double low = HUGE_VAL, high = 0;
  for (const ChartCell& cell : grid.cells)
    if (cell.value) low = std::min(low, *cell.value), high = std::max(high, *cell.value);
  const Unit unit = unit_for(high, grid.unit);
  const std::string high_text = fmt::format("{} {}", significant(high / unit.factor), unit.name);
  float names = brush.width_of(grid.up);
  for (const std::string& name : grid.rows) names = std::max(names, brush.width_of(name));
  const float keys = std::max({brush.width_of(high_text), brush.width_of(grid.hatched), brush.width_of(grid.empty)});
  const bool brief = brush.height < kLowChart * brush.line();
  const float room = brush.width - names - 10, legend = brush.legend(chart.legend, {}, room, brief, true);
  const Box area =
      box_between(names + 10, std::max(brush.line(), legend) + 2, brush.width - keys - 28, brush.height - brush.line());
  const float width = area.width / static_cast<float>(grid.columns.size());
  const float height = area.height / static_cast<float>(grid.rows.size());

  const float below = area.bottom() + brush.text * 0.75f;
  brush.label({area.x - 8, brush.line() / 2}, grid.up, {Ink::Text}, Align::End, Font::Bold);
  brush.label({area.right() + 10, below}, grid.across, {Ink::Text}, Align::Begin, Font::Bold);
  brush.legend(chart.legend, {area.x, 0}, room, brief);
  for (size_t i = 0; i < grid.rows.size(); ++i)
    brush.label({area.x - 8, area.bottom() - height * (static_cast<float>(i) + 0.5f)}, grid.rows[i], {Ink::Text},
                Align::End);
  for (size_t i = 0; i < grid.columns.size(); ++i)
    brush.label({area.x + width * (static_cast<float>(i) + 0.5f), below}, grid.columns[i], {Ink::Text}, Align::Centre);

  const auto box_of_cell = [&](size_t i) {
    return Box{area.x + width * static_cast<float>(i % grid.columns.size()),
               area.bottom() - height * static_cast<float>(i / grid.columns.size() + 1), width, height};
  };
  for (size_t i = 0; i < grid.cells.size(); ++i) {
    const ChartCell& cell = grid.cells[i];
    const Box whole = box_of_cell(i);
    const Box box{whole.x + 1, whole.y + 1, whole.width - 2, whole.height - 2};
    brush.spot(cell.spot, whole);
    if (cell.hatched) hatch(brush, box);
    if (!cell.hatched && !cell.value) brush.add(Rectangle{box, kNoColour, {Ink::Line}});
    if (!cell.value) continue;
    const float part = high > low ? static_cast<float>((*cell.value - low) / (high - low)) : 1.0f;
    if (cell.hollow) {
      constexpr float kIn = kHollowFrame / 2;
      const Box inner{box.x + kIn, box.y + kIn, box.width - 2 * kIn, box.height - 2 * kIn};
      brush.add(Rectangle{inner, {Ink::Magnitude, kHollowFill, part}, {Ink::Magnitude, 1, part}, kHollowFrame});
    } else {
      brush.add(Rectangle{box, {Ink::Magnitude, 1, part}});
    }
    const std::string text = significant(*cell.value / unit.factor);
    if (brush.width_of(text) + 6 <= box.width && brush.text <= box.height)
      brush.label(box.centre(), text, {cell.hollow ? Ink::Text : on_magnitude(part)}, Align::Centre);
  }
  for (size_t i = 0; i < grid.cells.size(); ++i) {
    if (!grid.cells[i].current) continue;
    // Light on dark: one of the two is visible on any colour.
    brush.add(Rectangle{box_of_cell(i), kNoColour, {Ink::OnLight}, 5});
    brush.add(Rectangle{box_of_cell(i), kNoColour, {Ink::OnDark}, 2});
  }
  draw_scale(brush, grid, {area.right() + 10, area.y}, area.height, significant(low / unit.factor), high_text);
}

}  // namespace tilescope::view
