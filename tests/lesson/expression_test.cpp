#include "lesson/expression.h"

#include <gtest/gtest.h>

namespace tilescope::lesson {
namespace {

/// K is 64; "run" has a member "words" and can be called with one text.
Result<Value> find(const std::string& name) {
  if (name == "K") return Value(64.0);
  if (name == "limiter") return Value(std::string("registers"));
  if (name == "run")
    return Value(std::make_shared<const Object>(
        Object{"a run", {{"words", 12.0}}, [](const std::vector<Value>& given) -> Result<Value> {
                 if (given.size() == 1 && given[0].text()) return Value(static_cast<double>(given[0].text()->size()));
                 return error("Write run(\"A\").");
               }}));
  return error("There is no " + name + ".");
}

std::string evaluated(const std::string& text) {
  const Result<Expression> expression = Expression::parse(text);
  if (!expression)
    return std::to_string(expression.errors()[0].at.column) + ": " + expression.errors()[0].message.text();
  const Result<Value> value = expression->evaluate(find);
  if (!value) return std::to_string(value.errors()[0].at.column) + ": " + value.errors()[0].message.text();
  if (value->text()) return *value->text();
  return value->number() ? std::to_string(*value->number()).substr(0, 6) : "object";
}

TEST(Expression, ComputesAsItIsWritten) {
  EXPECT_EQ(evaluated("1 + 2 * 3"), "7.0000");
  EXPECT_EQ(evaluated("(1 + 2) * 3"), "9.0000");
  EXPECT_EQ(evaluated("7 / 2"), "3.5000");
  EXPECT_EQ(evaluated("-2^2"), "-4.000");
  EXPECT_EQ(evaluated("2^-1"), "0.5000");
  EXPECT_EQ(evaluated("2 <= 2 && !(2 < 2) && 2 >= 2 && !(2 > 2)"), "1.0000");
  EXPECT_EQ(evaluated("2 * 10^3 % 7"), "5.0000");
  EXPECT_EQ(evaluated("K >= 64 && !(K == 65)"), "1.0000");
  EXPECT_EQ(evaluated("K > 64 ? 1 : ceil_div(K, 10)"), "7.0000");
  EXPECT_EQ(evaluated("max(1, K, 3) - min(2, 1)"), "63.000");
  EXPECT_EQ(evaluated("limiter == 'registers'"), "1.0000");
  EXPECT_EQ(evaluated("run.words + run(\"As\")"), "14.000");
}

TEST(Expression, WhatDoesNotCountIsNotComputed) {
  EXPECT_EQ(evaluated("0 && missing"), "0.0000");
  EXPECT_EQ(evaluated("1 || missing"), "1.0000");
  EXPECT_EQ(evaluated("1 ? 2 : missing"), "2.0000");
}

TEST(Expression, SaysWhereItIsWrong) {
  EXPECT_EQ(evaluated("1 +"), "4: The expression ends too early.");
  EXPECT_EQ(evaluated("(1"), "3: \")\" is missing here.");
  EXPECT_EQ(evaluated("1 $"), "3: \"$\" is not expected here.");
  EXPECT_EQ(evaluated("'abc"), "1: This text has no closing quote.");
  EXPECT_EQ(evaluated("2 * missing"), "5: There is no missing.");
  EXPECT_EQ(evaluated("1 / (K - 64)"), "3: This divides by zero.");
  EXPECT_EQ(evaluated("run + 1"), "1: This is a run; add the member that is meant: words.");
  EXPECT_EQ(evaluated("run.word"), "5: a run has no member word; it has words.");
  EXPECT_EQ(evaluated("K(1)"), "2: What is before the parenthesis takes no arguments.");
  EXPECT_EQ(evaluated("run(1)"), "4: Write run(\"A\").");
  EXPECT_EQ(evaluated("limiter == 1"), "9: Only two numbers or two texts can be compared.");
  EXPECT_EQ(evaluated("ceil_div(1)"), "9: ceil_div takes 2 to 2 numbers.");
}

TEST(Expression, RefusesWhatWouldExhaustTheStack) {
  EXPECT_NE(evaluated(std::string(200, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(evaluated(std::string(200, '-') + "1").find("nested too deeply"), std::string::npos);
  EXPECT_EQ(evaluated(std::string(501, '1')), "1: This expression is longer than 500 characters.");
}

TEST(Expression, KnowsWhetherItsValueIsWrittenDown) {
  EXPECT_FALSE(Expression::parse("max(2, 3) * 4")->has_names());
  EXPECT_TRUE(Expression::parse("max(2, K)")->has_names());
}

TEST(Expression, TellsWhatItSpeaksOf) {
  const auto paths = Expression::parse("max(at('load A', K).lane(i).row, 2) > run('x').words ? -(K) : M.N")->paths();
  const std::vector<std::vector<std::string>> expected{{"i"}, {"K"},     {"at", "lane", "row"}, {"run", "words"},
                                                       {"K"}, {"M", "N"}};
  EXPECT_EQ(paths, expected);
  EXPECT_TRUE(Expression::parse("max(2, 3) * 'A'")->paths().empty());
}

TEST(ParseNumber, TakesSumsAndRefusesNames) {
  EXPECT_EQ(*parse_number("2*1024^3"), 2147483648.0);
  EXPECT_EQ(*parse_number(" 17.2e9 "), 17.2e9);
  EXPECT_EQ(parse_number("many").errors()[0].message.text(),
            "\"many\" is not a number. Write one, or a product such as 2*1024^3.");
  EXPECT_FALSE(parse_number("1/0"));
  EXPECT_FALSE(parse_number(""));
}

}  // namespace
}  // namespace tilescope::lesson
