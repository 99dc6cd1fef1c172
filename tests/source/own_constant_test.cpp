#include "source/own_constant.h"

#include <gtest/gtest.h>

namespace tilescope::source {
namespace {

TEST(OwnConstant, AVariableATemplateAndAnEnumerationDeclareIt) {
  const auto constant = own_constant("\nstatic constexpr int BM = 64, BN = 128;", "BN");
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->line, 2);
  EXPECT_EQ(constant->value, "128");
  EXPECT_FALSE(constant->is_macro);
  EXPECT_EQ(own_constant("enum { TILE = 32 };", "TILE")->value, "32");
  EXPECT_EQ(own_constant("const int TILE = 2 * 16;", "TILE")->value, "");
  EXPECT_EQ(own_constant("template <const int BM, unsigned BN> __global__ void f();", "BN")->value, "");
  EXPECT_TRUE(own_constant("template <Extent TILE> __global__ void f();", "TILE"));
}

TEST(OwnConstant, AUseOfItDoesNot) {
  for (const char* text :
       {"__shared__ float a[TILE][TILE];", "if (x == TILE && TILE == 32) return;", "int tile = TILE;",
        "// const int TILE = 32;", "for (int i = 0; i < TILE; i += TILE) sum += TILE;", "return TILE;",
        "if (n) x = 1; else TILE == 32 ? a() : b();"})
    EXPECT_FALSE(own_constant(text, "TILE")) << text;
}

TEST(OwnConstant, AMacroDefinesItUnlessItIsOnlyForWhereThereIsNone) {
  EXPECT_TRUE(own_constant("#define TILE 16\n", "TILE")->is_macro);
  EXPECT_FALSE(own_constant("#define TILE (BLOCK / 2)\n", "TILE"));
  EXPECT_FALSE(own_constant("#ifndef TILE\n#define TILE 16\n#endif\n", "TILE"));
  EXPECT_FALSE(own_constant("#if !defined(TILE)\n#  define TILE 16\n#endif\n", "TILE"));
}

}  // namespace
}  // namespace tilescope::source
