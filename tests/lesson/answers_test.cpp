#include "lesson/answers.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace tilescope::lesson {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

Attempt right_after(std::vector<std::string> given) {
  Attempt attempt;
  attempt.wrong = static_cast<int>(given.size()) - 1;
  for (std::string& words : given) attempt.given.push_back({std::move(words), {}, {}, {}});
  attempt.right = true;
  attempt.asked = "How many sectors?\n\n";
  attempt.answer = {"8 sectors", 8, {}, {}};
  return attempt;
}

Attempt shown_after(std::vector<std::string> given) {
  Attempt attempt = right_after(std::move(given));
  attempt.wrong = static_cast<int>(attempt.given.size());
  attempt.right = false;
  attempt.gave_up = true;
  return attempt;
}

/// A lesson of three questions.
Course course_of_three() {
  Course course;
  Lesson& lesson = course.lessons.emplace_back();
  lesson.number = 2;
  lesson.slug = "coalescing";
  lesson.title = "Coalescing";
  for (const char* title : {"One", "Two", "Three"}) {
    lesson.steps.emplace_back().title = title;
    lesson.steps.back().question.emplace();
  }
  return course;
}

TEST(Answers, AreTheSameAfterWritingAndReading) {
  const Answers answers{"Ada", {{{"coalescing", 0}, right_after({"5", "8"})}, {{"tiles", 3}, shown_after({"x\ny"})}}};
  const Result<Answers> read = answers_from(to_json(answers));
  ASSERT_TRUE(read) << to_string(read.errors());
  EXPECT_EQ(read->student, "Ada");
  EXPECT_EQ(to_json(*read), to_json(answers));
  const Attempt& first = read->attempts.at({"coalescing", 0});
  EXPECT_TRUE(first.right);
  EXPECT_EQ(first.wrong, 1);
  EXPECT_THAT(first.given, ElementsAre(SaidAnswer{.words = "5"}, SaidAnswer{.words = "8"}));
  EXPECT_EQ(first.answer, (SaidAnswer{.words = "8 sectors", .number = 8}));
  EXPECT_TRUE(read->attempts.at({"tiles", 3}).gave_up);
}

TEST(Answers, KeepWhatTheyAreInAnyLanguage) {
  Attempt attempt = shown_after({});
  attempt.given = {{"a column", {}, {1}, {}}, {"lane 3", {}, {}, Click{"", -1, -1, 3, -1}}};
  attempt.answer = {"A[5][0], one of 2 right answers", {}, {}, Click{"A", 5, 0, -1, -1}, 2};
  const Result<Answers> read = answers_from(to_json({"", {{{"tiles", 3}, attempt}}}));
  ASSERT_TRUE(read) << to_string(read.errors());
  EXPECT_EQ(read->attempts.at({"tiles", 3}).given, attempt.given);
  EXPECT_EQ(read->attempts.at({"tiles", 3}).answer, attempt.answer);
}

TEST(Answers, OfTheFirstVersionAreWords) {
  const Result<Answers> read = answers_from(R"({"tilescope_answers": 1, "student": "", "answers": [{"lesson": "tiles",
      "step": 4, "question": "?", "given": ["5", "8"], "wrong": 1, "right": true, "given_up": false,
      "answer": "8 sectors"}]})");
  ASSERT_TRUE(read) << to_string(read.errors());
  const Attempt& attempt = read->attempts.at({"tiles", 3});
  EXPECT_THAT(attempt.given, ElementsAre(SaidAnswer{.words = "5"}, SaidAnswer{.words = "8"}));
  EXPECT_EQ(attempt.answer.words, "8 sectors");
}

TEST(Answers, AQuestionThatWasOnlyLookedAtIsLeftOut) {
  EXPECT_THAT(answers_from(to_json({"", {{{"tiles", 0}, Attempt()}}}))->attempts, testing::IsEmpty());
}

TEST(Answers, SayWhatIsWrongWithAFile) {
  EXPECT_EQ(answers_from("{\"tilescope_state\": 1}").errors().front().message.text(),
            "This is not a file of answers that Tilescope has written.");
  EXPECT_THAT(answers_from("{\"tilescope_answers\": 9}").errors().front().message.text(), HasSubstr("newer"));
  EXPECT_FALSE(answers_from("nothing"));
  std::string damaged = to_json({"", {{{"tiles", 3}, right_after({"8"})}}});
  damaged.replace(damaged.find("\"right\": true"), 13, "\"right\": 7");
  EXPECT_THAT(to_string(answers_from(damaged).errors()), HasSubstr("right"));
  std::string chosen = to_json({"", {{{"tiles", 3}, right_after({"8"})}}});
  chosen.replace(chosen.find("\"number\": 8.0"), 13, "\"choices\": [0]");
  EXPECT_THAT(to_string(answers_from(chosen).errors()), HasSubstr("a choice is not a number from 1"));
  const fs::path file = fs::path(testing::TempDir()) / "no_answers_here.json";
  EXPECT_THAT(to_string(load_answers(file).errors()), HasSubstr("no_answers_here.json"));
}

TEST(Answers, CanBePrinted) {
  const Answers answers{"Ada", {{{"coalescing", 0}, right_after({"5", "8"})}, {{"coalescing", 1}, shown_after({})}}};
  EXPECT_EQ(to_markdown(answers, course_of_three()),
            "# Answers of Ada\n\n## 2. Coalescing\n\n3 questions: 2 done, 0 of them right at once.\n\n"
            "To look at again: 1 One, 2 Two.\n\n### 1. One\n\nHow many sectors?\n\n- Answer: 5\n- Answer: 8\n- "
            "**right**: 8 sectors\n\n"
            "### 2. Two\n\nHow many sectors?\n\n- **answer shown**: 8 sectors\n\n");
}

TEST(Answers, OfWhatWasMissedAreAPage) {
  Attempt mended = right_after({"5", "8"});
  mended.mended = true;
  const Answers answers{
      "Ada",
      {{{"coalescing", 0}, mended}, {{"coalescing", 1}, shown_after({})}, {{"coalescing", 2}, right_after({"8"})}}};
  EXPECT_THAT(missed_in(course_of_three(), answers_from(to_json(answers))->attempts),
              ElementsAre(StepPlace{"coalescing", 1}));
  EXPECT_EQ(missed_markdown(answers, course_of_three()),
            "# Answers of Ada\n\n## 2. Coalescing\n\n### 1. One\n\nHow many sectors?\n\n- Answer: 5\n- Answer: 8\n- "
            "**right**: 8 sectors\n- Right when it was asked again, in another form.\n\n"
            "### 2. Two\n\nHow many sectors?\n\n- **answer shown**: 8 sectors\n\n");
  EXPECT_EQ(missed_markdown({"Ada", {{{"coalescing", 2}, right_after({"8"})}}}, course_of_three()),
            "# Answers of Ada\n\nNothing was missed.\n");
}

TEST(Answers, ScoreALesson) {
  const Course course = course_of_three();
  const Score score = score_of(course.lessons[0], {{{"coalescing", 0}, right_after({"8"})},
                                                   {{"coalescing", 2}, shown_after({"1"})},
                                                   {{"tiles", 1}, right_after({"8"})}});
  EXPECT_EQ(score.asked, 3u);
  EXPECT_EQ(score.done, 2u);
  EXPECT_EQ(score.at_once, 1u);
  EXPECT_THAT(score.open, ElementsAre(1));
}

TEST(Answers, OfAClassShowWhatIsCommonlyWrong) {
  const std::vector<Answers> handed_in{{"a", {{{"coalescing", 1}, right_after({"32", "32", "8"})}}},
                                       {"b", {{{"coalescing", 1}, shown_after({"1", "32"})}}},
                                       {"c", {{{"coalescing", 1}, right_after({"8"})}}}};
  const std::vector<QuestionOfClass> questions = questions_of_class(handed_in, course_of_three());
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions[0].place.step, 1u);
  EXPECT_EQ(questions[0].students, 3u);
  EXPECT_EQ(questions[0].at_once, 1u);
  EXPECT_EQ(questions[0].given_up, 1u);
  EXPECT_EQ(questions[0].commonest_wrong, "32");
  EXPECT_EQ(questions[0].times, 2u) << "of a student's equal answers one counts";
}

}  // namespace
}  // namespace tilescope::lesson
