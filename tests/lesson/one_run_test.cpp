// What is compiled, prepared and run once is shared by all that show it, and by a lesson beside the window.

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lesson/runs.h"
#include "prebuilt_only.h"
#include "session/workspace.h"
#include "wait_until.h"

namespace tilescope::lesson {
namespace {
using session::Progress;

/// A window's workspace, and lessons beside it.
class OneRun : public testing::Test {
 protected:
  void SetUp() override {
    session::State state;
    state.inputs.kernel = "09_thread_tile_2d";
    state.inputs.size = {128, 128, 32};
    apply(session::LoadState{state});
  }
  void apply(const session::Command& command) {
    workspace_.apply(command);
    ASSERT_TRUE(wait_until([&] {
      workspace_.poll();
      const Progress progress = workspace_.experiment(0).progress();
      return progress == Progress::Idle || progress == Progress::Failed;
    }));
  }
  /// The scene on screen, as a lesson requests it.
  Scene scene() const {
    Scene scene;
    scene.kernel = std::make_shared<const kernel::Kernel>(workspace_.experiment(0).kernel());
    scene.settings = workspace_.state().inputs.settings;
    scene.size = workspace_.state().inputs.size;
    return scene;
  }
  /// What a compile, parsed and flattened, came to.
  const run::Build* build() const { return workspace_.experiment(0).traced()->prepared->build.get(); }

  /// From here on nothing can be compiled.
  void take_compiler_away() { std::filesystem::remove_all(shipped_); }

  /// With the PTX of the one kernel.
  compile::Settings settings() const {
    std::filesystem::create_directories(shipped_);
    std::filesystem::copy(TILESCOPE_SOURCE_DIR "/assets/prebuilt/09_thread_tile_2d.prebuilt", shipped_,
                          std::filesystem::copy_options::overwrite_existing);
    compile::Settings settings = prebuilt_only();
    settings.prebuilt_folder = shipped_;
    return settings;
  }
  void TearDown() override { take_compiler_away(); }

  const std::filesystem::path shipped_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("tilescope-one-run-{}", ::getpid());
  compile::Compiler compiler_{settings()};
  run::RunCache cache_{compiler_, run::window_limits()};
  session::Workspace workspace_{cache_};
};

TEST_F(OneRun, AllThatAStepOfASliderShowsIsOfOnePreparedKernel) {
  apply(session::UsePreset{"64x64x8-4x4"});
  const session::Experiment& shown = workspace_.experiment(0);
  ASSERT_EQ(shown.progress(), Progress::Idle);
  ASSERT_TRUE(shown.traced() && shown.counted() && shown.checked());
  EXPECT_EQ(shown.counted()->prepared, shown.traced()->prepared);
  EXPECT_EQ(shown.checked()->prepared, shown.traced()->prepared);
}

TEST_F(OneRun, AnotherSizeIsNotCompiledAgain) {
  const run::Build* const before = build();
  take_compiler_away();
  apply(session::SetSize{{128, 128, 64}});
  ASSERT_EQ(workspace_.experiment(0).progress(), Progress::Idle);
  EXPECT_EQ(build(), before);
}

TEST_F(OneRun, OtherSettingsAreCompiled) {
  take_compiler_away();
  apply(session::UsePreset{"64x64x8-4x4"});
  EXPECT_EQ(workspace_.experiment(0).progress(), Progress::Failed);
}

TEST_F(OneRun, AForecastCompilesNothing) {
  take_compiler_away();
  apply(session::SetSize{{128, 128, 1 << 20}});
  EXPECT_GT(workspace_.experiment(0).fitting_k(), 0);
}

TEST_F(OneRun, ALessonReadsTheRunThatIsOnShow) {
  Runs runs(cache_);
  take_compiler_away();
  const auto read = runs.run(scene());
  ASSERT_TRUE(read) << to_string(read.errors());
  EXPECT_EQ((*read)->traced, workspace_.experiment(0).traced());
  EXPECT_EQ((*read)->grid, workspace_.experiment(0).counted());
}

TEST_F(OneRun, WhatNobodyShowsAnyMoreIsGone) {
  const std::weak_ptr<const run::TracedBlock> before = workspace_.experiment(0).traced();
  apply(session::SetSize{{128, 128, 64}});
  workspace_.apply(session::Move{analysis::Unit::Access, 1});
  workspace_.poll();
  EXPECT_TRUE(before.expired());
}

}  // namespace
}  // namespace tilescope::lesson
