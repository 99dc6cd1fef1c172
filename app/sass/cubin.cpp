#include "sass/cubin.h"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "base/elf.h"

namespace tilescope::sass {
namespace {

using Bytes = std::span<const uint8_t>;

std::string_view file_of(Bytes cubin) { return {reinterpret_cast<const char*>(cubin.data()), cubin.size()}; }

Bytes content_of(const ElfSection& section) {
  return {reinterpret_cast<const uint8_t*>(section.bytes.data()), section.bytes.size()};
}

std::vector<ElfSection> sections_of(Bytes cubin) {
  if (value_at<Elf64_Ehdr>(file_of(cubin), 0).e_machine != EM_CUDA) return {};
  return elf_sections(file_of(cubin));
}

// Attributes of .nv.info: a format, a number, and what follows by the format.
constexpr uint8_t kSizedFormat = 4, kParameterBank = 0x0a, kFrameSize = 0x11, kParameter = 0x17, kRegisterCount = 0x2f;

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
std::optional<uint32_t> function_symbol(const std::vector<ElfSection>& sections, std::string_view entry) {
  for (const ElfSection& table : sections) {
    if (table.type != SHT_SYMTAB || table.link >= sections.size()) continue;
    for (uint32_t i = 0; i < table.bytes.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = value_at<Elf64_Sym>(table.bytes, i * sizeof(Elf64_Sym));
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && text_at(sections[table.link].bytes, symbol.st_name) == entry)
        return i;
    }
  }
  return std::nullopt;
}

constexpr std::string_view kBank = ".nv.constant", kCode = ".text.";

/// The number of the bank that all kernels of the module share; nothing for other sections.
std::optional<uint32_t> shared_bank(std::string_view section) {
  uint32_t bank = 0;
  if (!section.starts_with(kBank)) return std::nullopt;
  const auto [end, problem] = std::from_chars(section.data() + kBank.size(), section.data() + section.size(), bank);
  if (problem != std::errc{} || end != section.data() + section.size()) return std::nullopt;
  return bank;
}

std::vector<VariableUse> variable_uses(const std::vector<ElfSection>& sections) {
  constexpr uint32_t kWholeAddress = 2;  // Of the relocations.
  constexpr std::string_view kRelocations = ".rela";
  std::vector<VariableUse> uses;
  const auto symbol_at = [&](const ElfSection& table, uint64_t number) {
    return value_at<Elf64_Sym>(table.bytes, number * sizeof(Elf64_Sym));
  };
  const auto name_of = [&](const ElfSection& table, const Elf64_Sym& symbol) {
    return std::string(table.link < sections.size() ? text_at(sections[table.link].bytes, symbol.st_name)
                                                    : std::string_view());
  };
  for (const ElfSection& one : sections) {
    if (one.type == SHT_SYMTAB)
      for (uint64_t i = 0; i < one.bytes.size() / sizeof(Elf64_Sym); ++i) {
        const auto symbol = symbol_at(one, i);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= sections.size()) continue;
        if (const auto bank = shared_bank(sections[symbol.st_shndx].name))
          uses.push_back({name_of(one, symbol), false, *bank, static_cast<uint32_t>(symbol.st_value),
                          static_cast<uint32_t>(symbol.st_size), 0});
      }
    if (one.type != SHT_RELA || one.link >= sections.size() || !one.name.starts_with(kRelocations)) continue;
    const auto bank = shared_bank(std::string_view(one.name).substr(kRelocations.size()));
    for (uint64_t at = 0; bank && at + sizeof(Elf64_Rela) <= one.bytes.size(); at += sizeof(Elf64_Rela)) {
      const auto relocation = value_at<Elf64_Rela>(one.bytes, at);
      if (ELF64_R_TYPE(relocation.r_info) != kWholeAddress) continue;
      const ElfSection& table = sections[one.link];
      uses.push_back({name_of(table, symbol_at(table, ELF64_R_SYM(relocation.r_info))), true, *bank,
                      static_cast<uint32_t>(relocation.r_offset), sizeof(uint64_t),
                      static_cast<uint64_t>(relocation.r_addend)});
    }
  }
  return uses;
}

}  // namespace

Bytes section(Bytes cubin, std::string_view name) {
  for (const ElfSection& one : sections_of(cubin))
    if (one.name == name) return content_of(one);
  return {};
}

Bytes kernel_code(Bytes cubin, std::string_view entry) { return section(cubin, std::string(kCode).append(entry)); }

std::optional<uint32_t> symbol_of(Bytes cubin, std::string_view entry) {
  return function_symbol(sections_of(cubin), entry);
}

uint32_t architecture_of(Bytes cubin) {
  const auto header = value_at<Elf64_Ehdr>(file_of(cubin), 0);
  constexpr uint8_t kNewFlags = 8;  // Of the ABI's version: from it on the architecture is in the second byte.
  return header.e_ident[EI_ABIVERSION] >= kNewFlags ? header.e_flags >> 8 & 0xff : header.e_flags & 0xff;
}

std::vector<FunctionAddress> function_addresses(Bytes cubin) {
  const std::vector<ElfSection> sections = sections_of(cubin);
  std::vector<FunctionAddress> functions;
  for (const ElfSection& table : sections) {
    if (table.type != SHT_SYMTAB || table.link >= sections.size()) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(table.bytes, at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= sections.size()) continue;
      const std::string_view code = sections[symbol.st_shndx].name;
      if (!code.starts_with(kCode)) continue;
      const std::string_view kernel = code.substr(kCode.size());
      const std::string of_kernel = std::string("$").append(kernel).append("$");
      const std::string_view name = text_at(sections[table.link].bytes, symbol.st_name);
      if (!name.starts_with(of_kernel)) continue;
      uint64_t address = symbol.st_value;
      const Bytes pointers = section(cubin, std::string(kBank).append("2.").append(kernel));
      for (size_t entry = sizeof(uint64_t); entry + sizeof(uint64_t) <= pointers.size(); entry += sizeof(uint64_t)) {
        uint64_t place = 0;
        std::memcpy(&place, pointers.data() + entry, sizeof place);
        if (place == symbol.st_value) address = entry;
      }
      functions.push_back({std::string(name.substr(of_kernel.size())), address});
    }
  }
  return functions;
}

std::vector<uint8_t> without_ptx_text(Bytes cubin) {
  const Bytes text = section(cubin, ".nv_debug_ptx_txt");
  constexpr size_t kAlignment = 128;  // Of every section: what follows keeps its own.
  const size_t begin = static_cast<size_t>(text.data() - cubin.data()), removed = text.size() / kAlignment * kAlignment;
  std::vector<uint8_t> kept(cubin.begin(), cubin.end());
  if (text.empty() || removed == 0) return kept;
  kept.erase(kept.begin() + static_cast<ptrdiff_t>(begin), kept.begin() + static_cast<ptrdiff_t>(begin + removed));

  const auto move = [&](uint64_t& offset) { offset -= offset > begin ? removed : 0; };
  const auto change = [&](uint64_t at, auto header, auto changed) {
    header = value_at<decltype(header)>(file_of(kept), at);
    changed(header);
    if (at + sizeof(header) <= kept.size()) std::memcpy(kept.data() + at, &header, sizeof(header));
  };
  Elf64_Ehdr file;
  change(0, Elf64_Ehdr{}, [&](Elf64_Ehdr& header) {
    move(header.e_shoff);
    move(header.e_phoff);
    file = header;
  });
  for (uint64_t i = 0; i < file.e_shnum; ++i)
    change(file.e_shoff + i * sizeof(Elf64_Shdr), Elf64_Shdr{}, [&](Elf64_Shdr& header) {
      if (header.sh_offset == begin && header.sh_size == text.size()) header.sh_size = 0;
      move(header.sh_offset);
    });
  for (uint64_t i = 0; i < file.e_phnum; ++i)
    change(file.e_phoff + i * sizeof(Elf64_Phdr), Elf64_Phdr{}, [&](Elf64_Phdr& header) { move(header.p_offset); });
  return kept;
}

std::optional<KernelFacts> read_kernel_facts(Bytes cubin, std::string_view entry) {
  const std::vector<ElfSection> sections = sections_of(cubin);
  const std::optional<uint32_t> symbol = function_symbol(sections, entry);
  if (!symbol) return std::nullopt;
  KernelFacts facts;
  facts.architecture = architecture_of(cubin);
  for (const ElfSection& one : sections) {
    const Bytes content = content_of(one);
    if (one.name == ".nv.info")
      each_attribute(content, [&](uint8_t attribute, const std::vector<uint32_t>& words) {
        if (words.size() < 2 || words[0] != *symbol) return;
        if (attribute == kRegisterCount) facts.registers = words[1];
        if (attribute == kFrameSize) facts.local_bytes = words[1];
      });
    else if (one.name == std::string(".nv.info.").append(entry))
      each_attribute(content, [&](uint8_t attribute, const std::vector<uint32_t>& words) {
        if (attribute == kParameter && words.size() >= 3) {
          const uint32_t ordinal = words[1] & 0xffff;
          constexpr uint32_t kMostParameters = 4096;
          if (ordinal >= kMostParameters) return;
          if (facts.parameters.size() <= ordinal) facts.parameters.resize(ordinal + 1);
          facts.parameters[ordinal] = {words[1] >> 16, words[2] >> 18};
        }
        if (attribute != kParameterBank || words.size() < 2) return;
        facts.parameter_offset = words[1] & 0xffff;
        facts.parameter_bytes = words[1] >> 16;
      });
    else if (one.name == std::string(".nv.shared.").append(entry))
      facts.static_shared_bytes = static_cast<uint32_t>(one.size);
    else if (one.name.starts_with(kBank)) {
      const std::string_view rest = one.name.substr(kBank.size());
      uint32_t bank = 0;
      const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), bank);
      const std::string_view of = rest.substr(static_cast<size_t>(end - rest.data()));
      if (problem != std::errc{} || bank > 31 || (!of.empty() && of.substr(1) != entry)) continue;
      if (facts.banks.size() <= bank) facts.banks.resize(bank + 1);
      facts.banks[bank].assign(content.begin(), content.end());
    }
  }
  facts.variables = variable_uses(sections);
  constexpr uint32_t kReservedFrom = 90, kReserved = 1024;
  if (facts.architecture >= kReservedFrom) {
    facts.reserved_shared_bytes = kReserved;
    facts.static_shared_bytes -= std::min(facts.static_shared_bytes, kReserved);
  }
  return facts;
}

}  // namespace tilescope::sass
