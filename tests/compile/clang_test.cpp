#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "built_compiler.h"
#include "compile/clang.h"
#include "compile/compile.h"
#include "temporary_folder.h"

namespace tilescope::compile {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

Request clang_request(std::string source) { return {.source = std::move(source), .file_name = "dir/k.cu"}; }

// The first word of the source, whose file is the last argument, says what a script that replaces clang does.
constexpr const char* kScript = R"(#!/bin/sh
case "$*" in *-dM*)
  echo '#define __NVPTX__ 1'; echo '#define __clang_major__ 16'; exit 0;;
esac
for last; do :; done
read -r word rest < "$last"
case $word in
  hang) sleep 9;;
  crash) kill -SEGV $$;;
  wrong) echo "./k.cu:2:7: error: use of undeclared identifier 'x'" >&2; exit 1;;
  silent) exit 3;;
  open) read -r line < $rest; echo "// got $line" > ptx;;
  *) echo "// $*" > ptx;;
esac
)";

/// With that script, and temporary folders in the test's folder.
class FakeClang : public testing::Test {
 protected:
  FakeClang() {
    fs::create_directories(folder_.path() / "installed/bin");
    clang_ = folder_.write("installed/bin/clang", kScript);
    fs::permissions(clang_, fs::perms::owner_all);
    fs::create_directories(folder_.path() / "tmp");
    ::setenv("TMPDIR", (folder_.path() / "tmp").c_str(), 1);
  }
  ~FakeClang() override { ::unsetenv("TMPDIR"); }

  Settings settings() const {
    Settings settings = built_settings(Choice::Clang);
    settings.clang = clang_;
    settings.cache_folder = folder_.path() / "cache";
    settings.prebuilt_folder = folder_.path() / "prebuilt";
    return settings;
  }
  std::string failure(const std::string& source) const {
    const auto output = Compiler(settings()).compile(clang_request(source));
    return output ? "no error" : to_string(output.errors());
  }

  TemporaryFolder folder_;
  fs::path clang_;
};

TEST_F(FakeClang, TellsWhatItIs) {
  const auto toolchain = Compiler(settings()).clang();
  ASSERT_TRUE(toolchain) << to_string(toolchain.errors());
  EXPECT_EQ(toolchain->compiler, "clang");
  EXPECT_EQ(toolchain->version, "16");
  EXPECT_EQ(toolchain->library, fs::canonical(clang_));
  EXPECT_EQ(toolchain->architectures.back(), "sm_90");
}

TEST_F(FakeClang, IsGivenMacrosOptionsAndAnArchitectureThatItKnows) {
  Request wanted = clang_request("ok");
  wanted.arch = "sm_100";
  wanted.macros = {{"BM", "64"}};
  wanted.options = {"--use_fast_math", "--std=c++20", "--fmad=false"};
  const auto output = Compiler(settings()).compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  for (const char* argument : {"--cuda-gpu-arch=sm_90 ", "-DBM=64 ", "-DTILESCOPE_FAST_MATH ", "-std=c++20 ",
                               "-ffp-contract=off ", "-fcuda-flush-denormals-to-zero ", " ./k.cu\n"})
    EXPECT_THAT(output->ptx, HasSubstr(argument));
  EXPECT_EQ(output->compiler, "clang");
  EXPECT_EQ(output->version, "16");
  EXPECT_TRUE(output->resources.empty());
  EXPECT_TRUE(output->cubin.empty());
}

TEST_F(FakeClang, SecondTimeComesFromTheCache) {
  Compiler compiler(settings());
  ASSERT_TRUE(compiler.compile(clang_request("ok")));
  const auto second = compiler.compile(clang_request("ok"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->origin, Origin::Cache);
  EXPECT_EQ(second->compiler, "clang");
  EXPECT_EQ(second->version, "16");
}

TEST_F(FakeClang, FailuresAreToldAndLeaveNothingBehind) {
  EXPECT_EQ(failure("wrong\nint y = x;\n"),
            "dir/k.cu:2:7: error: use of undeclared identifier 'x'\n  int y = x;\n        ^");
  EXPECT_EQ(failure("crash"),
            "dir/k.cu: error: the compiler crashed (signal 11, Segmentation fault); change the source, or use another "
            "clang.");
  EXPECT_EQ(failure("silent"),
            "dir/k.cu: error: clang failed and gave no reason but exit code 3; change the source, or use another "
            "clang.");
  Settings with = settings();
  with.wall_limit = 300ms;
  EXPECT_EQ(to_string(Compiler(with).compile(clang_request("hang")).errors()),
            "dir/k.cu: error: the compiler was stopped after 0.3 s; make the kernel smaller: fewer unrolled "
            "iterations, shorter macros.");
  EXPECT_TRUE(fs::is_empty(folder_.path() / "tmp"));
}

TEST_F(FakeClang, CancelEndsIt) {
  Compiler compiler(settings());
  std::atomic<bool> cancel = false;
  std::thread canceller([&] {
    std::this_thread::sleep_for(100ms);
    cancel = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto output = compiler.compile(clang_request("hang"), &cancel);
  canceller.join();
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), HasSubstr("Cancelled."));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
}

TEST_F(FakeClang, ReadsNoFileOfTheUsers) {
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0)
    GTEST_SKIP() << "This kernel has no Landlock.";
  const auto output = Compiler(settings()).compile(clang_request("open " + folder_.write("secret", "text\n").string()));
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_EQ(output->ptx, "// got \n");
}

TEST_F(FakeClang, NoneIsThere) {
  Settings with = settings();
  with.clang = "/nowhere/clang";
  EXPECT_EQ(to_string(Compiler(with).compile(clang_request("ok")).errors()),
            "error: clang is not at /nowhere/clang. Install clang 14 or newer (on Debian: apt install clang-16), or "
            "set TILESCOPE_CLANG to its path.");
}

TEST_F(FakeClang, HeadersStayInTheFolder) {
  Request wanted = clang_request("ok");
  wanted.headers = {{"../outside.h", "int x;"}, {"sub/inside.h", "int y;"}};
  EXPECT_TRUE(Compiler(settings()).compile(wanted));
  EXPECT_FALSE(fs::exists(folder_.path() / "tmp/outside.h"));
}

TEST(ChoiceOfACompiler, ByName) {
  EXPECT_EQ(parse_choice("clang"), Choice::Clang);
  EXPECT_EQ(parse_choice("nvrtc"), Choice::Nvrtc);
  EXPECT_EQ(parse_choice("prebuilt"), Choice::Prebuilt);
  EXPECT_EQ(parse_choice("gcc"), std::nullopt);
}

/// The clang that is installed.
class RealClang : public testing::Test {
 protected:
  void SetUp() override {
    settings_.choice = Choice::Clang;
    settings_.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
    settings_.cache_folder = folder_.path() / "cache";
    if (const auto clang = Compiler(settings_).clang(); !clang) GTEST_SKIP() << to_string(clang.errors());
  }
  Result<Output> compile(const Request& wanted) const { return Compiler(settings_).compile(wanted); }

  TemporaryFolder folder_;
  Settings settings_;
};

TEST_F(RealClang, PlacesOfErrors) {
  const auto output = compile(clang_request("__global__ void k(float *a) {\n  a[0] = elsewhere;\n}\n"));
  ASSERT_FALSE(output);
  EXPECT_EQ(to_string(output.errors()),
            "dir/k.cu:2:10: error: use of undeclared identifier 'elsewhere'\n    a[0] = elsewhere;\n           ^");
}

TEST_F(RealClang, AHeaderThatIsNotThere) {
  const auto output = compile(clang_request("#include <cuda/barrier>\n"));
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), HasSubstr("dir/k.cu:1:10: error: 'cuda/barrier' file not found; without the "
                                                    "CUDA Toolkit's headers"));
}

TEST_F(RealClang, InstancesHaveTheirNames) {
  Request wanted = clang_request("template <int N> __global__ void tile(float *a) { a[threadIdx.x] = N; }\n");
  wanted.instances = {"tile<16>", "tile<2 * 4>"};
  const auto output = compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  using Names = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(output->names, (Names{{"tile<16>", "_Z4tileILi16EEvPf"}, {"tile<2 * 4>", "_Z4tileILi8EEvPf"}}));
  EXPECT_THAT(output->ptx, testing::Not(HasSubstr("tilescope_instance")));
}

TEST_F(RealClang, LinesAreTheSourcesOwn) {
  Request wanted = clang_request(
      "#include \"twice.cuh\"\n"
      "__global__ void k(float *a) {\n"
      "  a[threadIdx.x] = twice(a[threadIdx.x + 1]);\n"
      "}\n");
  wanted.headers = {{"twice.cuh", "\n\n\n\n\n\n\n__device__ float twice(float x) {\n  return x * 2.0f;\n}\n"}};
  const auto output = compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_THAT(output->ptx, HasSubstr("/k.cu\"\n"));
  EXPECT_THAT(output->ptx, testing::Not(HasSubstr(".loc\t2 ")));
  EXPECT_THAT(output->ptx, testing::Not(HasSubstr(".loc\t1 0 ")));
  EXPECT_THAT(output->ptx, testing::Not(HasSubstr(".loc\t1 9 ")));
}

TEST_F(RealClang, ItsHeadersCoverWhatKernelsUse) {
  const auto output = compile(clang_request(R"(
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <array>
#include <cassert>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>
namespace cg = cooperative_groups;
__constant__ float4 table[16];
__device__ int counter;
union Both { float4 v; float f[4]; };
template <class T>
__global__ void __launch_bounds__(256, 1) all(const half *a, const __nv_bfloat16 *b, T *c, half2 *h, float4 *v, float4 scale) {
  extern __shared__ float4 tile4[];
  __shared__ __align__(16) float s[256];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  float x = __half2float(a[threadIdx.x]) + (float)b[threadIdx.x] + table[threadIdx.x & 15].y;
  s[threadIdx.x] = x;
  tile4[threadIdx.x] = v[threadIdx.x];
  block.sync();
  x = cg::reduce(tile, x, cg::plus<float>()) + s[255 - threadIdx.x] + tile4[0].x;
  h[threadIdx.x] = __hfma2(h[threadIdx.x], h[0], h[1]) + h[2];
  Both both;
  both.v = scale;
  both.f[1] += __shfl_xor_sync(0xffffffff, x, 1);
  v[threadIdx.x] = both.v;
  std::array<float, 4> four = {1, 2, 3, x};
  if constexpr (std::is_same_v<T, float>) x = fmaxf(x, std::numeric_limits<float>::lowest());
  assert(x >= 0);
  if (threadIdx.x == 0) printf("%d %f\n", atomicAdd(&counter, 1), x);
  __pipeline_memcpy_async(&s[threadIdx.x], c + threadIdx.x, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  const uint3 t = threadIdx;
  const dim3 d = blockIdx;
  c[t.x] = expf(x) + sinf(x) + logf(x) + tanhf(x) + powf(x, 2.5f) + erff(x) + sqrtf(x) + rsqrtf(x) + exp((double)x) +
           max(1.0f, x) + min(3, 4) + abs(-x) + four[t.x & 3] + d.x + __expf(x) + __ldg(c) + __popc(t.x) + sizeof(size_t);
}
template __global__ void all<float>(const half *, const __nv_bfloat16 *, float *, half2 *, float4 *, float4);
)"));
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_TRUE(output->warnings.empty()) << to_string(output->warnings);
  EXPECT_THAT(output->ptx, testing::AnyOf(HasSubstr("ld.global.v4.f32"), HasSubstr("ld.global.v4.b32")))
      << "clang 22 writes b32";
}

}  // namespace
}  // namespace tilescope::compile
