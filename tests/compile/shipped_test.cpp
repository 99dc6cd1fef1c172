#include <gtest/gtest.h>

#include "compile/prebuilt.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernel/reach.h"

namespace tilescope::compile {
namespace {

const std::filesystem::path kRoot = TILESCOPE_SOURCE_DIR;
constexpr kernel::Size kSize{1024, 1024, 1024};

std::string missing(const kernel::Kernel& kernel, const kernel::Settings& settings, const std::string& arch) {
  const auto configuration = kernel::configure(kernel.description, settings, kSize);
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
      if (capability < kernel.description.capability) continue;
      for (const kernel::Settings& settings : kernel::preset_settings(kernel.description))
        EXPECT_EQ(missing(kernel, settings, "sm_" + std::to_string(capability)), "") << "Run scripts/prebuild.";
    }
}

TEST(Shipped, WhatOneSliderReachesFromAPresetOnTheDefaultArchitecture) {
  for (const kernel::Kernel& kernel : kernel::load_catalogue(kRoot / "kernels").kernels)
    for (const kernel::Settings& settings : kernel::slider_settings(kernel.description))
      if (kernel::is_legal(kernel.description, settings, kSize))
        EXPECT_EQ(missing(kernel, settings, "sm_90"), "") << "Run scripts/prebuild.";
}

}  // namespace
}  // namespace tilescope::compile
