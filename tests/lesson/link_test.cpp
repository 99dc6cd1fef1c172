#include "lesson/link.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "session/state_file.h"

namespace tilescope::lesson {
namespace {
using session::State;

class Link : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    kernels_ = new kernel::Catalogue(kernel::load_catalogue(data_folder() / "kernels"));
    course_ = new Course(load_course(data_folder() / "lessons", *kernels_));
  }
  static std::string link(const State& state) { return link_of(state, *course_, *kernels_); }
  static State state(std::string_view text) {
    Result<State> state = state_of_link(text, *course_, *kernels_);
    EXPECT_TRUE(state) << text;
    return state ? *state : State();
  }
  static std::string problem(std::string_view text) {
    const Result<State> state = state_of_link(text, *course_, *kernels_);
    return state ? "none" : to_string(state.errors());
  }
  static State of_kernel(const char* name) {
    State state;
    state.inputs.kernel = name;
    state.inputs.size = kernel::default_size(kernel::find_kernel(*kernels_, name)->description);
    return state;
  }

  static inline const kernel::Catalogue* kernels_ = nullptr;
  static inline const Course* course_ = nullptr;
};

TEST_F(Link, IsShortForWhatIsAsUsual) {
  State step;
  step.lesson = "shared-tiles";
  step.lesson_step = 1;
  EXPECT_EQ(link(step), "lesson=3.2");
  State nine = of_kernel("09_thread_tile_2d");
  EXPECT_EQ(link(nine), "kernel=9");
  nine.inputs.settings = {{"BM", "128"}, {"TM", "4"}};  // TM is 4 without being said.
  nine.scale = session::Scale::Warp;
  nine.cursor = {2, 54};
  nine.language = "zh";
  EXPECT_EQ(link(nine), "kernel=9&BM=128&view=warp&warp=2&at=54&lang=zh");
}

TEST_F(Link, HoldsAllThatAStateHolds) {
  State all = of_kernel("09_thread_tile_2d");
  all.inputs.settings = {{"BM", "128"}, {"BN", "a b&c=d%#"}};
  all.inputs.size = {64, 128, 32};
  all.inputs.block_x = 3, all.inputs.block_y = 2, all.inputs.block_z = 1;
  all.inputs.source = "extern \"C\" __global__ void sgemm() {}  // \xe7\x9f\xa9\n";
  all.compared = of_kernel("01_naive_rows").inputs;
  all.compared->settings = {{"BX", "16"}};
  all.compared->block_x = 1;
  all.lesson = "shared-tiles";
  all.lesson_step = 1;
  all.arch = "sm_80";
  all.compiler = compile::Choice::Clang;
  all.cursor = {1, 7};
  all.lane = 31;
  all.scale = session::Scale::Thread;
  all.order = session::WarpOrder::Behind;
  all.zoom = 1.3f;
  all.pan_x = -0.1f, all.pan_y = 1e-7f;
  all.unit = analysis::Unit::Tile;
  all.speed = 0.3f;
  all.breakpoints = {12, 40};
  all.theme = session::Theme::Light;
  all.language = "zh";
  all.exploring = true;
  all.clock = true;
  all.present = true;
  all.ui_scale = 1.1f;
  for (const std::string& text : {link(all), "https://example.org/course/?term=2#" + link(all)}) {
    EXPECT_EQ(session::to_text(state(text)), session::to_text(all)) << text;
    EXPECT_EQ(state(text), all);
  }
}

TEST_F(Link, LeavesTheRestAsInANewState) {
  EXPECT_EQ(state(""), State());
  EXPECT_EQ(state("kernel=thread_tile_2d&size=512").inputs.size, (kernel::Size{512, 512, 512}));
  EXPECT_EQ(state("#lesson=shared-tiles").lesson_step, 0U);
  EXPECT_EQ(state("kernel=own").inputs.kernel, "own");
}

TEST_F(Link, SaysWhatMeansNothing) {
  for (const char* bad : {"colour=red", "lesson=99.1", "lesson=3.0", "lesson=3.x", "kernel=9&warp=-1", "kernel=9&lane=32",
                          "kernel=9&view=far", "kernel=9&size=0", "kernel=9&size=1,2", "kernel=9&block=1",
                          "kernel=9&source=!!", "kernel=9&source=AAAA", "BM=64", "other.BM=64", "kernel=9&zoom=nan",
                          "kernel=9&present=yes", "kernel=9&clock=2", "kernel=9&stops=1,,2", "kernel"})
    EXPECT_NE(problem(bad), "none") << bad;
  EXPECT_EQ(problem("kernel=9&lane=40"), "error: The link's \"lane=40\" means nothing here.");
}

TEST_F(Link, IsToldFromOtherArguments) {
  for (const char* yes : {"#lesson=3.7", "https://a.b/c#kernel=9", "lesson=3", "kernel=9&BM=64"}) EXPECT_TRUE(is_link(yes));
  for (const char* no : {"9", "thread_tile_2d", "mine.cu", "BM=64"}) EXPECT_FALSE(is_link(no));
}

}  // namespace
}  // namespace tilescope::lesson
