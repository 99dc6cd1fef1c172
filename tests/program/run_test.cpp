#include <chrono>
#include <fstream>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "compile/nvcc.h"
#include "program/host.h"

namespace tilescope {
namespace {
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::json;

const std::string kClient = TILESCOPE_BINARY_DIR "/tests/cuda_client";
const std::string kPrograms = TILESCOPE_SOURCE_DIR "/tests/program/programs/";

/// tests/program/client.cpp, doing `what`.
Ran run_client(const std::string& what, const std::string& options = "") {
  return run_tilescope("run " + options + " " + kClient + " -- " + what);
}

/// Likewise; what the program printed and the object behind it.
struct RanWithJson {
  int status = 0;
  std::string out;
  Json json;
};
RanWithJson client_json(const std::string& what, const std::string& options = "") {
  const Ran ran = run_client(what, "--json - " + options);
  const size_t begin = ran.out.find("{\n");
  EXPECT_NE(begin, std::string::npos) << ran.out << ran.err;
  if (begin == std::string::npos) return {ran.status, ran.out, {}};
  return {ran.status, ran.out.substr(0, begin), Json::parse(ran.out.substr(begin))};
}

TEST(Run, AProgramComputesAndItsLaunchIsCounted) {
  const RanWithJson ran = client_json("scale");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "copy 0: 2 4 6\n");
  ASSERT_EQ(ran.json["launches"].size(), 1U);
  const Json& launch = ran.json["launches"][0];
  EXPECT_EQ(launch["kernel"], "scale");
  EXPECT_EQ(launch["launch"]["block"], Json({32, 1, 1}));
  EXPECT_EQ(launch["counts"]["global_load"]["requests"], 2);
  EXPECT_EQ(launch["counts"]["global_store"]["sectors"], 1);
  EXPECT_EQ(launch["checked_blocks"], 1);
  EXPECT_EQ(launch["findings"].size(), 0U);
}

TEST(Run, TheTableComesBehindTheProgramsOutput) {
  const Ran ran = run_client("scale");
  EXPECT_EQ(ran.out, "copy 0: 2 4 6\n");
  EXPECT_THAT(ran.err, HasSubstr("launches  kernel  grid"));
  EXPECT_THAT(ran.err, HasSubstr("scale"));
}

TEST(Run, TheStatusIsTheProgramsOwnUnlessFindingsAreToCount) {
  EXPECT_EQ(run_client("none").status, 7);
  EXPECT_EQ(run_client("bounds").status, 0);
  EXPECT_EQ(run_client("bounds", "--error-exitcode 3").status, 3);
  EXPECT_EQ(run_client("scale", "--error-exitcode 3").status, 0);
  EXPECT_EQ(run_client("none", "--error-exitcode 3").status, 7);
  EXPECT_EQ(run_client("unknown").status, 0);
  EXPECT_EQ(run_client("unknown", "--error-exitcode 3").status, 3);
}

TEST(Run, AnAccessOutOfBoundsIsFoundByTheExactSize) {
  const Json finding = client_json("bounds").json["launches"][0]["findings"][0];
  EXPECT_EQ(finding["kind"], "out-of-bounds");
  EXPECT_EQ(finding["array"], "argument1");
  EXPECT_EQ(finding["element"], "argument1[3]");
  EXPECT_EQ(finding["site"]["thread"], Json({3, 0, 0}));
}

TEST(Run, TwoRacesOfOneStoreAreTwoFindingsOverAllLaunches) {
  const std::string report = run_client("races").err;
  const std::string race = "racecheck  read-write-race  line 5\n";
  const size_t first = report.find(race), second = report.find(race, first + 1);
  ASSERT_NE(second, std::string::npos) << report;
  EXPECT_EQ(report.find(race, second + 1), std::string::npos) << report;
  EXPECT_THAT(report.substr(first, second - first), HasSubstr("line 6"));
  EXPECT_THAT(report.substr(second), HasSubstr("line 7"));
  for (const Json& launch : client_json("races").json["launches"]) EXPECT_EQ(launch["findings"].size(), 2U);
}

TEST(Run, AWildPointerEndsAsOnAGpu) {
  const RanWithJson ran = client_json("wild");
  EXPECT_EQ(ran.out,
            "launch: no error\nwait: an illegal memory access was encountered\n"
            "after: an illegal memory access was encountered\n");
}

TEST(Run, APointerOfTheHostInALaunchIsSaidToBeOne) {
  const auto finding = [](const std::string& what) { return client_json(what).json["launches"][0]["findings"][0]; };
  EXPECT_EQ(finding("host_pointer")["array"], "argument1");
  EXPECT_THAT(finding("host_pointer")["message"].get<std::string>(),
              HasSubstr("through argument1, which points to memory of main()"));
  EXPECT_THAT(finding("wild")["message"].get<std::string>(), HasSubstr("where there is no array"));
}

TEST(Run, WhatTheHostOrAKernelWroteIsInitialised) {
  const Json launches = client_json("uninitialised").json["launches"];
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0]["findings"].size(), 0U);
  ASSERT_EQ(launches[1]["findings"].size(), 1U);
  EXPECT_EQ(launches[1]["findings"][0]["kind"], "uninitialised-memory");
  EXPECT_EQ(launches[1]["findings"][0]["element"], "argument1[1]");
  EXPECT_EQ(client_json("uninitialised", "--check none").json["launches"][1]["findings"].size(), 0U);
}

TEST(Run, ALaunchThatRepeatsIsWatchedTwice) {
  const auto watched = [](const std::string& options) {
    std::vector<int> blocks;
    const RanWithJson ran = client_json("repeat", options);
    for (const Json& launch : ran.json["launches"]) blocks.push_back(launch["checked_blocks"]);
    return blocks;
  };
  EXPECT_THAT(watched(""), testing::ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(watched("--check all"), testing::ElementsAre(1, 1, 1, 1));
}

TEST(Run, ALaunchThatDoesTheSameWithTheSameDataIsTakenOver) {
  const RanWithJson ran = client_json("same");
  EXPECT_EQ(ran.out, "copy 0: 16\ncopy 0: 81\n");
  std::vector<bool> repeated;
  for (const Json& launch : ran.json["launches"]) {
    repeated.push_back(launch["repeated"]);
    EXPECT_EQ(launch["counts"]["global_store"]["requests"], 1);
  }
  // The third round's first launch leaves what the second's left, so all that follow find what they found before.
  EXPECT_THAT(repeated, testing::ElementsAre(false, false, false, false, false, true, true, true, false, false));
  EXPECT_THAT(run_client("same").err, HasSubstr("In 3 launches the same kernel did the same with the same data"));
}

TEST(Run, FreedMemoryIsNoMemory) {
  const RanWithJson ran = client_json("free");
  EXPECT_EQ(ran.json["launches"][0]["findings"][0]["kind"], "out-of-bounds");
  EXPECT_THAT(ran.out, StartsWith("an illegal memory access was encountered\n"));
}

TEST(Run, VariablesKeepTheirValues) { EXPECT_EQ(client_json("symbol").out, "factor 2, set 0\ncopy 0: 10 20\n"); }

TEST(Run, ManagedMemoryIsTheHostsToo) { EXPECT_EQ(client_json("managed").out, "6 8\n"); }

TEST(Run, ACapturedGraphRunsWhenItIsLaunched) { EXPECT_EQ(client_json("graph").out, "copy 0: 1\ncopy 0: 16\n"); }

TEST(Run, EventsTellTheTimeOfALaunch) {
  EXPECT_EQ(client_json("events").out, "too early: invalid resource handle\nlonger than nothing: 1\n");
}

TEST(Run, ErrorsAreThoseOfCuda) {
  EXPECT_EQ(client_json("errors").out,
            "invalid argument\ninvalid argument\ninvalid device function\ninvalid device function\n"
            "no error\ninvalid argument\ninvalid argument\nout of memory\n");
}

TEST(Run, TheDeviceIsTheOneAskedFor) {
  EXPECT_EQ(client_json("properties").out, "9.0, 132 SMs, warp 32, 49152 bytes shared, 8 blocks, 4800 GB/s\n");
  EXPECT_THAT(client_json("properties", "--arch sm_75").out, StartsWith("7.5, 40 SMs, "));
}

TEST(Run, CublasIsComputedAndSaidToBeUntraced) {
  const RanWithJson ran = client_json("gemm");
  EXPECT_EQ(ran.out, "copy 0: 23 34\n");
  EXPECT_EQ(ran.json["untraced"], Json({"cublasSgemm"}));
}

TEST(Run, AForkedChildHasNoDevice) { EXPECT_EQ(client_json("fork").out, "child: initialization error\ncopy 0: 2\n"); }

TEST(Run, AKernelWithAnUnknownInstructionFailsByItsName) {
  const Ran ran = run_client("odd");
  EXPECT_EQ(ran.out, "a PTX JIT compilation failed\n");
  EXPECT_THAT(ran.err, HasSubstr("The kernel odd cannot run."));
  EXPECT_THAT(ran.err, HasSubstr("frobnicate"));
}

TEST(Run, AnEndlessKernelIsStopped) {
  const RanWithJson ran = client_json("spin");
  EXPECT_EQ(ran.out, "the launch timed out and was terminated\n");
  EXPECT_THAT(ran.json["launches"][0]["stopped"].get<std::string>(), HasSubstr("without ending"));
}

TEST(Run, AnUnknownCallFailsByItsName) {
  const Ran ran = run_client("unknown");
  EXPECT_EQ(ran.out, "operation not supported\n");
  EXPECT_THAT(ran.err, HasSubstr("The program calls cudaMallocArray, which Tilescope does not know"));
}

TEST(Run, MachineCodeAloneIsRefusedWithWhatToDo) {
  const Ran ran = run_client("cubin");
  EXPECT_THAT(ran.err, HasSubstr("The program has no PTX, only machine code (sm_75)"));
}

TEST(Run, ACrashKeepsWhatRanBefore) {
  const RanWithJson ran = client_json("crash");
  EXPECT_EQ(ran.status, 128 + 6);
  EXPECT_EQ(ran.json["signal"], 6);
  EXPECT_EQ(ran.json["launches"].size(), 1U);
}

TEST(Run, AHostThatReadsDeviceMemoryIsToldWhy) {
  const Ran ran = run_client("host_read");
  EXPECT_EQ(ran.status, 128 + 11);
  EXPECT_THAT(ran.err, HasSubstr("main() reads or writes device memory"));
}

TEST(Run, ResultsThatNobodyCopiesBackAreNamed) {
  EXPECT_THAT(run_client("drop").err, HasSubstr("The program copied nothing back of what its kernels wrote."));
  EXPECT_THAT(run_client("scale").err, Not(HasSubstr("copied nothing back")));
  EXPECT_THAT(run_client("managed").err, Not(HasSubstr("copied nothing back")));
}

TEST(Run, ACallThatFailsIsNamedAndCounts) {
  const RanWithJson ran = client_json("errors", "--error-exitcode 5");
  EXPECT_EQ(ran.status, 5);
  ASSERT_GT(ran.json["failed"].size(), 3U);
  EXPECT_EQ(ran.json["failed"][0]["call"], "kernel launch");
  EXPECT_EQ(ran.json["failed"][0]["message"], "\"invalid argument\" (cudaErrorInvalidValue)");
  EXPECT_EQ(client_json("scale").json["failed"].size(), 0U);
  EXPECT_EQ(run_client("odd", "--error-exitcode 5").status, 5);
}

TEST(Run, TheProgramEndsWithTilescope) {
  for (const char* signal : {"KILL", "TERM", "HUP"}) {
    const std::string seconds = "77." + std::to_string(::getpid());
    const Ran ran =
        run_command("sh -c '" + tilescope_command("run /bin/sleep -- " + seconds) + " & sleep 1; kill -" + signal +
                    " $!; sleep 0.5; ls -l /proc/[0-9]*/cmdline > /dev/null; " +
                    "cat /proc/[0-9]*/cmdline | tr \"\\0\" \" \" | grep -c \"/bin/sleep " + seconds + "\"'");
    EXPECT_THAT(ran.out, StartsWith("1")) << signal;  // That of the shell.
  }
}

TEST(Run, AfterTheInterruptKeyTheProgramEndsAndTheStatusSaysSo) {
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = run_command("sh -c '" + tilescope_command("run /bin/sleep -- 20") +
                              " & sleep 1; kill -INT $!; wait $!; echo status $?'");
  EXPECT_EQ(ran.out, "status 130\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Run, TheTimeUpToALaunchIsLimitedOnlyWhereTheRequestSaysSo) {
  program::ProgramRequest request;
  request.file = "/bin/sleep";
  request.arguments = {"1"};
  request.machine.limits = *arch::find_limits("sm_90");
  request.stand_ins = TILESCOPE_BINARY_DIR "/bin/cudart";
  request.captured = 1;
  request.only_to_captured = true;
  const program::Listener silent{[](const std::string&) {}, [] {}};
  const auto whole = program::run_program(request, {}, silent);
  ASSERT_TRUE(whole) << to_string(whole.errors());
  EXPECT_FALSE(whole->out_of_time);
  request.seconds = 0.1;
  EXPECT_TRUE(program::run_program(request, {}, silent)->out_of_time);
}

TEST(Run, TheProgramsOfTheCompilerEndWithTilescope) {
  const std::string seconds = "78." + std::to_string(::getpid());
  const std::filesystem::path nvcc = std::filesystem::temp_directory_path() / ("tilescope-nvcc" + seconds);
  std::ofstream(nvcc) << "#!/bin/sh\n/bin/sleep " << seconds << " &\nwait\n";
  std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
  // The brackets keep grep from finding itself.
  const std::string count = "cat /proc/[0-9]*/cmdline | tr \"\\0\" \"\\n\" | grep -cx \"[7]" + seconds.substr(1) + "\"";
  for (const char* signal : {"KILL", "TERM"}) {
    const Ran ran = run_command("sh -c '" + tilescope_command("run " + kPrograms + "course.cu", nvcc.string()) +
                                " & sleep 1; kill -" + signal + " $!; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.5; " +
                                count + " > /dev/null || break; done; " + count + "'");
    EXPECT_THAT(ran.out, StartsWith("0")) << signal;
  }
  std::filesystem::remove(nvcc);
}

TEST(Run, TheProgramsOptionsStandBehindDashes) {
  EXPECT_THAT(run_tilescope("run " + kClient + " --none").err,
              HasSubstr("Arguments for the program itself come after --."));
}

TEST(Run, WhatIsNoProgramIsRefused) {
  EXPECT_EQ(run_tilescope("run /nonexistent").status, 2);
  EXPECT_THAT(run_tilescope("run /etc/passwd").err, HasSubstr("is not a program for this machine"));
  EXPECT_THAT(run_tilescope("run /nonexistent.cu").err, HasSubstr("/nonexistent.cu: no such file"));
  EXPECT_THAT(run_tilescope("run /bin/true").err, HasSubstr("made no call of the CUDA runtime"));
}

TEST(Run, WithoutNvccASentenceSaysWhatIsMissing) {
  if (std::filesystem::exists("/usr/local/cuda")) GTEST_SKIP() << "there is a toolkit where it is looked for";
  const Ran ran = run_command("PATH=/bin CUDA_HOME= " + tilescope_command("run " + kPrograms + "course.cu", ""));
  EXPECT_THAT(ran.err, HasSubstr("nvcc, which compiles a CUDA program, is neither in PATH"));
}

/// Whole programs, as nvcc builds them.
class RunNvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (compile::find_nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  }
  static RanWithJson run_source(const std::string& name, const std::string& options = "") {
    const Ran ran = run_command(tilescope_command("run --json - " + options + " " + kPrograms + name, ""));
    const size_t begin = ran.out.find("{\n");
    EXPECT_NE(begin, std::string::npos) << ran.out << ran.err;
    return {ran.status, ran.out.substr(0, begin),
            begin == std::string::npos ? Json() : Json::parse(ran.out.substr(begin))};
  }
};

TEST_F(RunNvcc, TheProgramsOfACourseAreRight) {
  const RanWithJson ran = run_source("course.cu");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out,
            "vector add: right\nmatrix product: right\ntranspose: right\nreduction: right\nscan: right\n"
            "histogram: right\n");
  for (const Json& launch : ran.json["launches"]) {
    EXPECT_EQ(launch["findings"].size(), 0U) << launch["kernel"];
    EXPECT_EQ(launch["predicted"]["by"], "simulation") << launch["kernel"];
    EXPECT_GT(launch["resources"]["registers"], 0) << launch["kernel"];
  }
}

TEST_F(RunNvcc, TheRuntimesFeaturesWork) {
  const RanWithJson ran = run_source("features.cu");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out,
            "constant: right\nmanaged: right\nregistered: right\nprintf behind the host\nthread 0 prints\ncooperative: "
            "right\n"
            "pitched: right\ncallback: right\noccupancy: right\nassert: device-side assert triggered\n");
}

TEST_F(RunNvcc, WhatRunsSideBySideOnAGpuDoesSoHere) {
  const RanWithJson ran = run_source("side_by_side.cu", "--error-exitcode 1");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "waiting: right\ncluster: right\nfew blocks: right\nmany blocks: right\n");
  EXPECT_EQ(ran.json["launches"][0]["counts"]["blocks_counted"], 60);
  EXPECT_EQ(ran.json["launches"][0]["counts"]["blocks"], "all");
}

TEST_F(RunNvcc, HowManyLaunchesAreTimedByTheirCountsIsSaid) {
  const std::string file = testing::TempDir() + "takes_memory_once.cu";
  std::ofstream(file) << "__global__ void set(int* x) { *x = 1; }\n"
                         "__global__ void take() { free(malloc(8)); }\n"
                         "int main(int takes, char**) {\n  int* x;\n  cudaMalloc(&x, 4);\n  set<<<1, 1>>>(x);\n"
                         "  if (takes > 1) take<<<1, 1>>>();\n  return cudaFree(x);\n}\n";
  const std::string silent = run_command(tilescope_command("run " + file, "")).err;
  EXPECT_THAT(silent, HasSubstr("Times are predicted for H200"));
  EXPECT_THAT(silent, Not(HasSubstr("model of counts")));
  EXPECT_THAT(silent, Not(HasSubstr("No time is predicted")));
  EXPECT_THAT(run_command(tilescope_command("run " + file + " 1", "")).err,
              HasSubstr("One launch is timed by a model of counts"))
      << "malloc has no machine code";
}

TEST_F(RunNvcc, TheTableHasIdealsAndSumsAndTheReasonWhereThereIsNoTime) {
  const std::string file = testing::TempDir() + "wide_and_tensor.cu";
  std::ofstream(file) << "#include <mma.h>\n#include <cstdio>\nusing namespace nvcuda::wmma;\n"
                         "__global__ void wide(float4* x) { x[threadIdx.x].x *= 2; x[threadIdx.x].y *= 2; "
                         "x[threadIdx.x].z *= 2; x[threadIdx.x].w *= 2; }\n"
                         "__global__ void strided(float* x) { x[8 * threadIdx.x] = 1; }\n"
                         "__global__ void tensor(float* x) {\n"
                         "  fragment<matrix_a, 16, 16, 16, __half, row_major> a;\n"
                         "  fragment<matrix_b, 16, 16, 16, __half, row_major> b;\n"
                         "  fragment<accumulator, 16, 16, 16, float> c;\n"
                         "  fill_fragment(a, 1); fill_fragment(b, 1); fill_fragment(c, 0);\n"
                         "  mma_sync(c, a, b, c);\n  store_matrix_sync(x, c, 16, mem_row_major);\n"
                         "  free(malloc(4));  // Which has no clocks.\n}\n"
                         "int main() {\n  float* x;\n  cudaMalloc(&x, 4096);\n  cudaMemset(x, 0, 4096);\n"
                         "  for (int i = 0; i < 2; ++i) wide<<<1, 32>>>((float4*)x), strided<<<1, 32>>>(x);\n"
                         "  tensor<<<1, 32>>>(x);\n  return cudaFree(x);\n}\n";
  const std::string table = run_command(tilescope_command("run " + file, "")).err;
  EXPECT_THAT(table, HasSubstr("16.0 (16.0)"));
  EXPECT_THAT(table, HasSubstr("32.0 (4.0)"));
  EXPECT_THAT(table, ContainsRegex("No time is predicted for tensor: the model does not cover\\s+tensor cores"));
  const std::string json = testing::TempDir() + "run.json";
  EXPECT_THAT(run_command(tilescope_command("run --json " + json + " " + file, "")).err,
              EndsWith("tilescope: The report is in " + json + ".\n"));
  const Json report = Json::parse(read_all(json));
  EXPECT_EQ(report["program"], file);
  double microseconds = 0;
  for (const Json& launch : report["launches"])
    if (launch["predicted"].is_object()) microseconds += launch["predicted"]["seconds"].get<double>() * 1e6;
  EXPECT_THAT(table, HasSubstr("\n       5  all"));
  EXPECT_THAT(table, HasSubstr(fmt::format("{:.3g}\n", microseconds)));
}

TEST_F(RunNvcc, SpillsAreThoseThatPtxasReports) {
  const std::string file = testing::TempDir() + "spills.cu";
  std::ofstream(file) << "__global__ void __launch_bounds__(1024, 2) spills(const float* c, float* out) {\n"
                         "  float p[48], s = 0;\n#pragma unroll\n"
                         "  for (int k = 0; k < 48; k++) p[k] = c[threadIdx.x + k];\n  for (int r = 0; r < 2; r++) {\n"
                         "#pragma unroll\n"
                         "    for (int k = 0; k < 48; k++) p[k] = p[k] * p[(k + 7) % 48] + p[(k + 23) % 48];\n  }\n"
                         "#pragma unroll\n  for (int k = 0; k < 48; k++) s += p[k];\n  out[threadIdx.x] = s;\n}\n"
                         "__global__ void indexed(const int* c, int* out) {\n  int p[32];\n"
                         "  for (int k = 0; k < 32; k++) p[c[k] & 31] = k;\n  out[0] = p[c[32] & 31];\n}\n"
                         "int main() {\n  float* x;\n  cudaMalloc(&x, 8192);\n  cudaMemset(x, 0, 8192);\n"
                         "  spills<<<1, 1024>>>(x, x);\n  indexed<<<1, 1>>>((int*)x, (int*)x);\n"
                         "  return cudaFree(x);\n}\n";
  const std::string said =
      run_command(compile::find_nvcc().string() + " -arch=sm_90 -cubin -Xptxas -v -o /dev/null " + file).err;
  std::smatch spilled;
  ASSERT_TRUE(std::regex_search(said, spilled, std::regex("([1-9]\\d*) bytes spill stores, (\\d+) bytes spill loads")))
      << said;
  const int bytes = std::stoi(spilled[1]) + std::stoi(spilled[2]);
  const std::string json = testing::TempDir() + "spills.json";
  run_command(tilescope_command("run --json " + json + " " + file, ""));
  const Json launches = Json::parse(read_all(json))["launches"];
  EXPECT_EQ(launches[0]["resources"]["spill_bytes"], bytes);
  EXPECT_TRUE(launches[1]["resources"]["spill_bytes"].is_null()) << "a local array";
  EXPECT_THAT(run_command(tilescope_command("run " + file, "")).err,
              HasSubstr(fmt::format("ptxas spills registers of spills ({} bytes per thread).", bytes)));
  EXPECT_THAT(run_command(tilescope_command("trace --launch 2 " + file, "")).out, Not(HasSubstr("nothing spilled")));
}

TEST_F(RunNvcc, AFileWithoutMainIsSentToCheck) {
  const std::string file = testing::TempDir() + "only_a_kernel.cu";
  std::ofstream(file) << "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }\n";
  const Ran ran = run_command(tilescope_command("run " + file, ""));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("only_a_kernel.cu has no main()"));
}

/// The lines of a program with `// expect: ...` and what that is.
std::vector<std::pair<int, std::string>> expected_in(const std::string& source) {
  std::ifstream stream(kPrograms + source);
  std::vector<std::pair<int, std::string>> expected;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number)
    if (const size_t at = line.find("// expect: "); at != std::string::npos)
      expected.emplace_back(number, line.substr(at + 11));
  return expected;
}

TEST_F(RunNvcc, DefectsAreFoundWithTheirLinesAndNames) {
  for (const auto& [source, count] : {std::pair{"wrong.cu", 4U}, std::pair{"defects.cu", 10U}}) {
    const RanWithJson ran = run_source(source, "--error-exitcode 1");
    EXPECT_EQ(ran.status, 1);
    std::set<std::pair<int, std::string>> found;
    for (const Json& launch : ran.json["launches"])
      for (const Json& finding : launch["findings"])
        found.emplace(finding["line"].get<int>(), finding["kind"].get<std::string>());
    const auto expected = expected_in(source);
    EXPECT_EQ(expected.size(), count);
    for (const auto& each : expected) EXPECT_TRUE(found.contains(each)) << source << ':' << each.first << each.second;
  }
  EXPECT_EQ(run_source("wrong.cu").json["launches"][0]["findings"][0]["element"], "values[100]");
}

/// Compares what a program does wrong with the comments on its lines.
void expect_failed(const std::string& source, const Json& failed) {
  const auto expected = expected_in(source);
  ASSERT_EQ(failed.size(), expected.size()) << failed;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_THAT(failed[i]["reason"].get<std::string>(), HasSubstr(expected[i].second));
    if (std::filesystem::exists("/usr/bin/addr2line") && !failed[i]["line"].is_null()) {
      EXPECT_EQ(failed[i]["line"], expected[i].first);
    }
  }
}

TEST_F(RunNvcc, CallsThatFailAreNamedWithLineAndReason) {
  const RanWithJson ran = run_source("failed_calls.cu", "--error-exitcode 1");
  EXPECT_EQ(ran.status, 1);
  expect_failed("failed_calls.cu", ran.json["failed"]);
  ASSERT_EQ(ran.json["launches"].size(), 2U);
  EXPECT_THAT(ran.json["launches"][1]["findings"][0]["message"].get<std::string>(),
              HasSubstr("in values, which was freed on line"));
}

TEST_F(RunNvcc, MemoryUsedDuringALaunchAndConstantsThatNobodySetAreNamed) {
  const RanWithJson ran = run_source("around_launches.cu", "--error-exitcode 1");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "6\n6\n12\n10\n") << "the program goes on";
  expect_failed("around_launches.cu", ran.json["failed"]);
  for (size_t i = 0; i < 3; ++i) EXPECT_FALSE(ran.json["failed"][i]["line"].is_null());
}

TEST_F(RunNvcc, WorkOfStreamsThatNothingOrdersIsNamedWithBothLines) {
  const RanWithJson ran = run_source("streams.cu", "--error-exitcode 1");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "0\n16380\n16380\n4\n24\n64\n");
  expect_failed("streams.cu", ran.json["failed"]);
  ASSERT_EQ(ran.json["not_freed"].size(), 1U);
  EXPECT_EQ(ran.json["not_freed"][0]["bytes"], 16384);
  EXPECT_EQ(ran.json["not_freed"][0]["line"], 18);
}

TEST_F(RunNvcc, LibrariesWorkInTheirStreamsAndSoDoThreadsInTheirs) {
  expect_failed("library_streams.cu", run_source("library_streams.cu").json["failed"]);
  const RanWithJson ran = run_source("per_thread.cu", "--nvcc=--default-stream --nvcc=per-thread");
  EXPECT_EQ(ran.out, "1010100\n");
  expect_failed("per_thread.cu", ran.json["failed"]);
}

TEST_F(RunNvcc, FunctionsAreCalledThroughPointers) {
  const RanWithJson ran = run_source("pointers.cu", "--error-exitcode 1");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "PASSED\n");
}

TEST_F(RunNvcc, CallsOfLibrariesWorkOrAreNamed) {
  const RanWithJson ran = run_source("libraries.cu");
  EXPECT_EQ(ran.out, "0 0\n15\n");
  EXPECT_EQ(ran.json["unknown"], Json({"cublasSgemv_v2"}));
}

TEST_F(RunNvcc, ALaunchOfTheProgramIsCheckedWithItsOwnSizes) {
  const auto check = [](const std::string& options) {
    return run_command(TILESCOPE_BINARY_DIR "/bin/tilescope check --json " + options);
  };
  const Ran found = check(kPrograms + "wrong.cu --launch 1");
  EXPECT_EQ(found.status, 1);
  const Json json = Json::parse(found.out);
  EXPECT_EQ(json["launch"]["block"], Json({128, 1, 1}));
  EXPECT_EQ(json["findings"][0]["element"], "values[100]");
  EXPECT_EQ(Json::parse(check(kPrograms + "wrong.cu --launch 1 --entry no_barrier").out)["kernel"], "no_barrier");
  EXPECT_EQ(check(kPrograms + "wrong.cu --launch 9").status, 2);
  EXPECT_EQ(check(kPrograms + "course.cu --launch 2").status, 0);
}

TEST_F(RunNvcc, AProgramThatIsRunUpToALaunchGetsItsArguments) {
  const auto tilescope = [](const std::string& options) {
    return run_command(TILESCOPE_BINARY_DIR "/bin/tilescope " + options);
  };
  const std::string file = kPrograms + "by_argument.cu";
  EXPECT_EQ(tilescope("check " + file + " -- --inside 40").status, 0);
  const Ran found = tilescope("check " + file + " -- --outside 40");
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("values[40]"));
  EXPECT_THAT(tilescope("trace " + file + " --launch 1 -- --inside 40").out, HasSubstr("inside"));
  EXPECT_THAT(tilescope("trace " + file + " --launch 1").err, HasSubstr("launched no kernel. It got no arguments"));
  // Not a file with a main().
  for (const std::string command : {"trace 9 40", "shot 9 40 -o x.png", "check 9 40"}) {
    const Ran refused = tilescope(command);
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("40: arguments are for the main() of a .cu file")) << command;
  }
}

TEST_F(RunNvcc, AProgramThatIsRunUpToALaunchHasNoNetworkAndWritesNoFile) {
  const auto blocks = [](const std::string& command) {
    return run_command(TILESCOPE_BINARY_DIR "/bin/tilescope " + command + kPrograms + "harmful.cu --launch 1 --json");
  };
  if (run_command("unshare -n true || unshare -rn true").status != 0) GTEST_SKIP() << "the system keeps the network";
  EXPECT_EQ(Json::parse(blocks("check ").out)["launch"]["grid"], Json({1, 1, 1}));
  EXPECT_EQ(run_source("harmful.cu").json["launches"][0]["launch"]["grid"], Json({4, 1, 1}));
}

}  // namespace
}  // namespace tilescope
