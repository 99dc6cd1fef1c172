#include "base/async.h"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "no_more_threads.h"

namespace tilescope {
namespace {

TEST(Later, IsMadeByTheTimeItWakes) {
  std::promise<bool> woken;
  std::promise<void> go;
  const Async<int>* seen = nullptr;
  std::atomic<bool> is_in_place = false;
  Async<int> later([&] { return go.get_future().wait(), 7; },
                   [&] {
                     is_in_place.wait(false);
                     woken.set_value(seen->is_made());
                   });
  EXPECT_TRUE(later.is_pending());
  EXPECT_FALSE(later.is_made());
  seen = &later;
  is_in_place = true;
  is_in_place.notify_all();
  go.set_value();
  EXPECT_TRUE(woken.get_future().get());
  EXPECT_EQ(later.take(), 7);
  EXPECT_FALSE(later.is_pending());
  EXPECT_FALSE(later.is_made());
}

TEST(Later, TakesAndGivesWhatCannotBeCopied) {
  Async<std::unique_ptr<int>> later([value = std::make_unique<int>(3)]() mutable { return std::move(value); }, [] {});
  EXPECT_EQ(*later.take(), 3);
}

TEST(Later, IsNothingAtFirstAndCanBeReplaced) {
  Async<int> later;
  EXPECT_FALSE(later.is_pending());
  later = Async<int>([] { return 1; }, [] {});
  later = Async<int>([] { return 2; }, [] {});
  EXPECT_EQ(later.take(), 2);
}

TEST(Later, WhatMakingItThrowsComesOutWhereItIsTaken) {
  Async<int> later([]() -> int { throw std::bad_alloc(); }, [] {});
  EXPECT_THROW(later.take(), std::bad_alloc);
}

TEST(Later, IsMadeAtOnceWhereTheSystemGivesNoThread) {
  EXPECT_EXIT(
      {
        no_more_threads();
        Async<int> later([] { return 5; }, [] {});
        std::exit(later.is_made() && later.take() == 5 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Later, ItsEndWaitsForTheOtherThread) {
  std::atomic<bool> done = false;
  {
    const Async<int> later([] { return 0; }, [&] { done = true; });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace tilescope
