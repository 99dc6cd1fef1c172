#include <gtest/gtest.h>

#include "compile/prebuilt.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernel/reach.h"
#include "run/prepare.h"
#include "sass/cubin.h"

namespace tilescope::compile {
namespace {

const std::filesystem::path kRoot = TILESCOPE_SOURCE_DIR;

Request request_for(const kernel::Kernel& kernel, const kernel::Settings& settings, const std::string& arch) {
  const auto configuration = kernel::configure(kernel.description, settings, {1024, 1024, 1024});
  EXPECT_TRUE(configuration) << to_string(configuration.errors());
  run::Request request;
  request.kernel = kernel;
  request.arch = arch;
  return run::compile_request(request, *configuration);
}

Result<Record> shipped(const Request& request) { return find_prebuilt(kRoot / "assets/prebuilt", request, ""); }

std::string missing(const kernel::Kernel& kernel, const kernel::Settings& settings, const std::string& arch) {
  const auto found = shipped(request_for(kernel, settings, arch));
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
      EXPECT_EQ(missing(kernel, settings, kernel::compiled_arch(kernel.description, "sm_90")), "")
          << "Run scripts/prebuild.";
      ++checked;
    }
  EXPECT_GT(checked, 300U);
}

TEST(Shipped, ListsTheMacrosOfAFilesEntries) {
  Settings settings;
  settings.prebuilt_folder = kRoot / "assets/prebuilt";
  const Compiler compiler(settings);
  Request request;
  request.file_name = "kernels/07_rect_tile.cu";
  request.arch = "sm_86";
  const std::vector<std::vector<Macro>> shipped = compiler.shipped(request);
  EXPECT_EQ(shipped.size(), 5U);
  const std::vector<Macro> one{{"TILE_ROWS", "16"}, {"TILE_COLS", "32"}};
  EXPECT_NE(std::find(shipped.begin(), shipped.end(), one), shipped.end());
  request.arch = "sm_70";
  EXPECT_TRUE(compiler.shipped(request).empty());
}

/// The line of PTX that names the build of NVRTC.
std::string build_of(std::string_view ptx) {
  const size_t at = ptx.find("Compiler Build ID");
  return std::string(ptx.substr(at, ptx.find('\n', at) - at));
}

TEST(Shipped, IsWhatNvrtcGives) {
  Settings only_nvrtc;
  only_nvrtc.choice = Choice::Nvrtc;
  Compiler nvrtc(only_nvrtc);
  if (const auto toolchain = nvrtc.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const std::vector<kernel::Kernel> kernels = kernel::load_catalogue(kRoot / "kernels").kernels;
  for (size_t i = 0; i < kernels.size(); i += 2) {
    const Request request = request_for(kernels[i], {}, kernel::compiled_arch(kernels[i].description, "sm_90"));
    auto output = nvrtc.compile(request);
    ASSERT_TRUE(output) << to_string(output.errors());
    const Result<Record> found = shipped(request);
    ASSERT_TRUE(found) << to_string(found.errors());
    if (build_of(output->ptx) != build_of(field(*found, "ptx"))) GTEST_SKIP() << "Another build of NVRTC.";
    output->cubin = sass::without_ptx_text(output->cubin);
    EXPECT_EQ(shipped_reply({request, *output}), *found) << kernels[i].name << ": run scripts/prebuild.";
  }
}

}  // namespace
}  // namespace tilescope::compile
