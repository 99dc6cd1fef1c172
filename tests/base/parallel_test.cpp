#include "base/parallel.h"

#include <new>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "no_more_threads.h"

namespace tilescope {
namespace {

TEST(ForEachOn, CallsEachOnceOnAnyNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 3U, 200U}) {
    std::vector<std::atomic<int>> calls(100);
    for_each_on(threads, calls.size(), nullptr, [&](uint64_t i) { ++calls[i]; });
    EXPECT_TRUE(std::all_of(calls.begin(), calls.end(), [](const auto& count) { return count == 1; })) << threads;
  }
  for_each_on(4, 0, nullptr, [](uint64_t) { FAIL() << "there is nothing to do"; });
}

TEST(ForEachOn, BeginsNoMoreOnceItIsCancelled) {
  std::atomic<bool> cancel = false;
  std::atomic<int> calls = 0;
  for_each_on(2, 1'000'000'000, &cancel, [&](uint64_t) {
    if (++calls == 10) cancel = true;
  });
  EXPECT_LT(calls, 12);
}

TEST(ForEachOn, WhatACallThrowsComesOutOnTheCallingThread) {
  std::atomic<int> calls = 0;
  const auto caller = std::this_thread::get_id();
  const auto throw_elsewhere = [&](uint64_t) {
    ++calls;
    if (std::this_thread::get_id() != caller) throw std::bad_alloc();
    while (calls < 2) std::this_thread::yield();
  };
  EXPECT_THROW(for_each_on(2, 1'000'000'000, nullptr, throw_elsewhere), std::bad_alloc);
  EXPECT_THROW(for_each_on(1, 3, nullptr, [](uint64_t) { throw std::runtime_error("here"); }), std::runtime_error);
}

TEST(ForEachOn, GoesOnWhereTheSystemGivesNoThread) {
  EXPECT_EXIT(
      {
        no_more_threads();
        int calls = 0;  // Of this thread alone.
        for_each_on(8, 100, nullptr, [&](uint64_t) { ++calls; });
        std::exit(calls == 100 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Crew, IsWaitedFor) {
  std::atomic<bool> go = false;
  Crew crew(3, [&] { go.wait(false); });
  EXPECT_EQ(crew.size(), 3U);
  EXPECT_FALSE(crew.wait_for(std::chrono::milliseconds(1)));
  go = true;
  go.notify_all();
  EXPECT_TRUE(crew.wait_for(std::chrono::seconds(20)));
  crew.join();
}

TEST(SentenceOf, TooLittleMemoryIsSaidInWords) {
  EXPECT_EQ(sentence_of(std::make_exception_ptr(std::bad_alloc())).text().substr(0, 32),
            "There is too little memory for t");
  EXPECT_EQ(sentence_of(std::make_exception_ptr(std::runtime_error("no disk"))).text(), "This failed: no disk.");
}

}  // namespace
}  // namespace tilescope
