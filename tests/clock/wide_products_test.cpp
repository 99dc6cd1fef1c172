#include "clock/wide_products.h"

#include <gtest/gtest.h>

namespace tilescope::clock {
namespace {
using sass::Instruction;
using sass::Opcode;
using sass::Pipe;

sass::Operand reg(uint8_t index) {
  sass::Operand operand;
  operand.kind = sass::Operand::Kind::Register;
  operand.index = index;
  return operand;
}
Instruction instruction(Opcode opcode, Pipe pipe, uint8_t stall, uint8_t d, uint8_t a) {
  Instruction in;
  in.opcode = opcode;
  in.pipe = pipe;
  in.control.stall = stall;
  in.d = reg(d);
  in.a = reg(a);
  return in;
}

class WideProducts : public testing::Test {
 protected:
  WideProducts() {
    model_.wide_upper = 9;
    model_.wide_lower = 7;
    model_.wide_again = 6;
  }
  std::vector<uint8_t> waits(const std::vector<Instruction>& code) const {
    return waits_for_wide_products(model_, code);
  }
  const Instruction high_ = instruction(Opcode::IMAD_HI, Pipe::FmaHeavy, 5, 4, 1);
  const Instruction wide_ = instruction(Opcode::IMAD_WIDE, Pipe::FmaHeavy, 4, 4, 1);
  const Instruction other_ = instruction(Opcode::LOP3, Pipe::Alu, 2, 8, 9);
  SmModel model_;
};

TEST_F(WideProducts, WhatReadsTheProductComesLaterThanItsStallCountSays) {
  const auto reader = [](uint8_t a) { return instruction(Opcode::LOP3, Pipe::Alu, 1, 8, a); };
  EXPECT_EQ(waits({high_, reader(4)}), (std::vector<uint8_t>{4, 0}));
  EXPECT_EQ(waits({high_, reader(5)}), (std::vector<uint8_t>{0, 0})) << "of IMAD.HI there is one word";
  EXPECT_EQ(waits({wide_, reader(4)}), (std::vector<uint8_t>{3, 0}));
  EXPECT_EQ(waits({wide_, reader(5)}), (std::vector<uint8_t>{5, 0}));
  EXPECT_EQ(waits({wide_, other_, reader(5)}), (std::vector<uint8_t>{0, 3, 0})) << "others go on before";
}

TEST_F(WideProducts, AddressesReadBothWords) {
  Instruction load = instruction(Opcode::LDG, Pipe::Memory, 1, 8, 9);
  load.address = {.present = true, .base = 4, .wide = true};
  EXPECT_EQ(waits({wide_, load}), (std::vector<uint8_t>{5, 0}));
}

TEST_F(WideProducts, WhatNeedsTheFmaPipesWaitsUntilTheProductIsDone) {
  EXPECT_EQ(waits({wide_, instruction(Opcode::FFMA, Pipe::Fma, 1, 8, 9)}), (std::vector<uint8_t>{2, 0}));
  EXPECT_EQ(waits({wide_, other_}), (std::vector<uint8_t>{0, 0}));
}

TEST_F(WideProducts, BeyondABranchNothingIsKnown) {
  const Instruction branch = instruction(Opcode::BRA, Pipe::Branch, 1, 255, 255);
  EXPECT_EQ(waits({wide_, branch, instruction(Opcode::FFMA, Pipe::Fma, 1, 8, 4)}), (std::vector<uint8_t>{0, 0, 0}));
}

}  // namespace
}  // namespace tilescope::clock
