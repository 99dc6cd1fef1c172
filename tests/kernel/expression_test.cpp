#include "kernel/expression.h"

#include <gtest/gtest.h>

namespace tilescope::kernel {
namespace {

Variables scope() {
  Variables names;
  names.set("M", 1000);
  names.set("BM", 64);
  names.set("TM", 3);
  names.set("ZERO", 0);
  return names;
}

int64_t value(const char* text) {
  Variables names = scope();
  const Result<int64_t> result = names.evaluate({text, {}});
  EXPECT_TRUE(result) << to_string(result.errors());
  return result ? *result : -1;
}

std::string problem(const std::string& text) {
  Variables names = scope();
  const Result<int64_t> result = names.evaluate({text, {}});
  return result ? "none" : result.errors().front().message.text();
}

TEST(Expression, ComputesAsCDoes) {
  EXPECT_EQ(value("2+3*4-1"), 13);
  EXPECT_EQ(value("100/7/2"), 7);
  EXPECT_EQ(value("-7/2"), -3);
  EXPECT_EQ(value("-7 % 3"), -1);
  EXPECT_EQ(value("BM % TM == 1 && BM > TM"), 1);
  EXPECT_EQ(value("1 < 2 == 1"), 1);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("!(BM % 4)"), 1);
  EXPECT_EQ(value("BM > 4 ? TM : 1/ZERO"), 3);
  EXPECT_EQ(value("ZERO != 0 && BM % ZERO == 0"), 0);
  EXPECT_EQ(value("ZERO == 0 || BM % ZERO == 0"), 1);
  EXPECT_EQ(value("BM && TM"), 1);
}

TEST(Expression, KnowsMinMaxAndCeilDiv) {
  EXPECT_EQ(value("min(BM, TM, 9)"), 3);
  EXPECT_EQ(value("max(BM, TM, 9)"), 64);
  EXPECT_EQ(value("ceil_div(M, BM)"), 16);
  EXPECT_EQ(value("ceil_div(BM, BM)"), 1);
  EXPECT_EQ(value("ceil_div(-7, 2)"), -3);
}

TEST(Expression, IsExactUpToTheLimit) {
  EXPECT_EQ(value("9007199254740991"), 9007199254740991);
  EXPECT_EQ(value("9007199254740991 / 2"), 4503599627370495);
  EXPECT_EQ(value("9007199254740991 / 9007199254740990"), 1);
  EXPECT_EQ(value("94906265 * 94906265"), 94906265LL * 94906265LL);
  EXPECT_EQ(problem("9007199254740991 + 1"),
            "\"9007199254740991 + 1\": A value leaves the range of exact integers, 2^53.");
  EXPECT_EQ(problem("-9007199254740991 - 1"),
            "\"-9007199254740991 - 1\": A value leaves the range of exact integers, 2^53.");
  EXPECT_EQ(problem("M*M*M*M*M*M"), "\"M*M*M*M*M*M\": A value leaves the range of exact integers, 2^53.");
  EXPECT_EQ(problem("9007199254740991 * 9007199254740991"),
            "\"9007199254740991 * 9007199254740991\": A value leaves the range of exact integers, 2^53.");
  EXPECT_EQ(problem("99999999999999999999999"),
            "\"99999999999999999999999\": A value leaves the range of exact integers, 2^53.");
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(problem("BM / ZERO"), "\"BM / ZERO\": This divides by zero.");
  EXPECT_EQ(problem("BM % ZERO"), "\"BM % ZERO\": This divides by zero.");
  EXPECT_EQ(problem("ceil_div(BM, ZERO)"), "\"ceil_div(BM, ZERO)\": This divides by zero.");
  EXPECT_EQ(problem("BN + 1"), "\"BN + 1\": BN is not a parameter, a derived value, M, N or K; did you mean BM?");
  EXPECT_EQ(problem("WIDTH"), "\"WIDTH\": WIDTH is not a parameter, a derived value, M, N or K.");
  EXPECT_EQ(problem("BM +"), "\"BM +\": The expression ends too early.");
  EXPECT_EQ(problem("(BM"), "\"(BM\": \")\" is missing here.");
  EXPECT_EQ(problem(""), "This is empty: write a number, or an expression such as ceil_div(N, 256).");
  EXPECT_EQ(problem("1.5"), "\"1.5\": \".5\" is not expected here.");
  EXPECT_EQ(problem("BM = 3"), "\"BM = 3\": \"= 3\" is not expected here.");
  EXPECT_EQ(problem("BM, TM"), "\"BM, TM\": \", TM\" is not expected here.");
  EXPECT_EQ(problem(std::string(2000, '1')).substr(1996), "11111\": This expression is longer than 300 characters.");
  EXPECT_EQ(problem("ceil_div(BM)"), "\"ceil_div(BM)\": ceil_div takes 2 to 2 numbers.");
  for (const char* of_lessons : {"BM ^ 2", "'BM'", "BM.x", "BM(1)"}) EXPECT_NE(problem(of_lessons), "none") << of_lessons;
}

TEST(Expression, SeesNewValuesAndNewNames) {
  Variables names = scope();
  EXPECT_EQ(*names.evaluate({"BM * 2", {}}), 128);
  names.set("BM", 32);
  EXPECT_EQ(*names.evaluate({"BM * 2", {}}), 64);
  EXPECT_FALSE(names.evaluate({"LATER", {}}));
  names.set("LATER", 7);
  EXPECT_EQ(*names.evaluate({"LATER", {}}), 7);
}

TEST(Expression, CheckDoesNotCompute) {
  Variables names = scope();
  EXPECT_TRUE(names.check({"1 / ZERO", {}}));
  EXPECT_FALSE(names.check({"1 / NOTHING", {}}));
}

TEST(Message, TakesValuesInBraces) {
  Variables names = scope();
  EXPECT_EQ(fill_in("BM = {BM}, twice {2*BM}, {1/ZERO}", names).text(), "BM = 64, twice 128, ?");
  EXPECT_EQ(fill_in("nothing to fill in", names).text(), "nothing to fill in");
  EXPECT_EQ(split_message("a {b").errors().front().message.text(), "\"a {b\": a brace has no partner.");
  EXPECT_EQ(split_message("a} b").errors().front().message.text(), "\"a} b\": a brace has no partner.");
}

TEST(Name, IsACIdentifierAndNoFunction) {
  EXPECT_TRUE(is_name("TILE_ROWS"));
  EXPECT_TRUE(is_name("_x9"));
  for (const char* bad : {"", "9x", "a-b", "a b", "min", "ceil_div", "é"}) EXPECT_FALSE(is_name(bad)) << bad;
}

}  // namespace
}  // namespace tilescope::kernel
