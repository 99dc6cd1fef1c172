// Block and grid that nobody has given: the kernel may be written for another block, so its result is not called wrong.

#include <gtest/gtest.h>

#include "kernel/propose.h"
#include "run/run.h"

namespace tilescope::run {
namespace {

/// A tile of 32 x 32 that no launch in the file shows.
const std::string kTiled =
    "__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {\n"
    "  int row = blockIdx.y * SIDE + threadIdx.y, col = blockIdx.x * SIDE + threadIdx.x;\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];\n"
    "  c[row * n + col] = sum;\n}\n";

Request request_for(const std::string& source) {
  Request request;
  request.kernel.name = "gemm";
  request.kernel.file = "gemm.cu";
  request.kernel.source = source;
  const auto proposal = kernel::propose(source::read_program(source, {}), "gemm", "");
  request.kernel.description = *kernel::parse_description(to_toml(proposal->form), "gemm.toml");
  request.size = {64, 64, 64};
  return request;
}

TEST(GuessedLaunch, IsNeverCalledWrong) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  Request request = request_for("#define SIDE 32\n" + kTiled);
  ASSERT_TRUE(request.kernel.description.launch_guessed);
  Result<Report> report = make_report(request, compiler, {});
  ASSERT_TRUE(report) << to_string(report.errors());
  EXPECT_TRUE(report->launch_guessed);
  EXPECT_FALSE(report->verified);
  EXPECT_EQ(report->not_verified, Unverified::LaunchGuessed);
  // Once it has been given, the result is wrong.
  request.kernel.description.launch_guessed = false;
  request.kernel.description.text.clear();
  report = make_report(request, compiler, {});
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->verified);
  EXPECT_GT(report->verified->wrong, 0U);
}

TEST(GuessedLaunch, ThatFitsIsRight) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const Result<Report> report = make_report(request_for("#define SIDE 16\n" + kTiled), compiler, {});
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->wrong, 0U);
}

TEST(Scalars, OfHalfPrecisionArrive) {
  compile::Compiler compiler;
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  Request request;
  request.kernel.name = "scale";
  request.kernel.file = "scale.cu";
  request.kernel.source =
      "#include <cuda_fp16.h>\n"
      "__global__ void scale(const float* in, float* out, half factor, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in[i] * __half2float(factor);\n}\n"
      "__global__ void tenth(const float* in, float* out, half factor, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = in[i] * 0x1.998p-4f;\n}\n";
  const auto description = kernel::parse_description(
      "title = \"scale\"\nentry = \"scale\"\nsize = [1, 100, 1]\n"
      "arguments = [\"in\", \"out\", { name = \"factor\", type = \"f16\", value = 0.1 }, \"N\"]\n"
      "reference = \"tenth\"\n"
      "[launch]\nblock = 64\ngrid = 2\n"
      "[arrays.in]\nrole = \"input\"\nshape = \"N\"\n[arrays.out]\nrole = \"output\"\nshape = \"N\"\n",
      "scale.toml");
  ASSERT_TRUE(description) << to_string(description.errors());
  request.kernel.description = *description;
  request.size = {1, 100, 1};
  const Result<Report> report = make_report(request, compiler, {});
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->wrong, 0U);
  EXPECT_EQ(report->verified->elements, 100U);
  // Another type of the same name is refused by it.
  request.kernel.description.arguments[2].element = Element::F32;
  const Result<Report> refused = make_report(request, compiler, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.errors()).find("factor"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::run
