#include "session/clock_place.h"

#include <gtest/gtest.h>

#include "run/run.h"
#include "session/clock_probe.h"
#include "shipped_kernels.h"
#include "textbook.h"

namespace tilescope::session {
namespace {
using clock::Recording;

/// A kernel that ships, traced and simulated; skipped where there is no NVRTC.
class ClockPlaces : public testing::Test {
 protected:
  void simulate_kernel(const std::string& name, kernel::Size size) {
    if (!compiler_.toolchain()) GTEST_SKIP() << "there is no NVRTC";
    run::Request request;
    const auto kernel = kernel::find_kernel(shipped_kernels(), name);
    ASSERT_TRUE(kernel);
    request.kernel = *kernel;
    request.settings = textbook_settings(kernel->name);
    request.size = size;
    const auto prepared = run::prepare(request, compiler_);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const auto traced = run::trace_block(*prepared, {0, 0});
    ASSERT_TRUE(traced) << to_string(traced.errors());
    traced_ = *traced;
    const auto simulated = simulate(**prepared, traced_->block, what_if_);
    ASSERT_TRUE(simulated) << to_string(simulated.errors());
    run_ = *simulated;
  }

  compile::Compiler compiler_;
  WhatIf what_if_;
  std::shared_ptr<const run::TracedBlock> traced_;
  std::shared_ptr<const ClockRun> run_;
};

TEST_F(ClockPlaces, AreStepsOfTheLineThatPtxasMadeThemFrom) {
  simulate_kernel("04", {256, 256, 128});
  if (!run_) return;
  uint32_t found = 0, last = 0;
  const Recording& recording = run_->recording;
  for (ClockPlace at = opening_place(recording); found < 200; at = moved_by_issues(recording, at, 1)) {
    const auto& stretch = recording.slots[at.slot][recording.stretch_at(at.slot, at.clock)];
    const auto step = step_of(*run_, *traced_, at);
    if (moved_by_issues(recording, at, 1) == at) break;
    if (!step) continue;
    ++found;
    EXPECT_EQ(step->warp, at.slot % recording.warps_per_block);
    EXPECT_EQ(static_cast<uint32_t>(traced_->instruction(traced_->timeline.pc(*step)).line),
              run_->code[stretch.pc].ptx_line);
    // And back, to an issue of the same line nearby.
    const auto place = place_of(*run_, *traced_, *step, at);
    ASSERT_TRUE(place) << at.clock;
    EXPECT_EQ(place->slot, at.slot);
    last = std::max(last, step->step);
  }
  EXPECT_GT(found, 50U);
  EXPECT_GT(last, 0U);
}

TEST_F(ClockPlaces, ChangesShowInTheTime) {
  simulate_kernel("02", {256, 256, 256});
  if (!run_) return;
  const double before = run_->seconds;
  what_if_.dram = 3000;
  simulate_kernel("02", {256, 256, 256});
  EXPECT_GT(run_->seconds, before);
  what_if_ = {};
  what_if_.resident = 1;
  simulate_kernel("02", {256, 256, 256});
  EXPECT_EQ(run_->resident, 1U);
}

}  // namespace
}  // namespace tilescope::session
