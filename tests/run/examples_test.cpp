// The examples of arrays that are no matrix product: each names its reference, runs clean and right at a size that no
// tile divides, and is wrong once a slip is in its text.

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "run/run.h"

namespace tilescope::run {
namespace {

const kernel::Catalogue& examples() {
  static const kernel::Catalogue catalogue = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/examples");
  return catalogue;
}

Request request_for(kernel::Kernel kernel) {
  Request request;
  request.kernel = std::move(kernel);
  request.size = smallest_size(request.kernel, {}, *arch::find_limits("sm_90"));
  return request;
}

TEST(Examples, AreRightWithoutFindings) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  EXPECT_TRUE(examples().problems.empty()) << to_string(examples().problems);
  EXPECT_EQ(examples().kernels.size(), 7U);
  for (const kernel::Kernel& kernel : examples().kernels) {
    const Result<Report> report = make_check_report(request_for(kernel), compiler);
    ASSERT_TRUE(report) << kernel.name << "\n" << to_string(report.errors());
    EXPECT_FALSE(report->has_finding()) << kernel.name;
    ASSERT_TRUE(report->verified) << kernel.name;
    EXPECT_EQ(report->is_product, kernel.name == "mma_tile" || kernel.name == "cluster_tile") << kernel.name;
  }
}

struct Slip {
  const char *kernel, *right, *wrong, *first;
};

class Slips : public testing::TestWithParam<Slip> {};

TEST_P(Slips, AreCalledWrongWithTheFirstElement) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  Result<kernel::Kernel> kernel = kernel::find_kernel(examples(), GetParam().kernel);
  ASSERT_TRUE(kernel);
  const size_t at = kernel->source.find(GetParam().right);
  ASSERT_NE(at, std::string::npos);
  kernel->source.replace(at, std::string(GetParam().right).size(), GetParam().wrong);
  const Result<Report> report = make_report(request_for(*kernel), compiler, {});
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  ASSERT_TRUE(report->verified->first_wrong);
  EXPECT_EQ(name_of(*report->verified->first_wrong), GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(Examples, Slips,
                         testing::Values(Slip{"transpose", "tile[threadIdx.x][threadIdx.y]",
                                              "tile[threadIdx.y][threadIdx.x]", "out[0][1]"},
                                         Slip{"reduction", "half > 0", "half > 1", "sum[0]"},
                                         Slip{"softmax", "step = 16; step > 0; step /= 2) sum",
                                              "step = 16; step > 1; step /= 2) sum", "out[0][0]"},
                                         Slip{"stencil", "col == cols - 1", "col == cols - 2", "out[1][64]"},
                                         Slip{"scan", "threadIdx.x >= step", "threadIdx.x > step", "out[1]"}),
                         [](const auto& each) { return std::string(each.param.kernel); });

}  // namespace
}  // namespace tilescope::run
