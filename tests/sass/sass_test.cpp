#include "sass/sass.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace tilescope::sass {
namespace {

using Code = std::array<uint64_t, 2>;

/// A memory instruction: opcode in bits 0 to 11, width in bits 73 to 75.
Code code(uint64_t opcode, uint64_t width = 0) { return {opcode, width << 9}; }

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A cubin of one kernel and its table of section names.
std::string cubin(const std::vector<Code>& text, const std::string& section = ".text.k", uint16_t machine = EM_CUDA) {
  const std::string names = std::string("\0", 1) + section + std::string("\0.shstrtab\0", 11);
  const size_t text_bytes = text.size() * sizeof(Code);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shoff = sizeof header + text_bytes + (names.size() + 7) / 8 * 8;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  std::array<Elf64_Shdr, 3> sections{};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof header;
  sections[1].sh_size = text_bytes;
  sections[2].sh_name = static_cast<uint32_t>(section.size()) + 2;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sizeof header + text_bytes;
  sections[2].sh_size = names.size();
  std::string bytes;
  append(bytes, header);
  for (const Code& each : text) append(bytes, each);
  bytes += names;
  bytes.resize(header.e_shoff);
  append(bytes, sections);
  return bytes;
}

std::string failure(std::string_view bytes) {
  const auto kernels = read_cubin(bytes);
  return kernels ? "no error" : to_string(kernels.errors());
}

TEST(Sass, ListsMemoryInstructionsWithTheirWidth) {
  const auto kernels =
      read_cubin(cubin({code(0x984, 4), code(0x984, 6), code(0x388, 5), code(0x988, 5), code(0x981, 0), code(0x386, 4),
                        code(0xb1d), code(0x223), code(0xe23), code(0xfae, 6), code(0x210)}));
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  const Kernel& kernel = kernels->front();
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.instructions, 11u);
  ASSERT_EQ(kernel.listed.size(), 10u);
  EXPECT_EQ(kernel.listed[1].offset, 16u);
  EXPECT_EQ(kernel.listed[1].mnemonic, "LDS.128");
  const Summary expected = {{"BAR", 1}, {"FFMA", 2},    {"LDG.U8", 1}, {"LDGSTS.128", 1},
                            {"LDS", 1}, {"LDS.128", 1}, {"STG", 1},    {"STS.64", 2}};
  EXPECT_EQ(summarise(kernel), expected);
}

TEST(Sass, WhatIsNotACubinIsSaidSo) {
  const std::string not_a_cubin =
      "error: This is not a cubin (a 64-bit ELF file for the CUDA machine); compile with ptxas or NVRTC to get one.";
  EXPECT_EQ(failure(""), not_a_cubin);
  EXPECT_EQ(failure("hello"), not_a_cubin);
  EXPECT_EQ(failure(cubin({code(0x984, 4)}, ".text.k", EM_X86_64)), not_a_cubin);
  EXPECT_EQ(failure(cubin({}, ".data")),
            "error: The cubin holds no kernel; check that the source has a __global__ function.");
}

TEST(Sass, NoDamageDoesHarm) {
  const std::string good = cubin({code(0x984, 4), code(0x984, 6)});
  for (size_t length = 0; length < good.size(); ++length) EXPECT_FALSE(read_cubin(good.substr(0, length))) << length;
  for (size_t at = 0; at < good.size(); ++at)
    for (unsigned char value : {0x00, 0x7f, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      const auto read = read_cubin(bad);
      if (!read) {
        EXPECT_FALSE(read.errors().empty()) << at;
        continue;
      }
      for (const Kernel& kernel : *read) EXPECT_LE(kernel.listed.size(), kernel.instructions) << at;
    }
}

}  // namespace
}  // namespace tilescope::sass
