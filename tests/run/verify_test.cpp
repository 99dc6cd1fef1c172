#include "run/verify.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "no_more_threads.h"

namespace tilescope::run {
namespace {

struct Case {
  int64_t m, n, k;
  std::vector<float> a, b, c0, c;
  float alpha = 1, beta = 0;

  Case(int64_t rows, int64_t columns, int64_t depth) : m(rows), n(columns), k(depth) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto fill = [&](std::vector<float>& matrix, int64_t count) {
      matrix.resize(static_cast<size_t>(count));
      for (float& value : matrix) value = uniform(random);
    };
    fill(a, m * k);
    fill(b, k * n);
    fill(c0, m * n);
    multiply();
  }

  void multiply() {
    c.assign(static_cast<size_t>(m * n), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += a[size_t(i * k + l)] * b[size_t(l * n + j)];
        c[size_t(i * n + j)] = alpha * sum + (beta == 0 ? 0 : beta * c0[size_t(i * n + j)]);
      }
  }

  Verification verify(const std::vector<uint8_t>& written = {}, unsigned threads = 2) const {
    return run::verify({m, n, k, alpha, beta, a.data(), b.data(), c0.data()}, c.data(), written, threads);
  }
};

TEST(Verify, SinglePrecisionSumsStayInsideTheBound) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {7, 65, 33}, {64, 128, 100}, {9, 63, 1000}}) {
    const Verification result = Case(m, n, k).verify();
    EXPECT_EQ(result.elements, uint64_t(m * n));
    EXPECT_EQ(result.wrong, 0U);
    EXPECT_LE(result.worst_ratio, 1);
    EXPECT_LE(result.max_error, result.bound);
    EXPECT_FALSE(result.first_wrong);
  }
}

TEST(Verify, TheBoundIsThatOfTheFormula) {
  Case tiny(1, 1, 2);
  tiny.a = {0.5F, -0.25F};
  tiny.b = {1, 1};
  tiny.alpha = 2;
  tiny.beta = 4;
  tiny.c0 = {-1};
  tiny.c = {-3.5F};
  const Verification result = tiny.verify();
  EXPECT_EQ(result.max_error, 0);
  const double nu = 6 * 0x1p-24;
  EXPECT_DOUBLE_EQ(result.bound, nu / (1 - nu) * (2 * 0.75 + 4));
}

TEST(Verify, AlphaAndBetaCount) {
  Case scaled(20, 30, 40);
  scaled.alpha = 1.5F;
  scaled.beta = -0.5F;
  scaled.multiply();
  EXPECT_EQ(scaled.verify().wrong, 0U);
  scaled.beta = -0.51F;
  EXPECT_GT(scaled.verify().wrong, 500U);
}

TEST(Verify, NamesTheFirstWrongElement) {
  Case wrong(30, 200, 16);
  const float right = wrong.c[5 * 200 + 130];
  wrong.c[5 * 200 + 130] += 0.001F;
  wrong.c[5 * 200 + 131] += 0.001F;
  wrong.c[20 * 200 + 3] += 0.001F;
  const Verification result = wrong.verify();
  EXPECT_EQ(result.wrong, 3U);
  ASSERT_TRUE(result.first_wrong);
  EXPECT_EQ(name_of(*result.first_wrong), "C[5][130]");
  EXPECT_NEAR(result.first_wrong->expected, right, 1e-5);
  EXPECT_FLOAT_EQ(static_cast<float>(result.first_wrong->got), right + 0.001F);
  EXPECT_GT(result.worst_ratio, 1);
  const std::vector<bool>& flags = result.wrong_elements.at("C");
  for (size_t i = 0; i < flags.size(); ++i)
    EXPECT_EQ(flags[i], i == 5 * 200 + 130 || i == 5 * 200 + 131 || i == 20 * 200 + 3) << i;
  EXPECT_EQ(flags.size(), 20U * 200 + 3 + 1);
}

TEST(Verify, AnUnwrittenElementIsWrongUnlessItWasNotAskedFor) {
  Case poisoned(16, 16, 8);
  poisoned.c[37] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(poisoned.verify().wrong, 1U);
  EXPECT_TRUE(std::isinf(poisoned.verify().max_error));
  std::vector<uint8_t> written(16 * 16, 1);
  written[37] = 0;
  const Verification result = poisoned.verify(written);
  EXPECT_EQ(result.wrong, 0U);
  EXPECT_EQ(result.elements, 255U);
}

TEST(Verify, GoesOnWhereTheSystemGivesNoThread) {
  EXPECT_EXIT(
      {
        no_more_threads();
        const Verification result = Case(64, 65, 9).verify({}, 8);
        std::exit(result.elements == 64 * 65 && result.wrong == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Verify, TheNumberOfThreadsChangesNothing) {
  Case wrong(100, 100, 50);
  wrong.c[4321] = 9;
  wrong.c[77] = 9;
  const Verification one = wrong.verify({}, 1), four = wrong.verify({}, 4);
  EXPECT_EQ(one.max_error, four.max_error);
  EXPECT_EQ(one.bound, four.bound);
  EXPECT_EQ(one.worst_ratio, four.worst_ratio);
  EXPECT_EQ(one.first_wrong->index, four.first_wrong->index);
}

}  // namespace
}  // namespace tilescope::run
