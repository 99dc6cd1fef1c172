// Nothing lies on top of something else: in every kernel that ships, every example and some of the lessons', at every
// scale.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "picture_checks.h"
#include "traced_fixture.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_picture.h"
#include "view/stage/stage_transfer.h"
#include "view/stage/thread_picture.h"
#include "view/strip/strip_picture.h"
#include "view/strip/warps_picture.h"

namespace tilescope::view {
namespace {
using run::TracedBlock;

/// As wide and high as the stage at 1600 x 900, there beside a lesson, at 1280 x 720, beside a lesson at 1366 x 768,
/// there below the clocks, and presented.
constexpr Point kCanvases[] = {{1136, 390}, {752, 408}, {790, 300}, {588, 344}, {984, 168}, {1500, 620}};

bool overlap(const Box& a, const Box& b) {
  constexpr float kSlack = 1.5f;
  return a.x + kSlack < b.right() && b.x + kSlack < a.right() && a.y + kSlack < b.bottom() && b.y + kSlack < a.bottom();
}

/// The warp that copies or multiplies, at its start, at places of its run, and where it first copies into shared
/// memory, for which there are arrows.
std::vector<analysis::StepRef> moments_of(const TracedBlock& traced) {
  std::vector<analysis::StepRef> moments;
  for (const uint32_t warp : {0u, traced.timeline.warps() - 1}) {
    const uint32_t steps = traced.timeline.steps(warp);
    if (steps == 0) continue;
    for (const uint32_t part : {1u, 30u, 55u, 97u}) moments.push_back({warp, std::min(steps - 1, steps * part / 100)});
    for (uint32_t step = 0; step < steps; ++step)
      if (!transfers_at(traced, {warp, step}).empty()) {
        moments.push_back({warp, step});
        break;
      }
  }
  return moments;
}

void expect_words_apart(const Picture& picture, const std::string& what) {
  const std::vector<Label> labels = shapes_of<Label>(picture);
  for (size_t i = 0; i < labels.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(overlap(extent_of(labels[i], kMeasure), extent_of(labels[j], kMeasure)))
          << what << ": \"" << labels[j].text << "\" and \"" << labels[i].text << "\"";
}

/// The arrows of copies pass beside the words.
void expect_arrows_beside_words(const Picture& picture, const std::string& what) {
  const std::vector<Label> labels = shapes_of<Label>(picture);
  for (const Polyline& line : shapes_of<Polyline>(picture)) {
    if (line.colour.ink != Ink::Strong) continue;
    for (size_t i = 1; i < line.points.size(); ++i)
      for (int at = 0; at <= 100; ++at) {
        const float part = static_cast<float>(at) / 100;
        const Point &from = line.points[i - 1], &to = line.points[i];
        const Point point{from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
        for (const Label& label : labels)
          ASSERT_FALSE(extent_of(label, kMeasure).contains(point)) << what << ": \"" << label.text << "\"";
      }
  }
}

/// No words on the strokes where an array is not to scale.
void expect_breaks_free(const Picture& picture, const std::string& what) {
  for (const Polyline& line : shapes_of<Polyline>(picture)) {
    if (line.points.size() != 2 || line.colour.ink != Ink::Text || line.width != 1.5f) continue;
    for (const Label& label : shapes_of<Label>(picture))
      EXPECT_FALSE(overlap(extent_of(line), extent_of(label, kMeasure))) << what << ": \"" << label.text << "\"";
  }
}

void expect_panels_apart(const Focus& focus, const Canvas& canvas, const StageView& view, const std::string& what) {
  const std::vector<ArrayPanel> panels = stage_frame(focus, canvas, view).panels;
  for (size_t i = 0; i < panels.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(overlap(panels[i].whole_box(), panels[j].whole_box()))
          << what << ": " << panels[j].array->allocation.name << " and " << panels[i].array->allocation.name;
}

/// At the right, what the marks of a shared array mean is below its own name, not below the next array's.
void expect_keys_below_their_names(const Picture& picture, const TracedBlock& traced, const std::string& what) {
  const std::vector<Label> labels = shapes_of<Label>(picture);
  for (const Label& key : labels) {
    const bool is_key = std::ranges::any_of(std::array{"framed", "hatched", "dashed", "red"},
                                            [&](const char* word) { return key.text.starts_with(word); });
    if (!is_key || key.horizontal != Align::Begin) continue;
    const Label* name = nullptr;
    for (const Label& label : labels)
      if (label.font == Font::Bold && label.at.x == key.at.x && label.at.y < key.at.y &&
          (!name || label.at.y > name->at.y))
        name = &label;
    ASSERT_TRUE(name) << what << ": \"" << key.text << '"';
    EXPECT_TRUE(std::ranges::any_of(traced.trace.header().shared,
                                    [&](const auto& shared) { return shared.name == name->text; }))
        << what << ": \"" << key.text << "\" below " << name->text;
  }
}

void expect_nothing_overlaps(const TracedBlock& traced) {
  for (const analysis::StepRef& at : moments_of(traced)) {
    const Focus focus = focus_at(traced, at);
    for (const Point& size : kCanvases) {
      const Canvas canvas{size.x, size.y, &kMeasure, 14};
      const auto what = [&](const char* part) {
        return fmt::format("{} {} warp {} step {} {}x{}", traced.request().kernel.name, part, at.warp, at.step, size.x,
                           size.y);
      };
      for (const float level : {0.f, 1.f, 2.f}) {
        const StageView view{level};
        expect_panels_apart(focus, canvas, view, what(level == 0 ? "grid" : level == 1 ? "block" : "warp"));
        const Picture picture = stage_picture(focus, canvas, view);
        expect_words_apart(picture, what(level == 0 ? "grid" : level == 1 ? "block" : "warp"));
        if (level > 0) expect_keys_below_their_names(picture, traced, what(level == 1 ? "block" : "warp"));
        constexpr float kLow = 200;  // There the arrows have no place but behind the words.
        for (const uint32_t lane : {0u, 11u, 31u}) {
          if (size.y < kLow) break;
          Focus of_lane = focus;
          of_lane.lane = lane;
          expect_arrows_beside_words(stage_picture(of_lane, canvas, view), what("arrows"));
        }
        if (level == 1) expect_breaks_free(picture, what("breaks"));
      }
      expect_words_apart(thread_picture(focus, canvas), what("thread"));
      const Canvas low{size.x, 130, &kMeasure, 14};
      expect_words_apart(strip_picture(focus, low), what("strip"));
      expect_words_apart(warps_picture(focus, low), what("warps"));
    }
  }
}

TEST(Overlaps, NoneInAKernelThatShips) {
  for (const kernel::Kernel& kernel : shipped_kernels().kernels) expect_nothing_overlaps(*traced_of(kernel.name));
}

/// In the grid each matrix has its name and its size beside it, however little room there is.
TEST(StageWords, EveryMatrixOfTheGridSaysItsSize) {
  for (const auto& traced : every_traced())
    for (const Point& size : kCanvases) {
      const std::vector<std::string> words =
          labels_of(stage_picture(focus_at(*traced), {size.x, size.y, &kMeasure, 14}, {0}));
      for (const char* extents : {"256 × 64", "64 × 256", "256 × 256"})
        EXPECT_THAT(words, testing::Contains(extents))
            << traced->request().kernel.name << " " << size.x << " x " << size.y;
    }
}

/// At their own sizes; empty where there is no compiler.
std::vector<std::shared_ptr<const TracedBlock>> traced_examples() {
  compile::Compiler compiler;
  std::vector<std::shared_ptr<const TracedBlock>> all;
  if (!compiler.toolchain()) return all;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/examples").kernels) {
    run::Request request;
    request.kernel = kernel;
    const auto size = kernel.description.size.value_or(std::array<int64_t, 3>{256, 256, 64});
    request.size = {size[0], size[1], size[2]};
    const auto traced = trace_block(request, compiler);
    EXPECT_TRUE(traced) << kernel.name << ": " << (traced ? "" : to_string(traced.errors()));
    if (traced) all.push_back(*traced);
  }
  return all;
}

TEST(Overlaps, NoneInAnExample) {
  for (const auto& traced : traced_examples()) expect_nothing_overlaps(*traced);
}

TEST(Overlaps, NoneInALessonsKernel) {
  for (const char* file : {"19-transpose/transpose_tile.cu", "19-transpose/transpose_swizzled.cu"})
    expect_nothing_overlaps(*traced_of_lesson(file, {16, 24, 1}, {{"TILE", "8"}}));
  expect_nothing_overlaps(*traced_of_lesson("09-bank-conflicts/transposed_tile.cu", {64, 64, 64}, {{"PAD", "1"}}));
}

TEST(StageOfRows, InputsAreAboveOutputsOverTheWholeWidth) {
  for (const auto& traced : traced_examples()) {
    if (traced->request().kernel.name != "scan") continue;
    const Canvas canvas{1136, 390, &kMeasure, 14};
    std::map<std::string, Box> boxes;
    for (const ArrayPanel& panel : stage_frame(focus_at(*traced), canvas, {1}).panels)
      boxes[panel.array->allocation.name] = panel.box;
    EXPECT_GT(boxes.at("in").width, canvas.width / 2);
    EXPECT_EQ(boxes.at("in").width, boxes.at("out").width);
    EXPECT_LT(boxes.at("in").bottom(), boxes.at("sums").y);
    EXPECT_LT(boxes.at("sums").bottom(), boxes.at("out").y);
  }
}

/// Many blocks add to one number: it has no single one's name, and beside it is how many there are.
TEST(StageOfRows, WordsStandBesideTheOutputAndBlocksOfOnePlaceAreNamedTogether) {
  for (const auto& traced : traced_examples()) {
    if (traced->request().kernel.name != "reduction") continue;
    const auto counted = run::count_grid(traced->prepared);
    ASSERT_TRUE(counted);
    Focus focus = focus_at(*traced);
    focus.counted = counted->get();
    const Picture picture = stage_picture(focus, {1136, 390, &kMeasure, 11}, {0});
    EXPECT_THAT(labels_of(picture), testing::Contains("16 blocks"));
    EXPECT_THAT(labels_of(picture), testing::Not(testing::Contains("(0, 0)")));
  }
}

/// The shapes of a matrix product are drawn at one scale: a square is a square, and K is as long in A as in B.
TEST(Proportion, ASquareMatrixIsSquareAndKHasOneLength) {
  for (const int64_t size : {128, 256, 1024}) {
    const auto traced = traced_of("09", {size, size, size});
    const Canvas canvas{1136, 390, &kMeasure, 14};
    for (const ArrayPanel& panel : stage_frame(focus_at(*traced), canvas, {0}).panels) {
      EXPECT_NEAR(panel.box.width, panel.box.height, 0.5) << size << " " << panel.array->allocation.name;
      EXPECT_FALSE(panel.broken_across || panel.broken_down);
    }
  }
}

TEST(Proportion, KHasOneLengthInEveryPictureAndABreakWhereItIsNotToScale) {
  for (const auto& traced : every_traced())
    for (const float level : {0.f, 1.f}) {
      const Canvas canvas{1136, 390, &kMeasure, 14};
      const ArrayPanel *a = nullptr, *b = nullptr, *c = nullptr;
      const std::vector<ArrayPanel> panels = stage_frame(focus_at(*traced), canvas, {level}).panels;
      for (const ArrayPanel& panel : panels) {
        if (panel.array->allocation.space != Space::Global) continue;
        (panel.array->side == run::Side::A ? a : panel.array->side == run::Side::B ? b : c) = &panel;
      }
      ASSERT_TRUE(a && b && c);
      EXPECT_NEAR(a->cell_width(), b->cell_height(), 0.01f) << traced->request().kernel.name << " " << level;
      if (!c->broken_across && !c->broken_down) {
        EXPECT_NEAR(c->cell_width(), c->cell_height(), 0.01f) << traced->request().kernel.name << " " << level;
      }
      const float cell = std::min(c->cell_width(), c->cell_height());
      const bool same = std::abs(a->cell_width() / cell - 1) < 0.06f;
      EXPECT_EQ(a->broken_across, !same) << traced->request().kernel.name << " " << level;
      EXPECT_EQ(b->broken_down, !same) << traced->request().kernel.name << " " << level;
    }
}

}  // namespace
}  // namespace tilescope::view
