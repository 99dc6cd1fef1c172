// As many steps back as forward: everything looks as before.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "picture_checks.h"
#include "session/workspace.h"
#include "traced_fixture.h"
#include "view/code/code_lines.h"
#include "view/stage/stage_picture.h"
#include "view/stage/thread_picture.h"
#include "view/strip/strip_picture.h"
#include "view/timeline/timeline_picture.h"
#include "view/tooltip/tooltip.h"
#include "wait_until.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using session::Move;
using session::Progress;

class Steps : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    session::State state;
    state.inputs.kernel = shipped_kernels().kernels[static_cast<size_t>(GetParam())].name;
    state.inputs.size = {128, 128, 32};
    workspace_.apply(session::LoadState{state});
    ASSERT_TRUE(wait_until([&] { return workspace_.poll(), workspace_.experiment(0).progress() == Progress::Idle; }));
    const run::TracedBlock& traced = this->traced();
    listing_ = make_listing(traced, nullptr, nullptr);
    content_ = timeline_content(traced, {});
  }
  const run::TracedBlock& traced() const { return *workspace_.experiment(0).traced(); }

  /// What the panels show now, as text.
  std::map<std::string, std::string> seen() const {
    Focus focus = focus_at(traced(), workspace_.cursor(0));
    focus.lane = 5;
    const Canvas stage{820, 420, &kMeasure, 14}, low{820, 170, &kMeasure, 14};
    std::map<std::string, std::string> seen;
    for (const float level : {0.0f, 1.0f, 2.0f})
      seen["stage " + std::to_string(level)] = text_of(stage_picture(focus, stage, {level, 1, 0, 0}));
    seen["thread"] = text_of(thread_picture(focus, stage));
    seen["strip"] = text_of(strip_picture(focus, low));
    seen["timeline"] = text_of(timeline_picture(focus, low, {}, content_));
    seen["breadcrumb"] = breadcrumb(focus);
    const LitCode lit = lit_code(listing_, focus);
    seen["code"] = fmt::format("{} {}", lit.line, lit.ptx_line);
    ElementUses uses;
    const auto words = tooltip({session::Target::Kind::Lane, Space::None, "", 5, focus.cursor.warp}, focus, uses);
    seen["lane"] = fmt::format("{}", fmt::join(words.lines, "\n"));
    seen["state"] = fmt::format("{} {} {}", focus.cursor.warp, focus.cursor.step, workspace_.state() == begin_);
    return seen;
  }

  /// How many steps of a unit there are from here, at most `most`; the cursor stays.
  int room(analysis::Unit unit, int most) {
    const StepRef at = workspace_.cursor(0);
    StepRef last = at;
    int count = 0;
    for (StepRef next; count < most && (next = traced().timeline.move(last, unit, 1)) != last; ++count) last = next;
    // The end is not a boundary: a step back from it leads to the beginning of the unit.
    return last == traced().timeline.last(at.warp) && unit != analysis::Unit::Instruction ? count - 1 : count;
  }

  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache runs_{compiler_, run::window_limits()};
  session::Workspace workspace_{runs_};
  session::State begin_;
  Listing listing_;
  TimelineContent content_;
};

TEST_P(Steps, ForwardAndBackIsTheSameForEverythingThatIsSeen) {
  for (const analysis::Unit unit :
       {analysis::Unit::Instruction, analysis::Unit::Access, analysis::Unit::Phase, analysis::Unit::Tile})
    for (const int wanted : {1, 3, 17}) {
      workspace_.apply(session::GoToStart{});
      workspace_.apply(Move{unit, 2});
      const int count = room(unit, wanted);
      if (count == 0) continue;
      begin_ = workspace_.state();
      const auto before = seen();
      workspace_.apply(Move{unit, count});
      EXPECT_NE(seen().at("timeline"), before.at("timeline")) << to_string(unit) << " moved nothing";
      EXPECT_NE(seen().at("state"), before.at("state"));
      workspace_.apply(Move{unit, -count});
      EXPECT_EQ(seen(), before) << count << " by " << to_string(unit);
    }
}

TEST_P(Steps, OneByOneIsTheSameAsAtOnce) {
  for (const analysis::Unit unit :
       {analysis::Unit::Instruction, analysis::Unit::Access, analysis::Unit::Phase, analysis::Unit::Tile}) {
    workspace_.apply(session::GoToStart{});
    workspace_.apply(Move{unit, 5});
    const auto at_once = seen();
    workspace_.apply(session::GoToStart{});
    for (int i = 0; i < 5; ++i) workspace_.apply(Move{unit, 1});
    EXPECT_EQ(seen(), at_once) << to_string(unit);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Steps, testing::Range(0, 11));

}  // namespace
}  // namespace tilescope::view
