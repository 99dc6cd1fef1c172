#include "base/elf.h"

#include <elf.h>

namespace tilescope {

std::string_view text_at(std::string_view bytes, uint64_t offset) {
  const std::string_view rest = part_of(bytes, offset, bytes.size());
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::vector<ElfSection> elf_sections(std::string_view file) {
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (!file.starts_with(std::string_view(ELFMAG, SELFMAG)) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr))
    return {};
  std::vector<Elf64_Shdr> headers;
  for (uint16_t i = 0; i < header.e_shnum; ++i)
    headers.push_back(value_at<Elf64_Shdr>(file, header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr)));
  const auto bytes_of = [&](const Elf64_Shdr& section) {
    const std::string_view bytes = part_of(file, section.sh_offset, section.sh_size);
    return section.sh_type != SHT_NOBITS && bytes.size() == section.sh_size ? bytes : std::string_view();
  };
  const std::string_view names =
      header.e_shstrndx < headers.size() ? bytes_of(headers[header.e_shstrndx]) : std::string_view();
  std::vector<ElfSection> sections;
  for (const Elf64_Shdr& section : headers)
    sections.push_back({text_at(names, section.sh_name), bytes_of(section), section.sh_type, section.sh_link, section.sh_size});
  return sections;
}

}  // namespace tilescope
