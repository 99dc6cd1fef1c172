#include "session/scene.h"

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "prebuilt_only.h"

namespace tilescope::session {
namespace {

Result<std::shared_ptr<const Scene>> traced(const Control& control) {
  compile::Compiler compiler(prebuilt_only());
  Request request;
  request.kernel = *kernel::find_kernel(kernel::load_catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels"),
                                        "04_shared_tile");
  request.size = {64, 64, 64};
  request.block = {1, 0};
  return make_scene(request, compiler, control);
}

TEST(Scene, ABlockThatIsStoppedHasNoWholeTraceAndItsHottestLineIsNamed) {
  Control control;
  control.step_budget = 4000;
  control.whole_trace = true;
  const auto stopped = traced(control);
  ASSERT_FALSE(stopped);
  const Diagnostic& problem = stopped.errors().front();
  EXPECT_EQ(
      problem.message.text(),
      "Block (1, 0) was stopped after 4060 warp instructions, most of them on this line. Look for an endless loop "
      "here; if there is none, choose a smaller K.");
  EXPECT_EQ(problem.at.line, 35);
}

TEST(Scene, ABlockThatIsStoppedIsAReportWhereThatIsWanted) {
  Control control;
  control.step_budget = 4000;
  const auto stopped = traced(control);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(
      (*stopped)->report.stopped,
      "Block (1, 0) issued 4000 warp instructions without coming to an end, most of them at 04_shared_tile.cu:35: "
      "look for an endless loop there, or allow more with --max-instructions.");
}

TEST(Scene, InTheWindowAStoppedRunIsAnsweredWithWhatTheWindowHas) {
  Control control;
  control.step_budget = 4000;
  control.in_window = true;
  const auto stopped = traced(control);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(
      (*stopped)->report.stopped,
      "Block (1, 0) issued 4000 warp instructions without coming to an end, most of them at 04_shared_tile.cu:35: "
      "look for an endless loop there; if there is none, choose a smaller K.");
}

TEST(Scene, AWholeTraceIsNoProblem) {
  Control control;
  control.whole_trace = true;
  EXPECT_TRUE(traced(control));
}

}  // namespace
}  // namespace tilescope::session
