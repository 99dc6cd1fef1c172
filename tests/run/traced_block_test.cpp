#include "run/traced_block.h"

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "prebuilt_only.h"

namespace tilescope::run {
namespace {

Result<std::shared_ptr<const TracedBlock>> traced(const Control& control) {
  compile::Compiler compiler(prebuilt_only());
  Request request;
  request.kernel = *kernel::find_kernel(kernel::load_catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels"),
                                        "04_shared_tile");
  request.size = {64, 64, 64};
  return trace_block(*prepare(request, compiler), {1, 0}, control);
}

TEST(TracedBlock, OneThatIsStoppedIsNoWholeTraceAndItsHottestLineIsNamed) {
  Control control;
  control.step_budget = 4000;
  const auto stopped = traced(control);
  ASSERT_TRUE(stopped);
  const std::optional<Diagnostic> problem = why_cut_off((*stopped)->report);
  ASSERT_TRUE(problem);
  EXPECT_EQ(
      problem->message.text(),
      "Block (1, 0) was stopped after 4060 warp instructions, most of them on this line. Look for an endless loop "
      "here; if there is none, choose a smaller K.");
  EXPECT_EQ(problem->at.line, 35);
}

TEST(TracedBlock, OneThatIsStoppedSaysWhereAndAfterWhat) {
  Control control;
  control.step_budget = 4000;
  const auto stopped = traced(control);
  ASSERT_TRUE(stopped);
  const Stop& stop = *(*stopped)->report.stopped;
  EXPECT_EQ(stop.outcome, emulator::Outcome::StepBudget);
  EXPECT_EQ(stop.block, (Dim3{1, 0, 0}));
  EXPECT_EQ(stop.line, 35);
  EXPECT_EQ(stop.step_budget, 4000u);
  EXPECT_EQ((*stopped)->report.not_verified, Unverified::DidNotEnd);
}

TEST(TracedBlock, AWholeTraceIsNoProblem) {
  const auto whole = traced({});
  ASSERT_TRUE(whole);
  EXPECT_FALSE(why_cut_off((*whole)->report));
}

TEST(TracedBlock, ABlockThatTheGridDoesNotHaveIsRefused) {
  compile::Compiler compiler(prebuilt_only());
  Request request;
  request.kernel = *kernel::load_kernel(TILESCOPE_SOURCE_DIR "/kernels/04_shared_tile.cu");
  request.size = {64, 64, 64};
  const auto none = trace_block(*prepare(request, compiler), {7, 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.errors().front().message.text(),
            "There is no block (7, 0): the grid is (2, 2), so x is at most 1 and y at most 1.");
}

}  // namespace
}  // namespace tilescope::run
