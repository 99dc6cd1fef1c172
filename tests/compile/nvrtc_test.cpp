// Against the real NVRTC; skipped where there is none.
#include <gtest/gtest.h>

#include "compile/compile.h"
#include "temporary_folder.h"

namespace tilescope::compile {
namespace {

using namespace std::chrono_literals;

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    settings_.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
    settings_.cache_folder = folder_.path();
    const auto toolchain = Compiler(settings_).toolchain();
    if (!toolchain) GTEST_SKIP() << to_string(toolchain.errors());
    toolchain_ = *toolchain;
  }

  Result<Output> compile(const std::string& source, std::vector<Macro> macros = {}) const {
    Request request{.source = source, .file_name = "k.cu", .macros = std::move(macros)};
    return Compiler(settings_).compile(request);
  }
  std::string failure(const std::string& source) const {
    const auto output = compile(source);
    return output ? "no error" : to_string(output.errors());
  }

  TemporaryFolder folder_;
  Settings settings_;
  Toolchain toolchain_;
};

TEST_F(Nvrtc, PtxCubinAndResourcesInOneGo) {
  const auto good = compile(
      "extern \"C\" __global__ void k(float* p) {\n"
      "  __shared__ float s[N];\n"
      "  s[threadIdx.x] = p[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  p[threadIdx.x] = s[N - 1 - threadIdx.x];\n"
      "}\n",
      {{"N", "(32 * 8)"}, {"UNUSED", "1"}});
  ASSERT_TRUE(good) << to_string(good.errors());
  EXPECT_NE(good->ptx.find(".target sm_90"), std::string::npos);
  EXPECT_NE(good->ptx.find(".loc\t1 4 "), std::string::npos) << "bar.sync is on line 4";
  EXPECT_EQ(good->ptx.find(".loc\t1 7 "), std::string::npos);
  EXPECT_EQ(std::string(good->cubin.begin() + 1, good->cubin.begin() + 4), "ELF");
  const Resources* resources = find_resources(*good, "k");
  ASSERT_NE(resources, nullptr);
  EXPECT_EQ(resources->static_shared_bytes, 1024u);
  EXPECT_EQ(resources->barriers, 1u);
  EXPECT_GT(resources->registers, 0u);
  EXPECT_EQ(good->version, toolchain_.version);
}

TEST_F(Nvrtc, ErrorOnItsLine) {
  EXPECT_EQ(failure("__global__ void k(float* p) {\n\tp[0] = nothing;\n}\n"),
            "k.cu:2:9: error: identifier \"nothing\" is undefined\n  \tp[0] = nothing;\n  \t       ^");
}

TEST_F(Nvrtc, AssemblerErrorOnItsLine) {
  EXPECT_EQ(failure("__global__ void k() {\n\n  asm volatile(\"nonsense;\");\n}\n"),
            "k.cu:3: error: the assembler ptxas says: Not a name of any known instruction: 'nonsense'");
}

TEST_F(Nvrtc, TooMuchSharedMemory) {
  EXPECT_EQ(
      failure("extern \"C\" __global__ void k(float* p) {\n  __shared__ float s[33554432];\n"
              "  s[threadIdx.x] = p[0];\n  __syncthreads();\n  p[1] = s[threadIdx.x ^ 5];\n}\n"),
      "k.cu: error: k declares 134217728 bytes of static shared memory; the limit is 49152. Make its __shared__ arrays "
      "smaller.");
}

TEST_F(Nvrtc, TooManyConstants) {
  EXPECT_EQ(failure("__constant__ float table[4][25000000]; __constant__ double one;\n"
                    "extern \"C\" __global__ void k(float* p) { p[0] = table[1][3] + one; }\n"),
            "k.cu: error: The __constant__ variables have 400000008 bytes; the limit is 65536. Make them smaller, or "
            "make them __device__ variables.");
}

TEST_F(Nvrtc, MacroBombEndsInOneSentence) {
  std::string source;
  for (char c = 'a'; c < 'j'; ++c) {
    source += std::string("#define ") + c;
    for (int i = 0; i < 16; ++i) source += std::string(" ") + static_cast<char>(c + 1);
    source += '\n';
  }
  settings_.memory_limit_bytes = uint64_t{256} << 20;
  EXPECT_EQ(
      failure(source + "__global__ void k(float* p) { a }\n"),
      "k.cu:10:31: error: the compiler ran out of memory (its limit is 256 MiB); make the kernel smaller: fewer "
      "unrolled iterations, shorter macros.\n  __global__ void k(float* p) { a }\n                                ^");
}

TEST_F(Nvrtc, GreatUnrollIsStopped) {
  settings_.wall_limit = 700ms;
  EXPECT_EQ(
      failure("__global__ void k(const float* a, float* p) {\n  float x = 0;\n"
              "#pragma unroll 4096\n  for (int i = 0; i < 4096; i++)\n"
              "#pragma unroll 64\n    for (int j = 0; j < 64; j++) x = x * a[i * 7 + j] + a[i ^ j];\n  p[0] = x;\n}\n"),
      "k.cu: error: the compiler was stopped after 0.7 s; make the kernel smaller: fewer unrolled iterations, shorter "
      "macros.");
}

TEST_F(Nvrtc, EndlessTemplateIsAnError) {
  EXPECT_EQ(failure("template <int N> struct R { static __device__ int f() { return R<N + 1>::f(); } };\n"
                    "__global__ void k(int* p) { p[0] = R<0>::f(); }\n"),
            "k.cu:1:64: error: excessive recursion at instantiation of function \"R<N>::f [with N=200]\"\n"
            "  template <int N> struct R { static __device__ int f() { return R<N + 1>::f(); } };\n"
            "                                                                 ^");
}

TEST_F(Nvrtc, CudaHeaders) {
  if (toolchain_.include_folder.empty()) GTEST_SKIP() << "CUDA's headers are not installed.";
  const auto output = compile(
      "#include <cuda_fp16.h>\n#include <stdio.h>\n#include <cstdint>\n"
      "__global__ void k(__half* p, uint32_t* q) { p[0] = __float2half(1.f); q[0] = 1; }\n");
  EXPECT_TRUE(output) << to_string(output.errors());
  const auto cub = compile(
      "#include <cub/cub.cuh>\n__global__ void k(float* p) { __shared__ cub::WarpReduce<float>::TempStorage t;\n"
      "p[0] = cub::WarpReduce<float>(t).Sum(p[threadIdx.x]); }\n");
  ASSERT_TRUE(cub) << to_string(cub.errors());
  EXPECT_EQ(to_string(cub->warnings), "");
}

TEST_F(Nvrtc, OwnHeaderIsNotFound) {
  const std::string found = failure("#include \"mine.h\"\n");
  EXPECT_NE(found.find("k.cu:1:18: error: cannot open source file \"mine.h\"; "), std::string::npos) << found;
}

TEST_F(Nvrtc, ByteOrderMarkIsNoError) {
  const auto output = compile("\xef\xbb\xbf__global__ void k() {}\n");
  EXPECT_TRUE(output) << to_string(output.errors());
}

TEST_F(Nvrtc, WarningsHavePlaces) {
  const auto output = compile("__global__ void k() {\n  int unused;\n}\n");
  ASSERT_TRUE(output);
  EXPECT_EQ(to_string(output->warnings),
            "k.cu:2:7: warning: variable \"unused\" was declared but never referenced\n    int unused;\n        ^");
}

}  // namespace
}  // namespace tilescope::compile
