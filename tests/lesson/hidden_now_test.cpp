#include "lesson/hidden_now.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/catalogue.h"

namespace tilescope::lesson {
namespace {
using session::Fact;
using session::HiddenFacts;

constexpr HiddenFacts kCounts{Fact::Counts}, kAccesses{Fact::Accesses}, kResources{Fact::Resources},
    kSpeed{Fact::Speed}, kFindings{Fact::Findings};

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

HiddenFacts covered(const std::string& answer) { return hidden_by(with_odd(), asking(answer)); }

TEST(HiddenFacts, OfCounts) {
  for (const char* answer :
       {"at('load A').sectors", "32 / at('load B', 1, 0, 'Bs').wavefronts", "odd.global_load('B').max_sectors == 5",
        "2 * fma", "odd.shared_load.bank_conflicts", "words_per_output", "line('read As').shared_load.words",
        "line('read As').instructions", "ptx('fma').executed", "ceil(odd.barriers / 2)"})
    EXPECT_EQ(covered(answer), kCounts) << answer;
}

TEST(HiddenFacts, OfAccesses) {
  for (const char* answer : {"at('load A').lane(0).row", "array == 'A' && row == at('load A').lane(6).row",
                             "odd.at('load A').lane(1).bank", "at('load A').lane(lane).element == 'A[3][1]'"})
    EXPECT_EQ(covered(answer), kAccesses) << answer;
  EXPECT_EQ(covered("at('load A').lanes"), (HiddenFacts{Fact::Counts, Fact::Accesses}))
      << "who takes part is seen there";
  EXPECT_EQ(covered("blocks"), (HiddenFacts{Fact::Accesses, Fact::Resources})) << "they can be counted on the stage";
}

TEST(HiddenFacts, OfResourcesSpeedAndFindings) {
  for (const char* answer : {"100 * occupancy", "blocks_by.registers == blocks_per_sm", "limiter == 'warps'", "threads",
                             "odd.registers", "shared_bytes / 1024", "spill_bytes", "total_threads - outputs"})
    EXPECT_EQ(covered(answer), kResources) << answer;
  for (const char* answer : {"odd.bound.gflops > 10", "bound('T4').seconds", "recorded('NVIDIA H200', 4096).gflops"})
    EXPECT_EQ(covered(answer), kSpeed) << answer;
  for (const char* answer : {"findings('racecheck').count > 0", "line_number == odd.findings('misaligned').line",
                             "line_number == line('load B').number && !correct", "clean", "wrong_elements"})
    EXPECT_EQ(covered(answer), kFindings) << answer;
}

TEST(HiddenFacts, NothingThatNoPictureShows) {
  for (const char* answer : {"M * N", "block.x", "TM * TN + TM + TN", "device('T4').flops / 10^12", "memory_bytes",
                             "limits('sm_86').warps_per_sm", "line('load A').number", "odd.flops", "1 +",
                             "recorded('NVIDIA H200', 4096).counter('dram__bytes_read.sum') / 32"})
    EXPECT_EQ(covered(answer), HiddenFacts{}) << answer;
}

TEST(HiddenFacts, OfAChoiceWhatAnyConditionSpeaksOf) {
  Question question = asking("", QuestionKind::Choice);
  question.choices = {{{}, {"clean", {}}}, {{}, {"bound.gflops > 2 * threads", {}}}};
  EXPECT_EQ(hidden_by(with_odd(), question), (HiddenFacts{Fact::Resources, Fact::Speed, Fact::Findings}));
}

TEST(HiddenFacts, OfALineItsDefect) {
  Question question = asking("line == 4", QuestionKind::Click);
  EXPECT_FALSE(hidden_by(with_odd(), question).has(Fact::Defect)) << "a cell is asked for";
  question.target = ClickTarget::Line;
  EXPECT_TRUE(hidden_by(with_odd(), question).has(Fact::Defect));
}

TEST(HiddenFacts, TaskShowsWhatTheChangeDoes) {
  EXPECT_EQ(hidden_by(with_odd(), asking("global_load.sectors < 4 && correct", QuestionKind::Task)), HiddenFacts{});
}

TEST(HiddenFacts, GoesWithTheAnswerTheSurrenderAndTheSecondError) {
  Lesson lesson = with_odd();
  Attempt attempt;
  const auto hidden = [&] { return hidden_now(lesson, 0, [&](size_t) -> const Attempt& { return attempt; }); };
  EXPECT_EQ(hidden(), HiddenFacts{}) << "the step asks nothing";
  lesson.steps[0].question = asking("fma");
  EXPECT_EQ(hidden(), kCounts);
  attempt.wrong = 1;
  attempt.judging = true;
  EXPECT_EQ(hidden(), kCounts);
  attempt.wrong = 2;
  EXPECT_EQ(hidden(), HiddenFacts{});
  attempt = {};
  attempt.right = true;
  EXPECT_EQ(hidden(), HiddenFacts{});
  attempt = {};
  attempt.gave_up = true;
  EXPECT_EQ(hidden(), HiddenFacts{});
}

/// Steps of kernel 01 and others, each with a question about its own run, of which those named are done.
class LaterQuestions : public testing::Test {
 protected:
  void add_step(const char* kernel, const char* anchor, const std::string& answer,
                QuestionKind kind = QuestionKind::Number) {
    Step& step = lesson_.steps.emplace_back();
    step.scene.emplace();
    for (const kernel::Kernel& each : catalogue().kernels)
      if (each.name == kernel) step.scene->kernel = std::make_shared<const kernel::Kernel>(each);
    step.scene->cursor.anchor = anchor;
    step.question = asking(answer, kind);
    attempts_.emplace_back();
  }
  HiddenFacts hidden_with_steps(size_t step) {
    return hidden_now(lesson_, step, [&](size_t at) -> const Attempt& { return attempts_[at]; });
  }
  /// Without which steps ask about it.
  HiddenFacts hidden(size_t step) {
    const HiddenFacts with_steps = hidden_with_steps(step);
    HiddenFacts facts;
    for (const Fact fact : session::kAllFacts)
      if (with_steps.has(fact)) facts.add(fact);
    return facts;
  }
  void answer(size_t step) { attempts_[step].right = true; }
  static const kernel::Catalogue& catalogue() {
    static const kernel::Catalogue kernels = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
    return kernels;
  }

  Lesson lesson_;
  std::vector<Attempt> attempts_;
};

TEST_F(LaterQuestions, ARequestIsCoveredWhereItIsInViewUntilItsOwnStep) {
  add_step("01_naive_rows", "load A", "M * N");
  add_step("01_naive_rows", "load B", "M * K");
  add_step("01_naive_rows", "load A", "at('load A').sectors");
  EXPECT_EQ(hidden(0), (HiddenFacts{Fact::Counts, Fact::Totals}));
  EXPECT_EQ(hidden(1), HiddenFacts{Fact::Totals}) << "the strip shows another request; figures stand beside all lines";
  answer(0);
  EXPECT_EQ(hidden(0), (HiddenFacts{Fact::Counts, Fact::Totals})) << "that another question was answered";
  answer(2);
  EXPECT_EQ(hidden(0), HiddenFacts{});
}

TEST_F(LaterQuestions, ThePictureOfAnAnswerIsShownAndTheFiguresOfTheNextAreNot) {
  add_step("01_naive_rows", "load A", "at('load A').sectors");
  add_step("01_naive_rows", "load A", "at('load B').sectors + global_load('A').sectors");
  EXPECT_TRUE(hidden(0).has(Fact::Counts));
  answer(0);
  EXPECT_EQ(hidden(0), HiddenFacts{Fact::Totals});
}

TEST_F(LaterQuestions, TheResourcesThatWereAskedForAreShown) {
  add_step("01_naive_rows", "load A", "100 * occupancy");
  add_step("01_naive_rows", "load A", "blocks_by.warps");
  EXPECT_EQ(hidden(0), kResources);
  answer(0);
  EXPECT_EQ(hidden(0), HiddenFacts{});
  EXPECT_EQ(hidden(1), kResources);
}

TEST_F(LaterQuestions, ACoverNamesTheNextStepThatAsks) {
  add_step("01_naive_rows", "load A", "at('load A').sectors");
  for (int i = 0; i < 2; ++i) add_step("01_naive_rows", "load B", "global_load('A').sectors + occupancy");
  using Steps = std::map<Fact, int>;
  const auto asked_in = [&](size_t step) {
    const HiddenFacts facts = hidden_with_steps(step);
    Steps steps;
    for (const Fact fact : session::kAllFacts)
      if (facts.asked_in(fact) > 0) steps[fact] = facts.asked_in(fact);
    return steps;
  };
  EXPECT_EQ(asked_in(0), (Steps{{Fact::Totals, 2}, {Fact::Resources, 2}})) << "the request is the step's own";
  answer(0);
  EXPECT_EQ(asked_in(0), (Steps{{Fact::Totals, 2}, {Fact::Resources, 2}}));
  EXPECT_EQ(asked_in(1), (Steps{{Fact::Totals, 3}})) << "the resources come with its own answer";
  answer(1);
  EXPECT_EQ(asked_in(0), (Steps{{Fact::Totals, 3}, {Fact::Resources, 3}}));
  EXPECT_EQ(asked_in(1), (Steps{{Fact::Totals, 3}})) << "what was asked in step 2 is on show";
  EXPECT_EQ(asked_in(2), (Steps{}));
  EXPECT_TRUE(hidden(2).has(Fact::Resources));
}

TEST_F(LaterQuestions, TwoWrongAnswersShowWhatTheRightOneShowsAndNoLaterAnswer) {
  add_step("01_naive_rows", "load A", "at('load A').sectors");
  add_step("01_naive_rows", "load A", "global_load('A').sectors + occupancy");
  attempts_[0].wrong = 2;
  const HiddenFacts of_the_later{Fact::Totals, Fact::Resources};
  EXPECT_EQ(hidden(0), of_the_later);
  answer(0);
  EXPECT_EQ(hidden(0), of_the_later);
}

TEST_F(LaterQuestions, ARunThatIsNotInViewTellsNothing) {
  add_step("02_naive_swapped", "load A", "M * N");
  add_step("01_naive_rows", "load A", "at('load A').sectors + occupancy + findings.count");
  EXPECT_EQ(hidden(0), HiddenFacts{});
  lesson_.steps[0].scene->kernel = lesson_.steps[1].scene->kernel;
  lesson_.steps[0].scene->settings["BLOCK"] = "8";
  EXPECT_EQ(hidden(0), HiddenFacts{Fact::Totals}) << "the same kernel with other settings: the figures are alike";
  lesson_.steps[0].scene->settings.clear();
  lesson_.steps[0].scene->size.k = 8;
  EXPECT_EQ(hidden(0), (HiddenFacts{Fact::Counts, Fact::Totals, Fact::Resources}))
      << "what is found depends on the size";
}

TEST_F(LaterQuestions, WhatWasRecordedStandsInThePlotsOfEveryKernel) {
  add_step("02_naive_swapped", "load A", "M * N");
  add_step("01_naive_rows", "load A", "recorded('NVIDIA H200', 4096).gflops");
  EXPECT_EQ(hidden(0), kSpeed);
  lesson_.steps[1].question->answer.text = "bound.gflops";
  EXPECT_EQ(hidden(0), HiddenFacts{});
}

TEST_F(LaterQuestions, WhatARunIsComparedWithIsNotAsked) {
  add_step("02_naive_swapped", "load A", "M * N");
  lesson_.steps[0].scene->name = "before";
  add_step("01_naive_rows", "load A", "before.global_load.sectors / global_load.sectors");
  EXPECT_EQ(hidden(0), HiddenFacts{});
}

TEST_F(LaterQuestions, ATaskCoversNothingAndIsNoQuestion) {
  add_step("01_naive_rows", "load A", "M * N");
  add_step("01_naive_rows", "load A", "correct && global_load.sectors < 4", QuestionKind::Task);
  add_step("01_naive_rows", "load A", "at('load A').sectors");
  EXPECT_EQ(hidden(1), HiddenFacts{});
  answer(2);
  EXPECT_EQ(hidden(0), HiddenFacts{});
}

}  // namespace
}  // namespace tilescope::lesson
