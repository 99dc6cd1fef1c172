#include "ui/font_metrics.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string_view>

namespace tilescope::ui {
namespace {

/// Big-endian numbers of a file; 0 and false() where it ends before.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}
  explicit operator bool() const { return static_cast<bool>(stream_); }

  uint32_t u16(uint64_t at) {
    std::array<char, 2> bytes{};
    read(at, bytes.data(), bytes.size());
    return static_cast<uint32_t>(static_cast<unsigned char>(bytes[0])) << 8 | static_cast<unsigned char>(bytes[1]);
  }
  uint32_t u32(uint64_t at) { return u16(at) << 16 | u16(at + 2); }
  bool has_tag(uint64_t at, std::string_view tag) {
    std::array<char, 4> bytes{};
    read(at, bytes.data(), bytes.size());
    return std::string_view(bytes.data(), bytes.size()) == tag;
  }

 private:
  void read(uint64_t at, char* bytes, size_t count) {
    stream_.seekg(static_cast<std::streamoff>(at));
    stream_.read(bytes, static_cast<std::streamsize>(count));
  }
  std::ifstream stream_;
};

std::optional<uint64_t> table(Reader& reader, uint64_t font, std::string_view tag) {
  const uint32_t tables = reader.u16(font + 4);
  for (uint32_t i = 0; i < tables && reader; ++i) {
    const uint64_t entry = font + 12 + 16 * uint64_t{i};
    if (reader.has_tag(entry, tag)) return reader.u32(entry + 8);
  }
  return std::nullopt;
}

}  // namespace

float height_by_em(const std::filesystem::path& file, int face) {
  Reader reader(file);
  const bool is_collection = reader.has_tag(0, "ttcf");
  const uint64_t font = is_collection ? reader.u32(12 + 4 * static_cast<uint64_t>(face)) : 0;
  const std::optional<uint64_t> head = table(reader, font, "head"), hhea = table(reader, font, "hhea");
  if (!head || !hhea) return 1;
  const uint32_t em = reader.u16(*head + 18);
  const auto ascent = static_cast<int16_t>(reader.u16(*hhea + 4));
  const auto descent = static_cast<int16_t>(reader.u16(*hhea + 6));
  if (!reader || em == 0 || ascent <= descent) return 1;
  return static_cast<float>(ascent - descent) / static_cast<float>(em);
}

}  // namespace tilescope::ui
