#include "wording/stop.h"

#include <gtest/gtest.h>

namespace tilescope::wording {
namespace {

TEST(StopText, AnswersWithWhatTheReaderHas) {
  run::Stop stop;
  stop.outcome = emulator::Outcome::StepBudget;
  stop.block = {1, 0, 0};
  stop.file = "kernels/04_shared_tile.cu";
  stop.line = 35;
  stop.step_budget = 4000;
  EXPECT_EQ(stop_text(stop, Advice::CommandLine),
            "Block (1, 0) issued 4000 warp instructions without ending, most of them at 04_shared_tile.cu:35: "
            "look for an endless loop there, or allow more with --max-instructions.");
  EXPECT_EQ(stop_text(stop, Advice::Window),
            "Block (1, 0) issued 4000 warp instructions without ending, most of them at 04_shared_tile.cu:35: "
            "look for an endless loop there; if there is none, choose a smaller K.");
  stop.outcome = emulator::Outcome::Deadlocked;
  EXPECT_EQ(stop_text(stop, Advice::Window), "Block (1, 0) deadlocked: its threads wait for one another.");
}

}  // namespace
}  // namespace tilescope::wording
