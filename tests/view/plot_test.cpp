#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "store/store.h"
#include "textbook.h"
#include "view/label_placer.h"
#include "view/picture_checks.h"
#include "view/plots/plot_predicted.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

const std::vector<arch::Device>& devices() {
  static const std::vector<arch::Device> all = *arch::load_devices(TILESCOPE_SOURCE_DIR "/assets/devices.toml");
  return all;
}

const kernel::Kernel& stage(int number) {
  for (const kernel::Kernel& kernel : textbook_kernels().kernels)
    if (kernel.number == number) return kernel;
  return textbook_kernels().kernels.front();
}

const kernel::Kernel& vector_kernel() {
  static const kernel::Catalogue examples = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/examples");
  return *std::ranges::find(examples.kernels, "reduction", &kernel::Kernel::name);
}

Measurement figure(const kernel::Kernel& kernel, const Params& params, int64_t size, double tflops) {
  Measurement m;
  m.provenance = Provenance::Recorded;
  m.subject.device = "NVIDIA H200";
  m.subject.kernel = kernel.name;
  m.subject.kernel_hash = "digest";
  m.subject.params = params;
  m.subject.m = m.subject.n = m.subject.k = size;
  m.subject.toolkit = "13.0";
  m.date = "2026-11-21T20:52:31Z";
  const auto n = static_cast<double>(size);
  const double seconds = 2 * n * n * n / (tflops * 1e12);
  m.seconds = {0.99 * seconds, seconds, 1.02 * seconds};
  m.gflops = 1e3 * tflops;
  const double cublas = 2 * n * n * n / 50e12;
  m.reference = store::Reference{"cublasGemmEx", {cublas, cublas, cublas}, {tflops / 50, tflops / 50, tflops / 50}};
  m.samples = 60;
  return m;
}

/// Stages with invented figures; each test changes what it needs.
class PlotTest : public testing::Test {
 protected:
  PlotTest() {
    for (const kernel::Kernel& kernel : textbook_kernels().kernels) data.stages.push_back({&kernel, "digest"});
    show(stage(9));
    data.devices = devices();
    data.recorded_on = "NVIDIA H200";
  }

  void show(const kernel::Kernel& kernel) {
    data.shown = {&kernel, "digest"};
    data.params = default_params(kernel.description);
  }
  void set(const std::string& name, int64_t value) { data.params = with(name, value); }
  Params with(const std::string& name, int64_t value) const {
    Params params = data.params;
    for (auto& [known, old] : params)
      if (known == name) old = value;
    return params;
  }

  Measurement& record(const kernel::Kernel& kernel, double tflops, int64_t size = 4096) {
    figures.push_back(figure(kernel, default_params(kernel.description), size, tflops));
    return figures.back();
  }
  void record_with(const std::string& name, int64_t value, double tflops) {
    figures.push_back(figure(*data.shown.kernel, with(name, value), 4096, tflops));
  }
  void measured(Measurement m) {
    m.provenance = Provenance::Measured;
    m.subject.device = data.measured_on = "Fake GPU";
    history.push_back(static_cast<uint32_t>(figures.size()));
    figures.push_back(std::move(m));
  }
  /// With a demand: 100 us for each wavefront of L1 and shared memory that a block has.
  void count(const kernel::Kernel& kernel, const Params& params, int64_t size = 4096, double wavefronts = 0) {
    run::CountedWork work{kernel.name, kernel.source, params, size, {}, 1024, {}};
    if (wavefronts > 0) work.demand = predict::Demand{{}, 1320, 8, 1};
    if (work.demand) work.demand->block.wavefronts = 1.98e9 * 1e-5 * wavefronts;
    work.work = {uint64_t{1} << 36, {},      1 << 28, 1 << 20,
                 uint64_t{1} << 32, 1 << 22, 1 << 27, 2.0 * 4096 * 4096 * 4096};
    counted.push_back(std::move(work));
  }

  const PlotData& filled() {
    data.figures = figures;
    data.history = history;
    data.counted = counted;
    data.model = &model;
    return data;
  }
  /// Everything in the plot drawn as a prediction.
  static size_t triangles(const Plot& plot) {
    size_t found = 0;
    for (const Polyline& shape : shapes_of<Polyline>(plot.picture))
      found += shape.points.size() == 4 && shape.colour.ink == predicted_look().ink;
    return found;
  }

  std::vector<std::string> labels(const Plot& plot) const {
    expect_inside(plot.picture, measure);
    return labels_of(plot.picture);
  }
  const PlotSpot* spot(const Plot& plot, const std::string& title) const {
    for (const PlotSpot& each : plot.spots)
      if (each.title == title && !each.lines.empty() && !each.go.empty()) return &each;
    return nullptr;
  }

  PlainMeasure measure;
  Canvas canvas{560, 190, &measure};
  PlotData data;
  predict::Model model = [] {
    predict::Model plain;  // No latency, no launch: the longest term alone.
    plain.device = "NVIDIA H200";
    plain.sharpness = 1000;
    plain.low = {0.9, 0.9}, plain.high = {1.2, 1.2};
    return plain;
  }();
  std::vector<Measurement> figures;
  std::vector<uint32_t> history;
  std::vector<run::CountedWork> counted;
};

// --- Ladder. ---

TEST_F(PlotTest, TheLadderHasABarAStageWithItsShareOfCublas) {
  record(stage(1), 0.5);
  record(stage(9), 25);
  canvas.height = 320;
  const auto texts = labels(ladder_plot(filled(), canvas));
  EXPECT_THAT(texts, IsSupersetOf({"1 Naive, x counts rows", "9 2-D thread tile", "cuBLAS", "0.500  1 %", "25.0  50 %",
                                   "50.0", "TFLOP/s, 4096³", "recorded", "NVIDIA H200, 2026-11-21"}));
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "no recording"), 19);
}

TEST_F(PlotTest, AStageWithoutAFigureHasNoBarButItsBound) {
  canvas.height = 320;
  record(stage(1), 0.5);
  count(stage(9), data.params);
  const Plot plot = ladder_plot(filled(), canvas);
  EXPECT_THAT(labels(plot), IsSupersetOf({"bound on", "H200", "no recording"}));
  expect_inside(plot.picture, *canvas.measure);
  const PlotSpot* nine = nullptr;
  for (const PlotSpot& each : plot.spots)
    if (each.title.starts_with("9 ")) nine = &each;
  ASSERT_NE(nine, nullptr);
  EXPECT_EQ(nine->lines[0], "At 4096³ nothing was measured or recorded of this configuration.");
  EXPECT_THAT(nine->lines[1], HasSubstr("bound on H200: "));
}

TEST_F(PlotTest, FiguresOfAnotherTextOrSizeOrWithWarmCachesAreNotShown) {
  canvas.height = 320;
  record(stage(9), 25).subject.kernel_hash = "another";
  record(stage(9), 26, 2048);
  record(stage(9), 27).subject.hot = true;
  record(stage(9), 28).subject.device = "Another GPU";
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Not(Contains(HasSubstr(" %"))));
}

TEST_F(PlotTest, TheShownConfigurationHasARowOfItsOwn) {
  canvas.height = 320;
  record(stage(9), 25);
  set("BM", 64);
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), IsSupersetOf({"BM=64", "25.0  50 %"}));
  set("BM", 128);
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Not(Contains("BM=64")));
}

TEST_F(PlotTest, WhatIsNoProductIsNotOnTheLadder) {
  canvas.height = 320;
  record(stage(9), 25);
  set("BM", 64);
  PlotData transpose = filled();
  kernel::Kernel other = *transpose.shown.kernel;
  other.name = "transpose";
  transpose.shown.kernel = &other;
  const auto bars = [&] { return labels(ladder_plot(transpose, canvas)).size(); };
  const size_t with_its_own = bars();
  transpose.product = false;
  EXPECT_LT(bars(), with_its_own);
}

TEST_F(PlotTest, AnIllegalConfigurationIsSaidToBeIllegal) {
  canvas.height = 320;
  show(stage(11));
  set("WN", 32);
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), IsSupersetOf({"WN=32", "not legal"}));
  show(stage(11));
  data.size = 100;
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Contains("not legal at this size"));
}

TEST_F(PlotTest, MeasuredAndRecordedBarsStandSideBySide) {
  record(stage(9), 25);
  measured(figure(stage(9), data.params, 4096, 20));
  canvas.height = 320;
  const Plot plot = ladder_plot(filled(), canvas);
  EXPECT_THAT(labels(plot), IsSupersetOf({"measured", "Fake GPU, 2026-11-21", "recorded", "20.0  40 %"}));
  EXPECT_THAT(plot.csv, HasSubstr("Fake GPU"));
  EXPECT_THAT(plot.csv, HasSubstr("NVIDIA H200"));
}

TEST_F(PlotTest, PublishedFiguresAreMarksThatNameTheirDocument) {
  const store::Shipped published = store::load_published(TILESCOPE_SOURCE_DIR "/assets/published.toml");
  figures = published.measurements;
  canvas.height = 320;
  const Plot plot = ladder_plot(filled(), canvas);
  EXPECT_THAT(labels(plot), IsSupersetOf({"published", "Tesla T4"}));
  bool named = false;
  for (const PlotSpot& each : plot.spots)
    for (const std::string& line : each.lines)
      named |= line == "published: \"An Optimization Procedure on Matrix Multiplication (T4)\", Tesla T4";
  EXPECT_TRUE(named);
}

TEST_F(PlotTest, AClickOnAStageChoosesIt) {
  record(stage(4), 9);
  const Plot plot = ladder_plot(filled(), canvas);
  const PlotSpot* four = spot(plot, "4 Shared-memory tile  " + params_text(default_params(stage(4).description)));
  ASSERT_NE(four, nullptr);
  ASSERT_EQ(four->go.size(), 1U);
  EXPECT_EQ(std::get<session::ChooseKernel>(four->go[0]).name, "04_shared_tile");
  EXPECT_EQ(spot_at(plot, four->box.centre()), four);
  EXPECT_EQ(four->lines[0], "9.00 TFLOP/s");
  EXPECT_EQ(four->lines[1], "15.3 ms, middle half 15.1 to 15.6 ms of 60 samples");
  EXPECT_EQ(four->lines[3], "recorded NVIDIA H200, 2026-11-21, NVRTC 13.0");
}

/// Labels in the line of the columns' names, from the left.
std::vector<Label> column_names(const Plot& plot) {
  std::vector<Label> names;
  const std::vector<Label> all = shapes_of<Label>(plot.picture);
  float lowest = 0;
  for (const Label& label : all) lowest = std::max(lowest, label.at.y);
  for (const Label& label : all)
    if (label.at.y == lowest) names.push_back(label);
  std::sort(names.begin(), names.end(), [](const Label& a, const Label& b) { return a.at.x < b.at.x; });
  return names;
}

TEST_F(PlotTest, ALowLadderStandsUprightWithTheCurrentStageInWords) {
  record(stage(1), 0.5);
  record(stage(9), 25);
  canvas.height = 190;
  const Plot low = ladder_plot(filled(), canvas);
  EXPECT_THAT(labels(low), IsSupersetOf({"9 2-D thread tile", "25.0  50 %", "TFLOP/s, % of cuBLAS, 4096³", "recorded",
                                         "H200", "1", "50", "9", "16", "100", "cuBLAS", "–"}));
  EXPECT_EQ(column_names(low).size(), 22U) << "the stages in FP32 and cuBLAS";
  EXPECT_NE(spot(low, "1 Naive, x counts rows  BLOCK=32"), nullptr);
  set("BM", 64);
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), IsSupersetOf({"9*", "BM=64", "no recording"}));
}

TEST_F(PlotTest, ValuesOfNarrowColumnsDoNotLieOnOneAnother) {
  for (const PlotStage& each : data.stages) record(*each.kernel, 55);
  canvas.width = 420;
  canvas.height = 190;
  std::vector<Box> values;
  bool current = false;
  for (const Shape& shape : ladder_plot(filled(), canvas).picture.shapes)
    if (const auto* label = std::get_if<Label>(&shape); label && label->text == "110") {
      values.push_back(box_of(*label, *canvas.measure));
      current |= label->colour == Colour{Ink::Accent};
    }
  EXPECT_TRUE(current);
  ASSERT_GE(values.size(), 5U);
  for (size_t i = 1; i < values.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(values[i].x < values[j].right() && values[j].x < values[i].right() &&
                   values[i].y < values[j].bottom() && values[j].y < values[i].bottom())
          << i << ' ' << j;
}

TEST_F(PlotTest, ColumnsAreAsHighAsTheyAreFastAndCublasHasALine) {
  record(stage(1), 10);
  record(stage(9), 25);
  canvas.height = 190;
  std::vector<Box> bars;
  const Plot plot = ladder_plot(filled(), canvas);
  for (const Rectangle& bar : shapes_of<Rectangle>(plot.picture))
    if (bar.box.height > 10) bars.push_back(bar.box);
  ASSERT_EQ(bars.size(), 3U);  // 10, 25 and cuBLAS's 50
  EXPECT_NEAR(bars[0].height / bars[2].height, 0.2, 0.01);
  EXPECT_NEAR(bars[1].height / bars[2].height, 0.5, 0.01);
  EXPECT_EQ(bars[0].bottom(), bars[2].bottom());
}

TEST_F(PlotTest, ANarrowLadderShowsTheColumnsNearestToTheCurrentOne) {
  canvas.width = 240;
  canvas.height = 100;
  record(stage(1), 45);
  record(stage(9), 25);
  const std::vector<Label> names = column_names(ladder_plot(filled(), canvas));
  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names.back().text, "cuBLAS");
  EXPECT_EQ(std::count_if(names.begin(), names.end(), [](const Label& l) { return l.text == "9"; }), 1);
  EXPECT_EQ(std::count_if(names.begin(), names.end(), [](const Label& l) { return l.text == "1"; }), 0);
}

TEST_F(PlotTest, TheLadderHasTheStagesOfThePrecisionAndThoseBelowWithCublasInEach) {
  const auto names = [&](int number) {
    show(stage(number));
    std::vector<std::string> found;
    for (const Label& name : column_names(ladder_plot(filled(), canvas))) found.push_back(name.text);
    return found;
  };
  canvas.height = 190;
  canvas.width = 1600;
  EXPECT_THAT(names(9), testing::Not(testing::Contains("21")));
  EXPECT_THAT(names(21), testing::AllOf(testing::Contains("24"), testing::Not(testing::Contains("23"))));
  const std::vector<std::string> all = names(23);
  EXPECT_EQ(all.back(), "cuBLAS BF16");
  const auto at = [&](const char* name) { return std::ranges::find(all, name) - all.begin(); };
  for (const auto& [before, name] : {std::pair("25", "FP32"), {"FP32", "21"}, {"24", "TF32"}, {"TF32", "22"}})
    EXPECT_EQ(at(name) - at(before), 1) << name << ": each cuBLAS is behind what is compared with it";
}

TEST_F(PlotTest, NamesOfTheLadderDoNotMeet) {
  set("BM", 64);
  record(stage(1), 0.5);
  for (const float height : {150.0f, 190.0f}) {
    canvas.height = height;
    const std::vector<Label> names = column_names(ladder_plot(filled(), canvas));
    ASSERT_EQ(names.size(), 23U);
    for (size_t i = 1; i < names.size(); ++i)
      EXPECT_LT(extent_of(names[i - 1], measure).right(), extent_of(names[i], measure).x) << names[i].text;
  }
  canvas.height = 400;
  const Plot plot = ladder_plot(filled(), canvas);
  std::vector<Label> names;
  for (const Label& label : shapes_of<Label>(plot.picture))
    if (label.horizontal == Align::End && label.text != "TFLOP/s, 4096³") names.push_back(label);
  ASSERT_EQ(names.size(), 23U);
  for (size_t i = 1; i < names.size(); ++i) EXPECT_GE(names[i].at.y - names[i - 1].at.y, names[i].size * 0.9f);
}

// --- Over a parameter and over the size. ---

TEST_F(PlotTest, OverAParameterEveryFigureIsAPointAndIllegalValuesAreCrossed) {
  record_with("BM", 64, 24.9);
  record_with("BM", 128, 25);
  const Plot plot = parameter_plot(filled(), canvas, "BM", Quantity::Speed, {});
  EXPECT_THAT(labels(plot), IsSupersetOf({"BM", "TFLOP/s", "16", "32", "64", "128", "256", "recorded", "cuBLAS"}));
  const PlotSpot* other = spot(plot, "BM=64 BN=128 BK=8 TM=8 TN=8");
  ASSERT_NE(other, nullptr);
  ASSERT_EQ(other->go.size(), 1U);
  EXPECT_EQ(std::get<session::SetParameter>(other->go[0]).name, "BM");
  EXPECT_EQ(std::get<session::SetParameter>(other->go[0]).value, 64);
  EXPECT_NE(spot(plot, "BM = 32"), nullptr);
}

TEST_F(PlotTest, WhereOnlyWhatShipsCanRunAClickLeadsToNothingElse) {
  record_with("BM", 64, 24.9);
  record_with("BM", 128, 25);
  const std::vector<ParameterValues> shipped{{{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 8}, {"TN", 8}},
                                             {{"BM", 32}, {"BN", 64}, {"BK", 8}, {"TM", 8}, {"TN", 8}}};
  data.shipped = [&](const kernel::Kernel&) -> const std::vector<ParameterValues>& { return shipped; };
  const Plot plot = parameter_plot(filled(), canvas, "BM", Quantity::Speed, {});
  EXPECT_EQ(spot(plot, "BM=64 BN=128 BK=8 TM=8 TN=8"), nullptr);
  EXPECT_EQ(spot(plot, "BM = 16"), nullptr);
  const PlotSpot* column = spot(plot, "BM = 32");
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(std::get<session::SetParameter>(column->go[0]).with, shipped[1]) << "what is set with it ships, too";
}

TEST_F(PlotTest, OverAnUnmeasuredParameterThereIsASentence) {
  EXPECT_THAT(
      labels(parameter_plot(filled(), canvas, "BM", Quantity::Time, {})),
      testing::ElementsAre("Nothing was measured or recorded over BM at 4096³ with the current other", "values."));
}

TEST_F(PlotTest, AMeasurementWithOtherValuesDoesNotStay) {
  measured(figure(stage(9), with("TM", 4), 4096, 20));
  measured(figure(stage(9), data.params, 4096, 25));
  const Plot plot = parameter_plot(filled(), canvas, "BM", Quantity::Speed, {});
  std::vector<std::string> titles;
  for (const PlotSpot& each : plot.spots) titles.push_back(each.title);
  EXPECT_THAT(titles, Contains("BM=128 BN=128 BK=8 TM=8 TN=8"));
  EXPECT_THAT(titles, Not(Contains("BM=128 BN=128 BK=8 TM=4 TN=8")));
}

TEST_F(PlotTest, WhatIsNoProductIsBesideACopy) {
  for (const int64_t size : {1024, 4096}) record(stage(9), 10, size).gflops = 0;
  PlotData other = filled();
  other.product = false;
  const Plot plot = size_plot(other, canvas, Quantity::Time, false, {});
  EXPECT_THAT(labels(plot), Contains("a copy of the same bytes"));
  EXPECT_THAT(labels(plot), Not(Contains("cuBLAS")));
  for (const PlotSpot& each : plot.spots)
    for (const std::string& line : each.lines) EXPECT_EQ(line.find("FLOP/s"), line.npos) << line;
}

TEST_F(PlotTest, WhatIsNoProductHasBytesPerSecondBelowThoseOfTheMemoryAndItsOwnExtents) {
  record(stage(9), 10).gflops = 0;
  PlotData other = filled();
  other.product = false;
  other.extents = "MN";
  const Plot plot = size_plot(other, canvas, Quantity::Speed, false, {});
  EXPECT_THAT(labels(plot), IsSupersetOf({"M = N", "TB/s", "memory of H200"}));
  const auto at = std::find_if(plot.spots.begin(), plot.spots.end(),
                               [](const PlotSpot& each) { return each.title == "4096²" && each.size == 4096; });
  ASSERT_NE(at, plot.spots.end());
  const double bytes = 3 * 4.0 * 4096 * 4096;
  EXPECT_EQ(amount_of(other, other.params, 4096), bytes) << "of A, B and C, once each";
  const double speed = bytes / other.figures.front().seconds.median;
  EXPECT_EQ(at->lines.front(), fmt::format("{}, {:.0f} % of what the memory of H200 delivers", with_unit(speed, "B/s"),
                                           100 * speed / 4.8e12));
  EXPECT_THAT(labels(size_plot(filled(), canvas, Quantity::Speed, false, {})), Not(Contains("memory of H200")));
}

TEST_F(PlotTest, OverTheSizeAClickChoosesTheMeasuredSize) {
  for (const int64_t size : {256, 1024, 4096}) record(stage(9), 10 + static_cast<double>(size) / 1000, size);
  const Plot plot = size_plot(filled(), canvas, Quantity::Speed, false, {});
  EXPECT_THAT(labels(plot), IsSupersetOf({"256", "4096", "M = N = K", "cuBLAS"}));
  std::vector<int64_t> sizes;
  for (const PlotSpot& each : plot.spots)
    if (each.size > 0) sizes.push_back(each.size);
  EXPECT_THAT(sizes, testing::ElementsAre(256, 1024, 4096));
  for (const Quantity quantity : {Quantity::Speed, Quantity::Time})
    for (const bool log : {false, true}) (void)labels(size_plot(filled(), canvas, quantity, log, {}));
}

TEST_F(PlotTest, WhatLiesOutsideTheZoomIsNotDrawn) {
  for (const int64_t size : {256, 1024, 4096}) record(stage(9), 10, size);
  PlotRange zoom;
  zoom.x = {{800, 1500}};
  const Plot plot = size_plot(filled(), canvas, Quantity::Speed, false, zoom);
  (void)labels(plot);
  EXPECT_EQ(std::count_if(plot.spots.begin(), plot.spots.end(), [](const PlotSpot& each) { return each.size > 0; }), 1);
}

TEST_F(PlotTest, TheLadderBeginsWithThisMachinesCpu) {
  record(stage(1), 0.5);
  const store::CpuProduct cpu{"plain loops", 1, 512, 512, 512, 0.25};
  data.cpu = {&cpu, 1};
  canvas.height = 320;
  const Plot plot = ladder_plot(filled(), canvas);
  EXPECT_THAT(labels(plot), testing::Contains("CPU, plain loops"));
  const auto row = std::find_if(plot.spots.begin(), plot.spots.end(),
                                [](const PlotSpot& each) { return each.title == "CPU, plain loops"; });
  ASSERT_NE(row, plot.spots.end());
  EXPECT_THAT(row->lines, testing::ElementsAre("1.07 GFLOP/s", "512 × 512 × 512 in 250 ms, threads: 1",
                                               "measured on this machine's CPU"));
}

// --- Predictions. ---

TEST_F(PlotTest, OverAParameterWhatWasCountedIsPredictedBesideTheRecordings) {
  record_with("BM", 64, 24.9);
  for (const int64_t bm : {64, 256}) count(stage(9), with("BM", bm), 4096, 5);
  const Plot plot = parameter_plot(filled(), canvas, "BM", Quantity::Time, {});
  EXPECT_THAT(labels(plot), IsSupersetOf({"recorded", "predicted", "H200"}));
  EXPECT_EQ(triangles(plot), 3U) << "two points and the legend's";
  const PlotSpot* other = spot(plot, "BM=256 BN=128 BK=8 TM=8 TN=8");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->lines[1], "predicted 500 µs; eight of ten launches are between 450 µs and 600 µs");
  EXPECT_EQ(other->lines[2], "longest: L1 and shared memory");
  EXPECT_EQ(other->lines[3], "for H200, by a model fitted on recordings of NVIDIA H200; not measured");
}

TEST_F(PlotTest, ASliderThatLeavesThePresetsDoesNotEmptyThePlot) {
  set("BM", 64), set("TM", 4);
  count(stage(9), data.params, 4096, 5);
  EXPECT_EQ(triangles(parameter_plot(filled(), canvas, "BM", Quantity::Speed, {})), 2U);
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), IsSupersetOf({"275 predicted", "predicted"}));
}

TEST_F(PlotTest, AWrongResultIsNotPredicted) {
  for (const int64_t bm : {64, 256}) count(stage(9), with("BM", bm), 4096, 5);
  set("BM", 64);
  data.shown_is_right = false;
  const Plot plot = parameter_plot(filled(), canvas, "BM", Quantity::Time, {});
  EXPECT_EQ(spot(plot, "BM=64 BN=128 BK=8 TM=8 TN=8"), nullptr);
  EXPECT_NE(spot(plot, "BM=256 BN=128 BK=8 TM=8 TN=8"), nullptr) << "of other values nothing is known";
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Not(Contains(HasSubstr("predicted"))));
}

TEST_F(PlotTest, APredictionForAnotherDeviceSaysWhereTheModelIsFrom) {
  data.measured_on = "Tesla T4";
  count(stage(9), data.params, 4096, 5);
  EXPECT_THAT(labels(parameter_plot(filled(), canvas, "BM", Quantity::Speed, {})),
              Contains("T4, fitted on NVIDIA H200"));
}

TEST_F(PlotTest, OverTheSizeAPredictionIsOfItsOwnCounts) {
  count(stage(9), data.params, 1024, 1), count(stage(9), data.params, 4096, 5);
  const Plot plot = size_plot(filled(), canvas, Quantity::Time, true, {});
  EXPECT_EQ(triangles(plot), 3U);
  const auto small =
      std::find_if(plot.spots.begin(), plot.spots.end(), [](const PlotSpot& each) { return each.title == "1024³"; });
  ASSERT_NE(small, plot.spots.end());
  EXPECT_THAT(small->lines[1], HasSubstr("predicted 100 µs"));
  EXPECT_EQ(small->size, 1024) << "a click measures at it";
}

TEST_F(PlotTest, CellsWithoutAFigureAreHollowWithTheirPrediction) {
  record_with("BM", 64, 24.9);
  count(stage(9), data.params, 4096, 5);
  const Plot plot = heat_plot(filled(), canvas, "BM", "BN");
  EXPECT_THAT(labels(plot), IsSupersetOf({"24.9", "275", "recorded", "predicted"}));
  size_t hollow = 0;
  for (const Rectangle& shape : shapes_of<Rectangle>(plot.picture))
    hollow += shape.stroke.ink == Ink::Magnitude && shape.stroke.strength == 1 && shape.fill.strength < 0.5f;
  EXPECT_EQ(hollow, 1U);
  size_t filled_mark = 0, framed_mark = 0;
  for (const auto& shape : shapes_of<Rectangle>(plot.picture)) {
    if (shape.box.width > 12) continue;
    filled_mark += shape.fill == Colour{Ink::Text};
    framed_mark += shape.stroke == Colour{Ink::Text} && shape.fill == kNoColour;
  }
  EXPECT_EQ(filled_mark, 1U) << "the legend's marks are the cells'";
  EXPECT_EQ(framed_mark, 1U);
}

TEST_F(PlotTest, TheTimesHaveARowForEachTermAndMarkTheLongest) {
  count(stage(9), data.params, 4096, 500);
  const Plot plot = bound_plot(filled(), canvas);
  EXPECT_THAT(labels(plot), IsSupersetOf({"50.0 ms predicted, 45.0 ms to 60.0 ms; longest: L1 and shared memory",
                                          "L1 and shared memory", "FMA issue", "issue slots", "L2", "DRAM", "latency",
                                          "last wave", "launch", "50.0 ms  100 %"}));
  EXPECT_THAT(plot.csv, HasSubstr("\"H200\",predicted,\"L1 and shared memory\",0.05,"));
}

TEST_F(PlotTest, WithLittleRoomTheTimesKeepTheLongest) {
  model.barrier = 60, model.launch = 1e-3;
  count(stage(9), data.params, 4096, 500);
  counted.back().demand->block.barriers = 8 * 100;
  canvas.height = 120;
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), IsSupersetOf({"L1 and shared memory", "latency", "FMA issue"}));
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Not(Contains("last wave"))) << "it takes nothing";
}

TEST_F(PlotTest, APlotHasPlacesForLegalValuesNearestFirst) {
  set("BM", 64);
  std::vector<int64_t> values, sizes;
  for (const PlotPoint& point : parameter_points(data, "BM")) values.push_back(value_in(point.params, "BM"));
  EXPECT_THAT(values, testing::ElementsAre(64, 32, 128, 16, 256));
  set("TM", 16), set("BM", 128);
  for (const PlotPoint& point : parameter_points(data, "TM"))
    EXPECT_NE(value_in(point.params, "TM"), 1) << "2048 threads";
  for (const PlotPoint& point : size_points(data)) sizes.push_back(point.size);
  EXPECT_THAT(sizes, testing::ElementsAre(4096, 2048, 8192, 1024, 16384, 512, 256));
  const std::vector<PlotPoint> stages = ladder_points(data);
  ASSERT_EQ(stages.size(), data.stages.size() + 1) << "what is shown, and all stages at their defaults";
  EXPECT_EQ(stages[0].params, data.params);
  EXPECT_EQ(stages[1].stage->kernel->number, 9);
  for (const PlotPoint& point : heat_points(data, "BM", "BN"))
    EXPECT_TRUE(is_legal(stage(9).description, point.params, 4096));
}

TEST_F(PlotTest, AVectorHasAsManyElementsAsAMatrix) {
  data.extents = "N";
  data.size = plotted_size(vector_kernel().description, 4096);
  EXPECT_EQ(data.size, 16777216);
  EXPECT_EQ(plotted_side(vector_kernel().description, data.size), 4096);
  std::vector<int64_t> sizes;
  data.shown.kernel = &vector_kernel();
  data.params.clear();
  for (const PlotPoint& point : size_points(data)) sizes.push_back(point.size);
  EXPECT_THAT(sizes, testing::ElementsAre(16777216, 4194304, 67108864, 1048576, 268435456, 262144, 65536));
  data.product = false;
  record(vector_kernel(), 10, 1048576).gflops = 0;
  record(vector_kernel(), 10, 16777216).gflops = 0;
  canvas.width = 900;
  EXPECT_THAT(labels(size_plot(filled(), canvas, Quantity::Speed, false, {})),
              IsSupersetOf({grouped(1048576), grouped(16777216), std::string("N")}));
}

TEST_F(PlotTest, ALaunchOfFixedExtentsHasNoSizes) {
  data.extents = "";
  data.size = 1;
  data.params.clear();
  data.product = false;
  data.shown.kernel = &vector_kernel();
  EXPECT_EQ(size_points(data).size(), 1U);
  canvas.width = 900;
  EXPECT_THAT(labels(size_plot(filled(), canvas, Quantity::Speed, false, {})),
              testing::ElementsAre("Nothing of this launch depends on a size."));
}

// --- Heat map. ---

TEST_F(PlotTest, AHeatMapWritesItsFiguresAndNamesWhatIsEmpty) {
  record_with("BM", 64, 24.9);
  record_with("BM", 128, 25);
  const Plot plot = heat_plot(filled(), canvas, "BM", "BN");
  EXPECT_THAT(labels(plot), IsSupersetOf({"BM", "BN", "24.9", "25.0", "25.0 TFLOP/s", "no recording"}));
  EXPECT_THAT(labels(plot), Not(Contains("not legal"))) << "no cell is";
  EXPECT_EQ(plot.spots.size(), 25U);
  const PlotSpot* empty = spot(plot, "BM = 128, BN = 64");
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->lines[0], "No recording at 4096³.");
  set("TM", 2), set("TN", 2);
  record_with("BM", 64, 24.9);
  EXPECT_THAT(labels(heat_plot(filled(), canvas, "BM", "BN")), IsSupersetOf({"not legal", "no recording"}));
}

TEST_F(PlotTest, AHeatMapOfOneProvenanceOnly) {
  record_with("BM", 64, 24.9);
  record_with("BM", 128, 25);
  measured(figure(stage(9), data.params, 4096, 20));
  EXPECT_THAT(labels(heat_plot(filled(), canvas, "BM", "BN")), Not(Contains("20.0")));
  measured(figure(stage(9), with("BM", 64), 4096, 19));
  EXPECT_THAT(labels(heat_plot(filled(), canvas, "BM", "BN")), IsSupersetOf({"measured", "20.0", "19.0"}));
}

TEST_F(PlotTest, AHeatMapNeedsTwoParameters) {
  EXPECT_THAT(labels(heat_plot(filled(), canvas, "BM", "BM")),
              Contains("A heat map needs a kernel with two parameters."));
}

// --- Roofline and bound. ---

TEST_F(PlotTest, TheRooflineHasStagesThatAreCountedAndTimed) {
  record(stage(9), 25);
  record(stage(8), 20);
  count(stage(9), data.params);
  const Plot plot = roofline_plot(filled(), canvas, {});
  const auto texts = labels(plot);
  EXPECT_THAT(texts, IsSupersetOf({"9", "FMA issue 66.9 TFLOP/s", "L1 and shared memory", "bound on H200",
                                   "FLOP per byte of L1 and shared memory"}));
  EXPECT_THAT(texts, Not(Contains("DRAM"))) << "the axis counts bytes of L1 and shared memory";
  EXPECT_THAT(texts, Not(Contains("8")));
}

TEST_F(PlotTest, TheRooflinesTitleTakesThePlaceOfNoNumber) {
  record(stage(9), 25);
  count(stage(9), data.params);
  canvas.width = 600;
  canvas.height = 400;
  const Plot plot = roofline_plot(filled(), canvas, {});
  const auto room = [](const std::string& words) { return 8.0f * static_cast<float>(words.size()) + 20; };
  const std::vector<Tick> numbers = ticks(*plot.x, 1, room);
  EXPECT_GT(numbers.size(), 2u);
  for (const Tick& tick : numbers) EXPECT_THAT(labels(plot), Contains(tick.text));
}

TEST_F(PlotTest, ALowRooflineNamesOnlyTheStageOnShow) {
  record(stage(8), 20);
  record(stage(9), 25);
  for (const int number : {8, 9}) count(stage(number), default_params(stage(number).description));
  EXPECT_THAT(labels(roofline_plot(filled(), canvas, {})), IsSupersetOf({"8", "9"}));
  canvas.height = 90;
  EXPECT_THAT(labels(roofline_plot(filled(), canvas, {})), Contains("9"));
  EXPECT_THAT(labels(roofline_plot(filled(), canvas, {})), Not(Contains("8")));
}

TEST_F(PlotTest, ANarrowLadderSaysWhatItLeavesOut) {
  for (int number = 1; number <= 20; ++number) record(stage(number), number);
  canvas.width = 260;
  show(stage(20));
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Contains(HasSubstr("in the large plot")));
  canvas.width = 900;
  EXPECT_THAT(labels(ladder_plot(filled(), canvas)), Not(Contains(HasSubstr("in the large plot"))));
}

/// Ten stages at one place, on the slope of a roof: each has its name, and none is on the slope.
TEST_F(PlotTest, NamesOfTheRooflineStandBesideItsSlope) {
  canvas.height = 400;
  for (int number = 1; number <= 10; ++number) {
    record(stage(number), 32);
    count(stage(number), number == 9 ? data.params : default_params(stage(number).description));
    counted.back().work.shared_wavefronts = uint64_t{1} << 30;  // 32.9 TFLOP/s on H200.
  }
  const Plot plot = roofline_plot(filled(), canvas, {});
  std::vector<std::string> names;
  for (const Polyline& roof : shapes_of<Polyline>(plot.picture)) {
    if (roof.colour.ink != Ink::Text || roof.points.size() != 2 || roof.points[0].y == roof.points[1].y) continue;
    const auto [from, to] = std::pair(roof.points[0], roof.points[1]);
    for (const Label& label : shapes_of<Label>(plot.picture)) {
      if (label.text.size() > 2 || label.colour.ink == Ink::Faint) continue;
      names.push_back(label.text);
      const Box box = extent_of(label, measure);
      for (float x = std::max(box.x, from.x); x < std::min(box.right(), to.x); ++x) {
        const float y = from.y + (x - from.x) * (to.y - from.y) / (to.x - from.x);
        EXPECT_FALSE(y > box.y && y < box.bottom()) << label.text;
      }
    }
  }
  for (int number = 1; number <= 10; ++number) EXPECT_THAT(names, Contains(std::to_string(number)));
}

/// A device of which nothing was recorded has its roofs, too, and predictions below them.
TEST_F(PlotTest, TheRooflinePredictsStagesThatNobodyTimed) {
  record(stage(8), 20);
  count(stage(8), default_params(stage(8).description));
  count(stage(9), data.params, 4096, 5);
  EXPECT_EQ(triangles(roofline_plot(filled(), canvas, {})), 2u) << "9 and the legend's";
  data.recorded_on = "NVIDIA GeForce RTX 4090";
  const Plot plot = roofline_plot(filled(), canvas, {});
  EXPECT_THAT(labels(plot), IsSupersetOf({"9", "bound on RTX 4090", "predicted"}));
  EXPECT_THAT(labels(plot), Not(Contains("8"))) << "it has no demand";
  const auto on_show =
      std::ranges::find_if(plot.spots, [](const PlotSpot& each) { return each.title.starts_with("9"); });
  ASSERT_NE(on_show, plot.spots.end());
  EXPECT_THAT(on_show->lines, Contains(HasSubstr("predicted")));
  EXPECT_THAT(on_show->lines, Contains(HasSubstr("FLOP for each byte")));
}

TEST_F(PlotTest, TheBoundSaysWhatBindsAndHowFarTheRecordingIsFromIt) {
  record(stage(9), 25);
  count(stage(9), data.params);
  const Plot plot = bound_plot(filled(), canvas);
  const auto texts = labels(plot);
  EXPECT_THAT(texts, Contains("L1 and shared memory: at least 4.11 ms on H200, 75 % of the recorded 5.50 ms"));
  EXPECT_THAT(texts, IsSupersetOf({"FMA issue", "L1 and shared memory", "L2", "DRAM"}));
  EXPECT_THAT(plot.csv, testing::StartsWith("device,source,resource,seconds,formula\n\"H200\",bound,\"FMA issue\","));
}

TEST_F(PlotTest, TensorCoresHaveARowAndARoofWhereTheyAreUsed) {
  record(stage(9), 25);
  count(stage(9), data.params);
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Not(Contains("tensor cores")));
  counted.back().work.fmas = 0;
  counted.back().work.tensor_fmas[static_cast<size_t>(arch::TensorType::Tf32)] = uint64_t{1} << 36;
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Contains("tensor cores"));
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Not(Contains("FMA issue")));
  EXPECT_THAT(bound_plot(filled(), canvas).csv,
              HasSubstr("68719476736 FMAs of TF32 / (132 SMs * 1024 per clock * 1.98 GHz)"));
  EXPECT_THAT(labels(roofline_plot(filled(), canvas, {})), Contains("TF32 tensor cores 535 TFLOP/s"));
}

TEST_F(PlotTest, WhatIsNotPredictedSaysWhyInEveryPlot) {
  record_with("BM", 64, 24.9);
  count(stage(9), data.params, 4096, 5);
  counted.back().demand->gap = predict::Gap::TensorCores;
  const auto why = Contains(HasSubstr("the model does not cover tensor cores"));
  canvas.width = 1200;
  for (const Plot& plot : {parameter_plot(filled(), canvas, "BM", Quantity::Speed, {}),
                           heat_plot(filled(), canvas, "BM", "BN"), bound_plot(filled(), canvas)}) {
    EXPECT_THAT(labels(plot), why);
    EXPECT_THAT(plot.csv, Not(HasSubstr("predicted")));
  }
}

TEST_F(PlotTest, TheTimesSayWhyAPredictionIsDoubtful) {
  count(stage(9), data.params, 4096, 500);
  counted.back().demand->atomics = true;
  canvas.width = 1200, canvas.height = 500;
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Contains("doubtful: atomics are not in the model"));
}

TEST_F(PlotTest, ABlockThatDoesNotStandForItsGridHasNoBound) {
  record(stage(8), 20);
  count(stage(8), default_params(stage(8).description));
  record(stage(9), 25);
  count(stage(9), data.params);
  counted.back().stands_for_grid = false;
  canvas.width = 1200;
  EXPECT_THAT(labels(bound_plot(filled(), canvas)), Contains(HasSubstr("no bound follows from its counts")));
  const std::vector<std::string> words = labels(roofline_plot(filled(), canvas, {}));
  EXPECT_THAT(words, Contains("without a place: its blocks have unequal shares"));
  EXPECT_EQ(std::ranges::count(words, "9"), 1) << "in the legend alone";
}

TEST_F(PlotTest, TheRooflineSaysThatIllegalParametersHaveNoPlace) {
  record(stage(8), 20);
  count(stage(8), default_params(stage(8).description));
  const auto said = [&] { return labels(roofline_plot(filled(), canvas, {})); };
  EXPECT_THAT(said(), Not(Contains("without a place: its parameters are not legal")));
  for (auto& [name, value] : data.params) value = name == "BM" || name == "BN" ? 256 : 1;
  EXPECT_THAT(said(), IsSupersetOf({"9", "without a place: its parameters are not legal"}));
}

TEST_F(PlotTest, CountersAreComparedOnlyWithThoseOfTheWholeGrid) {
  record(stage(9), 25);
  figures.back().counters = {{"smsp__inst_executed.sum", 100.0}};
  count(stage(9), data.params);
  canvas.width = 1200;
  EXPECT_THAT(labels(counters_plot(filled(), canvas)), Contains(HasSubstr("counts are the hardware's")));
  counted.back().counters_are_whole = false;
  const auto shown = labels(counters_plot(filled(), canvas));
  EXPECT_THAT(shown, Not(Contains(HasSubstr("counts are the hardware's"))));
  EXPECT_THAT(shown, Contains(HasSubstr("Not compared: one block was counted")));
}

TEST_F(PlotTest, ACounterBelowOneIsAPlainNumber) {
  record(stage(9), 25);
  figures.back().counters = {{"sm__warps_active.avg.pct_of_peak_sustained_active", 0.193}};
  canvas.width = 1200;
  EXPECT_THAT(labels(counters_plot(filled(), canvas)), Contains("0.193"));
}

TEST_F(PlotTest, ASentenceBreaksAtBlanksAndWhereThereAreNoneBetweenItsSigns) {
  const Canvas low{100, 190, &measure};
  const auto lines = [&](const std::string& text) { return labels(draw({.content = {}, .nothing = text}, low)); };
  EXPECT_THAT(lines("A heat map needs two."), testing::ElementsAre("A heat map", "needs two."));
  EXPECT_THAT(lines("没有在任何大小下测量或记录过。"), testing::ElementsAre("没有在任何大小下测量或", "记录过。"));
  EXPECT_THAT(lines("没有在任何大小下测量过，没有记录。"),
              testing::ElementsAre("没有在任何大小下测量", "过，没有记录。"))
      << "no line begins with a comma";
}

TEST_F(PlotTest, WithoutCountsTheBoundIsASentence) {
  EXPECT_THAT(labels(bound_plot(filled(), canvas)),
              Contains("The times appear when the kernel has been counted at this size."));
}

/// 455 x 105: the panel of plots at 1280 x 720.
TEST_F(PlotTest, NoWordsLieOnOthers) {
  record(stage(9), 25);
  record_with("BM", 64, 24);
  count(stage(9), data.params, 4096, 5);
  for (const Point& size : {Point{455, 105}, Point{590, 150}, Point{1120, 520}}) {
    canvas.width = size.x, canvas.height = size.y;
    for (const Plot& plot : {ladder_plot(filled(), canvas), heat_plot(filled(), canvas, "BM", "BN"),
                             roofline_plot(filled(), canvas, {}), bound_plot(filled(), canvas)}) {
      const std::vector<Label> all = shapes_of<Label>(plot.picture);
      for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          const Box a = extent_of(all[i], kMeasure), b = extent_of(all[j], kMeasure);
          const float across = std::min(a.right(), b.right()) - std::max(a.x, b.x),
                      down = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
          EXPECT_FALSE(across > 1 && down > 1) << size.x << ": \"" << all[i].text << "\" and \"" << all[j].text << "\"";
        }
    }
  }
}

TEST_F(PlotTest, EveryPlotStaysInItsPictureAtEverySize) {
  record(stage(9), 25);
  record_with("BM", 64, 24);
  count(stage(9), data.params, 4096, 5);
  for (const float width : {300.0f, 560.0f, 1200.0f})
    for (const float height : {140.0f, 190.0f, 700.0f}) {
      canvas.width = width, canvas.height = height;
      for (const Plot& plot :
           {ladder_plot(filled(), canvas), parameter_plot(filled(), canvas, "BM", Quantity::Time, {}),
            size_plot(filled(), canvas, Quantity::Speed, true, {}), heat_plot(filled(), canvas, "BM", "BN"),
            roofline_plot(filled(), canvas, {}), bound_plot(filled(), canvas)}) {
        (void)labels(plot);
        for (const PlotSpot& each : plot.spots) EXPECT_GT(each.box.width * each.box.height, 0);
      }
    }
}

}  // namespace
}  // namespace tilescope::view
