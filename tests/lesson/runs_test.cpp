#include "lesson/runs.h"

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "prebuilt_only.h"

namespace tilescope::lesson {
namespace {

class RunsTest : public testing::Test {
 protected:
  Scene scene_of(size_t kernel) const {
    Scene scene;
    scene.kernel = std::make_shared<const kernel::Kernel>(catalogue_.kernels[kernel]);
    scene.size = {64, 64, 64};
    return scene;
  }
  std::shared_ptr<const SceneRun> run(size_t kernel) {
    const auto run = runs_.run(scene_of(kernel));
    EXPECT_TRUE(run) << to_string(run.errors());
    return run ? *run : nullptr;
  }

  const kernel::Catalogue catalogue_ = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache cache_{compiler_};
  Runs runs_{cache_};
};

TEST_F(RunsTest, AreKept) {
  const auto first = run(0);
  EXPECT_NE(run(1), first);
  EXPECT_EQ(run(0), first);
}

TEST_F(RunsTest, OfOtherPagesAreForgotten) {
  const auto first = run(0), second = run(1);
  runs_.note_unused();
  run(1);
  runs_.forget_unused();
  EXPECT_EQ(run(1), second);
  EXPECT_NE(run(0), first);
  runs_.forget_unused();
  EXPECT_EQ(run(1), second) << "used since";
}

TEST_F(RunsTest, TheOldestMakesRoom) {
  const auto first = run(0);
  for (size_t kernel = 1; kernel < Runs::kMostKept; ++kernel) run(kernel);
  EXPECT_EQ(run(0), first);
  run(Runs::kMostKept);
  EXPECT_EQ(run(0), first) << "kernel 1 is the oldest";
  for (size_t kernel = 1; kernel <= Runs::kMostKept; ++kernel) run(kernel);
  EXPECT_NE(run(0), first);
}

}  // namespace
}  // namespace tilescope::lesson
