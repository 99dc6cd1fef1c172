#include "lesson/lesson_runner.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "prebuilt_only.h"
#include "wait_until.h"
#include "wordless.h"

namespace tilescope::lesson {
namespace {

constexpr size_t kAsking = 2;  // The first step of the first lesson that needs a number.

class Desks : public testing::Test {
 protected:
  template <class Done>
  void wait_for(Done done) {
    ASSERT_TRUE(wait_until([&] { return lessons_.poll(), done(); }));
  }
  void open(size_t step) {
    lessons_.open(first(), step);
    wait_for([&] { return lessons_.page() != nullptr; });
  }
  const Lesson& first() const { return lessons_.course().lessons.front(); }
  const Attempt& attempt() const { return lessons_.attempt(first(), kAsking); }
  void answer(const std::string& text) {
    lessons_.answer(text);
    wait_for([&] { return !attempt().judging; });
  }

  kernel::Catalogue kernels_ = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache runs_{compiler_};
  std::atomic<int> woken_ = 0;
  LessonRunner lessons_{load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_), runs_, 0, [this] { ++woken_; }};
};

TEST_F(Desks, APageHasItsNumbersFromTheRun) {
  open(kAsking);
  EXPECT_TRUE(lessons_.page()->problems.empty());
  std::string text;
  for (const Block& block : lessons_.page()->text) text += plain_text(block.spans);
  EXPECT_NE(text.find("Here a block is 8 x 8 threads"), std::string::npos) << text;
}

TEST_F(Desks, WrongAnswersAreCountedAndTheRightOneEndsTheQuestion) {
  open(kAsking);
  answer("17");
  EXPECT_EQ(attempt().wrong, 1);
  EXPECT_FALSE(attempt().done());
  answer("15");
  EXPECT_TRUE(attempt().right);
  EXPECT_EQ(attempt().wrong, 1);
  lessons_.answer(std::string("3"));
  EXPECT_FALSE(attempt().judging) << "a question that is done takes no answer";
}

TEST_F(Desks, WhatIsNoNumberIsSaidAndDoesNotCount) {
  open(kAsking);
  answer("fifteen");
  EXPECT_FALSE(attempt().right);
  EXPECT_EQ(attempt().wrong, 0);
  EXPECT_EQ(attempt().message.text(), "\"fifteen\" is not a number. Write one, or a product such as 2*1024^3.");
  set_language(wordless());
  EXPECT_EQ(attempt().message.text(), "\"fifteen\" ~~ ~~~ ~ ~~~~~~. ~~~~~ ~~~, ~~ ~ ~~~~~~~ ~~~~ ~~ 2*1024^3.");
  set_language(nullptr);
}

TEST_F(Desks, GivingUpShowsTheAnswer) {
  open(kAsking);
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  EXPECT_TRUE(attempt().gave_up);
  EXPECT_EQ(attempt().answer.words, "15 blocks");
}

TEST_F(Desks, APresentationBeginsCoveredAndLeavesTheStudentsAnswersAsTheyWere) {
  open(kAsking);
  answer("15");
  lessons_.present(true);
  EXPECT_FALSE(attempt().done());
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  EXPECT_TRUE(attempt().gave_up);
  lessons_.cover();
  EXPECT_FALSE(attempt().done());
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  lessons_.present(false);
  EXPECT_TRUE(attempt().right);
  EXPECT_FALSE(attempt().gave_up);
  EXPECT_EQ(lessons_.attempts().size(), 1u);
  lessons_.cover();
  EXPECT_TRUE(attempt().right) << "only a presentation covers";
  lessons_.present(true);
  EXPECT_FALSE(attempt().done()) << "each presentation begins covered";
}

TEST_F(Desks, AnAnswerThatIsJudgedWhenThePresentationBeginsIsStillTheStudents) {
  open(kAsking);
  lessons_.answer(std::string("15"));
  lessons_.present(true);
  wait_for([&] { return !lessons_.attempts().at({first().slug, kAsking}).judging; });
  EXPECT_TRUE(lessons_.attempts().at({first().slug, kAsking}).right);
  EXPECT_FALSE(attempt().done());
}

TEST_F(Desks, WhatWasMissedIsAskedAgainWithOtherValues) {
  open(kAsking);
  answer("17");
  answer("15");
  const std::string asked = attempt().asked;
  lessons_.ask_again({first().slug, kAsking});
  wait_for([&] { return lessons_.page() != nullptr; });
  EXPECT_TRUE(lessons_.asks_again(first(), kAsking));
  EXPECT_FALSE(attempt().done());
  answer("15");
  EXPECT_EQ(attempt().wrong, 1) << "the answer to the first form";
  EXPECT_NE(attempt().asked, asked);
  EXPECT_FALSE(lessons_.attempts().at({first().slug, kAsking}).mended);
}

TEST_F(Desks, AnAnswerThatIsRightAtOnceTheSecondTimeMendsAndTheFirstIsKept) {
  const StepPlace place{first().slug, 0};
  const auto text_of = [&](size_t choice) { return plain_text(lessons_.page()->choices[choice]); };
  open(0);
  lessons_.give_up();
  wait_for([&] { return lessons_.attempt(first(), 0).done(); });
  const std::string right = text_of(lessons_.attempt(first(), 0).answer.choices.front());
  lessons_.ask_again(place);
  wait_for([&] { return lessons_.page() != nullptr; });
  size_t choice = 0;
  while (text_of(choice) != right) ++choice;
  lessons_.answer(choice);
  wait_for([&] { return lessons_.attempt(first(), 0).done(); });
  EXPECT_TRUE(lessons_.attempt(first(), 0).right);
  open(1);
  EXPECT_FALSE(lessons_.asks_again(first(), 0));
  EXPECT_TRUE(lessons_.attempt(first(), 0).gave_up);
  EXPECT_TRUE(lessons_.attempt(first(), 0).mended);
}

TEST_F(Desks, AnotherLanguageHasItsOwnPageAndKeepsTheAttempts) {
  open(kAsking);
  answer("15");
  lessons_.use_course(load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_, "zh"));
  EXPECT_EQ(lessons_.page(), nullptr);
  EXPECT_TRUE(attempt().right);
  open(kAsking);
  EXPECT_EQ(lessons_.page()->lesson, &first());
  std::string text;
  for (const Block& block : lessons_.page()->text) text += plain_text(block.spans);
  EXPECT_NE(text.find("8 x 8"), std::string::npos) << text;
  EXPECT_EQ(text.find("threads"), std::string::npos) << text;
}

TEST_F(Desks, WhatWasAnsweredIsSaidInTheLanguageOfThePage) {
  const Course chinese = load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_, "zh");
  const Question& asked = *chinese.lessons.front().steps[kAsking].question;
  open(kAsking);
  answer("17");
  lessons_.give_up();
  wait_for([&] { return attempt().done(); });
  EXPECT_EQ(answer_words(attempt(), *lessons_.page()), "15 blocks");
  lessons_.use_course(chinese);
  open(kAsking);
  EXPECT_EQ(answer_words(attempt(), *lessons_.page()), "15 " + asked.unit);
  EXPECT_THAT(given_words(attempt(), *lessons_.page()), testing::ElementsAre("17"));
}

TEST(WordsOf, AnAnswerAreThoseOfNow) {
  Question question;
  question.unit = "Sektoren";
  const std::vector<Spans> choices{{{SpanKind::Plain, false, false, "eine Zeile", {}, {}, {}}},
                                   {{SpanKind::Plain, false, false, "eine Spalte", {}, {}, {}}}};
  set_language(wordless());
  EXPECT_EQ(words_of({"32 sectors", 32, {}, {}}, question, {}), "32 Sektoren");
  EXPECT_EQ(words_of({"a column", {}, {1}, {}}, question, choices), "eine Spalte");
  EXPECT_EQ(words_of({"a row; or a column", {}, {0, 1}, {}}, question, choices), "eine Zeile; ~~ eine Spalte");
  EXPECT_EQ(words_of({"lane 3", {}, {}, Click{"", -1, -1, 3, -1}, 4}, question, {}), "~~~~ 3, ~~~ ~~ 4 ~~~~~ ~~~~~~~");
  EXPECT_EQ(words_of({"TM = 8", {}, {}, {}}, question, {}), "TM = 8") << "of a task";
  EXPECT_EQ(words_of({"a third", {}, {2}, {}}, question, choices), "a third") << "a choice that there is no more";
  set_language(nullptr);
}

TEST_F(Desks, APageThatWasBegunInAnotherLanguageIsNotShown) {
  lessons_.open(first(), 2);
  while (woken_ == 0) std::this_thread::yield();  // It is filled in and not yet taken over.
  lessons_.use_course(load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_, "zh"));
  open(2);
  EXPECT_EQ(lessons_.page()->lesson, &first());
}

TEST_F(Desks, OnlyTheLastPageThatWasOpenedIsShown) {
  lessons_.open(first(), 0);
  lessons_.open(first(), 2);
  wait_for([&] { return lessons_.page() != nullptr; });
  EXPECT_EQ(lessons_.page()->step, 2u);
  lessons_.open(first(), 1000);
  wait_for([&] { return lessons_.page() && lessons_.page()->step == first().steps.size() - 1; });
}

}  // namespace
}  // namespace tilescope::lesson
