#include "source/asm_statements.h"

#include <string>

#include <gtest/gtest.h>

namespace tilescope::source {
namespace {

const std::string kText =
    "// asm volatile(\n"
    "__device__ void wait(unsigned b) {\n"
    "  asm volatile(\n"
    "      \"{\\n\"\n"
    "      \".reg .pred done;\\n\"\n"
    "      \"again:\\n\"\n"
    "      \"mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\\n\"\n"
    "      \"@!done bra again;\\n\"\n"
    "      \"}\" ::\"r\"(f(b)), \"r\"(g(b, ')')) : \"memory\");\n"
    "}\n"
    "const char *text = \"asm(\";\n"
    "void one() { asm(\"ldmatrix.x;\\nld.shared.f32 %0;\" : \"=f\"(a)); }\n";

TEST(AsmStatements, ReachFromTheirKeywordToTheirLastParenthesis) {
  const auto statements = asm_statements(kText);
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(statements[0].first, 3);
  EXPECT_EQ(statements[0].last, 9);
  EXPECT_EQ(statements[1].first, 12);
  EXPECT_EQ(statements[1].last, 12);
}

TEST(AsmStatements, SayOnWhichLineAnInstructionStands) {
  const auto statements = asm_statements(kText);
  ASSERT_FALSE(statements.empty());
  EXPECT_EQ(statements[0].line_of("mbarrier.try_wait"), 7);
  EXPECT_EQ(statements[0].line_of("bra"), 8);
  EXPECT_EQ(statements[0].line_of("mov"), 3) << "the compiler's own";
  EXPECT_EQ(statements[0].line_of("wait"), 3) << "a part of another word";
}

}  // namespace
}  // namespace tilescope::source
