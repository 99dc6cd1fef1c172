// The commands that predict, and tune: they need the registers that ptxas reports through NVRTC, and are skipped
// without it. Measurements come from the agent of tests/measure that answers without a GPU.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"
#include "clock/stall.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Pair;

class PredictedCommands : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    const Ran ran = tilescope("doctor --json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    const nlohmann::json nvrtc = nlohmann::json::parse(ran.out)["facts"][0];
    ASSERT_EQ(nvrtc["name"], "NVRTC");
    if (nvrtc["state"] != "here") GTEST_SKIP() << "without NVRTC hardly anything is predicted";
  }
  ~PredictedCommands() override { fs::remove_all(folder_); }

  std::string command(const std::string& arguments) const {
    return fmt::format(
        "TILESCOPE_AGENT=\"{0}/tests/fake_agent good\" XDG_CACHE_HOME={1}/cache "
        "TILESCOPE_STORE={1}/store.db TILESCOPE_DATA={2} {0}/bin/tilescope {3}",
        TILESCOPE_BINARY_DIR, folder_.string(), TILESCOPE_SOURCE_DIR, arguments);
  }
  Ran tilescope(const std::string& arguments) const { return run_command(command(arguments)); }
  /// Presses Ctrl+C once the progress matches the pattern, after half a minute at the latest.
  Ran interrupted(const std::string& arguments, const std::string& pattern) const {
    return run_command(
        fmt::format("bash -c 'set -m; {0} 2>{1}/progress & for i in {{1..300}}; do "
                    "grep -qE \"{2}\" {1}/progress && break; sleep 0.1; done; kill -INT $!; wait $!'",
                    command(arguments), folder_.string(), pattern));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("predicted-commands-{}", ::getpid());
};

TEST_F(PredictedCommands, WithoutAGpuTuneNamesThePredictedBest) {
  const Ran ran = tilescope("tune 07 --size 1024 --predicted");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(testing::ContainsRegex("predicted +time +from .. to +GFLOPS +longest"),
                             HasSubstr("Predicted for H200, not measured, by executing the machine code on a "
                                       "simulated SM: eight of ten launches are within their range."),
                             testing::ContainsRegex("[0-9]+ of 12 combinations are legal. [0-9]+ were compiled and "
                                                    "counted, [0-9]+ of them can be launched")));
  EXPECT_THAT(ran.err, testing::ContainsRegex("07_rect_tile: [0-9]+ of [0-9]+ combinations counted, at most [0-9]+ s "
                                              "left; best so far .* predicted, TILE_COLS="));
  const Ran with_json = tilescope("tune 07 --size 1024 --predicted --json");
  ASSERT_EQ(with_json.status, 0) << with_json.err;
  double before = 0;
  const nlohmann::json best = nlohmann::json::parse(with_json.out)["best"];
  ASSERT_GT(best.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const nlohmann::json& predicted = best[i]["predicted"];
    EXPECT_EQ(predicted["source"], "predicted");
    EXPECT_EQ(predicted["device"], "H200");
    EXPECT_GE(predicted["seconds"], before) << "the fastest first";
    EXPECT_LT(predicted["low"], predicted["seconds"]);
    EXPECT_GT(predicted["high"], predicted["seconds"]);
    before = predicted["seconds"];
  }
}

TEST_F(PredictedCommands, CtrlCPrintsTheBestThatWasFound) {
  const Ran ran = interrupted("tune 11 --size 4096 --predicted", "best so far");
  EXPECT_EQ(ran.status, 130) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("11_warp_tile  BM="), HasSubstr("Predicted for H200")));
}

TEST_F(PredictedCommands, CtrlCPrintsTheFastestThatWasMeasured) {
  const Ran ran = interrupted("tune 11 --size 4096 --seconds 10", ", [1-9][0-9]* measured");
  EXPECT_EQ(ran.status, 130) << ran.err;
  EXPECT_THAT(ran.out, AllOf(testing::ContainsRegex("11_warp_tile +time +GFLOPS"), HasSubstr(" were measured")));
}

TEST_F(PredictedCommands, WithoutAGpuTheLadderHasPredictedTimesOfAllStages) {
  const Ran ran = tilescope("ladder --size 1024 --predicted --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json stages = nlohmann::json::parse(ran.out)["stages"];
  EXPECT_GE(stages.size(), 11U);
  std::map<std::string, std::set<std::string>> unpredicted;
  for (const nlohmann::json& stage : stages) {
    EXPECT_EQ(stage["m"], 1024);
    if (stage["predicted"].is_null()) {
      EXPECT_TRUE(stage["gflops"].is_null());
      unpredicted[stage["not_predicted"]].insert(stage["kernel"].get<std::string>().substr(0, 2));
      continue;
    }
    EXPECT_GT(stage["gflops"], 0);
    double longest = 0;
    for (const nlohmann::json& term : stage["predicted"]["terms"]) {
      EXPECT_LE(term["seconds"], stage["predicted"]["seconds"]) << stage["kernel"] << term;
      longest = std::max(longest, term["seconds"].get<double>());
    }
    for (const nlohmann::json& term : stage["predicted"]["terms"])
      if (term["name"] == stage["predicted"]["limiting"]) {
        EXPECT_EQ(term["seconds"], longest);
      }
  }
  using testing::ElementsAre;
  EXPECT_THAT(unpredicted, testing::IsEmpty());
  EXPECT_THAT(
      tilescope("ladder --size 512 --predicted --gpu A100").out,
      AllOf(HasSubstr("01_naive_rows"),
            HasSubstr("Predicted for A100, not measured, by a model of counts fitted on recordings of an NVIDIA "
                      "H200"),
            testing::ContainsRegex("Not predicted, because .*tensor cores.*: 21_tf32_mma, 22_bf16_mma")));
}

TEST_F(PredictedCommands, WhatHasTensorCoresIsNotPredictedWithoutClocksAndSaysWhy) {
  const Ran tuned = tilescope("tune 22 --size 1024 --predicted --gpu A100");
  EXPECT_EQ(tuned.status, 2);
  EXPECT_THAT(tuned.err, HasSubstr("22_bf16_mma is not predicted, because the model does not cover tensor cores"));
  const nlohmann::json report = nlohmann::json::parse(tilescope("trace 22 --size 128 --json").out);
  EXPECT_EQ(report["predicted"]["by"], "simulation");
  EXPECT_TRUE(report["not_predicted"].is_null());
  const nlohmann::json older = nlohmann::json::parse(tilescope("trace 22 --size 128 --arch sm_80 --json").out);
  EXPECT_TRUE(older["predicted"].is_null());
  EXPECT_THAT(older["not_predicted"].get<std::string>(), HasSubstr("tensor cores"));
  EXPECT_EQ(report["bound"]["times"]["tensor cores"]["formula"],
            "2097152 FMAs of F16/BF16 / (132 SMs * 2048 per clock * 1.98 GHz)");
}

TEST_F(PredictedCommands, TraceSaysWhereWarpsWait) {
  const Ran text = tilescope("trace 04 --size 128");
  EXPECT_THAT(text.out, testing::ContainsRegex("Where warps wait\n[0-9 ]+ clocks of an SM of H200"));
  EXPECT_THAT(text.out, testing::ContainsRegex("issues +1\\.00 "));
  const nlohmann::json report = nlohmann::json::parse(tilescope("trace 04 --size 128 --json").out);
  const nlohmann::json& clock = report["clock"];
  EXPECT_EQ(clock["source"], "simulated");
  EXPECT_NEAR(report["predicted"]["seconds"].get<double>(), clock["clocks"].get<double>() / 1.98e9, 3e-6);
  EXPECT_EQ(clock["stalls"]["selected"], 1.0);
  EXPECT_EQ(clock["stalls"].size(), tilescope::clock::kStalls);
  EXPECT_GT(clock["stalls"]["barrier"], 0.1);
  // Each tile of A and B is read once for each block: 16 blocks of 4 tiles of 2 * 32 * 32 floats.
  // Four blocks share a tile, and 0.4 of their requests to L2 become one of four; an SM's sectors are whole.
  constexpr double kTiles = 16 * 4 * 32 * 32 * 4, kAskedOfL2 = 1 - 0.4 * 3 / 4, kSectorOfEach = 16 * 32;
  EXPECT_NEAR(clock["l2"]["read_bytes"].get<double>(), 2 * kTiles * kAskedOfL2, kSectorOfEach);
  EXPECT_EQ(clock["l2"]["written_bytes"], 128 * 128 * 4);
  EXPECT_EQ(clock["readers"].size(), 2u);
  for (const nlohmann::json& reader : clock["readers"]) {
    EXPECT_THAT(reader["array"], testing::AnyOf("A", "B"));
    EXPECT_GT(reader["line"], 0);
    EXPECT_EQ(reader["asked_bytes"], kTiles);
    EXPECT_NEAR(reader["l2_bytes"].get<double>(), kTiles * kAskedOfL2, 2 * kSectorOfEach);
  }
  EXPECT_THAT(text.out, HasSubstr("What reads of global memory ask the caches for"));
  EXPECT_THAT(text.out, HasSubstr("long scoreboard ")) << "as the window says it";
}

TEST_F(PredictedCommands, TraceSaysWhyTheClocksAreNotKnown) {
  const auto why = [&](const std::string& arguments) {
    return nlohmann::json::parse(tilescope("trace " + arguments + " --json").out)["clock"]["not_known"]
        .get<std::string>();
  };
  EXPECT_EQ(why("04 --size 64 --arch sm_80"),
            "The clocks of sm_80 are not known, only those of sm_90: choose a device of that kind.");
  const std::string file = testing::TempDir() + "grid_wide.cu";
  std::ofstream(file) << "__global__ void grid_wide(float *C) { C[blockIdx.x] = 1; }\n";
  std::ofstream(testing::TempDir() + "grid_wide.toml")
      << "title = \"Grid-wide\"\nsummary = \"All blocks at once.\"\narguments = [\"C\"]\n[launch]\ncooperative = true\n"
         "grid = [4]\nblock = [32]\n";
  EXPECT_THAT(why(file), HasSubstr("blocks that wait for one another"));
  EXPECT_FALSE(nlohmann::json::parse(tilescope("trace 04 --size 64 --block 0,0 --json").out).contains("clock"));
}

}  // namespace
}  // namespace tilescope::cli
