#include "run/launch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "no_more_threads.h"
#include "run/count.h"

namespace tilescope::run {
namespace {
using emulator::Outcome;

/// Sixteen blocks of one warp over an array of 512 words; the body sees its global thread number in %r4 and the address
/// of its own word in %rd3.
struct Grid {
  emulator::GlobalMemory memory;
  LaunchedKernel launch;
  std::vector<uint32_t> blocks = all_blocks(16);
  bool check = false;

  explicit Grid(const std::string& body) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<5>;\n"
        "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"
        "mul.wide.u32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" +
        body + "ret;\n}\n";
    const Result<ptx::Module> module = ptx::parse(text, "grid.ptx");
    EXPECT_TRUE(module);
    const auto built = emulator::Program::build(*module, "k");
    EXPECT_TRUE(built) << to_string(built.errors());
    launch.program = *built;
    const Result<uint64_t> base = memory.allocate({"p", Space::Global, 0, 2048, Element::U32, {512}});
    launch.shape.grid = {16, 1, 1};
    launch.shape.block = {32, 1, 1};
    launch.shape.parameters.resize(8);
    std::memcpy(launch.shape.parameters.data(), &*base, 8);
    launch.memory = &memory;
    launch.facts.module = &launch.program->module();
    launch.facts.function = &launch.program->function();
    launch.facts.grid = launch.shape.grid;
    launch.facts.block = launch.shape.block;
    launch.facts.global.push_back({memory.allocations()[0], true});
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  GridRun run(unsigned threads, uint64_t budget = 1000) {
    Control control;
    control.threads = threads;
    control.step_budget = budget;
    return run(control);
  }
  uint64_t cost_of_one() const {
    return cost_of(run_grid(launch, {.blocks = {0}}, {}).counts, launch.program->function());
  }
  GridRun run(const Control& control) const { return run_grid(launch, {.blocks = blocks, .check = check}, control); }
};

TEST(GridRun, CountsTheSameOnAnyNumberOfThreads) {
  Grid one("st.global.u32 [%rd3], %r4;\n"), four("st.global.u32 [%rd3], %r4;\n");
  const GridRun a = one.run(1), b = four.run(4);
  EXPECT_EQ(a.outcome, Outcome::Finished);
  EXPECT_EQ(a.blocks_done, 16U);
  EXPECT_EQ(a.counts.warp_executions, b.counts.warp_executions);
  EXPECT_EQ(a.counter.total(), b.counter.total());
  EXPECT_EQ(a.counter.total().global_store.requests, 16U);
  EXPECT_EQ(a.counter.total().global_store.sectors, 64U);
  const auto first = one.memory.bytes(0), second = four.memory.bytes(0);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end()));
}

// A load at thread * i words, i from 0 to 3, then one whose last lane is outside of the array.
TEST(GridRun, LanesMayMoveApartFromOneTurnOfALoopToTheNext) {
  Grid grid(
      "mov.u32 %r5, 0;\nloop: mad.wide.u32 %rd4, %r3, %r5, %rd1;\nld.global.u32 %r6, [%rd4];\nadd.u32 %r5, %r5, 4;\n"
      "setp.eq.u32 %p1, %r5, 16;\nselp.b32 %r5, 68, %r5, %p1;\nsetp.lt.u32 %p2, %r5, 70;\n@%p2 bra loop;\n");
  grid.blocks = {0};
  const GridRun run = grid.run(1);
  const analysis::GlobalCounts loads = run.counter.total().global_load;
  EXPECT_EQ(loads.requests, 5U);
  EXPECT_EQ(loads.sectors, 1U + 4 + 8 + 12 + 31);
  ASSERT_EQ(run.findings.size(), 1U);
  EXPECT_EQ(run.findings[0].kind, analysis::FindingKind::OutOfBounds);
  EXPECT_EQ(run.findings[0].count, 1U);
}

TEST(GridRun, FindingsOfSeveralWorkersBecomeOne) {
  Grid grid("st.global.u32 [%rd3+1024], %r4;\n");
  const GridRun run = grid.run(4);
  ASSERT_EQ(run.findings.size(), 1U);
  EXPECT_EQ(run.findings[0].kind, analysis::FindingKind::OutOfBounds);
  EXPECT_EQ(run.findings[0].site.thread.block, 8U);
  EXPECT_EQ(run.findings[0].count, Grid("st.global.u32 [%rd3+1024], %r4;\n").run(1).findings[0].count);
}

TEST(GridRun, NamesTheLowestBlockThatFails) {
  for (const unsigned threads : {1U, 3U, 8U}) {
    Grid grid("setp.lt.u32 %p1, %r1, 5;\n@%p1 bra done;\nloop: bra loop;\ndone:\n");
    const GridRun run = grid.run(threads);
    EXPECT_EQ(run.outcome, Outcome::StepBudget);
    EXPECT_EQ(run.failed_block, 5U);
    EXPECT_GE(run.blocks_done, 5U);
  }
}

TEST(GridRun, ARunThatIsStoppedBetweenTwoBlocksHasNotFinished) {
  const std::atomic<bool> cancel = true;
  Control control;
  control.threads = 1;
  control.cancel = &cancel;
  Grid grid("");
  grid.blocks.assign(1'000'000, 0);
  for (int i = 0; i < 60; ++i) {  // Each time it is chance where the worker is when it is stopped.
    const GridRun run = grid.run(control);
    ASSERT_EQ(run.outcome, Outcome::Cancelled) << i;
    ASSERT_LT(run.blocks_done, grid.blocks.size());
  }
}

TEST(GridRun, CancelStopsAnEndlessLoop) {
  Grid grid("loop: bra loop;\n");
  const std::atomic<bool> cancel = true;
  Control control;
  control.threads = 2;
  control.cancel = &cancel;
  control.step_budget = 0;
  EXPECT_EQ(grid.run(control).outcome, Outcome::Cancelled);
}

TEST(GridRun, TheTimeLimitStopsAnEndlessLoop) {
  Grid grid("loop: bra loop;\n");
  Control control;
  control.seconds = 0.05;
  control.step_budget = 0;
  const GridRun run = grid.run(control);
  EXPECT_EQ(run.outcome, Outcome::Cancelled);
  EXPECT_TRUE(run.out_of_time);
}

TEST(GridRun, ABlockThatDoesNotComeToItsEndIsStopped) {
  Grid grid("loop: bra loop;\n");
  Control control;
  control.block_seconds = 0.05;
  control.step_budget = 0;
  const GridRun run = grid.run(control);
  EXPECT_EQ(run.outcome, Outcome::Cancelled);
  EXPECT_TRUE(run.out_of_time);
  EXPECT_EQ(run.seconds_allowed, 0.05);
}

// What grid.sync() does: each block adds to a counter, and waits until the last one has come.
constexpr const char* kGridSync =
    "{\n.reg .pred %q<4>;\n.reg .b32 %a<9>;\n.reg .b64 %b<3>;\nmov.u32 %a1, %envreg2;\nmov.u32 %a2, %envreg1;\n"
    "cvt.u64.u32 %b1, %a1;\ncvt.u64.u32 %b2, %a2;\nbfi.b64 %b1, %b2, %b1, 32, 32;\nsetp.ne.u32 %q1, %r3, 0;\n"
    "barrier.sync 0;\n@%q1 bra SYNCED;\nmov.u32 %a3, %nctaid.x;\nsub.s32 %a4, -2147483647, %a3;\n"
    "setp.eq.u32 %q2, %r1, 0;\nselp.b32 %a5, %a4, 1, %q2;\natom.add.release.gpu.u32 %a6, [%b1+4], %a5;\n"
    "WAIT:\nld.acquire.gpu.u32 %a7, [%b1+4];\nxor.b32 %a8, %a7, %a6;\nsetp.gt.s32 %q3, %a8, -1;\n@%q3 bra WAIT;\n"
    "SYNCED:\nbarrier.sync 0;\n}\n";

TEST(GridRun, BlocksOfACooperativeLaunchRunSideBySide) {
  Grid grid(std::string("st.global.u32 [%rd3], %r4;\n") + kGridSync);
  const GridRun run = grid.run(4, 100'000);
  EXPECT_EQ(run.outcome, Outcome::Finished);
  EXPECT_EQ(run.blocks_done, 16U);
  EXPECT_EQ(run.counts.warp_executions[0], 16U);
  EXPECT_EQ(run.counter.total().global_store.requests, 16U);
  EXPECT_EQ(run.stores.size(), 16U);
  EXPECT_TRUE(run.findings.empty());

  Grid one(std::string("st.global.u32 [%rd3], %r4;\n") + kGridSync);
  one.blocks = {3};
  const GridRun watched = one.run(1, 100'000);
  EXPECT_EQ(watched.outcome, Outcome::Finished);
  EXPECT_EQ(watched.counts.warp_executions[0], 1U) << "all blocks run, one is counted";
}

TEST(GridRun, ChecksRacesWhenAsked) {
  Grid grid("st.global.u32 [%rd1], %r3;\n");
  EXPECT_TRUE(grid.run(2).findings.empty());
  grid.check = true;
  const GridRun run = grid.run(2);
  ASSERT_FALSE(run.findings.empty());
  EXPECT_EQ(run.findings[0].checker, analysis::Checker::Racecheck);
}

TEST(Launch, SampleBlocksAreCheckedWhereAllAreTooMuch) {
  Grid grid("st.global.u32 [%rd3], %r4;\n");
  const uint64_t cost = grid.cost_of_one();
  const auto checked = [&](uint64_t blocks) {
    const GridRun run = run_launch(grid.launch, {.checked = blocks * cost}, {});
    EXPECT_EQ(run.blocks_done, 16U);
    EXPECT_TRUE(run.sample.empty());
    EXPECT_EQ(run.counts.warp_executions[0], 16U);
    return run.checked_blocks;
  };
  EXPECT_EQ(checked(0), 0U);
  EXPECT_EQ(checked(1), 3U);
  EXPECT_EQ(checked(5), 5U);
  EXPECT_EQ(checked(16), 16U);
  EXPECT_EQ(run_launch(grid.launch, {.checked = Scope::kAll}, {}).checked_blocks, 16U);
}

TEST(Launch, SampleBlocksAreRunWhereAllAreTooMuch) {
  Grid grid("st.global.u32 [%rd3], %r4;\n");
  const uint64_t cost = grid.cost_of_one();
  const GridRun some = run_launch(grid.launch, {.run = 4 * cost}, {});
  EXPECT_EQ(some.sample, (std::vector<uint32_t>{0, 5, 10, 15}));
  EXPECT_EQ(some.blocks_done, 4U);
  EXPECT_EQ(some.stores.size(), 4U);
  EXPECT_TRUE(run_launch(grid.launch, {.run = 16 * cost}, {}).sample.empty());
}

TEST(Launch, AProductOfTensorCoresCostsWhatItsMultiplyAddsDo) {
  const Grid none("");
  const Grid grid(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r5,%r5,%r5,%r5}, {%r5,%r5}, "
      "{%f1,%f2,%f3,%f4};\n");
  EXPECT_EQ(grid.cost_of_one() - none.cost_of_one(), 16 * 8 * 16 / 32);
}

// Block 0 stores a word that block 15 loads.
TEST(Launch, ARaceOfTheFirstBlockWithALaterOneIsFoundInASample) {
  Grid grid(
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r3;\n"
      "setp.eq.u32 %p2, %r1, 15;\n@%p2 ld.global.u32 %r5, [%rd1];\n");
  const uint64_t cost = grid.cost_of_one();
  const GridRun run = run_launch(grid.launch, {.checked = 3 * cost}, {});
  const auto is_between_them = [](const analysis::Finding& finding) {
    return finding.kind == analysis::FindingKind::ReadWriteRace && finding.other->thread.block == 15;
  };
  EXPECT_EQ(std::count_if(run.findings.begin(), run.findings.end(), is_between_them), 1);
}

TEST(GridRun, GoesOnWhereTheSystemGivesNoThread) {
  EXPECT_EXIT(
      {
        no_more_threads();
        Grid grid("st.global.u32 [%rd3], %r4;\n");
        std::exit(grid.run(4).blocks_done == 16 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tilescope::run
