#include "ui/pen.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include "ui/panel_fixture.h"

namespace tilescope::ui {
namespace {

class Pen : public PanelFixture {
 protected:
  /// A button that fills the panel, and the pen above it. Returns whether the button was pressed.
  bool show() {
    bool pressed = false;
    frame([&](const Context& context) {
      pressed = ImGui::Button("below", ImGui::GetContentRegionAvail());
      show_pen(context, pen_, types_);
    });
    return pressed;
  }
  /// Draws a line, and returns whether what is below has taken the mouse.
  bool draw() {
    bool pressed = show();
    for (const float x : {100.f, 100.f, 140.f, 180.f}) {
      move_mouse(x, 100);
      pressed |= show();
      ImGui::GetIO().MouseDown[0] = true;
    }
    ImGui::GetIO().MouseDown[0] = false;
    return show() || pressed;
  }

  PenState pen_;
  bool types_ = false;
};

TEST_F(Pen, DrawsWithTheMouseWhichNothingElseGets) {
  pen_.draws = true;
  EXPECT_FALSE(draw());
  ASSERT_EQ(pen_.strokes.size(), 1u);
  EXPECT_EQ(pen_.strokes[0].front().x, 100);
  EXPECT_EQ(pen_.strokes[0].back().x, 180);
  EXPECT_FALSE(draw());
  EXPECT_EQ(pen_.strokes.size(), 2u);
  pen_.draws = false;
  EXPECT_TRUE(draw()) << "the mouse is the window's again";
  EXPECT_EQ(pen_.strokes.size(), 2u) << "what was drawn stays";
}

TEST_F(Pen, LeavesTheMouseToAFieldInWhichSomethingIsTyped) {
  pen_.draws = types_ = true;
  EXPECT_TRUE(draw());
  EXPECT_TRUE(pen_.strokes.empty());
}

TEST_F(Pen, IsPutAwayWithAllThatItDrew) {
  EXPECT_FALSE(pen_.clear());
  pen_.draws = pen_.light = true;
  draw();
  EXPECT_TRUE(pen_.clear());
  EXPECT_FALSE(pen_.draws || pen_.light);
  EXPECT_TRUE(pen_.strokes.empty());
}

TEST_F(Pen, StrokesAreSeenAndTheLightDarkensTheRest) {
  const auto vertices = [&] {
    show();
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  show();
  const int bare = vertices();
  pen_.strokes = {{{10, 10}, {200, 40}}};
  const int with_stroke = vertices();
  EXPECT_GT(with_stroke, bare);
  move_mouse(50, 50);
  pen_.light = true;
  show();
  EXPECT_GT(vertices(), with_stroke);
}

}  // namespace
}  // namespace tilescope::ui
