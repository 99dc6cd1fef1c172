// mbarriers in sentences, on the stage and in tooltips: kernel 18, whose warps 0 to 7 multiply and 8 to 11 copy. A
// stage is full after 128 arrivals by cp.async, one by the thread that asks TMA for the box of B, and the bytes of
// that; it is empty after the arrivals of eight warps.

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/access_words.h"
#include "view/label_placer.h"
#include "view/stage/fragments_picture.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_picture.h"
#include "view/sync_words.h"
#include "view/tooltip/tooltip.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using session::Target;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// The only block of 128 x 256 x 128, 8 tiles in 4 stages.
std::shared_ptr<const run::TracedBlock> producer_traced() { return traced_of("18_producer_warps", {128, 256, 128}); }

constexpr int64_t kBoxBytes = 16 * 256 * 4;

/// The warp's instruction number `n` of those of that opcode.
StepRef nth(const run::TracedBlock& traced, uint32_t warp, ptx::Op op, int n = 0) {
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
    if (traced.instruction(traced.timeline.pc({warp, step})).op == op && n-- == 0) return {warp, step};
  ADD_FAILURE() << "no such instruction";
  return {};
}

/// The n-th wait of the warp that found its phase complete, or not.
StepRef wait(const run::TracedBlock& traced, uint32_t warp, trace::SyncKind kind, int n = 0) {
  for (const uint32_t record : traced.trace.warp_records(0, warp))
    if (traced.trace.kind(record) == trace::RecordKind::Sync && traced.trace.sync(record).kind == kind && n-- == 0)
      return {warp, traced.trace.step(record).warp_step};
  ADD_FAILURE() << "no such wait";
  return {};
}

run::MbarrierState state_of(const run::TracedBlock& traced, const std::string& array, uint64_t index,
                            const StepRef& at) {
  const run::TracedArray* found = traced.accesses.find(Space::Shared, array);
  return found ? traced.mbarriers.at(found->address_of(index), traced.timeline.slot(at)) : run::MbarrierState{};
}

TEST(Mbarriers, TheStateFollowsArrivalsBytesAndWaits) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  EXPECT_FALSE(state_of(*traced, "full", 0, {0, 0}).initialised);
  // Four lanes set up four objects by one instruction.
  for (uint64_t stage = 0; stage < 4; ++stage) {
    const run::MbarrierState full = state_of(*traced, "full", stage, nth(*traced, 0, ptx::Op::BarSync));
    EXPECT_TRUE(full.initialised);
    EXPECT_EQ(full.expected, 129u);
    EXPECT_EQ(full.pending, 129u);
    EXPECT_EQ(full.bytes, 0);
    EXPECT_EQ(state_of(*traced, "empty", stage, nth(*traced, 0, ptx::Op::BarSync)).pending, 8u);
  }
  const run::MbarrierState asked = state_of(*traced, "full", 0, nth(*traced, 8, ptx::Op::MbarrierArrive));
  EXPECT_EQ(asked.pending, 128u);
  EXPECT_EQ(asked.bytes, kBoxBytes);
  EXPECT_EQ(asked.promised, 0u);
  const StepRef complete = wait(*traced, 0, trace::SyncKind::MbarrierWait), last{0, complete.step - 1};
  const run::MbarrierState promised = state_of(*traced, "full", 0, last);
  EXPECT_EQ(promised.phase, 0u);
  EXPECT_GT(promised.promised, 0u);
  const run::MbarrierState after = state_of(*traced, "full", 0, complete);
  EXPECT_EQ(after.phase, 1u);
  EXPECT_EQ(after.pending, 129u);
  EXPECT_EQ(after.bytes, 0);
  // 8 tiles in 4 stages: two phases, each of which takes what it was set up with, no more.
  const uint64_t offset = traced->accesses.find(Space::Shared, "full")->address_of(0);
  EXPECT_EQ(traced->mbarriers.uses(offset).arrivals, 2u * 129);
  EXPECT_EQ(traced->mbarriers.uses(offset).bytes, 2u * kBoxBytes);
}

std::string said_at(const run::TracedBlock& traced, const StepRef& at) {
  const InstructionWords said = words_at(traced, at);
  return said.elements + " | " + said.sentence;
}

TEST(Mbarriers, SentencesNameTheObjectAndItsPhase) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  EXPECT_EQ(said_at(*traced, nth(*traced, 0, ptx::Op::MbarrierInit)),
            "full[0…3] | sets up full[0…3]: each phase takes 129 arrivals");
  EXPECT_EQ(
      said_at(*traced, wait(*traced, 0, trace::SyncKind::MbarrierTry)),
      "full[0] | phase 0 of full[0] is not complete, it lacks 128 arrivals and 16 384 bytes: the warp tries again");
  EXPECT_EQ(said_at(*traced, wait(*traced, 0, trace::SyncKind::MbarrierWait)),
            "full[0] | phase 0 of full[0] is complete: the warp continues");
  EXPECT_EQ(said_at(*traced, wait(*traced, 8, trace::SyncKind::MbarrierWait)),
            "empty[0] | empty[0] is in its first phase; the one before counts as complete: the warp continues");
  EXPECT_EQ(said_at(*traced, wait(*traced, 8, trace::SyncKind::MbarrierWait, 4)),
            "empty[0] | phase 0 of empty[0] is complete: the warp continues");
  EXPECT_EQ(
      said_at(*traced, nth(*traced, 8, ptx::Op::MbarrierArrive)),
      "full[0] | 1 arrival at full[0], which expects 16 384 bytes more: phase 0 lacks 128 arrivals and 16 384 bytes");
  EXPECT_EQ(said_at(*traced, nth(*traced, 9, ptx::Op::CpAsyncMbarrierArrive)),
            "full[0] | 32 arrivals at full[0] by the system, as soon as the copies by cp.async before it have landed");
  // All eight warps arrive in one slot.
  EXPECT_EQ(said_at(*traced, nth(*traced, 0, ptx::Op::MbarrierArrive)),
            "empty[0] | 1 arrival at empty[0]: phase 0 is complete");
}

std::vector<std::string> labels_at(const run::TracedBlock& traced, const StepRef& at) {
  return labels_of(stage_picture(focus_at(traced, at), {1500, 900, &kMeasure, 14}, {1, 1, 0, 0}));
}

TEST(Mbarriers, TheStageWritesWhatEachLacks) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  const std::vector<std::string> begun = labels_at(*traced, nth(*traced, 0, ptx::Op::BarSync));
  EXPECT_EQ(std::ranges::count(begun, "129") + std::ranges::count(begun, "129 arrivals"), 4);
  EXPECT_EQ(std::ranges::count(begun, "phase 0"), 8);
  const std::vector<std::string> asked = labels_at(*traced, nth(*traced, 8, ptx::Op::CpAsyncBulkTensor));
  EXPECT_THAT(asked, Contains("16 KiB"));
  EXPECT_THAT(asked, testing::AnyOf(Contains("128"), Contains("128 arrivals")));
  EXPECT_THAT(labels_at(*traced, wait(*traced, 0, trace::SyncKind::MbarrierWait)), Contains("phase 1"));
}

/// The words of one are brief where those of another have to be, and they have room around them.
TEST(Mbarriers, TheirWordsAreAlikeAndFit) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  const StepRef at = nth(*traced, 8, ptx::Op::CpAsyncBulkTensor);
  for (const float height : {390.f, 300.f, 240.f, 200.f}) {
    const Canvas canvas{1136, height, &kMeasure, 14};
    const Picture picture = stage_picture(focus_at(*traced, at), canvas, {1, 1, 0, 0});
    const std::vector<std::string> words = labels_of(picture);
    EXPECT_FALSE(std::ranges::count(words, "129") > 0 && std::ranges::count(words, "8 arrivals") > 0) << height;
    const bool phases = std::ranges::any_of(words, [](const std::string& each) { return each.starts_with("ph"); });
    EXPECT_EQ(std::ranges::count(words, "missing: arrivals, bytes") > 0 && phases, false) << height;
    for (const ArrayPanel& panel : stage_frame(focus_at(*traced, at), canvas, {1, 1, 0, 0}).panels) {
      if (panel.array->allocation.name != "full" && panel.array->allocation.name != "empty") continue;
      for (const Label& label : shapes_of<Label>(picture)) {
        const Box box = box_of(label, kMeasure);
        if (!panel.box.contains(label.at)) continue;
        EXPECT_GT(box.y, panel.box.y) << label.text << " " << height;
        EXPECT_LT(box.bottom(), panel.box.bottom()) << label.text << " " << height;
      }
    }
  }
}

TEST(Mbarriers, WhereOnlyBytesAreMissingTheBytesAreWritten) {
  const auto traced = traced_of_lesson("18-hopper/warps.cu", {16, 16, 64}, {});
  ASSERT_TRUE(traced);
  // Two warps wait at full[0]; their marks leave room for two lines.
  const std::vector<std::string> asked = labels_of(stage_picture(
      focus_at(*traced, nth(*traced, 2, ptx::Op::CpAsyncBulkTensor)), {752, 440, &kMeasure, 15}, {1, 1, 0, 0}));
  EXPECT_THAT(asked, Contains("512 bytes"));
}

TEST(Mbarriers, NarrowBoxesHaveTheBytesInBrief) {
  const auto traced = traced_of_lesson("18-hopper/box.cu", {16, 16, 128}, {});
  ASSERT_TRUE(traced);
  const auto words = [&](Point size) {
    return labels_of(stage_picture(focus_at(*traced, nth(*traced, 0, ptx::Op::CpAsyncBulkTensor)),
                                   {size.x, size.y, &kMeasure, 14}, {1, 1, 0, 0}));
  };
  EXPECT_THAT(words({588, 344}), Contains("512 B"));
  EXPECT_THAT(words({1136, 390}), Contains("512 bytes"));
}

/// The elements that frames of the cursor are around.
std::vector<uint64_t> used_of(const run::TracedBlock& traced, const StepRef& at, const std::string& array) {
  const Focus focus = focus_at(traced, at);
  const Canvas canvas{1500, 900, &kMeasure, 14};
  const StageView view{1, 1, 0, 0};
  return stage_frame(focus, canvas, view).used(*traced.accesses.find(Space::Shared, array));
}

TEST(Mbarriers, TheOneThatAWarpIsAtIsMarked) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  EXPECT_THAT(used_of(*traced, wait(*traced, 3, trace::SyncKind::MbarrierTry), "full"), ElementsAre(0u));
  EXPECT_THAT(used_of(*traced, nth(*traced, 3, ptx::Op::MbarrierArrive), "empty"), ElementsAre(0u));
  EXPECT_THAT(used_of(*traced, nth(*traced, 8, ptx::Op::CpAsyncBulkTensor, 2), "full"), ElementsAre(2u));
  EXPECT_THAT(used_of(*traced, nth(*traced, 8, ptx::Op::CpAsyncBulkTensor, 2), "empty"), ElementsAre());
}

TooltipText tooltip_at(const run::TracedBlock& traced, const StepRef& at, Space space, const std::string& array,
                       uint64_t index) {
  ElementUses uses;
  const Target target{Target::Kind::Element, space, array, index, 0};
  do uses.of(traced, target);
  while (!uses.complete());
  return tooltip(target, focus_at(traced, at), uses);
}

TEST(Mbarriers, ATooltipSaysTheStateAndWhatTheBlockDoes) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  EXPECT_THAT(tooltip_at(*traced, {0, 0}, Space::Shared, "full", 0).lines,
              Contains("an mbarrier, not yet initialised at the cursor"));
  EXPECT_THAT(tooltip_at(*traced, nth(*traced, 8, ptx::Op::CpAsyncBulkTensor), Space::Shared, "full", 0).lines,
              testing::AllOf(Contains("an mbarrier: each phase takes 129 arrivals"),
                             Contains("phase 0 (parity 0) lacks 128 arrivals and 16 384 bytes"),
                             Contains("block (0, 0): 258 arrivals; found complete by 16 waits"),
                             Contains("it expects 32 768 bytes in all")));
}

TEST(Mbarriers, TooltipsKnowWhatBulkCopiesReadAndWrite) {
  const auto traced = producer_traced();
  ASSERT_TRUE(traced);
  const StepRef asked = nth(*traced, 8, ptx::Op::CpAsyncBulkTensor);
  const StepRef before{8, asked.step - 1}, later = wait(*traced, 0, trace::SyncKind::MbarrierWait);
  EXPECT_THAT(tooltip_at(*traced, before, Space::Shared, "Bs", 5).lines, Contains("not yet written at the cursor"));
  EXPECT_THAT(tooltip_at(*traced, {8, asked.step + 1}, Space::Shared, "Bs", 5).lines,
              Contains(HasSubstr("on its way: B[0][5] = ")));
  EXPECT_THAT(tooltip_at(*traced, later, Space::Shared, "Bs", 5).lines,
              testing::AllOf(Contains(HasSubstr("holds B[0][5] = ")), Contains(HasSubstr("written by 2 bulk copies"))));
  EXPECT_THAT(tooltip_at(*traced, later, Space::Global, "B", 5).lines,
              Contains("block (0, 0): read by 1 bulk copy; not written"));
  const auto products = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(products);
  EXPECT_THAT(tooltip_at(*products, {4, 0}, Space::Global, "C", 5).lines,
              Contains("block (0, 0): not read; written by 1 bulk copy"));
  EXPECT_THAT(tooltip_at(*products, {4, 0}, Space::Shared, "As", 5).lines,
              Contains("block (0, 0): read by 1 wgmma of a warp; written by 1 bulk copy"));
  EXPECT_THAT(tooltip_at(*products, {4, 0}, Space::Shared, "Bs", 5).lines,
              Contains("block (0, 0): read by 8 wgmmas of warps; written by 1 bulk copy"));
}

// Two groups of four warps, each with a barrier of its own.
TEST(Barriers, OnlyTheWarpsThatMeetAreNamedAndDrawn) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  StepRef at = traced->timeline.first(4);
  while (!words_at(*traced, at).opcode.starts_with("bar.sync 1")) ++at.step;
  EXPECT_EQ(words_at(*traced, at).sentence, "warp 4 waits at barrier 1 for 4 of the block's 12 warps");
  EXPECT_THAT(warps_at_barrier(*traced, 1), ElementsAre(4u, 5u, 6u, 7u));
  EXPECT_EQ(warps_at_barrier(*traced, 0).size(), 12u);
}

TEST(Products, AWgmmaIsOfFourWarpsAndAddsOnlyWhereItDoes) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  const std::string rest = "; A has 64 × 16 elements, B 16 × 256; 16 of the 64 rows are this warp's";
  EXPECT_EQ(words_at(*traced, nth(*traced, 5, ptx::Op::WgmmaMma)).sentence, "warps 4 to 7 begin D = A × B" + rest);
  EXPECT_EQ(words_at(*traced, nth(*traced, 5, ptx::Op::WgmmaMma, 1)).sentence,
            "warps 4 to 7 begin D = A × B + D" + rest);
}

TEST(Settings, WhatIsNoArithmeticIsNotCalledSo) {
  const auto traced = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(traced);
  EXPECT_EQ(words_at(*traced, nth(*traced, 4, ptx::Op::Setmaxnreg)).sentence,
            "requests 232 registers for each thread of the warpgroup; waits until the block's pool has them");
  EXPECT_EQ(words_at(*traced, nth(*traced, 0, ptx::Op::Setmaxnreg)).sentence,
            "each thread of the warpgroup keeps 40 registers, the others go to the block's pool");
  EXPECT_EQ(words_at(*traced, nth(*traced, 4, ptx::Op::WgmmaFence)).sentence,
            "matrix products after it see what the registers hold before it");
}

/// Ink of the frame around A, or B, in the picture of a wgmma.
std::set<Ink> headings(const run::TracedBlock& traced, const StepRef& at, const std::string& name) {
  std::set<Ink> inks;
  for (const Label& label : shapes_of<Label>(fragments_picture(focus_at(traced, at), {1000, 380, &kMeasure})))
    if (label.text.starts_with(name + "  ")) inks.insert(label.colour.ink);
  return inks;
}

// Kernel 24 computes the transposed product.
TEST(Products, MatricesHaveTheColourOfTheArrayThatTheyAreOf) {
  const auto transposed = traced_of("24_tf32_wgmma"), plain = traced_of("23_bf16_wgmma", {128, 256, 192});
  ASSERT_TRUE(transposed && plain);
  EXPECT_EQ(headings(*transposed, nth(*transposed, 4, ptx::Op::WgmmaMma), "A"), std::set{Ink::ArrayB});
  EXPECT_EQ(headings(*plain, nth(*plain, 4, ptx::Op::WgmmaMma), "A"), std::set{Ink::ArrayA});
}

}  // namespace
}  // namespace tilescope::view
