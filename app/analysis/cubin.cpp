#include "analysis/cubin.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>

namespace tilescope::analysis {
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

constexpr uint64_t kBranchOpcodeBits = 0xfff, kBranch = 0x947;  // BRA, found by assembling PTX with CUDA 13.0's ptxas.

/// How far a branch goes, in instructions from the one after it: a signed number of 48 bits in units of 1024 bytes, and
/// its low byte in units of 4.
int64_t branch_distance(const MachineCode& code) {
  auto high = static_cast<int64_t>((code.low >> 34 | (code.high & 0x3ffff) << 30) & ((uint64_t{1} << 48) - 1));
  if (high >> 47 & 1) high -= int64_t{1} << 48;
  const int64_t bytes = (high * 256 + static_cast<int64_t>(code.low >> 16 & 0xff)) * 4;
  return bytes / static_cast<int64_t>(kMachineInstructionBytes);
}

}  // namespace

size_t instruction_count(std::span<const uint8_t> code) { return code.size() / kMachineInstructionBytes; }

MachineCode code_at(std::span<const uint8_t> code, size_t instruction) {
  MachineCode found;
  std::memcpy(&found.low, code.data() + instruction * kMachineInstructionBytes, sizeof found.low);
  std::memcpy(&found.high, code.data() + instruction * kMachineInstructionBytes + sizeof found.low, sizeof found.high);
  return found;
}

std::optional<size_t> branch_target(std::span<const uint8_t> code, size_t instruction) {
  const MachineCode branch = code_at(code, instruction);
  if ((branch.low & kBranchOpcodeBits) != kBranch) return std::nullopt;
  const int64_t target = static_cast<int64_t>(instruction) + 1 + branch_distance(branch);
  if (target < 0 || target >= static_cast<int64_t>(instruction_count(code))) return std::nullopt;
  return static_cast<size_t>(target);
}

std::span<const uint8_t> kernel_code(std::span<const uint8_t> cubin, std::string_view entry) {
  return section_of(cubin, std::string(".text.").append(entry));
}

}  // namespace tilescope::analysis
