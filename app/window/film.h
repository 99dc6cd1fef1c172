#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "draw/png.h"

namespace tilescope::window {

constexpr double kSecondsOfPicture = 0.6;  ///< In a film that shows a step in each.

/// Pictures of one size, one after another, as an endless GIF. No file is left of one that is not finished.
class Film {
 public:
  /// Each picture is shown for that long.
  static Result<std::unique_ptr<Film>> open(const std::filesystem::path& gif, int width, int height,
                                            double seconds_each);
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  /// Whether the picture has the film's size.
  bool fits(const draw::Image& image) const;
  /// Pictures of another size are refused.
  Result<std::monostate> add(const draw::Image& image);
  /// Nothing is added after this.
  Result<std::monostate> finish();

 private:
  struct Gif;
  explicit Film(std::unique_ptr<Gif> gif);
  std::unique_ptr<Gif> gif_;
};

/// Whether ffmpeg is installed.
bool has_mp4();
/// The film as MP4 beside its GIF: all of it or no file.
Result<std::monostate> make_mp4(const std::filesystem::path& gif, const std::filesystem::path& mp4);

}  // namespace tilescope::window
