// The stages of tests/hardware/stages that have a description, whole grids under all checkers; skipped where there is no
// NVRTC.

#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "run/run.h"
#include "wording/finding.h"

namespace tilescope::run {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> described_stages() {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(fs::path(TILESCOPE_SOURCE_DIR) / "tests/hardware/stages"))
    if (entry.path().extension() == ".toml") sources.push_back(fs::path(entry.path()).replace_extension(".cu"));
  std::sort(sources.begin(), sources.end());
  return sources;
}

class Stages : public testing::TestWithParam<fs::path> {};

TEST_P(Stages, AreRightAndWithoutFindings) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const auto kernel = kernel::load_kernel(GetParam());
  ASSERT_TRUE(kernel) << to_string(kernel.errors());
  Request request;
  request.kernel = *kernel;
  request.size = kernel::default_size(kernel->description);
  const Result<Report> report = make_check_report(request, compiler);
  ASSERT_TRUE(report) << to_string(report.errors());
  EXPECT_FALSE(report->stopped);
  for (const analysis::Finding& finding : report->findings) ADD_FAILURE() << wording::sentence(finding);
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Stages, testing::ValuesIn(described_stages()), [](const auto& param) {
  return param.param.stem().string().substr(3);
});

}  // namespace
}  // namespace tilescope::run
