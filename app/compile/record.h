#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::compile {

/// Named fields of any bytes: the format of messages to and from tilescope-nvrtc, of cache entries, and of the input of
/// hashes. Equal records have equal encodings.
using Record = std::map<std::string, std::string>;

/// For each field, by name: length of the name, name, length of the value, value; lengths are 8 bytes, little-endian.
std::string encode(const Record& record);
/// Nullopt if `bytes` is not the encoding of a record.
std::optional<Record> decode(std::string_view bytes);

constexpr size_t kLengthBytes = 8;
/// The longest message that either side accepts.
constexpr uint64_t kMaxMessageBytes = uint64_t{64} << 20;

std::string encode_length(uint64_t length);
/// Reads the first kLengthBytes of `bytes`, which must have as many.
uint64_t decode_length(std::string_view bytes);

/// The value of that name in an encoding, without a copy; nullopt if there is none.
std::optional<std::string_view> find_field(std::string_view bytes, std::string_view name);

/// The field's value; empty if there is none of that name.
std::string_view field(const Record& record, const std::string& name);

/// A field that holds a list, one item per line; lines_of() takes it apart.
std::string join_lines(const auto& items) {
  std::string text;
  for (const auto& item : items) text += item + '\n';
  return text;
}

}  // namespace tilescope::compile
