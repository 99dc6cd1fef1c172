#include "draw/png.h"

#include <algorithm>

#include <fmt/format.h>
#include <stb_image_write.h>

#include "base/file.h"
#include "draw/gl.h"

namespace tilescope::draw {

Image read_framebuffer(int width, int height) {
  Image image{width, height, std::vector<Rgba>(static_cast<size_t>(width) * static_cast<size_t>(height))};
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.pixels.data());
  for (int row = 0; row < height / 2; ++row) {
    const auto upper = image.pixels.begin() + std::ptrdiff_t{row} * width;
    const auto lower = image.pixels.begin() + std::ptrdiff_t{height - 1 - row} * width;
    std::swap_ranges(upper, upper + width, lower);
  }
  for (Rgba& pixel : image.pixels) pixel |= 0xff000000u;
  return image;
}

Result<std::monostate> write_png(const Image& image, const std::filesystem::path& path) {
  std::string bytes;
  const auto append = [](void* target, void* data, int size) {
    static_cast<std::string*>(target)->append(static_cast<const char*>(data), static_cast<size_t>(size));
  };
  constexpr int kChannels = 3;
  std::vector<uint8_t> rgb;
  rgb.reserve(image.pixels.size() * kChannels);
  for (const Rgba pixel : image.pixels)
    for (int channel = 0; channel < kChannels; ++channel) rgb.push_back(static_cast<uint8_t>(pixel >> 8 * channel));
  stbi_write_force_png_filter = 0;  // A quarter smaller for areas of one colour than what stb chooses.
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, kChannels, rgb.data(),
                             image.width * kChannels) == 0)
    return error(fmt::format("{}: an image of {} x {} pixels cannot be written as PNG.", path.string(), image.width,
                             image.height));
  return write_file(path, bytes);
}

}  // namespace tilescope::draw
