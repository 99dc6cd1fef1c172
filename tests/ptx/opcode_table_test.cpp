#include "ptx/opcode_table.h"

#include <array>
#include <cstdlib>
#include <fstream>

#include "text.h"

namespace tilescope::ptx {
namespace {

std::vector<std::string> opcodes_seen() {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/ptx/data/opcodes_seen.csv");
  std::vector<std::string> opcodes;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#') && !line.starts_with("opcode,")) opcodes.push_back(line.substr(0, line.find(',')));
  return opcodes;
}

/// The fields that the opcode's modifiers set.
Instruction taken_apart(std::string_view text) {
  Instruction instruction;
  size_t length = 0;
  EXPECT_TRUE(find_opcode(text, instruction.op, length)) << text;
  while (length < text.size()) {
    const size_t end = std::min(text.find('.', length + 1), text.size());
    const std::string_view word = text.substr(length + 1, end - length - 1);
    const Type type = type_named(word);
    if (type == Type::None)
      apply_modifier(word, info_of(instruction.op).modifiers, instruction);
    else
      (instruction.type == Type::None ? instruction.type : instruction.source_type) = type;
    length = end;
  }
  return instruction;
}

std::string register_of(Type type) {
  if (type == Type::Pred) return "p";
  switch (size_of(type)) {
    case 1:
    case 2: return "h";
    case 4: return "r";
    default: return "d";
  }
}

std::string operand_text(const Instruction& instruction, SlotKind kind) {
  switch (kind) {
    case SlotKind::M: return instruction.space == Space::Param ? "[argument]" : "[d]";
    case SlotKind::L: return "LABEL";
    case SlotKind::F: return "f";
    default: break;
  }
  const std::string scalar = register_of(element_type(instruction, kind, 0));
  const bool is_vector = (kind == SlotKind::Dv || kind == SlotKind::Av) && instruction.vector > 1;
  if (!is_vector) return scalar;
  std::string text;
  for (int i = 0; i < instruction.vector; ++i) text += (text.empty() ? "" : ", ") + scalar;
  return "{" + text + "}";
}

std::string registers(int count) {
  std::string text = "{r";
  for (int i = 1; i < count; ++i) text += ", r";
  return text + "}";
}

/// Of opcodes whose operands no slot describes: a tensor's coordinates, a fragment, literals. Empty: the slots do.
std::string own_operands(std::string_view opcode) {
  // Those seen multiply TF32: four registers of a factor, eight of a sum.
  if (opcode.starts_with("wmma.mma"))
    return registers(8) + ", " + registers(4) + ", " + registers(4) + ", " + registers(8);
  if (opcode.starts_with("wmma.load")) return registers(4) + ", [d], r";
  if (opcode.starts_with("wmma.store")) return "[d], " + registers(8) + ", r";
  constexpr std::string_view kTensor = "cp.async.bulk.tensor.";
  if (opcode.starts_with(kTensor)) {
    std::string place = "[d, {r";
    for (char d = opcode[kTensor.size()]; d > '1'; --d) place += ", r";
    place += "}]";
    return opcode.substr(kTensor.size() + 2).starts_with(".global") ? place + ", [r]" : "[r], " + place + ", [r]";
  }
  constexpr std::string_view kWgmma = "wgmma.mma_async.sync.aligned.m64n";
  if (!opcode.starts_with(kWgmma)) return {};
  // 64 x n sums over 128 threads
  return registers(64 * std::atoi(opcode.data() + kWgmma.size()) / 128) + ", d, d, p, 1, 1, 0, 0";
}

std::string instance_of(std::string_view opcode) {
  if (const std::string operands = own_operands(opcode); !operands.empty())
    return fmt::format("{} {};", opcode, operands);
  const Instruction instruction = taken_apart(opcode);
  const OpcodeInfo& info = info_of(instruction.op);
  std::string text(opcode), separator = " ";
  for (size_t i = 0; i < info.slot_count; ++i) {
    if (info.slots[i].optional) continue;
    text += std::exchange(separator, ", ") + operand_text(instruction, info.slots[i].kind);
  }
  return text + ";";
}

std::string module_with(std::string_view instance) {
  return fmt::format(
      ".version 9.0 .target sm_90 .func f() {{ ret; }} .entry k() {{ .reg .pred p; .reg .b16 h; .reg .b32 r; .reg .b64 "
      "d; "
      ".param .b64 argument;\nLABEL: {}\n}}",
      instance);
}

TEST(OpcodeTable, HasEveryOpcodeSeen) {
  const std::vector<std::string> opcodes = opcodes_seen();
  EXPECT_EQ(opcodes.size(), 203u);
  for (const std::string& opcode : opcodes)
    EXPECT_EQ(module_of(module_with(instance_of(opcode))).functions.size(), 2u) << opcode;
}

TEST(OpcodeTable, TheLongestMnemonicWins) {
  Op op{};
  size_t length = 0;
  ASSERT_TRUE(find_opcode("cp.async.mbarrier.arrive.noinc.shared.b64", op, length));
  EXPECT_EQ(op, Op::CpAsyncMbarrierArrive);
  EXPECT_EQ(length, std::string_view("cp.async.mbarrier.arrive").size());
  ASSERT_TRUE(find_opcode("cp.async.ca.shared.global", op, length));
  EXPECT_EQ(op, Op::CpAsync);
  EXPECT_FALSE(find_opcode("shfl.idx.b32", op, length));
}

TEST(OpcodeTable, EveryMnemonicFindsItsOpcode) {
  for (size_t i = 0; i < kOpCount; ++i) {
    Op op{};
    size_t length = 0;
    const std::string_view name = mnemonic(static_cast<Op>(i));
    ASSERT_TRUE(find_opcode(name, op, length)) << name;
    EXPECT_EQ(op, static_cast<Op>(i)) << name;
    EXPECT_EQ(length, name.size()) << name;
  }
}

TEST(OpcodeTable, NamesOfInstructionsOutside) {
  EXPECT_EQ(outside_the_table("wmma.mma.aligned.row.col.m16n16k16.f32.f32"), "wmma");
  EXPECT_EQ(outside_the_table("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add"), "cp.reduce.async.bulk.tensor");
  EXPECT_EQ(outside_the_table("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), "mma");
  EXPECT_EQ(outside_the_table("mad.lo.s32"), "");
}

TEST(OpcodeTable, OneWordMeansWhatItsOpcodeMakesOfIt) {
  const Instruction mul = taken_apart("mul.lo.s32"), setp = taken_apart("setp.lo.u32"), bra = taken_apart("bra.uni"),
                    vote = taken_apart("vote.sync.uni.pred"), red = taken_apart("red.global.and.b32"),
                    set = taken_apart("set.eq.and.u32.f32");
  EXPECT_EQ(mul.part, Part::Lo);
  EXPECT_EQ(setp.compare, Compare::Lo);
  EXPECT_TRUE(bra.uniform);
  EXPECT_EQ(vote.vote, VoteMode::Uni);
  EXPECT_EQ(red.atomic, AtomicOp::And);
  EXPECT_EQ(set.combine, Combine::And);
  EXPECT_EQ(set.source_type, Type::F32);
}

TEST(OpcodeTable, OptionalOperandsAreToldApartByModifiers) {
  Instruction cas = taken_apart("atom.global.cas.b32"), add = taken_apart("atom.global.add.L2::cache_hint.u32");
  OperandKinds kinds;
  ASSERT_TRUE(operand_kinds(cas, 4, false, kinds));
  EXPECT_EQ(kinds.kinds[3], SlotKind::C);
  ASSERT_TRUE(operand_kinds(add, 4, false, kinds));
  EXPECT_EQ(kinds.kinds[3], SlotKind::K);
  EXPECT_FALSE(operand_kinds(cas, 3, false, kinds));
}

}  // namespace
}  // namespace tilescope::ptx
