#include "program/executable.h"

#include <algorithm>

#include <elf.h>

#include "base/elf.h"

namespace tilescope::program {
namespace {

constexpr std::string_view kRuntime = "libcudart.so.13";

/// The library of the CUDA runtime that the program is linked with; or empty.
std::string_view runtime_of(const std::vector<ElfSection>& sections) {
  for (const ElfSection& section : sections) {
    if (section.type != SHT_DYNAMIC || section.link >= sections.size()) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.bytes.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = value_at<Elf64_Dyn>(section.bytes, at);
      const std::string_view name = text_at(sections[section.link].bytes, entry.d_un.d_val);
      if (entry.d_tag == DT_NEEDED && name.starts_with("libcudart.so")) return name;
    }
  }
  return {};
}

}  // namespace

Diagnostics check_executable(const std::filesystem::path& file, std::string_view bytes) {
  const std::vector<ElfSection> sections = elf_sections(bytes);
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  if (sections.empty() || header.e_machine != EM_X86_64 || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
    return {error(
        Message("{} is not a program for this machine; give a .cu file or a program built by nvcc.", file.string()))};
  const std::string_view runtime = runtime_of(sections);
  if (runtime == kRuntime) return {};
  if (!runtime.empty())
    return {error(Message("{} is linked with {}, and Tilescope replaces {}; build it with the CUDA Toolkit 13.",
                          file.string(), runtime, kRuntime))};
  const bool has_device_code =
      std::any_of(sections.begin(), sections.end(), [](const auto& s) { return s.name == ".nvFatBinSegment"; });
  if (has_device_code)
    return {error(Message(
        "{} has the CUDA runtime linked in, as nvcc does by default, so its launches cannot be reached. Link it with "
        "nvcc -cudart shared, or give the .cu file: tilescope run program.cu.",
        file.string()))};
  return {};
}

}  // namespace tilescope::program
