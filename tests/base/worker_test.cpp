#include "base/worker.h"

#include <string>

#include <gtest/gtest.h>

#include "no_more_threads.h"

namespace tilescope {
namespace {

/// Polls until nothing is running; false after ten seconds.
bool settle(Worker& worker) {
  const auto end = Worker::Clock::now() + std::chrono::seconds(10);
  while (worker.poll(), worker.busy()) {
    if (Worker::Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Delivers its name.
Worker::Job named(std::string& said, const std::string& name) {
  return [&said, name](const Worker::Turn& turn) { turn.deliver([&said, name] { said += name; }); };
}

/// Runs until it is cancelled.
void run_on(const Worker::Turn& turn) {
  while (!turn.cancel()) std::this_thread::yield();
}

TEST(Worker, DoesJobsInTheirOrderAndDeliversOnTheOwnersThread) {
  std::atomic<int> woken = 0;
  Worker worker([&] { ++woken; });
  std::string said;
  std::thread::id took_over;
  worker.append(named(said, "a"));
  worker.append(named(said, "b"));
  worker.append([&](const Worker::Turn& turn) { turn.deliver([&] { took_over = std::this_thread::get_id(); }); });
  EXPECT_TRUE(worker.busy());
  ASSERT_TRUE(settle(worker));
  EXPECT_EQ(said, "ab");
  EXPECT_EQ(took_over, std::this_thread::get_id());
  EXPECT_EQ(woken, 3);
  EXPECT_FALSE(worker.poll());
}

TEST(Worker, TheNewestReplacesWhatRunsAndWaits) {
  Worker worker;
  std::string said;
  worker.append(run_on);
  worker.append(named(said, "waits"));
  worker.replace(named(said, "newest"));
  ASSERT_TRUE(settle(worker));
  EXPECT_EQ(said, "newest");
}

TEST(Worker, WhatACancelledJobDeliversIsDroppedBeforeAndAfter) {
  Worker worker;
  std::string said;
  std::atomic<bool> delivered = false;
  worker.append([&](const Worker::Turn& turn) {
    turn.deliver([&] { said += "before"; });
    delivered = true;
    run_on(turn);
    turn.deliver([&] { said += "after"; });
  });
  while (!delivered) std::this_thread::yield();
  worker.cancel();
  ASSERT_TRUE(settle(worker));
  EXPECT_EQ(said, "");
}

TEST(Worker, AJobWaitsForItsTime) {
  Worker worker;
  std::string said;
  const auto begins = Worker::Clock::now() + std::chrono::milliseconds(50);
  Worker::Clock::time_point began;
  worker.replace([&](const Worker::Turn& turn) { turn.deliver([&, now = Worker::Clock::now()] { began = now; }); },
                 begins);
  ASSERT_TRUE(settle(worker));
  EXPECT_GE(began, begins);
}

TEST(Worker, AJobThatThrowsIsASentenceAndTheNextOneIsDone) {
  std::string said, failed;
  Worker worker([] {}, [&](const Message& why) { failed = why.text(); });
  worker.append([](const Worker::Turn&) { throw std::bad_alloc(); });
  worker.append(named(said, "next"));
  ASSERT_TRUE(settle(worker));
  EXPECT_EQ(failed, "There is too little memory for this. Choose a smaller size, or close other programs.");
  EXPECT_EQ(said, "next");
}

TEST(Worker, WhereTheSystemGivesNoThreadPollDoesTheJobs) {
  EXPECT_EXIT(
      {
        no_more_threads();
        int woken = 0;
        Worker worker([&] { ++woken; });
        std::string said;
        worker.append(named(said, "a"));
        worker.append(named(said, "b"));
        const bool was_busy = worker.busy() && woken == 2;
        worker.poll();
        worker.poll();
        const bool frames_came_first = said.empty() && woken == 4;
        worker.poll();
        const bool one_a_call = said == "a" && woken == 6;  // Once by the result, once by the other job.
        settle(worker);
        std::exit(was_busy && frames_came_first && one_a_call && said == "ab" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Worker, ItsEndCancelsWhatRuns) {
  std::atomic<bool> ended = false;
  {
    Worker worker;
    std::atomic<bool> began = false;
    worker.append([&](const Worker::Turn& turn) {
      began = true;
      run_on(turn);
      ended = true;
    });
    while (!began) std::this_thread::yield();
  }
  EXPECT_TRUE(ended) << "it is waited for";
}

}  // namespace
}  // namespace tilescope
