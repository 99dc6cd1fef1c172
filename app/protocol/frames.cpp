#include "protocol/frames.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace tilescope::protocol {
namespace {

constexpr std::string_view kLength = "Content-Length:";
constexpr std::string_view kType = "Content-Type:";
constexpr size_t kLongestHeader = 256;

std::optional<size_t> parse_length(std::string_view text) {
  const std::string_view digits = trimmed(text);
  size_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string frame(std::string_view content) {
  return fmt::format("\r\nContent-Length: {}\r\n\r\n{}", content.size(), content);
}

void FrameReader::feed(std::string_view bytes) {
  if (problem_.empty()) pending_.append(bytes);
}

std::optional<std::string> FrameReader::next() {
  if (!problem_.empty() || (!in_content_ && !read_header()) || pending_.size() < *length_) return std::nullopt;
  std::string content = pending_.substr(0, *length_);
  pending_.erase(0, *length_);
  length_.reset();
  in_content_ = false;
  seen_frame_ = true;
  return content;
}

// True once the empty line after a length was read.
bool FrameReader::read_header() {
  size_t start = 0;
  while (problem_.empty() && !in_content_) {
    const size_t end = pending_.find('\n', start);
    if (end == std::string::npos) break;
    read_line(std::string_view(pending_).substr(start, end - start));
    start = end + 1;
  }
  pending_.erase(0, start);
  if (in_content_ || !problem_.empty()) return in_content_;
  if (pending_.size() > kLongestHeader) {
    skip(pending_);
    pending_.clear();
  }
  return false;
}

void FrameReader::read_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty()) {
    in_content_ = length_.has_value();
    return;
  }
  if (text.starts_with(kType) && length_) return;
  if (!text.starts_with(kLength)) return skip(line);
  length_ = parse_length(text.substr(kLength.size()));
  if (!length_ && !seen_frame_) return skip(line);
  if (!length_)
    problem_ = "sent a message whose length cannot be read";
  else if (*length_ > kMostContent)
    problem_ = fmt::format("announced a message of {} bytes", *length_);
}

void FrameReader::skip(std::string_view line) {
  length_.reset();
  noise_ += line.size() + 1;
  if (seen_frame_)
    problem_ = "printed something between its messages";
  else if (noise_ > kMostNoise)
    problem_ = "printed 1 MiB that is not a message";
}

}  // namespace tilescope::protocol
