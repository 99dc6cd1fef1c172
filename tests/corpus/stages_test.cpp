// The stages with copies and products of Hopper and tensor cores, whole grids under all checkers.

#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "prebuilt_only.h"
#include "run/run.h"
#include "wording/finding.h"

namespace tilescope::run {
namespace {

namespace fs = std::filesystem;

constexpr int kFirst = 17;

std::vector<kernel::Kernel> stages() {
  std::vector<kernel::Kernel> all = kernel::load_catalogue(fs::path(TILESCOPE_SOURCE_DIR) / "kernels").kernels;
  std::erase_if(all, [](const kernel::Kernel& kernel) { return kernel.number < kFirst; });
  return all;
}

class Stages : public testing::TestWithParam<kernel::Kernel> {};

TEST_P(Stages, AreRightAndWithoutFindings) {
  Request request;
  request.kernel = GetParam();
  request.size = kernel::default_size(GetParam().description);
  const Result<Report> report = make_check_report(request, prebuilt_compiler());
  ASSERT_TRUE(report) << to_string(report.errors());
  EXPECT_FALSE(report->stopped);
  for (const analysis::Finding& finding : report->findings) ADD_FAILURE() << wording::sentence(finding);
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->wrong, 0u);
}

/// Every preset at a K over which the stages of shared memory are used several times.
TEST_P(Stages, ArePassedOnWithoutFindings) {
  size_t checked = 0;
  for (const kernel::Preset& preset : GetParam().description.presets) {
    Request request;
    request.kernel = GetParam();
    request.settings = *kernel::preset_settings(GetParam().description, preset.name);
    request.size = {256, 256, 512};
    if (!configure(request)) continue;
    const Result<Report> report = make_check_report(request, prebuilt_compiler());
    ASSERT_TRUE(report) << preset.name << ": " << to_string(report.errors());
    EXPECT_FALSE(report->stopped) << preset.name;
    for (const analysis::Finding& finding : report->findings)
      ADD_FAILURE() << preset.name << ": " << wording::sentence(finding);
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Stages, testing::ValuesIn(stages()),
                         [](const auto& param) { return param.param.name.substr(3); });

struct Defect {
  const char* name;
  int stage;
  const char *right, *wrong;
};

/// Errors with fragments and waits of tensor cores, each of which the error bound of TF32 and BF16 must not
/// let through.
class TensorDefects : public testing::TestWithParam<Defect> {};

TEST_P(TensorDefects, AreFoundWrong) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  Request request;
  for (const kernel::Kernel& kernel : stages())
    if (kernel.number == GetParam().stage) request.kernel = kernel;
  std::string& source = request.kernel.source;
  const size_t at = source.find(GetParam().right);
  ASSERT_NE(at, std::string::npos);
  source.replace(at, std::string_view(GetParam().right).size(), GetParam().wrong);
  request.size = kernel::default_size(request.kernel.description);
  const Result<Report> report = make_check_report(request, compiler);
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  EXPECT_GT(report->verified->wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, TensorDefects,
    testing::Values(Defect{"FragmentOfOtherColumns", 21, "[k + lane / 16 * 4]", "[k + 4 - lane / 16 * 4]"},
                    Defect{"TileNotWaitedFor", 21, "\"n\"(STAGES - 2)", "\"n\"(STAGES - 1)"},
                    Defect{"FragmentNotTransposed", 22, "x4.trans.shared", "x4.shared"},
                    Defect{"SumsNotWaitedFor", 23, "waitForGroups<0>();", ""},
                    Defect{"StoredWithoutSwizzle", 23, "(j + lane / 16 ^ row % 8) * 8", "(j + lane / 16) * 8"},
                    Defect{"FragmentOfOtherLanes", 24, "(chunk ^ t ^ upper * 4)", "(chunk ^ t)"}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tilescope::run
