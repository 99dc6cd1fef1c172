#include "clock/recorder.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {

TEST(Recorder, KeepsTheStatesOfASlotOneAfterAnother) {
  Recorder recorder;
  recorder.on_block(0, 0, 7, true);
  recorder.on_state(0, Stall::Wait, 0, 10, 0);
  recorder.on_state(0, Stall::Selected, 10, 11, 0);
  recorder.on_state(0, Stall::Wait, 11, 15, 0);
  recorder.on_state(0, Stall::Wait, 15, 20, 0);  // The same goes on.
  recorder.on_state(0, Stall::Selected, 20, 21, 1);
  recorder.on_state(0, Stall::Selected, 21, 22, 1);  // Another issue of the same instruction.
  recorder.on_block(22, 0, 7, false);
  SmRun run;
  run.clocks = 30;
  const Recording made = recorder.take(run, 1);
  using Stretch = Recording::Stretch;
  const auto wait = static_cast<uint8_t>(Stall::Wait), issues = static_cast<uint8_t>(Stall::Selected);
  EXPECT_EQ(made.slots[0], (std::vector<Stretch>{{0, 0, wait},
                                                 {10, 0, issues},
                                                 {11, 0, wait},
                                                 {20, 1, issues},
                                                 {21, 1, issues},
                                                 {22, 0, Recording::kAbsent}}));
  EXPECT_EQ(made.stretch_at(0, 14), 2U);
  EXPECT_EQ(made.stretch_at(0, 20), 3U);
  ASSERT_NE(made.resident_at(0, 21), nullptr);
  EXPECT_EQ(made.resident_at(0, 21)->block, 7U);
  EXPECT_EQ(made.resident_at(0, 22), nullptr);
}

TEST(Recorder, SaysHowBusyAUnitIsByBuckets) {
  Recorder recorder;
  recorder.on_busy(SmUnit::DataPath, 4, 8);  // Half of the first bucket, half of the second.
  recorder.on_busy(SmUnit::L2, 8, 2);
  recorder.on_busy(SmUnit::TensorCores, 0, 16);  // Of one scheduler of four.
  SmRun run;
  run.clocks = 16;
  const Recording made = recorder.take(run, 1);
  EXPECT_EQ(made.path, (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(made.tensor_cores, (std::vector<float>{0.25f, 0.25f}));
  EXPECT_EQ(made.l2, (std::vector<float>{0, 0.25f}));
}

}  // namespace
}  // namespace tilescope::clock
