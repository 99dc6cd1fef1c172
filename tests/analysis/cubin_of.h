#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilescope::analysis {

/// A cubin whose kernel "k" holds these instructions, the low half of each and the high one.
inline std::vector<uint8_t> cubin_of(const std::vector<uint64_t>& code, uint32_t architecture = 90) {
  const std::string names("\0.text.k\0.names\0", 17);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_CUDA;
  header.e_flags = architecture;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shoff = sizeof header;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = code.size() * sizeof(uint64_t);
  sections[2].sh_name = 9;
  sections[2].sh_offset = sections[1].sh_offset + sections[1].sh_size;
  sections[2].sh_size = names.size();
  std::vector<uint8_t> bytes(sections[2].sh_offset + names.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, sections, sizeof sections);
  std::memcpy(bytes.data() + sections[1].sh_offset, code.data(), sections[1].sh_size);
  std::memcpy(bytes.data() + sections[2].sh_offset, names.data(), names.size());
  return bytes;
}

}  // namespace tilescope::analysis
