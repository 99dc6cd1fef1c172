#include "kernel/propose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "kernel/configuration.h"
#include "kernel/open_file.h"
#include "kernel/parameter_use.h"

namespace tilescope::kernel {
namespace {

using testing::HasSubstr;

/// The proposal for a source, which must be a description that can be configured.
Proposal proposal(const std::string& source, const std::string& entry = "") {
  Result<Proposal> made = propose(source::read_program(source, {}), "test", entry);
  if (!made) {
    ADD_FAILURE() << to_string(made.errors());
    return {};
  }
  const Result<Description> description = parse_description(to_toml(made->form), "test.toml");
  EXPECT_TRUE(description) << to_string(description.errors()) << to_toml(made->form);
  if (description) {
    const auto configuration = configure(*description, {}, default_size(*description));
    EXPECT_TRUE(configuration) << to_string(configuration.errors()) << to_toml(made->form);
  }
  return std::move(*made);
}

const std::string kProduct =
    "__global__ void gemm(int m, int n, int k, float alpha, const float* a, const float* b, float beta, float* c) {\n"
    "  for (int i = 0; i < k; ++i) c[threadIdx.y * n + threadIdx.x] += a[i] * b[i];\n}\n";

TEST(Propose, AProductsArgumentsByTheirNames) {
  const Proposal made = proposal(kProduct);
  EXPECT_THAT(to_toml(made.form),
              HasSubstr("arguments = [\"M\", \"N\", \"K\", \"alpha\", \"A\", \"B\", \"beta\", \"C\"]"));
  EXPECT_THAT(to_toml(made.form), HasSubstr("block = [\"16\", \"16\"]"));
}

TEST(Propose, BlockAndGridOfTheLaunch) {
  const Proposal made = proposal(kProduct +
                                 "void run(float* x, int rows, int cols, int inner) {\n"
                                 "  dim3 threads(32, 8), blocks((cols + 31) / 32, rows / threads.y);\n"
                                 "  gemm<<<blocks, threads>>>(rows, cols, inner, 1, x, x, 0, x);\n}\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("block = [\"32\", \"8\"]\ngrid = [\"ceil_div(N, 32)\", \"M / 8\"]"));
}

TEST(Propose, AnArrayThatIsCalledAsASize) {
  const Proposal made =
      proposal("__global__ void attention(const float* Q, const float* K, float* O, int n) { O[n] = Q[n] * K[n]; }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("arguments = [\"Q\", \"d_K\", \"O\", \"N\"]"));
}

TEST(Propose, AKernelWithoutArguments) {
  EXPECT_THAT(to_toml(proposal("__global__ void hello() { printf(\"hi\"); }\n").form), HasSubstr("arguments = []"));
}

TEST(Propose, TypesByTheirTypedefs) {
  const Proposal made =
      proposal("typedef double real;\nusing number = real;\n__global__ void k(number* x, int n) { x[n] = 1; }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("element = \"f64\""));
}

TEST(Propose, WhatIsKnownWhenTheProgramRunsIsGuessed) {
  const Proposal made = proposal(
      "__global__ void k(float* x, int n) { x[n] = 1; }\n"
      "int main() { int least = 0, block = 0; cudaOccupancyMaxPotentialBlockSize(&least, &block, k); int grid = 0;\n"
      "  k<<<least, block>>>(0, 3); }\n");
  EXPECT_TRUE(made.form.guessed);
  EXPECT_EQ(made.form.block, "256");
}

TEST(Propose, AKernelWithoutTexturesRather) {
  const std::string source =
      "__global__ void filtered(float* x, cudaTextureObject_t t) { x[0] = tex2D<float>(t, 0, 0); }\n"
      "__global__ void plain(float* x) { x[threadIdx.x] = 1; }\n"
      "int main() { filtered<<<1, 32>>>(0, 0); plain<<<2, 64>>>(0); }\n";
  EXPECT_EQ(proposal(source).form.entry, "plain");
  EXPECT_EQ(proposal(source).form.block, "64");
  EXPECT_EQ(proposal(source, "filtered").form.entry, "filtered");
}

std::string refusal(const std::string& source, const std::string& entry = "") {
  const Result<Proposal> made = propose(source::read_program(source, {}), "test", entry);
  return made ? std::string() : to_string(made.errors());
}

TEST(Propose, StructuresAndFunctionsByValueAreRefusedByTheirNames) {
  EXPECT_THAT(refusal("struct Matrix { int rows; float* at; };\n__global__ void k(Matrix m, int n) { m.at[n] = 1; }\n"),
              HasSubstr("k takes a structure by value, Matrix m"));
  EXPECT_THAT(refusal("__global__ void k(float3 origin, float* x) { x[0] = origin.x; }\n"),
              HasSubstr("k takes a structure by value, float3 origin"));
}

TEST(Propose, AVectorOfTheSizeOfAnIntegerIsPassedAsOne) {
  const Proposal made = proposal("__global__ void k(uchar4* x, uchar4 color, int2 at) { x[at.x] = color; }\n", "k");
  ASSERT_EQ(made.form.arguments.size(), 3U);
  EXPECT_EQ(made.form.arguments[1].element, "u32");
  EXPECT_EQ(made.form.arguments[1].value, "0");
  EXPECT_EQ(made.form.arguments[2].element, "u64");
}

TEST(Propose, ATemplatesArgumentThatNobodyKnowsIsAGuessAsItsLaunchIs) {
  const std::string source =
      "template <int THREADS> __global__ void k(float* x, int n) { x[n] = THREADS; }\n"
      "template <class P> void run(int n) { k<P::kThreads><<<1, 64>>>(0, n); }\n";
  const Proposal made = proposal(source, "");
  EXPECT_EQ(made.form.entry, "k<128>");
  EXPECT_TRUE(made.form.guessed);
  EXPECT_THAT(refusal(source, "k<what>"), HasSubstr("no launch says what its THREADS is"));
}

TEST(Propose, ATemplateByItsLaunchItsDefaultsOrTheEntry) {
  const std::string tile =
      "template <typename T, int BM, int BN = 2 * BM>\n__global__ void tile(T* out, int n) { out[n] = BM; }\n";
  const Proposal launched =
      proposal(tile + "void run() { const int B = 16; tile<double, B><<<1, B>>>(nullptr, 3); }\n");
  EXPECT_THAT(to_toml(launched.form), HasSubstr("entry = \"tile<double, 16, 32>\""));
  const std::string flagged =
      "template <int BM, bool twice>\n__global__ void tile(float* out, int n) { out[n] = BM; }\n";
  EXPECT_THAT(
      to_toml(proposal(flagged + "void run() { const bool no = false; tile<4, no><<<1, 4>>>(nullptr, 3); }\n").form),
      HasSubstr("entry = \"tile<4, false>\""));
  const Proposal given = proposal(tile, "tile<half, 8>");
  EXPECT_THAT(to_toml(given.form), HasSubstr("entry = \"tile<half, 8, 16>\""));
  EXPECT_THAT(to_toml(given.form), HasSubstr("element = \"f16\""));
  const Proposal assumed = proposal(tile, "tile");
  EXPECT_THAT(to_toml(assumed.form), HasSubstr("entry = \"tile<float, 4, 8>\""));
  EXPECT_EQ(assumed.assumed.front().text(), "T is float");
}

TEST(Propose, ArgumentsThatTheKernelDoesNotTakeAreRefused) {
  EXPECT_THAT(refusal("__global__ void f(float* x) { x[0] = 1; }\n", "f<int>"),
              HasSubstr("f is not a template; leave out its arguments: --entry f."));
  EXPECT_THAT(refusal("template <int B> __global__ void tile(float* x) { x[0] = B; }\n", "tile<1, 2>"),
              HasSubstr("tile<1, 2> has more arguments than the template tile, which takes 1."));
}

TEST(Propose, ATemplateByWhatItsLauncherIsInstantiatedWith) {
  const std::string source =
      "template <typename T, int B>\n__global__ void tile(T* out, int n) { out[n] = B; }\n"
      "template <typename T> void run(T* out, int n) { tile<T, 4><<<1, 4>>>(out, n); }\n";
  EXPECT_THAT(to_toml(proposal(source).form), HasSubstr("entry = \"tile<float, 4>\""));
  const Proposal made = proposal(source + "template void run<__half>(__half* out, int n);\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("entry = \"tile<__half, 4>\""));
}

TEST(Propose, ATemplateByWhatItsLauncherIsCalledWith) {
  const std::string source =
      "enum Way { kFast, kSlow };\n"
      "template <int B, Way WAY>\n__global__ void tile(float* out, int n) { out[n] = B + WAY; }\n"
      "template <int B, Way HOW> void run(float* out, int n) { tile<B, HOW><<<1, B>>>(out, n); }\n";
  const Proposal made = proposal(source + "int main() { run<64, kSlow>(0, 9); run<32, kFast>(0, 9); }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("entry = \"tile<64, kSlow>\""));
  EXPECT_THAT(refusal(source, "tile"), HasSubstr("no launch says what its WAY is"));
}

TEST(Propose, ASizeThatTheGridOfTheLaunchLeavesNoRestOf) {
  const auto size = [](const std::string& grid) {
    return proposal(kProduct + "void run(float* x, int rows, int cols, int inner) {\n  gemm<<<" + grid +
                    ", 256>>>(rows, cols, inner, 1, x, x, 0, x);\n}\n")
        .form.size;
  };
  EXPECT_EQ(size("dim3(cols / 64, rows / 96)"), (std::array<int64_t, 3>{288, 256, 256}));
  EXPECT_EQ(size("dim3(cols / 64, rows / 32)"), std::nullopt);
  EXPECT_EQ(size("dim3((cols + 95) / 96, rows / 32)"), std::nullopt);
}

TEST(Propose, TheSizeThatTheProgramLaunchesWith) {
  const auto size = [](const std::string& n) {
    return proposal(
               "__global__ void add(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }\n"
               "int main() {\n  const int n = " +
               n + ";\n  float* x;\n  add<<<(n + 255) / 256, 256>>>(x, n);\n}\n")
        .form.size;
  };
  EXPECT_EQ(size("1000"), (std::array<int64_t, 3>{1, 1000, 1}));
  EXPECT_EQ(size("1 << 28"), (std::array<int64_t, 3>{1, 4096, 1})) << "it would not run at once";
  EXPECT_EQ(size("atoi(arguments[1])"), (std::array<int64_t, 3>{1, 4096, 1}));
}

TEST(Propose, OneSizeAndALoopOverItIsASquareProduct) {
  const Proposal made = proposal(
      "__global__ void mm(float* A, float* B, float* C, int width) {\n  float s = 0;\n"
      "  for (int k = 0; k < width; k++) s += A[threadIdx.y * width + k] * B[k * width];\n  C[threadIdx.y * width] = "
      "s;\n}\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("M == N && N == K"));
}

TEST(Propose, ASumStartsAtZero) {
  const Proposal made =
      proposal("__global__ void sum(const float* in, float* total, unsigned int n) { atomicAdd(total, in[n]); }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("[arrays.total]\nrole = \"inout\"\nshape = [\"1\"]\ninitial = 0\n"));
  EXPECT_THAT(to_toml(made.form), HasSubstr("{ name = \"n\", type = \"u32\", value = \"N\" }"));
}

TEST(Propose, ColumnMajorProductsChangeMAndN) {
  const Proposal made = proposal(
      "__global__ void g(int M, int N, int K, float* A, float* B, float* C) {\n  int lda = M;\n"
      "  for (int k = 0; k < K; ++k) C[0] = A[k * lda] * B[k];\n}\n"
      "void run(int M, int N, int K, float* x) { g<<<dim3(M / 32, N / 32), 256>>>(M, N, K, x, x, x); }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("arguments = [\"N\", \"M\", \"K\", \"B\", \"A\", \"C\"]"));
  EXPECT_THAT(to_toml(made.form), HasSubstr("grid = [\"N / 32\", \"M / 32\"]"));
}

TEST(Propose, COfAProductIsTheArrayThatIsCalledSo) {
  const Proposal made = proposal(
      "__global__ void g(int M, int N, int K, float* A, float* B, float* C) {\n"
      "  for (int k = 0; k < K; ++k) {\n    LOAD(B[k]) sum = A[k];\n    STORE(C[k], sum);\n  }\n}\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("arguments = [\"M\", \"N\", \"K\", \"A\", \"B\", \"C\"]"));
}

/// What is assumed of a kernel whose body this is, of `#define` and constant sizes.
std::string assumed(const std::string& constants, const std::string& parameters, const std::string& body) {
  std::string text;
  const Proposal made = proposal(constants + "__global__ void k(" + parameters + ") {\n" + body + "\n}\n");
  for (const Message& message : made.assumed) text += message.english() + "\n";
  return text;
}

TEST(Propose, SizesThatAreConstantsOfTheFile) {
  const std::string i = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n",
                    xy = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n";
  EXPECT_EQ(assumed("#define N 1024\n", "const float *A, const float *x, float *y",
                    i + "if (i < N) { float s = 0; for (int j = 0; j < N; j++) s += A[i * N + j] * x[j]; y[i] = s; }"),
            "A is 1024 x 1024 of f32 (input), x is 1024 of f32 (input) and y is 1024 of f32 (output)\n"
            "block 256, grid 4, guessed\n");
  EXPECT_EQ(
      assumed("#define W 640\n#define H 480\n", "const unsigned char *in, unsigned char *out",
              xy + "if (x > 0 && y > 0 && x < W - 1 && y < H - 1) { int s = 0;\n"
                   "for (int dy = -1; dy <= 1; dy++) s += in[(y + dy) * W + x - 1] + in[(y + dy) * W + x + 1];\n"
                   "out[y * W + x] = s / 6; }"),
      "in is 480 x 640 of u8 (input) and out is 480 x 640 of u8 (output)\nblock 16 x 16, grid 40 x 30, guessed\n");
  EXPECT_EQ(assumed("constexpr int N = 512;\n", "const float *in, float *out",
                    i + "if (i < 1 || i >= N - 1) return;\nout[i] = in[i - 1] + in[i + 1];"),
            "in is 512 of f32 (input) and out is 512 of f32 (output)\nblock 256, grid 2, guessed\n");
  EXPECT_EQ(assumed("#define N 4096\n", "const float4 *a, float4 *b", i + "if (i < N / 4) b[i] = a[i];"),
            "a is 4096 of f32 (input) and b is 4096 of f32 (output)\nblock 256, grid 4, guessed\n");
  EXPECT_EQ(
      assumed("#define M 128\n#define N 256\n#define K 64\n", "const float *A, const float *B, float *C",
              xy + "if (y < M && x < N) { float s = 0; for (int k = 0; k < K; k++) s += A[y * K + k] * B[k * N + x];\n"
                   "C[y * N + x] = s; }"),
      "A is 128 x 64 of f32 (input), B is 64 x 256 of f32 (input) and C is 128 x 256 of f32 (output)\n"
      "block 16 x 16, grid 16 x 8, guessed\n");
  EXPECT_EQ(assumed("#define N 32\n", "int *a, int *b",
                    "b[threadIdx.x * N + threadIdx.y] = a[threadIdx.y * N + threadIdx.x];"),
            "a is 32 x 32 of i32 (input) and b is 32 x 32 of i32 (output)\nblock 32 x 32, grid 1, guessed\n");
  EXPECT_EQ(
      assumed("#define W 256\n#define H 128\n", "float in[H][W], float out[W][H]",
              xy + "if (x < W && y < H) out[x][y] = in[y][x];"),
      "in is 128 x 256 of f32 (input) and out is 256 x 128 of f32 (output)\nblock 16 x 16, grid 16 x 8, guessed\n");
  EXPECT_EQ(assumed("#define N 1000\n#define BLOCK 256\n", "const int *in, int *out",
                    "__shared__ int s[BLOCK]; int t = threadIdx.x, i = blockIdx.x * BLOCK + t;\n"
                    "s[t] = i < N ? in[i] : 0; __syncthreads(); if (t == 0) out[blockIdx.x] = s[0];"),
            "in is 1000 of i32 (input) and out is 4 of i32 (output)\nblock 256, grid 4, guessed\n");
}

/// The first line of assumed().
std::string arrays(const std::string& parameters, const std::string& body, const std::string& before = "") {
  const std::string all = assumed(before, parameters, "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body);
  return all.substr(0, all.find('\n'));
}

TEST(Propose, AnArrayHoldsWhatItsGuardedIndicesReach) {
  const std::string parameters = "const float* v, float* out, int n";
  const auto of = [&](const std::string& body) { return arrays(parameters, body); };
  const std::string twice = "v is 2 * N of f32 (input) and out is N of f32 (output)",
                    four = "v is 4 * N of f32 (input) and out is N of f32 (output)";
  EXPECT_EQ(of("if (i < n) out[i] = v[i] + v[n + i];"), twice);
  EXPECT_EQ(of("if (i >= n) return;\nout[i] = v[2 * i] + v[2 * i + 1];"), twice);
  EXPECT_EQ(of("if (i < n) for (int k = 0; k < 4; ++k) out[i] += v[i + k * n];"),
            "v is 4 * N of f32 (input) and out is N of f32 (inout)");
  EXPECT_EQ(of("for (; i < n; i += 32) out[i] = v[4 * n - 1 - i];"), four);
  EXPECT_EQ(arrays("const float4* v, float* out, int n", "if (i < n) out[i] = v[i].x;"), four);
  EXPECT_EQ(arrays("const float* in, const float* w, float* out, int n, int k",
                   "if (i < n) out[i] = in[i + k - 1] * w[k - 1];"),
            "in is N + K - 1 of f32 (input), w is K of f32 (input) and out is N of f32 (output)");
  EXPECT_EQ(arrays("const float* A, const float* x, float* y, int rows, int cols",
                   "if (i < rows) for (int j = 0; j < cols; ++j) y[i] += A[i * cols + j] * x[j];"),
            "A is M x N of f32 (input), x is N of f32 (input) and y is M of f32 (inout)");
  EXPECT_EQ(of("if (i < n - 1) out[i] = v[i] + v[n + i];"), twice) << "of a last row of which some is left out, all";
  EXPECT_EQ(of("out[i] = v[i] + v[n + i];"), "v is N of f32 (input) and out is N of f32 (output)")
      << "a guessed launch is no reason to make an array larger";
}

TEST(Propose, AMarginIsADefectRatherThanALargerArray) {
  EXPECT_EQ(arrays("const int* v, int* out, int n", "if (i <= n) out[i] = v[i];"),
            "v is N of i32 (input) and out is N of i32 (output)");
  const std::string xy = "int x = threadIdx.x, y = threadIdx.y;\n";
  EXPECT_EQ(arrays("const float* in, float* out, int w, int h",
                   xy + "if (x < w && y < h) out[y * w + x] = in[(y + 1) * w + x];"),
            "in is M x N of f32 (input) and out is M x N of f32 (output)");
  const auto with_launch = [](const std::string& type) {
    return proposal("__global__ void k(const " + type + "* v, int* out, int n) {\n" +
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = v[i + 1] - v[i];\n}\n" +
                    "void run(" + type + "* v, int* out, int n) { k<<<(n + 255) / 256, 256>>>(v, out, n); }\n")
        .form.arguments.at(0)
        .shape;
  };
  EXPECT_EQ(with_launch("float"), "N");
  EXPECT_EQ(with_launch("int"), "N + 1") << "offsets of rows have one more";
}

TEST(Propose, AHistogramHasTheBinsOfTheCode) {
  const auto bins = [](const std::string& type, const std::string& body, const std::string& before = "") {
    const std::string all = arrays("const " + type + "* x, int* bins, int n", body, before);
    return all.substr(all.find("bins is ") + 8, all.rfind(" of ") - all.find("bins is ") - 8);
  };
  EXPECT_EQ(bins("int", "if (i < n) atomicAdd(&bins[x[i] & 255], 1);"), "256");
  EXPECT_EQ(bins("unsigned", "if (i < n) atomicAdd(bins + x[i] % 100, 1);"), "100");
  EXPECT_EQ(bins("int", "if (i < n) { int b = x[i] / 10; if (b < 64) atomicAdd(&bins[b], 1); }"), "64");
  EXPECT_EQ(bins("unsigned char", "if (i < n) atomicAdd(&bins[x[i]], 1);"), "256");
  EXPECT_EQ(bins("unsigned char", "if (i < n) atomicAdd(&bins[x[i] >> 4], 1);"), "16");
  EXPECT_EQ(
      bins("int",
           "__shared__ int h[BINS];\nfor (int b = threadIdx.x; b < BINS; b += blockDim.x) h[b] = 0;\n"
           "if (i < n) atomicAdd(&h[x[i]], 1);\nif (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);",
           "#define BINS 48\n"),
      "48");
  EXPECT_EQ(bins("int", "if (i < n) atomicAdd(&bins[x[i]], 1);"), "N") << "the code does not say it";
}

TEST(Propose, GridsOfThreeDimensionsThatAreIndexedFlat) {
  const std::string z =
      "int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + "
      "threadIdx.z;\nif (i >= nx || y >= ny || z >= nz) return;\n";
  EXPECT_EQ(assumed("", "const float* in, float* out, int nx, int ny, int nz",
                    "int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + z +
                        "out[z * ny * nx + y * nx + i] = in[(z * ny + y) * nx + i];"),
            "in is K x M x N of f32 (input) and out is K x M x N of f32 (output)\n"
            "block 32 x 4 x 2, grid ceil_div(N, 32) x ceil_div(M, 4) x ceil_div(K, 2), guessed\n");
  EXPECT_EQ(assumed("", "const float* in, float* out, int nx, int ny, int nz",
                    "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < nx * ny * nz) out[i] = in[i];"),
            "in is K x M x N of f32 (input) and out is K x M x N of f32 (output)\n"
            "block 256, grid ceil_div(K * M * N, 256), guessed\n");
}

TEST(Propose, ConstantsWithTheLaunchOfTheFile) {
  const Proposal made = proposal(
      "#define N 1024\n__global__ void mv(const float *A, const float *x, float *y) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < N) { y[i] = 0; for (int j = 0; j < N; ++j) y[i] += A[i * N + j] * x[j]; }\n}\n"
      "void run(float *a) { mv<<<(N + 127) / 128, 128>>>(a, a, a); }\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("block = [\"128\"]\ngrid = [\"8\"]"));
  EXPECT_THAT(to_toml(made.form), HasSubstr("shape = [\"1024\", \"1024\"]"));
}

TEST(Propose, AMatrixTimesAVectorIsNoProductOfMatrices) {
  const Proposal made = proposal(
      "__global__ void gemv(float* a, float* x, float* y, int M, int K) {\n"
      "  for (int k = 0; k < K; ++k) y[threadIdx.x] += a[threadIdx.x * K + k] * x[k];\n}\n");
  EXPECT_THAT(to_toml(made.form), HasSubstr("[arrays.a]\nrole = \"input\"\nshape = [\"M\", \"K\"]"));
}

TEST(OpenFile, KnowsTheUsersFilesFromThoseThatShip) {
  const Result<Opened> shipped = open_file(TILESCOPE_SOURCE_DIR "/examples/../kernels/01_naive_rows.cu");
  ASSERT_TRUE(shipped) << to_string(shipped.errors());
  EXPECT_FALSE(shipped->kernel.is_users);
  const Result<Opened> own = open_file(TILESCOPE_SOURCE_DIR "/tests/homework/matmul.cu");
  ASSERT_TRUE(own) << to_string(own.errors());
  EXPECT_TRUE(own->kernel.is_users);
}

TEST(OpenFile, AFileWithoutIncludesIsOpenedAsAPartOfTheOneThatIncludesIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tilescope_fragment";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder / "part.cu", "__global__ void k(node* n) { n->key = kKey; }\n"));
  ASSERT_TRUE(write_file(folder / "helpers.cu", "void help() {}\n"));
  ASSERT_TRUE(
      write_file(folder / "whole.cu",
                 "struct node { int key; };\n__global__ void other() {}\n#define kKey 7\n#include \"./part.cu\"\n"
                 "#include \"helpers.cu\"\nint main() { k<<<3, 96>>>(0); }\n"));
  const Result<Opened> opened = open_file(folder / "part.cu");
  ASSERT_TRUE(opened) << to_string(opened.errors());
  EXPECT_EQ(opened->form->entry, "k");
  EXPECT_EQ(opened->form->block, "96");
  EXPECT_THAT(opened->kernel.headers.back().text, HasSubstr("#define kKey 7"));
  EXPECT_THAT(to_string(open_file(folder / "helpers.cu").errors()), HasSubstr("no __global__ function"));
}

/// The value proposed for the argument, and the shapes of the arrays: "k = 5; x N + 4; w 5".
std::string filter_text(const std::string& source, const std::string& parameter) {
  std::string text, arrays;
  for (const FormArgument& argument : proposal(source).form.arguments) {
    if (argument.parameter == parameter) text = parameter + " = " + argument.value;
    if (argument.is_array) arrays += "; " + argument.parameter + " " + argument.shape;
  }
  return text + arrays;
}

TEST(Propose, AFilterHasAFewElements) {
  const std::string thread = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const auto conv = [&](const std::string& size, const std::string& loop) {
    return "__global__ void conv(const float* x, const float* w, float* y, int n, int " + size + ") {\n" + thread +
           "  float sum = 0;\n  if (i < n) {\n" + loop + "    y[i] = sum;\n  }\n}\n";
  };
  const std::string simple = conv("k", "    for (int j = 0; j < k; ++j) sum += x[i + j] * w[j];\n");
  EXPECT_EQ(filter_text(simple, "k"), "k = 5; x N + 4; w 5; y N");
  EXPECT_EQ(filter_text(simple + "void run(int n) { conv<<<n / 256, 256>>>(0, 0, 0, n, 9); }\n", "k"),
            "k = 9; x N; w 9; y N")
      << "what the program launches it with";
  EXPECT_EQ(filter_text(conv("ks",
                             "    for (int j = 0; j < ks; j++) {\n      int at = i - ks / 2 + j;\n"
                             "      if (at >= 0 && at < n) sum += x[at] * w[j];\n    }\n"),
                        "ks"),
            "ks = 5; x N; w 5; y N");
  EXPECT_EQ(filter_text(conv("radius",
                             "    for (int j = -radius; j <= radius; ++j)\n"
                             "      if (int at = i + j; at >= 0 && at < n) sum += x[at] * w[radius + j];\n"),
                        "radius"),
            "radius = 2; x N; w 5; y N");
  EXPECT_EQ(filter_text(conv("width",
                             "    int half = width / 2;\n    for (int j = -half; j <= half; ++j)\n"
                             "      sum += x[max(0, min(i + j, n - 1))] * w[half + j];\n"),
                        "width"),
            "width = 5; x N; w 5; y N");
  EXPECT_EQ(filter_text(conv("window", "    for (int j = 0; j < window; ++j) sum += x[i + j] / window;\n"), "window"),
            "window = 5; x N + 4; w N; y N")
      << "a mean";
}

TEST(Propose, AFilterOfAnImageHasAFewRows) {
  const auto conv = [&](const std::string& size, const std::string& loops) {
    return "__global__ void conv(const float* in, const float* f, float* out, int height, int width, int " + size +
           ") {\n  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;\n"
           "  if (row >= height || col >= width) return;\n  float sum = 0;\n" +
           loops + "  out[row * width + col] = sum;\n}\n";
  };
  EXPECT_EQ(filter_text(conv("k",
                             "  for (int a = 0; a < k; ++a)\n    for (int b = 0; b < k; ++b) {\n"
                             "      int y = row + a - k / 2, x = col + b - k / 2;\n"
                             "      if (y >= 0 && y < height && x >= 0 && x < width)\n"
                             "        sum += in[y * width + x] * f[a * k + b];\n    }\n"),
                        "k"),
            "k = 5; in M, N; f 5, 5; out M, N");
  EXPECT_EQ(filter_text(conv("r",
                             "  for (int a = -r; a <= r; ++a)\n    for (int b = -r; b <= r; ++b) {\n"
                             "      const int y = min(max(row + a, 0), height - 1);\n"
                             "      const int x = min(max(col + b, 0), width - 1);\n"
                             "      sum += in[y * width + x] * f[(a + r) * (2 * r + 1) + b + r];\n    }\n"),
                        "r"),
            "r = 2; in M, N; f 25; out M, N");
}

TEST(Propose, ALoopOverARowIsNoFilter) {
  const std::string kernel =
      "__global__ void f(const float* A, const float* B, float* C, int m, int n, int k) {\n"
      "  int i = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  int j = blockIdx.x * blockDim.x + threadIdx.x, base = i * k;\n"
      "  float sum = 0;\n";
  for (const char* loop :
       {"  for (int l = 0; l < k; ++l) sum += A[i * k + l] * B[l * n + j];\n",
        "  for (int l = 0; l < k; ++l) sum += A[base + l] * B[l * n + j];\n",
        "  for (int l = 0; l < k; l += 16) sum += A[i * k + l + threadIdx.x] * B[(l + threadIdx.y) * n + j];\n"}) {
    const Proposal made = proposal(kernel + loop + "  C[i * n + j] = sum;\n}\n");
    EXPECT_EQ(made.form.arguments.back().value, "K") << loop;
    EXPECT_EQ(made.form.arguments.front().shape, "M, K") << loop;
  }
  const std::string pairs =
      "__global__ void turned(const float* x, const float* w, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float sum = 0;\n"
      "  for (int j = 0; j < n; ++j) sum += x[(i + j) % n] * w[j];\n  y[i] = sum;\n}\n";
  EXPECT_EQ(filter_text(pairs, "n"), "n = N; x N; w N; y N");
}

TEST(OpenFile, SaysWhereItHasNoKernelThatCanBeRead) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "unreadable.cu";
  const auto refusal = [&](const std::string& text) {
    EXPECT_TRUE(write_file(file, text));
    const Result<Opened> opened = open_file(file);
    return opened ? std::string() : to_string(opened.errors()).substr(file.string().size());
  };
  EXPECT_THAT(refusal("int a;\n  float table[32;\n__global__ void k(int n) { table[n] = 1; }\n"),
              HasSubstr(":2:14: error: Nothing closes this [, so that no __global__ function can be read.\n"));
  EXPECT_THAT(refusal("\n/* __global__ */ template <int N> __global__ void k(float* x);\n"),
              HasSubstr(":2:35: error: No function with parameters and a body follows this __global__.\n"));
  EXPECT_THAT(refusal("// Without a __global__ function.\nint main() {\n"),
              HasSubstr(": error: The source has no __global__ function; add one."));
  EXPECT_EQ(refusal("__global__ void k(float* x, int n) {\n  if (n > 0) {\n    x[0] = n;\n}\n"), "")
      << "the compiler says more";
}

TEST(PointerUse, SaysWhatTheBodyDoes) {
  const source::Program program = source::read_program(
      "__global__ void k(float* a, float* b, float* c, float* d) {\n  float4* v = reinterpret_cast<float4*>(b);\n"
      "  v[0] = make_float4(a[0], 0, 0, 0);\n  c[threadIdx.x] += d[a[1]];\n}\n",
      {});
  const source::Kernel& kernel = program.kernels.at(0);
  EXPECT_FALSE(use_of(kernel, "a").is_written);
  EXPECT_TRUE(use_of(kernel, "b").is_written);
  EXPECT_TRUE(use_of(kernel, "c").is_added_to);
  EXPECT_TRUE(use_of(kernel, "d").is_read);
  EXPECT_FALSE(use_of(kernel, "d").is_written);
  const source::Program vectors = source::read_program(
      "__global__ void k(float* a, float* b) {\n  reinterpret_cast<float4*>(b)[threadIdx.x] = ((float4*)a)[0];\n}\n",
      {});
  EXPECT_TRUE(use_of(vectors.kernels.at(0), "a").is_single);
  EXPECT_TRUE(use_of(vectors.kernels.at(0), "b").is_written);
  EXPECT_FALSE(use_of(vectors.kernels.at(0), "b").is_single);
}

}  // namespace
}  // namespace tilescope::kernel
