#include "analysis/machine_code.h"

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tilescope::analysis {
namespace {

/// A cubin whose kernel "k" holds these instructions, the low half of each and the high one.
std::vector<uint8_t> cubin_of(const std::vector<uint64_t>& code) {
  const std::string names("\0.text.k\0.names\0", 17);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = EM_CUDA;
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

TEST(MachineCode, LoadsOfSharedMemoryAreCountedByWidthAndFmas) {
  constexpr uint64_t kFfma = 0x223, kLds = 0x984, kOther = 0x981;
  const auto loads = read_machine_loads(
      cubin_of({kFfma, 0, kLds, 4 << 9, kFfma, 0, kLds, 5 << 9, kLds, 6 << 9, kLds, 6 << 9, kOther, 6 << 9}), "k");
  ASSERT_TRUE(loads);
  EXPECT_EQ(loads->fmas, 2U);
  EXPECT_EQ(loads->shared_loads, (std::array<uint32_t, 3>{1, 1, 2}));
}

TEST(MachineCode, WhatIsNoCubinOrLacksTheKernelHasNone) {
  const std::vector<uint8_t> whole = cubin_of({0x223, 0});
  EXPECT_TRUE(read_machine_loads(whole, "k"));
  EXPECT_FALSE(read_machine_loads(whole, "another"));
  EXPECT_FALSE(read_machine_loads({}, "k"));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)  // Cut off anywhere it is refused, not read past its end.
    EXPECT_FALSE(read_machine_loads(std::span(whole).first(bytes), "k")) << bytes;
}

}  // namespace
}  // namespace tilescope::analysis
