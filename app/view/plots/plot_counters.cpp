#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"
#include "view/plots/plots.h"
#include "wording/counters.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;
using wording::CounterLine;

constexpr std::string_view kStalled = "smsp__average_warps_issue_stalled_";
constexpr float kRowPitch = 1;        // Of the height of text; rows closer than that are left out, the last ones first.
constexpr float kLeastText = 0.87f;   // Of the canvas's text, so that more rows have room.
constexpr double kLeastStall = 0.02;  // Warps per issued instruction.
constexpr float kOtherLines = 5;      // Heading, legend, axis.

bool is_stall(const CounterLine& line) { return line.name.starts_with(kStalled); }

/// The figure whose counters are shown: measured before recorded.
const Measurement* figure_with_counters(const PlotData& data) {
  for (const Provenance provenance : {Provenance::Measured, Provenance::Recorded}) {
    const Measurement* figure = find_figure(data, provenance, data.shown, data.params, data.size);
    if (figure && !figure->counters.empty()) return figure;
  }
  return nullptr;
}

/// "4.29 G" or "0.27"
std::string amount(double value) {
  if (value < 1) return significant(value);
  const std::string words = with_unit(value, "");
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

std::string words_of(const CounterLine& line, double whole) {
  if (is_stall(line)) return fmt::format("{:.0f} %", 100 * line.hardware / whole);
  if (!line.counted) return amount(line.hardware);
  if (line.why.empty()) return tr_format("{}, as counted", amount(line.hardware));
  return tr_format("{} ≠ {} counted", amount(line.hardware), amount(*line.counted));
}

ChartRow row_of(const CounterLine& line, const Measurement& figure, double whole) {
  ChartRow row;
  row.name = line.meaning;
  row.words = words_of(line, whole);
  row.ink = line.why.empty() ? Ink::Text : Ink::Warning;
  double part = 0;
  if (is_stall(line)) part = line.hardware / whole;
  if (line.counted && *line.counted > 0) part = line.hardware / *line.counted;
  if (part > 0) {
    const Ink ink = is_stall(line) ? Ink::OtherStep : look_of(figure.provenance).ink;
    row.bars.push_back({0, part, 0, {line.why.empty() ? ink : Ink::Warning}});
  }
  row.spot = {line.meaning, {line.name, tr_format("hardware: {}", fmt::format("{:.12g}", line.hardware))}};
  if (line.counted) row.spot.lines.push_back(tr_format("counted: {}", fmt::format("{:.12g}", *line.counted)));
  if (!line.why.empty()) row.spot.lines.push_back(line.why);
  return row;
}

/// Counters of the GPU and the emulator; the stalls at the end, the longest of them first.
std::vector<CounterLine> lines_to_show(const Measurement& figure, const run::CountedWork* counted) {
  std::vector<CounterLine> lines =
      wording::counter_lines(figure.counters, counted ? counted->counters : std::vector<uint64_t>());
  std::erase_if(lines, [](const CounterLine& line) {
    return line.hardware < (is_stall(line) ? kLeastStall : 1e-9) && line.counted.value_or(0) == 0;
  });
  const auto stalls = std::find_if(lines.begin(), lines.end(), is_stall);
  std::stable_sort(stalls, lines.end(),
                   [](const CounterLine& a, const CounterLine& b) { return a.hardware > b.hardware; });
  return lines;
}

std::string agreement(const std::vector<CounterLine>& lines) {
  const auto counted = std::count_if(lines.begin(), lines.end(), [](const CounterLine& line) { return line.counted; });
  const auto same = std::count_if(lines.begin(), lines.end(),
                                  [](const CounterLine& line) { return line.counted && line.why.empty(); });
  return tr_format("{} of {} counts are the hardware's", same, counted);
}

}  // namespace

Plot counters_plot(const PlotData& data, const Canvas& room) {
  Canvas canvas = room;
  Chart chart;
  chart.nothing = tr_format(
      "No hardware counters of this configuration at {} yet. Presets have recorded ones at 4096; with a GPU they are "
      "read here.",
      size_text(data, data.size));
  const Measurement* figure = figure_with_counters(data);
  if (!figure) return draw(chart, canvas);
  double whole = 0;
  for (const auto& [name, value] : figure->counters)
    if (name.starts_with(kStalled)) whole += value;
  const run::CountedWork* counted = find_counted(data, data.shown, data.params, data.size);
  const bool comparable = counted && counted->counters_are_whole;
  std::vector<CounterLine> lines = lines_to_show(*figure, comparable ? counted : nullptr);
  if (comparable) chart.heading.push_back(agreement(lines));
  if (counted && !comparable)
    chart.heading.push_back(
        tr("Not compared: one block was counted, whose share of the tiles is not that of every block."));
  const float needed = canvas.height / (kRowPitch * (static_cast<float>(lines.size()) + kOtherLines));
  canvas.text = std::clamp(needed, kLeastText * canvas.text, canvas.text);
  const auto most = static_cast<size_t>(std::max(4.0f, canvas.height / (kRowPitch * canvas.text) - kOtherLines));
  if (lines.size() > most) lines.resize(most);
  ChartRows rows{.rows = {}, .words_at_edge = true};
  for (const CounterLine& line : lines) rows.rows.push_back(row_of(line, *figure, whole));
  const SeriesLook look = look_of(figure->provenance);
  chart.legend.push_back({look, provenance_text(figure->provenance), source_text({figure})});
  chart.x.title = tr("1 = counted");
  chart.content = std::move(rows);
  return draw(chart, canvas);
}

}  // namespace tilescope::view
