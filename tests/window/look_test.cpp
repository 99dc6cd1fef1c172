#include "window/look.h"

#include <gtest/gtest.h>

namespace tilescope::window {
namespace {

TEST(Look, TheScaleIsTheDisplaysUnlessAnotherIsAskedFor) {
  session::State state;
  EXPECT_EQ(scale_of(state, {1600, 900, 2, 0}), 2);
  EXPECT_EQ(scale_of(state, {1600, 900, 2, 1.5f}), 1.5f);
  state.ui_scale = 1.1f;
  EXPECT_FLOAT_EQ(scale_of(state, {1600, 900, 2, 1.5f}), 1.65f);
}

TEST(Look, APresentationIsTheSameOnEveryProjector) {
  session::State state;
  state.present = true;
  const auto points = [&](float width, float height, float display) {
    return height / scale_of(state, {width, height, display, 0});
  };
  EXPECT_FLOAT_EQ(points(1280, 720, 1), 600);
  EXPECT_FLOAT_EQ(points(1920, 1080, 1), 600);
  EXPECT_FLOAT_EQ(points(3840, 2160, 2), 600);
  EXPECT_FLOAT_EQ(1024 / scale_of(state, {1024, 768, 1, 0}), 900) << "a narrow one is as wide everywhere";
  state.ui_scale = 1.1f;
  EXPECT_FLOAT_EQ(scale_of(state, {1920, 1080, 1, 0}), 1.98f);
  EXPECT_FLOAT_EQ(scale_of(state, {1920, 1080, 1, 2}), 1.98f) << "the scale of the display is not the projector's";
  state.ui_scale = 2;
  EXPECT_FLOAT_EQ(scale_of(state, {1920, 1080, 1, 0}), 2.7f) << "larger type would leave no room for the stage";
}

}  // namespace
}  // namespace tilescope::window
