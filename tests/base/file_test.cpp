#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WriteFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  const fs::path folder_ = fs::temp_directory_path() / ("tilescope-write-file-" + std::to_string(::getpid()));
};

TEST_F(WriteFile, ReplacesAFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(folder_ / "a", "long content"));
  ASSERT_TRUE(write_file(folder_ / "a", "new"));
  EXPECT_EQ(*read_file(folder_ / "a"), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFile, FollowsLinks) {
  ASSERT_TRUE(write_file(folder_ / "target", "old"));
  fs::create_symlink("target", folder_ / "near");
  fs::create_symlink(folder_ / "near", folder_ / "far");
  ASSERT_TRUE(write_file(folder_ / "far", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "far"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "near"));
  EXPECT_EQ(*read_file(folder_ / "target"), "new");

  fs::create_symlink("not_yet", folder_ / "dangling");
  ASSERT_TRUE(write_file(folder_ / "dangling", "made"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(*read_file(folder_ / "not_yet"), "made");
}

TEST_F(WriteFile, WritesOverNothingButARegularFile) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "to_pipe");
  fs::create_directory(folder_ / "folder");
  fs::create_symlink("circle", folder_ / "circle");
  for (const char* name : {"pipe", "to_pipe", "folder"}) {
    const Result<std::monostate> written = write_file(folder_ / name, "x");
    ASSERT_FALSE(written) << name;
    EXPECT_THAT(to_string(written.errors()), HasSubstr("not a regular file; name a file")) << name;
  }
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
  EXPECT_FALSE(write_file(folder_ / "circle", "x"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "circle"));
  EXPECT_EQ(files(), 4u);
}

}  // namespace
}  // namespace tilescope
