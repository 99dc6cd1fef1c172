// A kernel whose result is compared with what another kernel of its file computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/reference.h"
#include "run/run.h"
#include "run/run_cache.h"

namespace tilescope::run {
namespace {
using testing::AllOf;
using testing::HasSubstr;

const std::string kRowSums = R"(
__global__ void simple(const float* in, float* out, int M, int N) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += in[row * N + i];
  out[row] = sum;
}
__device__ float of_warp(float sum) {
  for (int lanes = 16; lanes > LEFT_OUT; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
  return sum;
}
__global__ void by_warps(const float* in, float* out, int M, int N) {
  const int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < N; i += 32) sum += in[row * N + i];
  sum = of_warp(sum);
  if (threadIdx.x == 0) out[row] = sum;
}
__global__ void copy(const float* in, float* out, int M, int N) {
  if (threadIdx.x < M) out[threadIdx.x] = in[threadIdx.x * N];
}
__global__ void copy_by_rows(const float* in, float* out, int M, int N) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x * N + SECOND];
}
__global__ void endless(const float* in, float* out, int M, int N) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    for (volatile int i = 0; i < 1 << 30;) i = i;
  out[blockIdx.x] = 0;
}
__global__ void beyond(const float* in, float* out, int M, int N) { out[threadIdx.x + M] = 0; }
template <int LANES>
__global__ void part(const float* in, float* out, int M, int N) {
  static_assert(LANES > 1, "too few lanes");
  out[blockIdx.x] = in[threadIdx.x];
}
void launch(const float* in, float* out, int M, int N) { simple<<<(M + 63) / 64, 64>>>(in, out, M, N); }
)";

Result<kernel::Description> description_of(const std::string& entry, const std::string& reference) {
  const bool is_table = reference.starts_with("[");
  return kernel::parse_description("title = \"rows\"\nentry = \"" + entry +
                                       "\"\narguments = [\"in\", \"out\", \"M\", \"N\"]\n" +
                                       (is_table ? "" : "reference = \"" + reference + "\"\n") +
                                       "[launch]\nblock = 32\ngrid = \"M\"\n"
                                       "[arrays.in]\nrole = \"input\"\nshape = [\"M\", \"N\"]\n"
                                       "[arrays.out]\nrole = \"output\"\nshape = \"M\"\n" +
                                       (is_table ? reference : ""),
                                   "rows.toml");
}

/// `macros`: definitions that the source begins with.
Result<Request> request_of(const std::string& entry, const std::string& reference,
                           const std::string& macros = "#define LEFT_OUT 0\n#define SECOND 0\n") {
  Request request;
  request.kernel.name = "rows";
  request.kernel.file = "rows.cu";
  request.kernel.source = macros + kRowSums;
  const auto description = description_of(entry, reference);
  if (!description) return description.errors();
  request.kernel.description = *description;
  request.size = {100, 70, 1};
  return request;
}

Result<Report> compared(const std::string& entry, const std::string& reference,
                        const std::string& macros = "#define LEFT_OUT 0\n#define SECOND 0\n") {
  const Result<Request> request = request_of(entry, reference, macros);
  if (!request) return request.errors();
  compile::Compiler compiler;
  return make_report(*request, compiler, {});
}

class WithReference : public testing::Test {
 protected:
  void SetUp() override {
    compile::Compiler compiler;
    if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  }
};

TEST_F(WithReference, SumsInAnotherOrderAreRightWithinRounding) {
  const auto report = compared("by_warps", "simple");
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->reference, "simple");
  EXPECT_EQ(report->verified->arrays, "out");
  EXPECT_EQ(report->verified->elements, 100U);
  EXPECT_EQ(report->verified->wrong, 0U);
  EXPECT_GT(report->verified->max_error, 0);
  EXPECT_LT(report->verified->bound, 1e-4);
}

TEST_F(WithReference, ASumThatLeavesLanesOutIsWrong) {
  const auto report = compared("by_warps", "simple", "#define LEFT_OUT 1\n#define SECOND 0\n");
  ASSERT_TRUE(report) << to_string(report.errors());
  ASSERT_TRUE(report->verified);
  EXPECT_EQ(report->verified->wrong, 100U);
}

TEST_F(WithReference, WhatNeedsNoArithmeticMustBeEqualToTheBit) {
  const std::string launched = "[reference]\nentry = \"copy\"\nblock = 128\ngrid = 1\n";
  const auto right = compared("copy_by_rows", launched);
  ASSERT_TRUE(right) << to_string(right.errors());
  ASSERT_TRUE(right->verified);
  EXPECT_EQ(right->verified->wrong, 0U);
  EXPECT_EQ(right->verified->bound, 0);
  const auto wrong = compared("copy_by_rows", launched, "#define LEFT_OUT 0\n#define SECOND 1\n");
  ASSERT_TRUE(wrong) << to_string(wrong.errors());
  EXPECT_EQ(wrong->verified->wrong, 100U);
}

TEST_F(WithReference, OneThatIsNotFitForItIsSaid) {
  const auto problem = [](const std::string& reference) {
    const auto report = compared("by_warps", reference);
    return report ? "" : to_string(report.errors());
  };
  EXPECT_THAT(problem("simpel"),
              HasSubstr("The reference simpel is not a __global__ function of rows.cu; it has simple"));
  EXPECT_THAT(problem("by_warps"), HasSubstr("is the kernel itself"));
  EXPECT_THAT(problem("[reference]\nentry = \"simple\"\nblock = 32\n"), HasSubstr("has block and grid, or neither"));
  EXPECT_THAT(problem("[reference]\nblock = 32\ngrid = 1\n"), HasSubstr("entry"));
  EXPECT_THAT(problem("[reference]\nentry = \"simple\"\narguments = 3\n"), HasSubstr("in order"));
}

TEST_F(WithReference, OneOfNoUseLeavesTheOtherVerdicts) {
  const auto report = [](const std::string& entry, const std::string& reference) {
    compile::Compiler compiler;
    Control control;
    control.block_seconds = 0.5;
    const Result<Report> made = make_check_report(*request_of(entry, reference), compiler, control);
    EXPECT_TRUE(made) << to_string(made.errors());
    EXPECT_FALSE(made->verified);
    EXPECT_EQ(made->not_verified, Unverified::NoReference);
    EXPECT_TRUE(made->has_finding());
    return *made;
  };
  EXPECT_EQ(
      report("by_warps", "[reference]\nentry = \"simple\"\nblock = 32\ngrid = 1\n").reference_problem.text(),
      "the reference simple leaves out[32] unwritten; give it the block and grid that it needs: [reference] entry, "
      "block, grid");
  EXPECT_THAT(report("by_warps", "beyond").reference_problem.text(),
              HasSubstr("the reference beyond has a finding of its own (out-of-bounds"));
  EXPECT_THAT(report("by_warps", "[reference]\nentry = \"part<1>\"\nblock = 32\ngrid = 1\n").reference_problem.text(),
              AllOf(HasSubstr("the reference part<1> cannot be run: "), HasSubstr("too few lanes")));
  const Report slow = report("by_warps", "endless");
  EXPECT_EQ(slow.reference_problem.text(),
            "the comparison is unfinished, since the reference endless took more than 0.5 s; choose a smaller size");
  EXPECT_TRUE(slow.findings.empty());
  EXPECT_FALSE(report("beyond", "endless").findings.empty());
}

TEST_F(WithReference, AnotherReferenceIsCompiledWhileABuildIsHeld) {
  compile::Compiler compiler;
  RunCache cache(compiler);
  const std::string launched = "\nblock = 128\ngrid = 1\n";
  const auto sums = cache.prepare(*request_of("by_warps", "simple"));
  ASSERT_TRUE(sums) << to_string(sums.errors());
  const auto firsts = cache.prepare(*request_of("by_warps", "[reference]\nentry = \"copy\"" + launched));
  ASSERT_TRUE(firsts) << to_string(firsts.errors());
  EXPECT_EQ((*cache.count_grid(*sums))->report.verified->wrong, 0U);
  EXPECT_EQ((*cache.count_grid(*firsts))->report.verified->wrong, 100U);
  const auto none = cache.prepare(*request_of("by_warps", "[reference]\nentry = \"simpel\"" + launched));
  EXPECT_FALSE(none);
}

TEST(PossibleReferences, TakeTheSameArguments) {
  const source::Program program = source::read_program(
      "__global__ void a(float* x, int n) {}\n__global__ void b(float* y, int m) {}\n"
      "__global__ void c(float* x, float n) {}\ntemplate <int K> __global__ void d(float* x, int n) {}\n",
      {});
  EXPECT_EQ(kernel::possible_references(program, program.kernels.front()), (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace tilescope::run
