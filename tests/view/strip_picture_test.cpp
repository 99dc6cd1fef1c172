#include "view/strip_picture.h"

#include <set>

#include <fmt/format.h>

#include "picture_checks.h"
#include "scene_fixture.h"
#include "view/access_words.h"

namespace tilescope::view {
namespace {
using analysis::Moment;
using session::Target;


Canvas canvas_of(float height, float text = 14) { return {740, height, &kMeasure, text}; }

/// The start, the end, and the first and last instruction of each kind of a warp.
std::vector<Moment> first_and_last_moments(const session::Scene& scene, uint32_t warp) {
  std::map<analysis::StepKind, Moment> first, last;
  for (uint32_t step = 0; step < scene.timeline->steps(warp); ++step) {
    const Moment at{warp, step};
    first.try_emplace(scene.timeline->kind(at), at);
    last[scene.timeline->kind(at)] = at;
  }
  std::vector<Moment> moments{scene.timeline->first(warp), scene.timeline->last(warp)};
  for (const auto& [kind, at] : first) moments.push_back(at);
  for (const auto& [kind, at] : last) moments.push_back(at);
  return moments;
}

size_t filled(const Picture& picture) {
  size_t count = 0;
  for (const Cells& cells : shapes_of<Cells>(picture))
    for (const Colour& colour : cells.colours) count += colour.ink == Ink::Magnitude;
  return count;
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
  EXPECT_EQ(filled(picture), access.banks().words.size());
  EXPECT_EQ(targets_of(picture, Target::Kind::Element).size(), access.banks().words.size());
  EXPECT_EQ(targets_of(picture, Target::Kind::Bank).size(), 32U);
}

TEST(StripPicture, EveryKernelInEverySize) {
  for (const auto& scene : every_scene())
    for (const Moment at : first_and_last_moments(*scene, scene->timeline->warps() - 1))
      for (const Canvas& canvas : {canvas_of(60), canvas_of(112), canvas_of(170), canvas_of(240, 28)}) {
        SCOPED_TRACE(fmt::format("{} step {} height {}", scene->request.kernel.name, at.step, canvas.height));
        const Picture picture = strip_picture(focus_at(*scene, at), canvas);
        expect_inside(picture, kMeasure);
        EXPECT_EQ(targets_of(picture, Target::Kind::Lane).size(), 32U);
        const auto accesses = accesses_at(*scene, at);
        if (accesses.empty()) continue;
        if (accesses[0].space == Space::Global) check_global(picture, accesses[0]);
        if (accesses[0].space == Space::Shared) check_shared(picture, accesses[0]);
      }
}

/// The first step at which the warp has an access of that space and kind of instruction.
Moment first_access(const session::Scene& scene, uint32_t warp, analysis::StepKind kind, int skip = 0) {
  for (uint32_t step = 0; step < scene.timeline->steps(warp); ++step)
    if (scene.timeline->kind({warp, step}) == kind && skip-- == 0) return {warp, step};
  ADD_FAILURE() << "no such step";
  return {};
}

/// Polylines of the Warning ink: one for each meeting of two words.
size_t arcs(const Picture& picture) {
  size_t count = 0;
  for (const Polyline& line : shapes_of<Polyline>(picture)) count += line.colour.ink == Ink::Warning;
  return count;
}

TEST(StripPicture, ConflictsAreJoinedAndFlagged) {
  const auto scene = scene_of("10");
  const Moment at = first_access(*scene, 2, analysis::StepKind::LoadShared, 2);  // Bs[0][0…3, 8…11 … 120…123]
  const Picture picture = strip_picture(focus_at(*scene, at), canvas_of(170));
  EXPECT_EQ(arcs(picture), 16U);  // In each of 4 quarters, 4 stretches of 4 banks.
  const auto labels = labels_of(picture);
  for (int quarter = 1; quarter <= 4; ++quarter)
    EXPECT_THAT(labels, testing::Contains(fmt::format("quarter warp {} of 4", quarter)));
  EXPECT_THAT(labels, testing::Contains("lanes 8–15"));
  size_t flagged = 0;
  for (const Label& label : shapes_of<Label>(picture)) flagged += label.colour.ink == Ink::Warning;
  EXPECT_EQ(flagged, 4U);  // Wavefronts 2, 4, 6 and 8.
}

TEST(StripPicture, BroadcastsAreCounted) {
  const auto scene = scene_of("9");
  const Moment at = first_access(*scene, 2, analysis::StepKind::LoadShared, 1);  // As[32, 40][0]
  const auto labels = labels_of(strip_picture(focus_at(*scene, at), canvas_of(112)));
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "×16"), 2);
}

TEST(StripPicture, OnlyTheWordsOfTheInstructionAreBright) {
  const auto scene = scene_of("9");
  const Moment at = first_access(*scene, 2, analysis::StepKind::LoadShared);  // One of four loads in one.
  size_t bright = 0, all = 0;
  for (const Cells& cells : shapes_of<Cells>(strip_picture(focus_at(*scene, at), canvas_of(112))))
    for (const Colour& colour : cells.colours)
      if (colour.ink == Ink::Magnitude) ++all, bright += colour.strength == 1;
  EXPECT_EQ(all, 4 * bright);
}

TEST(StripPicture, LanesThatTakeNoPartAreHollow) {
  const auto scene = scene_of("1", {40, 40, 16}, "", 1);
  const Moment at = first_access(*scene, 0, analysis::StepKind::StoreGlobal);
  size_t hollow = 0;
  for (const Rectangle& lane : shapes_of<Rectangle>(strip_picture(focus_at(*scene, at), canvas_of(112))))
    hollow += lane.fill.ink == Ink::Magnitude && lane.fill.strength == 0 && lane.stroke.strength > 0;
  EXPECT_EQ(hollow, 24U);
}

/// What is outlined for the mouse.
size_t outlined(const Picture& picture) {
  size_t count = 0;
  for (const Rectangle& rectangle : shapes_of<Rectangle>(picture))
    count += rectangle.stroke.ink == Ink::Hover && rectangle.stroke.strength > 0;
  return count;
}

TEST(StripPicture, WhatIsLitIsOutlined) {
  const auto scene = scene_of("10");
  Focus focus = focus_at(*scene, first_access(*scene, 2, analysis::StepKind::LoadShared, 2));
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(170))), 0U);
  focus.hover.kind = Target::Kind::Lane;
  focus.hover.warp = 2;
  focus.hover.index = 5;
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(170))), 5U);  // The lane and its four words.
  focus.hover.warp = 3;
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(170))), 0U);
  focus.hover = {};
  focus.pinned.kind = Target::Kind::Bank;
  focus.pinned.index = 8;
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(170))), 1U);
}

TEST(StripPicture, ALitElementIsFoundInItsSector) {
  const auto scene = scene_of("1");
  Focus focus = focus_at(*scene, first_access(*scene, 0, analysis::StepKind::LoadGlobal, 1));  // A[0…31][0]
  focus.hover = {Target::Kind::Element, Space::Global, "A", 7 * 64, 0};
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(112))), 2U);  // Its bytes and the sector.
  focus.hover.index = 7 * 64 + 8;
  EXPECT_EQ(outlined(strip_picture(focus, canvas_of(112))), 0U);
}

TEST(StripPicture, ABarrierShowsTheWarpsThatItHolds) {
  const auto scene = scene_of("9");
  const Picture picture =
      strip_picture(focus_at(*scene, first_access(*scene, 2, analysis::StepKind::Barrier)), canvas_of(112));
  EXPECT_EQ(targets_of(picture, Target::Kind::Warp).size(), 8U);
  EXPECT_THAT(labels_of(picture), testing::Contains("bar.sync 0;"));
}

TEST(StripPicture, WhatAQuestionAsksForIsNotDrawn) {
  using session::Cover;
  const auto scene = scene_of("10");
  const auto covered = [&](analysis::StepKind kind, Cover cover, float height) {
    Focus focus = focus_at(*scene, first_access(*scene, 0, kind));
    focus.cover = cover;
    const Picture picture = strip_picture(focus, canvas_of(height));
    expect_inside(picture, kMeasure);
    EXPECT_EQ(targets_of(picture, Target::Kind::Lane).size(), 32U) << "a lane may be the answer";
    for (const Target::Kind hidden : {Target::Kind::Sector, Target::Kind::Bank, Target::Kind::Element})
      EXPECT_TRUE(targets_of(picture, hidden).empty());
    return labels_of(picture);
  };
  using testing::Contains;
  for (const float height : {60.0f, 112.0f, 240.0f}) {
    EXPECT_THAT(covered(analysis::StepKind::LoadGlobal, {.counts = true}, height),
                Contains("The sectors will be here once you have answered."));
    EXPECT_THAT(covered(analysis::StepKind::LoadShared, {.counts = true}, height),
                Contains("The banks will be here once you have answered."));
    EXPECT_THAT(covered(analysis::StepKind::LoadShared, {.accesses = true}, height),
                Contains("What the lanes access will be here once you have answered."));
  }
  Focus other = focus_at(*scene, first_access(*scene, 0, analysis::StepKind::LoadGlobal));
  const size_t shapes = strip_picture(other, canvas_of(112)).shapes.size();
  other.cover = {.resources = true, .speed = true, .findings = true};
  EXPECT_EQ(strip_picture(other, canvas_of(112)).shapes.size(), shapes) << "no other question covers the strip";
}

TEST(StripPicture, WhoTakesPartIsNotSeenUnderACover) {
  const auto scene = scene_of("05", {65, 65, 65}, "", 2, 2);
  Focus focus = focus_at(*scene, first_access(*scene, 0, analysis::StepKind::StoreGlobal));
  ASSERT_EQ(scene->timeline->active(focus.cursor), 1U);
  focus.cover.counts = true;
  size_t full = 0;
  for (const Rectangle& box : shapes_of<Rectangle>(strip_picture(focus, canvas_of(112))))
    full += box.fill.ink == Ink::Magnitude && box.fill.strength == 1;
  EXPECT_EQ(full, 32U);
}

}  // namespace
}  // namespace tilescope::view
