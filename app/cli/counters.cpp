#include "cli/counters.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tilescope::cli {
namespace {
using wording::CounterLine;

/// Counts without a fraction, ratios with one.
std::string hardware_text(const CounterLine& line) {
  return line.counted || line.hardware >= 1000 ? fmt::format("{:.0f}", line.hardware)
                                               : fmt::format("{:.2f}", line.hardware);
}

}  // namespace

std::string counters_text(const std::vector<CounterLine>& lines) {
  Table table({Align::Left, Align::Right, Align::Left, Align::Right});
  table.row({"counter", "hardware", "", "counted"});
  std::vector<std::string> reasons;
  for (const CounterLine& line : lines) {
    table.row({line.meaning, hardware_text(line), line.why.empty() ? "" : "*",
               line.counted ? fmt::format("{:.0f}", *line.counted) : ""});
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
