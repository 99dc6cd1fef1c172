// The rules for ldmatrix, stmatrix, bulk copies and wgmma, compared with the counters of an H200.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/counter.h"

namespace tilescope::analysis {
namespace {

using trace::BulkCopy;

/// A launch: its pattern in words, and its counters by name.
struct Launch {
  std::string pattern;
  std::map<std::string, uint64_t> counters;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  bool quoted = false;
  std::string cell;
  for (const char c : line + ",") {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      cells.push_back(std::exchange(cell, {}));
    else if (c != '"')
      cell += c;
  }
  return cells;
}

std::vector<Launch> launches_in(const std::string& name) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/analysis/data/" + name);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Launch> launches;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Launch launch{cells[0], {}};
    for (size_t i = 1; i < names.size(); ++i) launch.counters[names[i]] = std::stoull(cells[i]);
    launches.push_back(launch);
  }
  return launches;
}

TEST(HopperCounts, MatrixRowsAreServedMatrixByMatrix) {
  size_t compared = 0;
  for (const Launch& launch : launches_in("h200_matrix_copies.csv")) {
    char op[3] = {}, trans[8] = {};
    uint32_t count = 0, row = 0, matrix = 0;
    if (std::sscanf(launch.pattern.c_str(), "%2[ldst]matrix.x%u%7[.trans] row %u matrix %u", op, &count, trans, &row, &matrix) != 5 &&
        std::sscanf(launch.pattern.c_str(), "%2[ldst]matrix.x%u row %u matrix %u", op, &count, &row, &matrix) != 4)
      continue;
    uint64_t addresses[trace::kLanes];
    for (uint32_t lane = 0; lane < trace::kLanes; ++lane) addresses[lane] = lane % 8 * row + lane / 8 * matrix;
    Counter counter(1);
    trace::Access access;
    access.at.active = count == 4 ? trace::kAllLanes : (1u << 8 * count) - 1;
    access.kind = op == std::string("ld") ? trace::AccessKind::Load : trace::AccessKind::Store;
    access.space = Space::Shared;
    access.bytes = 16;
    access.is_matrix = true;
    access.addresses = addresses;
    counter.access(access);
    const PcCounts total = counter.total();
    const SharedCounts& counts = access.kind == trace::AccessKind::Load ? total.shared_load : total.shared_store;
    const std::string end = std::string("_mem_shared_op_") + op + ".sum";
    EXPECT_EQ(counts.wavefronts, launch.counters.at("l1tex__data_pipe_lsu_wavefronts" + end)) << launch.pattern;
    EXPECT_EQ(counts.bank_conflicts, launch.counters.at("l1tex__data_bank_conflicts_pipe_lsu" + end)) << launch.pattern;
    ++compared;
  }
  EXPECT_EQ(compared, 408u);
}

/// The pieces of a box of 4-byte elements in a tensor whose rows are `pitch` bytes apart.
std::vector<BulkCopy::Piece> box_pieces(int64_t pitch, int64_t width, int64_t height, int swizzle, int64_t x, int64_t y) {
  constexpr int64_t kBase = 1 << 20;
  const int64_t columns = pitch / 4, apart = std::max<int64_t>(width * 4, swizzle == 0 ? 0 : 16 << swizzle);
  std::vector<BulkCopy::Piece> pieces;
  for (int64_t row = 0; row < height; ++row)
    for (int64_t column = 0; column < width; column += 4) {
      const bool inside = x + column >= 0 && x + column < columns && y + row >= 0;
      pieces.push_back({static_cast<uint64_t>(row * apart + column * 4),
                        inside ? static_cast<uint64_t>(kBase + (y + row) * pitch + (x + column) * 4) : BulkCopy::kNowhere,
                        16, column == 0});
    }
  return pieces;
}

TEST(HopperCounts, BoxesTakeTheirSectorsRowByRowAndLineByLine) {
  size_t compared = 0;
  for (const Launch& launch : launches_in("h200_matrix_copies.csv")) {
    int swizzle = 0, x = 0;
    uint32_t width = 0, height = 0;
    if (std::sscanf(launch.pattern.c_str(), "tma swizzle %d box %u x %u at (%d", &swizzle, &width, &height, &x) != 4) continue;
    EXPECT_EQ(bulk_sectors(box_pieces(4096, width, height, swizzle, x, 0), true),
              launch.counters.at("l1tex__m_xbar2l1tex_read_sectors.sum"))
        << launch.pattern;
    ++compared;
  }
  for (const Launch& launch : launches_in("h200_bulk_copies.csv")) {
    char op[6] = {};
    int swizzle = 0, x = 0, y = 0;
    uint32_t pitch = 0, width = 0, height = 0;
    if (std::sscanf(launch.pattern.c_str(), "%5s pitch %u box %u x %u swizzle %d at (%d, %d", op, &pitch, &width, &height, &swizzle,
                    &x, &y) != 7)
      continue;
    const bool loads = op == std::string("load");
    EXPECT_EQ(bulk_sectors(box_pieces(pitch, width, height, swizzle, x, y), loads),
              launch.counters.at(loads ? "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"
                                       : "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"))
        << launch.pattern;
    ++compared;
  }
  EXPECT_EQ(compared, 127u);
}

TEST(HopperCounts, PlainBulkCopiesAreCutAtLinesOfSharedMemory) {
  size_t compared = 0;
  for (const Launch& launch : launches_in("h200_bulk_copies.csv")) {
    char op[6] = {};
    uint32_t bytes = 0, from = 0, to = 0;
    if (std::sscanf(launch.pattern.c_str(), "bulk %5s %u bytes from %u to %u", op, &bytes, &from, &to) != 4) continue;
    const bool loads = op == std::string("load");
    const std::vector<BulkCopy::Piece> pieces{{loads ? to : from, (1 << 20) + uint64_t{loads ? from : to}, bytes}};
    EXPECT_EQ(bulk_sectors(pieces, loads),
              launch.counters.at(loads ? "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"
                                       : "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"))
        << launch.pattern;
    ++compared;
  }
  EXPECT_EQ(compared, 66u);
}

TEST(HopperCounts, FourWarpsReadTheMatricesOfAProductOnce) {
  size_t compared = 0;
  for (const Launch& launch : launches_in("h200_products.csv")) {
    uint32_t n = 0, k = 0;
    if (std::sscanf(launch.pattern.c_str(), "wgmma m64n%uk%u", &n, &k) != 2) continue;
    const uint32_t line = k * (k == 8 ? 4 : 2);
    const bool registers = launch.pattern.find("in registers") != std::string::npos;
    Counter counter(1);
    for (uint16_t warp = 4; warp < 8; ++warp) {
      trace::ProductRead read;
      read.at.warp = warp;
      read.own_bytes = registers ? 0 : 16 * line;
      read.common_bytes = n * line;
      counter.product_read(read);
    }
    EXPECT_EQ(counter.total().product_wavefronts, launch.counters.at("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"))
        << launch.pattern;
    EXPECT_EQ(launch.counters.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum"), 0u) << launch.pattern;
    ++compared;
  }
  EXPECT_EQ(compared, 44u);
}

}  // namespace
}  // namespace tilescope::analysis
