#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <thread>

#include "compile/compile.h"
#include "compile/prebuilt.h"
#include "temporary_folder.h"

namespace tilescope::compile {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kProgram = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
constexpr const char* kFake = TILESCOPE_BINARY_DIR "/tests/libfake_nvrtc.so";

Request request(std::string source) { return {.source = std::move(source), .file_name = "dir/k.cu"}; }

/// Against the stand-in for NVRTC in fake_nvrtc.cpp.
class FakeNvrtc : public testing::Test {
 protected:
  Settings settings() const {
    Settings settings;
    settings.program = kProgram;
    settings.library = kFake;
    settings.cache_folder = folder_.path() / "cache";
    settings.prebuilt_folder = folder_.path() / "prebuilt";
    return settings;
  }

  std::string failure(const std::string& source) const { return failure(source, settings()); }
  static std::string failure(const std::string& source, const Settings& with) {
    const auto output = Compiler(with).compile(request(source));
    return output ? "no error" : to_string(output.errors());
  }

  TemporaryFolder folder_;
};

TEST_F(FakeNvrtc, GivesEverything) {
  Request wanted = request("ok");
  wanted.macros = {{"BN", "64"}, {"BM", "8"}};
  wanted.options = {"--use_fast_math"};
  const auto output = Compiler(settings()).compile(wanted);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_NE(output->ptx.find("// --gpu-architecture=sm_90\n// --generate-line-info\n// --ptxas-options=-v\n"
                             "// --define-macro=BM=8\n// --define-macro=BN=64\n// --use_fast_math\n"),
            std::string::npos)
      << output->ptx;
  EXPECT_EQ(output->cubin, (std::vector<uint8_t>{0x7f, 0, 'E', 'L', 'F'}));
  ASSERT_NE(find_resources(*output, "k"), nullptr);
  EXPECT_EQ(*find_resources(*output, "k"), (Resources{"k", 40, 1024, 400, 16, 4, 8, 1}));
  EXPECT_EQ(find_resources(*output, "other"), nullptr);
  EXPECT_EQ(output->version, "99.1");
  EXPECT_EQ(output->arch, "sm_90");
  EXPECT_EQ(output->origin, Origin::Compiled);
  EXPECT_TRUE(output->warnings.empty());
}

TEST_F(FakeNvrtc, InstancesAndHeadersReachItAndTheCacheKnowsThem) {
  Request wanted = request("ok");
  wanted.instances = {"tile<16>", "tile<32>"};
  wanted.headers = {{"mine.cuh", "int x;"}};
  Compiler compiler(settings());
  using Names = std::vector<std::pair<std::string, std::string>>;
  const Names names{{"tile<16>", "PTX name of tile<16>"}, {"tile<32>", "PTX name of tile<32>"}};
  for (const Origin origin : {Origin::Compiled, Origin::Cache}) {
    const auto output = compiler.compile(wanted);
    ASSERT_TRUE(output) << to_string(output.errors());
    EXPECT_EQ(output->origin, origin);
    EXPECT_EQ(output->names, names);
    EXPECT_NE(output->ptx.find("// header mine.cuh int x;"), std::string::npos);
  }
  wanted.headers[0].text = "int y;";
  EXPECT_EQ(compiler.compile(wanted)->origin, Origin::Compiled);
}

TEST_F(FakeNvrtc, HeadersAreCheckedAsTheSourceIs) {
  Request wanted = request("ok");
  wanted.headers = {{"mine.cuh", "#include \"/etc/passwd\"\n"}};
  wanted.instances = {""};
  const auto output = Compiler(settings()).compile(wanted);
  ASSERT_FALSE(output);
  EXPECT_THAT(to_string(output.errors()), testing::AllOf(testing::HasSubstr("mine.cuh:1:1: error: #include"),
                                                         testing::HasSubstr("does not name a kernel")));
}

TEST_F(FakeNvrtc, SecondTimeComesFromTheCache) {
  Compiler compiler(settings());
  const auto first = compiler.compile(request("ok"));
  const auto second = compiler.compile(request("ok"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->origin, Origin::Cache);
  EXPECT_EQ(second->ptx, first->ptx);
  EXPECT_EQ(second->cubin, first->cubin);
  EXPECT_EQ(second->resources, first->resources);
  EXPECT_EQ(second->version, first->version);
  Request other = request("ok");
  other.macros = {{"BM", "1"}};
  EXPECT_EQ(compiler.compile(other)->origin, Origin::Compiled);
}

TEST_F(FakeNvrtc, NothingCanBeKept) {
  Settings with = settings();
  with.cache_folder = "/dev/null/cache";
  const auto output = Compiler(with).compile(request("ok"));
  ASSERT_TRUE(output);
  EXPECT_EQ(
      to_string(output->warnings),
      "warning: the compiled kernel is not kept for next time: /dev/null/cache: cannot be made: Not a directory.");
}

TEST_F(FakeNvrtc, EachCompileHasItsOwnProcess) {
  Compiler compiler(settings());
  Request other = request("ok");
  other.arch = "sm_80";
  EXPECT_NE(compiler.compile(request("ok"))->ptx.substr(0, 20), compiler.compile(other)->ptx.substr(0, 20));
}

TEST_F(FakeNvrtc, ErrorsHavePlaces) {
  EXPECT_EQ(failure("wrong\n\tint y = x;\n"),
            "dir/k.cu:2:10: error: identifier \"x\" is undefined\n  \tint y = x;\n  \t        ^");
  EXPECT_EQ(failure("fail"),
            "dir/k.cu: error: NVRTC failed and gave no reason but NVRTC_ERROR_COMPILATION; change the source, or use "
            "another NVRTC.");
}

TEST_F(FakeNvrtc, HangIsStopped) {
  Settings with = settings();
  with.wall_limit = 300ms;
  EXPECT_EQ(
      failure("hang", with),
      "dir/k.cu: error: the compiler was stopped after 0.3 s; make the kernel smaller: fewer unrolled iterations, "
      "shorter macros.");
}

TEST_F(FakeNvrtc, ProcessorTimeIsLimited) {
  Settings with = settings();
  with.cpu_limit_seconds = 1;
  EXPECT_EQ(failure("spin", with),
            "dir/k.cu: error: the compiler was stopped after 1 s of processor time; make the kernel smaller: fewer "
            "unrolled iterations, shorter macros.");
}

TEST_F(FakeNvrtc, MemoryIsLimited) {
  Settings with = settings();
  with.memory_limit_bytes = uint64_t{160} << 20;
  EXPECT_EQ(failure("memory", with),
            "dir/k.cu: error: the compiler ran out of memory (its limit is 160 MiB); make the kernel smaller: fewer "
            "unrolled iterations, shorter macros.");
}

TEST_F(FakeNvrtc, CrashIsTold) {
  EXPECT_EQ(failure("crash"),
            "dir/k.cu: error: the compiler crashed (signal 11, Segmentation fault); change the source, or use another "
            "NVRTC.");
  EXPECT_EQ(failure("exit"), "dir/k.cu: error: the compiler process ended without a reply (exit code 7).");
}

TEST_F(FakeNvrtc, OutputHasALimit) {
  EXPECT_EQ(failure("large"),
            "dir/k.cu: error: NVRTC gave no PTX, or more than 16 MiB of it; make the kernel smaller.");
}

TEST_F(FakeNvrtc, WhatItPrintsIsNotTakenForAReply) { EXPECT_EQ(failure("print"), "no error"); }

TEST_F(FakeNvrtc, CompilesAgainAfterACrash) {
  Compiler compiler(settings());
  EXPECT_FALSE(compiler.compile(request("crash")));
  EXPECT_TRUE(compiler.compile(request("ok")));
}

// The processes whose parent this one is.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string number, name, state, parent;
    if (stat >> number >> name >> state >> parent && parent == std::to_string(getpid()))
      found.push_back(std::stoi(number));
  }
  return found;
}

TEST_F(FakeNvrtc, ProcessThatEndedWhileItWaitedIsReplaced) {
  Compiler compiler(settings());
  ASSERT_TRUE(compiler.toolchain());
  const std::vector<pid_t> waiting = children();
  ASSERT_EQ(waiting.size(), 1u);
  ::kill(waiting.front(), SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(waiting.front()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(compiler.compile(request("ok")));
}

TEST_F(FakeNvrtc, NoFileCanBeOpenedWhileItCompiles) {
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0)
    GTEST_SKIP() << "This kernel has no Landlock.";
  const auto output = Compiler(settings()).compile(request("open " + folder_.write("secret", "text").string()));
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_TRUE(output->ptx.starts_with("// Permission denied\n")) << output->ptx;
}

TEST_F(FakeNvrtc, CancelEndsACompileThatHangs) {
  Compiler compiler(settings());
  std::atomic<bool> cancel = false;
  std::thread canceller([&] {
    std::this_thread::sleep_for(50ms);
    cancel = true;
  });
  const auto output = compiler.compile(request("hang"), &cancel);
  canceller.join();
  ASSERT_FALSE(output);
  EXPECT_EQ(to_string(output.errors()), "error: Cancelled.");
  cancel = false;
  EXPECT_TRUE(compiler.compile(request("ok"), &cancel));
}

TEST_F(FakeNvrtc, ThreadsShareACompiler) {
  Compiler compiler(settings());
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Request wanted = request("ok");
      wanted.macros = {{"I", std::to_string(i)}};
      const auto output = compiler.compile(wanted);
      good += output && output->ptx.find("I=" + std::to_string(i)) != std::string::npos;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST_F(FakeNvrtc, NoProcessAndNoDescriptorIsLeftBehind) {
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{});
  };
  const auto before = descriptors();
  for (const char* source : {"ok", "hang", "crash", "exit", "wrong"}) {
    Settings with = settings();
    with.wall_limit = 200ms;
    (void)failure(source, with);
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(FakeNvrtc, ArchitectureItDoesNotKnow) {
  Request wanted = request("ok");
  wanted.arch = "sm_75";
  EXPECT_EQ(to_string(Compiler(settings()).compile(wanted).errors()),
            "error: NVRTC 99.1 does not compile for sm_75; it does for sm_80, sm_90.");
}

TEST_F(FakeNvrtc, Toolchain) {
  const auto toolchain = Compiler(settings()).toolchain();
  ASSERT_TRUE(toolchain);
  EXPECT_EQ(toolchain->version, "99.1");
  EXPECT_EQ(toolchain->library, fs::canonical(kFake));
  EXPECT_EQ(toolchain->architectures, (std::vector<std::string>{"sm_80", "sm_90"}));
}

/// A program in place of tilescope-nvrtc that breaks the protocol.
class WrongProgram : public FakeNvrtc {
 protected:
  std::string failure_of(const std::string& script) {
    Settings with = settings();
    with.program = folder_.write("program", "#!/bin/sh\n" + script);
    with.wall_limit = 500ms;
    fs::permissions(with.program, fs::perms::owner_all);
    return to_string(Compiler(with).toolchain().errors());
  }
};

TEST_F(WrongProgram, Garbage) {
  constexpr const char* message =
      "error: the compiler process sent a message that cannot be read; build tilescope and tilescope-nvrtc together.";
  EXPECT_EQ(failure_of("head -c 100000 /dev/zero | tr '\\0' '\\377'; exec sleep 9"), message);
  EXPECT_EQ(failure_of("printf '\\003\\0\\0\\0\\0\\0\\0\\0abc'; exec sleep 9"), message);
}

TEST_F(WrongProgram, Silence) {
  EXPECT_EQ(failure_of("exit 3"), "error: the compiler process ended without a reply (exit code 3).");
  EXPECT_EQ(failure_of("printf abc; exit 3"), "error: the compiler process ended without a reply (exit code 3).");
  EXPECT_EQ(failure_of("sleep 9"),
            "error: the compiler was stopped after 0.5 s; make the kernel smaller: fewer unrolled iterations, shorter "
            "macros.");
}

TEST_F(WrongProgram, Missing) {
  Settings with = settings();
  with.program = "/nowhere/tilescope-nvrtc";
  EXPECT_EQ(to_string(Compiler(with).toolchain().errors()),
            "error: /nowhere/tilescope-nvrtc: cannot be started: No such file or directory.");
}

/// A machine without NVRTC.
class Prebuilt : public FakeNvrtc {
 protected:
  Prebuilt() {
    without_ = settings();
    without_.library = "/nowhere/libnvrtc.so";
    without_.clang = "/nowhere/clang";
    preset_ = request("ok");
    preset_.macros = {{"BM", "64"}, {"BN", "32"}};
  }

  void ship(std::initializer_list<const char*> architectures) {
    std::vector<PrebuiltEntry> entries;
    for (const char* arch : architectures) {
      preset_.arch = arch;
      auto output = Compiler(settings()).compile(preset_);
      ASSERT_TRUE(output);
      compiled_ = *output;
      entries.push_back({preset_, *output});
    }
    ASSERT_TRUE(write_prebuilt(without_.prebuilt_folder, entries));
  }
  Result<Output> compile(const Request& wanted) const { return Compiler(without_).compile(wanted); }

  static constexpr const char* kReason =
      "dir/k.cu: error: NVRTC is not usable here: /nowhere/libnvrtc.so: cannot open shared object file: No such file "
      "or "
      "directory. Install the CUDA Toolkit 12.4 or newer, or set TILESCOPE_NVRTC to the path of libnvrtc.so. ";

  static constexpr const char* kNoClang =
      "\nnote: clang is not at /nowhere/clang. Install clang 14 or newer (on Debian: apt install clang-16), or set "
      "TILESCOPE_CLANG to its path.";

  Settings without_;
  Request preset_;
  Output compiled_;
};

TEST_F(Prebuilt, PresetNeedsNoNvrtc) {
  ship({"sm_90"});
  preset_.file_name = "/elsewhere/k.cu";
  std::swap(preset_.macros[0], preset_.macros[1]);
  const auto output = compile(preset_);
  ASSERT_TRUE(output) << to_string(output.errors());
  EXPECT_EQ(output->ptx, compiled_.ptx);
  EXPECT_EQ(output->resources, compiled_.resources);
  EXPECT_EQ(output->version, "99.1");
  EXPECT_EQ(output->origin, Origin::Prebuilt);
  EXPECT_EQ(output->cubin, compiled_.cubin);
}

TEST_F(Prebuilt, IsTheSameWheneverItIsMade) {
  PrebuiltEntry entry{preset_, {}}, later{preset_, {}};
  entry.output.log = "a\nptxas info    : Compile time = 3.1 ms\n";
  entry.output.compile_seconds = 1;
  later.output.log = "a\nptxas info    : Compile time = 12.9 ms\n" + std::string(1, '\0');
  later.output.compile_seconds = 2;
  EXPECT_EQ(shipped_reply(entry), shipped_reply(later));
  EXPECT_EQ(field(shipped_reply(later), "log"), "a\n");
}

TEST_F(Prebuilt, OtherValuesAreRefusedWithWhatIsThere) {
  ship({"sm_80", "sm_90"});
  preset_.macros[0].value = "65";
  EXPECT_EQ(to_string(compile(preset_).errors()),
            std::string(kReason) +
                "No PTX ships for k.cu with BM=65 BN=32 on sm_90. It ships with: BM=64 BN=32 (for sm_80, sm_90)." +
                kNoClang);
}

TEST_F(Prebuilt, OfManyTheNearestAreNamed) {
  std::vector<PrebuiltEntry> entries;
  for (const char* value : {"8", "16", "64", "128", "256"})
    for (const char* other : {"16", "32"}) {
      preset_.macros[0].value = value, preset_.macros[1].value = other;
      auto output = Compiler(settings()).compile(preset_);
      ASSERT_TRUE(output);
      entries.push_back({preset_, *output});
    }
  ASSERT_TRUE(write_prebuilt(without_.prebuilt_folder, entries));
  preset_.macros[0].value = "65";
  const std::string refusal = to_string(compile(preset_).errors());
  EXPECT_NE(refusal.find("BM=128 BN=32; BM=16 BN=32; BM=256 BN=32 (for sm_90); and 7 more."), refusal.npos) << refusal;
}

TEST_F(Prebuilt, ChangedSourceIsRefused) {
  ship({"sm_90"});
  preset_.source += " changed";
  EXPECT_EQ(
      to_string(compile(preset_).errors()),
      std::string(kReason) +
          "PTX ships only for the original text of k.cu, which has been changed. It ships with: BM=64 BN=32 (for sm_90)." +
          kNoClang);
}

TEST_F(Prebuilt, NothingShips) {
  EXPECT_EQ(to_string(compile(preset_).errors()), std::string(kReason) + "No PTX ships for k.cu." + kNoClang);
}

TEST_F(Prebuilt, DamagedFileShipsNothing) {
  ship({"sm_90"});
  const fs::path file = without_.prebuilt_folder / "k.prebuilt";
  fs::resize_file(file, fs::file_size(file) - 5);
  EXPECT_EQ(to_string(compile(preset_).errors()), std::string(kReason) + "No PTX ships for k.cu." + kNoClang);
}

}  // namespace
}  // namespace tilescope::compile
