#include "ui/font_metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <unistd.h>

namespace tilescope::ui {
namespace {

namespace fs = std::filesystem;

std::string u16(int value) { return {static_cast<char>(value >> 8), static_cast<char>(value)}; }
std::string u32(size_t value) { return u16(static_cast<int>(value >> 16)) + u16(static_cast<int>(value & 0xffff)); }

/// A font of head and hhea alone, as it would lie at `begin` of a file.
std::string font(int em, int ascent, int descent, size_t begin) {
  const std::string head = std::string(18, '\0') + u16(em), hhea = std::string(4, '\0') + u16(ascent) + u16(descent);
  const size_t tables = begin + 12 + 2 * 16;
  return u32(0x00010000) + u16(2) + std::string(6, '\0') + "head" + u32(0) + u32(tables) + u32(head.size()) + "hhea" +
         u32(0) + u32(tables + head.size()) + u32(hhea.size()) + head + hhea;
}

class FontMetrics : public testing::Test {
 protected:
  float height(const std::string& bytes, int face = 0) {
    std::ofstream(file_, std::ios::binary) << bytes;
    return height_by_em(file_, face);
  }
  void TearDown() override { fs::remove(file_); }
  fs::path file_ = fs::temp_directory_path() / ("tilescope_font_" + std::to_string(::getpid()));
};

TEST_F(FontMetrics, AscentAndDescentByEm) {
  EXPECT_FLOAT_EQ(height(font(1000, 900, -250, 0)), 1.15f);
  EXPECT_FLOAT_EQ(height(font(2816, 2728, -680, 0)), 3408.0f / 2816);
}

TEST_F(FontMetrics, OfACollectionTheNamedFace) {
  const std::string head = "ttcf" + u32(0x00020000) + u32(2);
  const std::string first = font(1000, 800, -200, 20);
  const std::string bytes = head + u32(20) + u32(20 + first.size()) + first + font(1000, 1160, -288, 20 + first.size());
  EXPECT_FLOAT_EQ(height(bytes, 0), 1.0f);
  EXPECT_FLOAT_EQ(height(bytes, 1), 1.448f);
}

TEST_F(FontMetrics, OneWhereThereIsNothingToRead) {
  EXPECT_EQ(height_by_em("/nonexistent", 0), 1);
  EXPECT_EQ(height(""), 1);
  const std::string whole = font(1000, 900, -250, 0);
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(height(whole.substr(0, size)), 1) << size;
  EXPECT_EQ(height(font(0, 900, -250, 0)), 1);
}

}  // namespace
}  // namespace tilescope::ui
