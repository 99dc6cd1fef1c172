#include <bit>

#include "ptx/module.h"
#include "text.h"

namespace tilescope::ptx {
namespace {

using Kind = Operand::Kind;

uint64_t bits_of(std::string_view instruction) {
  const Function kernel =
      kernel_of(std::string(".reg .b32 r<3>; .reg .b64 d<3>; .reg .f32 f<3>; .reg .f64 g<3>; .reg .b16 h<3>; ") +
                std::string(instruction));
  return kernel.instructions.empty() ? 0xdead : kernel.instructions[0].operands.back().bits;
}

TEST(Literals, IntegersInFourBases) {
  EXPECT_EQ(bits_of("mov.b32 r0, 42;"), 42u);
  EXPECT_EQ(bits_of("mov.b32 r0, 0x2aU;"), 42u);
  EXPECT_EQ(bits_of("mov.b32 r0, 052;"), 42u);
  EXPECT_EQ(bits_of("mov.b32 r0, 0b101010;"), 42u);
  EXPECT_EQ(bits_of("mov.b64 d0, 18446744073709551615;"), ~uint64_t{0});
}

TEST(Literals, IntegersAreCutToTheOperandAndSignExtended) {
  EXPECT_EQ(bits_of("mov.u32 r0, 0xffffffff;"), ~uint64_t{0});
  EXPECT_EQ(bits_of("mov.s32 r0, -1;"), ~uint64_t{0});
  EXPECT_EQ(bits_of("mov.b16 h0, 65537;"), 1u);
  EXPECT_EQ(bits_of("add.s64 d0, d1, 0xffffffff;"), 0xffffffffu);
  EXPECT_EQ(bits_of("shl.b64 d0, d1, 4294967295;"), ~uint64_t{0});
}

TEST(Literals, FloatsTakeTheWidthOfTheOperand) {
  EXPECT_EQ(bits_of("mov.f32 f0, 0f3F800000;"), 0x3f800000u);
  EXPECT_EQ(bits_of("mov.f32 f0, 1.5;"), 0x3fc00000u);
  EXPECT_EQ(bits_of("mov.f32 f0, -1.5e1;"), 0xc1700000u);
  EXPECT_EQ(bits_of("mov.f64 g0, 0d3FF0000000000000;"), 0x3ff0000000000000u);
  EXPECT_EQ(bits_of("mov.f64 g0, 0f3F800000;"), 0x3ff0000000000000u);
  EXPECT_EQ(bits_of("mov.f32 f0, 0f7FC00001;"), 0x7fc00001u);
  EXPECT_EQ(bits_of("mov.b32 r0, 0f40000000;"), 0x40000000u);
}

TEST(Comments, AreSkippedAndTheirLinesCounted) {
  const Module module =
      module_of(".version 9.0 // one\n/* two\n three */ .target sm_90 /**/ .entry k() { /* * */ trap; }");
  EXPECT_EQ(module.functions[0].instructions[0].line, 3);
  EXPECT_EQ(module.functions[0].instructions[0].column, 51);
}

TEST(ConstantExpressions, HaveTheOperatorsOfC) {
  EXPECT_EQ(bits_of("mov.u32 r0, 2+3*4;"), 14u);
  EXPECT_EQ(bits_of("mov.u32 r0, (2+3)*4;"), 20u);
  EXPECT_EQ(bits_of("mov.u32 r0, -(2-5);"), 3u);
  EXPECT_EQ(bits_of("mov.u32 r0, 1<<4|3;"), 19u);
  EXPECT_EQ(bits_of("mov.u32 r0, 7/2 + 7 % 4;"), 6u);
  EXPECT_EQ(bits_of("mov.u32 r0, 5>2 ? 1 : 7;"), 1u);
  EXPECT_EQ(bits_of("mov.u32 r0, ~0 & 0xf;"), 15u);
  EXPECT_EQ(bits_of("mov.u32 r0, !0 && 3;"), 1u);
  EXPECT_EQ(bits_of("mov.s64 d0, -8 >> 1;"), static_cast<uint64_t>(-4));
  EXPECT_EQ(bits_of("mov.u64 d0, (.u64)-8 >> 60;"), 15u);
  EXPECT_EQ(bits_of("mov.u32 r0, WARP_SZ-1;"), 31u);
  EXPECT_EQ(bits_of("mov.s64 d0, -9223372036854775807-1;"), uint64_t{1} << 63);
}

TEST(ConstantExpressions, DivisionByZeroIsAnError) {
  EXPECT_EQ(errors_of(kernel_text(".reg .b32 r;\nmov.u32 r, 1/0;")),
            "test.ptx:3:13: error: '/' has no value here\n  mov.u32 r, 1/0;\n              ^");
}

TEST(Operands, AreReadInEveryForm) {
  const Function k = kernel_of(R"(
    .reg .pred p, q; .reg .b32 a, b; .reg .b64 d; .reg .f32 f<4>;
    .shared .align 16 .b8 tile[64];
    setp.lt.and.s32 p|q, a, 5, !q;
    mov.u32 a, %ctaid.y;
    mov.u32 b, tile+8;
    ld.global.nc.v4.f32 {f0, f1, f2, f3}, [d+-16];
    st.shared.b32 [tile+4], a;
    ld.global.b32 a, [4096];
    mov.b64 {a, _}, d;
    @!p ret;
  )");
  ASSERT_EQ(k.instructions.size(), 8u);
  const Instruction& setp = k.instructions[0];
  EXPECT_EQ(setp.compare, Compare::Lt);
  EXPECT_EQ(setp.combine, Combine::And);
  EXPECT_EQ(setp.operands.size(), 5u);
  EXPECT_TRUE(setp.operands[4].negated);
  EXPECT_EQ(k.instructions[1].operands[1].kind, Kind::Special);
  EXPECT_EQ(k.instructions[1].operands[1].special, Special::Ctaid);
  EXPECT_EQ(k.instructions[1].operands[1].component, 1);
  EXPECT_EQ(k.instructions[2].operands[1].kind, Kind::Variable);
  EXPECT_EQ(k.instructions[2].operands[1].variable, 0);
  EXPECT_EQ(k.instructions[2].operands[1].offset, 8);
  const Instruction& load = k.instructions[3];
  EXPECT_EQ(load.space, Space::Global);
  EXPECT_EQ(load.vector, 4);
  EXPECT_TRUE(load.non_coherent);
  EXPECT_EQ(load.operands[0].elements.size(), 4u);
  EXPECT_EQ(load.operands[1].offset, -16);
  EXPECT_EQ(k.instructions[4].operands[0].variable, 0);
  EXPECT_EQ(k.instructions[5].operands[1].index, -1);
  EXPECT_EQ(k.instructions[5].operands[1].offset, 4096);
  EXPECT_EQ(k.instructions[6].operands[0].elements[1].kind, Kind::Sink);
  EXPECT_TRUE(k.instructions[7].guard_negated);
  EXPECT_EQ(k.registers[static_cast<size_t>(k.instructions[7].guard)].name, "p");
}

TEST(Operands, ALoadWithoutASpaceIsGeneric) {
  const Function k = kernel_of(".reg .b64 d; .reg .b32 r; ld.u32 r, [d]; cvta.shared.u64 d, d;");
  EXPECT_EQ(k.instructions[0].space, Space::Generic);
  EXPECT_EQ(k.instructions[1].space, Space::Shared);
}

TEST(Registers, OnlyThoseInUseAreKept) {
  const Function k = kernel_of(".reg .b32 %r<16000000>, single; mov.u32 %r15999999, 1; mov.u32 single, %r15999999;");
  ASSERT_EQ(k.registers.size(), 2u);
  EXPECT_EQ(k.registers[0], (Register{"%r15999999", Type::B32}));
  EXPECT_EQ(k.registers[1], (Register{"single", Type::B32}));
}

TEST(Registers, AHighNumberStaysOneRegister) {
  std::string text = ".reg .b32 %r<5000>; mov.u32 %r4999, 0;";
  for (int i = 0; i < 4000; ++i) text += fmt::format(" mov.u32 %r{}, 0;", i);
  const Function k = kernel_of(text + " mov.u32 %r4999, 1;");
  EXPECT_EQ(k.registers.size(), 4001u);
  EXPECT_EQ(k.instructions.back().operands[0].index, 0);
}

TEST(Registers, APrefixMayEndInDigits) {
  const Function k = kernel_of(".reg .b32 %r<3>, %r1<5>; mov.u32 %r2, 0; mov.u32 %r14, 0; mov.u32 %r1, 0;");
  ASSERT_EQ(k.registers.size(), 3u);
  EXPECT_EQ(k.registers[1].name, "%r14");
}

TEST(Registers, ARangeEndsBeforeItsCount) {
  EXPECT_EQ(errors_of(kernel_text(".reg .b32 %r<2>;\nmov.u32 %r2, 1;")),
            "test.ptx:3:9: error: '%r2' is neither declared here nor a special register that Tilescope knows\n"
            "  mov.u32 %r2, 1;\n          ^");
}

TEST(Registers, VectorsAreTakenApart) {
  const Function k =
      kernel_of(".reg .v4 .f32 v; .reg .f32 s; .reg .b64 d; ld.global.v4.f32 v, [d]; mov.f32 s, v.w; mov.f32 v.g, s;");
  EXPECT_EQ(k.instructions[0].operands[0].elements.size(), 4u);
  EXPECT_EQ(k.instructions[1].operands[1].index, k.instructions[0].operands[0].elements[3].index);
  EXPECT_EQ(k.instructions[2].operands[0].index, k.instructions[0].operands[0].elements[1].index);
}

TEST(Scopes, HideNamesAndLabels) {
  const Function k = kernel_of(R"(
    .reg .b32 r; mov.u32 r, 0;
    { .reg .b32 r; mov.u32 r, 1; AGAIN: bra AGAIN; }
    { .reg .b32 r; mov.u32 r, 2; bra AGAIN; AGAIN: }
    mov.u32 r, 3;
  )");
  ASSERT_EQ(k.registers.size(), 3u);
  EXPECT_EQ(k.registers[1].name, "r$2");
  EXPECT_EQ(k.registers[2].name, "r$3");
  EXPECT_EQ(k.instructions[2].operands[0].index, 2);
  EXPECT_EQ(k.instructions[4].operands[0].index, 5);
  EXPECT_EQ(k.instructions[5].operands[0].index, 0);
}

TEST(Locations, InnermostLineAndWhereItWasInlined) {
  const Module module = module_of(
      ".version 9.0 .target sm_90 .file 1 \"a.cu\" .file 2 \"b.h\" .entry k() {\n"
      "trap;\n.loc 1 3 5\ntrap;\n.loc 2 7 1, function_name $L__info_string0+3, inlined_at 1 3 5\ntrap;\n}");
  EXPECT_EQ(module.files, (std::vector<std::string>{"a.cu", "b.h"}));
  const std::vector<Instruction>& list = module.functions[0].instructions;
  EXPECT_EQ(list[0].source, SourceLine{});
  EXPECT_EQ(list[1].source, (SourceLine{0, 3, 5}));
  EXPECT_EQ(list[1].inlined_at.file, -1);
  EXPECT_EQ(list[2].source, (SourceLine{1, 7, 1}));
  EXPECT_EQ(list[2].inlined_at, (SourceLine{0, 3, 5}));
  EXPECT_EQ(list[2].line, 6);
}

// Headers inline code of headers: what file 3 has at line 100 was inlined into file 2, and that into the kernel's file.
TEST(Locations, CodeOfHeadersLeadsOutToTheKernelsFile) {
  const Module module = module_of(
      ".version 9.0 .target sm_90 .file 1 \"k.cu\" .file 2 \"a.h\" .file 3 \"b.h\" .entry k() {\n"
      ".loc 1 12 3\ntrap;\n"
      ".loc 2 897 5, function_name $L__info_string0, inlined_at 1 12 3\ntrap;\n"
      ".loc 3 100 7, function_name $L__info_string0, inlined_at 2 897 5\ntrap;\n"
      ".loc 1 14 3\n"
      ".loc 2 897 5, function_name $L__info_string0, inlined_at 1 14 3\n"
      ".loc 3 100 7, function_name $L__info_string0, inlined_at 2 897 5\ntrap;\n}");
  const std::vector<Instruction>& list = module.functions[0].instructions;
  EXPECT_EQ(list[0].called_from.file, -1);
  EXPECT_EQ(list[1].called_from, (SourceLine{0, 12, 3}));
  EXPECT_EQ(list[2].inlined_at, (SourceLine{1, 897, 5}));
  EXPECT_EQ(list[2].called_from, (SourceLine{0, 12, 3}));
  EXPECT_EQ(list[3].called_from, (SourceLine{0, 14, 3})) << "the latest .loc counts";
}

TEST(Variables, ExtentsAndInitialValues) {
  const Module module = module_of(R"(.version 9.0 .target sm_90
    .global .align 8 .b8 a[2][3] = {{1}, {4, 5, 6}};
    .const .f32 pi = 3.0;
    .global .u16 open[] = {1, 0xffff, -1};
    .extern .shared .align 16 .b8 dynamic[];
    .global .u64 where[2] = {a+2, generic(pi)};
    .global .v2 .f32 pair = {1.0, 2.0};
    .func (.param .b32 r) f (.param .b32 x);
    .global .u64 pointer = f;
  )");
  EXPECT_EQ(module.variables[0].initial, (std::vector<uint8_t>{1, 0, 0, 4, 5, 6}));
  EXPECT_EQ(module.variables[0].align, 8u);
  EXPECT_EQ(module.variables[1].initial, (std::vector<uint8_t>{0, 0, 0x40, 0x40}));
  EXPECT_EQ(module.variables[2].bytes, 6u);
  EXPECT_EQ(module.variables[2].initial, (std::vector<uint8_t>{1, 0, 255, 255, 255, 255}));
  EXPECT_TRUE(module.variables[3].is_extern);
  EXPECT_EQ(module.variables[3].bytes, 0u);
  EXPECT_EQ(module.variables[4].initial_addresses, (std::vector<AddressInitial>{{0, 0, 2, false}, {8, 1, 0, true}}));
  EXPECT_EQ(module.variables[6].initial_addresses, (std::vector<AddressInitial>{{0, -1, 0, false, 0}}));
  EXPECT_EQ(module.variables[5].bytes, 8u);
  EXPECT_EQ(module.variables[5].align, 8u);
}

TEST(Variables, MoreValuesThanElements) {
  EXPECT_EQ(errors_of(".version 9.0 .target sm_90\n.global .u8 a[2] = {1, 2, 3};"),
            "test.ptx:2:27: error: more initial values than 'a' has elements\n"
            "  .global .u8 a[2] = {1, 2, 3};\n                            ^");
}

TEST(Functions, HeadsAndAttributes) {
  const Module module = module_of(R"(.version 9.0 .target sm_90
    .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
    .func (.param .b32 r) f (.param .align 4 .b8 x[12]) .noreturn;
    .visible .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 256, 2 .minnctapersm 3 .pragma "x"; { ret; }
    .entry r .reqntid 128, 1, 1 .maxnreg 64 { ret; }
    .func g(.param .b32 x) { ret; }
    .func h(.param .b32 x);
    .alias h, g;
  )");
  EXPECT_TRUE(module.functions[0].is_declaration);
  EXPECT_EQ(module.functions[0].returns.size(), 1u);
  EXPECT_EQ(module.functions[1].parameters[0].bytes, 12u);
  EXPECT_TRUE(module.functions[1].no_return);
  EXPECT_EQ(module.functions[2].max_threads, (std::array<uint32_t, 3>{256, 2, 1}));
  EXPECT_EQ(module.functions[2].min_blocks, 3u);
  EXPECT_EQ(module.functions[3].required_threads, (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(module.functions[3].max_registers, 64u);
  EXPECT_EQ(module.functions[5].alias_of, 4);
}

TEST(Errors, AllAreReported) {
  EXPECT_EQ(
      errors_of(kernel_text(".reg .b32 r;\nmov.u32 r, s;\nadd.u32 r, r;\nmovmatrix.sync;\nfmaa.rn.f32 r, r, "
                            "r, r;\nbra NOWHERE;\n.loc 1")),
      "test.ptx:3:12: error: 's' is declared neither in this function nor in the module\n  mov.u32 r, s;\n             "
      "^\n"
      "test.ptx:4:9: error: `add.u32` takes 3 operands, not 2\n  add.u32 r, r;\n          ^\n"
      "test.ptx:5:1: error: `movmatrix` is not among the instructions Tilescope executes\n  movmatrix.sync;\n  ^\n"
      "test.ptx:6:1: error: `fmaa.rn.f32` is not among the instructions Tilescope executes; did you mean `fma`?\n"
      "  fmaa.rn.f32 r, r, r, r;\n  ^\n"
      "test.ptx:7:5: error: 'NOWHERE' is declared nowhere in this function\n  bra NOWHERE;\n      ^\n"
      "test.ptx:9:1: error: expected a line number, found '}'\n  }\n  ^");
}

TEST(Errors, WhatIsLeftOutHasItsOwnReason) {
  const auto reason = [](const std::string& instruction) {
    const std::string error = errors_of(kernel_text(instruction));
    const size_t begin = error.find("executes") + 8;
    return error.substr(begin, error.find('\n') - begin);
  };
  EXPECT_EQ(reason("applypriority.global.L2::evict_normal [a], 128;"), "");
  EXPECT_EQ(reason("multimem.ld_reduce.global.add.f32 r, [a];"), "");
  EXPECT_EQ(reason("tex.2d.v4.f32.f32 r, [a];"), "; textures and surfaces are left out");
  EXPECT_EQ(reason("vadd4.u32.u32.u32 r, r, r;"), "; video instructions are left out");
  EXPECT_EQ(reason("vote.all.pred p, q;"), "; only its .sync form is, which GPUs since 7.0 have");
}

// Compilers name the files behind the code.
TEST(Errors, AreAtTheLineOfTheSourceWhereThePtxNamesIt) {
  const std::string head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 r;\n";
  EXPECT_EQ(errors_of(head + ".loc 1 12 3\nmultimem.red.global.add.f32 [r], r;\n}\n.file 1 \"/home/me/a.cu\"\n"),
            "/home/me/a.cu:12: error: `multimem` is not among the instructions Tilescope executes");
  EXPECT_EQ(errors_of(head + ".loc 1 12 3\n.loc 2 7 1, function_name f, inlined_at 1 12 3\ntex.1d r, r;\n}\n"
                             ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n")
                .substr(0, 9),
            "a.cu:12: ")
      << "where it was inlined";
  EXPECT_EQ(errors_of(head + ".loc 1 12 3\nadd.u64 r, r, r;\n}\n.file 1 \"a.cu\"\n").substr(0, 9), "a.cu:12: ")
      << "what the verifier finds";
}

TEST(Errors, ModifiersAndTypesPointAtTheWord) {
  EXPECT_EQ(errors_of(kernel_text(".reg .f32 f;\nfma.rn.rz.f32 f, f, f, f;")),
            "test.ptx:3:7: error: `.rz` contradicts a modifier before it\n  fma.rn.rz.f32 f, f, f, f;\n        ^");
  EXPECT_EQ(
      errors_of(kernel_text(".reg .f32 f;\nsin.approx.s32 f, f;")),
      "test.ptx:3:11: error: `sin` does not take .s32; its types are .f32\n  sin.approx.s32 f, f;\n            ^");
  EXPECT_EQ(errors_of(kernel_text(".reg .f32 f;\nadd.quick.f32 f, f, f;")),
            "test.ptx:3:4: error: `.quick` is not a modifier of `add` that Tilescope knows\n  add.quick.f32 f, f, f;\n "
            "    ^");
}

TEST(Errors, ImmediatesOfTheWrongKind) {
  EXPECT_EQ(errors_of(kernel_text(".reg .f32 f;\nmov.f32 f, 1;")),
            "test.ptx:3:12: error: a .f32 operand takes a floating-point constant, such as 1.0 or 0f3F800000\n"
            "  mov.f32 f, 1;\n             ^");
  EXPECT_EQ(errors_of(kernel_text(".reg .b32 r;\nadd.s32 r, r, 1.5;")),
            "test.ptx:3:15: error: a .s32 operand takes an integer\n  add.s32 r, r, 1.5;\n                ^");
}

TEST(Errors, TextsThatAreNoModules) {
  EXPECT_EQ(errors_of(""),
            "test.ptx:1:1: error: the module lacks a .version directive, such as .version 9.0\n"
            "test.ptx:1:1: error: the module lacks a .target directive, such as .target sm_90");
  EXPECT_EQ(errors_of(".version 9.0 .target sm_90 .entry k() {"),
            "test.ptx:1:40: error: the body of 'k' lacks its '}'\n  .version 9.0 .target sm_90 .entry k() {\n"
            "                                         ^");
  EXPECT_EQ(
      errors_of(".version 9.0 .target sm_90 /* no end"),
      "test.ptx:1:28: error: this comment does not end; close it with */\n  .version 9.0 .target sm_90 /* no end\n"
      "                             ^");
  EXPECT_EQ(errors_of(".version 9.0 .target sm_90\n\x01"), "test.ptx:2:1: error: unexpected byte 0x01\n  \x01\n  ^");
  EXPECT_EQ(errors_of(".version 9.0 .target sm_90 .address_size 32"),
            "test.ptx:1:42: error: only 64-bit addresses are executed; compile for a 64-bit machine\n"
            "  .version 9.0 .target sm_90 .address_size 32\n                                           ^");
}

TEST(Errors, DepthAndSizeAreBounded) {
  EXPECT_NE(errors_of(kernel_text(std::string(100'000, '{'))).find("braces are nested more than 256 deep"),
            std::string::npos);
  EXPECT_NE(
      errors_of(kernel_text(".reg .b32 r; mov.u32 r, " + std::string(100'000, '(') + ";")).find("nested too deeply"),
      std::string::npos);
  EXPECT_NE(
      errors_of(kernel_text(".reg .b32 r; mov.u32 r, " + std::string(100'000, '-') + "1;")).find("nested too deeply"),
      std::string::npos);
  EXPECT_NE(
      errors_of(".version 9.0 .target sm_90 .global .b8 a[0xffffffff][0xffffffff];").find("larger than a terabyte"),
      std::string::npos);
}

TEST(Errors, ATextOver64MiBIsNotRead) {
  EXPECT_EQ(errors_of(std::string((size_t{64} << 20) + 1, ' ')),
            "test.ptx: error: the PTX text has 64 MiB; at most 64 MiB are read");
}

}  // namespace
}  // namespace tilescope::ptx
