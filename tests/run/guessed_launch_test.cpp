// Block and grid that nobody has given: the kernel may be written for another block, so its result is not called wrong.

#include <gtest/gtest.h>

#include "base/file.h"
#include "kernel/open_file.h"
#include "kernel/propose.h"
#include "run/run.h"
#include "run/unproved.h"

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

TEST(Report, WhatTheTimeLimitStoppedIsNoFindingAndNotClean) {
  Report report;
  report.stopped = Stop{.outcome = emulator::Outcome::Cancelled, .block = {}, .file = {}, .seconds = 20};
  EXPECT_FALSE(report.has_finding());
  EXPECT_FALSE(report.is_clean());
  report.stopped->outcome = emulator::Outcome::StepBudget;
  EXPECT_TRUE(report.has_finding());
}

analysis::Finding finding_of(analysis::FindingKind kind, Space space) {
  analysis::Finding finding;
  finding.kind = kind;
  finding.space = space;
  return finding;
}

TEST(Report, AVariableThatIsUnsetOnlyBesideWholeTilesAccusesNobody) {
  const analysis::Finding unset = finding_of(analysis::FindingKind::UninitialisedRegister, Space::None);
  Report report, whole;
  report.findings.add(unset);
  whole.findings.add(unset);
  keep_what_whole_tiles_show(report, whole);
  EXPECT_EQ(report.findings.size(), 1U);
  keep_what_whole_tiles_show(report, Report());
  EXPECT_EQ(report.findings.size(), 0U);
  EXPECT_EQ(report.unproved.size(), 1U);
}

/// What `check` asks for of a source that nothing describes.
Result<Request> request_as_it_stands(const std::string& source) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "as_it_stands.cu";
  if (const auto written = write_file(file, source); !written) return written.errors();
  Result<kernel::Opened> opened = kernel::open_file(file);
  if (!opened) return opened.errors();
  Request request;
  request.kernel = std::move(opened->kernel);
  request.size = smallest_size(request.kernel, {}, *arch::find_limits("sm_90"));
  return request;
}

Result<Report> check_as_it_stands(const std::string& source) {
  const Result<Request> request = request_as_it_stands(source);
  if (!request) return request.errors();
  compile::Compiler compiler;
  return make_check_report(*request, compiler);
}

TEST(GuessedLaunch, AGridOfThreeDimensionsIsCheckedAtASmallSize) {
  const Result<Request> request = request_as_it_stands(
      "__global__ void k(const float* in, float* out, int n) {\n  int x = threadIdx.x, y = blockIdx.y, z = "
      "blockIdx.z;\n"
      "  if (x < n && y < n && z < n) out[(z * n + y) * n + x] = in[(z * n + y) * n + x];\n}\n");
  ASSERT_TRUE(request) << to_string(request.errors());
  EXPECT_EQ(request->size.n, 66);
}

class AsItStands : public testing::Test {
 protected:
  void SetUp() override {
    compile::Compiler compiler;
    if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  }
  static void expect(const std::string& source, size_t findings, size_t unproved) {
    const Result<Report> report = check_as_it_stands(source);
    ASSERT_TRUE(report) << to_string(report.errors());
    EXPECT_EQ(report->findings.size(), findings) << source;
    EXPECT_EQ(report->unproved.size(), unproved) << source;
    EXPECT_EQ(report->has_finding(), findings > 0) << source;
  }
};

TEST_F(AsItStands, TheGuessIsInWhatRestsOnItUntilTheUserSaysTheSize) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "past_a_guess.cu";
  ASSERT_TRUE(write_file(file,
                         "__global__ void k(const float* x, float* y, int n) {\n"
                         "  int i = threadIdx.x, j = i;\n  while (j < 2 * i) ++j;\n  if (i < n) y[i] = x[j];\n}\n"));
  const Result<kernel::Opened> opened = kernel::open_file(file);
  ASSERT_TRUE(opened) << to_string(opened.errors());
  compile::Compiler compiler;
  const auto check = [&](const kernel::LaunchForm& form) {
    Request request;
    request.kernel = opened->kernel;
    if (form != *opened->form) request.kernel.description = *kernel::description_of(form, "k.toml");
    request.size = {1, 256, 1};
    return *make_check_report(request, compiler);
  };
  kernel::LaunchForm form = *opened->form;
  ASSERT_EQ(form.arguments[0].shape, "N");
  for (const char* block : {"256", "256, 1"}) {
    form.block = block;
    const Report report = check(form);
    EXPECT_EQ(report.findings.size(), 0U) << block;
    ASSERT_EQ(report.unproved.size(), 1U) << block;
    EXPECT_EQ(report.unproved.front().stray->guess, "N") << block;
  }
  form.arguments[0].guessed = false;
  const Report said = check(form);
  ASSERT_EQ(said.findings.size(), 1U);
  EXPECT_EQ(said.findings.front().stray->guess, "");
  EXPECT_EQ(said.unproved.size(), 0U);
}

const std::string kNotClosed = "__global__ void k(float* x, int n) {\n  if (n > 0) {\n    x[0] = n;\n}\n";

TEST(GuessedLaunch, WithoutACompilerABracketThatNothingClosesIsSaid) {
  const Result<Request> request = request_as_it_stands(kNotClosed);
  ASSERT_TRUE(request) << to_string(request.errors());
  compile::Settings settings;
  settings.choice = compile::Choice::Nvrtc;
  settings.library = "/no/nvrtc";
  compile::Compiler compiler(settings);
  const Result<Report> report = make_check_report(*request, compiler);
  ASSERT_FALSE(report);
  EXPECT_NE(to_string(report.errors()).find("as_it_stands.cu:1:36: note: Nothing closes this {, or one after it."),
            std::string::npos)
      << to_string(report.errors());
}

TEST_F(AsItStands, OfAKernelThatIsNotClosedTheCompilerSaysWhatIsWrong) {
  const Result<Report> report = check_as_it_stands(kNotClosed);
  ASSERT_FALSE(report);
  const std::string text = to_string(report.errors());
  EXPECT_EQ(text.find("no __global__"), std::string::npos) << text;
  EXPECT_NE(text.find("error: expected "), std::string::npos) << text;
  EXPECT_GT(report.errors().front().at.line, 0) << text;
  EXPECT_EQ(text.find("Nothing closes"), std::string::npos) << "the compiler itself says which\n" << text;
}

TEST_F(AsItStands, AMatrixTimesAVectorIsNoWrongProduct) {
  const Result<Report> report = check_as_it_stands(
      "__global__ void gemv(const float* A, const float* x, float* y, int m, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < m) {\n    float s = 0, *to = y + i;\n    const float* from = x;\n"
      "    for (int j = 0; j < n; ++j) s += A[i * n + j] * from[j];\n    *to = s;\n  }\n}\n"
      "void run(int m, int n) { gemv<<<(m + 255) / 256, 256>>>(0, 0, 0, m, n); }\n");
  ASSERT_TRUE(report) << to_string(report.errors());
  EXPECT_EQ(report->not_verified, Unverified::ProductAssumed);
  EXPECT_FALSE(report->has_finding());
}

TEST_F(AsItStands, AnAssumedSizeAndARandomIndexAccuseNobody) {
  const std::string launch = "void run(int n) { k<<<n / 256 + 1, 256>>>(0, 0, n); }\n";
  const std::string begin =
      "__global__ void k(const int* x, int* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < "
      "n) ";
  expect(begin + "y[3 * i] = x[i];\n}\n" + launch, 0, 0);
  expect(begin + "{ int* from = y; from[3 * i] = x[i]; }\n}\n" + launch, 0, 1);
  expect(begin + "y[x[i] & 15] = i;\n}\n" + launch, 0, 1);
  expect(begin + "if (x[i] % 7 != 0) __trap();\n}\n" + launch, 0, 1);
  // Two threads may have the same value, whatever the values are.
  expect(begin + "y[x[i] & 15] += 1;\n}\n" + launch, 1, 1);
}

TEST_F(AsItStands, WhatRestsOnNoGuessIsFound) {
  const std::string launch = "void run(int n) { k<<<1, 64>>>(0, n); }\n";
  expect(
      "__global__ void k(float* a, int n) {\n  __shared__ float s[64];\n  s[threadIdx.x] = a[threadIdx.x];\n"
      "  a[threadIdx.x] = s[63 - threadIdx.x];\n}\n" +
          launch,
      2, 0);
  expect(
      "__global__ void k(float* a, int n) {\n  __shared__ float s[64];\n  s[0] = 1;\n  __syncthreads();\n"
      "  a[threadIdx.x] = s[threadIdx.x];\n}\n" +
          launch,
      1, 0);
}

TEST_F(AsItStands, ASharedArrayAndABlockOfAssumedSizeAccuseNobody) {
  const std::string reverse =
      "__global__ void k(int* d, int n) {\n  __shared__ int s[64];\n  s[threadIdx.x] = d[threadIdx.x];\n"
      "  __syncthreads();\n  d[threadIdx.x] = s[n - threadIdx.x - 1];\n}\n";
  expect(reverse + "void run(int n) { k<<<1, n>>>(0, n); }\n", 0, 2);
  expect(reverse + "void run(int n) { k<<<1, 128>>>(0, n); }\n", 1, 1);
}

TEST_F(AsItStands, TheLeadersValueIsWhatAllLanesGet) {
  expect(
      "__global__ void k(int* a, int* b) {\n  int first;\n  if (threadIdx.x % 32 == 0) first = atomicAdd(a, 32);\n"
      "  first = __shfl_sync(0xffffffff, first, 0);\n  b[threadIdx.x] = first;\n}\n"
      "void run() { k<<<1, 64>>>(0, 0); }\n",
      0, 0);
}

TEST_F(AsItStands, WhatNvccTakesOpens) {
  for (const char* includes :
       {"#include <cuda.h>\n#include <bits/stdc++.h>\n#include <strings.h>\nusing namespace std;\n",
        "#include <helper_cuda.h>\n#include <helper_functions.h>\n#include <cudaTypedefs.h>\n",
        "#include <cublas_v2.h>\ntypedef __nv_bfloat16 half_of_it;\n__device__ half_of_it kept;\n", "\xef\xbb\xbf"})
    expect(std::string(includes) +
               "__global__ void k(float* K, int n) {\n  if (threadIdx.x < n) K[threadIdx.x] = M_PI + INT_MAX;\n}\n"
               "void run(int n) { k<<<1, 64>>>(0, n); }\n",
           0, 0);
  expect(
      "#include <helper_math.h>\n__global__ void k(float* a, float3* b, int n) {\n"
      "  float3 v = make_float3(a[threadIdx.x]);\n  v = 2.0f * cross(v, -v + 1.0f) / 3.0f;\n  v *= dot(v, v);\n"
      "  b[threadIdx.x] = clamp(normalize(v), 0.0f, 1.0f) + lerp(v, make_float3(make_int3(1, 2, 3)), 0.5f);\n}\n"
      "void run(int n) { k<<<1, 64>>>(0, 0, n); }\n",
      0, 0);
  // What <iostream> brings beside what its name says.
  expect(
      "#include <iostream>\n__global__ void k(uint32_t* a, int n) {\n"
      "  if (threadIdx.x < n) a[threadIdx.x] = INT_MAX + uint32_t(FLT_EPSILON);\n}\n"
      "void run(int n) { k<<<1, 64>>>(0, n); }\n",
      0, 0);
  expect("__global__ void hello() { printf(\"%d\\n\", threadIdx.x); }\nint main() { hello<<<1, 2>>>(); }\n", 0, 0);
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
