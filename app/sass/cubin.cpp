#include "sass/cubin.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace tilescope::sass {
namespace {

using Bytes = std::span<const uint8_t>;

/// The record at that offset; nothing where the bytes end before it does.
template <class Record>
std::optional<Record> record_at(Bytes bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return record;
}

Bytes content_of(Bytes bytes, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes.size() ||
      bytes.size() - section.sh_offset < section.sh_size)
    return {};
  return bytes.subspan(section.sh_offset, section.sh_size);
}

struct Named {
  std::string_view name;
  Elf64_Shdr header;
};

std::vector<Named> sections_of(Bytes cubin) {
  const auto header = record_at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_CUDA) return {};
  const auto section_at = [&](uint64_t i) {
    return record_at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section_at(header->e_shstrndx);
  if (!names) return {};
  const Bytes table = content_of(cubin, *names);
  std::vector<Named> sections;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = section_at(i);
    if (!section || section->sh_name >= table.size()) return {};
    const char* name = reinterpret_cast<const char*>(table.data()) + section->sh_name;
    sections.push_back({{name, strnlen(name, table.size() - section->sh_name)}, *section});
  }
  return sections;
}

// Attributes of .nv.info: a format, a number, and what follows by the format.
constexpr uint8_t kSizedFormat = 4, kParameterBank = 0x0a, kFrameSize = 0x11, kRegisterCount = 0x2f;

/// Calls `see(attribute, words)` for each attribute that has a size.
template <class See>
void each_attribute(Bytes info, See see) {
  for (size_t at = 0; at + 4 <= info.size();) {
    if (info[at] != kSizedFormat) {
      at += 4;
      continue;
    }
    const size_t size = info[at + 2] | info[at + 3] << 8;
    if (info.size() - at - 4 < size) return;
    std::vector<uint32_t> words(size / 4);
    std::memcpy(words.data(), info.data() + at + 4, words.size() * 4);
    see(info[at + 1], words);
    at += 4 + size;
  }
}

/// The number of the function's symbol.
std::optional<uint32_t> symbol_of(Bytes cubin, const std::vector<Named>& sections, std::string_view entry) {
  for (const Named& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    const Bytes symbols = content_of(cubin, table.header);
    const Bytes names = content_of(cubin, sections[table.header.sh_link].header);
    for (uint32_t i = 0; auto symbol = record_at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym)); ++i) {
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= names.size()) continue;
      const char* name = reinterpret_cast<const char*>(names.data()) + symbol->st_name;
      if (std::string_view(name, strnlen(name, names.size() - symbol->st_name)) == entry) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

Bytes section(Bytes cubin, std::string_view name) {
  for (const Named& one : sections_of(cubin))
    if (one.name == name) return content_of(cubin, one.header);
  return {};
}

Bytes kernel_code(Bytes cubin, std::string_view entry) { return section(cubin, std::string(".text.").append(entry)); }

uint32_t architecture_of(Bytes cubin) {
  const auto header = record_at<Elf64_Ehdr>(cubin, 0);
  if (!header) return 0;
  constexpr uint8_t kNewFlags = 8;  // Of the ABI's version: from it on the architecture is in the second byte.
  return header->e_ident[EI_ABIVERSION] >= kNewFlags ? header->e_flags >> 8 & 0xff : header->e_flags & 0xff;
}

std::optional<KernelFacts> read_kernel_facts(Bytes cubin, std::string_view entry) {
  const std::vector<Named> sections = sections_of(cubin);
  const std::optional<uint32_t> symbol = symbol_of(cubin, sections, entry);
  if (!symbol) return std::nullopt;
  KernelFacts facts;
  facts.architecture = architecture_of(cubin);
  for (const Named& one : sections) {
    const Bytes content = content_of(cubin, one.header);
    if (one.name == ".nv.info")
      each_attribute(content, [&](uint8_t attribute, const std::vector<uint32_t>& words) {
        if (words.size() < 2 || words[0] != *symbol) return;
        if (attribute == kRegisterCount) facts.registers = words[1];
        if (attribute == kFrameSize) facts.local_bytes = words[1];
      });
    else if (one.name == std::string(".nv.info.").append(entry))
      each_attribute(content, [&](uint8_t attribute, const std::vector<uint32_t>& words) {
        if (attribute != kParameterBank || words.size() < 2) return;
        facts.parameter_offset = words[1] & 0xffff;
        facts.parameter_bytes = words[1] >> 16;
      });
    else if (one.name == std::string(".nv.shared.").append(entry))
      facts.static_shared_bytes = static_cast<uint32_t>(one.header.sh_size);
    else if (constexpr std::string_view kBank = ".nv.constant"; one.name.starts_with(kBank)) {
      const std::string_view rest = one.name.substr(kBank.size());
      uint32_t bank = 0;
      const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), bank);
      const std::string_view of = rest.substr(static_cast<size_t>(end - rest.data()));
      if (problem != std::errc{} || bank > 31 || (!of.empty() && of.substr(1) != entry)) continue;
      if (facts.banks.size() <= bank) facts.banks.resize(bank + 1);
      facts.banks[bank].assign(content.begin(), content.end());
    }
  }
  constexpr uint32_t kReservedFrom = 90, kReserved = 1024;
  if (facts.architecture >= kReservedFrom) {
    facts.reserved_shared_bytes = kReserved;
    facts.static_shared_bytes -= std::min(facts.static_shared_bytes, kReserved);
  }
  return facts;
}

}  // namespace tilescope::sass
