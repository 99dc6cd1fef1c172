#include "session/counted_work.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "prebuilt_only.h"
#include "session/count.h"
#include "session/run.h"

namespace tilescope::session {
namespace {

Request request_of(const std::string& kernel, const kernel::Size& size) {
  Request result;
  result.kernel = *kernel::load_kernel(TILESCOPE_SOURCE_DIR "/kernels/" + kernel + ".cu");
  result.size = size;
  return result;
}

// Where every block and every step over k does the same, one block at two short K says all.
TEST(CountedWork, CarriedOnItIsWhatTheWholeGridDoes) {
  for (const char* name :
       {"01_naive_rows", "02_naive_swapped", "04_shared_tile", "09_thread_tile_2d", "11_warp_tile"}) {
    const Request wanted = request_of(name, {256, 256, 512});
    const Result<CountedWork> carried = count_work(wanted, prebuilt_compiler());
    ASSERT_TRUE(carried) << to_string(carried.errors());
    const Result<Report> whole = run(wanted, prebuilt_compiler());
    ASSERT_TRUE(whole) << to_string(whole.errors());
    ASSERT_EQ(whole->counts.blocks_counted, whole->counts.blocks_total);
    const analysis::Work exact =
        work_of(whole->counts, *kernel::configure(wanted.kernel.description, wanted.settings, wanted.size));
    EXPECT_EQ(carried->work.fmas, exact.fmas) << name;
    EXPECT_EQ(carried->work.shared_wavefronts, exact.shared_wavefronts) << name;
    EXPECT_EQ(carried->work.l1_wavefronts, exact.l1_wavefronts) << name;
    EXPECT_EQ(carried->work.l1_sectors, exact.l1_sectors) << name;
    EXPECT_EQ(carried->work.dram_bytes, exact.dram_bytes) << name;
    EXPECT_EQ(carried->work.flops, exact.flops) << name;
    EXPECT_EQ(carried->blocks, whole->counts.blocks_total) << name;
  }
}

TEST(CountedWork, TheCounterCountsEachConfigurationOnceAndPassesOverIllegalOnes) {
  std::atomic<int> woken = 0;
  WorkCounter counter(prebuilt_compiler(), [&] { ++woken; });
  const Request legal = request_of("04_shared_tile", {256, 256, 256});
  Request illegal = legal;
  illegal.settings["TILE"] = "7000";
  for (const Request& each : {legal, illegal, legal}) counter.ask(each);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (counter.poll(), counter.busy() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(counter.counted().size(), 1U);
  EXPECT_EQ(counter.counted()[0].kernel, "04_shared_tile");
  EXPECT_EQ(counter.counted()[0].size, 256);
  EXPECT_EQ(counter.counted()[0].work.fmas, uint64_t{256} * 256 * 256);
  EXPECT_LE(woken, 2);
}

TEST(CountedWork, TheCounterForgetsTheOldestOfMany) {
  WorkCounter counter(prebuilt_compiler(), [] {});
  const auto wait = [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (counter.poll(), counter.busy() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const Request first = request_of("04_shared_tile", {256, 256, 256});
  counter.ask(first);
  Request illegal = first;
  for (size_t i = 0; i < WorkCounter::kMostKept; ++i) {
    illegal.settings["TILE"] = std::to_string(7000 + i);
    counter.ask(illegal);
  }
  wait();
  ASSERT_EQ(counter.counted().size(), 1U);
  counter.ask(first);
  wait();
  EXPECT_EQ(counter.counted().size(), 2U) << "it was counted again";
}

}  // namespace
}  // namespace tilescope::session
