// The simulated SM on kernels whose clocks can be worked out, and beside an H200's times. Skipped where there is no
// NVRTC.
#include "clock/sm.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "clock/measured_launches.h"

namespace tilescope::clock {
namespace {

class SimulatedSm : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto nvrtc = simulator().toolchain(); !nvrtc) GTEST_SKIP() << to_string(nvrtc.errors());
    const auto loaded = load_sm_model(data_folder() / "assets" / "sm.toml");
    ASSERT_TRUE(loaded) << to_string(loaded.errors());
    model_ = *loaded;
  }
  static test::LaunchSimulator& simulator() {
    static test::LaunchSimulator simulator;
    return simulator;
  }
  test::SimulatedLaunch simulate(const std::string& kernel, const std::string& preset = "default",
                                 uint64_t instructions = 200'000) {
    test::MeasuredLaunch launch;
    launch.kernel = kernel;
    launch.preset = preset;
    launch.size = 1024;
    auto simulated = simulator().simulate(launch, model_, instructions);
    if (!simulated) throw std::runtime_error(to_string(simulated.errors()));
    return std::move(*simulated);
  }
  SmModel model_;
};

double stalled(const SmRun& run, Stall stall) {
  return run.stalls[static_cast<size_t>(stall)] / static_cast<double>(run.issued);
}

TEST_F(SimulatedSm, AChainOfMultiplyAddsTakesFourClocksEach) {
  // 1,024 FFMA after one another; ptxas gives each four clocks until the next.
  const auto one = simulate("fma_chains_1");
  EXPECT_GE(one.time.run.clocks, 1024 * 4);
  EXPECT_LE(one.time.run.clocks, 1024 * 4 + 3000);  // Its start, its load and its store.
  EXPECT_EQ(one.time.run.issued % 4, 0u);           // A warp for each scheduler, all the same.
  // Four chains in a warp take no longer than one: the scheduler is free three clocks of four.
  const auto four = simulate("fma_chains_4");
  EXPECT_LT(four.time.run.clocks, one.time.run.clocks * 5 / 4);
}

TEST_F(SimulatedSm, FourWarpsHideEachOthersLoads) {
  const auto one = simulate("waits_for_loads", "one-warp"), four = simulate("waits_for_loads", "four-warps");
  EXPECT_EQ(four.time.run.issued, 4 * one.time.run.issued);
  EXPECT_LT(four.time.run.clocks, one.time.run.clocks * 3 / 2);
  // One warp waits for each of its 32 loads as long as L2 or DRAM takes.
  EXPECT_GT(one.time.run.clocks, 32 * model_.l2_hit);
  EXPECT_GT(stalled(one.time.run, Stall::LongScoreboard), 10);
}

TEST_F(SimulatedSm, TheSameLaunchTakesTheSameClocks) {
  const auto first = simulate("04_shared_tile"), second = simulate("04_shared_tile");
  EXPECT_EQ(first.time.run.clocks, second.time.run.clocks);
  EXPECT_EQ(first.time.run.stalls, second.time.run.stalls);
  EXPECT_EQ(first.time.run.traffic.read.l2, second.time.run.traffic.read.l2);
}

TEST_F(SimulatedSm, AllClocksOfAWarpHaveAReason) {
  const auto run = simulate("04_shared_tile").time.run;
  EXPECT_EQ(run.stalls[static_cast<size_t>(Stall::Selected)], static_cast<double>(run.issued));
  double by_pc = 0, all = 0;
  for (const uint64_t clocks : run.stalls_by_pc) by_pc += static_cast<double>(clocks);
  for (const double clocks : run.stalls) all += clocks;
  EXPECT_EQ(by_pc, all);
}

TEST_F(SimulatedSm, WarpsHaveFairPlacesInAFullQueueAndComeToTheBarrierTogether) {
  // 32 warps read a tile; an H200's wait five times as long for the queue as at the barrier.
  const auto run = simulate("04_shared_tile").time.run;
  EXPECT_LT(stalled(run, Stall::Barrier), stalled(run, Stall::MioThrottle) / 2);
}

TEST_F(SimulatedSm, SharedLoadsDoNotWaitBehindAtomicsOfGlobalMemory) {
  const auto run = simulate("reduce_atomic").time.run;
  EXPECT_GT(stalled(run, Stall::LongScoreboard), 10 * stalled(run, Stall::ShortScoreboard));
}

TEST_F(SimulatedSm, LoadsThatMissWaitForTheirDataAndNotForAPlaceInAQueue) {
  const auto run = simulate("copy_unrolled").time.run;
  EXPECT_GT(stalled(run, Stall::LongScoreboard), 10 * stalled(run, Stall::LgThrottle));
}

TEST_F(SimulatedSm, WideAddressesAndRegistersKeepTheScheduler) {
  const double with_both = stalled(simulate("08_thread_tile_1d").time.run, Stall::DispatchStall);
  model_.address_dispatch = 0;
  const double without_addresses = stalled(simulate("08_thread_tile_1d").time.run, Stall::DispatchStall);
  model_.operand_window = 0;
  const double without = stalled(simulate("08_thread_tile_1d").time.run, Stall::DispatchStall);
  EXPECT_GT(with_both, without_addresses);
  EXPECT_GT(without_addresses, without);
}

TEST_F(SimulatedSm, TensorCoresLowerTheClock) {
  const auto of = [&](const char* kernel) {
    const auto time = simulate(kernel).time;
    return (time.clocks + time.last_sm) / (time.seconds - model_.launch);
  };
  EXPECT_NEAR(of("23_bf16_wgmma"), model_.tensor_clock * of("09_thread_tile_2d"), 1);
}

TEST_F(SimulatedSm, BlocksThatPollForOthersFindThemDone) {
  // Stream-K's blocks add up what others have left, and poll for it.
  const auto run = simulate("20_stream_k").time;
  EXPECT_EQ(run.blocks, 1u);
  EXPECT_GT(run.block_instructions, 1024. * 1024 * 1024 / 32 / 132);  // Its share of the multiply-adds.
  EXPECT_LT(run.block_instructions, 1.5 * 1024 * 1024 * 1024 / 32 / 132);
}

TEST_F(SimulatedSm, SaysWhichArrayAndLineAsksTheCachesForWhat) {
  const auto naive = simulate("02_naive_swapped");
  std::set<std::string> arrays;
  run::CacheUse sum;
  for (const run::CacheUse& use : naive.readers) {
    arrays.insert(use.array);
    EXPECT_GT(use.line, 0u);
    sum.asked += use.asked;
    sum.hits += use.hits;
    sum.l2 += use.l2;
    sum.dram += use.dram;
  }
  EXPECT_EQ(arrays, (std::set<std::string>{"A", "B"}));
  EXPECT_NEAR(sum.asked, naive.reads.asked, 1);
  EXPECT_NEAR(sum.hits, naive.reads.hits, 1);
  EXPECT_NEAR(sum.l2, naive.reads.l2, 1);
  EXPECT_NEAR(sum.dram, naive.reads.dram, 1);
  EXPECT_NEAR(naive.reads.asked, naive.reads.hits + naive.reads.l2, 1);
  // A warp needs 1 sector of A and 4 of B for each of K: 1024 x 1024 / 32 warps.
  EXPECT_NEAR(naive.reads.asked, 1024. * 1024 / 32 * 1024 * 5 * 32, 0.02 * naive.reads.asked);

  // With less of an L1 more is asked for again; what is read once never is.
  model_.l1_bytes = 24 << 10;
  const auto small = simulate("02_naive_swapped");
  EXPECT_GT(small.reads.again, 2 * naive.reads.again);
  EXPECT_LT(small.reads.l1_hit_rate(), naive.reads.l1_hit_rate());
  EXPECT_EQ(simulate("vector_add").reads.again, 0);
}

TEST_F(SimulatedSm, LinesThatAreStoredTakePlacesInL1) {
  // A block reads 32 KB twice, and stores as much while it reads it again.
  EXPECT_EQ(simulate("softmax_warp").reads.again, 0);
  model_.l1_bytes = 68 << 10;
  EXPECT_GT(simulate("softmax_warp").reads.again, 1024 * 1024 * 4 * 0.03);
}

TEST_F(SimulatedSm, BulkCopiesAskL2AndNotL1) {
  const auto run = simulate("23_bf16_wgmma");
  EXPECT_EQ(run.reads.asked, 0);
  EXPECT_GT(run.reads.l2, 2 * 1024 * 1024 * 2);  // A and B at the least.
  ASSERT_FALSE(run.readers.empty());
  EXPECT_FALSE(run.readers.front().array.empty());
}

TEST_F(SimulatedSm, SmsOfAGpcAskL2TogetherForTilesThatTheyShare) {
  const auto asked = [&](const char* kernel, double together) {
    model_.together = together;
    return simulate(kernel, "default", 400'000).reads.l2;
  };
  // Sixteen blocks of a row share their tile of A, and at most four requests become one; each has a tile of B to
  // itself.
  EXPECT_NEAR(asked("04_shared_tile", 1) / asked("04_shared_tile", 0), (0.25 + 1) / 2, 0.01);
  EXPECT_EQ(asked("vector_add", 1), asked("vector_add", 0));              // Nothing is shared.
  EXPECT_EQ(asked("02_naive_swapped", 1), asked("02_naive_swapped", 0));  // Its warps never meet.
}

TEST_F(SimulatedSm, CopiesThatRunAheadOfTheWorkAreCarriedOnOnce) {
  // Copies run four tiles of 64 ahead, and only a part of these is simulated. 64 blocks read 64 rows of A and 256
  // columns of B.
  model_.together = 0;
  const double read = 64. * (64 + 256) * 1024 * 4;
  EXPECT_NEAR(simulate("17_tma").reads.l2, read, 0.1 * read);
}

TEST_F(SimulatedSm, WarpGroupsWaitForTheirBulkCopiesAndTheirProducts) {
  // 1024 / 16 products of 64 x 256 x 16 for each of two warp groups, which share the tensor cores: 128 clocks each.
  const auto run = simulate("23_bf16_wgmma").time.run;
  EXPECT_GE(run.clocks, 2 * 64 * 128);
  EXPECT_LE(run.clocks, 2 * 64 * 128 * 2);
  EXPECT_GT(stalled(run, Stall::LongScoreboard), 1);  // The mbarriers of the copies.
  // Where copies take longer, so does the kernel.
  model_.bulk_copy += 10'000;
  EXPECT_GE(simulate("23_bf16_wgmma").time.run.clocks, run.clocks + 10'000);
}

TEST_F(SimulatedSm, WarpGroupsWaitUntilWhatTheyStoreHasBeenRead) {
  // Each stores 64 columns after 64, from two places in turn.
  const auto before = simulate("23_bf16_wgmma").time.run;
  model_.l2_write_link = model_.l2_write_sector *= 20;
  EXPECT_GT(stalled(simulate("23_bf16_wgmma").time.run, Stall::LongScoreboard),
            2 * stalled(before, Stall::LongScoreboard) + 5);
}

TEST_F(SimulatedSm, WhatIsStoredDoesNotTakeTheWayOfWhatIsRead) {
  // A request for 8 lines of 4 sectors: the way back limits. A request for 32 lines of one: the way there.
  const auto longer_with_slow_stores = [&](const char* kernel) {
    const SmModel model = model_;
    const auto before = static_cast<double>(simulate(kernel).time.run.clocks);
    model_.l2_write_sector += 1;
    const auto after = static_cast<double>(simulate(kernel).time.run.clocks);
    model_ = model;
    return after / before;
  };
  EXPECT_LT(longer_with_slow_stores("copy_stride_8"), 1.02);
  EXPECT_GT(longer_with_slow_stores("copy_stride_32"), 1.04);
}

TEST_F(SimulatedSm, BlocksStartOneAfterTheOther) {
  // 4,096 blocks that do little: 31 or 32 for each SM.
  const auto clocks = [&] { return simulate("vector_add").time.clocks; };
  const double before = clocks();
  EXPECT_GT(before, 31 * model_.block_pace);
  model_.block_pace += 100;
  EXPECT_NEAR(clocks() - before, 31 * 100, 31 * 60);
}

TEST_F(SimulatedSm, TheFirstBlocksOfAnSmStartAtOnce) {
  // Two blocks for each SM, which it has at the start.
  const auto clocks = [&] { return simulate("uneven_blocks").time.run.clocks; };
  const int64_t before = clocks();
  model_.block_pace += 100;
  EXPECT_EQ(clocks(), before);
  model_.first_block_pace += 1000;
  EXPECT_GT(clocks(), before + 500);
}

TEST_F(SimulatedSm, BlocksThatEndAtOnceDelayTheEnd) {
  const auto afterwards = [&](double pace) {
    model_.block_pace = pace;
    return simulate("uneven_blocks").time.run.afterwards;
  };
  EXPECT_GT(afterwards(5000), afterwards(1) + 3000);
}

TEST_F(SimulatedSm, WhatIsStoredLastDelaysTheEnd) {
  model_.slowest_sm = model_.block_pace = 0;
  const LaunchTime before = simulate("histogram_global").time;
  model_.atomic *= 2;
  const LaunchTime slow = simulate("histogram_global").time;
  EXPECT_GT(slow.run.afterwards, before.run.afterwards + 1000);
  EXPECT_GE(slow.last_sm, slow.run.afterwards);
}

TEST_F(SimulatedSm, AWarpsFirstInstructionIsFetched) {
  // The two blocks of four warps that the SM has at the start wait for memory, others for the cache.
  const auto waits = [](const SmRun& run, double warps) {
    return run.stalls[static_cast<size_t>(Stall::NoInstruction)] / warps;
  };
  EXPECT_NEAR(waits(simulate("uneven_blocks").time.run, 8), model_.first_code, 50);
  const SmRun many = simulate("vector_add").time.run;
  const double warps = static_cast<double>(many.blocks_done) * 8;
  const double before = waits(many, warps);
  EXPECT_GE(before, model_.warp_code);
  model_.warp_code += 100;
  EXPECT_NEAR(waits(simulate("vector_add").time.run, warps) - before, 100, 30);
}

TEST_F(SimulatedSm, AWarpEndsWhenWhatItHasStoredHasLeft) {
  const SmRun before = simulate("vector_add").time.run;
  const auto drains = [](const SmRun& run) {
    return run.stalls[static_cast<size_t>(Stall::Drain)] / static_cast<double>(run.blocks_done) / 8;
  };
  model_.drain += 100;
  EXPECT_NEAR(drains(simulate("vector_add").time.run) - drains(before), 100, 10);
}

TEST_F(SimulatedSm, LoadsOfAWarpFollowOneAnotherAtTheirStallCounts) {
  // What their addresses keep the scheduler is less.
  const auto clocks = [&](double dispatch) {
    model_.address_dispatch = dispatch;
    return simulate("loads_in_a_row").time.run.clocks;
  };
  const int64_t before = clocks(0);
  EXPECT_LT(clocks(1), before + 100);
  EXPECT_GT(clocks(8), before + 500);
}

TEST_F(SimulatedSm, AnSmIsSimulatedWhoseBlocksDoAsMuchAsOthers) {
  // In a grid of 44 x 60 an SM's first blocks are in one column, and those of the last do ten times what the first do.
  const LaunchTime time = simulate("uneven_columns").time;
  EXPECT_NEAR(time.block_instructions / simulate("uneven_columns", "alike").time.block_instructions, 1, 0.1);
}

TEST_F(SimulatedSm, LongBlocksThatStartLastEndTheLaunch) {
  // On average as much to do. The long ones start when others have ended and then take 3,000 times four clocks and
  // more.
  const LaunchTime late = simulate("uneven_columns", "late").time, alike = simulate("uneven_columns", "alike").time;
  EXPECT_NEAR(late.block_instructions / alike.block_instructions, 1, 0.1);
  EXPECT_GT(late.clocks, 3000 * 4 + 400 * 4);
  EXPECT_GT(late.clocks, 1.4 * alike.clocks);
  EXPECT_LT(late.issue_active, 0.9 * alike.issue_active);
}

TEST_F(SimulatedSm, TheLastSmEndsLaterTheLongerBlocksWaitForMemory) {
  const LaunchTime loads = simulate("gather_chain").time, adds = simulate("09_thread_tile_2d").time;
  EXPECT_GT(loads.last_sm / loads.clocks, 3 * adds.last_sm / adds.clocks);
  EXPECT_NEAR(loads.seconds - model_.launch, (loads.clocks + loads.last_sm) / 1.98e9, 1e-9);
}

TEST_F(SimulatedSm, WhatOtherSmsPutIntoATableIsInTheWay) {
  // 67,584 numbers in 70,001 places, or in ten times as many.
  const LaunchTime dense = simulate("fills_table").time, sparse = simulate("fills_table", "sparse").time;
  EXPECT_GT(dense.block_instructions, 3 * sparse.block_instructions);
  EXPECT_GT(dense.last_sm, 1.5 * sparse.last_sm) << "a warp elsewhere has more to do";
}

TEST_F(SimulatedSm, TheFirstConstantsAreWaitedFor) {
  const int64_t before = simulate("fma_chains_1").time.run.clocks;
  model_.first_constant += 1000;
  EXPECT_GE(simulate("fma_chains_1").time.run.clocks, before + 1000);
}

TEST_F(SimulatedSm, AWarpWithSeveralStoresInARowGoesOn) {
  // Four words of each thread's 16 bytes, one after another: 16 sectors of a warp, which its next three stores join.
  const auto run = simulate("stores_fields").time.run;
  const double warps = static_cast<double>(run.blocks_done) * 8;
  EXPECT_LT(static_cast<double>(run.traffic.l2_write_sectors), 3 * 16 * warps);
}

TEST_F(SimulatedSm, BlocksWithNothingToDoSayNothingOfWhatIsRead) {
  const auto read = simulate("every_second_block").time.run.traffic.read;
  EXPECT_GT(static_cast<double>(read.dram), 0.8 * static_cast<double>(read.l2));
}

TEST_F(SimulatedSm, ConstantsOfDifferentAddressesAreLoadedOneAfterAnother) {
  // Four warps with 34 loads each that ptxas leaves of their 64, of one or of 32 addresses.
  const int64_t one = simulate("constants_by_lane").time.run.clocks;
  const int64_t many = simulate("constants_by_lane", "different").time.run.clocks;
  EXPECT_GT(many, 8000);
  EXPECT_LT(one, many / 4);
}

TEST_F(SimulatedSm, TheSmWithMostToDoEndsTheLaunch) {
  const int64_t even = simulate("uneven_blocks").time.run.clocks;
  EXPECT_GT(simulate("uneven_blocks", "uneven").time.run.clocks, 2000 * 4);
  EXPECT_LT(even, 2000);
}

TEST_F(SimulatedSm, WhatOtherSmsHaveReadLongBeforeIsInL2) {
  EXPECT_LT(simulate("reads_lines", "again").time.clocks, 0.75 * simulate("reads_lines").time.clocks);
}

TEST_F(SimulatedSm, ScatteredLoadsPassTheDataPathWhenTheirDataHasCome) {
  // Each of a warp's 16 loads under way has 32 wavefronts, which its latency does not hide.
  const double late = simulate("matvec_thread").time.clocks;
  model_.late_wavefronts = 1000;
  EXPECT_GT(late, 1.2 * simulate("matvec_thread").time.clocks);
}

TEST_F(SimulatedSm, WideProductsKeepTheirPipeAndTheSchedulerLongerThanMultiplyAdds) {
  // Four warps of a scheduler with 256 IMAD.HI each.
  EXPECT_GE(simulate("chains", "many-warps").time.run.clocks, 4 * 256 * 4);
  model_.wide_pace = model_.heavy_pace;
  model_.wide_dispatch = 0;
  EXPECT_LT(simulate("chains", "many-warps").time.run.clocks, 4 * 256 * 4);
}

TEST_F(SimulatedSm, AChainOfUpperWordsTakesNineClocksEach) {
  const int64_t clocks = simulate("chains").time.run.clocks;
  EXPECT_GE(clocks, 256 * 9);
  EXPECT_LE(clocks, 256 * 9 + 3000);
}

TEST_F(SimulatedSm, UpperWordsTakeTheAluAsWell) {
  // Four warps of a scheduler with 256 IMAD.HI and 512 LOP3 each: as long as 768 LOP3.
  EXPECT_GE(simulate("chains", "beside-others").time.run.clocks, 4 * 768 * 2);
}

TEST_F(SimulatedSm, FirstWarpsOfBlocksAreOnDifferentSchedulers) {
  const int64_t one = simulate("chains", "first-warp").time.run.clocks;
  EXPECT_LT(simulate("chains", "first-warps").time.run.clocks, one + 500) << "each has a scheduler for itself";
}

TEST_F(SimulatedSm, WhereLanesMeetIsWaitedForLikeABranch) {
  const auto run = simulate("chains", "branches").time.run;
  model_.converge = 5;
  EXPECT_NEAR(static_cast<double>(run.clocks - simulate("chains", "branches").time.run.clocks), 256 * 10, 100);
  EXPECT_GT(stalled(run, Stall::BranchResolving), 3);
}

TEST_F(SimulatedSm, WarpsWaitForConstantsAtTheirStartAndForTheirStoresAtTheirEnd) {
  // No shared memory: what waits in the queue to it are LDC and S2R.
  const auto run = simulate("vector_add").time.run;
  EXPECT_GT(stalled(run, Stall::MioThrottle), 0.1);
  EXPECT_GT(stalled(run, Stall::Drain), 0.05);
}

TEST_F(SimulatedSm, BlocksOfAClusterRunOnSmsSideBySide) {
  // Two blocks read a tile of A for both, each one half, and each its own tile of B: sectors of 8 floats.
  const auto tiles = simulate("cluster_tile");
  const double asked = simulate("cluster_tile", "default", 800'000).reads.asked;  // Of some 200 tiles.
  EXPECT_NEAR(asked, (1024. / 2 + 1024) * 1024 / 8 * 1024 / 16 * 32, 0.02 * asked);
  // Other blocks' shared memory and barriers of the cluster are further away than the SM's own.
  const auto with = [&](double SmModel::*figure, double clocks) {
    const SmModel before = model_;
    model_.*figure += clocks;
    const int64_t longer = simulate("cluster_tile").time.run.clocks;
    model_ = before;
    return longer;
  };
  EXPECT_GT(with(&SmModel::cluster_load, 500), tiles.time.run.clocks * 11 / 10);
  EXPECT_GT(with(&SmModel::cluster_barrier, 500), tiles.time.run.clocks * 11 / 10);
  // Before each barrier of the cluster is a fence, for which an H200's warps wait most.
  EXPECT_GT(stalled(tiles.time.run, Stall::Membar), stalled(tiles.time.run, Stall::LongScoreboard));
}

TEST_F(SimulatedSm, ACopyForAllBlocksOfAClusterIsAskedForOnce) {
  const auto alone = simulate("24_tf32_wgmma", "256-4-8-1"), pair = simulate("24_tf32_wgmma", "256-4-8-2");
  model_.together = 0;  // Else SMs that are not of a cluster ask together, too.
  const double of_alone = simulate("24_tf32_wgmma", "256-4-8-1").reads.l2;
  const double of_pair = simulate("24_tf32_wgmma", "256-4-8-2").reads.l2;
  // A block needs 256 rows of A and 128 columns of B, and a pair has its rows of A in common.
  EXPECT_NEAR(of_pair / of_alone, (256. / 2 + 128) / (256 + 128), 0.02);
  EXPECT_NEAR(static_cast<double>(pair.time.run.clocks), static_cast<double>(alone.time.run.clocks),
              0.2 * static_cast<double>(alone.time.run.clocks));
}

TEST_F(SimulatedSm, WarpsThatWaitForOneAnotherForEverAreAnError) {
  test::MeasuredLaunch launch;
  launch.kernel = "never_released";
  launch.preset = "default";
  launch.size = 1024;
  const auto simulated = simulator().simulate(launch, model_, 200'000);
  ASSERT_FALSE(simulated);
  EXPECT_NE(to_string(simulated.errors()).find("wait for one another for ever"), std::string::npos);
}

TEST_F(SimulatedSm, TakesAboutAsLongAsTheMeasuredKernels) {
  // The launches that no constant was chosen by, without the stages; clock_table has all.
  std::vector<double> off;
  for (const test::MeasuredLaunch& launch : test::read_measured_launches()) {
    if (launch.is_of_the_ladder() || std::isdigit(launch.kernel[0]) || launch.is_fitted) continue;
    const auto simulated = simulator().simulate(launch, model_, 50'000);
    if (!simulated) continue;
    off.push_back(std::fabs(simulated->time.seconds * 1e9 / launch["ncu_time_ns"] - 1));
  }
  ASSERT_GE(off.size(), 40u);
  std::sort(off.begin(), off.end());
  EXPECT_LT(off[off.size() / 2], 0.08);
  const auto within = std::upper_bound(off.begin(), off.end(), 0.12) - off.begin();
  EXPECT_GE(static_cast<double>(within), 0.7 * static_cast<double>(off.size()));
}

TEST(SmModel, EveryFigureHasASource) {
  const auto text = read_file(data_folder() / "assets" / "sm.toml");
  ASSERT_TRUE(text);
  size_t figures = 0, sources = 0;
  for (size_t at = 0; (at = text->find("value = ", at)) != std::string::npos; ++at) ++figures;
  for (size_t at = 0; (at = text->find("source = \"", at)) != std::string::npos; ++at) ++sources;
  EXPECT_GT(figures, 40u);
  EXPECT_EQ(figures, sources);
}

TEST_F(SimulatedSm, OlderBlocksGoFirstAndTheLastOneEndsAlone) {
  // Four blocks of an SM want more of a pipe than it has.
  const auto whole = simulate("chains", "many-blocks", 1'000'000), part = simulate("chains", "many-blocks", 10'000);
  ASSERT_TRUE(whole.time.run.whole());
  ASSERT_FALSE(part.time.run.whole());
  const std::vector<double>& paces = part.time.run.paces;
  ASSERT_EQ(paces.size(), 4u);
  EXPECT_GT(paces.front(), 1.5 * paces.back());
  EXPECT_NEAR(part.time.clocks, whole.time.clocks, 0.07 * whole.time.clocks);
}

}  // namespace
}  // namespace tilescope::clock
