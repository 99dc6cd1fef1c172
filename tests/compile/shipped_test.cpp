#include <gtest/gtest.h>

#include "compile/prebuilt.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernel/reach.h"

namespace tilescope::compile {
namespace {

const std::filesystem::path kRoot = TILESCOPE_SOURCE_DIR;

std::string missing(const kernel::Kernel& kernel, const kernel::Settings& settings, const std::string& arch) {
  const auto configuration = kernel::configure(kernel.description, settings, {1024, 1024, 1024});
  if (!configuration) return to_string(configuration.errors());
  Request request{.source = kernel.source, .file_name = kernel.file.string(), .arch = arch};
  for (const std::string& macro : configuration->macros) request.macros.push_back(parse_macro(macro));
  request.options = configuration->options;
  const auto found = find_prebuilt(kRoot / "assets/prebuilt", request, "");
  return found ? "" : to_string(found.errors());
}

TEST(Shipped, EveryKernelAtItsDefaultsAndPresets) {
  for (const kernel::Kernel& kernel : kernel::load_catalogue(kRoot / "kernels").kernels)
    for (const uint32_t capability : {75, 80, 86, 89, 90}) {
      if (!kernel::has_instructions(kernel.description, capability)) continue;
      const std::string arch = kernel::compiled_arch(kernel.description, "sm_" + std::to_string(capability));
      EXPECT_EQ(missing(kernel, {}, arch), "") << "Run scripts/prebuild.";
      for (const kernel::Preset& preset : kernel.description.presets) {
        const auto settings = kernel::preset_settings(kernel.description, preset.name);
        ASSERT_TRUE(settings);
        EXPECT_EQ(missing(kernel, *settings, arch), "") << "Run scripts/prebuild.";
      }
    }
}

TEST(Shipped, WhatOneSliderReachesFromAPresetOnTheDefaultArchitecture) {
  size_t checked = 0;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(kRoot / "kernels").kernels)
    for (const kernel::Settings& settings : kernel::slider_settings(kernel.description)) {
      if (!kernel::is_legal(kernel.description, settings, {1024, 1024, 1024})) continue;
      EXPECT_EQ(missing(kernel, settings, kernel::compiled_arch(kernel.description, "sm_90")), "") << "Run scripts/prebuild.";
      ++checked;
    }
  EXPECT_GT(checked, 300U);
}

}  // namespace
}  // namespace tilescope::compile
