#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_program.h"

namespace {
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

TEST(CommandLine, APictureAsSvgSaysWhatItShows) {
  const std::string file = testing::TempDir() + "stage.svg";
  const Ran ran = run_tilescope("shot 02 --size 64 --picture stage --svg " + file);
  if (ran.status != 0) GTEST_SKIP() << "nothing to paint with: " << ran.err;
  const tilescope::Result<std::string> svg = tilescope::read_file(file);
  ASSERT_TRUE(svg);
  EXPECT_THAT(*svg, testing::ContainsRegex("64³   block \\(0, 0\\) › warp 0[^<]*</text>"));
}

TEST(CommandLine, SuggestsTheNearestCommandKernelParameterAndOption) {
  const Ran command = run_tilescope("trac 1");
  EXPECT_EQ(command.status, 2);
  EXPECT_EQ(command.out, "");
  EXPECT_THAT(
      command.err,
      StartsWith("error: There is no command trac. Did you mean trace? The commands are kernels, trace, check, "));
  const Ran kernel = run_tilescope("trace navie_rows");
  EXPECT_EQ(kernel.status, 2);
  EXPECT_THAT(kernel.err, HasSubstr("did you mean 01_naive_rows?"));
  const Ran parameter = run_tilescope("trace 9 --set BMM=64");
  EXPECT_EQ(parameter.status, 2);
  EXPECT_EQ(parameter.err, "error: There is no parameter BMM; did you mean BM?\n");
  const Ran option = run_tilescope("trace 9 --sise 3");
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.err, HasSubstr("Did you mean --size?"));
}

TEST(CommandLine, ARefusalNamesTheHelpOfItsCommand) {
  EXPECT_EQ(run_tilescope("shot 4 --width abc -o x.png").err,
            "error: --width: abc is not a number. tilescope shot --help lists the options.\n");
  EXPECT_THAT(run_tilescope("lesson sheet 2 --lnag zh").err,
              HasSubstr(" Did you mean --lang? tilescope lesson sheet --help lists the options.\n"));
  EXPECT_THAT(run_tilescope("--lnag zh").err, HasSubstr(" tilescope --help lists the options.\n"));
}

TEST(CommandLine, RefusesValuesThatMeanNothing) {
  const std::pair<const char*, const char*> refused[]{
      {"trace 9 --size ''", "error: --size has an empty value; give one, or leave the option out.\n"},
      {"trace 9 --size=", "error: --size= has no value; give one.\n"},
      {"trace ''", "error: An argument is empty; give it a value, or leave it out.\n"},
      {"trace 9 --seed -1", "--seed: -1 is not a whole number from 0 to 2^64 - 1."},
      {"trace 9 --seed 18446744073709551616", "is not a whole number from 0 to 2^64 - 1."},
      {"trace 9 --max-seconds nan", "--max-seconds: nan is not a number from 0.001 to 1e+06."},
      {"trace 9 --max-seconds inf", "--max-seconds: inf is not a number"},
      {"trace 9 --max-instructions 0", "--max-instructions: 0 is not a whole number from 1 on."},
      {"check 9 --threads 40000", "--threads: 40000 is not a whole number from 1 to 1024."},
      {"measure 9 --min-time nan", "--min-time: nan is not a number from 0 to 10000."},
      {"trace 9 --entry tile", "error: --entry is for a .cu file; 9 is a kernel of the catalogue."},
      {"trace x.cu --entry 'f<<<1>>>'",
       "--entry: f<<<1>>> is not a kernel's name, of a template with its arguments: tile<16>."},
      {"check x.cu --entry 'f<int'", "--entry: f<int is not a kernel's name"},
      {"describe x.cu --entry 'f(1)'", "--entry: f(1) is not a kernel's name"},
      {"grade x.cu --lesson 3 --entry 'f<1,>'", "--entry: f<1,> is not a kernel's name"},
      {"shot x.cu --entry a::1 -o x.png", "--entry: a::1 is not a kernel's name"},
      {"trace 9 --include .", "error: --include is for a .cu file; 9 is a kernel of the catalogue."},
      {"shot 9 --entry tile -o x.png", "error: --entry is for a .cu file: name one.\n"},
      {"shot 4 --size 64 --block 4,0 -o x.png",
       "error: There is no block (4, 0): the grid is (2, 2), so x is at most 1 and y at most 1."},
      {"shot --size 64 -o x.png", "error: --size is for a kernel: name one.\n"},
      {"shot --lesson 3 --set TILE=8 -o x.png", "error: --set changes nothing in a lesson, whose steps have runs"},
      {"shot --lesson 3 --source mine.cu -o x.png", "error: --source changes nothing in a lesson, whose steps have"},
      {"window --state x.json 9", "error: --state says by its file what is shown: leave out the kernel.\n"},
      {"shot 9 --step 2 -o x.png", "error: --step is for a lesson: add --lesson.\n"},
      {"shot 9 --picture stage -o x.png", "error: --picture is for --svg: add --svg x.svg.\n"},
      {"shot 9 --line 40 --at 3 -o x.png", "error: --line and --at are two places: leave one of them out.\n"},
      {"run ./a.out --nvcc=-O3", "error: --nvcc is for a .cu file; ./a.out is compiled already.\n"},
      {"ladder --gpu H200", "--gpu requires --predicted."},
      {"ladder --recorded --hot", "--recorded excludes --hot."},
      {"tune 9 --predicted --device 1", "--predicted excludes --device."},
      {"tune 9 --compiler clang", "--compiler requires --predicted."},
      {"shot -o x.png --line 0", "--line: 0 is not a whole number from 1"},
      {"shot -o x.png --warp 32", "--warp: 32 is not a whole number from 0 to 31."},
      {"shot -o x.png --lane 99", "--lane: 99 is not a whole number from 0 to 31."},
  };
  for (const auto& [arguments, sentence] : refused) {
    const Ran ran = run_tilescope(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << arguments;
  }
}

TEST(CommandLine, SettingsMayStandBeforeTheKernel) {
  const Ran before = run_tilescope("trace --set BM=64 BN=64 9 --size 128 --json");
  const Ran after = run_tilescope("trace 9 --set BM=64 BN=64 --size 128 --json");
  EXPECT_EQ(before.err, after.err);
  EXPECT_EQ(before.status, after.status);
  EXPECT_EQ(before.out, after.out);
  EXPECT_THAT(before.err, testing::Not(HasSubstr("kernel is required")));
}

TEST(CommandLine, HelpAndVersionAreData) {
  EXPECT_THAT(run_tilescope("--version").out, StartsWith("tilescope "));
  const Ran help = run_tilescope("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("kernels"), HasSubstr("trace"), HasSubstr("check"), HasSubstr("doctor")));
  EXPECT_EQ(help.err, "");
}

TEST(CommandLine, AClosedOrFullStdoutIsSaid) {
  const Ran closed = run_tilescope("kernels", ">&-");
  EXPECT_EQ(closed.status, 2);
  EXPECT_EQ(closed.err, "error: The output cannot be written: stdout is closed.\n");
  const Ran full = run_tilescope("kernels", ">/dev/full");
  EXPECT_EQ(full.status, 2);
  EXPECT_EQ(full.err, "error: The output cannot be written: No space left on device.\n");
}

TEST(Kernels, ListsParametersWithDefaultsAndRanges) {
  const json all = json::parse(run_tilescope("kernels --json").out);
  const auto found =
      std::ranges::find(all["kernels"], json("09_thread_tile_2d"), [](const json& k) { return k["name"]; });
  ASSERT_NE(found, all["kernels"].end());
  const json& ninth = *found;
  EXPECT_EQ(ninth["number"], 9);
  EXPECT_EQ(ninth["parameters"][0]["name"], "BM");
  EXPECT_EQ(ninth["parameters"][0]["default"], 64);
  EXPECT_EQ(ninth["parameters"][0]["values"], json({16, 32, 64, 128, 256}));
  EXPECT_THAT(run_tilescope("kernels").out, HasSubstr("09_thread_tile_2d  2-D thread tile\n"));
}

TEST(Trace, TheObjectHasEveryDocumentedField) {
  const Ran ran = run_tilescope("trace naive_rows --size M=64,N=32,K=16 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["kernel"], "01_naive_rows");
  EXPECT_EQ(report["params"], json({{"BLOCK", 32}}));
  EXPECT_EQ(report["size"], json({{"M", 64}, {"N", 32}, {"K", 16}}));
  EXPECT_EQ(report["arch"], "sm_90");
  EXPECT_EQ(report["source"], "counted");
  EXPECT_EQ(report["launch"]["grid"].size(), 3U);
  EXPECT_EQ(report["launch"]["block"], json({32, 32, 1}));
  EXPECT_EQ(report["launch"]["shared_bytes"], 0);
  EXPECT_EQ(report["resources"]["spill_bytes"], 0);
  EXPECT_GT(report["resources"]["registers"], 0);
  EXPECT_EQ(report["resources"]["loop_loads"], json({{"4", 0}, {"8", 0}, {"16", 0}}));
  EXPECT_EQ(report["instead_of_nvcc"], false);
  for (const char* field : {"blocks_per_sm", "warps_per_sm", "theoretical", "limiter"})
    EXPECT_TRUE(report["occupancy"].contains(field)) << field;
  const json& counts = report["counts"];
  EXPECT_EQ(counts["blocks_counted"], 2);
  EXPECT_EQ(counts["blocks_total"], 2);
  EXPECT_EQ(counts["fma"], 64 * 32 * 16);
  EXPECT_EQ(counts["global_load"]["words"], 2 * 64 * 32 * 16);
  EXPECT_EQ(counts["global_store"]["words"], 64 * 32);
  EXPECT_EQ(counts["shared_load"], json({{"requests", 0}, {"wavefronts", 0}, {"bank_conflicts", 0}, {"words", 0}}));
  for (const char* field : {"thread_instructions", "warp_instructions", "divergent_branches", "shared_store"})
    EXPECT_TRUE(counts.contains(field)) << field;
  EXPECT_TRUE(report["verified"]["ok"]);
  EXPECT_LE(report["verified"]["max_error"], report["verified"]["bound"]);
  EXPECT_EQ(report["findings"], json::array());
  EXPECT_GT(report["clock"]["clocks"], 0);
  const json older = json::parse(run_tilescope("trace 01 --size 64 --arch sm_80 --json").out);
  EXPECT_THAT(older["clock"]["not_known"].get<std::string>(), HasSubstr("The clocks of sm_80 are not known"));
}

struct WordsPerElement {
  const char* kernel;
  double global, shared;  // loads, in units of K
};

TEST(Trace, WordsPerElementAreWhatTheTilesImply) {
  for (const WordsPerElement& expected : {WordsPerElement{"1", 2, 0},
                                          {"2", 2, 0},
                                          {"3", 2, 0},
                                          {"4", 1.0 / 16, 2},
                                          {"8", 1.0 / 32, 17.0 / 16},
                                          {"9", 1.0 / 32, 1.0 / 2}}) {
    const json report = json::parse(run_tilescope(std::string("trace --size 128 --json ") + expected.kernel).out);
    const double elements = 128 * 128, k = 128;
    EXPECT_EQ(report["counts"]["global_load"]["words"], expected.global * k * elements) << report["kernel"];
    EXPECT_EQ(report["counts"]["shared_load"]["words"], expected.shared * k * elements) << report["kernel"];
    EXPECT_EQ(report["counts"]["fma"], k * elements) << report["kernel"];
  }
}

TEST(Trace, TheSameReportOnAnyNumberOfThreads) {
  const Ran one = run_tilescope("trace 4 --size 96 --json --threads 1"),
            many = run_tilescope("trace 4 --size 96 --json --threads 7");
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out, many.out);
}

TEST(Trace, OneBlockIsTracedWithAHashOfItsOwn) {
  const json a = json::parse(run_tilescope("trace 2 --size 64 --block 1,1 --json").out);
  const json b = json::parse(run_tilescope("trace 2 --size 64 --block 1,1 --json").out);
  const json c = json::parse(run_tilescope("trace 2 --size 64 --block 0,1 --json").out);
  EXPECT_EQ(a["counts"]["blocks"], json({3}));
  EXPECT_EQ(a["counts"]["blocks_counted"], 1);
  EXPECT_EQ(a["verified"]["elements"], 1024);
  EXPECT_EQ(a["trace"]["hash"], b["trace"]["hash"]);
  EXPECT_NE(a["trace"]["hash"], c["trace"]["hash"]);
  EXPECT_THAT(run_tilescope("trace 2 --size 64 --block 1,1").out, HasSubstr("right in 1 of 4 blocks: 1 024 elements"));
  const Ran outside = run_tilescope("trace 2 --size 64 --block 2,0");
  EXPECT_EQ(outside.status, 2);
  EXPECT_EQ(outside.err, "error: There is no block (2, 0): the grid is (2, 2), so x is at most 1 and y at most 1.\n");
  EXPECT_THAT(run_tilescope("trace 02 --size 64 --block 0,0,1").err, HasSubstr("There is no block (0, 0, 1): "));
  for (const char* bad : {"1,", ",1", "1,2,", "1,2,3,4", "a", "1;2"})
    EXPECT_THAT(run_tilescope(std::string("trace 02 --size 64 --block '") + bad + "'").err,
                HasSubstr("expected the block's position"));
}

TEST(Trace, TooLittleTimeOrTooFewInstructionsAreFindings) {
  const Ran ran = run_tilescope("trace 1 --size 64 --max-instructions 10 --json");
  EXPECT_EQ(ran.status, 1);
  const json report = json::parse(ran.out);
  EXPECT_THAT(std::string(report["stopped"]), StartsWith("Block (0, 0) issued 10 warp instructions without ending"));
  EXPECT_TRUE(report["verified"].is_null());
  EXPECT_EQ(report["not_verified"], "the run did not end by itself");
}

TEST(Trace, PtxIsShownWithItsExecutions) {
  const Ran ran = run_tilescope("trace 1 --size 32 --ptx");
  EXPECT_THAT(ran.out, HasSubstr("\n          32  \tret;\n"));
  EXPECT_THAT(std::string(json::parse(run_tilescope("trace 1 --size 32 --ptx --json").out)["ptx"]),
              HasSubstr(".target sm_90"));
}

TEST(Trace, MachineCodeShipsForTheDefaultArchitecture) {
  EXPECT_THAT(run_tilescope("trace 1 --size 32 --machine").out, HasSubstr("FFMA"));
  const Ran older = run_tilescope("trace 1 --size 32 --machine --arch sm_80");
  EXPECT_EQ(older.status, 2);
  EXPECT_THAT(older.err, HasSubstr("There is no machine code: NVRTC and nvcc make it, and it ships for sm_90 alone"));
}

TEST(Trace, AFileNeedsNvrtcAndNoDescription) {
  const fs::path file = fs::temp_directory_path() / ("student-" + std::to_string(::getpid()) + ".cu");
  std::ofstream(file) << "__global__ void mine(float* C) { C[0] = 1; }\n";
  const Ran bare = run_tilescope("trace " + file.string());
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, AllOf(HasSubstr("has no description. Assumed:\n"), HasSubstr("NVRTC is not usable here")));
  const Ran borrowed = run_tilescope("trace " + file.string() + " --like 1");
  EXPECT_EQ(borrowed.status, 2);
  EXPECT_THAT(borrowed.err, HasSubstr("NVRTC is not usable here"));
  fs::remove(file);
}

TEST(Describe, ProposesSavesAndLeavesWhatIsThere) {
  const fs::path folder = fs::temp_directory_path() / ("describe-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string file = (folder / "add.cu").string();
  std::ofstream(file) << "__global__ void add(const float* a, float* b, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) b[i] = a[i] + 1;\n}\n"
                         "int main() { int n = 1 << 20; add<<<(n + 127) / 128, 128>>>(nullptr, nullptr, n); }\n";
  const Ran shown = run_tilescope("describe " + file);
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("entry = \"add\""), HasSubstr("block = [\"128\"]"),
                               HasSubstr("grid = [\"ceil_div(N, 128)\"]"), HasSubstr("role = \"output\"")));
  EXPECT_THAT(shown.err, HasSubstr("as on line 5"));
  EXPECT_EQ(run_tilescope("describe --save " + file).status, 0);
  EXPECT_TRUE(fs::exists(folder / "add.toml"));
  const Ran again = run_tilescope("describe --save " + file);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.err, HasSubstr("describes it already"));
  EXPECT_EQ(run_tilescope("describe " + file + " --entry sub").status, 2);
  fs::remove_all(folder);
}

TEST(CommandLine, ShortWordsForHelpAndVersion) {
  EXPECT_EQ(run_tilescope("-V").out, run_tilescope("--version").out);
  EXPECT_EQ(run_tilescope("help").out, run_tilescope("--help").out);
  EXPECT_EQ(run_tilescope("help trace").out, run_tilescope("trace --help").out);
}

TEST(Check, ACorrectKernelHasNoFindings) {
  const Ran ran = run_tilescope("check 5");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("M=70 N=66 K=37"), HasSubstr("Checked     9 of 9 blocks"),
                             HasSubstr("Findings    none\n")));
}

TEST(Doctor, SaysWhatIsMissingAndWhatThatMeans) {
  const Ran ran = run_tilescope("doctor --json");
  EXPECT_EQ(ran.status, 0);
  const json facts = json::parse(ran.out)["facts"];
  ASSERT_EQ(facts.size(), 10U);
  EXPECT_EQ(facts[0]["name"], "NVRTC");
  EXPECT_EQ(facts[1]["name"], "nvcc");
  EXPECT_EQ(facts[2]["name"], "clang");
  for (size_t compiler = 0; compiler < 3; ++compiler) EXPECT_EQ(facts[compiler]["state"], "missing");
  for (const json& fact : facts) EXPECT_FALSE(std::string(fact["means"]).empty()) << fact;
}

TEST(Play, ComparesTheStages) {
  const Ran ran = run_tilescope("play --size 128 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json stages = json::parse(ran.out)["stages"];
  ASSERT_GE(stages.size(), 11U);
  for (const json& stage : stages) EXPECT_TRUE(stage["verified"]["ok"]) << stage["kernel"];
}

TEST(Shot, TakesAKernelAsTraceDoes) {
  EXPECT_THAT(run_tilescope("shot 99 -o /dev/null").err, HasSubstr("There is no kernel \"99\""));
  EXPECT_THAT(run_tilescope("shot nothere.cu -o /dev/null").err, HasSubstr("nothere.cu: no such file"));
  EXPECT_THAT(run_tilescope("shot 9 --kernel 4 -o /dev/null").err, HasSubstr("not both"));
}

}  // namespace
