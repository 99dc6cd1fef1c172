// The pixel work of tests/window/pictures.sh: see usage() for its commands.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <stb_image.h>
#include <stb_image_write.h>

#include "window/font_files.h"

namespace {
constexpr int kChannels = 3;
constexpr int kReduction = 4;  // A letter becomes a grey patch: how its edges are smoothed no longer matters.

// A pixel differs when one channel does by more than kDifference of 255. Some may: of all, and of each patch of
// kPatch x kPatch. What was measured over the six scenes, of all and of the worst patch, in percent:
//   glyphs rasterised with other oversampling, heavier   0 - 0.02   0 - 0.8
//   everything 0.3 pixels aside                          0          0
//   edges blurred or sharpened as by other hinting       0 - 0.18   0 - 3.4
//   everything 0.5 pixels aside                          0.2 - 0.8  5 - 12
//   another colour for the accent                        0.3 - 0.7  7 - 17
//   another colour for A, where A is shown               0.7 - 4.3  32 - 100
//   the shared tile of B missing                         1.0 - 1.9  36 - 40
//   the resources 20 pixels aside                        0.5 - 0.8  11 - 16
//   the stage 20 pixels aside                            1.4 - 5.1  22 - 45
//   the stage or the timeline empty                      4 - 21     56 - 100
constexpr int kDifference = 24;
constexpr double kMostPercent = 0.4;
constexpr int kPatch = 25;
constexpr double kMostInAPatch = 6;

struct Image {
  int width = 0, height = 0;
  std::vector<unsigned char> bytes;
};

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

Image read(const char* file) {
  Image image;
  int channels = 0;
  unsigned char* bytes = stbi_load(file, &image.width, &image.height, &channels, kChannels);
  if (!bytes)
    stop(std::string(file) + " is no picture that can be read; renew the references with pictures.sh --update.");
  image.bytes.assign(bytes, bytes + size_t{kChannels} * image.width * image.height);
  stbi_image_free(bytes);
  return image;
}

void write(const Image& image, const char* file) {
  stbi_write_force_png_filter = 0;  // Smaller.
  if (!stbi_write_png(file, image.width, image.height, kChannels, image.bytes.data(), image.width * kChannels))
    stop(std::string(file) + " cannot be written.");
}

int mean(const Image& image, int left, int top, int channel) {
  int sum = 0;
  for (int y = top; y < top + kReduction; ++y)
    for (int x = left; x < left + kReduction; ++x) sum += image.bytes[(y * image.width + x) * kChannels + channel];
  return (sum + kReduction * kReduction / 2) / (kReduction * kReduction);
}

Image reduced(const Image& image) {
  Image result{image.width / kReduction, image.height / kReduction, {}};
  for (int y = 0; y < result.height; ++y)
    for (int x = 0; x < result.width; ++x)
      for (int channel = 0; channel < kChannels; ++channel)
        result.bytes.push_back(static_cast<unsigned char>(mean(image, x * kReduction, y * kReduction, channel)));
  return result;
}

struct Distance {
  double percent = 100, in_a_patch = 100;  ///< Pixels that differ: of all, and of the patch with most of them.
};

bool differs(const unsigned char* a, const unsigned char* b) {
  for (int channel = 0; channel < kChannels; ++channel)
    if (std::abs(a[channel] - b[channel]) > kDifference) return true;
  return false;
}

/// Marks in `a` what differs from `b`.
Distance mark_differences(Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return {};
  const int patches = (a.width + kPatch - 1) / kPatch;
  std::vector<int> found(static_cast<size_t>(patches * ((a.height + kPatch - 1) / kPatch)));
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) {
      unsigned char* pixel = &a.bytes[static_cast<size_t>((y * a.width + x) * kChannels)];
      if (!differs(pixel, &b.bytes[static_cast<size_t>((y * a.width + x) * kChannels)])) continue;
      ++found[static_cast<size_t>(y / kPatch * patches + x / kPatch)];
      pixel[0] = pixel[2] = 255, pixel[1] = 0;
    }
  return {100.0 * std::accumulate(found.begin(), found.end(), 0) / (a.width * a.height),
          100.0 * *std::max_element(found.begin(), found.end()) / (kPatch * kPatch)};
}

int compare(const char* picture, const char* reference, const char* marked) {
  Image image = reduced(read(picture));
  const Distance distance = mark_differences(image, read(reference));
  std::printf("%.2f %% of the pixels differ from %s, in a patch up to %.1f %%; %.1f and %.0f may.\n", distance.percent,
              reference, distance.in_a_patch, kMostPercent, kMostInAPatch);
  if (distance.percent <= kMostPercent && distance.in_a_patch <= kMostInAPatch) return 0;
  write(image, marked);
  std::printf("%s marks them.\n", marked);
  return 1;
}

bool is_of(const tilescope::ui::FontFile& font, const char* family) {
  return font.path.filename().string().starts_with(family);
}

/// Other fonts make other pictures.
int check_fonts() {
  const tilescope::ui::FontFiles fonts = tilescope::window::find_fonts();
  return is_of(fonts.text, "Inter") && is_of(fonts.bold, "Inter") && is_of(fonts.mono, "JetBrains") ? 0 : 77;
}

[[noreturn]] void usage() {
  stop(
      "picture_distance fonts                       77 where Inter or JetBrains Mono is missing\n"
      "picture_distance reduce PICTURE REFERENCE    writes the picture at a quarter of its size\n"
      "picture_distance compare PICTURE REFERENCE MARKED");
}

}  // namespace

int main(int count, char** words) {
  const std::string command = count > 1 ? words[1] : "";
  if (command == "fonts" && count == 2) return check_fonts();
  if (command == "compare" && count == 5) return compare(words[2], words[3], words[4]);
  if (command != "reduce" || count != 4) usage();
  write(reduced(read(words[2])), words[3]);
  return 0;
}
