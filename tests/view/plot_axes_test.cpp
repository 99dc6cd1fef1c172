#include "view/plots/plot_axes.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::view {
namespace {
using testing::ElementsAre;

float room(const std::string& text) { return 7 * static_cast<float>(text.size()) + 14; }

std::vector<std::string> texts(const Axis& axis, double unit = 1) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks(axis, unit, room)) result.push_back(tick.text);
  return result;
}

TEST(PlotAxes, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_THAT(texts({AxisScale::Linear, 0, 51.2e12, 0, 240}, 1e12), ElementsAre("0", "10", "20", "30", "40", "50"));
  EXPECT_THAT(texts({AxisScale::Linear, 0, 51.2e12, 0, 100}, 1e12), ElementsAre("0", "20", "40"));
  EXPECT_THAT(texts({AxisScale::Linear, 0, 0.9, 0, 200}), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(texts({AxisScale::Linear, -1, 1, 0, 150}), ElementsAre("-1", "0", "1"));
}

TEST(PlotAxes, PowersOfTwoOnALog2Scale) {
  EXPECT_THAT(texts({AxisScale::Log2, 200, 20000, 0, 500}),
              ElementsAre("256", "512", "1024", "2048", "4096", "8192", "16 384"));
  EXPECT_THAT(texts({AxisScale::Log2, 200, 20000, 0, 200}), ElementsAre("256", "1024", "4096", "16 384"));
}

TEST(PlotAxes, OneTwoFiveOrWholeDecadesOnALog10Scale) {
  EXPECT_THAT(texts({AxisScale::Log10, 0.9, 60, 0, 300}), ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(texts({AxisScale::Log10, 0.09, 200, 0, 200}), ElementsAre("0.1", "1", "10", "100"));
  EXPECT_THAT(texts({AxisScale::Log10, 20, 31, 0, 300}), ElementsAre("20", "22", "24", "26", "28", "30"));
}

TEST(PlotAxes, LabelsNeverMeet) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-9, 9), span(0.001, 12);
  for (int i = 0; i < 3000; ++i) {
    Axis axis{static_cast<AxisScale>(i % 3), 0, 0, 0, static_cast<float>(20 + i % 700)};
    const double from = place(random);
    axis.low = axis.scale == AxisScale::Linear ? from : std::pow(10, from);
    axis.high = axis.scale == AxisScale::Linear ? from + span(random) : std::pow(10, from + span(random));
    const std::vector<Tick> all = ticks(axis, 1, room);
    for (size_t k = 0; k < all.size(); ++k) {
      EXPECT_GE(all[k].value, axis.low - 1e-6 * (axis.high - axis.low));
      EXPECT_LE(all[k].value, axis.high + 1e-6 * (axis.high - axis.low));
      if (k == 0) continue;
      EXPECT_GE(axis.at(all[k].value) - axis.at(all[k - 1].value),
                (room(all[k].text) + room(all[k - 1].text)) / 2 - 0.01f);
      EXPECT_NE(all[k].text, all[k - 1].text);
    }
  }
}

TEST(PlotAxes, TicksAtGivenValuesAreLeftOutWhereTheyWouldMeet) {
  const Axis axis{AxisScale::Linear, 0, 64, 0, 200};
  std::vector<std::string> result;
  for (const Tick& tick : ticks_at(axis, {4, 8, 16, 32, 64, 128}, room)) result.push_back(tick.text);
  EXPECT_THAT(result, ElementsAre("4", "16", "32", "64"));
}

TEST(PlotAxes, UnitsHaveThePrefixThatLeavesOneToThreeDigits) {
  EXPECT_EQ(unit_for(51.2e12, "FLOP/s").name, "TFLOP/s");
  EXPECT_EQ(unit_for(999.4e9, "FLOP/s").name, "GFLOP/s");
  EXPECT_EQ(unit_for(999.9e9, "FLOP/s").name, "TFLOP/s");
  EXPECT_EQ(unit_for(0, "s").name, "s");
  EXPECT_EQ(with_unit(5.501e-3, "s"), "5.50 ms");
  EXPECT_EQ(with_unit(22.7e-6, "s"), "22.7 µs");
  EXPECT_EQ(with_unit(25.04e12, "FLOP/s"), "25.0 TFLOP/s");
  EXPECT_EQ(with_unit(498e9, "FLOP/s"), "498 GFLOP/s");
  EXPECT_EQ(significant(0.4983), "0.498");
  EXPECT_EQ(significant(99.97), "100");
}

TEST(PlotAxes, ARangeHoldsItsValuesAndBeginsAtNothing) {
  EXPECT_EQ(around(AxisScale::Linear, {3, 10}).low, 0);
  EXPECT_NEAR(around(AxisScale::Linear, {3, 10}).high, 10.6, 1e-9);
  const Axis log = around(AxisScale::Log10, {0, -4, 1, 100});
  EXPECT_LT(log.low, 1);
  EXPECT_GT(log.low, 0.5);
  EXPECT_GT(log.high, 100);
  EXPECT_TRUE(around(AxisScale::Log2, {}).low < around(AxisScale::Log2, {}).high);
  EXPECT_TRUE(around(AxisScale::Log2, {64}).low < around(AxisScale::Log2, {64}).high);
}

TEST(PlotAxes, ZoomKeepsWhatIsUnderTheMouse) {
  for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log2, AxisScale::Log10}) {
    const Axis axis{scale, 2, 50, 10, 410}, closer = zoomed(axis, 0.5, 150);
    EXPECT_NEAR(closer.value_at(150), axis.value_at(150), 1e-4 * axis.value_at(150));
    EXPECT_GT(closer.low, axis.low);
    EXPECT_LT(closer.high, axis.high);
    const Axis moved = panned(axis, 30);
    EXPECT_NEAR(moved.value_at(180), axis.value_at(150), 1e-4 * axis.value_at(150));
  }
}

TEST(PlotAxes, ZoomingForEverStopsAtWhatCanBeShown) {
  Axis in{AxisScale::Log10, 1, 100, 0, 100}, out = in;
  for (int i = 0; i < 5000; ++i) in = zoomed(in, 0.8, 37), out = zoomed(out, 1.25, 37);
  for (const Axis& axis : {in, out}) {
    EXPECT_LT(axis.low, axis.high);
    EXPECT_TRUE(std::isfinite(axis.at(axis.low)) && std::isfinite(axis.high));
    (void)ticks(axis, 1, room);
  }
}

}  // namespace
}  // namespace tilescope::view
