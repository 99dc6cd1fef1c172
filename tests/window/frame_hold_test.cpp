#include "window/frame_hold.h"

#include <gtest/gtest.h>

namespace tilescope::window {
namespace {

TEST(FrameHold, WhatPlaysWaitsWhileSamplesAreTakenAndTheUserDoesNot) {
  EXPECT_TRUE(holds_frame(true, false, 0.1));
  EXPECT_FALSE(holds_frame(true, true, 0.1)) << "an answer to the user";
  EXPECT_FALSE(holds_frame(false, false, 0.1)) << "nothing is disturbed";
  EXPECT_FALSE(holds_frame(true, false, kLongestHold)) << "the window must not seem dead";
}

}  // namespace
}  // namespace tilescope::window
