#include "compile/nvcc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <thread>

#include "base/confine.h"
#include "built_compiler.h"
#include "compile/compile.h"
#include "temporary_folder.h"

namespace tilescope::compile {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

Request nvcc_request(std::string source) {
  return {.source = std::move(source), .file_name = "dir/k.cu", .by = Choice::Nvcc};
}

// The first word of the source, whose file is the last argument, says what a script that replaces nvcc does.
constexpr const char* kNvccScript = R"sh(#!/bin/sh
case "$*" in --version) echo 'Cuda compilation tools, release 13.7, V13.7.88'; exit 0;; esac
for last; do :; done
read -r word rest < "$last"
case $word in
  hang) sleep 9;;
  crash) kill -SEGV $$;;
  died) echo "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)" >&2; exit 139;;
  slow) echo "nvcc error   : 'ptxas' died due to signal 24 (CPU time limit exceeded)" >&2; exit 152;;
  wrong) echo 'k.cu(2): error: identifier "x" is undefined' >&2; exit 2;;
  header) echo 'k.cu:1:10: fatal error: elsewhere.h: No such file or directory' >&2; exit 1;;
  fatal) echo "nvcc fatal   : Unsupported gpu architecture 'compute_10'" >&2; exit 1;;
  silent) exit 3;;
  chatter) i=0; while [ $i -lt 6000 ]; do i=$((i + 1)); echo "k.cu(1): warning #177-D: variable \"some_name_$i\" was declared but never referenced"; done >&2
    echo "// fine" > kept/k.ptx; echo machine > cubin;;
  open) read -r line < $rest; echo "// got $line" > kept/k.ptx;;
  *) { echo "// $*"; cat tilescope_macros.h; echo "	.file	1 \"$PWD/$last\""; env; } > kept/k.ptx; echo machine > cubin;;
esac
)sh";

/// With that script, and temporary folders in the test's folder.
class FakeNvcc : public testing::Test {
 protected:
  FakeNvcc() {
    fs::create_directories(folder_.path() / "installed/bin");
    nvcc_ = folder_.write("installed/bin/nvcc", kNvccScript);
    fs::permissions(nvcc_, fs::perms::owner_all);
    fs::create_directories(folder_.path() / "tmp");
    ::setenv("TMPDIR", (folder_.path() / "tmp").c_str(), 1);
  }
  ~FakeNvcc() override { ::unsetenv("TMPDIR"); }
  void SetUp() override {
    if (const auto found = Compiler(settings()).nvcc(); !found) GTEST_SKIP() << to_string(found.errors());
  }

  Settings settings() const {
    Settings settings = built_settings();
    settings.nvcc = nvcc_;
    settings.cache_folder = folder_.path() / "cache";
    settings.prebuilt_folder = folder_.path() / "prebuilt";
    return settings;
  }
  std::string failure(const std::string& source) const {
    const auto output = Compiler(settings()).compile(nvcc_request(source));
    return output ? "no error" : to_string(output.errors());
  }

  TemporaryFolder folder_;
  fs::path nvcc_;
};

TEST_F(FakeNvcc, TellsWhatItIs) {
  const auto toolchain = Compiler(settings()).nvcc();
  ASSERT_TRUE(toolchain) << to_string(toolchain.errors());
  EXPECT_EQ(toolchain->compiler, "nvcc");
  EXPECT_EQ(toolchain->version, "13.7");
  EXPECT_EQ(toolchain->library, fs::canonical(nvcc_));
}

TEST_F(FakeNvcc, IsGivenOptionsAndMacrosAndNothingOfTheEnvironment) {
  Request wanted = nvcc_request("ok");
  wanted.arch = "sm_100";
  wanted.macros = {{"BM", "$(touch here)"}};
  wanted.options = {"--use_fast_math", "--std=c++20"};
  ::setenv("NVCC_APPEND_FLAGS", "-G", 1);
  ::setenv("CPATH", "/etc", 1);
  const auto output = Compiler(settings()).compile(wanted);
  ::unsetenv("NVCC_APPEND_FLAGS");
  ::unsetenv("CPATH");
  ASSERT_TRUE(output) << to_string(output.errors());
  for (const char* part : {"--cubin ", "--gpu-architecture=sm_100 ", "--use_fast_math --std=c++20 k.cu\n",
                           "#define BM $(touch here)\n", "\t.file\t1 \"k.cu\"\n"})
    EXPECT_THAT(output->ptx, HasSubstr(part));
  EXPECT_THAT(output->ptx, Not(HasSubstr("NVCC_APPEND_FLAGS")));
  EXPECT_THAT(output->ptx, Not(HasSubstr("CPATH")));
  EXPECT_EQ(output->compiler, "nvcc");
  EXPECT_EQ(output->version, "13.7");
  EXPECT_EQ(std::string(output->cubin.begin(), output->cubin.end()), "machine\n");
}

TEST_F(FakeNvcc, ANameOfAFileIsNoCommand) {
  Request wanted = nvcc_request("ok");
  wanted.file_name = "dir/-$(touch here) `id`;é.cu";
  const auto output = Compiler(settings()).compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_THAT(output->ptx, HasSubstr(" ___touch_here___id____.cu\n"));
}

TEST_F(FakeNvcc, SecondTimeComesFromTheCache) {
  Compiler compiler(settings());
  ASSERT_TRUE(compiler.compile(nvcc_request("ok")));
  const auto second = compiler.compile(nvcc_request("ok"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->origin, Origin::Cache);
  EXPECT_EQ(second->compiler, "nvcc");
  EXPECT_EQ(second->version, "13.7");
}

TEST_F(FakeNvcc, FailuresAreToldAndLeaveNothingBehind) {
  EXPECT_EQ(failure("wrong\nint y = x;\n"), "dir/k.cu:2: error: identifier \"x\" is undefined");
  EXPECT_EQ(
      failure("header <elsewhere.h>\n"),
      "dir/k.cu:1:10: error: elsewhere.h: No such file or directory; only CUDA's own headers can be included: put "
      "what the kernel needs in this file.\n  header <elsewhere.h>\n           ^");
  EXPECT_EQ(failure("fatal"), "dir/k.cu: error: nvcc says: Unsupported gpu architecture 'compute_10'");
  for (const char* word : {"crash", "died"})
    EXPECT_EQ(
        failure(word),
        "dir/k.cu: error: the compiler crashed (signal 11, Segmentation fault); change the source, or use another "
        "nvcc.");
  EXPECT_EQ(failure("slow"),
            "dir/k.cu: error: the compiler was stopped after 20 s of processor time; make the kernel smaller: fewer "
            "unrolled iterations, shorter macros.");
  EXPECT_EQ(failure("silent"),
            "dir/k.cu: error: nvcc failed and gave no reason but exit code 3; change the source, or use another nvcc.");
  Settings with = settings();
  with.wall_limit = 100ms;
  EXPECT_EQ(to_string(Compiler(with).compile(nvcc_request("hang")).errors()),
            "dir/k.cu: error: the compiler was stopped after 0.3 s; make the kernel smaller: fewer unrolled "
            "iterations, shorter macros.");
  EXPECT_TRUE(fs::is_empty(folder_.path() / "tmp"));
}

TEST_F(FakeNvcc, ManyMessagesAreCutShort) {
  const auto output = Compiler(settings()).compile(nvcc_request("chatter"));
  ASSERT_TRUE(output) << to_string(output.errors());
  ASSERT_EQ(output->warnings.size(), 101u);
  EXPECT_EQ(output->warnings.back().message.text(), "5900 further messages of the compiler are left out.");
}

TEST_F(FakeNvcc, CancelEndsIt) {
  Compiler compiler(settings());
  std::atomic<bool> cancel = false;
  std::thread canceller([&] {
    std::this_thread::sleep_for(100ms);
    cancel = true;
  });
  const auto start = std::chrono::steady_clock::now();
  const auto output = compiler.compile(nvcc_request("hang"), &cancel);
  canceller.join();
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), HasSubstr("Cancelled."));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
}

TEST_F(FakeNvcc, ReadsNoFileOfTheUsers) {
  const auto output = Compiler(settings()).compile(nvcc_request("open " + folder_.write("secret", "text\n").string()));
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_EQ(output->ptx, "// got \n");
}

TEST_F(FakeNvcc, NoneIsThere) {
  Settings with = settings();
  with.nvcc = "/nowhere/nvcc";
  EXPECT_EQ(to_string(Compiler(with).compile(nvcc_request("ok")).errors()),
            "error: nvcc is not at /nowhere/nvcc. Install the CUDA Toolkit 12.4 or newer, or set TILESCOPE_NVCC to the "
            "path of nvcc.");
}

/// The compiler of a request that leaves the choice open, with the stand-in for NVRTC of the other tests.
class WhoCompiles : public FakeNvcc {
 protected:
  Result<Output> compile(const std::string& source, bool is_users, const fs::path& nvcc) const {
    Settings with = settings();
    with.library = TILESCOPE_BINARY_DIR "/tests/libfake_nvrtc.so";
    with.nvcc = nvcc;
    Request wanted = nvcc_request(source);
    wanted.by = Choice::Automatic;
    wanted.is_users = is_users;
    return Compiler(with).compile(wanted);
  }
};

TEST_F(WhoCompiles, NvccTheUsersFilesAndNvrtcTheOthers) {
  EXPECT_EQ(compile("ok", true, nvcc_)->compiler, "nvcc");
  EXPECT_FALSE(compile("ok", true, nvcc_)->instead_of_nvcc);
  EXPECT_EQ(compile("ok", false, nvcc_)->compiler, "NVRTC");
  EXPECT_FALSE(compile("ok", false, nvcc_)->instead_of_nvcc);
}

TEST_F(WhoCompiles, NvrtcWhereNvccIsNot) {
  const auto output = compile("ok", true, "/nowhere/nvcc");
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_EQ(output->compiler, "NVRTC");
  EXPECT_TRUE(output->instead_of_nvcc);
  EXPECT_TRUE(output->warnings.empty());
}

TEST_F(WhoCompiles, NvrtcWhatNvccDoesNotTake) {
  const auto output = compile("header <elsewhere.h>\n", true, nvcc_);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_EQ(output->compiler, "NVRTC");
  EXPECT_TRUE(output->instead_of_nvcc);
  ASSERT_FALSE(output->warnings.empty());
  EXPECT_THAT(to_string(output->warnings.front()),
              HasSubstr("warning: nvcc does not take this file, NVRTC does. nvcc says: elsewhere.h: No such file"));
}

/// The nvcc that is installed.
class RealNvcc : public testing::Test {
 protected:
  void SetUp() override {
    settings_.choice = Choice::Nvcc;
    settings_.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
    settings_.cache_folder = folder_.path() / "cache";
    if (const auto nvcc = Compiler(settings_).nvcc(); !nvcc) GTEST_SKIP() << to_string(nvcc.errors());
  }
  Result<Output> compile(const Request& wanted) const { return Compiler(settings_).compile(wanted); }
  std::string failure(const std::string& source) const {
    const auto output = compile(nvcc_request(source));
    return output ? "no error" : to_string(output.errors());
  }

  TemporaryFolder folder_;
  Settings settings_;
};

constexpr const char* kReversed =
    "__global__ void k(float *a) {\n"
    "  __shared__ float s[256];\n"
    "  s[threadIdx.x] = a[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  a[threadIdx.x] = s[255 - threadIdx.x];\n"
    "}\n";

TEST_F(RealNvcc, GivesPtxMachineCodeAndRegisters) {
  const auto output = compile(nvcc_request(kReversed));
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_THAT(output->ptx, HasSubstr("ld.shared.f32 \t%f2, [%r"));  // 32 bits; NVRTC: [%rd
  EXPECT_THAT(output->ptx, HasSubstr("\t.file\t1 \"k.cu\"\n"));
  ASSERT_EQ(output->resources.size(), 1u);
  EXPECT_EQ(output->resources[0].entry, "_Z1kPf");
  EXPECT_EQ(output->resources[0].static_shared_bytes, 1024u);
  EXPECT_GT(output->resources[0].registers, 0u);
  EXPECT_FALSE(output->cubin.empty());
}

TEST_F(RealNvcc, TheSameEveryTime) {
  const std::string source = std::string("namespace { __global__ void u(float *a) { a[0] = 1; } }\n") + kReversed;
  const auto first = compile(nvcc_request(source));
  fs::remove_all(folder_.path() / "cache");
  const auto second = compile(nvcc_request(source));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->origin, Origin::Compiled);
  EXPECT_EQ(first->ptx, second->ptx);
  EXPECT_EQ(first->cubin, second->cubin);
  EXPECT_EQ(first->log.substr(0, first->log.find("Compile time")),
            second->log.substr(0, second->log.find("Compile time")));
}

TEST_F(RealNvcc, PlacesOfErrors) {
  EXPECT_EQ(failure("__global__ void k(float *a) {\n  a[0] = elsewhere;\n}\n"),
            "dir/k.cu:2:10: error: identifier \"elsewhere\" is undefined\n    a[0] = elsewhere;\n           ^");
  EXPECT_THAT(failure("\n#include <elsewhere.h>\n"),
              HasSubstr("dir/k.cu:2:10: error: elsewhere.h: No such file or directory; only CUDA's own headers"));
  EXPECT_THAT(failure("__global__ void k(float *a) {\n\n  asm(\"no.such %0;\" :: \"l\"(a));\n}\n"),
              HasSubstr("dir/k.cu:3: error: the assembler ptxas says: "));
  EXPECT_THAT(failure("#error not here\n"), HasSubstr("dir/k.cu:1:2: error: #error not here"));
  Request old = nvcc_request(kReversed);
  old.arch = "sm_10";
  const auto output = compile(old);
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), HasSubstr("nvcc says: Unsupported gpu architecture"));
}

// Its preprocessor makes a directive of none that is checked; then the system keeps the file closed.
TEST_F(RealNvcc, ReadsNoFileOfTheUsers) {
  const std::string secret = folder_.write("secret", "int hidden_text = ;\n").string();
  for (const std::string& source :
       {"#define H #\nH include \"" + secret + "\"\n", "#define P(a, b) a##b\nP(%, :) include \"" + secret + "\"\n",
        "#\\ \ninclude \"" + secret + "\"\n", "#include \"" + secret + "\"\n",
        "__global__ void k() { asm(\".include \\\"" + secret + "\\\"\"); }\n"}) {
    const auto output = compile(nvcc_request(source));
    const std::string said = output ? output->ptx + output->log : to_string(output.errors());
    EXPECT_THAT(said, Not(HasSubstr("hidden_text"))) << source;
  }
  EXPECT_THAT(failure("#include \"/etc/passwd\"\n"), HasSubstr("#include \"/etc/passwd\" is not accepted"));
}

TEST_F(RealNvcc, InstancesHaveTheirNames) {
  Request wanted = nvcc_request(
      "template <int N> __global__ void tile(float *a) { a[threadIdx.x] = N; }\n"
      "template __global__ void tile<3>(float *);\n"
      "namespace n { template <class T, int N> __global__ void tile(T *a, T *b) { a[threadIdx.x] = b[N]; } }\n"
      "namespace { template <int N> __global__ void own(float *a) { a[threadIdx.x] = N; } }\n");
  wanted.instances = {"tile<16>", "tile<2 * 4>", "n::tile<float, 3>", "own<SIZE>"};
  wanted.macros = {{"SIZE", "5"}};
  for (const char* standard : {"--std=c++17", "--std=c++11"}) {
    wanted.options = {standard};
    const auto output = compile(wanted);
    ASSERT_TRUE(output) << to_string(output.errors());
    ASSERT_EQ(output->names.size(), 4u);
    EXPECT_EQ(output->names[0].second, "_Z4tileILi16EEvPf");
    EXPECT_EQ(output->names[1].second, "_Z4tileILi8EEvPf");
    EXPECT_EQ(output->names[2].second, "_ZN1n4tileIfLi3EEEvPT_S2_");
    EXPECT_THAT(output->names[3].second, HasSubstr("3ownILi5EEEvPf"));
    EXPECT_THAT(output->ptx, Not(HasSubstr("tilescope_instance")));
    ASSERT_NE(find_resources(*output, output->names[2].second), nullptr);
  }
  wanted.instances = {"nowhere<1>"};
  const auto output = compile(wanted);
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), HasSubstr("\"nowhere\""));
}

TEST_F(RealNvcc, TakesWhatProgramsHave) {
  Request wanted = nvcc_request(
      "\xef\xbb\xbf#include <cstdio>\n#include <cuda_fp16.h>\n#include <math.h>\n#include \"sub/twice.cuh\"\n"
      "extern \"C\" __global__ void k(float *a) { a[threadIdx.x] = twice(a) + (float)M_PI; }\n"
      "int main() { k<<<1, 32>>>(nullptr); std::printf(\"%d\\n\", SIZE); }\n");
  wanted.headers = {{"sub/twice.cuh", "\n__device__ float twice(const float *x) { return 2 * x[SIZE]; }\n"},
                    {"tilescope_context.h", "#define SOME 1\n"}};
  wanted.macros = {{"SIZE", "SOME + 7"}, {"EMPTY", ""}};
  const auto output = compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_THAT(output->ptx, HasSubstr(".entry k("));
  EXPECT_THAT(output->ptx, HasSubstr("\"sub/twice.cuh\"\n"));
  EXPECT_THAT(output->ptx, HasSubstr("+32]"));
}

}  // namespace
}  // namespace tilescope::compile
