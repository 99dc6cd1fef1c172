#include "store/store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace tilescope::store {
namespace {
namespace fs = std::filesystem;

Measurement sample(int64_t size = 4096, double seconds = 0.01) {
  Measurement m;
  m.subject = {"NVIDIA H200",
               "09_thread_tile_2d",
               "0123456789abcdef",
               {{"BM", 64}, {"BN", 128}},
               size,
               size,
               size,
               "fp32",
               "13.0",
               false};
  m.driver = "580.159.04";
  m.date = "2026-11-21T20:52:31Z";
  m.clock_mhz = 1980;
  m.seconds = {0.99 * seconds, seconds, 1.02 * seconds};
  m.gflops = 1234.5;
  m.reference = Reference{"cublasLt heuristic 2", {0.008, 0.009, 0.01}, {0.85, 0.9, 0.95}};
  m.noise = 0.004;
  m.samples = 20;
  m.dropped = 1;
  return m;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() { fs::create_directories(folder_); }
  ~StoreTest() override { fs::remove_all(folder_); }

  Store open() const { return Store(file_); }
  /// Adds it; what the store says of that.
  static std::string said_when_adding(Store& store, const Measurement& measurement = sample()) {
    const Result<Kept> kept = store.add(measurement);
    return to_string(kept ? kept->notes : kept.errors());
  }
  void write_noise() {
    fs::create_directories(file_.parent_path());
    std::ofstream(file_) << noise_;
  }

  const std::string noise_ = std::string(5000, 'x');
  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("store-{}", ::getpid());
  fs::path file_ = folder_ / "deeper/measurements.db";
};

TEST_F(StoreTest, FindsTheNewestOfASubjectInAnotherProcessToo) {
  {
    Store store = open();
    ASSERT_TRUE(store.add(sample(4096, 0.01)));
    ASSERT_TRUE(store.add(sample(4096, 0.02)));
    ASSERT_TRUE(store.add(sample(2048, 0.03)));
  }
  const Result<std::optional<Measurement>> found = open().find(sample().subject);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(to_json(**found), to_json(sample(4096, 0.02)));
}

TEST_F(StoreTest, EveryPartOfTheSubjectCounts) {
  Store store = open();
  ASSERT_TRUE(store.add(sample()));
  const auto is_known = [&](auto change) {
    Subject subject = sample().subject;
    change(subject);
    return store.find(subject)->has_value();
  };
  EXPECT_TRUE(is_known([](Subject&) {}));
  EXPECT_FALSE(is_known([](Subject& s) { s.device = "Tesla T4"; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.kernel = "10_wide_loads"; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.kernel_hash = "f"; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.params[0].second = 32; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.k = 1; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.math = "tf32"; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.toolkit = "12.4"; }));
  EXPECT_FALSE(is_known([](Subject& s) { s.hot = true; }));
}

TEST_F(StoreTest, LeavesTheFileOfAnotherProgramAlone) {
  fs::create_directories(file_.parent_path());
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE notes (text); PRAGMA application_id = 7;");
  const std::string whole = *read_file(file_);
  Store store = open();
  const std::string why = fmt::format(
      "{} cannot be used: it belongs to another program. Set TILESCOPE_STORE to another file.", file_.string());
  EXPECT_EQ(to_string(store.all().errors()), "error: " + why);
  EXPECT_EQ(said_when_adding(store), "error: The measurement was not kept: " + why);
  EXPECT_EQ(*read_file(file_), whole);
}

TEST_F(StoreTest, ReadingMakesAndMovesNothing) {
  EXPECT_TRUE(open().all()->empty());
  EXPECT_EQ(*open().find(sample().subject), std::nullopt);
  EXPECT_FALSE(fs::exists(file_.parent_path()));
  write_noise();
  const std::string why = fmt::format(
      "error: {} is damaged (file is not a database), so what was measured before is not known. The next measurement "
      "that is kept moves it aside and starts a new one.",
      file_.string());
  EXPECT_EQ(to_string(open().all().errors()), why);
  EXPECT_EQ(to_string(open().find(sample().subject).errors()), why);
  EXPECT_EQ(*read_file(file_), noise_);
  EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(StoreTest, StartsANewOneBesideWhatIsNoDatabase) {
  write_noise();
  Store store = open();
  EXPECT_EQ(
      said_when_adding(store),
      fmt::format("warning: {} is damaged (file is not a database). It was kept as measurements.db.damaged, and a "
                  "new one was started.",
                  file_.string()));
  EXPECT_EQ(said_when_adding(store), "");
  EXPECT_EQ(store.all()->size(), 2U);
  EXPECT_EQ(*read_file(file_.string() + ".damaged"), noise_);
}

TEST_F(StoreTest, OfManyThreadsThatFindADamagedFileOneMovesItAside) {
  constexpr int kThreads = 8;
  for (int trial = 0; trial < 10; ++trial) {
    fs::remove_all(folder_);
    write_noise();
    std::atomic<int> said = 0, failed = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 1; i <= kThreads; ++i)
        threads.emplace_back([&, i] {
          Store store = open();
          const Result<Kept> kept = store.add(sample(i));
          if (!kept) ++failed;
          if (kept && !kept->notes.empty()) ++said;
        });
    }
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(said, 1);
    EXPECT_EQ(open().all()->size(), static_cast<size_t>(kThreads));
    EXPECT_FALSE(fs::exists(file_.string() + ".damaged-2"));
  }
}

TEST_F(StoreTest, WhatCannotBeWrittenIsSaid) {
  std::ofstream(folder_ / "deeper") << "a file where the folder is to be";
  Store store = open();
  EXPECT_EQ(said_when_adding(store),
            fmt::format("error: The measurement was not kept: {} cannot be used: the folder cannot be made: Not a "
                        "directory. Set TILESCOPE_STORE to another file.",
                        file_.string()));
  Store folder(folder_);
  EXPECT_EQ(said_when_adding(folder),
            fmt::format("error: The measurement was not kept: {} cannot be used: unable to open database file. Set "
                        "TILESCOPE_STORE to another file.",
                        folder_.string()));
}

TEST_F(StoreTest, WithoutAFileNothingIsKeptAndNothingSaid) {
  Store none{{}};
  EXPECT_EQ(said_when_adding(none), "");
  EXPECT_TRUE(none.all()->empty());
}

TEST_F(StoreTest, SurvivesFlippedBits) {
  {
    Store store = open();
    for (int i = 1; i <= 60; ++i) ASSERT_TRUE(store.add(sample(i)));
  }
  const std::string whole = *read_file(file_);
  std::mt19937 random(11);
  int renewed = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::string flipped = whole;
    // Half of them in the header and the schema, where a flip does most harm.
    const size_t at = random() % (trial % 2 ? flipped.size() : 200);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 8));
    ASSERT_TRUE(write_file(file_, flipped));
    Store store = open();
    const Result<Kept> kept = store.add(sample(7777));
    if (!kept) {
      EXPECT_NE(to_string(kept.errors()).find("cannot be used: its version is"), std::string::npos)
          << at << ": " << to_string(kept.errors());
      continue;
    }
    renewed += kept->notes.empty() ? 0 : 1;
    EXPECT_TRUE(store.all()) << at;
  }
  EXPECT_GT(renewed, 5);
}

/// Adds measurements, saying after each on `pipe` that it is kept, until it is killed.
[[noreturn]] void add_for_ever(const fs::path& file, int pipe) {
  Store store(file);
  for (int64_t i = 1;; ++i) {
    if (!store.add(sample(i))) ::_exit(1);
    if (::write(pipe, "x", 1) != 1) ::_exit(1);
  }
}

TEST_F(StoreTest, KilledAtRandomItHasAllThatWasKept) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    fs::remove_all(folder_);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) add_for_ever(file_, ends[1]);
    ::close(ends[1]);
    ::usleep(static_cast<useconds_t>(random() % 10000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    size_t said = 0;
    char byte;
    while (::read(ends[0], &byte, 1) == 1) ++said;
    ::close(ends[0]);
    const Result<std::vector<Measurement>> kept = open().all();
    ASSERT_TRUE(kept) << to_string(kept.errors());
    EXPECT_GE(kept->size(), said);
    EXPECT_LE(kept->size(), said + 1);
  }
}

TEST_F(StoreTest, SeveralProcessesWriteAtOnce) {
  constexpr int64_t kWriters = 4, kEach = 25;
  std::vector<pid_t> children;
  for (int64_t writer = 0; writer < kWriters; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    Store store = open();
    bool fine = true;
    for (int64_t i = 0; fine && i < kEach; ++i) {
      const Result<Kept> kept = store.add(sample(1 + writer * kEach + i));
      fine = kept && kept->notes.empty();
    }
    ::_exit(fine ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const Result<std::vector<Measurement>> all = open().all();
  ASSERT_TRUE(all);
  std::set<int64_t> sizes;
  for (const Measurement& m : *all) sizes.insert(m.subject.m);
  EXPECT_EQ(all->size(), static_cast<size_t>(kWriters * kEach));
  EXPECT_EQ(sizes.size(), all->size());
}

TEST(Csv, ComesBackAsItWas) {
  Measurement plain = sample();
  plain.provenance = Provenance::Recorded;
  plain.source = "h200.csv";
  Measurement odd = plain;
  odd.subject.device = "A \"GPU\", with a comma";
  odd.subject.params.clear();
  odd.reference.reset();
  odd.is_noisy = true;
  const Result<std::vector<Measurement>> back = from_csv(to_csv({plain, odd}), "h200.csv", Provenance::Recorded);
  ASSERT_TRUE(back) << to_string(back.errors());
  ASSERT_EQ(back->size(), 2U);
  EXPECT_EQ(to_json((*back)[0]), to_json(plain));
  EXPECT_EQ(to_json((*back)[1]), to_json(odd));
}

TEST(Csv, AWrongFieldIsNamedWithItsLine) {
  std::string text = to_csv({sample()});
  text.replace(text.find("1234.5"), 6, "fast");
  const Result<std::vector<Measurement>> back = from_csv(text, "x.csv", Provenance::Recorded);
  ASSERT_FALSE(back);
  EXPECT_EQ(to_string(back.errors()), "x.csv:2: error: \"fast\" is not a value of the column gflops.");
}

TEST(Json, AMissingFieldIsNamed) {
  nlohmann::ordered_json json = to_json(sample());
  json.erase("driver");
  const Result<Measurement> back = from_json(json);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.errors()[0].message.text(), "the measurement has no driver.");
}

TEST(NvbenchJson, HasAStateForEachMeasurement) {
  const nlohmann::ordered_json json = to_nvbench_json({sample(256), sample(512)});
  ASSERT_EQ(json["benchmarks"].size(), 1U);
  const nlohmann::ordered_json& states = json["benchmarks"][0]["states"];
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[1]["name"], "BM=64 BN=128 M=512 N=512 K=512");
  EXPECT_EQ(states[1]["axis_values"][0]["value"], "64");
}

TEST(Published, EveryFigureThatShipsCanBeRead) {
  const Shipped shipped = load_published(fs::path(TILESCOPE_SOURCE_DIR) / "assets/published.toml");
  EXPECT_EQ(to_string(shipped.problems), "");
  ASSERT_EQ(shipped.measurements.size(), 18U);
  const Measurement& first = shipped.measurements[0];
  EXPECT_EQ(first.provenance, Provenance::Published);
  EXPECT_EQ(first.subject.device, "Tesla T4");
  EXPECT_EQ(first.gflops, 327.8);
  EXPECT_NEAR(shipped.measurements[10].gflops, 2 * 1.024 * 1.024 * 1.024 / 725e-6, 1e-6);
}

TEST(Published, AFigureWithoutATimeIsNamed) {
  const fs::path file = fs::path(testing::TempDir()) / "published.toml";
  std::ofstream(file) << "[[document]]\ntitle = \"x\"\ndevice = \"y\"\n[[document.figure]]\nkernel = \"z\"\nsize = 4\n";
  const Shipped shipped = load_published(file);
  EXPECT_TRUE(shipped.measurements.empty());
  ASSERT_EQ(shipped.problems.size(), 1U);
  EXPECT_EQ(shipped.problems[0].message.text(), "seconds is missing; give the printed time.");
  EXPECT_EQ(shipped.problems[0].at.line, 4);
}

TEST(Recordings, AllThatShipCanBeRead) {
  const Shipped shipped = load_recordings(fs::path(TILESCOPE_SOURCE_DIR) / "assets/recordings");
  EXPECT_EQ(to_string(shipped.problems), "");
  for (const Measurement& m : shipped.measurements) EXPECT_EQ(m.provenance, Provenance::Recorded);
}

TEST(Recordings, CountersBelongToTheRecordingOfTheSameConfiguration) {
  const Shipped shipped = load_recordings(fs::path(TILESCOPE_SOURCE_DIR) / "assets/recordings");
  std::set<std::string> kernels;
  for (const Measurement& m : shipped.measurements)
    if (!m.counters.empty()) kernels.insert(m.subject.kernel);
  EXPECT_EQ(kernels.size(), 27U) << "all stages, two kernels of lessons";
  // 4096 x 4096 threads of 4096 steps: an FMA for each.
  const auto naive = std::find_if(shipped.measurements.begin(), shipped.measurements.end(), [](const Measurement& m) {
    return m.subject.kernel == "02_naive_swapped" && !m.counters.empty();
  });
  ASSERT_NE(naive, shipped.measurements.end());
  EXPECT_THAT(naive->counters, testing::Contains(std::pair<std::string, double>(
                                   "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 68719476736)));
}

TEST(Counters, ComeBackFromTheirTable) {
  Measurement counted = sample();
  counted.counters = {{"a.sum", 12}, {"b.ratio", 0.25}};
  const std::string table = counters_to_csv({counted, sample()});
  std::vector<Measurement> measurements{sample()};
  ASSERT_TRUE(add_counters(table, "table.csv", measurements));
  EXPECT_EQ(measurements[0].counters, counted.counters);
  EXPECT_EQ(from_json(to_json(counted))->counters, counted.counters);
  const auto wrong = add_counters(table + "x,y\n", "table.csv", measurements);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.errors()[0].at.line, 3);
}

TEST(Percent, IsTheRelativeSpeed) {
  EXPECT_EQ(sample().percent_of_reference(), 90);
  Measurement alone = sample();
  alone.reference.reset();
  EXPECT_EQ(alone.percent_of_reference(), std::nullopt);
}

}  // namespace
}  // namespace tilescope::store
