#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A section of a 64-bit little-endian ELF file; the views point into the file.
struct ElfSection {
  std::string_view name, bytes;
  uint32_t type = 0;
  uint32_t link = 0;
  uint64_t size = 0;  ///< As its header says; one of type SHT_NOBITS has no bytes in the file.
};

/// The sections of the file; empty if it is not such an ELF file. One that does not lie in the file whole has no bytes.
std::vector<ElfSection> elf_sections(std::string_view file);

/// The zero-terminated text at `offset`; empty outside.
std::string_view text_at(std::string_view bytes, uint64_t offset);

/// A value of a plain type at `offset`; all zeros outside.
template <class T>
T value_at(std::string_view bytes, uint64_t offset) {
  T value{};
  if (offset <= bytes.size() && sizeof(T) <= bytes.size() - offset)
    bytes.copy(reinterpret_cast<char*>(&value), sizeof(T), offset);
  return value;
}

/// The bytes from `offset` on, at most `count`.
inline std::string_view part_of(std::string_view bytes, uint64_t offset, uint64_t count) {
  return offset > bytes.size() ? std::string_view() : bytes.substr(offset, count);
}

}  // namespace tilescope
