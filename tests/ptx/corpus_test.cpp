// Every PTX text of the tests, by compilers and people, is read, printed, read back and flattened.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "print_module.h"
#include "ptx/control_flow.h"
#include "text.h"

namespace tilescope::ptx {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> files;
  for (const char* folder : {"/tests/ptx/data", "/tests/emulator/ptx"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadPrintedAndReadBackToTheSameModule) {
  const Module module = module_of(text_of(GetParam()));
  const Module again = module_of(print_module(module));
  ASSERT_EQ(module.functions.size(), again.functions.size());
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const Function before = without_places(module).functions[i], after = without_places(again).functions[i];
    ASSERT_EQ(before.instructions.size(), after.instructions.size()) << before.name;
    for (size_t k = 0; k < before.instructions.size(); ++k)
      ASSERT_EQ(before.instructions[k], after.instructions[k])
          << print(module, module.functions[i], module.functions[i].instructions[k]);
  }
  EXPECT_EQ(without_places(module), without_places(again));
}

void expect_sound(const Function& function, const ControlFlow& flow) {
  const auto count = static_cast<int32_t>(function.instructions.size());
  ASSERT_EQ(flow.block_of.size(), function.instructions.size());
  for (const Instruction& instruction : function.instructions)
    for (const Operand& operand : instruction.operands) {
      EXPECT_TRUE(operand.kind != Operand::Kind::Label || (operand.index >= 0 && operand.index < count));
    }
  for (size_t b = 0; b < flow.blocks.size(); ++b)
    for (int32_t successor : flow.blocks[b].successors) {
      const std::vector<int32_t>& back = flow.blocks[static_cast<size_t>(successor)].predecessors;
      EXPECT_NE(std::find(back.begin(), back.end(), static_cast<int32_t>(b)), back.end());
    }
}

TEST_P(Corpus, KernelsAreFlat) {
  const Module module = module_of(text_of(GetParam()));
  for (const Function& function : module.functions) {
    if (!function.is_entry) continue;
    const auto flat = flatten(module, function.name);
    ASSERT_TRUE(flat) << to_string(flat.errors());
    for (const Instruction& instruction : flat->instructions)
      for (const Operand& operand : instruction.operands)
        EXPECT_TRUE(operand.kind != Operand::Kind::Function ||
                    module.functions[static_cast<size_t>(operand.index)].is_declaration);
    expect_sound(*flat, control_flow(*flat));
    Module printed = module;
    printed.functions.push_back(*flat);
    printed.functions.back().name += "_flat";
    EXPECT_FALSE(verify(printed).size()) << to_string(verify(printed));
    module_of(print_module(printed));
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ptx, Corpus, testing::ValuesIn(corpus()), name_of);

}  // namespace
}  // namespace tilescope::ptx
