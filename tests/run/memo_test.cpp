#include "run/memo.h"

#include <new>

#include <gtest/gtest.h>

namespace tilescope::run {
namespace {

TEST(Memo, TooLittleMemoryIsAnErrorAndTheNextOneTriesAgain) {
  Memo<int> memo;
  const auto fail = []() -> Result<std::shared_ptr<const int>> { throw std::bad_alloc(); };
  const auto failed = memo.get("a", nullptr, fail);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.errors().front().message.text(),
            "There is too little memory for this. Choose a smaller size, or close other programs.");
  const auto made = memo.get("a", nullptr, [] { return Result(std::make_shared<const int>(3)); });
  ASSERT_TRUE(made);
  EXPECT_EQ(**made, 3);
}

TEST(Memo, WhatSomebodyHoldsIsNotMadeAgain) {
  Memo<int> memo;
  int made = 0;
  const auto make = [&] { return Result(std::make_shared<const int>(++made)); };
  auto first = *memo.get("a", nullptr, make);
  EXPECT_EQ(*memo.get("a", nullptr, make), first);
  EXPECT_EQ(made, 1);
  first.reset();
  EXPECT_EQ(**memo.get("a", nullptr, make), 2);
}

}  // namespace
}  // namespace tilescope::run
