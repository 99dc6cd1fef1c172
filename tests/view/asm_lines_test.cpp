// The highlighted line for an instruction of an asm statement is the instruction's own.

#include <gtest/gtest.h>

#include "base/text.h"
#include "ptx/opcode_table.h"
#include "source/asm_statements.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {

TEST(AsmLines, AreThoseOfTheMnemonics) {
  const auto traced = traced_of("23", {256, 256, 192});
  const std::vector<std::string> lines = lines_of(traced->request().kernel.source);
  int seen = 0;
  for (uint32_t pc = 0; pc < traced->function().instructions.size(); ++pc) {
    const ptx::Op op = traced->instruction(pc).op;
    if (op != ptx::Op::WgmmaMma && op != ptx::Op::MbarrierTryWait && op != ptx::Op::CpAsyncBulkTensor) continue;
    const std::string& line = lines.at(static_cast<size_t>(traced->facts.line_of(pc)) - 1);
    EXPECT_NE(line.find(ptx::mnemonic(op)), std::string::npos) << line;
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

TEST(AsmLines, AnyLineOfTheStatementFindsTheInstruction) {
  const auto traced = traced_of("23", {256, 256, 192});
  for (const source::AsmStatement& statement : source::asm_statements(traced->request().kernel.source)) {
    const auto first = run::find_moment(*traced, statement.first, 1, 4);
    for (int line = statement.first; line <= statement.last; ++line) {
      EXPECT_EQ(run::find_moment(*traced, line, 1, 4), first) << line;
      const int lit = run::line_with_instructions(*traced, line);
      EXPECT_TRUE(statement.has(lit)) << line;
    }
  }
}

}  // namespace
}  // namespace tilescope::view
