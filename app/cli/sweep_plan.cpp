#include "cli/sweep_plan.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "kernel/model.h"

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

/// The settings with every parameter named, so that equal ones compare equal.
Settings complete(const kernel::Description& description, const Settings& settings) {
  Settings result;
  for (const kernel::Parameter& parameter : description.parameters) {
    const auto found = settings.find(parameter.name);
    result[parameter.name] = found == settings.end() ? std::to_string(parameter.default_value) : found->second;
  }
  return result;
}

/// As configure() decides, which for an illegal combination also looks for the nearest legal one: far too long here.
bool is_legal(const kernel::Description& description, const Settings& settings, const Size& size) {
  kernel::Model model(description, {});
  model.set("M", size.m);
  model.set("N", size.n);
  model.set("K", size.k);
  for (const auto& [name, text] : settings) {
    const kernel::Parameter* parameter = description.parameter(name);
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!parameter || failure != std::errc() || end != text.data() + text.size() ||
        !std::binary_search(parameter->values.begin(), parameter->values.end(), value))
      return false;
    model.set(name, value);
  }
  return model.broken() == 0;
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

std::vector<Settings> preset_settings(const kernel::Description& description) {
  std::vector<Settings> result{complete(description, {})};
  for (const kernel::Preset& preset : description.presets)
    if (const Result<Settings> settings = kernel::preset_settings(description, preset.name); settings)
      if (Settings whole = complete(description, *settings); std::ranges::find(result, whole) == result.end())
        result.push_back(std::move(whole));
  return result;
}

std::vector<Settings> slider_settings(const kernel::Description& description) {
  const std::vector<Settings> presets = preset_settings(description);
  std::set<Settings> seen(presets.begin(), presets.end());
  std::vector<Settings> result;
  for (const Settings& preset : presets)
    for (const kernel::Parameter& parameter : description.parameters)
      for (const int64_t value : parameter.values) {
        Settings moved = preset;
        moved[parameter.name] = std::to_string(value);
        if (seen.insert(moved).second) result.push_back(std::move(moved));
      }
  return result;
}

void add_points(const kernel::Kernel& kernel, const std::vector<Settings>& settings, const std::vector<Size>& sizes,
                SweepPlan& plan) {
  for (const Settings& each : settings)
    for (const Size& size : sizes)
      if (is_legal(kernel.description, each, size))
        plan.points.push_back({kernel, each, size});
      else
        ++plan.illegal;
}

}  // namespace tilescope::cli
