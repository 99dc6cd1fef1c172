#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::protocol {

/// "Content-Length: N", an empty line, and the content, as in the Language Server Protocol; preceded by a line end,
/// so that a prompt without one does not hide it.
std::string frame(std::string_view content);

/// Splits a stream into frames. Output of a login shell before the first frame is skipped.
class FrameReader {
 public:
  static constexpr size_t kMostNoise = size_t{1} << 20;     ///< Bytes before the first frame.
  static constexpr size_t kMostContent = size_t{64} << 20;  ///< Bytes in a frame.

  void feed(std::string_view bytes);
  /// The next complete content; nullopt if more bytes are needed or the stream is broken.
  std::optional<std::string> next();
  /// Why no further frame can be read: "printed 1 MiB that is not a message"; empty if there is no error. Permanent.
  const std::string& problem() const { return problem_; }

 private:
  bool read_header();
  void read_line(std::string_view line);
  void skip(std::string_view line);

  std::string pending_;
  std::optional<size_t> length_;  ///< Of the frame whose header is being read or whose content is awaited.
  bool in_content_ = false;
  bool seen_frame_ = false;
  size_t noise_ = 0;
  std::string problem_;
};

}  // namespace tilescope::protocol
