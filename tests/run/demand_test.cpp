// The demands that the model was fitted to, compared with current counts; skipped without NVRTC, because registers
// decide the occupancy.
#include "run/demand.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "built_compiler.h"
#include "run/counted_work.h"

namespace tilescope::run {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// Of a stage, or of a lesson's kernel.
std::filesystem::path source_of(const std::string& kernel) {
  const std::filesystem::path root = TILESCOPE_SOURCE_DIR;
  for (const auto& lesson : std::filesystem::directory_iterator(root / "lessons"))
    if (const auto file = lesson.path() / (kernel + ".cu"); std::filesystem::exists(file)) return file;
  return root / "kernels" / (kernel + ".cu");
}

Request request_of(const std::vector<std::string>& row) {
  Request request;
  request.kernel = *kernel::load_kernel(source_of(row.at(0)));
  for (const std::string& setting : split(row.at(1), ' ')) {
    const std::vector<std::string> sides = split(setting, '=');
    request.settings[sides.at(0)] = sides.at(1);
  }
  const int64_t size = std::stoll(row.at(2));
  request.size = {size, size, size};
  return request;
}

TEST(Demand, WhatTheModelWasFittedToIsWhatIsCountedNow) {
  compile::Compiler& compiler = built_compiler();
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  constexpr size_t kEvery = 83;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/predict/data/h200_demands.csv");
  std::string line;
  std::getline(file, line);
  for (size_t number = 0; std::getline(file, line); ++number) {
    if (number % kEvery != 0) continue;
    SCOPED_TRACE(line);
    const std::vector<std::string> row = split(line, ',');
    const Result<PreparedPointer> prepared = prepare(request_of(row), compiler);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const Result<CountedWork> counted = count_work(**prepared, compiler);
    ASSERT_TRUE(counted && counted->demand);
    EXPECT_EQ(counted->demand->blocks, std::stoull(row.at(4)));
    EXPECT_EQ(counted->demand->warps, std::stoul(row.at(5)));
    EXPECT_EQ(counted->demand->blocks_per_sm, std::stoul(row.at(6))) << "run scripts/fit-prediction --count";
    constexpr size_t kOnH200 = 7;  // The others do not matter there.
    for (size_t i = 0; i < kOnH200; ++i) {
      const double fitted = std::stod(row.at(7 + i));
      EXPECT_NEAR(counted->demand->block.*predict::kBlockDemands[i], fitted, 1e-6 * fitted)
          << i << ": run scripts/fit-prediction --count";
    }
  }
}

}  // namespace
}  // namespace tilescope::run
