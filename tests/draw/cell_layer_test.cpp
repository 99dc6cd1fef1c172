#include "draw/cell_layer.h"

#include <array>
#include <cstring>
#include <vector>

#include <glad/gl.h>
#include <gtest/gtest.h>

namespace tilescope::draw {
namespace {

/// Replaces the driver: records places in pixels and the colours in the texture.
struct Asked {
  std::array<float, 4> box{};
  std::array<float, 2> viewport{};
  std::array<int, 4> scissor{};
  float gap = -1;
  int first = -1, draws = 0, uploads = 0;
  std::vector<Rgba> texture;
};
Asked asked;

constexpr GLint kBox = 1, kViewport = 2, kCells = 3, kGap = 4, kFirst = 5;

GLint place_of(GLuint, const GLchar* name) {
  for (const auto& [known, place] : {std::pair{"box", kBox}, {"viewport", kViewport}, {"cells", kCells}, {"gap", kGap}})
    if (std::strcmp(name, known) == 0) return place;
  return kFirst;
}

void fake_objects() {
  glad_glCreateShader = [](GLenum) -> GLuint { return 1; };
  glad_glShaderSource = [](GLuint, GLsizei, const GLchar* const*, const GLint*) {};
  glad_glCompileShader = [](GLuint) {};
  glad_glGetShaderiv = [](GLuint, GLenum, GLint* value) { *value = GL_TRUE; };
  glad_glDeleteShader = [](GLuint) {};
  glad_glCreateProgram = []() -> GLuint { return 1; };
  glad_glAttachShader = [](GLuint, GLuint) {};
  glad_glLinkProgram = [](GLuint) {};
  glad_glGetProgramiv = [](GLuint, GLenum, GLint* value) { *value = GL_TRUE; };
  glad_glDeleteProgram = [](GLuint) {};
  glad_glGenTextures = [](GLsizei, GLuint* name) { *name = 1; };
  glad_glDeleteTextures = [](GLsizei, const GLuint*) {};
  glad_glGenVertexArrays = [](GLsizei, GLuint* name) { *name = 1; };
  glad_glDeleteVertexArrays = [](GLsizei, const GLuint*) {};
  glad_glGetUniformLocation = place_of;
}

void fake_state() {
  glad_glBindTexture = [](GLenum, GLuint) {};
  glad_glTexParameteri = [](GLenum, GLenum, GLint) {};
  glad_glActiveTexture = [](GLenum) {};
  glad_glPixelStorei = [](GLenum, GLint) {};
  glad_glGetIntegerv = [](GLenum, GLint* value) { *value = 1024; };
  glad_glEnable = [](GLenum) {};
  glad_glUseProgram = [](GLuint) {};
  glad_glBindVertexArray = [](GLuint) {};
}

void fake_work() {
  glad_glTexImage2D = [](GLenum, GLint, GLint, GLsizei width, GLsizei height, GLint, GLenum, GLenum, const void*) {
    asked.texture.assign(static_cast<size_t>(width) * static_cast<size_t>(height), Rgba{});
  };
  glad_glTexSubImage2D = [](GLenum, GLint, GLint, GLint y, GLsizei width, GLsizei height, GLenum, GLenum,
                            const void* data) {
    ++asked.uploads;
    std::memcpy(asked.texture.data() + static_cast<size_t>(y) * 1024, data,
                static_cast<size_t>(width) * static_cast<size_t>(height) * sizeof(Rgba));
  };
  glad_glScissor = [](GLint x, GLint y, GLsizei width, GLsizei height) { asked.scissor = {x, y, width, height}; };
  glad_glUniform4f = [](GLint, GLfloat x, GLfloat y, GLfloat width, GLfloat height) {
    asked.box = {x, y, width, height};
  };
  glad_glUniform2f = [](GLint, GLfloat width, GLfloat height) { asked.viewport = {width, height}; };
  glad_glUniform2i = [](GLint, GLint, GLint) {};
  glad_glUniform1f = [](GLint, GLfloat gap) { asked.gap = gap; };
  glad_glUniform1i = [](GLint place, GLint value) {
    if (place == kFirst) asked.first = value;
  };
  glad_glDrawArrays = [](GLenum, GLint, GLsizei) { ++asked.draws; };
}

class PaintedCells : public testing::Test {
 protected:
  PaintedCells() {
    fake_objects();
    fake_state();
    fake_work();
    asked = {};
    const auto created = layer.create_program();
    EXPECT_TRUE(created) << (created ? "" : to_string(created.errors()));
  }
  const Palette palette = dark_palette();
  CellLayer layer;
};

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
  layer.clear();
  EXPECT_TRUE(layer.colours().empty()) << "a frame without grids";
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

TEST_F(PaintedCells, PlacesAndClipAreInPixelsOfTheFramebufferWithYUp) {
  const CellLayer::Grid* grid = layer.add(cells(2, 3, view::Ink::ArrayA), {10, 20, 30, 40}, 1, palette);
  ASSERT_TRUE(grid);
  layer.set_surface({200, 100, 1});
  layer.paint(*grid, {12, 24, 20.5f, 30});
  EXPECT_EQ(asked.scissor, (std::array{12, 46, 21, 30})) << "from the bottom: 100 - 54";
  EXPECT_EQ(asked.box, (std::array{10.0f, 20.0f, 30.0f, 40.0f}));
  EXPECT_EQ(asked.viewport, (std::array{200.0f, 100.0f}));
  EXPECT_EQ(asked.gap, 1);
  layer.set_surface({200, 100, 2});
  layer.paint(*grid, {12, 24, 20.5f, 30});
  EXPECT_EQ(asked.scissor, (std::array{24, 92, 41, 60}));
  EXPECT_EQ(asked.box, (std::array{20.0f, 40.0f, 60.0f, 80.0f}));
  EXPECT_EQ(asked.viewport, (std::array{400.0f, 200.0f}));
  EXPECT_EQ(asked.gap, 2);
  layer.set_surface({200, 100, 0.5f});
  layer.paint(*grid, {12, 24, 20.5f, 30});
  EXPECT_EQ(asked.scissor, (std::array{6, 23, 11, 15})) << "no pixel that is part in is left out";
}

TEST_F(PaintedCells, ASmallCellLosesNothingToAGap) {
  const CellLayer::Grid* grid = layer.add(cells(10, 10, view::Ink::ArrayA), {0, 0, 30, 40}, 1, palette);
  layer.set_surface({200, 100, 1});
  layer.paint(*grid, {0, 0, 200, 100});
  EXPECT_EQ(asked.gap, 0) << "3 pixels wide";
  layer.set_surface({200, 100, 2});
  layer.paint(*grid, {0, 0, 200, 100});
  EXPECT_EQ(asked.gap, 2) << "6 pixels wide";
}

TEST_F(PaintedCells, AClipOutsideTheWindowIsEmptyAndNotNegative) {
  const CellLayer::Grid* grid = layer.add(cells(2, 3, view::Ink::ArrayA), {10, 20, 30, 40}, 1, palette);
  layer.set_surface({200, 100, 1});
  layer.paint(*grid, {-50, -60, 20, 30});
  EXPECT_EQ(asked.scissor[2], 0);
  EXPECT_EQ(asked.scissor[3], 0);
}

TEST_F(PaintedCells, ColoursGoToTheTextureOnceAFrame) {
  layer.set_surface({200, 100, 1});
  const CellLayer::Grid* first = layer.add(cells(2, 3, view::Ink::ArrayA), {0, 0, 30, 40}, 1, palette);
  const CellLayer::Grid* second = layer.add(cells(1, 2, view::Ink::ArrayB), {50, 0, 30, 40}, 1, palette);
  layer.paint(*first, {0, 0, 200, 100});
  layer.paint(*second, {0, 0, 200, 100});
  EXPECT_EQ(asked.uploads, 1);
  EXPECT_EQ(asked.draws, 2);
  EXPECT_EQ(asked.first, 6) << "where the second grid's colours begin";
  EXPECT_EQ(asked.texture[5], palette({view::Ink::ArrayA}));
  EXPECT_EQ(asked.texture[6], palette({view::Ink::ArrayB}));
  layer.clear();
  const CellLayer::Grid* next = layer.add(cells(2, 3, view::Ink::ArrayC), {0, 0, 30, 40}, 1, palette);
  layer.paint(*next, {0, 0, 200, 100});
  EXPECT_EQ(asked.uploads, 2);
  EXPECT_EQ(asked.texture[0], palette({view::Ink::ArrayC})) << "not that of the frame before";
}

TEST_F(PaintedCells, AGridThatComesLaterInTheFrameIsUploadedToo) {
  layer.set_surface({200, 100, 1});
  const CellLayer::Grid* first = layer.add(cells(2, 3, view::Ink::ArrayA), {0, 0, 30, 40}, 1, palette);
  layer.paint(*first, {0, 0, 200, 100});
  const CellLayer::Grid* second = layer.add(cells(1, 2, view::Ink::ArrayB), {50, 0, 30, 40}, 1, palette);
  layer.paint(*second, {0, 0, 200, 100});
  EXPECT_EQ(asked.texture[6], palette({view::Ink::ArrayB}));
}

TEST_F(PaintedCells, MoreColoursThanARowOfTheTextureHoldsGoOnInTheNext) {
  layer.set_surface({200, 100, 1});
  const CellLayer::Grid* many = layer.add(cells(60, 20, view::Ink::ArrayA), {0, 0, 30, 40}, 1, palette);
  const CellLayer::Grid* last = layer.add(cells(1, 1, view::Ink::ArrayB), {50, 0, 30, 40}, 1, palette);
  layer.paint(*many, {0, 0, 200, 100});
  layer.paint(*last, {0, 0, 200, 100});
  ASSERT_GE(asked.texture.size(), 1201u);
  EXPECT_EQ(asked.texture[1199], palette({view::Ink::ArrayA}));
  EXPECT_EQ(asked.texture[1200], palette({view::Ink::ArrayB}));
}

TEST_F(PaintedCells, OnlyGridsOfPicturesThatChangedAreSentAgain) {
  using view::Ink;
  const view::Box box{0, 0, 30, 40};
  const auto frame = [&](Ink first, uint64_t first_serial, Ink second, uint64_t second_serial) {
    layer.clear();
    asked.uploads = 0;
    const auto* a = layer.add(cells(2, 1024, first), box, 0, palette, {first_serial, 0});
    const auto* b = layer.add(cells(1, 1024, second), box, 0, palette, {second_serial, 0});
    layer.paint(*a, box);
    layer.paint(*b, box);
  };
  const auto texel = [&](size_t row) { return asked.texture[row * 1024]; };
  frame(Ink::ArrayA, 1, Ink::ArrayB, 2);
  EXPECT_EQ(asked.uploads, 1);
  frame(Ink::ArrayA, 1, Ink::ArrayB, 2);
  EXPECT_EQ(asked.uploads, 0) << "nothing has changed";
  asked.texture[0] = {};
  frame(Ink::ArrayA, 1, Ink::ArrayC, 3);
  EXPECT_EQ(asked.uploads, 1);
  EXPECT_EQ(texel(0), Rgba{}) << "the first grid was not sent";
  EXPECT_EQ(texel(2), palette({Ink::ArrayC}));
  frame(Ink::ArrayC, 4, Ink::ArrayC, 3);
  EXPECT_EQ(texel(0), palette({Ink::ArrayC}));
  layer.clear();
  const auto* alone = layer.add(cells(1, 5, Ink::Good), box, 0, light_palette(), {5, 0});
  layer.paint(*alone, box);
  EXPECT_EQ(texel(0), light_palette()({Ink::Good})) << "another size, another theme";
}

}  // namespace
}  // namespace tilescope::draw
