#include "base/memory.h"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(Positions, HaveAThirdCoordinateWhereItIsNotZero) {
  const Dim3 grid{2, 1, 2};
  EXPECT_EQ(position_text(position_in(grid, 1)), "(1, 0)");
  EXPECT_EQ(position_text(position_in(grid, 2)), "(0, 0, 1)") << "another block than (0, 0)";
  EXPECT_EQ(to_string(Dim3{4, 2, 1}), "(4, 2)") << "an extent of 1 is left out";
  EXPECT_EQ(to_string(grid), "(2, 1, 2)");
}

TEST(Elements, OfAnArrayOfBytesAreThoseOfTheAccess) {
  Allocation red{"red", Space::Shared, 16, 12, Element::Byte, {12}};
  EXPECT_EQ(element_name(in_elements_of(red, 4), 16 + 8), "red[2]");
  EXPECT_EQ(element_name(in_elements_of(red, 16), 16 + 8), "red[2]") << "a float4 is four floats";
  EXPECT_EQ(element_name(in_elements_of(red, 1), 16 + 8), "red[8]");
  red.element = Element::F32;
  red.shape = {3};
  EXPECT_EQ(in_elements_of(red, 8).element, Element::F32) << "described ones stay as they are";
}

}  // namespace
}  // namespace tilescope
