#include "kernel/reach.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "kernel/model.h"

namespace tilescope::kernel {
namespace {

/// The settings with every parameter named, so that equal ones compare equal.
Settings complete(const Description& description, const Settings& settings) {
  Settings result;
  for (const Parameter& parameter : description.parameters) {
    const auto found = settings.find(parameter.name);
    result[parameter.name] = found == settings.end() ? std::to_string(parameter.default_value) : found->second;
  }
  return result;
}

}  // namespace

std::vector<Settings> preset_settings(const Description& description) {
  std::vector<Settings> result{complete(description, {})};
  for (const Preset& preset : description.presets)
    if (const Result<Settings> settings = preset_settings(description, preset.name); settings)
      if (Settings whole = complete(description, *settings); std::ranges::find(result, whole) == result.end())
        result.push_back(std::move(whole));
  return result;
}

std::vector<Settings> slider_settings(const Description& description) {
  const std::vector<Settings> presets = preset_settings(description);
  std::set<Settings> seen(presets.begin(), presets.end());
  std::vector<Settings> result;
  for (const Settings& preset : presets)
    for (const Parameter& parameter : description.parameters)
      for (const int64_t value : parameter.values) {
        Settings moved = preset;
        moved[parameter.name] = std::to_string(value);
        if (seen.insert(moved).second) result.push_back(std::move(moved));
      }
  return result;
}

bool is_legal(const Description& description, const Settings& settings, const Size& size) {
  Model model(description, {});
  model.set("M", size.m);
  model.set("N", size.n);
  model.set("K", size.k);
  for (const auto& [name, text] : settings) {
    const Parameter* parameter = description.parameter(name);
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!parameter || failure != std::errc() || end != text.data() + text.size() ||
        !std::binary_search(parameter->values.begin(), parameter->values.end(), value))
      return false;
    model.set(name, value);
  }
  return model.broken() == 0;
}

}  // namespace tilescope::kernel
