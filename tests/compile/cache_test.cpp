#include "compile/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>

#include "base/file.h"
#include "temporary_folder.h"

namespace tilescope::compile {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kRoomy = 1 << 20;

TEST(Record, WholeEncodingOrNothing) {
  const Record record{{"a", std::string("\0\xff", 2)}, {"b", ""}};
  const std::string bytes = encode(record);
  EXPECT_EQ(decode(bytes), record);
  const size_t first_field = encode({{"a", record.at("a")}}).size();
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_EQ(decode(bytes.substr(0, size)).has_value(), size == first_field) << size;
  EXPECT_EQ(decode(std::string(16, '\xff')), std::nullopt);
  EXPECT_EQ(decode(bytes + bytes), std::nullopt);
}

TEST(Cache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  Cache cache(folder.path() / "deep" / "er", kRoomy);
  EXPECT_EQ(cache.find("h"), std::nullopt);
  ASSERT_TRUE(cache.store("h", {{"ptx", "text"}}));
  EXPECT_EQ(cache.find("h"), (Record{{"ptx", "text"}}));
}

TEST(Cache, DamagedEntryIsIgnoredAndReplaced) {
  const TemporaryFolder folder;
  Cache cache(folder.path(), kRoomy);
  ASSERT_TRUE(cache.store("h", {{"ptx", "text"}}));
  const std::string whole = *read_file(folder.path() / "h.entry");
  std::string altered = whole;
  altered.back() ^= 1;
  for (const std::string& damaged : {whole.substr(0, whole.size() - 1), whole.substr(0, 10), std::string(), altered}) {
    folder.write("h.entry", damaged);
    EXPECT_EQ(cache.find("h"), std::nullopt);
  }
  ASSERT_TRUE(cache.store("h", {{"ptx", "text"}}));
  EXPECT_EQ(cache.find("h"), (Record{{"ptx", "text"}}));
}

TEST(Cache, OldestEntriesGo) {
  const TemporaryFolder folder;
  const Record kilobyte{{"ptx", std::string(1000, 'x')}};
  for (const char* hash : {"old", "older", "new"}) ASSERT_TRUE(Cache(folder.path(), kRoomy).store(hash, kilobyte));
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder.path() / "older.entry", now - std::chrono::hours(2));
  fs::last_write_time(folder.path() / "old.entry", now - std::chrono::hours(1));
  Cache cache(folder.path(), 3500);
  ASSERT_TRUE(cache.store("newest", kilobyte));
  EXPECT_EQ(cache.find("older"), std::nullopt);
  EXPECT_TRUE(cache.find("old") && cache.find("new") && cache.find("newest"));
  fs::last_write_time(folder.path() / "new.entry", now - std::chrono::minutes(1));
  ASSERT_TRUE(cache.store("last", kilobyte));
  EXPECT_EQ(cache.find("old"), std::nullopt);
  EXPECT_TRUE(cache.find("last"));
}

TEST(Cache, FolderThatCannotBeMade) {
  const auto stored = Cache("/dev/null/cache", kRoomy).store("h", {});
  ASSERT_FALSE(stored);
  EXPECT_EQ(to_string(stored.errors()), "error: /dev/null/cache: cannot be made: Not a directory.");
  EXPECT_EQ(to_string(Cache("", kRoomy).store("h", {}).errors()), "error: neither XDG_CACHE_HOME nor HOME is set.");
  EXPECT_EQ(Cache("", kRoomy).find("h"), std::nullopt);
}

// A limit of file size stops a write half way, as a full disk does.
TEST(Cache, WriteThatStopsHalfWayLeavesNothing) {
  const TemporaryFolder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto stored = Cache(folder.path(), kRoomy).store("h", {{"ptx", std::string(1'000'000, 'x')}});
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(stored);
  EXPECT_EQ(to_string(stored.errors()),
            "error: " + (folder.path() / "h.entry").string() + ": cannot be written: File too large.");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace tilescope::compile
