#include "program/fat_binary.h"

#include <cstring>

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

namespace tilescope::program {
namespace {

enum class Packing { None, Lz4, Zstd };

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string packed(const std::string& text, Packing packing) {
  std::string bytes(text.size() + 1024, '\0');
  if (packing == Packing::None) return text;
  const size_t size =
      packing == Packing::Zstd
          ? ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3)
          : static_cast<size_t>(LZ4_compress_default(text.data(), bytes.data(), static_cast<int>(text.size()),
                                                     static_cast<int>(bytes.size())));
  bytes.resize(size);
  return bytes;
}

/// An entry as fatbinary writes it.
std::string entry(uint16_t kind, uint32_t capability, const std::string& text, Packing packing) {
  std::string payload = packed(text, packing);
  const auto size = static_cast<uint32_t>(payload.size());
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string bytes;
  put<uint16_t>(bytes, kind);
  put<uint16_t>(bytes, 0x101);
  put<uint32_t>(bytes, 64);
  put<uint64_t>(bytes, payload.size());
  put<uint32_t>(bytes, packing == Packing::None ? 0 : size);
  put<uint32_t>(bytes, 0);
  put<uint32_t>(bytes, 0);
  put<uint32_t>(bytes, capability);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, packing == Packing::Zstd ? 0x8011 : packing == Packing::Lz4 ? 0x2011 : 0x11);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, packing == Packing::None ? 0 : text.size());
  return bytes + payload;
}

std::string container(const std::string& entries) {
  std::string bytes;
  put<uint32_t>(bytes, 0xba55ed50);
  put<uint16_t>(bytes, 1);
  put<uint16_t>(bytes, 16);
  put<uint64_t>(bytes, entries.size());
  return bytes + entries;
}

const std::string kText = ".version 8.0\n.target sm_80\n" + std::string(400, '\n');

TEST(FatBinary, GivesPtxPlainAndCompressed) {
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const auto images = read_fat_binary(container(entry(1, 80, kText, packing)));
    ASSERT_TRUE(images);
    ASSERT_EQ(images->size(), 1U);
    EXPECT_EQ(images->front().kind, Image::Kind::Ptx);
    EXPECT_EQ(images->front().capability, 80U);
    EXPECT_EQ(images->front().bytes, kText);
  }
}

TEST(FatBinary, PtxEndsBeforeItsZero) {
  const auto images = read_fat_binary(container(entry(1, 80, "text" + std::string(3, '\0'), Packing::None)));
  ASSERT_TRUE(images);
  EXPECT_EQ(images->front().bytes, "text");
}

TEST(FatBinary, TheHighestPtxThatTheDeviceTakesIsChosen) {
  const auto images = read_fat_binary(container(entry(1, 75, "a", Packing::None) + entry(2, 90, "b", Packing::None) +
                                                entry(1, 86, "c", Packing::None) + entry(1, 100, "d", Packing::None)));
  ASSERT_TRUE(images);
  EXPECT_EQ(ptx_for(*images, 90)->bytes, "c");
  EXPECT_EQ(ptx_for(*images, 80)->bytes, "a");
  EXPECT_EQ(ptx_for(*images, 70), nullptr);
}

TEST(FatBinary, WhatIsCutShortOrCorruptIsRefused) {
  EXPECT_FALSE(read_fat_binary(""));
  EXPECT_FALSE(read_fat_binary("no fat binary at all"));
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const std::string whole = container(entry(1, 80, kText, packing));
    for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(read_fat_binary(whole.substr(0, size))) << size;
    std::string flipped = whole;
    for (size_t at = 0; at < whole.size(); ++at) {
      flipped[at] = static_cast<char>(flipped[at] ^ 0x55);
      (void)read_fat_binary(flipped);  // Never a crash.
      flipped[at] = whole[at];
    }
  }
}

TEST(FatBinary, ASizeThatNoPayloadCanHaveIsRefusedBeforeItIsAllocated) {
  std::string bytes = container(entry(1, 80, kText, Packing::Zstd));
  const uint64_t size = uint64_t{200} << 20;
  std::memcpy(bytes.data() + 16 + 56, &size, sizeof size);
  EXPECT_FALSE(read_fat_binary(bytes));
}

TEST(FatBinary, RegistersOfWhatIsNoCubinAreNone) {
  EXPECT_TRUE(registers_of("").empty());
  EXPECT_TRUE(registers_of("\x7f"
                           "ELF and then nothing")
                  .empty());
}

}  // namespace
}  // namespace tilescope::program
