#include "run/inputs.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/launch_memory.h"

namespace tilescope::run {
namespace {

kernel::ArrayShape array_of(std::vector<uint64_t> shape, std::vector<uint64_t> logical,
                            Element element = Element::F32) {
  kernel::ArrayShape array;
  array.name = "A";
  array.element = element;
  array.shape = std::move(shape);
  array.logical = std::move(logical);
  array.bytes = size_of(element);
  for (const uint64_t extent : array.shape) array.bytes *= extent;
  return array;
}

TEST(Inputs, LieInTheHalfOpenIntervalAndDependOnSeedAndName) {
  double sum = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    const float value = input_value(1, "A", i);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);
  EXPECT_NE(input_value(1, "A", 0), input_value(2, "A", 0));
  EXPECT_NE(input_value(1, "A", 0), input_value(1, "B", 0));
  EXPECT_EQ(input_value(1, "A", 5), input_value(1, "A", 5));
}

TEST(Inputs, PaddingIsZeroAndTheRestIsTheDenseMatrix) {
  const kernel::ArrayShape array = array_of({3, 4}, {2, 3});
  const auto value = [&](uint64_t dense) { return input_value(9, array.name, dense); };
  std::vector<float> allocated(12, 7);
  fill_array(9, array, reinterpret_cast<std::byte*>(allocated.data()));
  EXPECT_THAT(allocated,
              testing::ElementsAre(value(0), value(1), value(2), 0, value(3), value(4), value(5), 0, 0, 0, 0, 0));
}

TEST(Inputs, ThreeExtents) {
  std::vector<uint64_t> indices;
  for_each_element(array_of({2, 3, 4}, {2, 2, 1}), [&](uint64_t, uint64_t index) { indices.push_back(index); });
  EXPECT_THAT(indices, testing::ElementsAre(0, 4, 12, 16));
}

TEST(Inputs, HalvesAndIntegersHoldTheSameValues) {
  const kernel::ArrayShape halves = array_of({64}, {64}, Element::F16);
  std::vector<uint16_t> bits(64);
  fill_array(3, halves, reinterpret_cast<std::byte*>(bits.data()));
  for (size_t i = 0; i < bits.size(); ++i) {
    const double magnitude = (1 + (bits[i] & 0x3ff) / 1024.0) * std::ldexp(1.0, ((bits[i] >> 10) & 31) - 15);
    const double value = (bits[i] & 0x8000) ? -magnitude : magnitude;
    EXPECT_NEAR((bits[i] & 0x7fff) ? value : 0, input_value(3, "A", i), 0x1p-10);
  }
  std::vector<int32_t> whole(64);
  fill_array(3, array_of({64}, {64}, Element::I32), reinterpret_cast<std::byte*>(whole.data()));
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i], static_cast<int>(input_value(3, "A", i) * 8));
}

TEST(Memory, ARunThatDoesNotFitIsRefusedWithItsNeed) {
  kernel::Configuration configuration;
  configuration.size = {65536, 65536, 65536};
  configuration.global_bytes = uint64_t{48} << 30;
  EXPECT_TRUE(memory_problem(configuration, uint64_t{96} << 30).empty());
  EXPECT_EQ(memory_problem(configuration, uint64_t{20} << 30).text(),
            "M=65536 N=65536 K=65536 needs 96.0 GiB: 48.0 GiB for the kernel's arrays and as much again to verify its "
            "result; 20.0 GiB is available on this machine. Choose a smaller size.");
  EXPECT_GT(bytes_available(), uint64_t{1} << 20);
}

}  // namespace
}  // namespace tilescope::run
