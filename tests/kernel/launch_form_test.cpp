#include "kernel/launch_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/configuration.h"
#include "kernel/description.h"

namespace tilescope::kernel {
namespace {
using testing::HasSubstr;
using testing::Not;

LaunchForm filled_in() {
  LaunchForm form;
  form.title = "scale \"it\"\n";
  form.entry = "scale";
  form.arguments = {{"x", "x", true, "f32", "input", "N", "", ""},
                    {"out", "out", true, "f16", "inout", "M, ceil_div(N, 2)", "0", ""},
                    {"factor", "factor", false, "f16", "", "", "", "3.5"},
                    {"n", "n", false, "i32", "", "", "", "N"}};
  form.block = "32, 8";
  form.grid = "ceil_div(N, 32), max(M, 1), 2";
  return form;
}

std::string problems_of(const LaunchForm& form) {
  const Result<Description> description = parse_description(to_toml(form), "form.toml");
  return description ? "" : to_string(description.errors());
}

TEST(LaunchForm, IsADescription) {
  const Result<Description> description = parse_description(to_toml(filled_in()), "form.toml");
  ASSERT_TRUE(description) << to_string(description.errors()) << to_toml(filled_in());
  EXPECT_EQ(description->title, filled_in().title);
  EXPECT_EQ(description->grid.size(), 3U);
  EXPECT_EQ(description->arrays[1].shape.size(), 2U);
  EXPECT_EQ(description->arrays[1].initial, 0.0);
  EXPECT_EQ(description->arguments[2].real, 3.5);
  EXPECT_FALSE(description->launch_guessed);
  const Result<Configuration> configuration = configure(*description, {}, {8, 64, 1});
  ASSERT_TRUE(configuration) << to_string(configuration.errors());
  EXPECT_EQ(launch_sentence(*configuration).text(),
            "2 x 8 x 2 blocks of 32 x 8 threads. Reads x (64) and out (8 x 32); writes out (8 x 32).");
}

TEST(LaunchForm, OneBlockAndOneThreadAreSaidAsSuch) {
  LaunchForm form = filled_in();
  form.grid = "1";
  const auto sentence = [&] {
    const Result<Description> description = parse_description(to_toml(form), "form.toml");
    return launch_sentence(*configure(*description, {}, {8, 64, 1})).text();
  };
  EXPECT_EQ(sentence().substr(0, 29), "One block of 32 x 8 threads. ");
  form.block = "1";
  EXPECT_EQ(sentence().substr(0, 25), "One block of one thread. ");
}

TEST(LaunchForm, AScalarOfTheWrongTypeIsRefusedByName) {
  LaunchForm form = filled_in();
  form.arguments[2].value = "N / 2";
  EXPECT_THAT(problems_of(form), HasSubstr("The value of factor must be a number, since it is f16."));
  form = filled_in();
  form.arguments[3].value = "2.5";
  EXPECT_THAT(problems_of(form), HasSubstr("2.5"));
  form = filled_in();
  form.arguments[1].initial = "zero";
  EXPECT_THAT(problems_of(form), HasSubstr("The array out: \"initial\" is the number"));
  form = filled_in();
  form.grid = "";
  EXPECT_THAT(problems_of(form), HasSubstr("error: This is empty: write a number, or an expression"));
}

TEST(LaunchForm, WhatIsWrongIsInAField) {
  const auto field_with_problem = [](const LaunchForm& form) {
    const Result<Description> description = parse_description(to_toml(form), "form.toml");
    return description ? "none" : field_of(form, description.errors().front());
  };
  LaunchForm form = filled_in();
  EXPECT_EQ(field_with_problem(form), "none");
  form.arguments[1].shape = "";
  EXPECT_EQ(field_with_problem(form), form.arguments[1].parameter);
  form = filled_in();
  form.grid = "";
  EXPECT_EQ(field_with_problem(form), "grid");
  form = filled_in();
  form.size = {0, 256, 256};
  EXPECT_EQ(field_with_problem(form), "M, N, K");
  const auto field_at = [&](int line) { return field_of(form, error_at({"form.toml", line, 1}, "")); };
  EXPECT_EQ(field_at(1), "") << "the title is no field";
  EXPECT_EQ(field_at(999), "");
  form = filled_in();
  for (FormArgument& argument : form.arguments) {
    if (argument.is_array) continue;
    const std::string before = std::exchange(argument.value, "nothing + 1");
    EXPECT_EQ(field_with_problem(form), argument.parameter);
    argument.value = before;
  }
}

TEST(LaunchForm, WhatCannotBeLaunchedIsInAField) {
  const auto field_refused = [](const LaunchForm& form, const Size& size) {
    const Result<Description> description = parse_description(to_toml(form), "form.toml");
    if (!description) return field_of(form, description.errors().front());
    const Result<Configuration> configured = configure(*description, {}, size, Limits());
    return configured ? "none" : field_of(form, configured.errors().front());
  };
  const Size size{64, 64, 64};
  EXPECT_EQ(field_refused(filled_in(), size), "none");
  EXPECT_EQ(field_refused(filled_in(), {0, 64, 64}), "M, N, K");
  LaunchForm form = filled_in();
  form.block = "2048";
  EXPECT_EQ(field_refused(form, size), "block");
  form = filled_in();
  form.grid = "M - 64";
  EXPECT_EQ(field_refused(form, size), "grid");
  form = filled_in();
  form.shared_bytes = "1000000000";
  EXPECT_EQ(field_refused(form, size), "shared bytes");
  for (size_t i = 0; i < form.arguments.size(); ++i) {
    form = filled_in();
    FormArgument& argument = form.arguments[i];
    if (argument.is_array)
      argument.shape = "M / 0";
    else
      argument.value = "M / 0";
    EXPECT_EQ(field_refused(form, size), argument.parameter);
  }
}

TEST(LaunchForm, AGuessIsSaidInTheFile) {
  LaunchForm form = filled_in();
  form.guessed = true;
  const Result<Description> description = parse_description(to_toml(form), "form.toml");
  ASSERT_TRUE(description);
  EXPECT_TRUE(description->launch_guessed);
}

TEST(LaunchForm, BytesThatAreNoUtf8LeaveItWellFormed) {
  LaunchForm form = filled_in();
  form.title = "a\xff\xc3z \xe7\xa7\xaf";
  const Result<Description> description = parse_description(to_toml(form), "form.toml");
  ASSERT_TRUE(description) << to_string(description.errors());
  EXPECT_EQ(description->title, "a??z \xe7\xa7\xaf");
  // Two names that become one are one array.
  form.arguments[0].name = "\xb7", form.arguments[1].name = "\x9a";
  EXPECT_THAT(problems_of(form), Not(HasSubstr("Error while parsing")));
}

}  // namespace
}  // namespace tilescope::kernel
