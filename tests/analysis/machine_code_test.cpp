#include "analysis/machine_code.h"

#include <vector>

#include <gtest/gtest.h>

#include "analysis/cubin_of.h"

namespace tilescope::analysis {
namespace {

TEST(MachineCode, LoadsOfSharedMemoryAreCountedByWidthAndFmas) {
  constexpr uint64_t kFfma = 0x223, kLds = 0x984, kOther = 0x981;
  const auto loads = read_machine_loads(
      cubin_of({kFfma, 0, kLds, 4 << 9, kFfma, 0, kLds, 5 << 9, kLds, 6 << 9, kLds, 6 << 9, kOther, 6 << 9}), "k");
  ASSERT_TRUE(loads);
  EXPECT_EQ(loads->fmas, 2U);
  EXPECT_EQ(loads->shared_loads, (std::array<uint32_t, 3>{1, 1, 2}));
}

TEST(MachineCode, WhatIsNoCubinOrLacksTheKernelHasNone) {
  const std::vector<uint8_t> whole = cubin_of({0x223, 0});
  EXPECT_TRUE(read_machine_loads(whole, "k"));
  EXPECT_FALSE(read_machine_loads(whole, "another"));
  EXPECT_FALSE(read_machine_loads({}, "k"));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)  // Cut off anywhere, it is refused and not read past its end.
    EXPECT_FALSE(read_machine_loads(std::span(whole).first(bytes), "k")) << bytes;
}

}  // namespace
}  // namespace tilescope::analysis
