#include "measure/desk.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "kernel/catalogue.h"
#include "measure/with_nvrtc.h"
#include "shipped_kernels.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;
using std::chrono::milliseconds;

class DeskTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void need_nvrtc() {
    if (!has_nvrtc()) GTEST_SKIP() << "kernels are measured as machine code, which needs NVRTC";
  }

  DeskFiles files() const {
    const fs::path assets = TILESCOPE_SOURCE_DIR "/assets";
    return {folder_, assets / "published.toml", assets / "devices.toml", folder_ / "store.db"};
  }
  Settings settings(const std::string& mode) const {
    Settings result;
    result.command = {TILESCOPE_BINARY_DIR "/tests/fake_agent", mode, (folder_ / "answers").string()};
    result.first_pause = milliseconds(1);
    return result;
  }
  /// Polls until that holds; false after twenty seconds.
  template <class Condition>
  static bool wait(Desk& desk, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (desk.poll(), !condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(2));
    }
    return true;
  }
  static Job job(int64_t size) { return {shipped_kernels().kernels[1], {}, {size, size, size}, {}, false}; }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("desk-{}", ::getpid());
};

TEST_F(DeskTest, WithoutAnAgentThereAreTheFilesAndNoWord) {
  Desk desk(files(), [] {});
  ASSERT_TRUE(wait(desk, [&] { return !desk.loading(); }));
  EXPECT_FALSE(desk.figures().empty());
  EXPECT_FALSE(desk.devices().empty());
  EXPECT_TRUE(desk.problems().empty());
  EXPECT_FALSE(desk.can_measure());
  EXPECT_EQ(desk.state().sentence.text(), "");
  desk.measure(job(64));
  desk.measure_all(shipped_kernels());
  EXPECT_FALSE(desk.busy());
}

TEST_F(DeskTest, AFileThatCannotBeReadIsAProblemAndTheOthersAreThere) {
  std::ofstream(folder_ / "bad.csv") << "not,a,recording\n";
  Desk desk(files(), [] {});
  ASSERT_TRUE(wait(desk, [&] { return !desk.loading(); }));
  EXPECT_EQ(desk.problems().size(), 1U);
  EXPECT_FALSE(desk.figures().empty());
}

TEST_F(DeskTest, AMeasurementJoinsTheFiguresAndTheHistory) {
  need_nvrtc();
  if (IsSkipped()) return;
  Desk desk(files(), [] {});
  desk.connect(settings("good"), compiler());
  ASSERT_TRUE(wait(desk, [&] { return desk.can_measure(); }));
  EXPECT_EQ(desk.state().device, "Fake GPU");
  const uint64_t version = desk.version();
  desk.measure(job(64));
  ASSERT_TRUE(wait(desk, [&] { return desk.history().size() == 1; })) << desk.failure().text();
  EXPECT_GT(desk.version(), version);
  EXPECT_EQ(desk.figures()[desk.history()[0]].subject.device, "Fake GPU");
  // Once more: from the store, and no second figure.
  const size_t figures = desk.figures().size();
  desk.measure(job(128));
  ASSERT_TRUE(wait(desk, [&] { return desk.history().size() == 2; })) << desk.failure().text();
  desk.measure(job(64));
  ASSERT_TRUE(wait(desk, [&] { return desk.figures()[desk.history().back()].subject.m == 64; }));
  EXPECT_EQ(desk.figures().size(), figures + 1);
  EXPECT_EQ(desk.history().size(), 2U);
}

TEST_F(DeskTest, WhatWasMeasuredIsThereTheNextTime) {
  need_nvrtc();
  if (IsSkipped()) return;
  size_t count = 0;
  {
    Desk desk(files(), [] {});
    desk.connect(settings("good"), compiler());
    ASSERT_TRUE(wait(desk, [&] { return desk.can_measure(); }));
    desk.measure(job(64));
    ASSERT_TRUE(wait(desk, [&] { return !desk.history().empty(); }));
    count = desk.figures().size();
  }
  Desk again(files(), [] {});
  ASSERT_TRUE(wait(again, [&] { return !again.loading(); }));
  EXPECT_EQ(again.figures().size(), count);
  EXPECT_TRUE(again.history().empty());
}

TEST_F(DeskTest, ANewerConfigurationTakesThePlaceOfTheOneBefore) {
  need_nvrtc();
  if (IsSkipped()) return;
  Desk desk(files(), [] {});
  desk.connect(settings("slow"), compiler());
  ASSERT_TRUE(wait(desk, [&] { return desk.can_measure(); }));
  for (const int64_t size : {64, 96, 128, 160, 192}) desk.measure(job(size));
  ASSERT_TRUE(wait(desk, [&] { return !desk.busy() && !desk.history().empty(); }));
  EXPECT_EQ(desk.figures()[desk.history().back()].subject.m, 192);
  EXPECT_LE(desk.history().size(), 2U) << "the first may have been running";
}

TEST_F(DeskTest, AllStagesCountUpAndCanBeGivenUp) {
  need_nvrtc();
  if (IsSkipped()) return;
  Desk desk(files(), [] {});
  desk.set_size(1024);
  desk.connect(settings("slow"), compiler());
  ASSERT_TRUE(wait(desk, [&] { return desk.can_measure(); }));
  desk.measure_all(shipped_kernels());
  EXPECT_EQ(desk.batch().total, shipped_kernels().kernels.size());
  ASSERT_TRUE(wait(desk, [&] { return desk.batch().done >= 1; }));
  desk.cancel();
  ASSERT_TRUE(wait(desk, [&] { return !desk.batch().running(); }));
  EXPECT_LT(desk.history().size(), shipped_kernels().kernels.size());
  EXPECT_EQ(desk.failure().text(), "") << "what was cancelled is no failure";
}

TEST_F(DeskTest, AWrongKernelIsSaidWithItsName) {
  need_nvrtc();
  if (IsSkipped()) return;
  Desk desk(files(), [] {});
  desk.connect(settings("wrong"), compiler());
  ASSERT_TRUE(wait(desk, [&] { return desk.can_measure(); }));
  desk.measure(job(64));
  ASSERT_TRUE(wait(desk, [&] { return !desk.failure().empty(); }));
  EXPECT_EQ(desk.failure().text().substr(0, 18), "02_naive_swapped: ");
  EXPECT_TRUE(desk.history().empty());
}

}  // namespace
}  // namespace tilescope::measure
