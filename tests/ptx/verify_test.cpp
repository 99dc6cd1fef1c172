#include "text.h"

namespace tilescope::ptx {
namespace {

constexpr std::string_view kRegisters =
    ".reg .pred p, q; .reg .b16 h<4>; .reg .b32 r<4>; .reg .b64 d<4>; .reg .f32 f<4>; .reg .f64 g<4>; .reg .u32 u; "
    ".shared .b32 s; .param .b32 a;\n";

/// The message about one instruction, without its place; empty when it is good.
std::string problem(std::string_view instruction) {
  const auto module = parse(kernel_text(std::string(kRegisters) + std::string(instruction)), "test.ptx");
  return module ? "" : module.errors()[0].message.text();
}

TEST(Verify, RegistersFitTheType) {
  EXPECT_EQ(problem("add.u32 r0, r1, u;"), "");
  EXPECT_EQ(problem("add.f32 r0, f1, r1;"), "");
  EXPECT_EQ(problem("add.f16 h0, h1, h2;"), "");
  EXPECT_EQ(problem("add.u32 f0, r1, r2;"), "operand 1 of `add.u32` must be .u32, and f0 is .f32");
  EXPECT_EQ(problem("add.u32 r0, d1, r2;"), "operand 2 of `add.u32` must be .u32, and d1 is .b64");
  EXPECT_EQ(problem("shl.b64 d0, d1, d2;"), "operand 3 of `shl.b64` must be .u32, and d2 is .b64");
  EXPECT_EQ(problem("mul.wide.s32 r0, r1, r2;"), "operand 1 of `mul.wide.s32` must be .s64, and r0 is .b32");
  EXPECT_EQ(problem("selp.b32 r0, r1, r2, r3;"), "operand 4 of `selp.b32` must be .pred, and r3 is .b32");
}

TEST(Verify, LoadsStoresAndConversionsTakeWiderRegisters) {
  EXPECT_EQ(problem("ld.global.u8 r0, [d0];"), "");
  EXPECT_EQ(problem("st.global.u16 [d0], r0;"), "");
  EXPECT_EQ(problem("cvt.u32.u16 d0, h0;"), "");
  EXPECT_EQ(problem("ld.global.u32 h0, [d0];"), "operand 1 of `ld.global.u32` must be .u32, and h0 is .b16");
  EXPECT_EQ(problem("ld.global.f32 g0, [d0];"), "operand 1 of `ld.global.f32` must be .f32, and g0 is .f64");
}

TEST(Verify, OperandsAreOfTheRightKind) {
  EXPECT_EQ(problem("add.u32 r0, %tid.x, 1;"),
            "operand 2 of `add.u32` must not be a special register; mov it into a register first");
  EXPECT_EQ(problem("add.u32 _, r0, r1;"),
            "operand 1 of `add.u32` must be a register; this result cannot be discarded");
  EXPECT_EQ(problem("add.u32 r0, s, 1;"), "operand 2 of `add.u32` must be a register or a constant");
  EXPECT_EQ(problem("ld.global.b32 r0, r1;"), "operand 2 of `ld.global.b32` must be an address in brackets");
  EXPECT_EQ(problem("add.u32 r0, !r1, 1;"),
            "operand 2 of `add.u32` must not be negated; only a source predicate can be");
  EXPECT_EQ(problem("ld.global.b32 r0, [f0];"), "operand 2 of `ld.global.b32` must be an address, and f0 is .f32");
  EXPECT_EQ(problem("mov.u64 d0, %tid.x;"), "operand 2 of `mov.u64` must be as wide as %tid, which is .u32");
  EXPECT_EQ(problem("bra p;"), "'p' is not a label");
}

TEST(Verify, VectorsHaveTheRightNumberOfElements) {
  EXPECT_EQ(problem("ld.global.v4.f32 {f0, f1, f2, f3}, [d0];"), "");
  EXPECT_EQ(problem("ld.global.v4.f32 {f0, f1}, [d0];"),
            "operand 1 of `ld.global.v4.f32` must have 4 elements in braces");
  EXPECT_EQ(problem("ld.global.f32 {f0}, [d0];"), "operand 1 of `ld.global.f32` must have 1 element, without braces");
  EXPECT_EQ(problem("st.global.v2.f32 [d0], {f0, r0};"), "");
  EXPECT_EQ(problem("st.global.v2.f32 [d0], {f0, g0};"),
            "operand 2 of `st.global.v2.f32` has an element that must be .f32, and g0 is .f64");
  EXPECT_EQ(problem("mov.b64 d0, {r0, 0};"), "");
  EXPECT_EQ(problem("mov.b64 {h0, h1, h2, _}, d0;"), "");
  EXPECT_EQ(problem("mov.b64 d0, {r0, r1, r2};"),
            "operand 2 of `mov.b64` must have 2 or 4 elements that together are as wide as the type, which must be a "
            ".b type");
}

TEST(Verify, ModifiersFitTheType) {
  EXPECT_EQ(problem("mul.s32 r0, r1, r2;"), "`mul.s32` needs one of .lo, .hi, .wide");
  EXPECT_EQ(problem("mul.lo.f32 f0, f1, f2;"), "`mul.lo.f32` takes none of .lo, .hi, .wide with this type");
  EXPECT_EQ(problem("mul.wide.u64 d0, d1, d2;"), "`mul.wide.u64`: .wide multiplies 16 and 32 bits into twice as many");
  EXPECT_EQ(problem("add.sat.u32 r0, r1, r2;"), "`add.sat.u32` takes none of .sat with this type");
  EXPECT_EQ(problem("fma.f32 f0, f1, f2, f3;"),
            "`fma.f32` needs one of .rn, .rz, .rm, .rp, .rna, .rni, .rzi, .rmi, .rpi");
  EXPECT_EQ(problem("cvt.f32.s32 f0, r0;"), "`cvt.f32.s32` needs one of .rn, .rz, .rm, .rp");
  EXPECT_EQ(problem("cvt.rn.f64.f32 g0, f0;"), "`cvt.rn.f64.f32` takes no rounding");
  EXPECT_EQ(problem("cvt.u32 r0, r1;"), "`cvt.u32` lacks the type it converts from");
  EXPECT_EQ(problem("setp.lt.b32 p, r0, r1;"), ".lt does not compare .b32");
  EXPECT_EQ(problem("setp.equ.s32 p, r0, r1;"), ".equ does not compare .s32");
  EXPECT_EQ(problem("setp.lo.s32 p, r0, r1;"), ".lo does not compare .s32");
  EXPECT_EQ(problem("atom.global.and.u32 r0, [d0], r1;"), "`atom.global.and.u32`: this operation does not take .u32");
  EXPECT_EQ(problem("atom.global.add.f16 h0, [d0], h1;"), "`atom.global.add.f16` needs .noftz before its type");
  EXPECT_EQ(problem("vote.sync.ballot.pred p, q, -1;"), "`vote.sync.ballot.pred`: this operation does not take .pred");
}

TEST(Verify, SpacesAgree) {
  EXPECT_EQ(problem("ld.shared.b32 r0, [s];"), "");
  EXPECT_EQ(problem("ld.global.b32 r0, [s];"),
            "operand 2 of `ld.global.b32` must be in .global, and 's' is in .shared");
  EXPECT_EQ(problem("st.const.b32 [d0], r0;"), "`st.const.b32` does not take .const");
  EXPECT_EQ(problem("st.param.b64 [out], d0;"),
            "operand 1 of `st.param.b64` must not be 'out', an input of the function");
}

TEST(Verify, CallsMatchTheFunction) {
  const auto call = [](std::string_view text) {
    const std::string errors = errors_of(fmt::format(
        ".version 9.0 .target sm_90 .func (.param .b32 x) f(.param .b32 y, .param .b8 z[12]) {{ ret; }} .entry k() {{ "
        ".reg .f64 g; .reg .b32 r; .shared .b32 s; .param .b32 a; .param .b8 b[12]; .param .b32 c;\n{}\n}}",
        text));
    return errors.substr(0, errors.find('\n'));
  };
  EXPECT_EQ(call("call (a), f, (c, b);"), "no errors");
  EXPECT_EQ(call("call f, (c, b);"), "test.ptx:2:1: error: the function has 1 result, and this call 0");
  EXPECT_EQ(call("call (a), f, (c);"), "test.ptx:2:1: error: the function has 2 arguments, and this call 1");
  EXPECT_EQ(call("call (a), f, (c, c);"), "test.ptx:2:1: error: 'z' has 12 bytes, and 4 are passed");
  EXPECT_EQ(call("call (a), f, (g, b);"), "test.ptx:2:1: error: 'y' has 4 bytes, and 8 are passed");
  EXPECT_EQ(call("call (a), f, (s, b);"),
            "test.ptx:2:1: error: 's' is passed to a function; only .param variables can be");
  EXPECT_EQ(call("call (a), f, (c, 1);"), "test.ptx:2:1: error: 'z' has 12 bytes; a constant cannot fill them");
  EXPECT_EQ(call("call (1), f, (c, b);"), "test.ptx:2:1: error: the result 'x' cannot go to a constant");
  EXPECT_EQ(call("call (a), f, (_, b);"), "test.ptx:2:1: error: the argument 'y' is missing");
}

}  // namespace
}  // namespace tilescope::ptx
