#include "window/state_keeper.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "session/state_file.h"
#include "wait_until.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

session::State with_kernel(const char* name) {
  session::State state;
  state.inputs.kernel = name;
  return state;
}

class Keeper : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* name, const std::string& text) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
  }

  static bool appears(const fs::path& file) {
    return wait_until([&] { return fs::exists(file); });
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("state_keeper_test." + std::to_string(::getpid()));
};

TEST_F(Keeper, WhatWasOnScreenComesBackAfterACleanEnd) {
  StateKeeper first(folder_);
  EXPECT_EQ(first.start(with_kernel("a")).inputs.kernel, "a");
  first.finish(with_kernel("b"));
  StateKeeper second(folder_);
  EXPECT_EQ(second.start(with_kernel("a")).inputs.kernel, "b");
  EXPECT_EQ(second.notice(), "");
}

TEST_F(Keeper, AStateThatCrashedIsPutAside) {
  ASSERT_TRUE(session::save_state(with_kernel("b"), folder_ / "state.json"));
  write("running", "999999999");
  StateKeeper keeper(folder_);
  EXPECT_EQ(keeper.start(with_kernel("a")).inputs.kernel, "a");
  const fs::path aside = folder_ / "state-before-the-end.json";
  EXPECT_EQ(keeper.notice(),
            "Tilescope ended unexpectedly last time. What was on screen is kept in " + aside.string() + ".");
  EXPECT_EQ(session::load_state(aside)->inputs.kernel, "b");
  keeper.finish(with_kernel("a"));
  EXPECT_FALSE(fs::exists(folder_ / "running"));
}

TEST_F(Keeper, AnotherWindowThatRunsIsNoCrash) {
  StateKeeper first(folder_);
  first.start(with_kernel("a"));
  first.save(with_kernel("b"));
  StateKeeper second(folder_);
  EXPECT_EQ(second.start({}).inputs.kernel, "b");
  EXPECT_EQ(second.notice(), "");
}

TEST_F(Keeper, ADamagedFileIsPutAside) {
  write("state.json", "{\"tilescope_state\": 9}");
  StateKeeper keeper(folder_);
  EXPECT_EQ(keeper.start(with_kernel("a")).inputs.kernel, "a");
  EXPECT_EQ(keeper.notice(), "What was on screen last time cannot be read. " + (folder_ / "state.json").string() +
                                 ": A newer Tilescope wrote it (format 9; this one reads 1). It is kept as "
                                 "state-unreadable.json.");
  EXPECT_TRUE(fs::exists(folder_ / "state-unreadable.json"));
}

TEST_F(Keeper, AChangeIsWrittenThreeSecondsLater) {
  StateKeeper keeper(folder_);
  keeper.start(with_kernel("a"));
  keeper.note(with_kernel("b"), 10);
  keeper.note(with_kernel("c"), 12.5);
  EXPECT_FALSE(fs::exists(keeper.file()));
  keeper.note(with_kernel("c"), 13);
  EXPECT_TRUE(appears(keeper.file()));
  EXPECT_EQ(session::load_state(keeper.file())->inputs.kernel, "c");
}

TEST_F(Keeper, AFolderThatCannotBeWrittenIsSaidOnce) {
  write("state", "a file where the folder should be");
  StateKeeper keeper(folder_ / "state");
  keeper.start(with_kernel("a"));
  keeper.save(with_kernel("b"));
  EXPECT_EQ(keeper.notice(), "What is on screen will not be there next time. " + keeper.file().string() +
                                 ": cannot be written: Not a directory. Make that folder writable, or start with "
                                 "XDG_STATE_HOME set to one that is.");
  keeper.finish(with_kernel("c"));
}

TEST_F(Keeper, AnEndWaitsForWhatIsBeingWritten) {
  {
    StateKeeper keeper(folder_);
    keeper.start(with_kernel("a"));
    session::State large = with_kernel("b");
    large.inputs.source = std::string(1 << 20, '"');
    keeper.note(large, 10);
    keeper.note(large, 13);
    keeper.finish(with_kernel("c"));
  }
  EXPECT_EQ(session::load_state(folder_ / "state.json")->inputs.kernel, "c");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "no temporary file and no mark is left";
}

}  // namespace
}  // namespace tilescope::window
