#include "window/answer_keeper.h"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

class AnswerKeeperTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("answer_keeper." + std::to_string(::getpid()));
  const fs::path file_ = folder_ / "answers.json";
};

TEST_F(AnswerKeeperTest, AnswersAreThereAtTheNextStart) {
  std::map<lesson::StepPlace, lesson::Attempt> attempts;
  attempts[{"coalescing", 2}].given = {{"5", {}, {}, {}}, {"a row", {}, {0}, {}}};
  attempts[{"coalescing", 2}].right = true;
  AnswerKeeper first(file_);
  EXPECT_THAT(first.start(), IsEmpty());
  first.note({});
  EXPECT_FALSE(fs::exists(file_)) << "nothing was answered";
  first.note(attempts);
  first.finish(attempts);
  AnswerKeeper second(file_);
  const auto kept = second.start();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept.at({"coalescing", 2}).right);
  EXPECT_EQ(kept.at({"coalescing", 2}).given, attempts.at({"coalescing", 2}).given);
  EXPECT_EQ(second.notice(), "");
}

TEST_F(AnswerKeeperTest, WhatCannotBeReadIsPutAside) {
  fs::create_directories(folder_);
  std::ofstream(file_) << "{";
  AnswerKeeper keeper(file_);
  EXPECT_THAT(keeper.start(), IsEmpty());
  EXPECT_THAT(keeper.notice(), HasSubstr("answers-unreadable.json"));
  EXPECT_TRUE(fs::exists(folder_ / "answers-unreadable.json"));
}

TEST_F(AnswerKeeperTest, WithoutAFolderNothingIsKept) {
  AnswerKeeper keeper({});
  EXPECT_THAT(keeper.start(), IsEmpty());
  std::map<lesson::StepPlace, lesson::Attempt> attempts;
  attempts[{"coalescing", 2}].gave_up = true;
  keeper.finish(attempts);
  EXPECT_EQ(keeper.notice(), "");
}

}  // namespace
}  // namespace tilescope::window
