#include "statistics/statistics.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::statistics {
namespace {

TEST(Quartiles, InterpolateBetweenNeighbours) {
  const std::vector<double> sample{4, 1, 3, 2};
  EXPECT_EQ(quartiles(sample), (Quartiles{1.75, 2.5, 3.25}));
  EXPECT_EQ(quartiles(std::vector<double>{7}), (Quartiles{7, 7, 7}));
  EXPECT_EQ(quartiles({}), Quartiles{});
}

TEST(MedianInterval, TakesTheRanksOfTheBinomialTable) {
  std::vector<double> sample;
  for (int i = 1; i <= 20; ++i) sample.push_back(i);
  // n = 20: ranks 4 and 17 hold the median with 99.7 %, 5 and 16 only with 98.8 %.
  EXPECT_EQ(median_interval(sample), (Interval{4, 10.5, 17}));
  sample.resize(8);
  EXPECT_EQ(median_interval(sample), (Interval{1, 4.5, 8}));
}

TEST(MedianInterval, SpansTheWholeSampleWhenItIsSmall) {
  EXPECT_EQ(median_interval(std::vector<double>{3, 1, 2}), (Interval{1, 2, 3}));
  EXPECT_EQ(median_interval({}), Interval{});
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed(0, 0.5);
  int missed = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> sample(25);
    for (double& value : sample) value = skewed(random);
    const Interval interval = median_interval(sample);
    if (interval.low > 1 || interval.high < 1) ++missed;
  }
  EXPECT_LE(missed, 2000 * 0.01 + 15);
}

TEST(MedianInterval, OfManyValuesIsNarrow) {
  std::vector<double> sample(5000);
  for (size_t i = 0; i < sample.size(); ++i) sample[i] = static_cast<double>(i);
  const Interval interval = median_interval(sample);
  EXPECT_NEAR(interval.high - interval.low, 2.576 * std::sqrt(5000), 10);
}

TEST(Noise, IsStandardDeviationOverMean) {
  EXPECT_DOUBLE_EQ(noise(std::vector<double>{9, 11}), std::sqrt(2) / 10);
  EXPECT_EQ(noise(std::vector<double>{5}), 0);
}

TEST(Compare, OverlappingIntervalsAreAmbiguous) {
  EXPECT_EQ(compare({1.0, 1.1, 1.2}, {1.1, 1.2, 1.3}), Comparison::Ambiguous);
  EXPECT_EQ(compare({1.2, 1.3, 1.4}, {1.0, 1.1, 1.15}), Comparison::Faster);
  EXPECT_EQ(compare({1.0, 1.1, 1.15}, {1.2, 1.3, 1.4}), Comparison::Slower);
}

TEST(Compare, AllowsForWhatChangesFromRunToRun) {
  EXPECT_EQ(compare({1.004, 1.004, 1.004}, {1, 1, 1}), Comparison::Ambiguous);
  EXPECT_EQ(compare({1.011, 1.011, 1.011}, {1, 1, 1}), Comparison::Faster);
}

/// A GPU's timings: a clock that drifts under both kernels alike, a little noise, a hiccup now and then, and an offset
/// of a few per mille that is another in each run.
class SyntheticGpu {
 public:
  Interval relative_speed(double slowdown) {
    std::normal_distribution<double> noise(1, 0.004), offset(1, 0.001);
    std::bernoulli_distribution hiccup(0.03);
    std::vector<double> ours, reference;
    const double run = offset(random_);
    double clock = 1;
    for (int i = 0; i < 20; ++i) {
      clock *= std::normal_distribution<double>(1, 0.002)(random_);
      ours.push_back(slowdown * run * clock * noise(random_) * (hiccup(random_) ? 1.3 : 1));
      reference.push_back(clock * noise(random_) * (hiccup(random_) ? 1.3 : 1));
    }
    return median_interval(pairwise_ratios(reference, ours));
  }

 private:
  std::mt19937 random_{42};
};

TEST(Compare, OfTheSameConfigurationIsHardlyEverFaster) {
  SyntheticGpu gpu;
  int called = 0;
  for (int i = 0; i < 200; ++i)
    if (compare(gpu.relative_speed(1), gpu.relative_speed(1)) == Comparison::Faster) ++called;
  EXPECT_LE(called, 2);
}

TEST(Compare, FindsASlowdownOfFivePercent) {
  SyntheticGpu gpu;
  int found = 0;
  for (int i = 0; i < 200; ++i)
    if (compare(gpu.relative_speed(1.05), gpu.relative_speed(1)) == Comparison::Slower) ++found;
  EXPECT_GE(found, 190);
}

TEST(Sampling, StopsWhenQuietEnoughAndLongEnough) {
  Sampling sampling({10, 0.5, 0.005, 15, 1000});
  EXPECT_FALSE(sampling.is_done(100));
  for (int i = 0; i < 24; ++i) sampling.add(0.01, 0.01);
  EXPECT_FALSE(sampling.is_done(1)) << "0.48 s of GPU time";
  sampling.add(0.01, 0.01);
  EXPECT_TRUE(sampling.is_done(1));
  EXPECT_TRUE(sampling.is_quiet());
}

TEST(Sampling, GoesOnWhileTheNoiseStillChanges) {
  Sampling sampling({10, 0, 0.005, 15, 1000});
  int taken = 0;
  for (double time = 1; taken < 100 && !sampling.is_done(0); ++taken, time *= 1.05) sampling.add(time, 1);
  EXPECT_GE(taken, 32);
}

TEST(Sampling, EndsWhenTheNoiseHasSettledAboveTheLimit) {
  Sampling sampling({10, 0, 0.005, 15, 1000});
  std::mt19937 random(1);
  std::normal_distribution<double> noisy(1, 0.05);
  while (!sampling.is_done(0) && sampling.size() < 1000) sampling.add(noisy(random), 1);
  EXPECT_LT(sampling.size(), 500U);
  EXPECT_FALSE(sampling.is_quiet());
}

TEST(Sampling, EndsAtTheTimeoutAndAtTheMostSamples) {
  Sampling sampling({10, 100, 0.005, 15, 3});
  sampling.add(1, 1);
  EXPECT_FALSE(sampling.is_done(14));
  EXPECT_TRUE(sampling.is_done(15));
  sampling.add(1, 1);
  sampling.add(1, 1);
  EXPECT_TRUE(sampling.is_done(0));
}

}  // namespace
}  // namespace tilescope::statistics
