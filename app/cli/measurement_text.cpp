#include "cli/measurement_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace tilescope::cli {
using store::Measurement;

std::string gflops_text(const Measurement& measurement) {
  return measurement.is_product() ? fmt::format("{:.1f}", measurement.gflops) : "-";
}

std::string part_text(const Measurement& measurement) {
  const std::optional<double> percent = measurement.percent_of_reference();
  return percent ? fmt::format("{:.1f} %", *percent) : "-";
}

std::string part_heading(const std::vector<Measurement>& measurements) {
  const bool any = measurements.empty() || std::ranges::any_of(measurements, &Measurement::is_product);
  return any ? "of cuBLAS" : "of a copy";
}

}  // namespace tilescope::cli
