#include "compile/record.h"

namespace tilescope::compile {
namespace {

void append(std::string& bytes, std::string_view text) {
  bytes += encode_length(text.size());
  bytes += text;
}

// Removes one length and its text from the front.
std::optional<std::string_view> take(std::string_view& bytes) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  const uint64_t length = decode_length(bytes);
  bytes.remove_prefix(kLengthBytes);
  if (length > bytes.size()) return std::nullopt;
  const std::string_view text = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return text;
}

}  // namespace

std::string encode_length(uint64_t length) {
  std::string bytes(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
  return bytes;
}

uint64_t decode_length(std::string_view bytes) {
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return length;
}

std::string encode(const Record& record) {
  std::string bytes;
  for (const auto& [name, value] : record) {
    append(bytes, name);
    append(bytes, value);
  }
  return bytes;
}

std::optional<Record> decode(std::string_view bytes) {
  Record record;
  while (!bytes.empty()) {
    const auto name = take(bytes), value = name ? take(bytes) : std::nullopt;
    if (!value || !record.emplace(*name, *value).second) return std::nullopt;
  }
  return record;
}

std::optional<std::string_view> find_field(std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    const auto found = take(bytes), value = found ? take(bytes) : std::nullopt;
    if (!value) return std::nullopt;
    if (*found == name) return value;
  }
  return std::nullopt;
}

std::string_view field(const Record& record, const std::string& name) {
  const auto found = record.find(name);
  return found == record.end() ? std::string_view{} : std::string_view{found->second};
}

}  // namespace tilescope::compile
