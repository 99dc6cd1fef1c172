// The examples of arrays that are no matrix product: each runs clean at a size that no tile divides, and says that its
// result is not verified.

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "run/run.h"

namespace tilescope::run {
namespace {

TEST(Examples, RunWithoutFindings) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const kernel::Catalogue examples = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/examples");
  EXPECT_TRUE(examples.problems.empty()) << to_string(examples.problems);
  EXPECT_EQ(examples.kernels.size(), 5U);
  for (const kernel::Kernel& kernel : examples.kernels) {
    Request request;
    request.kernel = kernel;
    request.size = smallest_size(kernel, {}, *arch::find_limits("sm_90"));
    const Result<Report> report = make_check_report(request, compiler);
    ASSERT_TRUE(report) << kernel.name << "\n" << to_string(report.errors());
    EXPECT_FALSE(report->has_finding()) << kernel.name;
    EXPECT_EQ(report->not_verified, Unverified::NoMatrices) << kernel.name;
  }
}

}  // namespace
}  // namespace tilescope::run
