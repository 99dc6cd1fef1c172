// Which lane holds which element of a matrix instruction's operands, and where the values came from:
// examples/mma_tile.cu.

#include "view/stage/fragments.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "traced_fixture.h"
#include "view/label_placer.h"
#include "view/stage/fragments_picture.h"

namespace tilescope::view {
namespace {

/// Block (1, 0) of a kernel in a file; null where there is no NVRTC.
std::shared_ptr<const run::TracedBlock> traced_of_file(const std::filesystem::path& file, const kernel::Size& size) {
  static compile::Compiler compiler;
  if (!compiler.toolchain()) return nullptr;
  const Result<kernel::Opened> opened = kernel::open_file(file);
  EXPECT_TRUE(opened) << (opened ? "" : to_string(opened.errors()));
  if (!opened) return nullptr;
  run::Request request;
  request.kernel = opened->kernel;
  request.size = size;
  const auto traced = trace_block(request, compiler, {1, 0});
  EXPECT_TRUE(traced) << (traced ? "" : to_string(traced.errors()));
  return traced ? *traced : nullptr;
}

std::shared_ptr<const run::TracedBlock> mma_traced() {
  return traced_of_file(TILESCOPE_SOURCE_DIR "/examples/mma_tile.cu", {32, 16, 32});
}

/// A product by wmma with sums in f16, of 8 x 32 elements a warp.
std::shared_ptr<const run::TracedBlock> wmma_traced() {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tilescope-wmma";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "wide.cu") << R"(#include <mma.h>
using namespace nvcuda;
__global__ void wide(int N, int K, const __half* A, const __half* B, __half* C) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 8, 32, 16, __half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  const int row = blockIdx.y * 8, col = blockIdx.x * 32;
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + col, N);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + row * N + col, sum, N, wmma::mem_row_major);
}
)";
  std::ofstream(folder / "wide.toml") << R"(title = "8 x 32 by wmma"
arguments = ["N", "K", "A", "B", "C"]
[launch]
block = 32
grid = ["N / 32", "M / 8"]
[arrays]
A = { element = "f16", shape = ["M", "K"], role = "input" }
B = { element = "f16", shape = ["K", "N"], role = "input" }
C = { element = "f16", shape = ["M", "N"], role = "output" }
)";
  return traced_of_file(folder / "wide.cu", {8, 64, 32});
}

/// The n-th instruction of that opcode, from 0.
analysis::StepRef find(const run::TracedBlock& traced, ptx::Op op, int n = 0) {
  for (uint32_t step = 0; step < traced.timeline.steps(0); ++step)
    if (traced.instruction(traced.timeline.pc({0, step})).op == op && n-- == 0) return {0, step};
  ADD_FAILURE() << "there is no such instruction";
  return {};
}

run::Region region(uint64_t row, uint64_t column, uint64_t row_end, uint64_t column_end) {
  return {row, column, row_end, column_end};
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
TEST(Fragments, ALaneHoldsTheElementsThatTheDocumentSays) {
  const auto traced = mma_traced();
  if (!traced) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*traced, find(*traced, ptx::Op::Mma)));
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
  const auto traced = mma_traced();
  if (!traced) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*traced, find(*traced, ptx::Op::Mma, 1)));  // The second k-tile.
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

// The product of 8 x 32 is the transposed one of 32 x 8, in tiles of 16 x 8, so that a lane's elements of A and of D
// change places with those of B.
TEST(Fragments, WmmaIsSharedOutAsTheMmaThatItStandsFor) {
  const auto traced = wmma_traced();
  if (!traced) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*traced, find(*traced, ptx::Op::WmmaMma, 1)));
  ASSERT_EQ(fragments.kind, Fragments::Kind::Product);
  EXPECT_EQ(fragments.opcode + " " + fragments.shape, "wmma.mma m8n32k16");
  const FragmentMatrix &a = fragments.matrices[0], &b = fragments.matrices[1], &d = fragments.matrices[2];
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t k = 0; k < 16; ++k) EXPECT_EQ(a.lanes[row * 16 + k], row * 4 + k % 8 / 2) << row << ' ' << k;
  for (uint32_t k = 0; k < 16; ++k)
    for (uint32_t column = 0; column < 32; ++column)
      EXPECT_EQ(b.lanes[k * 32 + column], column % 8 * 4 + k % 8 / 2) << k << ' ' << column;
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t column = 0; column < 32; ++column)
      EXPECT_EQ(d.lanes[row * 32 + column], column % 8 * 4 + row / 2) << row << ' ' << column;
  EXPECT_EQ(d.word_rows, 2u);
  EXPECT_EQ(d.word_columns, 1u);
}

TEST(Fragments, OfLdmatrixEachRowHasTheLaneThatGivesItsAddress) {
  const auto traced = mma_traced();
  if (!traced) GTEST_SKIP();
  const Fragments fragments = fragments_at(focus_at(*traced, find(*traced, ptx::Op::Ldmatrix)));
  ASSERT_EQ(fragments.kind, Fragments::Kind::Load);
  ASSERT_EQ(fragments.matrices.size(), 4u);
  const FragmentMatrix& third = fragments.matrices[2];
  EXPECT_EQ(third.row_lanes[3], 19u);
  EXPECT_EQ(third.row_sources[3].region, region(3, 8, 4, 9));
  EXPECT_EQ(third.lanes[3 * 8 + 5], 14u);
  const Fragments transposed = fragments_at(focus_at(*traced, find(*traced, ptx::Op::Ldmatrix, 1)));
  ASSERT_EQ(transposed.matrices.size(), 2u);
  EXPECT_EQ(transposed.matrices[1].row_lanes[3], 11u);
  EXPECT_EQ(transposed.matrices[1].lanes[5 * 8 + 3], 14u);
}

TEST(Fragments, ThePictureNumbersEveryWordAndFramesTheLaneThatIsLookedAt) {
  const auto traced = mma_traced();
  if (!traced) GTEST_SKIP();
  Focus focus = focus_at(*traced, find(*traced, ptx::Op::Mma));
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
  EXPECT_FALSE(has_fragments(*traced, {0, 0}));
}

// Large type on a small canvas: numbers as high as the words would be lost beside it.
TEST(Fragments, WhereNumbersWouldBeTooSmallTheLaneThatIsLookedAtHasLargeOnes) {
  const auto traced = mma_traced();
  if (!traced) GTEST_SKIP();
  Focus focus = focus_at(*traced, find(*traced, ptx::Op::Mma));
  focus.lane = 9;
  const PlainMeasure measure;
  const Canvas canvas{800, 230, &measure, 22};
  std::vector<Box> own;
  for (const Shape& shape : fragments_picture(focus, canvas).shapes)
    if (const auto* label = std::get_if<Label>(&shape);
        label && label->horizontal == Align::Centre && label->font == Font::Mono) {
      if (label->text == "9") own.push_back(box_of(*label, measure));
      EXPECT_GE(label->size, 0.5f * canvas.text) << label->text;
    }
  EXPECT_EQ(own.size(), 4u + 2u + 2u) << "one for two neighbouring sums";
  for (size_t i = 0; i < own.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(own[i].x >= own[j].right() || own[j].x >= own[i].right() || own[i].y >= own[j].bottom() ||
                  own[j].y >= own[i].bottom());
}

}  // namespace
}  // namespace tilescope::view
