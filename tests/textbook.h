#pragma once

#include <map>
#include <string>

#include "kernel/configuration.h"
#include "shipped_kernels.h"

namespace tilescope {

/// The preset with the tiles that the literature uses for a kernel. Tests that name elements, warps and lanes mean
/// these tiles, whatever the defaults; empty if they are the defaults.
inline std::string textbook_preset(const std::string& kernel) {
  static const std::map<std::string, std::string> presets{{"08_thread_tile_1d", "64x64x4-16"},
                                                          {"09_thread_tile_2d", "128x128x8-8x8"},
                                                          {"10_wide_loads", "128x128x8-8x8"},
                                                          {"11_warp_tile", "128x128x16-64x64-4-8x4"},
                                                          {"14_bank_free", "64x128x16-64x64-4-2"}};
  const auto found = presets.find(kernel);
  return found == presets.end() ? "" : found->second;
}

/// The settings of that preset, or none.
inline kernel::Settings textbook_settings(const std::string& kernel) {
  const std::string preset = textbook_preset(kernel);
  const Result<kernel::Kernel> found = kernel::find_kernel(shipped_kernels(), kernel);
  if (preset.empty() || !found) return {};
  const Result<kernel::Settings> settings = kernel::preset_settings(found->description, preset);
  return settings ? *settings : kernel::Settings{};
}

/// The kernels that ship, with those tiles as their defaults.
inline const kernel::Catalogue& textbook_kernels() {
  static const kernel::Catalogue all = [] {
    kernel::Catalogue kernels = shipped_kernels();
    for (kernel::Kernel& kernel : kernels.kernels) {
      const kernel::Settings settings = textbook_settings(kernel.name);
      for (kernel::Parameter& parameter : kernel.description.parameters)
        if (const auto found = settings.find(parameter.name); found != settings.end())
          parameter.default_value = std::stoll(found->second);
    }
    return kernels;
  }();
  return all;
}

}  // namespace tilescope
