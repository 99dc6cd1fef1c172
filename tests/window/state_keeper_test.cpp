#include "window/state_keeper.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "session/state_file.h"

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
  EXPECT_EQ(session::load_state(keeper.file())->inputs.kernel, "c");
}

TEST_F(Keeper, AFolderThatCannotBeWrittenIsSaidOnce) {
  write("state", "a file where the folder should be");
  StateKeeper keeper(folder_ / "state");
  keeper.start(with_kernel("a"));
  keeper.save(with_kernel("b"));
  EXPECT_TRUE(keeper.notice().starts_with("What is on screen will not be there next time. ")) << keeper.notice();
}

}  // namespace
}  // namespace tilescope::window
