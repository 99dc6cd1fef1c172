#include "draw/cell_layer.h"

#include <gtest/gtest.h>

namespace tilescope::draw {
namespace {

view::Cells cells(uint32_t rows, uint32_t columns, view::Ink ink) {
  view::Cells result;
  result.rows = rows;
  result.columns = columns;
  result.colours.assign(size_t{rows} * columns, {ink});
  return result;
}

TEST(CellLayer, GridsOfAFrameShareOneListOfColours) {
  const Palette palette = dark_palette();
  CellLayer layer;
  const CellLayer::Grid* first = layer.add(cells(2, 3, view::Ink::ArrayA), {0, 0, 30, 20}, 1, palette);
  const CellLayer::Grid* second = layer.add(cells(1, 4, view::Ink::ArrayB), {5, 6, 40, 10}, 0, palette);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->rows, 2u);
  EXPECT_EQ(first->columns, 3u);
  EXPECT_EQ(first->first, 0u);
  EXPECT_EQ(second->first, 6u);
  EXPECT_EQ(second->box.x, 5);
  EXPECT_EQ(second->box.height, 10);
  ASSERT_EQ(layer.colours().size(), 10u);
  EXPECT_EQ(layer.colours()[5], palette({view::Ink::ArrayA}));
  EXPECT_EQ(layer.colours()[6], palette({view::Ink::ArrayB}));
  layer.clear();
  EXPECT_TRUE(layer.colours().empty());
}

TEST(CellLayer, WhatHasNoCellsOrNotAColourEachIsNoGrid) {
  CellLayer layer;
  view::Cells wrong = cells(2, 3, view::Ink::ArrayA);
  wrong.colours.pop_back();
  EXPECT_EQ(layer.add(wrong, {0, 0, 30, 20}, 1, dark_palette()), nullptr);
  EXPECT_EQ(layer.add(cells(0, 3, view::Ink::ArrayA), {0, 0, 30, 20}, 1, dark_palette()), nullptr);
  EXPECT_EQ(layer.add(cells(2, 3, view::Ink::ArrayA), {0, 0, 0, 20}, 1, dark_palette()), nullptr);
  EXPECT_TRUE(layer.colours().empty());
}

}  // namespace
}  // namespace tilescope::draw
