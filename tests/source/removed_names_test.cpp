#include "source/removed_names.h"

#include <gtest/gtest.h>

namespace tilescope::source {
namespace {

TEST(RemovedNames, FunctionsAreNamedOnceWithTheirSuccessors) {
  const auto calls = removed_functions(
      "// __shfl(v, 0)\nint __any_of(int);\nint a = __shfl_xor(v, 1) + __shfl_xor_sync(m, v, 1);\n"
      "int b = __shfl_xor(v, 2) + __all(p);\n");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].name, "__shfl_xor");
  EXPECT_EQ(calls[0].line, 3);
  EXPECT_EQ(calls[0].instead, "__shfl_xor_sync(0xffffffff, ...)");
  EXPECT_EQ(calls[1].name, "__all");
}

TEST(RemovedNames, MembersOfCudaDevicePropAreNamedOnceWithWhatToCall) {
  const auto members = removed_members(
      "int clockRate = 1;\nprintf(\"%d %d\", prop.clockRate, p->clockRate);\nif (!prop.deviceOverlap) return 1;\n");
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].name, "clockRate");
  EXPECT_EQ(members[0].line, 2);
  EXPECT_EQ(members[0].instead, "cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, device)");
  EXPECT_EQ(members[1].instead, "asyncEngineCount > 0");
}

}  // namespace
}  // namespace tilescope::source
