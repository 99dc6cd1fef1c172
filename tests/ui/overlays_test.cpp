#include "ui/overlays.h"

#include <gtest/gtest.h>

#include "ui/panel_fixture.h"

namespace tilescope::ui {
namespace {

class Notices : public PanelFixture {
 protected:
  bool is_shown(bool filmed = false) {
    frame([&](const Context& context) { overlays_.show(context, filmed); });
    return widget("notice") != nullptr;
  }

  Overlays overlays_;
};

TEST_F(Notices, OneThatAsksForNothingLeavesByItself) {
  overlays_.say("Saved as x.json");
  EXPECT_FALSE(overlays_.let_pass(100, "09"));
  EXPECT_FALSE(overlays_.let_pass(102, "09"));
  EXPECT_TRUE(is_shown());
  overlays_.say("Saved as y.json");
  EXPECT_FALSE(overlays_.let_pass(107, "09")) << "it has just come";
  EXPECT_TRUE(overlays_.let_pass(120, "09"));
  EXPECT_FALSE(is_shown());
  EXPECT_FALSE(overlays_.let_pass(140, "09"));
}

TEST_F(Notices, OneAboutWhichSomethingHasToBeDoneStaysUntilItIsClosed) {
  overlays_.warn("x.cu: cannot be read");
  EXPECT_FALSE(overlays_.let_pass(100, "09"));
  EXPECT_FALSE(overlays_.let_pass(1000, "09"));
  EXPECT_TRUE(is_shown());
  EXPECT_TRUE(overlays_.close());
  EXPECT_FALSE(is_shown());
}

TEST_F(Notices, OneAboutAFileLeavesWhenAnotherKernelIsOnShow) {
  overlays_.warn("x.cu: cannot be read", "09");
  EXPECT_FALSE(overlays_.let_pass(100, "09"));
  EXPECT_FALSE(overlays_.let_pass(1000, "09"));
  EXPECT_TRUE(overlays_.let_pass(1001, "own"));
  EXPECT_FALSE(is_shown());
  overlays_.warn("Your answers will not be there next time.");
  EXPECT_FALSE(overlays_.let_pass(1002, "other")) << "that one is not about a kernel";
}

TEST_F(Notices, TheyAreNotInPictures) {
  overlays_.warn("x.cu: cannot be read");
  EXPECT_FALSE(is_shown(true));
  EXPECT_TRUE(is_shown()) << "afterwards it is there again";
}

}  // namespace
}  // namespace tilescope::ui
