#include "session/clock_place.h"

#include <algorithm>
#include <map>

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

TEST(OpeningPlace, IsInTheMiddleOfTheLaunchBehindTheStartOfTheFirstRound) {
  // Two slots for blocks of a warp that take 500 clocks; the second begins in clock 200.
  Recording recording;
  recording.clocks = 2500;
  const auto add_block = [&](uint32_t slot, int32_t begin) {
    recording.residents.push_back({begin, begin + 500, slot, recording.residents.size()});
    recording.slots.resize(2);
    const int32_t start = begin + (begin == 0 ? 200 * static_cast<int32_t>(slot) : 0) + 10;
    recording.slots[slot].push_back({begin, 0, Recording::kAbsent});
    recording.slots[slot].push_back({start, 0, Recording::kIssues});
  };
  EXPECT_EQ(opening_place(recording), ClockPlace{});
  add_block(0, 0);
  EXPECT_EQ(opening_place(recording), (ClockPlace{0, 10}));
  add_block(1, 0);
  EXPECT_EQ(opening_place(recording), (ClockPlace{1, 210}));
  add_block(0, 500);
  EXPECT_EQ(opening_place(recording), (ClockPlace{1, 210}));
  add_block(1, 700);
  add_block(0, 1000);
  EXPECT_EQ(opening_place(recording), (ClockPlace{0, 510}));
}

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

/// The arrivals of what the kind of instruction asks for, by the clock in which it was issued.
std::map<int32_t, int> arrivals_of(const ClockRun& run, uint32_t slot, analysis::StepKind kind) {
  std::map<int32_t, int> arrivals;
  for (const Recording::Arrival& each : run.recording.arrivals)
    if (each.slot == slot && run.code[each.pc].kind == kind) ++arrivals[each.issued];
  return arrivals;
}

TEST_F(ClockPlaces, EveryCopyArrivesOnce) {
  simulate_kernel("14", {256, 256, 64});
  if (!run_) return;
  const auto copies = arrivals_of(*run_, 0, analysis::StepKind::AsyncCopy);
  // Four k-tiles of 64 x 16 and 16 x 128; each of 64 threads copies a word of A or a float4 of B at a time.
  EXPECT_EQ(copies.size(), 4U * (64 * 16 / 64 + 16 * 128 / 4 / 64));
  for (const auto& [issued, times] : copies) EXPECT_EQ(times, 1) << issued;
  EXPECT_TRUE(std::ranges::is_sorted(run_->recording.arrivals, {}, &Recording::Arrival::arrived));
}

TEST_F(ClockPlaces, ABoxArrivesAtTheWarpThatAskedForIt) {
  simulate_kernel("17", {256, 512, 64});
  if (!run_) return;
  const Recording& recording = run_->recording;
  size_t boxes = 0;
  for (const Recording::Arrival& each : recording.arrivals) {
    if (!run_->code[each.pc].text.starts_with("UTMALDG")) continue;
    ++boxes;
    const auto& stretch = recording.slots[each.slot][recording.stretch_at(each.slot, each.issued)];
    EXPECT_EQ(stretch.state, Recording::kIssues);
    EXPECT_EQ(stretch.pc, each.pc);
    EXPECT_GT(each.arrived, each.issued);
  }
  EXPECT_GT(boxes, 0U);
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
