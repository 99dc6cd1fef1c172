#include "window/film.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gif_lib.h>

#include "base/process.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

constexpr int kColours = 256;
constexpr std::chrono::seconds kLongestConversion{120};

Result<std::monostate> not_written(const fs::path& file, const std::string& why) {
  return error(Message("{}: cannot be written: {}.", file.string(), why));
}

/// The path of a program; nullopt if it is not installed.
std::optional<fs::path> find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path file = fs::path(folder) / name; fs::is_regular_file(file, ignored)) return file;
  return std::nullopt;
}

struct Colour {
  draw::Rgba rgba = 0;
  uint64_t pixels = 0;
  int wrong = std::numeric_limits<int>::max();  ///< Squared distance to the nearest colour that was chosen.
  GifByteType nearest = 0;
};

GifByteType channel(draw::Rgba rgba, int shift) { return static_cast<GifByteType>(rgba >> shift); }

int squared_distance(draw::Rgba a, draw::Rgba b) {
  int sum = 0;
  for (const int shift : {0, 8, 16})
    sum += (channel(a, shift) - channel(b, shift)) * (channel(a, shift) - channel(b, shift));
  return sum;
}

/// Chooses at most 256 of the colours, each time the one that makes the picture most wrong so far: areas keep their
/// colour exactly, in every picture.
std::vector<draw::Rgba> choose(std::vector<Colour>& colours) {
  const auto error_of = [](const Colour& colour) { return colour.pixels * static_cast<uint64_t>(colour.wrong); };
  std::vector<draw::Rgba> chosen;
  while (chosen.size() < std::min<size_t>(kColours, colours.size())) {
    const draw::Rgba next = std::ranges::max_element(colours, {}, error_of)->rgba;
    for (Colour& colour : colours)
      if (const int distance = squared_distance(colour.rgba, next); distance < colour.wrong) {
        colour.wrong = distance;
        colour.nearest = static_cast<GifByteType>(chosen.size());
      }
    chosen.push_back(next);
  }
  return chosen;
}

/// A picture in at most 256 colours.
struct Indexed {
  std::vector<draw::Rgba> colours;
  std::vector<GifByteType> pixels;
};

Indexed indexed(const draw::Image& image) {
  std::vector<Colour> colours;
  std::unordered_map<draw::Rgba, size_t> places;
  std::vector<size_t> place_of;
  place_of.reserve(image.pixels.size());
  for (const draw::Rgba pixel : image.pixels) {
    const size_t last = place_of.empty() ? 0 : place_of.back();
    const bool same = !colours.empty() && colours[last].rgba == pixel;
    const size_t place = same ? last : places.try_emplace(pixel, colours.size()).first->second;
    if (place == colours.size()) colours.push_back({pixel});
    ++colours[place].pixels;
    place_of.push_back(place);
  }
  Indexed result{choose(colours), {}};
  result.pixels.reserve(place_of.size());
  for (const size_t place : place_of) result.pixels.push_back(colours[place].nearest);
  return result;
}

}  // namespace

struct Film::Gif {
  fs::path path;
  int width = 0, height = 0, hundredths = 0;
  GifFileType* file = nullptr;

  // Without its end it is broken.
  ~Gif() {
    if (file) static_cast<void>(close()), remove();
  }
  bool close() {
    int problem = 0;
    return EGifCloseFile(std::exchange(file, nullptr), &problem) == GIF_OK;
  }
  void remove() const {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  // The system's reason: giflib's does not say that the disk is full.
  Result<std::monostate> result(bool written) const {
    if (!written) return not_written(path, std::strerror(errno));
    return std::monostate{};
  }
};

Film::Film(std::unique_ptr<Gif> gif) : gif_(std::move(gif)) {}
Film::~Film() = default;

Result<std::unique_ptr<Film>> Film::open(const fs::path& path, int width, int height, double seconds_each) {
  auto gif = std::make_unique<Gif>();
  *gif = {path, width, height, static_cast<int>(seconds_each * 100), nullptr};
  int problem = 0;
  // By its name giflib would make it unreadable for others.
  constexpr mode_t kForAll = 0666;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kForAll);
  if (descriptor < 0) return not_written(path, std::strerror(errno)).errors();
  GifFileType* file = gif->file = EGifOpenFileHandle(descriptor, &problem);
  if (!file) return not_written(path, GifErrorString(problem)).errors();
  EGifSetGifVersion(file, true);
  constexpr GifByteType kEndless[] = {1, 0, 0};
  const auto written = gif->result(EGifPutScreenDesc(file, width, height, 8, 0, nullptr) == GIF_OK &&
                                   EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
                                   EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
                                   EGifPutExtensionBlock(file, sizeof kEndless, kEndless) == GIF_OK &&
                                   EGifPutExtensionTrailer(file) == GIF_OK);
  if (!written) return written.errors();
  return std::unique_ptr<Film>(new Film(std::move(gif)));
}

Result<std::monostate> Film::add(const draw::Image& image) {
  const int width = gif_->width, height = gif_->height;
  if (!fits(image)) return not_written(gif_->path, "a picture has another size");
  Indexed picture = indexed(image);
  const std::unique_ptr<ColorMapObject, void (*)(ColorMapObject*)> map(GifMakeMapObject(kColours, nullptr),
                                                                       GifFreeMapObject);
  if (!map) return not_written(gif_->path, std::strerror(ENOMEM));
  std::ranges::transform(picture.colours, map->Colors, [](draw::Rgba rgba) {
    return GifColorType{channel(rgba, 0), channel(rgba, 8), channel(rgba, 16)};
  });
  const GraphicsControlBlock control{DISPOSE_DO_NOT, false, gif_->hundredths, NO_TRANSPARENT_COLOR};
  GifByteType block[4];
  EGifGCBToExtension(&control, block);
  bool written = EGifPutExtension(gif_->file, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK &&
                 EGifPutImageDesc(gif_->file, 0, 0, width, height, false, map.get()) == GIF_OK;
  for (int row = 0; written && row < height; ++row)
    written = EGifPutLine(gif_->file, &picture.pixels[static_cast<size_t>(row) * static_cast<size_t>(width)], width) ==
              GIF_OK;
  return gif_->result(written);
}

Result<std::monostate> Film::finish() {
  const Result<std::monostate> written = gif_->result(gif_->close());
  if (!written) gif_->remove();
  return written;
}

bool Film::fits(const draw::Image& image) const { return image.width == gif_->width && image.height == gif_->height; }

bool has_mp4() { return find_program("ffmpeg").has_value(); }

Result<std::monostate> make_mp4(const fs::path& gif, const fs::path& mp4) {
  const auto program = find_program("ffmpeg");
  if (!program) return error("MP4 needs ffmpeg: apt-get install ffmpeg, or write a .gif.");
  // The shell sends what ffmpeg says to its output. H.264 has even sizes.
  auto ffmpeg = ChildProcess::start("/bin/sh",
                                    {"-c", R"(exec "$0" "$@" 2>&1)", program->string(), "-loglevel", "error", "-xerror",
                                     "-y", "-i", gif.string(), "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-r", "25",
                                     "-pix_fmt", "yuv420p", "-movflags", "+faststart", mp4.string()},
                                    {});
  if (!ffmpeg) return ffmpeg.errors();
  const Patience patience{std::chrono::steady_clock::now() + kLongestConversion};
  std::string said;
  char part[4096];
  size_t got = 0;
  while (ffmpeg->receive_some(part, sizeof part, got, patience) == Transfer::Done) said.append(part, got);
  const Exit exit = ffmpeg->wait(patience);
  if (exit.code == 0 && exit.signal == 0) return std::monostate{};
  std::error_code ignored;
  fs::remove(mp4, ignored);
  return not_written(mp4, said.empty() ? "ffmpeg failed" : said.substr(0, said.find('\n')));
}

}  // namespace tilescope::window
