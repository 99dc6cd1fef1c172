#include "view/timeline/clock_picture.h"

#include <gtest/gtest.h>

#include "picture_checks.h"
#include "view/timeline/clock_words.h"
#include "view/timeline/timeline_picture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using clock::Recording;
using clock::Stall;

constexpr auto kIssues = static_cast<uint8_t>(Stall::Selected), kLong = static_cast<uint8_t>(Stall::LongScoreboard);
const Canvas kClockCanvas{1000, 500, &kMeasure, 14};

/// Five warps: slot 0 issues a load in clock 10, waits for it from 11 to 60, then issues an FMA in each clock to 100.
session::ClockRun a_run() {
  session::ClockRun run;
  run.code = {{"LDG.E R4, [R2]", StepKind::LoadGlobal, false, 3, 1},
              {"FFMA R0, R4, R4, R0", StepKind::Multiply, true, 4, 2}};
  Recording& recording = run.recording;
  recording.clocks = 100;
  recording.warps_per_block = 5;
  recording.residents = {{0, 100, 0, 2}};
  recording.arrivals = {{10, 60, 0, 0}};
  recording.slots.assign(5, {{0, 0, Recording::kAbsent}});
  recording.slots[0] = {{0, 0, Recording::kAbsent}, {10, 0, kIssues}, {11, 1, kLong}};
  for (int32_t clock = 60; clock < 100; ++clock) recording.slots[0].push_back({clock, 1, kIssues});
  recording.slots[0].push_back({100, 0, Recording::kAbsent});
  run.stalls[0] = 1;
  run.stalls[static_cast<size_t>(Stall::LongScoreboard)] = 1.2;
  return run;
}

/// The colours of the two grids of a slot's row: reasons, instructions.
std::pair<const Cells*, const Cells*> row_of(const Picture& picture, const ClockLayout& layout, uint32_t slot) {
  std::vector<const Cells*> found;
  for (const Shape& shape : picture.shapes)
    if (const auto* cells = std::get_if<Cells>(&shape); cells && cells->box.y == layout.top_of(slot))
      found.push_back(cells);
  EXPECT_EQ(found.size(), 2U);
  return {found[0], found[1]};
}

TEST(ClockPicture, ShowsWhatAWarpIssuesAndWhatItWaitsFor) {
  const session::ClockRun run = a_run();
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  const Picture picture = clock_picture(run, kClockCanvas, {}, 0);
  const auto [reasons, issues] = row_of(picture, layout, 0);
  ASSERT_EQ(reasons->columns, 100U);
  EXPECT_EQ(issues->colours[10].ink, ink_of(StepKind::LoadGlobal));
  EXPECT_EQ(issues->colours[10].strength, 1);
  EXPECT_EQ(reasons->colours[30], colour_of(Stall::LongScoreboard));
  EXPECT_EQ(issues->colours[30], kNoColour);
  EXPECT_EQ(issues->colours[70].ink, ink_of(StepKind::Multiply));
  EXPECT_EQ(reasons->colours[5], kNoColour);
}

TEST(ClockPicture, HasTheSlotsUnderTheirSchedulers) {
  const session::ClockRun run = a_run();
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  EXPECT_LT(layout.top_of(0), layout.top_of(4));
  EXPECT_LT(layout.top_of(4), layout.top_of(1));
  for (uint32_t slot = 0; slot < 5; ++slot) {
    const auto place = layout.place_at({layout.x_of(50.5), layout.top_of(slot) + layout.row / 2});
    ASSERT_TRUE(place);
    EXPECT_EQ(*place, (session::ClockPlace{slot, 50}));
  }
}

/// The lines under the slot's row that are that wide.
size_t bars_under(const Picture& picture, const ClockLayout& layout, uint32_t slot, float wide) {
  return static_cast<size_t>(std::ranges::count_if(picture.shapes, [&](const Shape& shape) {
    const auto* bar = std::get_if<Rectangle>(&shape);
    return bar && std::abs(bar->box.width - wide) < 0.5f && bar->box.y > layout.top_of(slot) + layout.row - 1 &&
           bar->box.y < layout.top_of(slot) + layout.pitch;
  }));
}

TEST(ClockPicture, HasTheReasonsApartFromTheBarOfWhatIsShown) {
  constexpr float kExtent = 4, kApart = 3;
  for (const float height : {95.f, 130.f, 180.f, 220.f, 260.f}) {
    Canvas canvas = kClockCanvas;
    canvas.height = height;
    const ClockLayout layout = clock_layout(a_run(), canvas, {});
    EXPECT_LE(layout.bar.bottom(), height - kExtent - kApart) << height;
    EXPECT_EQ(layout.legend.empty(), height < 130) << height;
    EXPECT_EQ(layout.strips.height > 0, height > 130) << height;
    EXPECT_GE(layout.plot.height, 1.3f * layout.text) << height;
  }
}

TEST(ClockPicture, HasABarForALoadOrACopyOnItsWay) {
  session::ClockRun run = a_run();
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  const float wide = layout.x_of(60) - layout.x_of(10);
  for (const StepKind kind : {StepKind::LoadGlobal, StepKind::AsyncCopy, StepKind::LoadShared}) {
    run.code[0].kind = kind;
    EXPECT_EQ(bars_under(clock_picture(run, kClockCanvas, {}, 0), layout, 0, wide), 1U) << to_string(kind);
  }
  run.code[0].kind = StepKind::StoreGlobal;
  EXPECT_EQ(bars_under(clock_picture(run, kClockCanvas, {}, 0), layout, 0, wide), 0U);
}

TEST(ClockPicture, FollowsTheCursorAndStaysInTheRecording) {
  const Recording recording = a_run().recording;
  ClockView view = zoomed({}, recording, 0.3f, 0);
  EXPECT_EQ(view, (ClockView{0, 30}));
  view = following(view, recording, 50);
  EXPECT_LE(view.first, 50);
  EXPECT_GT(view.first + view.shown, 50);
  EXPECT_EQ(panned(view, recording, 1000).first, 70);
  EXPECT_EQ(zoomed(view, recording, 100, 0.5f), (ClockView{}));
}

TEST(ClockPicture, AClockOutOfViewComesWhereThePictureOpens) {
  Recording recording = a_run().recording;
  recording.clocks = 10'000;
  const ClockView opened = opening_view(recording, {0, 5000});
  EXPECT_EQ(following(opened, recording, 5001), opened);
  EXPECT_EQ(following({0, opened.shown}, recording, 5000), opened);
  EXPECT_EQ(following({8000, opened.shown}, recording, 5000), opened);
}

/// Two blocks of four warps, the first of which another block follows; their warps begin 10 clocks after them.
session::ClockRun a_run_of_blocks() {
  session::ClockRun run = a_run();
  Recording& recording = run.recording;
  recording.warps_per_block = 4;
  recording.residents = {{0, 50, 0, 7}, {0, 100, 4, 9}, {50, 100, 0, 12}};
  const std::vector<Recording::Stretch> one{{0, 0, Recording::kAbsent}, {10, 1, kLong}, {100, 0, Recording::kAbsent}};
  recording.slots.assign(8, one);
  for (uint32_t slot = 0; slot < 4; ++slot)
    recording.slots[slot] = {{0, 0, Recording::kAbsent},
                             {10, 1, kLong},
                             {50, 0, Recording::kAbsent},
                             {60, 1, kLong},
                             {100, 0, Recording::kAbsent}};
  return run;
}

TEST(ClockPicture, RowsOfSeveralBlocksHaveTheirNumbers) {
  using testing::AllOf, testing::Contains;
  using testing::Not;
  const session::ClockRun run = a_run_of_blocks();
  const auto names = [&](const ClockView& view) { return labels_of(clock_picture(run, kClockCanvas, view, 5)); };
  EXPECT_THAT(names({}), AllOf(Contains("block"), Contains("warp"), Contains("7").Times(4), Contains("9").Times(4),
                               Contains("3").Times(2), Not(Contains("warp 3"))));
  EXPECT_THAT(names({70, 24}), AllOf(Contains("12").Times(4), Not(Contains("7"))));
  EXPECT_THAT(labels_of(clock_picture(a_run(), kClockCanvas, {}, 0)),
              AllOf(Contains("warp 3"), Not(Contains("block"))));
}

TEST(ClockPicture, RowsHaveTheNumbersOfTheWarpsInThem) {
  // The second block begins at the next scheduler: of its warps the last is under the first block's first.
  std::vector<Label> warps;
  const session::ClockRun run = a_run_of_blocks();
  for (const Label& label : shapes_of<Label>(clock_picture(run, kClockCanvas, {}, 5)))
    if (label.font == Font::Mono && label.horizontal == Align::End && label.text < "4") warps.push_back(label);
  std::ranges::sort(warps, {}, [](const Label& label) { return label.at.y; });
  std::vector<std::string> numbers;
  for (const Label& label : warps) numbers.push_back(label.text);
  EXPECT_EQ(numbers, (std::vector<std::string>{"0", "3", "1", "0", "2", "1", "3", "2"}));
}

TEST(ClockPicture, ALineIsWhereEachWarpBegins) {
  const session::ClockRun run = a_run_of_blocks();
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  std::vector<Point> lines;
  for (const Shape& shape : clock_picture(run, kClockCanvas, {}, 0).shapes)
    if (const auto* line = std::get_if<Rectangle>(&shape);
        line && line->box.width == 2 && line->box.height == layout.row)
      lines.push_back({line->box.x + 1, line->box.y});
  ASSERT_EQ(lines.size(), 12U);
  for (uint32_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(lines[i].x, layout.x_of(i < 8 ? 10 : 60), 0.01) << i;
    EXPECT_EQ(lines[i].y, layout.top_of(i % 8)) << i;
  }
}

TEST(ClockPicture, ThePartsOfTheBarHaveTheColoursOfTheLegend) {
  session::ClockRun run = a_run();
  run.stalls.fill(1);
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  const Picture picture = clock_picture(run, kClockCanvas, {}, 0);
  for (const ClockLegendEntry& entry : layout.legend) {
    if (!entry.reason) continue;
    const auto part = std::ranges::find(layout.reasons, *entry.reason, &ClockReason::reason);
    ASSERT_NE(part, layout.reasons.end()) << entry.word;
    EXPECT_TRUE(std::ranges::any_of(picture.shapes, [&](const Shape& shape) {
      const auto* bar = std::get_if<Rectangle>(&shape);
      return bar && bar->box.x == part->box.x && bar->box.y == part->box.y && bar->fill == entry.colour;
    })) << entry.word;
  }
}

TEST(ClockPicture, TheLegendHasAllReasonsOfTheRunInAnyWidth) {
  session::ClockRun run = a_run();
  const auto in_legend = [&](const Canvas& canvas, std::string_view word) {
    const std::vector<std::string> texts = labels_of(clock_picture(run, canvas, {}, 0));
    return std::ranges::find(texts, word) != texts.end();
  };
  EXPECT_FALSE(in_legend(kClockCanvas, "LG throttle"));
  for (double& clocks : run.stalls) clocks = 0.5;
  const Canvas narrow{300, 500, &kMeasure, 14};
  for (const Canvas& canvas : {kClockCanvas, narrow})
    for (size_t i = 1; i < clock::kStalls; ++i)
      EXPECT_TRUE(in_legend(canvas, clock::words_of(static_cast<Stall>(i)))) << canvas.width;
  EXPECT_GT(clock_layout(run, narrow, {}).ruler.y, clock_layout(run, kClockCanvas, {}).ruler.y);
}

TEST(ClockPicture, TheLegendOfTwoIsAboveBoth) {
  session::ClockRun lower = a_run();
  lower.stalls[static_cast<size_t>(Stall::Barrier)] = 1;
  ClockView view;
  view.other = &lower;
  const ClockLayout upper = clock_layout(a_run(), kClockCanvas, view);
  EXPECT_TRUE(std::ranges::any_of(upper.legend, [](const auto& entry) { return entry.reason == Stall::Barrier; }));
  view.other = nullptr;
  view.lower = true;
  const ClockLayout layout = clock_layout(lower, kClockCanvas, view);
  EXPECT_TRUE(layout.legend.empty());
  EXPECT_LT(layout.ruler.y, upper.ruler.y);
}

TEST(ClockPicture, TwoOnOneAxisBeginAtTheSamePlace) {
  const session::ClockRun one = a_run(), several = a_run_of_blocks();
  ClockView upper, lower;
  upper.other = &several;
  lower.other = &one;
  lower.lower = true;
  upper.text = lower.text = 12;
  Canvas low = kClockCanvas;
  low.height = 150;
  const ClockLayout above = clock_layout(one, kClockCanvas, upper), below = clock_layout(several, low, lower);
  EXPECT_EQ(above.plot.x, below.plot.x);
  EXPECT_EQ(above.text, below.text);
  EXPECT_GT(above.plot.x, clock_layout(one, kClockCanvas, {}).plot.x);
}

TEST(ClockPicture, FewRowsFillTheHeight) {
  session::ClockRun run = a_run();
  for (const size_t warps : {5u, 2u, 1u}) {
    run.recording.slots.resize(warps);
    const ClockLayout layout = clock_layout(run, kClockCanvas, {});
    EXPECT_GT(layout.bar.bottom(), kClockCanvas.height - 2 * layout.text) << warps;
  }
}

TEST(ClockPicture, SchedulersWithoutWarpsTakeNoRoom) {
  session::ClockRun run = a_run();
  run.recording.slots.resize(2);
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  EXPECT_LT(layout.plot.bottom() - (layout.top_of(1) + layout.pitch), 1);
  EXPECT_EQ(layout.place_at({layout.x_of(50.5), layout.top_of(1) + 2}), (session::ClockPlace{1, 50}));
}

TEST(ClockPicture, TheBarsOfTwoHaveOneScaleAndOneOrder) {
  session::ClockRun one = a_run(), other = a_run();
  one.stalls[static_cast<size_t>(Stall::Wait)] = 0.5;
  other.stalls[static_cast<size_t>(Stall::Wait)] = 5;
  ClockView upper, lower;
  upper.other = &other;
  lower.other = &one;
  lower.lower = true;
  const auto above = clock_layout(one, kClockCanvas, upper).reasons,
             below = clock_layout(other, kClockCanvas, lower).reasons;
  ASSERT_EQ(above.size(), 3U);
  ASSERT_EQ(below.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(above[i].reason, below[i].reason) << i;
  EXPECT_NEAR(below[0].box.width, 10 * above[0].box.width, 0.1) << "waits";
  EXPECT_NEAR(below[1].box.width, above[1].box.width, 0.1) << "long scoreboard";
}

TEST(ClockPicture, APartOfTheBarWithoutRoomForItsNameHasItsNumber) {
  session::ClockRun run = a_run();
  Canvas narrow = kClockCanvas;
  EXPECT_THAT(labels_of(clock_picture(run, narrow, {}, 0)), testing::Contains("long scoreboard 1.2"));
  narrow.width = 440;
  EXPECT_THAT(labels_of(clock_picture(run, narrow, {}, 0)), testing::Contains("1.2"));
}

TEST(ClockPicture, TheLegendKeepsItsOrder) {
  session::ClockRun run = a_run();
  const auto words = [&] {
    std::vector<std::string> result;
    for (const ClockLegendEntry& entry : clock_layout(run, kClockCanvas, {}).legend) result.push_back(entry.word);
    return result;
  };
  run.stalls[static_cast<size_t>(Stall::Wait)] = 0.5;
  const std::vector<std::string> before = words();
  EXPECT_THAT(before, testing::Contains("load on its way"));
  run.stalls[static_cast<size_t>(Stall::Wait)] = 50;
  EXPECT_EQ(words(), before);
}

TEST(ClockPicture, AnArcThatEndsOutsideReachesTheEdge) {
  const session::ClockRun run = a_run();
  const ClockView view{0, 40};
  const Picture picture = with_places({}, run, kClockCanvas, view, {0, 30}, {});
  const Polyline* arc = nullptr;
  for (const Shape& shape : picture.shapes)
    if (const auto* line = std::get_if<Polyline>(&shape)) arc = line;
  ASSERT_NE(arc, nullptr);
  const ClockLayout layout = clock_layout(run, kClockCanvas, view);
  EXPECT_NEAR(arc->points.front().x, layout.x_of(10), 0.01);
  EXPECT_NEAR(arc->points.back().x, layout.plot.right(), 0.01);
}

TEST(ClockPicture, AnArcIsNearItsRow) {
  session::ClockRun run = a_run();
  std::swap(run.recording.slots[0], run.recording.slots[3]);
  run.recording.arrivals[0].slot = 3;
  const ClockLayout layout = clock_layout(run, kClockCanvas, {});
  for (const Shape& shape : with_places({}, run, kClockCanvas, {}, {3, 30}, {}).shapes)
    if (const auto* arc = std::get_if<Polyline>(&shape)) {
      EXPECT_GT(extent_of(*arc).y, layout.top_of(3) - 2.1f * layout.text);
    }
}

TEST(ClockPicture, TheBarAndTheLegendAnswerToTheMouse) {
  const ClockLayout layout = clock_layout(a_run(), kClockCanvas, {});
  ASSERT_EQ(layout.reasons.size(), 2U);
  EXPECT_EQ(layout.reason_at(layout.reasons[0].box.centre()), Stall::LongScoreboard);
  EXPECT_EQ(layout.reason_at(layout.reasons[1].box.centre()), Stall::Selected) << "issuing is no waiting: it is last";
  for (const ClockLegendEntry& entry : layout.legend)
    EXPECT_EQ(layout.reason_at(entry.at) == Stall::LongScoreboard, entry.word == "long scoreboard") << entry.word;
  EXPECT_FALSE(layout.reason_at(layout.plot.centre()));
}

TEST(ClockPicture, EveryUnitAnswersToTheMouseWhereItsNameIs) {
  const ClockLayout layout = clock_layout(a_run(), kClockCanvas, {});
  const Picture picture = clock_picture(a_run(), kClockCanvas, {}, 0);
  for (size_t unit = 0; unit < kClockUnits; ++unit) {
    const Label* name = nullptr;
    for (const Shape& shape : picture.shapes)
      if (const auto* label = std::get_if<Label>(&shape);
          label && label->text.starts_with(unit_word(a_run().recording, unit)))
        name = label;
    ASSERT_NE(name, nullptr) << unit;
    EXPECT_EQ(layout.unit_at({10, name->at.y}), unit);
  }
  EXPECT_FALSE(layout.unit_at(layout.plot.centre()));
  EXPECT_FALSE(layout.unit_at(layout.bar.centre()));
}

TEST(ClockPicture, HasTensorCoresInPlaceOfTheFmaPipeWhereTheyAreUsed) {
  const auto shown = [](const session::ClockRun& run) {
    std::string words;
    for (const Shape& shape : clock_picture(run, kClockCanvas, {}, 0).shapes)
      if (const auto* label = std::get_if<Label>(&shape)) words += label->text + '\n';
    return words;
  };
  session::ClockRun run = a_run();
  EXPECT_NE(shown(run).find("FMA pipe 10 %"), std::string::npos) << "40 of the clocks of four schedulers";
  run.recording.tensor_cores.assign(13, 0.5f);
  EXPECT_NE(shown(run).find("tensor cores 50 %"), std::string::npos) << shown(run);
  EXPECT_EQ(shown(run).find("FMA pipe"), std::string::npos);
}

TEST(ClockWords, SayWhatAReasonMeansAndHowMuchItIs) {
  const TooltipText text = reason_tooltip(a_run(), Stall::LongScoreboard);
  EXPECT_EQ(text.title, "long scoreboard");
  ASSERT_EQ(text.lines.size(), 2U);
  EXPECT_EQ(text.lines[0], stall_meaning(Stall::LongScoreboard));
  EXPECT_EQ(text.lines[1], "1.2 of a warp's 2.2 clocks per instruction, 55 %");
}

TEST(ClockWords, SayWhenAWarpOfTheBlockBeginsOrHasEnded) {
  session::ClockRun run = a_run();
  run.recording.slots[0].resize(run.recording.slots[0].size() - 6);
  run.recording.slots[0].push_back({95, 0, Recording::kAbsent});
  const auto line_at = [&](uint32_t slot, int32_t clock) {
    const TooltipText text = clock_tooltip(run, "", {slot, clock});
    return text.lines.empty() ? "" : text.lines.front();
  };
  EXPECT_EQ(line_at(0, 5), "It begins in clock 10.");
  EXPECT_EQ(line_at(0, 97), "It has ended in clock 95.");
  EXPECT_EQ(line_at(1, 50), "") << "never seen";
}

TEST(ClockWords, NameTheLoadThatAWarpWaitsFor) {
  const session::ClockRun run = a_run();
  const Recording::Arrival* load = load_at(run.recording, {0, 40});
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->issued, 10);
  EXPECT_EQ(load_at(run.recording, {0, 10}), load);
  EXPECT_EQ(load_at(run.recording, {0, 70}), nullptr);
}

}  // namespace
}  // namespace tilescope::view
