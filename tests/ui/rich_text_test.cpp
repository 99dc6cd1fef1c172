#include "ui/rich_text.h"

#include <gmock/gmock.h>

namespace tilescope::ui {
namespace {
using testing::ElementsAre;

TEST(WrapCode, ALineThatFitsStaysWhole) {
  EXPECT_THAT(wrap_code("int x = 3;", 40), ElementsAre("int x = 3;"));
  EXPECT_THAT(wrap_code("  sum += a * b;", 15), ElementsAre("  sum += a * b;"));
  EXPECT_THAT(wrap_code("", 40), ElementsAre(""));
}

TEST(WrapCode, ALongLineGoesOnIndentedFurther) {
  EXPECT_THAT(wrap_code("const int row = blockIdx.x * blockDim.x + threadIdx.x;", 30),
              ElementsAre("const int row = blockIdx.x *", "    blockDim.x + threadIdx.x;"));
  EXPECT_THAT(wrap_code("  C[row * N + col] = alpha * sum;", 22),
              ElementsAre("  C[row * N + col] =", "      alpha * sum;"));
}

TEST(WrapCode, WhatHasNoSpaceIsBrokenAnywhereButInACharacter) {
  EXPECT_THAT(wrap_code("abcdefghijklmnopqrstuvwxyz", 16), ElementsAre("abcdefghijklmnop", "    qrstuvwxyz"));
  EXPECT_THAT(wrap_code("abcdefghijklmno\u00B7pqrst", 16), ElementsAre("abcdefghijklmno", "    \u00B7pqrst"));
}

TEST(WrapCode, NoRoomAtAllIsNoEndlessLoop) {
  EXPECT_THAT(wrap_code("int sum = first + second;", 0), ElementsAre("int sum = first", "    + second;"));
}

}  // namespace
}  // namespace tilescope::ui
