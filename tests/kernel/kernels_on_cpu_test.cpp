// Every kernel, compiled as C++ and launched as its description says, computes A * B.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "kernel/configuration.h"
#include "kernels_as_cpp.h"

namespace tilescope::kernel {
namespace {

using Sgemm = void (*)(const float*, const float*, float*, int, int, int);

struct Case {
  const char* kernel;
  Settings settings;
  Size size;
  Sgemm function;
};

// Small whole numbers: every product and sum is exact, so the result must be equal, not near.
float element(int64_t row, int64_t col) { return static_cast<float>((row * 7 + col * 3) % 11 - 5); }

std::vector<float> filled(const ArrayShape& array) {
  std::vector<float> values(array.bytes / sizeof(float), array.role == Role::Input ? 0.0f : NAN);
  if (array.role != Role::Input) return values;
  for (uint64_t row = 0; row < array.logical[0]; ++row)
    for (uint64_t col = 0; col < array.logical[1]; ++col)
      values[row * array.shape[1] + col] = element(static_cast<int64_t>(row), static_cast<int64_t>(col));
  return values;
}

class OnCpu : public testing::TestWithParam<Case> {};

TEST_P(OnCpu, ComputesTheProduct) {
  const Case& test = GetParam();
  const Result<Kernel> kernel = load_kernel(std::string(TILESCOPE_SOURCE_DIR "/kernels/") + test.kernel + ".cu");
  ASSERT_TRUE(kernel) << to_string(kernel.errors());
  const Result<Configuration> set = configure(kernel->description, test.settings, test.size);
  ASSERT_TRUE(set) << to_string(set.errors());
  std::vector<std::vector<float>> arrays;
  const auto shape = [&](size_t i) -> const ArrayShape& {
    return set->arrays[static_cast<size_t>(set->arguments[i].array)];
  };
  for (size_t i = 0; i < 3; ++i) arrays.push_back(filled(shape(i)));
  const auto integer = [&](size_t i) { return static_cast<int>(set->arguments[i].integer); };
  launch_on_cpu(test.function, set->grid, set->block, arrays[0].data(), arrays[1].data(), arrays[2].data(), integer(3),
                integer(4), integer(5));
  const uint64_t stride = shape(2).shape[1];
  for (int64_t row = 0; row < test.size.m; ++row)
    for (int64_t col = 0; col < test.size.n; ++col) {
      float expected = 0;
      for (int64_t k = 0; k < test.size.k; ++k) expected += element(row, k) * element(k, col);
      ASSERT_EQ(arrays[2][static_cast<uint64_t>(row) * stride + static_cast<uint64_t>(col)], expected)
          << "C[" << row << "][" << col << "]";
    }
}

const Case kCases[] = {
    {"01_naive_rows", {{"BLOCK", "8"}}, {21, 10, 7}, naive_rows::sgemm_naive_rows},
    {"02_naive_swapped", {{"BLOCK", "16"}}, {21, 10, 7}, naive_swapped::sgemm_naive_swapped},
    {"03_naive_flat", {{"BLOCKSIZE", "8"}}, {21, 10, 7}, naive_flat::sgemm_naive_flat},
    {"04_shared_tile", {{"TILE", "16"}}, {48, 16, 32}, shared_tile::sgemm_shared_tile},
    {"04_shared_tile", {{"TILE", "16"}, {"FLAT", "1"}}, {16, 48, 32}, shared_tile_flat::sgemm_shared_tile},
    {"05_guarded_tile", {{"TILE", "16"}}, {33, 20, 17}, guarded_tile::sgemm_guarded_tile},
    {"06_padded_tile", {{"TILE", "16"}}, {33, 20, 17}, padded_tile::sgemm_padded_tile},
    {"07_rect_tile", {}, {19, 40, 65}, rect_tile::sgemm_rect_tile},
    {"07_rect_tile", {{"TILE_ROWS", "16"}, {"TILE_COLS", "8"}}, {19, 20, 13}, rect_tile_tall::sgemm_rect_tile},
    {"08_thread_tile_1d", {}, {128, 64, 64}, thread_tile_1d::sgemm_thread_tile_1d},
    {"08_thread_tile_1d",
     {{"BM", "32"}, {"BN", "16"}, {"BK", "8"}, {"TM", "4"}, {"DOT_OUTSIDE", "0"}},
     {32, 48, 16},
     thread_tile_1d_inside::sgemm_thread_tile_1d},
    {"09_thread_tile_2d", {}, {128, 256, 64}, thread_tile_2d::sgemm_thread_tile_2d},
    {"09_thread_tile_2d",
     {{"BM", "64"}, {"BN", "32"}, {"BK", "16"}, {"TM", "8"}, {"TN", "2"}},
     {128, 32, 32},
     thread_tile_2d_small::sgemm_thread_tile_2d},
    {"10_wide_loads", {}, {256, 128, 48}, wide_loads::sgemm_wide_loads},
    {"10_wide_loads",
     {{"BM", "32"}, {"BN", "64"}, {"BK", "8"}, {"TM", "8"}, {"TN", "4"}},
     {64, 64, 16},
     wide_loads_small::sgemm_wide_loads},
    {"11_warp_tile", {}, {128, 256, 48}, warp_tile::sgemm_warp_tile},
    {"11_warp_tile",
     {{"BM", "64"}, {"BN", "128"}, {"BK", "8"}, {"WM", "32"}, {"WN", "64"}, {"WNITER", "2"}, {"TM", "4"}, {"TN", "4"}},
     {128, 128, 24},
     warp_tile_two_by_two::sgemm_warp_tile},
};

INSTANTIATE_TEST_SUITE_P(Kernels, OnCpu, testing::ValuesIn(kCases), [](const auto& each) {
  return std::string(each.param.kernel) + "_" + std::to_string(each.index);
});

}  // namespace
}  // namespace tilescope::kernel
