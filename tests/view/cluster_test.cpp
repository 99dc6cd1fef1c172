// The pictures of clusters: examples/cluster_tile.cu, whose blocks read half of a tile from another block's shared
// memory.

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "traced_fixture.h"
#include "view/access_words.h"
#include "view/stage/stage_layout.h"
#include "view/stage/stage_picture.h"

namespace tilescope::view {
namespace {

/// Block (1, 0) of 4 x 2, in clusters of two; null where there is no NVRTC.
std::shared_ptr<const run::TracedBlock> cluster_traced() {
  static compile::Compiler compiler;
  if (!compiler.toolchain()) return nullptr;
  const Result<kernel::Opened> opened = kernel::open_file(TILESCOPE_SOURCE_DIR "/examples/cluster_tile.cu");
  EXPECT_TRUE(opened);
  run::Request request;
  request.kernel = opened->kernel;
  request.size = {32, 64, 32};
  const auto traced = trace_block(request, compiler, {1, 0});
  EXPECT_TRUE(traced) << (traced ? "" : to_string(traced.errors()));
  return traced ? *traced : nullptr;
}

/// The first read of another block's shared memory by warp 0.
analysis::StepRef far_read(const run::TracedBlock& traced) {
  uint64_t addresses[trace::kLanes];
  for (uint32_t step = 0; step < traced.timeline.steps(0); ++step)
    if (const auto record = traced.timeline.access({0, step})) {
      traced.trace.addresses(*record, addresses);
      if (traced.trace.space(*record) == Space::Shared && addresses[0] >> trace::kRankShift != 0) return {0, step};
    }
  ADD_FAILURE() << "there is none";
  return {};
}

Picture picture_at(const run::TracedBlock& traced, const analysis::StepRef& at, float level) {
  const PlainMeasure measure;
  StageView view;
  view.level = level;
  return stage_picture(focus_at(traced, at), {1000, 500, &measure}, view);
}

bool says(const Picture& picture, const std::string& words) {
  return std::ranges::any_of(picture.shapes, [&](const Shape& shape) {
    const auto* label = std::get_if<Label>(&shape);
    return label && label->text.starts_with(words);
  });
}

TEST(ClusterView, WhatIsReadOfAnotherBlockHasItsNameAndItsRank) {
  const auto traced = cluster_traced();
  if (!traced) GTEST_SKIP();
  const analysis::StepRef at = far_read(*traced);
  const InstructionWords words = words_at(*traced, at);
  EXPECT_EQ(words.elements, "As@0[0…1][0…7]") << "block (1, 0) has the right half itself";
  EXPECT_EQ(words.sentence, "shared memory of block 0 of the cluster, over the network between SMs");
  const run::TracedArray* mates = traced->accesses.find(Space::Shared, "As@0");
  ASSERT_TRUE(mates);
  EXPECT_TRUE(mates->is_mates());
  EXPECT_EQ(mates->touched, (run::Region{0, 0, 16, 8}));
  EXPECT_TRUE(traced->accesses.find(Space::Shared, "Bs@0")->touched.empty());
  EXPECT_EQ(traced->accesses.find(Space::Shared, "As")->side, run::Side::A);
}

TEST(ClusterView, TheOtherBlocksArrayStandsInTheCornerOnlyWhereItIsTouched) {
  const auto traced = cluster_traced();
  if (!traced) GTEST_SKIP();
  const Picture picture = picture_at(*traced, far_read(*traced), 1);
  EXPECT_TRUE(says(picture, "As@0"));
  EXPECT_FALSE(says(picture, "Bs@0"));
  EXPECT_FALSE(says(picture, "As@1")) << "its own array has one name";
}

TEST(ClusterView, TheGridFramesTheBlocksOfEachCluster) {
  const auto traced = cluster_traced();
  if (!traced) GTEST_SKIP();
  static compile::Compiler compiler;
  const auto counted = run::count_grid(traced->prepared);
  ASSERT_TRUE(counted);
  Focus focus = focus_at(*traced, {0, 0});
  focus.counted = counted->get();
  const PlainMeasure measure;
  StageView view;
  view.level = 0;
  const Picture picture = stage_picture(focus, {1000, 500, &measure}, view);
  EXPECT_TRUE(says(picture, "framed: clusters"));
  size_t frames = 0;
  for (const Shape& shape : picture.shapes)
    if (const auto* box = std::get_if<Rectangle>(&shape)) {
      if (box->rounding != 6) continue;
      ++frames;
      EXPECT_GT(box->box.width, 1.5f * box->box.height) << "two blocks side by side";
    }
  EXPECT_EQ(frames, 4u);
}

}  // namespace
}  // namespace tilescope::view
