#include "cli/sweep_plan.h"

#include <sstream>

#include <fmt/format.h>

#include "kernel/reach.h"

namespace tilescope::cli {
namespace {
using kernel::Settings;
using kernel::Size;

constexpr size_t kMostRows = 100'000;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

Result<std::vector<Size>> doubling_sizes(const std::string& first, const std::string& last) {
  const Result<Size> low = kernel::parse_size(first), high = kernel::parse_size(last);
  if (!low) return low.errors();
  if (!high) return high.errors();
  if (low->m < 1 || low->m > high->m) return error(fmt::format("--size {}..{}: give the smaller first.", first, last));
  std::vector<Size> sizes;
  for (int64_t size = low->m; size <= high->m; size *= 2) sizes.push_back({size, size, size});
  return sizes;
}

}  // namespace

Result<std::vector<Size>> parse_sizes(const std::string& text) {
  if (const size_t dots = text.find(".."); dots != std::string::npos)
    return doubling_sizes(text.substr(0, dots), text.substr(dots + 2));
  std::vector<Size> sizes;
  const bool is_one = text.find('=') != std::string::npos;
  for (const std::string& part : is_one ? std::vector<std::string>{text} : split(text, ',')) {
    const Result<Size> size = kernel::parse_size(part);
    if (!size) return size.errors();
    sizes.push_back(*size);
  }
  return sizes;
}

Result<std::vector<Settings>> parse_set_lists(const std::vector<std::string>& texts) {
  std::vector<Settings> all{{}};
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::vector<Settings> longer;
    for (const std::string& value : split(equals == std::string::npos ? "" : text.substr(equals + 1), ','))
      for (Settings settings : all) {
        if (const auto added = kernel::add_setting(fmt::format("{}={}", name, value), settings); !added)
          return added.errors();
        longer.push_back(std::move(settings));
      }
    if (longer.empty()) return error(fmt::format("--set {}: write it as BM=32,64,128.", text));
    if (longer.size() > kMostRows) return error("--set: these are more than 100000 combinations.");
    all = std::move(longer);
  }
  return all;
}

void add_points(const kernel::Kernel& kernel, const std::vector<Settings>& settings, const std::vector<Size>& sizes,
                SweepPlan& plan) {
  for (const Settings& each : settings)
    for (const Size& size : sizes)
      if (kernel::is_legal(kernel.description, each, size))
        plan.points.push_back({kernel, each, size});
      else
        ++plan.illegal;
}

}  // namespace tilescope::cli
