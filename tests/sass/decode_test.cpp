#include "sass/decode.h"

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sass/opcode_table.h"

namespace tilescope::sass {
namespace {

std::array<uint8_t, kInstructionBytes> bytes_of(uint64_t high, uint64_t low) {
  std::array<uint8_t, kInstructionBytes> bytes;
  std::memcpy(bytes.data(), &low, 8);
  std::memcpy(bytes.data() + 8, &high, 8);
  return bytes;
}

Result<Instruction> decoded(uint64_t high, uint64_t low, uint32_t offset = 0, uint32_t architecture = 90) {
  return decode(bytes_of(high, low), offset, architecture);
}

TEST(Decode, PrintsAsTheDisassemblerDoes) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/tests/sass/texts.txt");
  ASSERT_TRUE(file);
  size_t compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    uint32_t architecture = 0, offset = 0;
    uint64_t high = 0, low = 0;
    std::string text;
    words >> architecture >> std::hex >> offset >> high >> low;
    std::getline(words >> std::ws, text);
    const auto in = decoded(high, low, offset, architecture);
    ASSERT_TRUE(in) << text << "\n" << to_string(in.errors());
    EXPECT_EQ(to_string(*in), text);
    ++compared;
  }
  EXPECT_GT(compared, 300u);
}

TEST(Decode, ReadsWhatTheSchedulerIsTold) {
  // @!P0 LDG.E R3, desc[UR4][R2.64]: stall 4, scoreboard 2 when it is there, waits for 0 and 1.
  const auto in = decoded(0x003ea8000c1e1900, 0x0000000402038981);
  ASSERT_TRUE(in) << to_string(in.errors());
  EXPECT_EQ(in->control.stall, 4);
  EXPECT_FALSE(in->control.yield);
  EXPECT_EQ(in->control.write_scoreboard, 2);
  EXPECT_EQ(in->control.read_scoreboard, kNoScoreboard);
  EXPECT_EQ(in->control.wait_mask, 3);
  EXPECT_EQ(in->pipe, Pipe::Memory);
  EXPECT_EQ(in->guard.index, 0);
  EXPECT_TRUE(in->guard.negate);
}

TEST(Decode, ReusedOperandsAreThoseOfTheText) {
  // IMAD R17, R0.reuse, R25, R3.reuse
  const auto in = decoded(0x140fe400078e0203, 0x0000001900117224);
  ASSERT_TRUE(in) << to_string(in.errors());
  EXPECT_TRUE(in->a.reuse);
  EXPECT_FALSE(in->b.reuse);
  EXPECT_TRUE(in->c.reuse);
  EXPECT_EQ(to_string(*in), "IMAD R17, R0.reuse, R25, R3.reuse");
}

TEST(Decode, WhatIsNotKnownIsRefusedByNameAndPlace) {
  EXPECT_EQ(to_string(decoded(0, 0x7fff, 0x20).errors()),
            "error: The machine instruction at 0x0020 has an opcode that is not known: 0xfff (bits 0000000000000000 "
            "0000000000007fff).");
  // FADD with a bit that no operand accounts for.
  const auto odd = decoded(0x000fe20000000001, 0x0000001b1c007221, 0x30);
  ASSERT_FALSE(odd);
  EXPECT_EQ(to_string(odd.errors()),
            "error: The machine instruction FADD at 0x0030 has bits whose meaning is not known: 0000000000000001 "
            "0000000000000000 of 000fe20000000001 0000001b1c007221.");
  // MUFU with a function that there is not.
  EXPECT_EQ(to_string(decoded(0x000fe20000002800, 0x0000001b00007308).errors()),
            "error: A modifier of the machine instruction MUFU at 0x0000 is not known: 10 in bits 74 to 77 (bits "
            "000fe20000002800 0000001b00007308).");
}

TEST(Decode, NoBitsDoHarm) {
  uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t high = next(), low = next();
    const auto in = decoded(high, low);
    EXPECT_FALSE((in ? to_string(*in) : to_string(in.errors())).empty());
  }
}

TEST(OpcodeTable, EveryOpcodeHasItsRow) {
  for (size_t i = 0; i < static_cast<size_t>(Opcode::kCount); ++i)
    EXPECT_EQ(row_of(static_cast<Opcode>(i)).opcode, static_cast<Opcode>(i));
}

}  // namespace
}  // namespace tilescope::sass
