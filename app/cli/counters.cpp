#include "cli/counters.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilescope::cli {
namespace {
using wording::CounterLine;

constexpr double kWhole = 1000;  // From here on a figure has no fraction.

std::string figure_text(double value) {
  return value < kWhole ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string counters_text(const std::vector<CounterLine>& lines) {
  Table table({Align::Left, Align::Right, Align::Left, Align::Right});
  table.row({"counter", "hardware", "", "counted"});
  std::vector<std::string> reasons;
  for (const CounterLine& line : lines) {
    table.row({line.meaning, figure_text(line.hardware), line.why.empty() ? "" : "*",
               line.counted ? figure_text(*line.counted) : ""});
    if (!line.why.empty() && std::find(reasons.begin(), reasons.end(), line.why) == reasons.end())
      reasons.push_back(line.why);
  }
  std::string text = table.text(2);
  for (const std::string& reason : reasons) text += wrapped("* " + reason, kWidth, 2) + "\n";
  return text;
}

nlohmann::ordered_json counters_json(const std::vector<CounterLine>& lines) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CounterLine& line : lines) {
    nlohmann::ordered_json json{{"name", line.name}, {"meaning", line.meaning}, {"hardware", line.hardware}};
    json["counted"] = line.counted ? nlohmann::ordered_json(*line.counted) : nlohmann::ordered_json();
    json["why"] = line.why.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(line.why);
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace tilescope::cli
