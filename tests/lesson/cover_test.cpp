#include "lesson/cover.h"

#include <regex>

#include <gtest/gtest.h>

#include "kernel/catalogue.h"

namespace tilescope::lesson {
namespace {
using session::Cover;

constexpr Cover kCounts{.counts = true}, kAccesses{.accesses = true}, kResources{.resources = true},
    kSpeed{.speed = true}, kFindings{.findings = true};

const Course& course() {
  static const kernel::Catalogue kernels = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  static const Course loaded = load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels);
  return loaded;
}

Question asking(const std::string& answer, QuestionKind kind = QuestionKind::Number) {
  Question question;
  question.kind = kind;
  question.answer.text = answer;
  return question;
}

/// A lesson with a scene called "odd".
Lesson with_odd() {
  Lesson lesson;
  lesson.steps.emplace_back();
  lesson.steps[0].scene.emplace();
  lesson.steps[0].scene->name = "odd";
  return lesson;
}

Cover covered(const std::string& answer) { return cover_of(with_odd(), asking(answer)); }

TEST(Cover, OfCounts) {
  for (const char* answer :
       {"at('load A').sectors", "32 / at('load B', 1, 0, 'Bs').wavefronts", "odd.global_load('B').max_sectors == 5",
        "2 * fma", "odd.shared_load.bank_conflicts", "words_per_output", "line('read As').shared_load.words",
        "line('read As').instructions", "ptx('fma').executed", "ceil(odd.barriers / 2)"})
    EXPECT_EQ(covered(answer), kCounts) << answer;
}

TEST(Cover, OfAccesses) {
  for (const char* answer : {"at('load A').lane(0).row", "array == 'A' && row == at('load A').lane(6).row",
                             "odd.at('load A').lane(1).bank", "at('load A').lane(lane).element == 'A[3][1]'"})
    EXPECT_EQ(covered(answer), kAccesses) << answer;
  EXPECT_EQ(covered("at('load A').lanes"), (Cover{.counts = true, .accesses = true})) << "who takes part is seen there";
  EXPECT_EQ(covered("blocks"), (Cover{.accesses = true, .resources = true})) << "they can be counted on the stage";
}

TEST(Cover, OfResourcesSpeedAndFindings) {
  for (const char* answer : {"100 * occupancy", "blocks_by.registers == blocks_per_sm", "limiter == 'warps'", "threads",
                             "odd.registers", "shared_bytes / 1024", "spill_bytes", "total_threads - outputs"})
    EXPECT_EQ(covered(answer), kResources) << answer;
  for (const char* answer : {"odd.bound.gflops > 10", "bound('T4').seconds", "recorded('NVIDIA H200', 4096).gflops"})
    EXPECT_EQ(covered(answer), kSpeed) << answer;
  for (const char* answer : {"findings('racecheck').count > 0", "line_number == odd.findings('misaligned').line",
                             "line_number == line('load B').number && !correct", "clean", "wrong_elements"})
    EXPECT_EQ(covered(answer), kFindings) << answer;
}

TEST(Cover, NothingThatNoPictureShows) {
  for (const char* answer : {"M * N", "block.x", "TM * TN + TM + TN", "device('T4').flops / 10^12", "memory_bytes",
                             "limits('sm_86').warps_per_sm", "line('load A').number", "odd.flops", "1 +"})
    EXPECT_EQ(covered(answer), Cover{}) << answer;
}

TEST(Cover, OfAChoiceWhatAnyConditionSpeaksOf) {
  Question question = asking("", QuestionKind::Choice);
  question.choices = {{{}, {"clean", {}}}, {{}, {"bound.gflops > 2 * threads", {}}}};
  EXPECT_EQ(cover_of(with_odd(), question), (Cover{.resources = true, .speed = true, .findings = true}));
}

TEST(Cover, TaskShowsWhatTheChangeDoes) {
  EXPECT_EQ(cover_of(with_odd(), asking("global_load.sectors < 4 && correct", QuestionKind::Task)), Cover{});
}

TEST(Cover, GoesWithTheAnswerTheSurrenderAndTheSecondError) {
  Lesson lesson = with_odd();
  EXPECT_EQ(cover_now(lesson, 0, {}), Cover{}) << "the step asks nothing";
  lesson.steps[0].question = asking("fma");
  Attempt attempt;
  EXPECT_EQ(cover_now(lesson, 0, attempt), kCounts);
  attempt.wrong = 1;
  attempt.judging = true;
  EXPECT_EQ(cover_now(lesson, 0, attempt), kCounts);
  attempt.wrong = 2;
  EXPECT_EQ(cover_now(lesson, 0, attempt), Cover{});
  attempt = {};
  attempt.right = true;
  EXPECT_EQ(cover_now(lesson, 0, attempt), Cover{});
  attempt = {};
  attempt.gave_up = true;
  EXPECT_EQ(cover_now(lesson, 0, attempt), Cover{});
}

std::string formulas_of(const Question& question) {
  std::string all = question.answer.text;
  for (const Choice& choice : question.choices) all += " " + choice.when.text;
  return all;
}

TEST(Cover, EveryQuestionOfTheCourse) {
  const std::regex counts(
      "sectors|wavefronts|conflicts|requests|words|efficiency|_load.bytes|\\bfma|instructions|divergent|barriers|"
      "lines\\b|lanes\\b");
  const std::regex findings("findings|clean|correct|wrong_elements");
  int of_counts = 0, of_findings = 0;
  for (const Lesson& lesson : course().lessons)
    for (const Step& step : lesson.steps) {
      if (!step.question) continue;
      const Cover cover = cover_of(lesson, *step.question);
      const std::string formulas = formulas_of(*step.question);
      const bool open = step.question->kind != QuestionKind::Task;
      EXPECT_EQ(cover.counts, open && std::regex_search(formulas, counts)) << step.title << ": " << formulas;
      EXPECT_EQ(cover.findings, open && std::regex_search(formulas, findings)) << step.title << ": " << formulas;
      of_counts += cover.counts;
      of_findings += cover.findings;
    }
  EXPECT_GT(of_counts, 20);
  EXPECT_GT(of_findings, 3);
}

}  // namespace
}  // namespace tilescope::lesson
