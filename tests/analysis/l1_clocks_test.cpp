#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/access_rules.h"

namespace tilescope::analysis {
namespace {

using LaneOffsets = std::array<uint64_t, 32>;

/// A row of data/h200_l1_clocks.csv.
struct Timed {
  std::string id, op, pattern;
  uint32_t bytes = 0, beside = 0, step = 0, active = 0;
  LaneOffsets offsets{};
  double clocks = 0;
};

Timed timed_row(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  const auto whole = [&](size_t i, int base) { return static_cast<uint32_t>(std::stoul(cells.at(i), nullptr, base)); };
  Timed row{cells.at(0), cells.at(1), cells.at(3), whole(2, 10), whole(4, 10), whole(5, 10), whole(6, 16), {}, 0};
  for (size_t lane = 0; lane < row.offsets.size(); ++lane) row.offsets[lane] = whole(7 + lane, 10);
  row.clocks = std::stod(cells.at(39));
  return row;
}

std::vector<Timed> timed_rows(const std::string& op) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/analysis/data/h200_l1_clocks.csv");
  std::vector<Timed> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line))
    if (Timed row = timed_row(line); row.op == op) rows.push_back(std::move(row));
  return rows;
}

uint32_t wavefronts_of(const Timed& row) { return global_wavefronts(row.offsets.data(), row.active, row.bytes); }

/// Of the loads from shared memory beside each request.
uint32_t wavefronts_beside(const Timed& row) {
  LaneOffsets offsets;
  for (uint32_t lane = 0; lane < offsets.size(); ++lane) offsets[lane] = uint64_t{lane} * row.step;
  return row.beside * shared_cost(offsets.data(), row.active, 4, true).wavefronts;
}

/// Lines that one bank of tags looks up, at most.
double tag_clocks(const std::set<uint64_t>& lines) {
  std::array<double, kTagBanks> banks{};
  for (const uint64_t line : lines) ++banks.at(tag_bank(line));
  return std::ranges::max(banks);
}

/// Of the row's requests, on average: they begin one line after another, the first where a multiple of 128 lines does.
double clocks_of(const Timed& row) {
  constexpr uint64_t kRequests = 8;
  const double path = wavefronts_of(row) + wavefronts_beside(row);
  double clocks = 0;
  for (uint64_t request = 0; request < kRequests; ++request) {
    std::set<uint64_t> lines;
    for (uint32_t lane = 0; lane < row.offsets.size(); ++lane)
      if (row.active >> lane & 1)
        for (const uint64_t byte : {uint64_t{0}, uint64_t{row.bytes - 1}})
          lines.insert((row.offsets[lane] + byte) / kLineBytes + request);
    clocks += std::max(path, tag_clocks(lines)) / kRequests;
  }
  return clocks;
}

double lines_of(const Timed& row) { return global_cost(row.offsets.data(), row.active, row.bytes).lines; }

TEST(L1Clocks, LoadsThatHitTakeTheirWavefrontsAndThoseOfSharedMemoryBesideThem) {
  const std::vector<Timed> rows = timed_rows("ld");
  ASSERT_EQ(rows.size(), 1185U);
  for (const Timed& row : rows) {
    SCOPED_TRACE("row " + row.id + " " + row.pattern);
    EXPECT_GE(row.clocks, 0.975 * clocks_of(row));
    // Where tags and wavefronts take about as long, they do not quite overlap.
    EXPECT_LE(row.clocks, (row.beside == 0 ? 1.02 : 1.2) * clocks_of(row) + 0.15);
  }
}

TEST(L1Clocks, EachBankOfTagsLooksUpALinePerClock) {
  constexpr double kOfInstructions = 1.3;  // A request of this program takes so long in any case.
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/hardware/results/h200_tags.csv");
  std::string pattern, numbers, clocks;
  std::getline(file, pattern);
  int rows = 0;
  while (std::getline(std::getline(std::getline(file, pattern, ','), numbers, ','), clocks)) {
    std::istringstream stream(numbers);
    const std::set<uint64_t> lines{std::istream_iterator<uint64_t>(stream), {}};
    EXPECT_NEAR(std::stod(clocks), std::max(kOfInstructions, tag_clocks(lines)), 0.1) << pattern << " " << numbers;
    ++rows;
  }
  EXPECT_EQ(rows, 398);
}

TEST(L1Clocks, LoadsThatMissTakeAClockPerLineAtLeast) {
  for (const char* op : {"ld miss", "ld.cg"}) {
    const std::vector<Timed> rows = timed_rows(op);
    ASSERT_EQ(rows.size(), 195U);
    for (const Timed& row : rows)
      EXPECT_GE(row.clocks, 0.98 * std::max<double>(wavefronts_of(row), lines_of(row))) << row.id << " " << row.pattern;
  }
}

TEST(L1Clocks, StoresTakeTheirWavefrontsAtLeast) {
  const std::vector<Timed> rows = timed_rows("st");
  ASSERT_EQ(rows.size(), 690U);
  for (const Timed& row : rows)
    EXPECT_GE(row.clocks, 0.99 * (wavefronts_of(row) + wavefronts_beside(row))) << row.id << " " << row.pattern;
}

TEST(L1Clocks, SharedMemoryTakesItsWavefronts) {
  for (const char* op : {"ld.shared", "st.shared"})
    for (const Timed& row : timed_rows(op)) {
      SCOPED_TRACE("row " + row.id + " " + row.pattern);
      const double clocks =
          shared_cost(row.offsets.data(), row.active, row.bytes, op == std::string("ld.shared")).wavefronts;
      EXPECT_GE(row.clocks, 0.97 * clocks);
      if (row.active == 0xffffffff) {
        EXPECT_LE(row.clocks, 1.05 * clocks + 0.1);
      }
    }
}

TEST(L1Clocks, RowsOfAPowerOfTwoTakeAClockPerLineAndOthersDoNot) {
  LaneOffsets column;
  for (uint32_t lane = 0; lane < column.size(); ++lane) column[lane] = lane * uint64_t{4096} * 4;
  EXPECT_EQ(global_wavefronts(column.data(), 0xffffffff, 4), 32U);
  for (uint32_t lane = 0; lane < column.size(); ++lane) column[lane] = lane * uint64_t{4097} * 4;
  EXPECT_EQ(global_wavefronts(column.data(), 0xffffffff, 4), 1U);
  EXPECT_EQ(global_wavefronts(column.data(), 0, 4), 0U);
  EXPECT_EQ(global_wavefronts(column.data(), 1, 16), 4U);
}

}  // namespace
}  // namespace tilescope::analysis
