#include "source/removed_calls.h"

#include <gtest/gtest.h>

namespace tilescope::source {
namespace {

TEST(RemovedCalls, AreNamedOnceWithTheirSuccessors) {
  const auto calls = removed_calls(
      "// __shfl(v, 0)\nint __any_of(int);\nint a = __shfl_xor(v, 1) + __shfl_xor_sync(m, v, 1);\n"
      "int b = __shfl_xor(v, 2) + __all(p);\n");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].name, "__shfl_xor");
  EXPECT_EQ(calls[0].line, 3);
  EXPECT_EQ(calls[0].instead, "__shfl_xor_sync(0xffffffff, ...)");
  EXPECT_EQ(calls[1].name, "__all");
}

}  // namespace
}  // namespace tilescope::source
