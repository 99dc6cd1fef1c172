#include "view/tooltip/tooltip.h"

#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/inputs.h"
#include "traced_fixture.h"
#include "view/lane_uses.h"

namespace tilescope::view {
namespace {
using run::TracedBlock;
using session::Target;
using Kind = Target::Kind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A traced block with the cursor at the warp's first shared load of a k-tile.
struct Place {
  std::shared_ptr<const TracedBlock> traced;
  Focus focus;
  ElementUses uses;

  Place(const std::string& kernel, uint32_t warp, int32_t tile) : traced(traced_of(kernel)) {
    focus.traced = traced.get();
    for (uint32_t step = 0; step < traced->timeline.steps(warp); ++step) {
      focus.cursor = {warp, step};
      const bool loads = traced->timeline.kind(focus.cursor) == analysis::StepKind::LoadShared;
      if (loads && traced->timeline.tile(focus.cursor) == tile) return;
    }
  }
  TooltipText at(const Target& target) { return tooltip(target, focus, uses); }
};

TEST(Tooltip, AnInputNamesItsValueItsReadersAndItsPlace) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Element, Space::Global, "A", 37 * 64 + 12, 0});
  EXPECT_EQ(text.title, "A[37][12]");
  EXPECT_EQ(text.ink, Ink::ArrayA);
  EXPECT_THAT(text.lines, ElementsAre("-0.99341: an input, made from seed 1",
                                      "block (0, 0): read by 1 lane in 1 request; not written",
                                      "byte address 0x7f0000002530, sector 0x7f0000002520"));
  EXPECT_EQ(fmt::format("{:.6g}", run::input_value(1, "A", 37 * 64 + 12)), "-0.99341");
}

TEST(Tooltip, AnInputThatAProgramFilledHasTheProgramsValue) {
  run::Request request = request_for("01", {64, 64, 64});
  for (kernel::Array& array : request.kernel.description.arrays)
    if (array.name == "A") {
      std::string bytes(64 * 64 * sizeof(float), '\0');
      const float value = 2.5f;
      std::memcpy(&bytes[7 * sizeof value], &value, sizeof value);
      array.content = std::make_shared<const kernel::ArrayContent>(kernel::ArrayContent{bytes, {}});
    }
  compile::Compiler compiler(prebuilt_only());
  const auto traced = trace_block(request, compiler, {});
  ASSERT_TRUE(traced) << to_string(traced.errors());
  const Focus focus = focus_at(**traced);
  ElementUses uses;
  const TooltipText text = tooltip({Kind::Element, Space::Global, "A", 7, 0}, focus, uses);
  EXPECT_EQ(text.title, "A[0][7]");
  EXPECT_EQ(text.lines.front(), "2.5: an input, from the program");
}

TEST(Tooltip, ASharedElementNamesWhatItHoldsAndWhoWroteIt) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Element, Space::Shared, "As", 37 * 8 + 4, 0});
  EXPECT_EQ(text.title, "As[37][4]");
  EXPECT_THAT(text.lines, ElementsAre(fmt::format("holds A[37][20] = {:.6g}", run::input_value(1, "A", 37 * 64 + 20)),
                                      "written by lane 12 of warp 1, instruction 1 842",
                                      "block (0, 0): read by 128 lanes in 8 requests; written by 8 lanes in 8 requests",
                                      "byte 1200 of the block's shared memory, bank 12"));
}

TEST(Tooltip, ASharedElementSaysWhichLanesReadItNow) {
  Place place("09", 2, 2);
  const std::vector<LaneUse> now = lane_uses(*place.traced, place.focus.cursor);
  ASSERT_FALSE(now.empty());
  const TooltipText text = place.at({Kind::Element, Space::Shared, now[0].array->allocation.name, now[0].index, 0});
  EXPECT_THAT(text.lines, Contains("now: lanes 0 and 16 of warp 2 read it"));
}

TEST(Tooltip, BeforeTheFirstStoreASharedElementIsNotYetWritten) {
  Place place("09", 2, 2);
  place.focus.cursor = {0, 0};
  const TooltipText text = place.at({Kind::Element, Space::Shared, "As", 0, 0});
  EXPECT_EQ(text.lines[0], "not yet written at the cursor");
}

TEST(Tooltip, AnElementOfCNamesItsBlockAndItsValue) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Element, Space::Global, "C", 259, 0});
  EXPECT_EQ(text.title, "C[1][3]");
  EXPECT_THAT(text.lines,
              ElementsAre("-2.2455 after block (0, 0) ran", "block (0, 0): not read; written by 1 lane in 1 request",
                          "block (0, 0) computes it", "byte address 0x7f000202040c, sector 0x7f0002020400"));
}

TEST(Tooltip, WithTheWholeGridCountedEveryElementOfCHasABlock) {
  compile::Compiler compiler(prebuilt_only());
  run::Request request = request_for("09", {256, 256, 64});
  const auto counted = grid_counts(request, compiler);
  ASSERT_TRUE(counted);
  Place place("09", 2, 2);
  place.focus.counted = counted->get();
  const TooltipText text = place.at({Kind::Element, Space::Global, "C", 234 * 256 + 96, 0});
  EXPECT_THAT(text.lines, ElementsAre("not touched by block (0, 0)", "block (0, 1) computes it",
                                      "byte address 0x7f000205a980, sector 0x7f000205a980"));
  EXPECT_THAT(place.at({Kind::Block, Space::None, "", 1, 0}).lines,
              ElementsAre("one of 4 blocks, 256 threads each", "computes C[0…127][128…255]"));
  EXPECT_THAT(
      place.at({Kind::SourceLine, Space::None, "", 51, 0}).lines,
      ElementsAre("24 576 warp instructions over all 4 blocks",
                  "shared load: 16 384 requests, 2.0 wavefronts per request instead of 1.0, 16 384 bank conflicts"));
}

TEST(Tooltip, PaddingIsSaidToBePadding) {
  const auto traced = traced_of("06", {70, 66, 37});
  Focus focus = focus_at(*traced);
  ElementUses uses;
  EXPECT_EQ(tooltip({Kind::Element, Space::Global, "A", 40, 0}, focus, uses).lines[0], "0: padding beyond the data");
  const uint64_t columns = traced->accesses.find(Space::Global, "A")->columns;
  EXPECT_EQ(tooltip({Kind::Element, Space::Global, "A", columns + 2, 0}, focus, uses).lines[0],
            fmt::format("{:.6g}: an input, made from seed 1", run::input_value(1, "A", 37 + 2)));
}

TEST(Tooltip, ALaneIsAThreadAndDoesSomethingNow) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Lane, Space::None, "", 5, 2});
  EXPECT_EQ(text.title, "lane 5 of warp 2");
  ASSERT_EQ(text.lines.size(), 3u);
  EXPECT_EQ(text.lines[0], "thread (69, 0) of block (0, 0)");
  EXPECT_THAT(text.lines[1], HasSubstr("at ld.shared.f32 "));
  EXPECT_EQ(text.lines[2], "reads Bs[0][40]");
}

TEST(Tooltip, AStepSaysWhatTheInstructionCosts) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Step, Space::None, "", place.focus.cursor.step, 2});
  EXPECT_EQ(text.title, "warp 2, instruction 1 926 of 7 118");
  EXPECT_EQ(text.lines[1], "load shared, line 54, k-tile 3");
  EXPECT_THAT(text.lines, Contains(HasSubstr("8 wavefronts instead of 4")));
  EXPECT_THAT(text.lines, Contains("one 128-bit load with its three neighbours, by ptxas"));
}

TEST(Tooltip, ABankNamesItsWordsAndASectorItsElements) {
  Place place("09", 2, 2);
  EXPECT_THAT(place.at({Kind::Bank, Space::Shared, "", 0, 0}).lines.front(), "4 bytes per wavefront, one of 32 banks");
  EXPECT_THAT(place.at({Kind::Bank, Space::Shared, "", 0, 0}).lines,
              Contains(HasSubstr("wavefront 1: Bs[0][0] for lane 0")));
  const uint64_t base = place.traced->facts.global[0].allocation.base;
  const TooltipText sector = place.at({Kind::Sector, Space::Global, "", base + 64, 0});
  EXPECT_EQ(sector.title, fmt::format("sector 0x{:x}", base + 64));
  EXPECT_THAT(sector.lines, ElementsAre("A[0][16] to A[0][23]"));
}

TEST(Tooltip, ASectorOfTheCursorsAccessSaysHowMuchOfItIsUsed) {
  const auto traced = traced_of("01");
  Focus focus = focus_at(*traced);
  do focus.cursor = traced->timeline.move(focus.cursor, analysis::Unit::Access, 1);
  while (lane_uses(*traced, focus.cursor).front().array->allocation.name != "A");
  ElementUses uses;
  const uint64_t base = traced->facts.global[0].allocation.base;
  EXPECT_THAT(tooltip({Kind::Sector, Space::Global, "", base, 0}, focus, uses).lines,
              ElementsAre("A[0][0] to A[0][7]", "now: lane 0 uses 4 of its 32 bytes"));
}

TEST(Tooltip, AParameterSaysWhatItIs) {
  Place place("09", 2, 2);
  const TooltipText text = place.at({Kind::Parameter, Space::None, "BM", 0, 0});
  EXPECT_EQ(text.title, "BM");
  EXPECT_THAT(text.lines, ElementsAre("Rows of C that a block computes.", "one of 16, 32, 64, 128, 256; default 64"));
}

TEST(Tooltip, WhatTheSceneDoesNotHaveHasNone) {
  Place place("09", 2, 2);
  const uint64_t far = uint64_t{1} << 40;
  for (const Target& target :
       {Target{}, Target{Kind::Element, Space::Global, "Z", 0, 0}, Target{Kind::Element, Space::Global, "A", far, 0},
        Target{Kind::Lane, Space::None, "", 32, 0}, Target{Kind::Lane, Space::None, "", 0, 8},
        Target{Kind::Warp, Space::None, "", 0, 8}, Target{Kind::Block, Space::None, "", 4, 0},
        Target{Kind::Step, Space::None, "", far - 1, 0}, Target{Kind::Bank, Space::Shared, "", 32, 0},
        Target{Kind::Parameter, Space::None, "TILE", 0, 0}})
    EXPECT_FALSE(place.at(target)) << static_cast<int>(target.kind);
}

TEST(Tooltip, OfEveryKernelsElementsLanesAndStepsHasLines) {
  for (const auto& traced : every_traced()) {
    Focus focus = focus_at(*traced);
    ElementUses uses;
    for (uint32_t step = 0; step < traced->timeline.steps(1); step += 13) {
      focus.cursor = {1, step};
      EXPECT_GE(tooltip({Kind::Lane, Space::None, "", 3, 1}, focus, uses).lines.size(), 2u);
      EXPECT_GE(tooltip({Kind::Step, Space::None, "", step, 1}, focus, uses).lines.size(), 2u);
      EXPECT_GE(tooltip({Kind::Warp, Space::None, "", 0, 0}, focus, uses).lines.size(), 2u);
    }
    for (const run::TracedArray& array : traced->accesses.arrays())
      EXPECT_GE(tooltip({Kind::Element, array.allocation.space, array.allocation.name, 1, 0}, focus, uses).lines.size(),
                2u)
          << traced->request().kernel.name << ' ' << array.allocation.name;
    for (uint64_t line = 1; line <= traced->report.source.size(); ++line)
      EXPECT_FALSE(tooltip({Kind::SourceLine, Space::None, "", line, 0}, focus, uses).lines.empty());
    EXPECT_FALSE(tooltip({Kind::PtxLine, Space::None, "", 60, 0}, focus, uses).lines.empty());
  }
}

TEST(ElementUses, CountALargeTraceInParts) {
  const auto traced = traced_of("04", {64, 64, 512});
  ASSERT_GT(traced->trace.size(), ElementUses::kRecordsACall);
  const Target element{Kind::Element, Space::Shared, "As", 40, 0};
  ElementUses uses;
  uses.of(*traced, element);
  EXPECT_FALSE(uses.complete());
  Focus focus = focus_at(*traced);
  for (int i = 0; i < 100 && !uses.complete(); ++i) tooltip(element, focus, uses);
  EXPECT_TRUE(uses.complete());
  const ElementUse use = uses.of(*traced, element);
  EXPECT_EQ(use.writes, 16u);  // one a k-tile
  EXPECT_EQ(use.reading_lanes, 16u * 32);
  EXPECT_EQ(use.stores.size(), 16u);
  uses.of(*traced, {Kind::Element, Space::Shared, "Bs", 40, 0});
  EXPECT_FALSE(uses.complete());
}

TEST(Tooltip, AnOpenQuestionIsNotAnsweredByHovering) {
  Place place("09", 2, 2);
  const Target element{Kind::Element, Space::Shared, "As", 37 * 8 + 4, 0}, lane{Kind::Lane, Space::None, "", 5, 2};
  const Target step{Kind::Step, Space::None, "", place.focus.cursor.step, 2};
  const int line = place.traced->facts.line_of(place.traced->timeline.pc(place.focus.cursor));
  const Target source{Kind::SourceLine, Space::None, "", static_cast<uint64_t>(line), 0};
  place.focus.hidden.add(session::Fact::Accesses);
  EXPECT_THAT(place.at(element).lines, ElementsAre("byte 1200 of the block's shared memory, bank 12"));
  EXPECT_EQ(place.at(lane).lines.size(), 2U) << "the thread and its instruction";
  EXPECT_EQ(place.at(step).lines.size(), 2U);
  EXPECT_GT(place.at(source).lines.size(), 1U);
  place.focus.hidden = {session::Fact::Counts};
  EXPECT_THAT(place.at(element).lines, testing::Not(Contains(HasSubstr("requests"))));
  EXPECT_GT(place.at(lane).lines.size(), 2U);
  EXPECT_THAT(place.at(source).lines, ElementsAre("The question asks about this."));
  EXPECT_THAT(place.at({Kind::Bank, Space::None, "", 3, 0}).lines,
              ElementsAre("4 bytes per wavefront, one of 32 banks"));
  place.focus.hidden = {session::Fact::Resources};
  EXPECT_TRUE(place.at({Kind::Block, Space::None, "", 0, 0}).lines.front().starts_with("computes C["));
}

}  // namespace
}  // namespace tilescope::view
