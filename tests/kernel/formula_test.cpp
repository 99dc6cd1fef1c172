#include "kernel/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::kernel {
namespace {
using testing::HasSubstr;

FormulaScope formula_scope() {
  return {{{"in", 2, false, true, false}, {"out", 2, false, false, true}, {"counts", 1, true, true, true}},
          {{"N", true}, {"alpha", false}}};
}

std::string formula_problem(const std::string& text) {
  const Result<Formula> formula = parse_formula(text, formula_scope());
  return formula ? "" : formula.errors().front().message.text();
}

TEST(Formula, IndicesOfTheLeftSideRunOverItsExtents) {
  const Result<Formula> formula = parse_formula("out[y][x] = in[x][y]", formula_scope());
  ASSERT_TRUE(formula) << to_string(formula.errors());
  EXPECT_EQ(formula->array, "out");
  EXPECT_EQ(formula->variables, (std::vector<int>{0, 1}));
  const Result<Formula> fixed =
      parse_formula("counts[N - 1] = sum(k, 0, N, k % 2 == 0 ? counts[k] : 0)", formula_scope());
  ASSERT_TRUE(fixed) << to_string(fixed.errors());
  EXPECT_EQ(fixed->variables, (std::vector<int>{-1}));
  EXPECT_TRUE(fixed->nodes[fixed->root].is_whole);
}

TEST(Formula, RefusedInASentence) {
  EXPECT_THAT(formula_problem(""), HasSubstr("it begins with an element of an array"));
  EXPECT_THAT(formula_problem("in[y][x] = 1"), HasSubstr("in is an input"));
  EXPECT_THAT(formula_problem("out[y] = 1"), HasSubstr("out has 2 extents, and 1 indices are given"));
  EXPECT_THAT(formula_problem("out[y][y] = 1"), HasSubstr("y is used for two extents"));
  EXPECT_THAT(formula_problem("out[y][x] = ou[y][x]"), HasSubstr("ou is nothing known; did you mean out?"));
  EXPECT_THAT(formula_problem("out[y][x] = out[y][x]"), HasSubstr("out holds nothing before the kernel runs"));
  EXPECT_THAT(formula_problem("out[y][x] = in[y][alpha]"), HasSubstr("an index is a whole number"));
  EXPECT_THAT(formula_problem("out[y][x] = (in[y][x]"), HasSubstr("it ends where ) should stand"));
  EXPECT_THAT(formula_problem("out[y][x] = in[y][x] in"), HasSubstr("what is in?"));
  EXPECT_THAT(formula_problem("out[y][x] = sum(y, N, in[y][x])"), HasSubstr("a name of its own"));
  EXPECT_THAT(formula_problem("out[y][x] = pow(2)"), HasSubstr("pow takes 2 arguments, and 1 are given"));
  EXPECT_THAT(formula_problem("out[y][x] = sum(k, k, in[y][k])"), HasSubstr("k is"));
  EXPECT_THAT(formula_problem("out[y][x] = " + std::string(200, '(')), HasSubstr("too deep"));
}

}  // namespace
}  // namespace tilescope::kernel
