#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "draw/palette.h"

namespace tilescope::draw {

/// Opaque pixels from the upper left, row by row.
struct Image {
  int width = 0, height = 0;
  std::vector<Rgba> pixels;
};

/// Reads the bound framebuffer from its upper left corner.
Image read_framebuffer(int width, int height);

/// Writes the whole image or nothing.
Result<std::monostate> write_png(const Image& image, const std::filesystem::path& path);

}  // namespace tilescope::draw
