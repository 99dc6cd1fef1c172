#include "print_module.h"
#include "text.h"

namespace tilescope::ptx {
namespace {

constexpr std::string_view kHead = ".version 9.0 .target sm_90\n";

std::string listing(const Module& module, const Function& function) {
  std::string text;
  for (size_t i = 0; i < function.instructions.size(); ++i)
    text += fmt::format("{} {}\n", i, print(module, function, function.instructions[i]));
  return text;
}

std::string flat_listing(std::string_view text) {
  const Module module = module_of(std::string(kHead) + std::string(text));
  const auto flat = flatten(module, "");
  return flat ? listing(module, *flat) : to_string(flat.errors());
}

TEST(Flatten, ACallBecomesTheCallee) {
  EXPECT_EQ(flat_listing(R"(
    .func (.param .b32 result) twice(.param .b32 x) {
      .reg .b32 r;
      ld.param.b32 r, [x];
      add.u32 r, r, r;
      st.param.b32 [result], r;
      ret;
    }
    .entry k(.param .b32 n) {
      .reg .b32 r;
      ld.param.b32 r, [n];
      { .param .b32 a; .param .b32 b; st.param.b32 [a], r; call.uni (b), twice, (a); ld.param.b32 r, [b]; }
      { .param .b32 a; .param .b32 b; st.param.b32 [a], r; call.uni (b), twice, (a); ld.param.b32 r, [b]; }
      ret;
    })"),
            "0 ld.param.b32 r, [n];\n"
            "1 st.param.b32 [a], r;\n"
            "2 ld.param.b32 r$2, [a];\n"
            "3 add.u32 r$2, r$2, r$2;\n"
            "4 st.param.b32 [b], r$2;\n"
            "5 bra $L_6;\n"
            "6 ld.param.b32 r, [b];\n"
            "7 st.param.b32 [a$2], r;\n"
            "8 ld.param.b32 r$3, [a$2];\n"
            "9 add.u32 r$3, r$3, r$3;\n"
            "10 st.param.b32 [b$2], r$3;\n"
            "11 bra $L_12;\n"
            "12 ld.param.b32 r, [b$2];\n"
            "13 ret;\n");
}

TEST(Flatten, RegistersAndConstantsArePassedThroughAVariable) {
  EXPECT_EQ(flat_listing(R"(
    .func (.param .b32 result) pick(.param .b32 x, .param .b32 y) { .reg .b32 r; ld.param.b32 r, [y]; st.param.b32 [result], r; ret; }
    .entry k() { .reg .b32 r; mov.u32 r, 1; call (r), pick, (r, 7); ret; })"),
            "0 mov.u32 r, 1;\n"
            "1 st.param.b32 [x], r;\n"
            "2 st.param.b32 [y], 7;\n"
            "3 ld.param.b32 r$2, [y];\n"
            "4 st.param.b32 [result], r$2;\n"
            "5 bra $L_6;\n"
            "6 ld.param.b32 r, [result];\n"
            "7 ret;\n");
}

TEST(Flatten, AGuardedCallIsBranchedAround) {
  EXPECT_EQ(flat_listing(R"(
    .func f() { .reg .pred q; setp.eq.u32 q, 1, 2; @q ret; trap; ret; }
    .entry k() { .reg .pred p; setp.eq.u32 p, 1, 1; @p call f; exit; })"),
            "0 setp.eq.u32 p, 1, 1;\n"
            "1 @!p bra $L_6;\n"
            "2 setp.eq.u32 q, 1, 2;\n"
            "3 @q bra $L_6;\n"
            "4 trap;\n"
            "5 bra $L_6;\n"
            "6 exit;\n");
}

TEST(Flatten, ACallThroughARegisterComparesItWithTheFunctionsOfItsPrototype) {
  const std::string_view text = R"(
    .func one() { ret; }
    .func (.param .b32 r) two(.param .b32 x) { st.param.b32 [r], 2; ret; }
    .func (.param .b32 r) three(.param .b32 x) { st.param.b32 [r], 3; ret; }
    .func (.param .b32 r) nobodys(.param .b32 x) { st.param.b32 [r], 4; ret; }
    .global .align 8 .u64 table[2] = {two, one};
    .entry k() { .reg .b64 f; .reg .b32 v; mov.u64 f, three;
      P: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (v), f, (5), P; ret; })";
  EXPECT_EQ(flat_listing(text),
            "0 mov.u64 f, 16777248;\n"
            "1 setp.ne.b64 %other, f, 16777232;\n"
            "2 @%other bra $L_8;\n"
            "3 st.param.b32 [x], 5;\n"
            "4 st.param.b32 [r], 2;\n"
            "5 bra $L_6;\n"
            "6 ld.param.b32 v, [r];\n"
            "7 bra $L_16;\n"
            "8 setp.ne.b64 %other, f, 16777248;\n"
            "9 @%other bra $L_15;\n"
            "10 st.param.b32 [x$2], 5;\n"
            "11 st.param.b32 [r$2], 3;\n"
            "12 bra $L_13;\n"
            "13 ld.param.b32 v, [r$2];\n"
            "14 bra $L_16;\n"
            "15 trap;\n"
            "16 ret;\n");
  const Module module = module_of(std::string(kHead) + std::string(text));
  const Module again = module_of(print_module(module));
  EXPECT_EQ(print_module(again), print_module(module));
  ASSERT_EQ(again.functions.size(), 5U);
  EXPECT_EQ(again.functions.back().prototypes.size(), 1U);
}

TEST(Flatten, LabelsAndBranchTargetsMoveAlong) {
  EXPECT_EQ(flat_listing(R"(
    .func f() { .reg .b32 i; .reg .pred p; T: .branchtargets ONE, TWO; mov.u32 i, 0; brx.idx i, T; ONE: trap; TWO: add.u32 i, i, 1; bra ONE; }
    .entry k() { .reg .b32 i; .reg .pred p; TOP: mov.u32 i, 3; call f; call f; bra TOP; })"),
            "0 mov.u32 i, 3;\n"
            "1 mov.u32 i$2, 0;\n"
            "2 brx.idx i$2, $L_targets_0;\n"
            "3 trap;\n"
            "4 add.u32 i$2, i$2, 1;\n"
            "5 bra $L_3;\n"
            "6 mov.u32 i$3, 0;\n"
            "7 brx.idx i$3, $L_targets_1;\n"
            "8 trap;\n"
            "9 add.u32 i$3, i$3, 1;\n"
            "10 bra $L_8;\n"
            "11 bra $L_0;\n");
  const Module module =
      module_of(std::string(kHead) +
                ".func f() { .reg .b32 i; T: .branchtargets A, B; mov.u32 i, 0; brx.idx i, T; A: trap; B: ret; } "
                ".entry k() { call f; call f; ret; }");
  const auto flat = flatten(module, "k");
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->branch_targets, (std::vector<std::vector<int32_t>>{{2, 3}, {6, 7}}));
}

TEST(Flatten, SharedVariablesAreOneAndLocalOnesAreNot) {
  const Module module = module_of(std::string(kHead) + R"(
    .func f() { .shared .b32 s; .local .b32 l; .reg .b32 r; ld.shared.b32 r, [s]; ld.local.b32 r, [l]; ret; }
    .entry k() { call f; call f; ret; })");
  const auto flat = flatten(module, "k");
  ASSERT_TRUE(flat);
  ASSERT_EQ(flat->variables.size(), 3u);
  EXPECT_EQ(flat->variables[0].name, "s");
  EXPECT_EQ(flat->variables[2].name, "l$2");
  EXPECT_EQ(flat->instructions[0].operands[1].variable, flat->instructions[3].operands[1].variable);
}

TEST(Flatten, IndicesOfParametersAndModuleVariablesStayRight) {
  const Module module = module_of(std::string(kHead) + R"(
    .global .b32 g;
    .func f(.param .b32 x) { .local .b32 l; .reg .b32 r; ld.param.b32 r, [x]; st.global.b32 [g], r; st.local.b32 [l], r; ret; }
    .entry k(.param .b32 n) { .reg .b32 r; .param .b32 a; ld.param.b32 r, [n]; st.param.b32 [a], r; call f, (a); st.global.b32 [g], r; ret; })");
  const auto flat = flatten(module, "k");
  ASSERT_TRUE(flat);
  EXPECT_EQ(listing(module, *flat),
            "0 ld.param.b32 r, [n];\n1 st.param.b32 [a], r;\n2 ld.param.b32 r$2, [a];\n3 st.global.b32 [g], r$2;\n"
            "4 st.local.b32 [l], r$2;\n5 bra $L_6;\n6 st.global.b32 [g], r;\n7 ret;\n");
}

TEST(Flatten, WhatIsExecutedByNameStaysACall) {
  EXPECT_EQ(flat_listing(R"(
    .extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
    .entry k() { .param .b64 a; .param .b64 b; .param .b32 r; call.uni (r), vprintf, (a, b); ret; })"),
            "0 call.uni (r), vprintf, (a, b);\n1 ret;\n");
}

TEST(Flatten, AnAliasIsFollowed) {
  EXPECT_EQ(flat_listing(".func g() { trap; } .func f(); .entry k() { call f; ret; } .alias f, g;"),
            "0 trap;\n1 ret;\n");
}

TEST(Flatten, ControlDoesNotRunOffTheEnd) {
  EXPECT_EQ(flat_listing(".entry k() { .reg .pred p; setp.eq.u32 p, 0, 0; @p bra END; trap; END: }"),
            "0 setp.eq.u32 p, 0, 0;\n1 @p bra $L_3;\n2 trap;\n3 ret;\n");
  EXPECT_EQ(flat_listing(".entry k() { }"), "0 ret;\n");
}

TEST(Flatten, TheCalleeKeepsItsLineAndSaysWhereItIsCalled) {
  const Module module = module_of(
      std::string(kHead) + ".file 1 \"a.cu\" .func f() {\n.loc 1 2 1\nret; } .entry k() {\n.loc 1 9 4\ncall f; ret; }");
  const auto flat = flatten(module, "k");
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->instructions[0].source, (SourceLine{0, 2, 1}));
  EXPECT_EQ(flat->instructions[0].inlined_at, (SourceLine{0, 9, 4}));
  EXPECT_EQ(flat->instructions[1].inlined_at, SourceLine{});
}

TEST(Flatten, Refusals) {
  EXPECT_EQ(
      flat_listing(".func g(); .func f() {\ncall g; ret; } .func g() { call f; ret; } .entry k() { call f; ret; }"),
      "test.ptx:3:28: error: 'f' calls itself (f -> g -> f); recursion is not executed, write it as a loop\n"
      "  call g; ret; } .func g() { call f; ret; } .entry k() { call f; ret; }\n"
      "                             ^");
  EXPECT_EQ(flat_listing(".extern .func f();\n.entry k() { call f; ret; }"),
            "test.ptx:3:14: error: 'f' has no body in this module; define it in the same source\n"
            "  .entry k() { call f; ret; }\n               ^");
}

TEST(Flatten, CallsThatGrowWithoutBoundAreRefused) {
  std::string text = ".func f0() { ret; }";
  for (int i = 1; i < 60; ++i) text += fmt::format(" .func f{}() {{ call f{}; call f{}; ret; }}", i, i - 1, i - 1);
  EXPECT_NE(flat_listing(text + " .entry k() { call f59; ret; }").find("this kernel makes more than 100000 calls"),
            std::string::npos);
  text = ".func f0() { ret; }";
  for (int i = 1; i < 1000; ++i) text += fmt::format(" .func f{}() {{ call f{}; ret; }}", i, i - 1);
  EXPECT_NE(flat_listing(text + " .entry k() { call f999; ret; }").find("calls are nested more than 256 deep"),
            std::string::npos);
}

TEST(Flatten, NamesTheKernelsThereAre) {
  const Module two = module_of(std::string(kHead) + ".entry tile() { ret; } .entry naive() { ret; }");
  EXPECT_EQ(to_string(flatten(two, "").errors()), "error: this module has 2 kernels; say which: tile, naive");
  EXPECT_EQ(to_string(flatten(two, "tyle").errors()), "error: there is no kernel 'tyle'; did you mean 'tile'?");
  EXPECT_EQ(to_string(flatten(two, "wgmma").errors()), "error: there is no kernel 'wgmma'; there is tile, naive");
  EXPECT_EQ(to_string(flatten(module_of(kHead), "").errors()),
            "error: this module has no kernel; mark one with __global__");
}

}  // namespace
}  // namespace tilescope::ptx
