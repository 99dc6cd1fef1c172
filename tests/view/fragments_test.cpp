// Which lane holds which element of a matrix instruction's operands, and where the values came from: examples/mma_tile.cu.

#include "view/fragments.h"

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "scene_fixture.h"
#include "view/fragments_picture.h"

namespace tilescope::view {
namespace {

/// Block (1, 0) of 32 x 16 x 32; null where there is no NVRTC.
std::shared_ptr<const run::TracedBlock> mma_scene() {
  static compile::Compiler compiler;
  if (!compiler.toolchain()) return nullptr;
  const Result<kernel::Opened> opened = kernel::open_file(TILESCOPE_SOURCE_DIR "/examples/mma_tile.cu");
  EXPECT_TRUE(opened);
  run::Request request;
  request.kernel = opened->kernel;
  request.size = {32, 16, 32};
  const auto scene = traced(request, compiler, {1, 0});
  EXPECT_TRUE(scene) << (scene ? "" : to_string(scene.errors()));
  return scene ? *scene : nullptr;
}

/// The n-th instruction of that opcode, from 0.
analysis::StepRef find(const run::TracedBlock& scene, ptx::Op op, int n = 0) {
  for (uint32_t step = 0; step < scene.timeline.steps(0); ++step)
    if (scene.instruction(scene.timeline.pc({0, step})).op == op && n-- == 0) return {0, step};
  ADD_FAILURE() << "there is no such instruction";
  return {};
}

run::Region region(uint64_t row, uint64_t column, uint64_t row_end, uint64_t column_end) {
  return {row, column, row_end, column_end};
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
TEST(Fragments, ALaneHoldsTheElementsThatTheDocumentSays) {
  const auto scene = mma_scene();
  if (!scene) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*scene, find(*scene, ptx::Op::Mma)));
  ASSERT_EQ(fragments.kind, Fragments::Kind::Product);
  EXPECT_EQ(fragments.shape, "m16n8k16");
  ASSERT_EQ(fragments.matrices.size(), 3u);
  const FragmentMatrix &a = fragments.matrices[0], &b = fragments.matrices[1], &d = fragments.matrices[2];
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t k = 0; k < 16; ++k) EXPECT_EQ(a.lanes[row * 16 + k], row % 8 * 4 + k % 8 / 2) << row << ' ' << k;
  for (uint32_t k = 0; k < 16; ++k)
    for (uint32_t column = 0; column < 8; ++column) EXPECT_EQ(b.lanes[k * 8 + column], column * 4 + k % 8 / 2);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 8; ++column) EXPECT_EQ(d.lanes[row * 8 + column], row % 8 * 4 + column / 2);
  EXPECT_EQ(a.registers, 4u);
  EXPECT_EQ(b.registers, 2u);
  EXPECT_EQ(a.word_columns, 2u);
  EXPECT_EQ(b.word_rows, 2u);
}

TEST(Fragments, TheValuesAreFollowedToSharedAndGlobalMemory) {
  const auto scene = mma_scene();
  if (!scene) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*scene, find(*scene, ptx::Op::Mma, 1)));  // The second k-tile.
  ASSERT_EQ(fragments.matrices.size(), 3u);
  const FragmentMatrix &a = fragments.matrices[0], &b = fragments.matrices[1], &d = fragments.matrices[2];
  ASSERT_TRUE(a.source.array && a.input.array && b.source.array && b.input.array && d.source.array);
  EXPECT_EQ(a.source.array->allocation.name, "As");
  EXPECT_EQ(a.source.region, region(0, 0, 16, 16));
  EXPECT_EQ(a.input.array->allocation.name, "A");
  EXPECT_EQ(a.input.region, region(0, 16, 16, 32));
  EXPECT_EQ(b.source.region, region(0, 0, 16, 8));
  EXPECT_EQ(b.input.region, region(16, 8, 32, 16));
  EXPECT_EQ(d.source.array->allocation.name, "C");
  EXPECT_EQ(d.source.region, region(0, 8, 16, 16));
}

TEST(Fragments, OfLdmatrixEachRowHasTheLaneThatGivesItsAddress) {
  const auto scene = mma_scene();
  if (!scene) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*scene, find(*scene, ptx::Op::Ldmatrix)));
  ASSERT_EQ(fragments.kind, Fragments::Kind::Load);
  ASSERT_EQ(fragments.matrices.size(), 4u);
  const FragmentMatrix& third = fragments.matrices[2];
  EXPECT_EQ(third.row_lanes[3], 19u);
  EXPECT_EQ(third.row_sources[3].region, region(3, 8, 4, 9));
  EXPECT_EQ(third.lanes[3 * 8 + 5], 14u);
  const Fragments transposed = fragments_at(focus_at(*scene, find(*scene, ptx::Op::Ldmatrix, 1)));
  ASSERT_EQ(transposed.matrices.size(), 2u);
  EXPECT_EQ(transposed.matrices[1].row_lanes[3], 11u);
  EXPECT_EQ(transposed.matrices[1].lanes[5 * 8 + 3], 14u);
}

TEST(Fragments, ThePictureNumbersEveryWordAndFramesTheLaneThatIsLookedAt) {
  const auto scene = mma_scene();
  if (!scene) GTEST_SKIP();
  Focus focus = focus_at(*scene, find(*scene, ptx::Op::Mma));
  focus.lane = 9;
  const PlainMeasure measure;
  const Picture picture = fragments_picture(focus, {1000, 380, &measure});
  size_t numbers = 0, framed = 0;
  for (const Shape& shape : picture.shapes) {
    if (const auto* label = std::get_if<Label>(&shape)) numbers += label->font == Font::Mono && label->text == "9";
    if (const auto* box = std::get_if<Rectangle>(&shape)) framed += box->stroke == Colour{Ink::Accent};
  }
  EXPECT_EQ(numbers, 4u + 2u + 4u);
  EXPECT_EQ(framed, 4u + 2u + 4u);
  EXPECT_EQ(picture.hot.size(), 128u + 64u + 128u);
  EXPECT_FALSE(has_fragments(*scene, {0, 0}));
}

// Large type on a small canvas: numbers as high as the words would be lost beside it.
TEST(Fragments, WhereNumbersWouldBeTooSmallTheLaneThatIsLookedAtHasLargeOnes) {
  const auto scene = mma_scene();
  if (!scene) GTEST_SKIP();
  Focus focus = focus_at(*scene, find(*scene, ptx::Op::Mma));
  focus.lane = 9;
  const PlainMeasure measure;
  const Canvas canvas{800, 300, &measure, 22};
  size_t own = 0;
  for (const Shape& shape : fragments_picture(focus, canvas).shapes)
    if (const auto* label = std::get_if<Label>(&shape); label && label->horizontal == Align::Centre && label->font == Font::Mono) {
      own += label->text == "9";
      EXPECT_GE(label->size, 0.55f * canvas.text) << label->text;
    }
  EXPECT_EQ(own, 4u + 2u + 4u);
}

}  // namespace
}  // namespace tilescope::view
