#include "lesson/packed_text.h"

#include <zstd.h>

#include <cstdint>

namespace tilescope::lesson {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// As base64url without padding (RFC 4648, section 5).
std::string base64(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kBase64[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kBase64[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kBase64.find(c);
    if (digit == kBase64.npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

}  // namespace

std::string packed_text(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 19));
  return base64(bytes);
}

std::optional<std::string> unpacked_text(std::string_view text, size_t most) {
  const std::optional<std::string> bytes = from_base64(text);
  if (!bytes) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(bytes->data(), bytes->size());
  if (size > most) return std::nullopt;
  std::string source(size, '\0');
  if (ZSTD_decompress(source.data(), source.size(), bytes->data(), bytes->size()) != size) return std::nullopt;
  return source;
}

}  // namespace tilescope::lesson
