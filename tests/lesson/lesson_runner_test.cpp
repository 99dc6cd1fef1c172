#include "lesson/lesson_runner.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "prebuilt_only.h"
#include "wait_until.h"

namespace tilescope::lesson {
namespace {

constexpr size_t kAsking = 2;  // The step of the first lesson that asks for a number first.

class Desks : public testing::Test {
 protected:
  template <class Done>
  void wait_for(Done done) {
    ASSERT_TRUE(wait_until([&] { return desk_.poll(), done(); }));
  }
  void open(size_t step) {
    desk_.open(first(), step);
    wait_for([&] { return desk_.page() != nullptr; });
  }
  const Lesson& first() const { return desk_.course().lessons.front(); }
  const Attempt& attempt() const { return desk_.attempt(first(), kAsking); }
  void answer(const std::string& text) {
    desk_.answer(text);
    wait_for([&] { return !attempt().judging; });
  }

  kernel::Catalogue kernels_ = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  compile::Compiler compiler_{prebuilt_only()};
  run::RunCache runs_{compiler_};
  std::atomic<int> woken_ = 0;
  LessonRunner desk_{load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_), runs_, 0, [this] { ++woken_; }};
};

TEST_F(Desks, APageHasItsNumbersFromTheRun) {
  open(kAsking);
  EXPECT_TRUE(desk_.page()->problems.empty());
  std::string text;
  for (const Block& block : desk_.page()->text) text += plain_text(block.spans);
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
  desk_.answer(std::string("3"));
  EXPECT_FALSE(attempt().judging) << "a question that is done takes no answer";
}

TEST_F(Desks, WhatIsNoNumberIsSaidAndDoesNotCount) {
  open(kAsking);
  answer("fifteen");
  EXPECT_FALSE(attempt().right);
  EXPECT_EQ(attempt().wrong, 0);
  EXPECT_EQ(attempt().message.text(), "\"fifteen\" is not a number. Write one, or a sum such as 2*1024^3.");
}

TEST_F(Desks, GivingUpShowsTheAnswer) {
  open(kAsking);
  desk_.give_up();
  wait_for([&] { return attempt().done(); });
  EXPECT_TRUE(attempt().gave_up);
  EXPECT_EQ(attempt().answer.text(), "15 blocks");
}

TEST_F(Desks, AnotherLanguageHasItsOwnPageAndKeepsTheAttempts) {
  open(kAsking);
  answer("15");
  desk_.use_course(load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_, "zh"));
  EXPECT_EQ(desk_.page(), nullptr);
  EXPECT_TRUE(attempt().right);
  open(kAsking);
  EXPECT_EQ(desk_.page()->lesson, &first());
  std::string text;
  for (const Block& block : desk_.page()->text) text += plain_text(block.spans);
  EXPECT_NE(text.find("8 x 8"), std::string::npos) << text;
  EXPECT_EQ(text.find("threads"), std::string::npos) << text;
}

TEST_F(Desks, APageThatWasBegunInAnotherLanguageIsNotShown) {
  desk_.open(first(), 2);
  while (woken_ == 0) std::this_thread::yield();  // It is filled in and not yet taken over.
  desk_.use_course(load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels_, "zh"));
  open(2);
  EXPECT_EQ(desk_.page()->lesson, &first());
}

TEST_F(Desks, OnlyTheLastPageThatWasOpenedIsShown) {
  desk_.open(first(), 0);
  desk_.open(first(), 2);
  wait_for([&] { return desk_.page() != nullptr; });
  EXPECT_EQ(desk_.page()->step, 2u);
  desk_.open(first(), 1000);
  wait_for([&] { return desk_.page() && desk_.page()->step == first().steps.size() - 1; });
}

}  // namespace
}  // namespace tilescope::lesson
