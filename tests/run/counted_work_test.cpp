#include "run/counted_work.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "prebuilt_only.h"
#include "run/count.h"
#include "run/hardware_counters.h"
#include "run/run.h"
#include "wait_until.h"

namespace tilescope::run {
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
    const Result<CountedWork> carried = count_work(**prepare(wanted, prebuilt_compiler()), prebuilt_compiler());
    ASSERT_TRUE(carried) << to_string(carried.errors());
    const Result<Report> whole = make_report(wanted, prebuilt_compiler());
    ASSERT_TRUE(whole) << to_string(whole.errors());
    ASSERT_EQ(whole->counts.blocks_counted, whole->counts.blocks_total);
    const analysis::Work exact =
        work_of(whole->counts, *kernel::configure(wanted.kernel.description, wanted.settings, wanted.size));
    EXPECT_EQ(carried->work.fmas, exact.fmas) << name;
    EXPECT_EQ(carried->work.shared_wavefronts, exact.shared_wavefronts) << name;
    EXPECT_EQ(carried->work.l1_wavefronts, exact.l1_wavefronts) << name;
    EXPECT_EQ(carried->work.l1_lines, exact.l1_lines) << name;
    EXPECT_EQ(carried->work.dram_bytes, exact.dram_bytes) << name;
    EXPECT_EQ(carried->work.flops, exact.flops) << name;
    EXPECT_EQ(carried->blocks, whole->counts.blocks_total) << name;
  }
}

// A grid that does not grow with N leaves most of a long vector unread, unless its threads go on to further elements.
TEST(CountedWork, ALaunchMovesNoMoreThanItRequests) {
  constexpr int64_t kLength = 1 << 20;
  for (const auto& [file, is_whole] :
       {std::pair{"/lessons/20-reduction/sum_halves.cu", false}, {"/lessons/20-reduction/sum_grid.cu", true}}) {
    Request wanted;
    wanted.kernel = *kernel::load_kernel(std::string(TILESCOPE_SOURCE_DIR) + file);
    if (is_whole)
      wanted.settings["BLOCKS"] = "132";
    else
      wanted.kernel.description.grid = {{"4", {}}};
    wanted.size = {1, kLength, 1};
    const Result<PreparedPointer> prepared = prepare(wanted, prebuilt_compiler());
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const Result<CountedWork> carried = count_work(**prepared, prebuilt_compiler());
    ASSERT_TRUE(carried) << to_string(carried.errors());
    const Result<Report> whole = make_report(wanted, prebuilt_compiler());
    ASSERT_TRUE(whole) << to_string(whole.errors());
    const uint64_t exact =
        work_of(whole->counts, *kernel::configure(wanted.kernel.description, wanted.settings, wanted.size)).dram_bytes;
    EXPECT_EQ(carried->work.dram_bytes, exact) << file;
    EXPECT_EQ(exact >= kLength * sizeof(float), is_whole) << file << ": " << exact;
  }
}

/// What the GPU's counters read of the shipped recordings at 4096, by kernel and parameters.
std::map<std::string, std::map<std::string, double>> recorded_counters() {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/assets/recordings/counters/h200.csv");
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  const auto column = [&](const char* name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::map<std::string, std::map<std::string, double>> all;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    auto& counters = all[cells[column("kernel")] + " " + cells[column("params")]];
    for (size_t i = column("hot") + 1; i < cells.size(); ++i)
      if (!cells[i].empty()) counters[names[i]] = std::stod(cells[i]);
  }
  return all;
}

TEST(CountedWork, CopiesAndProductsOfTheStagesAreWhatAnH200Counts) {
  const auto recorded = recorded_counters();
  size_t compared = 0;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels").kernels) {
    if (kernel.number < 17 || kernel.number == 20) continue;  // No block of 20 is like another.
    Request request;
    request.kernel = kernel;
    request.size = {4096, 4096, 4096};
    const Result<PreparedPointer> prepared = prepare(request, prebuilt_compiler());
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    std::string name = kernel.name;
    for (const auto& [parameter, value] : (*prepared)->configuration.parameters)
      name += " " + parameter + "=" + std::to_string(value);
    const auto found = recorded.find(name);
    if (found == recorded.end()) continue;
    const Result<CountedWork> counted = count_work(**prepared, prebuilt_compiler());
    ASSERT_TRUE(counted) << to_string(counted.errors());
    for (size_t i = 0; i < hardware_counters().size(); ++i) {
      const std::string counter = hardware_counters()[i].name;
      const bool is_of_hopper = counter.find("tma") != std::string::npos || counter.find("gmma") != std::string::npos ||
                                counter.find("ldsm") != std::string::npos || counter.find("stsm") != std::string::npos;
      const bool is_product = hardware_counters()[i].if_counted && counted->counters[i] > 0;
      if ((!is_of_hopper && !is_product) || !hardware_counters()[i].counted || !found->second.contains(counter))
        continue;
      EXPECT_FALSE(differs(found->second.at(counter), static_cast<double>(counted->counters[i])))
          << name << ", " << counter << ": " << std::fixed << found->second.at(counter) << " for "
          << counted->counters[i];
      ++compared;
    }
  }
  EXPECT_GE(compared, 40U);
}

/// What all blocks count, run at the launch's own size.
std::vector<uint64_t> exact_counters(const PreparedPointer& prepared) {
  Control all;
  all.instruction_limit = UINT64_MAX;
  const auto counted = count_grid(prepared, all);
  EXPECT_TRUE(counted);
  std::vector<uint64_t> counters;
  for (const HardwareCounter& counter : hardware_counters())
    counters.push_back(counter.counted ? counter.counted((*counted)->report.counts) : 0);
  return counters;
}

// No tile divides these sizes: blocks at an edge do less, or are idle.
TEST(CountedWork, CountersAreThoseOfTheWholeGridWithItsEdges) {
  for (const auto& [name, size] : {std::pair{"01_naive_rows", kernel::Size{300, 229, 411}},
                                   {"05_guarded_tile", {333, 500, 470}},
                                   {"05_guarded_tile", {1000, 70, 37}},
                                   {"06_padded_tile", {200, 150, 100}},
                                   {"25_any_size", {700, 600, 300}},
                                   {"16_register_banks", {512, 512, 512}}}) {
    const auto prepared = prepare(request_of(name, size), prebuilt_compiler());
    ASSERT_TRUE(prepared) << name << to_string(prepared.errors());
    const Result<CountedWork> counted = count_work(**prepared, prebuilt_compiler());
    ASSERT_TRUE(counted) << to_string(counted.errors());
    EXPECT_TRUE(counted->counters_are_whole) << name;
    const std::vector<uint64_t> exact = exact_counters(*prepared);
    for (size_t i = 0; i < exact.size(); ++i)
      EXPECT_EQ(counted->counters[i], exact[i]) << name << " " << hardware_counters()[i].name;
  }
}

TEST(CountedWork, CountersOfBlocksThatShareTheTilesUnevenlyAreNotTakenForTheGrids) {
  const auto prepared = prepare(request_of("20_stream_k", {1024, 1024, 1024}), prebuilt_compiler());
  ASSERT_TRUE(prepared) << to_string(prepared.errors());
  EXPECT_FALSE(count_work(**prepared, prebuilt_compiler())->counters_are_whole);
}

class WorkCounterTest : public testing::Test {
 protected:
  bool wait() {
    return wait_until([&] { return counter.poll(), !counter.busy(); });
  }
  static Request illegal(int tile) {
    Request request = request_of("04_shared_tile", {256, 256, 256});
    request.settings["TILE"] = std::to_string(tile);
    return request;
  }

  std::atomic<int> woken = 0;
  RunCache runs{prebuilt_compiler()};
  WorkCounter counter{runs, [&] { ++woken; }};
  const Request first = request_of("04_shared_tile", {256, 256, 256});
  const Request second = request_of("01_naive_rows", {256, 256, 256});
};

TEST_F(WorkCounterTest, EachConfigurationIsCountedOnceAndIllegalOnesArePassedOver) {
  counter.want({first, illegal(7000), first});
  ASSERT_TRUE(wait());
  ASSERT_EQ(counter.counted().size(), 1U);
  EXPECT_EQ(counter.counted()[0].kernel, "04_shared_tile");
  EXPECT_EQ(counter.counted()[0].size, 256);
  EXPECT_EQ(counter.counted()[0].work.fmas, uint64_t{256} * 256 * 256);
  const int before = woken;
  const uint64_t version = counter.version();
  counter.want({first, illegal(7000)});
  ASSERT_TRUE(wait());
  EXPECT_EQ(woken, before) << "nothing was left to do";
  EXPECT_EQ(counter.version(), version);
}

TEST_F(WorkCounterTest, WhatIsWantedLaterTakesThePlaceOfWhatWaits) {
  counter.want({second});
  counter.want({first});
  ASSERT_TRUE(wait());
  ASSERT_EQ(counter.counted().size(), 1U);
  EXPECT_EQ(counter.counted()[0].kernel, "04_shared_tile");
  counter.want({first, second});
  ASSERT_TRUE(wait());
  EXPECT_EQ(counter.counted().size(), 2U) << "it may come back";
}

TEST_F(WorkCounterTest, AskingForTheSameAgainDoesNotBeginAnew) {
  std::vector<Request> all{first, second};
  counter.want(all);
  ASSERT_TRUE(wait_until([&] { return counter.want(all), counter.poll(), counter.counted().size() == 2; }))
      << "each call would have dropped what the one before began";
}

TEST_F(WorkCounterTest, TheOldestOfManyIsForgotten) {
  std::vector<Request> all{first};
  for (size_t i = 0; i < WorkCounter::kMostKept; ++i) all.push_back(illegal(7000 + static_cast<int>(i)));
  counter.want(all);
  ASSERT_TRUE(wait());
  ASSERT_EQ(counter.counted().size(), 1U);
  counter.want({first});
  ASSERT_TRUE(wait());
  EXPECT_EQ(counter.counted().size(), 2U) << "it was counted again";
}

// Few blocks share all tiles of C: how many each has follows from the whole matrix.
TEST(CountedWork, OfABlockWithSeveralTilesIsThatOfTheWholeGrid) {
  for (const char* name : {"23_bf16_wgmma", "24_tf32_wgmma"}) {
    const Request wanted = request_of(name, {2048, 4096, 512});
    const Result<CountedWork> carried = count_work(**prepare(wanted, prebuilt_compiler()), prebuilt_compiler());
    ASSERT_TRUE(carried) << to_string(carried.errors());
    EXPECT_TRUE(carried->stands_for_grid) << name;
    uint64_t fmas = 0;
    for (const uint64_t of_type : carried->work.tensor_fmas) fmas += of_type;
    EXPECT_EQ(2 * fmas, carried->work.flops) << name;
  }
}

}  // namespace
}  // namespace tilescope::run
