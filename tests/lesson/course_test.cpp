#include "lesson/course.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "shipped_kernels.h"

namespace tilescope::lesson {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kHead = "+++\ntitle = \"T\"\nminutes = 10\n+++\n\n## One\n";

struct Parsed {
  Lesson lesson;
  std::vector<std::string> problems;
};

Parsed parse(const std::string& text) {
  Diagnostics problems;
  Parsed parsed{parse_lesson(text, "/lessons/03-tiles/lesson.md", shipped_kernels(), problems), {}};
  for (const Diagnostic& problem : problems)
    parsed.problems.push_back(std::to_string(problem.at.line) + ":" + std::to_string(problem.at.column) + " " +
                              problem.message.text());
  return parsed;
}

Parsed parse_step(const std::string& body) { return parse(std::string(kHead) + body); }

std::string scene(const std::string& more = "") { return "```scene\nkernel = \"02\"\n" + more + "```\n"; }

TEST(ParseLesson, ReadsStepsScenesAndQuestions) {
  const Parsed parsed =
      parse_step("Before `[load A]` and `A`.\n" +
                 scene("size = 64\nview = \"warp\"\norder = \"ahead\"\nblock = [1, 0]\ncursor = { at = \"load A\", "
                       "warp = 2, lane = 5 "
                       "}\nemphasise = [\"A\", \"sectors\"]\npanels = [\"stage\", \"code\"]\n") +
                 "```question\nkind = \"number\"\nprompt = \"How many?\"\nanswer = 'global_load(\"A\").sectors'\nunit "
                 "= \"sectors\"\nrandom = { M = [64, 96] }\n```\nAfter.\n## Two\nText.\n");
  EXPECT_THAT(parsed.problems, ElementsAre());
  const Lesson& lesson = parsed.lesson;
  EXPECT_EQ(lesson.number, 3);
  EXPECT_EQ(lesson.slug, "tiles");
  EXPECT_EQ(lesson.language, "en");
  EXPECT_EQ(lesson.minutes, 10);
  ASSERT_EQ(lesson.steps.size(), 2U);
  const Step& step = lesson.steps[0];
  EXPECT_EQ(step.title, "One");
  EXPECT_EQ(step.scene->kernel->name, "02_naive_swapped");
  EXPECT_EQ(step.scene->size, (kernel::Size{64, 64, 64}));
  EXPECT_EQ(step.scene->view, View::Warp);
  EXPECT_EQ(step.scene->order, session::WarpOrder::Ahead);
  EXPECT_EQ(step.scene->block_x, 1U);
  EXPECT_EQ(step.scene->cursor.lane, 5);
  EXPECT_THAT(step.scene->panels, ElementsAre("stage", "code"));
  EXPECT_EQ(step.text[0].spans[3].kind, SpanKind::Array);
  EXPECT_EQ(plain_text(step.after[0].spans), "After.");
  EXPECT_EQ(step.question->unit, "sectors");
  EXPECT_EQ(sample_parameters(*step.question, 0).at("M"), 64);
  EXPECT_EQ(with_parameters(*step.scene, {{"M", 96}}).size.m, 96);
  EXPECT_EQ(scene_of(lesson, 1), &*lesson.steps[0].scene);
}

TEST(ParseLesson, TheSameSeedDrawsTheSame) {
  Question question;
  question.random = {{"M", {1, 2, 3, 4, 5, 6, 7, 8}}};
  EXPECT_EQ(sample_parameters(question, 7), sample_parameters(question, 7));
  bool differs = false;
  for (uint64_t seed = 1; seed < 10; ++seed)
    differs = differs || sample_parameters(question, seed) != sample_parameters(question, seed + 1);
  EXPECT_TRUE(differs);
}

Lesson with_choices(size_t questions) {
  Lesson lesson;
  lesson.slug = "tiles";
  for (size_t i = 0; i < questions; ++i) {
    lesson.steps.emplace_back().question.emplace();
    for (const char* when : {"a", "b", "c"}) lesson.steps.back().question->choices.push_back({{}, {when, {}}});
  }
  return lesson;
}

std::string first_choices(uint64_t seed) {
  Lesson lesson = with_choices(40);
  shuffle_choices(lesson, seed);
  std::string firsts;
  for (const Step& step : lesson.steps) firsts += step.question->choices[0].when.text;
  return firsts;
}

TEST(ShuffleChoices, EachComesFirstAboutAsOftenAndOneSeedGivesOneOrder) {
  EXPECT_EQ(first_choices(0), first_choices(0));
  EXPECT_NE(first_choices(0), first_choices(1));
  for (const char letter : {'a', 'b', 'c'}) {
    const std::string firsts = first_choices(0);
    EXPECT_GT(std::count(firsts.begin(), firsts.end(), letter), 6) << firsts;
  }
}

TEST(ParseLesson, SaysWhatIsMissing) {
  EXPECT_THAT(parse("## One\n").problems,
              ElementsAre("1:1 A lesson begins with a line +++, then title and minutes in TOML, then +++ again."));
  EXPECT_THAT(parse("+++\ntitle = \"T\"\nminutes = 1\n+++\n").problems,
              ElementsAre("5:1 A lesson needs steps; each begins with a line such as \"## What a warp is\"."));
  EXPECT_THAT(parse("").problems, testing::SizeIs(2));
}

TEST(ParseLesson, WhatIsMarkedIsAFormulaOrNumbersAddedToInputs) {
  const auto required = [](const std::string& body) {
    return parse("+++\ntitle = \"T\"\nminutes = 1\n[grade]\nlike = \"02\"\nsizes = [64]\n[[grade.require]]\n" + body +
                 "+++\n## One\n")
        .problems;
  };
  EXPECT_THAT(required("name = \"large\"\nadd = { A = 5 }\n"), ElementsAre());
  EXPECT_THAT(required("name = \"large\"\n"), ElementsAre("7:1 [[grade.require]] needs name, and holds or add."));
  EXPECT_THAT(required("name = \"large\"\nadd = { C = 5 }\n"),
              ElementsAre("4:1 [[grade.require]]: add is for inputs, and C is not one."));
}

TEST(ParseLesson, PlacesProblemsOfScenes) {
  EXPECT_THAT(parse_step("```scene\nkernel = \"nowhere\"\n```\n").problems,
              ElementsAre(HasSubstr("8:10 There is no kernel \"nowhere\"")));
  EXPECT_THAT(parse_step(scene("veiw = \"warp\"\n")).problems,
              ElementsAre("9:8 A scene has no key \"veiw\"; did you mean \"view\"?"));
  EXPECT_THAT(parse_step(scene("view = \"wrap\"\n")).problems,
              ElementsAre("9:8 \"wrap\" is no view; did you mean \"warp\"?"));
  EXPECT_THAT(parse_step(scene("cursor = { at = \"lode A\" }\n")).problems,
              ElementsAre("9:10 02_naive_swapped has no line [lode A]; did you mean \"load A\"?"));
  EXPECT_THAT(parse_step(scene("cursor = { at = \"load A\", lane = 32 }\n")).problems,
              ElementsAre(HasSubstr("A warp has the lanes 0 to 31.")));
  EXPECT_THAT(parse_step(scene("size = \"12x\"\n")).problems, testing::SizeIs(1));
  EXPECT_THAT(parse_step("```scene\nkernel = \"04\"\nsize = 65\n```\n").problems,
              testing::Each(HasSubstr("is not a multiple of TILE = 32")));
  EXPECT_THAT(parse_step("```scene\nkernel = \"04\"\n").problems, testing::Contains(HasSubstr("is not closed")));
}

TEST(ParseLesson, PlacesProblemsOfQuestionsAndTexts) {
  const auto question = [](const std::string& body) {
    return parse_step(scene() + "```question\n" + body + "```\n").problems;
  };
  EXPECT_THAT(question("kind = \"number\"\nprompt = \"?\"\nanswer = \"4\"\n"),
              ElementsAre("13:11 This answer is written down; compute it from the run, so that it stays right."));
  EXPECT_THAT(question("kind = \"number\"\nprompt = \"?\"\nanswer = \"M +\"\n"),
              ElementsAre("13:14 The expression ends too early."));
  EXPECT_THAT(question("kind = \"choice\"\nprompt = \"?\"\n"),
              ElementsAre(HasSubstr("A choice needs at least two choices.")));
  EXPECT_THAT(question("kind = \"task\"\nprompt = \"?\"\nanswer = \"M > 1\"\n"),
              ElementsAre(HasSubstr("needs a solution")));
  EXPECT_THAT(parse_step(scene() + "Text {{ M + }}.\n").problems, ElementsAre("10:12 The expression ends too early."));
  EXPECT_THAT(parse_step(scene() + "Right {{ M }}.\nText {{ M \n+ 1 }} and {{ }}.\n").problems,
              ElementsAre(HasSubstr("11:6 Write {{ expression }}"), HasSubstr("12:14 Write {{ expression }}")));
  EXPECT_THAT(parse_step(scene() + "```cuda\nint a[2][1] = {{1},\n  {2}};\n```\n").problems, ElementsAre());
  EXPECT_THAT(parse_step("See `[load A]`.\n").problems, ElementsAre(HasSubstr("[load A] is a line of which kernel?")));
  EXPECT_THAT(parse_step(scene() + "```lines\nload a\n```\n").problems,
              ElementsAre(HasSubstr("did you mean \"load A\"?")));
}

TEST(LoadCourse, TakesTheLanguageThatThereIsAndEnglishElse) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tilescope_lesson_course_test";
  std::filesystem::remove_all(folder);
  for (const char* name : {"01-one", "02-two"}) {
    std::filesystem::create_directories(folder / name);
    std::ofstream(folder / name / "lesson.md") << kHead << "English.\n";
  }
  std::ofstream(folder / "02-two" / "lesson.zh.md") << kHead << "中文。\n";
  const Course course = load_course(folder, shipped_kernels(), "zh");
  ASSERT_EQ(course.lessons.size(), 2U);
  EXPECT_EQ(course.lessons[0].language, "en");
  EXPECT_EQ(course.lessons[1].language, "zh");
  EXPECT_EQ(plain_text(course.lessons[1].steps[0].text[0].spans), "中文。");
  EXPECT_EQ((*find_lesson(course, "02"))->slug, "two");
  EXPECT_EQ((*find_lesson(course, "one"))->number, 1);
  EXPECT_EQ(find_lesson(course, "tow").errors()[0].message.text(),
            "There is no lesson \"tow\"; did you mean two? There are 1 one, 2 two.");
  std::filesystem::remove_all(folder);
  EXPECT_THAT(to_string(load_course(folder, shipped_kernels()).problems), HasSubstr("cannot be listed"));
}

}  // namespace
}  // namespace tilescope::lesson
