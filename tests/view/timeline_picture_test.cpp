#include "view/timeline/timeline_picture.h"

#include <chrono>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "picture_checks.h"
#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using session::Target;

const Canvas kTimelineCanvas{900, 170, &kMeasure, 14};

TimelineMarks all_marks(const run::TracedBlock& traced, const Target& target) {
  TimelineMarks marks{.target = target};
  while (!marks.complete) add_marks(traced, marks);
  return marks;
}

TimelineContent content_of(const run::TracedBlock& traced) { return timeline_content(traced, traced.report.findings); }

TEST(TimelineRuns, SayWhatTheTimelineSays) {
  for (const auto& traced : every_traced()) {
    const TimelineRuns runs = timeline_runs(*traced);
    ASSERT_EQ(runs.row_of_warp.size(), traced->timeline.warps());
    const uint32_t warp = traced->timeline.warps() - 1;
    const auto& row = runs.rows[runs.row_of_warp[warp]];
    ASSERT_EQ(row.front().slot, 0U);
    ASSERT_EQ(row.back().slot, traced->timeline.slots());
    for (size_t i = 0; i + 1 < row.size(); ++i)
      for (uint32_t slot = row[i].slot; slot < row[i + 1].slot; ++slot) {
        const auto step = traced->timeline.step_in(warp, slot);
        ASSERT_EQ(step.has_value(), !row[i].waits) << traced->request().kernel.name << " " << slot;
        if (step) {
          ASSERT_EQ(traced->timeline.kind({warp, *step}), row[i].kind) << slot;
        }
      }
  }
}

/// Blocks at the edge, whose warps wait for others: at barriers (05), and because they end sooner.
std::vector<std::shared_ptr<const run::TracedBlock>> traced_with_waits() {
  const kernel::Size odd{70, 66, 37};
  return {traced_of("01", odd, "", 0, 2), traced_of("03", odd, "", 2, 0), traced_of("05", odd, "", 0, 2)};
}

TEST(TimelineRuns, AWarpWaitsWhereItHasNoInstructionInEveryRow) {
  for (const auto& traced : traced_with_waits()) {
    const TimelineRuns runs = timeline_runs(*traced);
    uint32_t waits = 0;
    for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp) {
      const auto& row = runs.rows[runs.row_of_warp[warp]];
      for (size_t i = 0; i + 1 < row.size(); ++i) {
        ASSERT_LT(row[i].slot, row[i + 1].slot);
        waits += row[i].waits;
        EXPECT_TRUE(i == 0 || row[i].kind != row[i - 1].kind || row[i].waits != row[i - 1].waits) << "two of one run";
        for (uint32_t slot = row[i].slot; slot < row[i + 1].slot; ++slot)
          ASSERT_EQ(row[i].waits, !traced->timeline.step_in(warp, slot))
              << traced->request().kernel.name << " warp " << warp << " slot " << slot;
      }
    }
    EXPECT_GT(waits, 0u) << traced->request().kernel.name;
  }
}

/// The rows of the warps: the lower half of each, which arithmetic has alone, is put together with the whole.
std::vector<Cells> rows_in(const Picture& picture) {
  std::vector<Cells> rows;
  for (const Cells& cells : shapes_of<Cells>(picture)) {
    const bool lower_half = !rows.empty() && std::abs(cells.box.bottom() - rows.back().box.bottom()) < 0.5f;
    if (!lower_half) {
      rows.push_back(cells);
      continue;
    }
    EXPECT_LT(cells.box.height, rows.back().box.height);
    for (size_t i = 0; i < cells.colours.size(); ++i)
      if (cells.colours[i].strength > 0) rows.back().colours[i] = cells.colours[i];
  }
  return rows;
}

TEST(TimelinePicture, WhereAWarpWaitsNothingIsDrawn) {
  for (const auto& traced : traced_with_waits()) {
    const uint32_t slots = traced->timeline.slots();
    const TimelineContent content = content_of(*traced);
    for (uint32_t first = 0; first + 40 <= slots; first += 40) {
      const Picture picture = timeline_picture(focus_at(*traced), kTimelineCanvas, {first, 40, 0}, content);
      const auto rows = rows_in(picture);
      for (uint32_t warp = 0; warp < rows.size(); ++warp)
        for (uint32_t i = 0; i < 40; ++i)
          ASSERT_EQ(rows[warp].colours[i].strength == 0, !traced->timeline.step_in(warp, first + i))
              << traced->request().kernel.name << " warp " << warp << " slot " << first + i;
    }
  }
}

TEST(TimelinePicture, EveryKernelInEverySize) {
  for (const auto& traced : every_traced()) {
    const TimelineContent content = content_of(*traced);
    const uint32_t warp = traced->timeline.warps() / 2, slots = traced->timeline.slots();
    for (const uint32_t step : {0u, traced->timeline.steps(warp) / 2, traced->timeline.steps(warp) - 1})
      for (const Canvas& canvas : {kTimelineCanvas, Canvas{420, 90, &kMeasure, 14}, Canvas{1400, 320, &kMeasure, 28}})
        for (const float zoom : {1.0f, 0.2f, 0.001f}) {
          SCOPED_TRACE(
              fmt::format("{} step {} canvas {} zoom {}", traced->request().kernel.name, step, canvas.width, zoom));
          const TimelineView view =
              following(zoomed({}, slots, zoom, 0.5f), slots, traced->timeline.slot({warp, step}));
          const Picture picture = timeline_picture(focus_at(*traced, {warp, step}), canvas, view, content);
          expect_inside(picture, kMeasure);
          EXPECT_EQ(rows_in(picture).size(), traced->timeline.warps());
          EXPECT_EQ(targets_of(picture, Target::Kind::Warp).size(), traced->timeline.warps());
        }
  }
}

// Four stages: while one tile is multiplied three are on their way, each in its own line.
TEST(TimelinePicture, CopiesThatAreInFlightTogetherLieBelowOneAnother) {
  const auto traced = traced_of("13", {64, 128, 128}, "64x128x8-32x64-2-8x4-4");
  const TimelineContent content = content_of(*traced);
  ASSERT_EQ(content.copies.size(), 16U * traced->timeline.warps());
  const Picture picture = timeline_picture(focus_at(*traced), kTimelineCanvas, {}, content);
  std::vector<Box> bars;
  for (const Rectangle& each : shapes_of<Rectangle>(picture))
    if (each.fill.ink == Ink::AsyncCopy && each.fill.strength == 1 && each.box.width > 10) bars.push_back(each.box);
  ASSERT_EQ(bars.size(), 16U) << "of the cursor's warp";
  std::set<float> lines;
  for (size_t i = 0; i < bars.size(); ++i) {
    lines.insert(bars[i].y);
    EXPECT_GE(bars[i].height, 2);
    for (size_t j = 0; j < i; ++j)
      EXPECT_TRUE(bars[i].y != bars[j].y || bars[j].right() <= bars[i].x) << j << " and " << i;
  }
  EXPECT_EQ(lines.size(), 3U);
}

TEST(TimelinePicture, ZoomedInACellIsAnInstruction) {
  const auto traced = traced_of("9");
  const TimelineView view{100, 40, 0};
  const Picture picture = timeline_picture(focus_at(*traced, {2, 110}), kTimelineCanvas, view, content_of(*traced));
  const Cells row = rows_in(picture).at(2);
  ASSERT_EQ(row.columns, 40U);
  std::set<StepKind> kinds;
  for (uint32_t i = 0; i < 40; ++i) {
    const StepKind kind = traced->timeline.kind({2, *traced->timeline.step_in(2, 100 + i)});
    EXPECT_EQ(row.colours[i].ink, ink_of(kind)) << i;
    kinds.insert(kind);
  }
  EXPECT_THAT(kinds, testing::IsSupersetOf({StepKind::LoadGlobal, StepKind::StoreShared, StepKind::Other}));
}

TEST(TimelinePicture, EachKindOfInstructionHasAnInkOfItsOwn) {
  std::set<Ink> inks;
  for (size_t kind = 0; kind < analysis::kStepKinds; ++kind) inks.insert(ink_of(static_cast<StepKind>(kind)));
  EXPECT_EQ(inks.size(), analysis::kStepKinds);
}

TEST(TimelinePicture, APixelHasTheKindOfMostSlotsOtherAside) {
  const auto traced = traced_of("9");
  const Picture picture = timeline_picture(focus_at(*traced, {2, 0}), kTimelineCanvas, {}, content_of(*traced));
  const Cells row = rows_in(picture).at(2);
  const uint32_t slots = traced->timeline.slots();
  ASSERT_LT(row.columns, slots);
  for (uint32_t cell = 0; cell < row.columns; ++cell) {
    std::map<StepKind, int> counts;
    for (uint64_t c = uint64_t{cell} * slots / row.columns; c < uint64_t{cell + 1} * slots / row.columns; ++c)
      if (const auto step = traced->timeline.step_in(2, static_cast<uint32_t>(c)))
        ++counts[traced->timeline.kind({2, *step})];
    counts.erase(StepKind::Other);
    int most = 0, multiplies = counts.contains(StepKind::Multiply) ? counts[StepKind::Multiply] : 0;
    for (const auto& [kind, count] : counts) most = std::max(most, count);
    EXPECT_EQ(row.colours[cell].ink == ink_of(StepKind::Other), most == 0);
    EXPECT_TRUE(row.colours[cell].ink != ink_of(StepKind::Multiply) || multiplies == most);
  }
}

TEST(TimelinePicture, BarrierLinesTilesAndPhases) {
  const auto traced = traced_of("9");
  const Focus focus = focus_at(*traced, {2, 0});
  const Picture picture = timeline_picture(focus, kTimelineCanvas, {}, content_of(*traced));
  const TimelineLayout layout = timeline_layout(focus, kTimelineCanvas, {});
  std::vector<float> lines, wanted;
  for (const uint32_t line : traced->timeline.barrier_lines()) wanted.push_back(layout.x_of(line));
  for (const Rectangle& rectangle : shapes_of<Rectangle>(picture))
    if (rectangle.box.y < layout.plot.y && rectangle.box.bottom() > layout.plot.bottom() + 1)
      lines.push_back(rectangle.box.centre().x);
  ASSERT_EQ(wanted.size(), 16U);
  ASSERT_EQ(lines.size(), 17U) << "and the cursor's";
  lines.pop_back();
  EXPECT_THAT(lines, testing::Pointwise(testing::FloatNear(0.01f), wanted));
  const auto labels = labels_of(picture);
  for (const char* tile : {"1", "2", "8"}) EXPECT_THAT(labels, testing::Contains(tile));
  EXPECT_THAT(labels, testing::Contains("compute"));
  EXPECT_THAT(labels, testing::Not(testing::Contains("9")));
}

TEST(TimelinePicture, PhasesHaveALineWhereFewWarpsLeaveOne) {
  const Canvas low{900, 100, &kMeasure, 14};
  const auto few = traced_of_lesson("20-reduction/sum_neighbours.cu", {8, 64, 1}, {{"THREADS", "64"}});
  EXPECT_TRUE(timeline_layout(focus_at(*few), low, {}).phases);
  EXPECT_FALSE(timeline_layout(focus_at(*traced_of("09")), low, {}).phases);
}

TEST(TimelinePicture, TheCursorsWarpLooksUnlikeTheOthers) {
  const auto traced = traced_of("9");
  const Picture picture = timeline_picture(focus_at(*traced, {5, 300}), kTimelineCanvas, {}, content_of(*traced));
  std::map<Ink, std::vector<std::string>> names;
  for (const Label& label : shapes_of<Label>(picture))
    if (label.text.starts_with("warp ")) names[label.colour.ink].push_back(label.text);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_THAT(names, testing::Contains(testing::Pair(testing::_, testing::ElementsAre("warp 5"))));
  const auto rows = rows_in(picture);
  EXPECT_EQ(rows[5].colours[200].strength, 1);
  EXPECT_LT(rows[4].colours[200].strength, 1);
}

TEST(TimelinePicture, APointIsAnInstruction) {
  const auto traced = traced_of("9");
  const Focus focus = focus_at(*traced, {2, 0});
  for (const TimelineView& view : {TimelineView{}, TimelineView{3000, 200, 0}}) {
    const TimelineLayout layout = timeline_layout(focus, kTimelineCanvas, view);
    for (const uint32_t slot : {layout.first_slot, layout.first_slot + layout.slots / 2}) {
      const Box cell = layout.cell(3, slot);
      const auto at = moment_at(focus, layout, cell.centre());
      ASSERT_TRUE(at);
      EXPECT_EQ(at->warp, 3U);
      EXPECT_EQ(at->step, traced->timeline.step_at_or_before(3, slot));
    }
    EXPECT_FALSE(moment_at(focus, layout, {3, 100}));
    EXPECT_FALSE(moment_at(focus, layout, {300, 2}));
  }
}

TEST(TimelineMarks, EveryAccessOfAnElementAndNoOther) {
  const auto traced = traced_of("4");
  const uint64_t index = 3 * 32 + 5;
  const TimelineMarks marks = all_marks(*traced, {Target::Kind::Element, Space::Shared, "As", index, 0});
  // As[3][5] is written once a k-tile by warp 3, which then reads row 3, as four words at once in the PTX's 32 loads.
  ASSERT_EQ(marks.marks.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(marks.marks[i].warp, 3U);
    EXPECT_EQ(marks.marks[i].writes, i % 2 == 0);
  }
  EXPECT_TRUE(all_marks(*traced, {Target::Kind::Lane, Space::None, "", 3, 0}).marks.empty());
  EXPECT_TRUE(all_marks(*traced, {Target::Kind::Element, Space::Shared, "nothing", 3, 0}).marks.empty());
}

TEST(TimelineMarks, OfALargeTraceAreFoundInParts) {
  const auto traced = traced_of("04", {64, 64, 512});
  ASSERT_GT(traced->trace.size(), 2 * TimelineMarks::kRecordsACall);
  const Target element{Target::Kind::Element, Space::Shared, "As", 31 * 32 + 8, 0};
  TimelineMarks marks{.target = element};
  add_marks(*traced, marks);
  EXPECT_FALSE(marks.complete);
  const size_t first = marks.marks.size();
  while (!marks.complete) add_marks(*traced, marks);
  EXPECT_LT(first, marks.marks.size());
  EXPECT_EQ(marks.marks.size(), 16u + 16u) << "a k-tile: one warp writes it, and reads its row's eight words";
  add_marks(*traced, marks);
  EXPECT_EQ(marks.marks.size(), 32u) << "what is complete stays so";
}

/// The rectangles that a picture has for its marks: those that it lacks without them.
std::vector<Box> mark_boxes(const Focus& focus, const TimelineView& view, const TimelineMarks& marks) {
  const TimelineContent content = content_of(*focus.traced);
  const auto boxes = [&](const TimelineMarks& shown) {
    std::vector<Box> all;
    for (const Rectangle& rectangle :
         shapes_of<Rectangle>(timeline_picture(focus, kTimelineCanvas, view, content, shown)))
      all.push_back(rectangle.box);
    return all;
  };
  std::vector<Box> added = boxes(marks);
  for (const Box& old : boxes({})) {
    const auto same = [&](const Box& b) { return b.x == old.x && b.y == old.y && b.width == old.width; };
    if (const auto found = std::find_if(added.begin(), added.end(), same); found != added.end()) added.erase(found);
  }
  return added;
}

TEST(TimelineMarks, ReadsStandUnderTheRowAndWritesAboveIt) {
  const auto traced = traced_of("4");
  const TimelineMarks marks = all_marks(*traced, {Target::Kind::Element, Space::Shared, "As", 3 * 32 + 5, 0});
  const Focus focus = focus_at(*traced, {0, 0});
  const TimelineLayout layout = timeline_layout(focus, kTimelineCanvas, {});
  const float top = layout.top_of(3);
  const std::vector<Box> boxes = mark_boxes(focus, {}, marks);
  ASSERT_EQ(boxes.size(), 4u);
  for (const auto& mark : marks.marks) {
    const auto box = std::find_if(boxes.begin(), boxes.end(),
                                  [&](const Box& b) { return std::abs(b.x - layout.x_of(mark.slot)) < 0.01f; });
    ASSERT_NE(box, boxes.end()) << mark.slot;
    EXPECT_FLOAT_EQ(mark.writes ? box->bottom() : box->y, mark.writes ? top : top + layout.bar);
  }
}

TEST(TimelineMarks, ThatTouchBecomeOneAndOthersDoNot) {
  const auto traced = traced_of("4");
  TimelineMarks marks;
  marks.marks = {{1, 10, false}, {1, 11, false}, {1, 14, false}, {2, 15, false}, {2, 16, true}};
  const TimelineView view{0, 40, 0};
  const Focus focus = focus_at(*traced, {0, 0});
  const TimelineLayout layout = timeline_layout(focus, kTimelineCanvas, view);
  std::vector<std::pair<float, float>> spans;
  for (const Box& mark : mark_boxes(focus, view, marks)) spans.emplace_back(mark.x, mark.width);
  std::sort(spans.begin(), spans.end());
  const float cell = layout.cell(1, 10).width;
  ASSERT_EQ(spans.size(), 4u);
  for (const auto& [i, slot, cells] : {std::tuple{0u, 10.0, 2}, {1u, 14.0, 1}, {2u, 15.0, 1}, {3u, 16.0, 1}}) {
    EXPECT_NEAR(spans[i].first, layout.x_of(slot), 0.01f);
    EXPECT_NEAR(spans[i].second, cell * static_cast<float>(cells), 0.01f);
  }
}

TEST(TimelineMarks, StepsOfALine) {
  const auto traced = traced_of("9");
  const uint32_t pc = traced->timeline.pc({2, 133});
  const auto line = static_cast<uint64_t>(traced->facts.line_of(pc));
  const TimelineMarks marks = all_marks(*traced, {Target::Kind::SourceLine, Space::None, "", line, 0});
  ASSERT_FALSE(marks.marks.empty());
  for (const auto& mark : marks.marks) {
    const auto step = traced->timeline.step_in(mark.warp, mark.slot);
    ASSERT_TRUE(step);
    EXPECT_EQ(traced->facts.line_of(traced->timeline.pc({mark.warp, *step})), static_cast<int>(line));
  }
  expect_inside(timeline_picture(focus_at(*traced, {2, 0}), kTimelineCanvas, {}, content_of(*traced), marks), kMeasure);
}

TEST(TimelineFlags, StandWhereTheInstructionFirstRuns) {
  const auto traced = traced_of("9");
  analysis::Finding finding;
  finding.site.thread.warp = 4;
  finding.site.pc = traced->timeline.pc({4, 500});
  analysis::Finding elsewhere;
  elsewhere.site.thread.warp = 4;
  elsewhere.site.pc = 1u << 30;
  const auto flags = timeline_flags(*traced, {elsewhere, finding});
  ASSERT_EQ(flags.size(), 1U);
  EXPECT_EQ(flags[0].finding, 1U);
  EXPECT_LE(flags[0].step, 500U);
  EXPECT_EQ(traced->timeline.pc({4, flags[0].step}), finding.site.pc);
  EXPECT_EQ(flags[0].slot, traced->timeline.slot({4, flags[0].step}));
  const TimelineContent content = timeline_content(*traced, {elsewhere, finding});
  const Picture picture = timeline_picture(focus_at(*traced, {2, 0}), kTimelineCanvas, {}, content);
  EXPECT_THAT(targets_of(picture, Target::Kind::Step),
              testing::ElementsAre(Target{Target::Kind::Step, Space::None, "", flags[0].step, 4}));
}

TEST(TimelineFlags, ThatAQuestionAsksForAreNotDrawn) {
  const auto traced = traced_of("9");
  analysis::Finding finding;
  finding.site.thread.warp = 4;
  finding.site.pc = traced->timeline.pc({4, 500});
  const TimelineContent content = timeline_content(*traced, {finding});
  Focus focus = focus_at(*traced, {2, 0});
  EXPECT_EQ(targets_of(timeline_picture(focus, kTimelineCanvas, {}, content), Target::Kind::Step).size(), 1U);
  focus.hidden.add(session::Fact::Findings);
  EXPECT_TRUE(targets_of(timeline_picture(focus, kTimelineCanvas, {}, content), Target::Kind::Step).empty());
}

/// No two labels overlap.
TEST(TimelinePicture, NamesAndNumbersKeepClear) {
  for (const char* kernel : {"1", "6", "9"}) {
    const auto traced = traced_of(kernel);
    const TimelineContent content = content_of(*traced);
    for (const float height : {60.0f, 90.0f, 130.0f, 320.0f})
      for (const uint32_t warp : {0u, 1u, traced->timeline.warps() - 1})
        for (const uint32_t first : {0u, 7u, traced->timeline.slots() / 3}) {
          const Focus focus = focus_at(*traced, {warp, 0});
          const Picture picture = timeline_picture(focus, {700, height, &kMeasure, 14}, {first, 60, 0}, content);
          const std::vector<Label> labels = shapes_of<Label>(picture);
          for (size_t i = 0; i < labels.size(); ++i)
            for (size_t j = 0; j < i; ++j) {
              const Box a = extent_of(labels[i], kMeasure), b = extent_of(labels[j], kMeasure);
              EXPECT_FALSE(a.x < b.right() - 0.1f && b.x < a.right() - 0.1f && a.y < b.bottom() - 0.1f &&
                           b.y < a.bottom() - 0.1f)
                  << labels[i].text << " and " << labels[j].text << " of " << kernel << " at " << height;
            }
        }
  }
}

TEST(TimelineView, StaysInsideTheTimeline) {
  EXPECT_EQ(fitted({50, 100, 0}, 80), (TimelineView{0, 0, 0}));
  EXPECT_EQ(fitted({950, 100, 0}, 1000), (TimelineView{900, 100, 0}));
  EXPECT_EQ(fitted({10, 3, 0}, 1000), (TimelineView{10, 16, 0}));
  EXPECT_EQ(zoomed({}, 1000, 0.5f, 0.5f), (TimelineView{250, 500, 0}));
  EXPECT_EQ(zoomed({250, 500, 0}, 1000, 2, 0.5f), (TimelineView{}));
  EXPECT_EQ(zoomed({}, 1000, 0.5f, 1), (TimelineView{500, 500, 0}));
  EXPECT_EQ(zoomed({}, 5, 0.1f, 0.5f), (TimelineView{}));
  EXPECT_EQ(panned({100, 200, 0}, 1000, -300), (TimelineView{0, 200, 0}));
  EXPECT_EQ(panned({100, 200, 0}, 1000, 5000), (TimelineView{800, 200, 0}));
  EXPECT_EQ(following({100, 200, 0}, 1000, 150), (TimelineView{100, 200, 0}));
  EXPECT_EQ(following({100, 200, 0}, 1000, 500), (TimelineView{326, 200, 0}));
  EXPECT_EQ(following({100, 200, 0}, 1000, 10), (TimelineView{0, 200, 0}));
  EXPECT_EQ(following({}, 1000, 700), (TimelineView{}));
}

TEST(TimelinePicture, ALongRunIsDrawnInTwoMilliseconds) {
  const auto traced = traced_of("9", {256, 256, 1024});
  ASSERT_GT(traced->timeline.slots(), 100'000U);
  const TimelineContent content = content_of(*traced);
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Picture picture = timeline_picture(focus_at(*traced, {2, 5000}), kTimelineCanvas, {}, content);
    EXPECT_FALSE(picture.shapes.empty());
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
#ifdef NDEBUG
  EXPECT_LT(best, 2);
#endif
}

}  // namespace
}  // namespace tilescope::view
