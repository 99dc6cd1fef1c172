#include "view/strip/strip_picture.h"

#include <bit>
#include <set>

#include <fmt/format.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/access_words.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using session::Target;

Canvas canvas_of(float height, float text = 14) { return {740, height, &kMeasure, text}; }

/// The start, the end, and the first and last instruction of each kind of a warp.
std::vector<StepRef> first_and_last_moments(const run::TracedBlock& traced, uint32_t warp) {
  std::map<analysis::StepKind, StepRef> first, last;
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step) {
    const StepRef at{warp, step};
    first.try_emplace(traced.timeline.kind(at), at);
    last[traced.timeline.kind(at)] = at;
  }
  std::vector<StepRef> moments{traced.timeline.first(warp), traced.timeline.last(warp)};
  for (const auto& [kind, at] : first) moments.push_back(at);
  for (const auto& [kind, at] : last) moments.push_back(at);
  return moments;
}

uint32_t rows(const Picture& picture) {
  uint32_t count = 0;
  for (const Cells& cells : shapes_of<Cells>(picture)) count += cells.rows;
  return count;
}

void check_global(const Picture& picture, const WarpAccess& access) {
  const auto cost = analysis::global_cost(access.addresses.data(), access.active, access.bytes);
  std::set<uint64_t> sectors;
  for (const Target& target : targets_of(picture, Target::Kind::Sector)) sectors.insert(target.index);
  EXPECT_EQ(sectors.size(), cost.sectors);
  EXPECT_THAT(labels_of(picture), testing::Contains(fmt::format("sectors {}", cost.sectors)));
}

void check_shared(const Picture& picture, const WarpAccess& access) {
  const auto cost = analysis::shared_cost(access.addresses.data(), access.active, access.bytes, access.is_load());
  EXPECT_EQ(rows(picture), cost.wavefronts);
  EXPECT_EQ(targets_of(picture, Target::Kind::Element).size(), access.banks().words.size());
  EXPECT_EQ(targets_of(picture, Target::Kind::Bank).size(), 32U);
}

TEST(StripPicture, EveryKernelInEverySize) {
  for (const auto& traced : every_traced())
    for (const StepRef at : first_and_last_moments(*traced, traced->timeline.warps() - 1))
      for (const Canvas& canvas : {canvas_of(60), canvas_of(112), canvas_of(170), canvas_of(240, 28)}) {
        SCOPED_TRACE(fmt::format("{} step {} height {}", traced->request().kernel.name, at.step, canvas.height));
        const Picture picture = strip_picture(focus_at(*traced, at), canvas);
        expect_inside(picture, kMeasure);
        EXPECT_EQ(targets_of(picture, Target::Kind::Lane).size(), 32U);
        const auto accesses = accesses_at(*traced, at);
        if (accesses.empty()) continue;
        if (accesses[0].space == Space::Global) check_global(picture, accesses[0]);
        if (accesses[0].space == Space::Shared) check_shared(picture, accesses[0]);
      }
}

/// The first step at which the warp has an access of that space and kind of instruction.
StepRef first_access(const run::TracedBlock& traced, uint32_t warp, analysis::StepKind kind, int skip = 0) {
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
    if (traced.timeline.kind({warp, step}) == kind && skip-- == 0) return {warp, step};
  ADD_FAILURE() << "no such step";
  return {};
}

TEST(StripPicture, OfACopyTheSideThatASceneIsAbout) {
  const auto traced = traced_of("13", {64, 128, 128}, "64x128x8-32x64-2-8x4-4");
  uint32_t step = 0;
  while (accesses_at(*traced, {0, step}).size() < 2) ++step;
  Focus focus = focus_at(*traced, {0, step});
  check_global(strip_picture(focus, canvas_of(170)), accesses_at(*traced, {0, step})[0]);
  const std::string sentence = words_at(*traced, {0, step}).sentence;
  EXPECT_THAT(sentence.substr(0, sentence.find(';')), testing::HasSubstr("sector"));
  focus.emphasised = {"As", "banks"};
  EXPECT_EQ(strip_space(focus), Space::Shared);
  check_shared(strip_picture(focus, canvas_of(170)), accesses_at(*traced, {0, step})[1]);
  const std::string banks = words_at(*traced, {0, step}, Space::Shared).sentence;
  EXPECT_THAT(banks.substr(0, banks.find(';')), testing::HasSubstr("wavefront"));
}

TEST(StripPicture, ConflictsAreJoinedAndFlagged) {
  const auto traced = traced_of("10");
  const StepRef at = first_access(*traced, 2, analysis::StepKind::LoadShared, 2);  // Bs[0][0…3, 8…11 … 120…123]
  const Picture picture = strip_picture(focus_at(*traced, at), canvas_of(170));
  EXPECT_EQ(shapes_of<Polyline>(picture).size(), 16U) << "an arc for 4 stretches of 4 banks in each of 4 quarters";
  const auto labels = labels_of(picture);
  for (int quarter = 1; quarter <= 4; ++quarter)
    EXPECT_THAT(labels, testing::Contains(fmt::format("quarter warp {} of 4", quarter)));
  EXPECT_THAT(labels, testing::Contains("lanes 8–15"));
  std::map<Ink, std::vector<std::string>> wavefronts;
  for (const Label& label : shapes_of<Label>(picture))
    if (label.font == Font::Mono && label.horizontal == Align::End) wavefronts[label.colour.ink].push_back(label.text);
  ASSERT_EQ(wavefronts.size(), 2U) << "those that a conflict adds look unlike the others";
  for (const auto& [ink, numbers] : wavefronts)
    EXPECT_THAT(numbers,
                testing::AnyOf(testing::ElementsAre("1", "3", "5", "7"), testing::ElementsAre("2", "4", "6", "8")));
}

TEST(StripPicture, TheMatricesOfLdmatrixAreNamed) {
  const auto traced = traced_of_lesson("17-tensor-cores/ldmatrix.cu", {16, 16, 64}, {{"BK", "64"}, {"PAD", "0"}});
  const auto labels = labels_of(
      strip_picture(focus_at(*traced, first_access(*traced, 0, analysis::StepKind::LoadShared, 0)), canvas_of(170)));
  EXPECT_THAT(labels, testing::IsSupersetOf({"matrix 0", "matrix 3", "lanes 8–15"}));
}

TEST(StripPicture, BroadcastsAreCounted) {
  const auto traced = traced_of("9");
  const StepRef at = first_access(*traced, 2, analysis::StepKind::LoadShared, 1);  // As[32, 40][0]
  const auto labels = labels_of(strip_picture(focus_at(*traced, at), canvas_of(112)));
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "×16"), 2);
}

TEST(StripPicture, CountsStandBesideTheArcOfAConflict) {
  const auto traced = traced_of("9");
  const StepRef at = first_access(*traced, 2, analysis::StepKind::LoadShared, 1);  // As[32, 40][0]
  const Picture picture = strip_picture(focus_at(*traced, at), {430, 130, &kMeasure, 14});
  int arcs = 0, counts = 0;
  for (const Polyline& arc : shapes_of<Polyline>(picture)) {
    if (arc.colour.ink != Ink::Warning) continue;
    ++arcs;
    const Box box = extent_of(arc);
    for (const Label& label : shapes_of<Label>(picture)) {
      if (label.text != "×16") continue;
      ++counts;
      EXPECT_GT(extent_of(label, kMeasure).x, box.right());
    }
  }
  EXPECT_EQ(arcs, 1);
  EXPECT_EQ(counts, 2);
}

TEST(StripPicture, OnlyTheWordsOfTheInstructionAreBright) {
  const auto traced = traced_of("9");
  const StepRef at = first_access(*traced, 2, analysis::StepKind::LoadShared);  // One of four loads in one.
  const size_t words = accesses_at(*traced, at).at(0).banks().words.size();
  std::map<float, size_t> cells_of_strength;
  for (const Cells& cells : shapes_of<Cells>(strip_picture(focus_at(*traced, at), canvas_of(112))))
    for (const Colour& colour : cells.colours)
      if (lane_of(colour)) ++cells_of_strength[colour.strength];
  ASSERT_EQ(cells_of_strength.size(), 2U) << "its own words, and those of the loads that it is merged with";
  EXPECT_EQ(cells_of_strength.rbegin()->second, words / 4);
  EXPECT_EQ(cells_of_strength.begin()->second, words - words / 4);
}

TEST(StripPicture, LanesThatTakeNoPartAreHollow) {
  const auto traced = traced_of("1", {40, 40, 16}, "", 1);
  const StepRef at = first_access(*traced, 0, analysis::StepKind::StoreGlobal);
  const Picture picture = strip_picture(focus_at(*traced, at), canvas_of(112));
  std::set<uint32_t> hollow;
  for (const HitArea& hot : picture.hot)
    for (const Rectangle& shape : shapes_of<Rectangle>(picture))
      if (hot.target.kind == Target::Kind::Lane && shape.box.x == hot.box.x && shape.box.y == hot.box.y &&
          shape.fill.strength == 0 && shape.stroke.strength > 0)
        hollow.insert(static_cast<uint32_t>(hot.target.index));
  EXPECT_EQ(hollow.size(), 24U);
  EXPECT_EQ(*hollow.begin(), 8U);
}

/// How many outlines the picture has because something is highlighted.
size_t outlined(const Focus& focus, const Canvas& canvas) {
  Focus unlit = focus;
  unlit.hover = unlit.pinned = {};
  return shapes_of<Rectangle>(strip_picture(focus, canvas)).size() -
         shapes_of<Rectangle>(strip_picture(unlit, canvas)).size();
}

TEST(StripPicture, WhatIsLitIsOutlined) {
  const auto traced = traced_of("10");
  Focus focus = focus_at(*traced, first_access(*traced, 2, analysis::StepKind::LoadShared, 2));
  focus.hover.kind = Target::Kind::Lane;
  focus.hover.warp = 2;
  focus.hover.index = 5;
  EXPECT_EQ(outlined(focus, canvas_of(170)), 5U);  // The lane and its four words.
  focus.hover.warp = 3;
  EXPECT_EQ(outlined(focus, canvas_of(170)), 0U);
  focus.hover = {};
  focus.pinned.kind = Target::Kind::Bank;
  focus.pinned.index = 8;
  EXPECT_EQ(outlined(focus, canvas_of(170)), 1U);
}

TEST(StripPicture, ALitElementIsFoundInItsSector) {
  const auto traced = traced_of("1");
  Focus focus = focus_at(*traced, first_access(*traced, 0, analysis::StepKind::LoadGlobal, 1));  // A[0…31][0]
  focus.hover = {Target::Kind::Element, Space::Global, "A", 7 * 64, 0};
  EXPECT_EQ(outlined(focus, canvas_of(112)), 2U);  // Its bytes and the sector.
  focus.hover.index = 7 * 64 + 8;
  EXPECT_EQ(outlined(focus, canvas_of(112)), 0U);
}

/// The sectors' places, by address.
std::map<uint64_t, Box> sector_boxes(const Picture& picture) {
  std::map<uint64_t, Box> boxes;
  for (const HitArea& hot : picture.hot)
    if (hot.target.kind == Target::Kind::Sector) boxes[hot.target.index] = hot.box;
  return boxes;
}

std::set<float> tops_of(const std::map<uint64_t, Box>& boxes) {
  std::set<float> tops;
  for (const auto& [address, box] : boxes) tops.insert(box.y);
  return tops;
}

TEST(StripPicture, SectorsThatWouldBeThinStrokesStandInRows) {
  const auto traced = traced_of("1");
  const Focus focus = focus_at(*traced, first_access(*traced, 0, analysis::StepKind::LoadGlobal, 1));  // A[0…31][0]
  for (const float height : {75.0f, 102.0f, 134.0f, 170.0f}) {
    const Picture picture = strip_picture(focus, canvas_of(height));
    const auto boxes = sector_boxes(picture);
    ASSERT_EQ(boxes.size(), 32U);
    EXPECT_EQ(tops_of(boxes).size(), height > 100 ? 4U : 2U) << height;
    for (const auto& [address, box] : boxes) {
      EXPECT_GE(box.width, 24) << height;
      EXPECT_GE(box.height, 10) << height;
    }
    EXPECT_THAT(labels_of(picture), testing::Contains(testing::HasSubstr("96"))) << "what is left out";
    for (const auto& [address, box] : boxes) {
      const uint64_t lane = (address - boxes.begin()->first) / (64 * sizeof(float));
      const auto names_it = [&, sector = box](const Label& label) {
        return label.text == fmt::format("{}", lane) && sector.contains(extent_of(label, kMeasure).centre());
      };
      const std::vector<Label> labels = shapes_of<Label>(picture);
      EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), names_it)) << "lane " << lane << " in its sector";
    }
  }
}

TEST(StripPicture, TheSectorsOfAFewLinesStandInOneRow) {
  const auto traced = traced_of("2");
  const Focus focus = focus_at(*traced, first_access(*traced, 0, analysis::StepKind::LoadGlobal, 0));
  for (const float height : {75.0f, 134.0f}) {
    const Picture picture = strip_picture(focus, canvas_of(height));
    EXPECT_EQ(tops_of(sector_boxes(picture)).size(), 1U);
    EXPECT_THAT(labels_of(picture), testing::Not(testing::Contains(testing::HasSubstr("not drawn"))));
  }
}

TEST(StripPicture, AnInstructionAndItsValuesStandInAsManyRowsAsTheyNeed) {
  const auto traced = traced_of("09");
  for (const StepRef& at : first_and_last_moments(*traced, 0)) {
    if (traced->timeline.kind(at) != analysis::StepKind::Multiply) continue;
    for (const Canvas& narrow : {Canvas{330, 180, &kMeasure, 14}, Canvas{262, 105, &kMeasure, 14}}) {
      const Picture picture = strip_picture(focus_at(*traced, at), narrow);
      expect_inside(picture, kMeasure);
      for (const std::string& label : labels_of(picture)) EXPECT_THAT(label, testing::Not(testing::EndsWith("…")));
    }
  }
}

TEST(StripPicture, AParametersLoadSaysWhichParameter) {
  const auto traced = traced_of("09");
  const Picture picture = strip_picture(focus_at(*traced, {0, 0}), {262, 105, &kMeasure, 14});
  EXPECT_THAT(labels_of(picture), testing::Contains(testing::HasSubstr("[…_param_")));
}

TEST(StripPicture, ABarrierShowsTheWarpsThatItHolds) {
  const auto traced = traced_of("9");
  const Picture picture =
      strip_picture(focus_at(*traced, first_access(*traced, 2, analysis::StepKind::Barrier)), canvas_of(112));
  EXPECT_EQ(targets_of(picture, Target::Kind::Warp).size(), 8U);
  EXPECT_THAT(labels_of(picture), testing::Contains("bar.sync 0;"));
}

TEST(StripPicture, WhatAQuestionAsksForIsNotDrawn) {
  using session::HiddenFacts;
  const auto traced = traced_of("10");
  const auto covered = [&](analysis::StepKind kind, HiddenFacts hidden, float height) {
    Focus focus = focus_at(*traced, first_access(*traced, 0, kind));
    focus.hidden = hidden;
    const Picture picture = strip_picture(focus, canvas_of(height));
    expect_inside(picture, kMeasure);
    EXPECT_EQ(targets_of(picture, Target::Kind::Lane).size(), 32U) << "a lane may be the answer";
    for (const Target::Kind kind_hidden : {Target::Kind::Sector, Target::Kind::Bank, Target::Kind::Element})
      EXPECT_TRUE(targets_of(picture, kind_hidden).empty());
    return labels_of(picture);
  };
  using testing::Contains;
  for (const float height : {60.0f, 112.0f, 240.0f}) {
    const auto says = Contains("The question asks about this.");
    EXPECT_THAT(covered(analysis::StepKind::LoadGlobal, {session::Fact::Counts}, height), says);
    EXPECT_THAT(covered(analysis::StepKind::LoadShared, {session::Fact::Counts}, height), says);
    EXPECT_THAT(covered(analysis::StepKind::LoadShared, {session::Fact::Accesses}, height), says);
  }
  HiddenFacts later;
  later.add(session::Fact::Counts, 6);
  EXPECT_THAT(covered(analysis::StepKind::LoadGlobal, later, 112), Contains("Step 6 asks about this."));
  Focus other = focus_at(*traced, first_access(*traced, 0, analysis::StepKind::LoadGlobal));
  const size_t shapes = strip_picture(other, canvas_of(112)).shapes.size();
  other.hidden = {session::Fact::Resources, session::Fact::Speed, session::Fact::Findings};
  EXPECT_EQ(strip_picture(other, canvas_of(112)).shapes.size(), shapes) << "no other question covers the strip";
}

TEST(StripPicture, WhoTakesPartIsNotSeenUnderACover) {
  const auto covered_store = [](const run::TracedBlock& traced, int lanes) {
    Focus focus = focus_at(traced, first_access(traced, 0, analysis::StepKind::StoreGlobal));
    EXPECT_EQ(std::popcount(traced.timeline.active(focus.cursor)), lanes);
    focus.hidden.add(session::Fact::Counts);
    return text_of(strip_picture(focus, canvas_of(112)));
  };
  const kernel::Size odd{65, 65, 65};
  EXPECT_EQ(covered_store(*traced_of("05", odd, "", 2, 2), 1), covered_store(*traced_of("05", odd, "", 0, 0), 32));
}

}  // namespace
}  // namespace tilescope::view
