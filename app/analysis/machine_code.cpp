#include "analysis/machine_code.h"

#include <elf.h>

#include <cstring>
#include <string>

namespace tilescope::analysis {
namespace {

constexpr size_t kInstructionBytes = 16;
/// An opcode's low nine bits, and the bits 73 to 75 of a memory instruction: found by assembling PTX of known meaning
/// with CUDA 13.0's ptxas; tests/sass has the others.
constexpr uint64_t kOpcodeBits = 0x1ff, kFfma = 0x023, kLds = 0x184;
constexpr uint64_t kWidth64 = 5, kWidth128 = 6;

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
  if (section.sh_offset > bytes.size() || bytes.size() - section.sh_offset < section.sh_size) return {};
  return bytes.subspan(section.sh_offset, section.sh_size);
}

/// The section of that name; empty where there is none.
Bytes section_of(Bytes cubin, const std::string& name) {
  const auto header = record_at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_CUDA) return {};
  const auto section_at = [&](uint64_t i) {
    return record_at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section_at(header->e_shstrndx);
  if (!names) return {};
  const Bytes table = content_of(cubin, *names);
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = section_at(i);
    if (!section || section->sh_name > table.size() || table.size() - section->sh_name <= name.size()) continue;
    // With the zero at its end.
    if (std::memcmp(table.data() + section->sh_name, name.c_str(), name.size() + 1) == 0)
      return content_of(cubin, *section);
  }
  return {};
}

}  // namespace

std::optional<MachineLoads> read_machine_loads(Bytes cubin, std::string_view entry) {
  const Bytes text = section_of(cubin, std::string(".text.").append(entry));
  if (text.empty()) return std::nullopt;
  MachineLoads loads;
  for (size_t at = 0; at + kInstructionBytes <= text.size(); at += kInstructionBytes) {
    const uint64_t opcode = *record_at<uint64_t>(text, at) & kOpcodeBits;
    const uint64_t width = *record_at<uint64_t>(text, at + sizeof(uint64_t)) >> 9 & 7;
    loads.fmas += opcode == kFfma;
    if (opcode == kLds) ++loads.shared_loads[width == kWidth128 ? 2 : width == kWidth64 ? 1 : 0];
  }
  return loads;
}

}  // namespace tilescope::analysis
