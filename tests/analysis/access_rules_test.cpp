#include "analysis/access_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

namespace tilescope::analysis {
namespace {

using Addresses = std::array<uint64_t, 32>;
constexpr uint32_t kAll = 0xffffffff;

Addresses by_lane(const std::function<uint64_t(uint32_t)>& address) {
  Addresses addresses;
  for (uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
  return addresses;
}

struct Measured {
  std::string id, space, op, pattern;
  uint32_t bytes = 0, active = 0;
  Addresses offsets{};
  uint32_t requests = 0, sectors = 0, wavefronts = 0, bank_conflicts = 0;
};

uint32_t number(const std::string& text, int base = 10) {
  return text.empty() ? 0 : static_cast<uint32_t>(std::stoul(text, nullptr, base));
}

Measured parse_row(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line + ",");
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  Measured row{cells[0], cells[1], cells[2], cells[4]};
  row.bytes = number(cells[3]);
  row.active = number(cells[5], 16);
  for (size_t lane = 0; lane < 32; ++lane) row.offsets[lane] = number(cells[6 + lane]);
  row.requests = number(cells[38]);
  row.sectors = number(cells[39]);
  row.wavefronts = number(cells[40]);
  row.bank_conflicts = number(cells[41]);
  return row;
}

std::vector<Measured> measured_rows() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/analysis/data/h200_warp_access_patterns.csv");
  std::vector<Measured> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) rows.push_back(parse_row(line));
  return rows;
}

TEST(AccessRules, ReproduceEveryMeasuredPattern) {
  const auto rows = measured_rows();
  ASSERT_EQ(rows.size(), 716u);
  for (const Measured& row : rows) {
    SCOPED_TRACE("row " + row.id + " " + row.space + " " + row.op + " " + row.pattern);
    if (row.space == "global") {
      const GlobalCost cost = global_cost(row.offsets.data(), row.active, row.bytes);
      EXPECT_EQ(cost.requests, row.requests);
      EXPECT_EQ(cost.sectors, row.sectors);
    } else {
      const SharedCost cost = shared_cost(row.offsets.data(), row.active, row.bytes, row.op == "ld");
      EXPECT_EQ(cost.wavefronts, row.wavefronts);
      EXPECT_EQ(cost.bank_conflicts, row.bank_conflicts);
    }
  }
}

TEST(AccessRules, PicturesAgreeWithEveryMeasuredPattern) {
  for (const Measured& row : measured_rows()) {
    SCOPED_TRACE("row " + row.id + " " + row.pattern);
    if (row.space == "global") {
      EXPECT_EQ(global_sectors(row.offsets.data(), row.active, row.bytes).size(), row.sectors);
      continue;
    }
    const SharedPicture picture = shared_picture(row.offsets.data(), row.active, row.bytes, row.op == "ld");
    const uint32_t wavefronts = picture.wavefronts();
    EXPECT_EQ(wavefronts, row.wavefronts);
    std::set<std::pair<uint32_t, uint32_t>> bank_and_wavefront;
    for (const BankWord& word : picture.words) {
      EXPECT_LT(word.wavefront, wavefronts);
      EXPECT_EQ(word.bank, word.word % 32);
      EXPECT_TRUE(bank_and_wavefront.insert({word.bank, word.wavefront}).second) << "a bank serves two words at once";
    }
  }
}

TEST(AccessRules, PermutationOfOneLineIsFourSectors) {
  const auto addresses = by_lane([](uint32_t lane) { return 0x10000 + lane * 7 % 32 * 4; });
  EXPECT_EQ(global_cost(addresses.data(), kAll, 4), (GlobalCost{1, 4, 1, 32, 128}));
}

TEST(AccessRules, GlobalCountsSectorsLinesAndWords) {
  const auto contiguous = by_lane([](uint32_t lane) { return 0x1000 + lane * 4; });
  EXPECT_EQ(global_cost(contiguous.data(), kAll, 4), (GlobalCost{1, 4, 1, 32, 128}));
  const auto shifted = by_lane([](uint32_t lane) { return 0x1004 + lane * 4; });
  EXPECT_EQ(global_cost(shifted.data(), kAll, 4), (GlobalCost{1, 5, 2, 32, 128}));
  const auto column = by_lane([](uint32_t lane) { return 0x1000 + lane * 4096; });
  EXPECT_EQ(global_cost(column.data(), kAll, 4), (GlobalCost{1, 32, 32, 32, 128}));
  const auto wide = by_lane([](uint32_t lane) { return 0x1000 + lane * 16; });
  EXPECT_EQ(global_cost(wide.data(), kAll, 16), (GlobalCost{1, 16, 4, 128, 512}));
  EXPECT_EQ(global_cost(wide.data(), 0x5, 16), (GlobalCost{1, 2, 1, 8, 32}));
  const auto bytes = by_lane([](uint32_t lane) { return 0x1000 + lane; });
  EXPECT_EQ(global_cost(bytes.data(), kAll, 1), (GlobalCost{1, 1, 1, 32, 32}));
}

// The ideal is the fewest sectors that the distinct bytes fit in, whatever their order and however many lanes share
// them.
TEST(AccessRules, IdealSectorsAreThoseOfTheDistinctBytes) {
  const auto ideal = [](const Addresses& addresses, uint32_t active, uint32_t bytes) {
    const uint32_t count = global_cost(addresses.data(), active, bytes).ideal_sectors();
    EXPECT_EQ(ideal_sectors(global_sectors(addresses.data(), active, bytes)), count);
    return count;
  };
  const auto broadcast = by_lane([](uint32_t) { return 0x1004; });
  EXPECT_EQ(ideal(broadcast, kAll, 4), 1u);
  EXPECT_EQ(ideal(broadcast, 1, 4), 1u);
  const auto column = by_lane([](uint32_t lane) { return 0x1000 + lane * 4096; });
  EXPECT_EQ(ideal(column, kAll, 4), 4u);
  EXPECT_EQ(ideal(column, kAll, 2), 2u);
  EXPECT_EQ(ideal(column, 0x000001ff, 4), 2u);
  const auto shifted = by_lane([](uint32_t lane) { return 0x1004 + lane * 4; });
  EXPECT_EQ(ideal(shifted, kAll, 4), 4u);
  const auto two_rows = by_lane([](uint32_t lane) { return 0x1000 + lane / 16 * 4096; });
  EXPECT_EQ(ideal(two_rows, kAll, 4), 1u);
  const auto backwards = by_lane([](uint32_t lane) { return 0x1000 + (7 - lane % 8) * 16; });
  EXPECT_EQ(ideal(backwards, kAll, 16), 4u);
}

TEST(AccessRules, IdealsOfCostAndPictureAgreeForEveryMeasuredPattern) {
  for (const Measured& row : measured_rows()) {
    SCOPED_TRACE("row " + row.id + " " + row.pattern);
    if (row.space == "global") {
      const uint32_t ideal = global_cost(row.offsets.data(), row.active, row.bytes).ideal_sectors();
      EXPECT_EQ(ideal_sectors(global_sectors(row.offsets.data(), row.active, row.bytes)), ideal);
      EXPECT_LE(ideal, row.sectors);
    } else {
      const bool load = row.op == "ld";
      EXPECT_EQ(shared_picture(row.offsets.data(), row.active, row.bytes, load).ideal_wavefronts(),
                shared_cost(row.offsets.data(), row.active, row.bytes, load).ideal_wavefronts());
    }
  }
}

TEST(AccessRules, InactiveLanesAreNotRead) {
  const auto wild = by_lane([](uint32_t lane) { return lane == 9 ? 0x1000 : 0xdeadbeef00 * (lane + 1); });
  EXPECT_EQ(global_cost(wild.data(), 1u << 9, 4), (GlobalCost{1, 1, 1, 1, 4}));
  EXPECT_EQ(local_cost(wild.data(), 1u << 9, 16), (GlobalCost{1, 4, 4, 4, 16}));
  EXPECT_EQ(shared_cost(wild.data(), 1u << 9, 16, true), (SharedCost{1, 1, 0, 4}));
}

TEST(AccessRules, NoActiveLaneCostsNothing) {
  const Addresses zeros{};
  EXPECT_EQ(global_cost(zeros.data(), 0, 4), GlobalCost{});
  EXPECT_EQ(local_cost(zeros.data(), 0, 4), GlobalCost{});
  EXPECT_EQ(shared_cost(zeros.data(), 0, 16, true), SharedCost{});
  EXPECT_TRUE(global_sectors(zeros.data(), 0, 4).empty());
  EXPECT_TRUE(shared_picture(zeros.data(), 0, 4, true).groups.empty());
}

TEST(AccessRules, LocalMemoryInterleavesLanes) {
  const auto same_offset = by_lane([](uint32_t) { return 64; });
  EXPECT_EQ(local_cost(same_offset.data(), kAll, 4), (GlobalCost{1, 4, 1, 32, 128}));
  EXPECT_EQ(local_cost(same_offset.data(), kAll, 16), (GlobalCost{1, 16, 4, 128, 512}));
  const auto own_element = by_lane([](uint32_t lane) { return lane * 4; });
  EXPECT_EQ(local_cost(own_element.data(), kAll, 4), (GlobalCost{1, 32, 32, 32, 128}));
}

TEST(AccessRules, WideLoadMergesOnTheWholeWarpOnly) {
  // Pairs share an address in the first half only: the second half's quarters stay apart, and so do the first's.
  const auto mixed = by_lane([](uint32_t lane) { return lane < 16 ? lane / 2 * 16 : lane * 16; });
  EXPECT_EQ(shared_cost(mixed.data(), kAll, 16, true).wavefronts, 4u);
  const auto pairs = by_lane([](uint32_t lane) { return lane / 2 * 16; });
  EXPECT_EQ(shared_cost(pairs.data(), kAll, 16, true), (SharedCost{1, 2, 0, 128}));
  EXPECT_EQ(shared_cost(pairs.data(), kAll, 16, false), (SharedCost{1, 4, 0, 128}));
}

TEST(AccessRules, SectorsTellWhichBytesAreUsed) {
  const auto addresses = by_lane([](uint32_t lane) { return 0x100 + lane * 16; });
  const auto sectors = global_sectors(addresses.data(), 0x7, 8);
  ASSERT_EQ(sectors.size(), 2u);
  EXPECT_EQ(sectors[0].address, 0x100u);
  EXPECT_EQ(sectors[0].bytes_used, 0x00ff00ffu);
  EXPECT_EQ(sectors[0].lanes, 0x3u);
  EXPECT_EQ(sectors[1].address, 0x120u);
  EXPECT_EQ(sectors[1].bytes_used, 0x000000ffu);
  EXPECT_EQ(sectors[1].lanes, 0x4u);
}

TEST(AccessRules, PictureNamesBankAndWavefrontOfEachWord) {
  const auto column = by_lane([](uint32_t lane) { return lane % 3 * 128; });
  const SharedPicture picture = shared_picture(column.data(), 0xff, 4, true);
  ASSERT_EQ(picture.groups.size(), 1u);
  EXPECT_EQ(picture.groups[0].lanes, 0xffu);
  EXPECT_EQ(picture.groups[0].wavefronts, 3u);
  ASSERT_EQ(picture.words.size(), 3u);
  EXPECT_EQ(picture.words[1].word, 32u);
  EXPECT_EQ(picture.words[1].bank, 0u);
  EXPECT_EQ(picture.words[1].wavefront, 1u);
  EXPECT_EQ(picture.words[1].lanes, 0x92u);
}

/// The rules again, written as literally as possible.
uint32_t plain_wavefronts(const Addresses& addresses, uint32_t active, uint32_t group_lanes) {
  uint32_t wavefronts = 0;
  for (uint32_t first = 0; first < 32; first += group_lanes) {
    std::map<uint64_t, std::set<uint64_t>> words_of_bank;
    for (uint32_t lane = first; lane < first + group_lanes; ++lane)
      if (active >> lane & 1) words_of_bank[addresses[lane] / 4 % 32].insert(addresses[lane] / 4);
    size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
    wavefronts += static_cast<uint32_t>(most);
  }
  return wavefronts;
}

TEST(AccessRules, FastFormsAgreeWithTheRuleOnRandomPatterns) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    const uint32_t base = random() % 4096, step = random() % 70, row = random() % 300, columns = 1u << random() % 6;
    const bool scattered = round % 4 == 0;
    const uint32_t active = round % 3 == 0 ? random() | 1u << random() % 32 : kAll;
    const auto addresses = by_lane([&](uint32_t lane) -> uint64_t {
      return scattered ? random() % 8192 * 4 : (base + lane % columns * step + lane / columns * row) * 4;
    });
    std::set<uint64_t> sectors, lines, distinct;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(active >> lane & 1)) continue;
      sectors.insert(addresses[lane] / 32);
      lines.insert(addresses[lane] / 128);
      distinct.insert(addresses[lane]);
    }
    const GlobalCost global = global_cost(addresses.data(), active, 4);
    ASSERT_EQ(global.sectors, sectors.size());
    ASSERT_EQ(global.lines, lines.size());
    ASSERT_EQ(global.bytes, 4 * distinct.size());
    ASSERT_EQ(shared_cost(addresses.data(), active, 4, true).wavefronts, plain_wavefronts(addresses, active, 32));
  }
}

}  // namespace
}  // namespace tilescope::analysis
