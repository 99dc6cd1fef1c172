#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace tilescope {
namespace {

TEST(Number, TakesWhatIsANumberAndLeavesTheRest) {
  const auto taken = [](std::string_view text) {
    const std::optional<double> value = take_number(text);
    return std::pair(value, text);
  };
  EXPECT_EQ(taken("12 + 3"), std::pair(std::optional(12.0), std::string_view(" + 3")));
  EXPECT_EQ(taken("-.5e1.5"), std::pair(std::optional(-5.0), std::string_view(".5")));
  EXPECT_EQ(taken("2.e"), std::pair(std::optional(2.0), std::string_view("e")));
  EXPECT_EQ(taken("3e+"), std::pair(std::optional(3.0), std::string_view("e+")));
  for (const std::string_view none : {"", "-", ".", "e5", "+1", " 1", "inf", "nan", "-x"})
    EXPECT_EQ(taken(none), std::pair(std::optional<double>(), none)) << none;
}

TEST(Number, IsTheNearestDouble) {
  EXPECT_EQ(whole_number_of("0.1"), 0.1);
  EXPECT_EQ(whole_number_of("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(whole_number_of("123456789012345"), 123456789012345.0);
  EXPECT_EQ(whole_number_of("000000000000000012"), 12.0);
  EXPECT_EQ(whole_number_of("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(whole_number_of("0e999"), 0.0);
  for (const char* none : {"1e999", "-1e999", "1e-999", "1 ", "0x10", "1.5f"})
    EXPECT_EQ(whole_number_of(none), std::nullopt) << none;
  // As the C library reads them, whichever way is taken: long and short, with and without a power of ten.
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = std::to_string(random() >> (random() % 32));
    if (random() % 2) text += "." + std::to_string(random() >> (random() % 32));
    if (random() % 2) text += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
    EXPECT_EQ(whole_number_of(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

}  // namespace
}  // namespace tilescope
