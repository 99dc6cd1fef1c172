// The commands that measure, on the agent of tests/measure that answers without a GPU: a launch takes M microseconds
// and cuBLAS half of that.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_program.h"

namespace tilescope::cli {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class MeasureCommands : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  ~MeasureCommands() override { fs::remove_all(folder_); }

  Ran tilescope(const std::string& arguments, const std::string& agent = "good") const {
    return run_command(
        fmt::format("TILESCOPE_AGENT='{0}/tests/fake_agent {1}' TILESCOPE_NVRTC={0}/tests/libfake_nvrtc.so "
                    "XDG_CACHE_HOME={2}/cache "
                    "TILESCOPE_STORE={2}/store.db TILESCOPE_DATA={3} {0}/bin/tilescope {4}",
                    TILESCOPE_BINARY_DIR, agent, folder_.string(), TILESCOPE_SOURCE_DIR, arguments));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("measure-commands-{}", ::getpid());
};

TEST_F(MeasureCommands, MeasurePrintsTimeSpeedAndShareOfCublas) {
  const Ran first = tilescope("measure 02 --size 256");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("02_naive_swapped  BLOCK=32, M = N = K = 256\n"),
                    HasSubstr("time       256.00 us (quartiles 256.00 us to 256.00 us)"),
                    HasSubstr("speed      131 GFLOPS"), HasSubstr("cuBLAS     cublasGemmEx: 128.00 us"),
                    HasSubstr("of cuBLAS  50.0 % (99 % interval 50.0 to 50.0)"),
                    HasSubstr("12, 1 dropped: throttled, noise 0.00 %"), HasSubstr("Fake GPU, driver 1.2.3")));
  EXPECT_THAT(tilescope("measure 02 --size 256").out, HasSubstr("(kept; --again measures anew)"));
}

TEST_F(MeasureCommands, AFaultNamesWhatToRunInTheEmulator) {
  const Ran ran = tilescope("measure 02 --size 256", "fault");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("The kernel faulted on the GPU. The emulator runs the same launch and names the "
                                 "line: see the window's findings, or tilescope check."));
}

TEST_F(MeasureCommands, CountersStandBesideWhatIsCounted) {
  const Ran ran = tilescope("measure 02 --size 256 --counters");
  ASSERT_EQ(ran.status, 0) << ran.err;
  // The stand-in compiler's kernel returns at once: an instruction of each of 2048 warps.
  EXPECT_THAT(ran.out, AllOf(testing::ContainsRegex("counter +hardware +counted\n"),
                             testing::ContainsRegex("instructions of warps +1000 +\\* +2048\n"),
                             testing::ContainsRegex("shared load requests +1000 +\\* +0\n"),
                             testing::ContainsRegex("stalled: barrier +1000\n"),
                             HasSubstr("* The emulator issues the instructions of the PTX;")));
  const nlohmann::json json = nlohmann::json::parse(tilescope("measure 02 --size 256 --counters --json").out);
  const nlohmann::json& counter = json["counters"][0];
  EXPECT_EQ(counter["name"], "smsp__inst_executed.sum");
  EXPECT_EQ(counter["hardware"], 1000);
  EXPECT_EQ(counter["counted"], 2048);
  EXPECT_TRUE(json["counters"].back()["counted"].is_null());
}

TEST_F(MeasureCommands, CountersThatMayNotBeReadLeaveTheTime) {
  const Ran ran = tilescope("measure 02 --size 256 --counters", "no-permission");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("Administrators alone may read hardware counters."));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("256.00 us"), testing::Not(HasSubstr("hardware"))));
}

TEST_F(MeasureCommands, ASweepWritesCountersToAFile) {
  const fs::path file = folder_ / "counters.csv";
  const Ran ran = tilescope(fmt::format("sweep 02 --set BLOCK=8,16 --size 128 --counters {}", file.string()));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string csv = read_all(file);
  EXPECT_THAT(csv, testing::StartsWith("device,driver,toolkit,date,kernel,kernel_hash,params,m,n,k,math,hot,"
                                       "smsp__inst_executed.sum,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
}

TEST_F(MeasureCommands, ASweepTakesAFile) {
  const Ran ran = tilescope("sweep " TILESCOPE_SOURCE_DIR
                            "/lessons/09-bank-conflicts/bank_free.cu --set PAD_A=0,4 "
                            "--size 128 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json all = nlohmann::json::parse(ran.out);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["kernel"], "bank_free");
  EXPECT_EQ(all[1]["params"]["PAD_A"], 4);
}

TEST_F(MeasureCommands, ASweepGoesOnWhereItStopped) {
  const std::string command =
      fmt::format("sweep 02 --set BLOCK=8,16,7 --size 128,256 --csv {}/out.csv", folder_.string());
  const Ran first = tilescope(command);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("note: 4 measured, 0 from the store, 0 failed, 2 combinations are not legal."));
  const std::string csv = read_all(folder_ / "out.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  EXPECT_THAT(tilescope(command).err, HasSubstr("note: 0 measured, 4 from the store, 0 failed"));
  EXPECT_EQ(read_all(folder_ / "out.csv"), csv);
}

TEST_F(MeasureCommands, SeveralAgentsShareASweep) {
  const std::string agent = fmt::format("--agent '{}/tests/fake_agent good'", TILESCOPE_BINARY_DIR);
  const Ran ran = tilescope(fmt::format("sweep 02 --size 64,96,128,160,192,224 --json {0} {0} {0}", agent));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json all = nlohmann::json::parse(ran.out);
  ASSERT_EQ(all.size(), 6U);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i]["m"], 64 + 32 * i);
}

TEST_F(MeasureCommands, ADamagedStoreIsMovedAsideByWhatKeepsAMeasurement) {
  const std::string noise(8192, 'x');
  std::ofstream(folder_ / "store.db") << noise;
  const Ran first = tilescope("measure 02 --size 256");
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.err, fmt::format("warning: {}/store.db is damaged (file is not a database). It was kept as "
                                   "store.db.damaged, and a new one was started.\n",
                                   folder_.string()));
  EXPECT_THAT(first.out, HasSubstr("256.00 us"));
  EXPECT_EQ(read_all(folder_ / "store.db.damaged"), noise);
  EXPECT_THAT(tilescope("measure 02 --size 256").out, HasSubstr("(kept;"));
}

TEST_F(MeasureCommands, AStoreThatCannotBeWrittenIsSaidOnceBesideTheResult) {
  fs::create_directories(folder_ / "store.db");  // A folder where the file is to be.
  const std::string why = fmt::format(
      "error: The measurement was not kept: {}/store.db cannot be used: unable to open database file. Set "
      "TILESCOPE_STORE to another file.\n",
      folder_.string());
  const Ran one = tilescope("measure 02 --size 256");
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.err, why);
  EXPECT_THAT(one.out, HasSubstr("256.00 us"));
  const Ran sweep = tilescope("sweep 02 --set BLOCK=8,16 --size 128");
  EXPECT_EQ(sweep.status, 0);
  EXPECT_EQ(sweep.err, why + "note: 2 measured, 0 from the store, 0 failed, 0 combinations are not legal.\n");
  EXPECT_EQ(std::ranges::count(sweep.out, '\n'), 3);
}

TEST_F(MeasureCommands, APictureSaysThatTheStoreIsDamagedAndLeavesIt) {
  const std::string noise(8192, 'x');
  std::ofstream(folder_ / "store.db") << noise;
  const Ran ran = tilescope(fmt::format("shot 02 --size 64 -o {}/x.png", folder_.string()));
  if (ran.status != 0) GTEST_SKIP() << "nothing to paint with: " << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(fmt::format("{}/store.db is damaged (file is not a database), so what was measured "
                                             "before is not known.",
                                             folder_.string())));
  EXPECT_EQ(read_all(folder_ / "store.db"), noise);
  EXPECT_FALSE(fs::exists(folder_ / "store.db.damaged"));
}

TEST_F(MeasureCommands, TheLadderIsATableOfTimeSpeedAndShare) {
  const Ran ran = tilescope("ladder --size 128");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(testing::ContainsRegex("stage +ms +GFLOPS +of cuBLAS\n"),
                    testing::ContainsRegex("01_naive_rows +BLOCK=32 +0.128 +32.8 +50.0 %"),
                    testing::ContainsRegex("cuBLAS FP32 +cublasGemmEx +0.064 +65.5 +100.0 %"),
                    testing::ContainsRegex("cuBLAS BF16 +cublasGemmEx"),
                    HasSubstr("Measured on Fake GPU, driver 1.2.3, NVRTC "),
                    HasSubstr("M = 128, N = 128, K = 128. Each stage is beside cuBLAS in its own precision; FP32 is "
                              "without TF32.\n")));
}

TEST_F(MeasureCommands, TheRecordedLadderNeedsNoAgent) {
  const Ran ran = tilescope("ladder --recorded", "no-gpu");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Recorded on NVIDIA H200"), HasSubstr("11_warp_tile")));
  EXPECT_THAT(tilescope("ladder", "no-gpu").err,
              HasSubstr("No NVIDIA driver: install one. tilescope ladder --recorded shows another GPU's."));
}

TEST_F(MeasureCommands, TuneSaysHowManyOfHowManyItTried) {
  const Ran ran = tilescope("tune 07 --size 128");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(testing::ContainsRegex("07_rect_tile +time +GFLOPS +of cuBLAS"), HasSubstr("the defaults"),
                             testing::ContainsRegex("[0-9]+ of 12 combinations are legal. [0-9]+ were compiled, "
                                                    "[0-9]+ of them can be launched. [0-9]+ were measured")));
}

TEST_F(MeasureCommands, TuneEndsWhenTheTimeIsUp) {
  const Ran ran = tilescope("tune 11 --size 4096 --seconds 0 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json result = nlohmann::json::parse(ran.out);
  EXPECT_GT(result["legal"], 1000);
  EXPECT_EQ(result["measured"], 0);
  EXPECT_EQ(result["best"].size(), 1U);  // The defaults.
}

TEST_F(MeasureCommands, TheLadderHasARowForThisMachinesCpu) {
  const Ran ran = tilescope("ladder --size 256 --recorded --cpu", "no-gpu");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(testing::ContainsRegex("CPU, plain loops +256 x 256 x 256 on 1 thread +[0-9.]+ +[0-9.]+"),
                             HasSubstr("The CPU's rows were measured here.")));
  const nlohmann::json cpu =
      nlohmann::json::parse(tilescope("ladder --size 256 --recorded --cpu --json", "no-gpu").out)["cpu"];
  EXPECT_EQ(cpu[0]["name"], "plain loops");
  EXPECT_GT(cpu[0]["gflops"], 0);
}

TEST_F(MeasureCommands, DoctorTellsOfTheAgent) {
  const auto agent_of = [&](const std::string& mode) {
    return nlohmann::json::parse(tilescope("doctor --json", mode).out)["facts"].back();
  };
  const nlohmann::json good = agent_of("good"), without = agent_of("no-gpu");
  EXPECT_EQ(good["name"], "Agent");
  EXPECT_EQ(good["found"], "CUDA 13.0, cuBLAS 13.0.0, driver 1.2.3, Fake GPU");
  EXPECT_EQ(without["state"], "limited");
  EXPECT_EQ(without["found"], "No NVIDIA driver: install one.");
  EXPECT_EQ(without["means"], "Nothing can be measured; recorded and published times are shown all the same.");
}

}  // namespace
}  // namespace tilescope::cli
