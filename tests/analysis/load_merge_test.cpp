#include "analysis/load_merge.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/cubin_of.h"

// Each expected plan is the result of CUDA 13.0's ptxas for the same PTX and sm_80.
namespace tilescope::analysis {
namespace {

constexpr const char* kBefore = R"(.version 9.0
.target sm_80
.address_size 64
.shared .align 4 .b8 X[64];
.shared .align 4 .b8 Y[16384];
.visible .entry k(.param .u32 n)
{
  .reg .pred %q<9>; .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .f64 %d<9>; .reg .b64 %a<9>;
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, Y;
  shl.b32 %r3, %r1, 4;
  add.s32 %r4, %r2, %r3;
)";

/// The shared accesses of a kernel after merging, in program order: "LDS.128 -" for two loads that become one.
/// %r4 is an address in Y, a multiple of 16.
class LoadMerge : public testing::Test {
 protected:
  std::string merge(const std::string& body) {
    std::string text = kBefore + body + "\n ret;\n}\n";
    text.replace(text.find("sm_80"), 5, target_);
    return merge_module(text);
  }

  std::string merge_module(const std::string& module) {
    const auto parsed = ptx::parse(module, "k.ptx");
    if (!parsed) return to_string(parsed.errors());
    const auto function = ptx::flatten(*parsed, "k");
    if (!function) return to_string(function.errors());
    plan_ = plan_load_merge(*parsed, *function, arrays(), machine_);
    std::string text;
    for (size_t pc = 0; pc < function->instructions.size(); ++pc) describe(function->instructions[pc], pc, text);
    return text;
  }

  static Allocation array(const std::string& name, uint64_t offset, uint64_t bytes) {
    Allocation allocation;
    allocation.name = name;
    allocation.space = Space::Shared;
    allocation.base = offset;
    allocation.bytes = bytes;
    return allocation;
  }
  std::vector<Allocation> arrays() const { return {array("X", 0, 64), array("Y", y_offset_, 16384)}; }

  static std::string wide(const std::string& name, uint32_t bytes) {
    return name + (bytes == 16 ? ".128" : bytes == 8 ? ".64" : "");
  }

  void describe(const ptx::Instruction& instruction, size_t pc, std::string& text) const {
    if (instruction.space != Space::Shared) return;
    const std::string name = instruction.op == ptx::Op::Ld ? "LDS" : "STS";
    auto roles = plan_.roles[pc];
    if (roles.empty()) roles = {MergeRole{}};
    for (const MergeRole& role : roles) {
      if (!text.empty()) text += ' ';
      if (!role.as_written() && !role.leads) text += "-";
      if (role.as_written()) text += wide(name, ptx::size_of(instruction.type) * instruction.vector);
      if (role.leads) text += wide(name, plan_.accesses[role.access].bytes);
    }
  }

  std::string loads(const std::vector<int>& offsets) {
    std::string body;
    for (int offset : offsets) body += "ld.shared.f32 %f1, [%r4+" + std::to_string(offset) + "];\n";
    return merge(body);
  }
  std::string stores(const std::vector<int>& offsets) {
    std::string body;
    for (int offset : offsets) body += "st.shared.f32 [%r4+" + std::to_string(offset) + "], %f1;\n";
    return merge(body);
  }
  /// Two pairs of loads with something between them.
  std::string around(const std::string& between) {
    return merge("ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n" + between +
                 "\nld.shared.f32 %f3, [%r4+8]; ld.shared.f32 %f4, [%r4+12];");
  }
  /// Four neighbouring loads from the address in %r5.
  std::string from(const std::string& setup) {
    return merge(setup +
                 "ld.shared.f32 %f1, [%r5]; ld.shared.f32 %f2, [%r5+4];"
                 "ld.shared.f32 %f3, [%r5+8]; ld.shared.f32 %f4, [%r5+12];");
  }

  std::string target_ = "sm_80";
  uint64_t y_offset_ = 64;
  MergePlan plan_;
  std::optional<MachineLoads> machine_;
};

TEST_F(LoadMerge, ThreeOrFourOfAnAligned16BytesAndAlignedPairs) {
  EXPECT_EQ(loads({0, 4, 8, 12}), "LDS.128 - - -");
  EXPECT_EQ(loads({12, 8, 4, 0}), "LDS.128 - - -");
  EXPECT_EQ(loads({0, 4, 8}), "LDS.128 - -");
  EXPECT_EQ(loads({4, 8, 12}), "LDS.128 - -");
  EXPECT_EQ(loads({0, 8, 12}), "LDS.128 - -");
  EXPECT_EQ(loads({0, 4}), "LDS.64 -");
  EXPECT_EQ(loads({8, 12}), "LDS.64 -");
  EXPECT_EQ(loads({4, 8}), "LDS LDS");
  EXPECT_EQ(loads({0, 12}), "LDS LDS");
  EXPECT_EQ(loads({8, 12, 16, 20}), "LDS.64 - LDS.64 -");
  EXPECT_EQ(loads({4, 8, 12, 16, 20}), "LDS.128 - - LDS.64 -");
  EXPECT_EQ(loads({0, 64, 4, 68, 8, 72, 12, 76}), "LDS.128 LDS.128 - - - - - -");
  EXPECT_EQ(loads({-16, -12, -8, -4}), "LDS.128 - - -");
}

TEST_F(LoadMerge, AWordLoadedTwiceIsLoadedOnce) {
  EXPECT_EQ(loads({0, 0}), "LDS -");
  EXPECT_EQ(loads({0, 0, 4, 4}), "LDS.64 - - -");
  EXPECT_EQ(around("bar.sync 0;"), "LDS.64 - LDS.64 -");
}

TEST_F(LoadMerge, OffsetLeadsFromTheLeaderToTheWideLoad) {
  loads({8, 0, 4, 12});
  ASSERT_EQ(plan_.accesses.size(), 1u);
  EXPECT_EQ(plan_.accesses[0].offset, -8);
  EXPECT_EQ(plan_.accesses[0].bytes, 16);
}

TEST_F(LoadMerge, StoresMergeOnlyAsNeighboursThatFillTheWidth) {
  EXPECT_EQ(stores({0, 4, 8, 12}), "STS.128 - - -");
  EXPECT_EQ(stores({12, 8, 4, 0}), "STS.128 - - -");
  EXPECT_EQ(stores({0, 4, 8}), "STS.64 - STS");
  EXPECT_EQ(stores({4, 8, 12}), "STS STS.64 -");
  EXPECT_EQ(stores({0, 64, 4, 68}), "STS STS STS STS");
  EXPECT_EQ(stores({0, 0}), "STS STS");
  EXPECT_EQ(merge("st.shared.f32 [%r4], %f1; ld.shared.f32 %f2, [%r4+64]; st.shared.f32 [%r4+4], %f1;"), "STS LDS STS");
}

TEST_F(LoadMerge, WhatPartsLoadsAndWhatDoesNot) {
  for (const char* parting : {"st.shared.f32 [%r4+256], %f9;", "st.f32 [%a0], %f9;", "bar.sync 0;", "bar.warp.sync -1;",
                              "membar.cta;", "atom.add.f32 %f9, [%a0], %f8;"}) {
    std::string made = around(parting);
    if (const size_t store = made.find("STS "); store != made.npos) made.erase(store, 4);
    EXPECT_EQ(made, "LDS.64 - LDS.64 -") << parting;
  }
  for (const char* harmless : {"st.global.f32 [%a0], %f9;", "atom.global.add.f32 %f9, [%a0], %f8;",
                               "shfl.sync.bfly.b32 %r9, %r8, 1, 31, -1;", "ld.global.f32 %f9, [%a0];"})
    EXPECT_EQ(around(harmless), "LDS.128 - - -") << harmless;
}

TEST_F(LoadMerge, AlignmentIsThatOfTheWindowNotOfTheDeclaration) {
  EXPECT_EQ(loads({0, 4, 8, 12}), "LDS.128 - - -") << "Y is declared .align 4";
  y_offset_ = 68;
  EXPECT_EQ(loads({0, 4, 8, 12}), "LDS.128 - - LDS");
  y_offset_ = 72;
  EXPECT_EQ(loads({0, 4, 8, 12}), "LDS.64 - LDS.64 -");
}

TEST_F(LoadMerge, AlignmentIsFollowedThroughIntegerArithmetic) {
  EXPECT_EQ(from("mad.lo.s32 %r5, %r1, 48, %r2;"), "LDS.128 - - -");
  EXPECT_EQ(from("mad.lo.s32 %r5, %r1, 40, %r2;"), "LDS.64 - LDS.64 -");
  EXPECT_EQ(from("mad.lo.s32 %r5, %r1, 12, %r2;"), "LDS LDS LDS LDS");
  EXPECT_EQ(from("shl.b32 %r6, %r1, 2; and.b32 %r6, %r6, 240; add.s32 %r5, %r2, %r6;"), "LDS.128 - - -");
  EXPECT_EQ(from("or.b32 %r6, %r3, 4; add.s32 %r5, %r6, %r2;"), "LDS.128 - - LDS");
  EXPECT_EQ(from("add.s32 %r5, %r4, 8;"), "LDS.64 - LDS.64 -");
  EXPECT_EQ(from("mul.lo.s32 %r6, %r0, %r1; shl.b32 %r6, %r6, 4; add.s32 %r5, %r6, %r2;"), "LDS.128 - - -");
  EXPECT_EQ(from("shr.u32 %r6, %r1, 2; shl.b32 %r6, %r6, 4; add.s32 %r5, %r6, %r2;"), "LDS.128 - - -");
  EXPECT_EQ(from("xor.b32 %r6, %r3, 4; add.s32 %r5, %r6, %r2;"), "LDS LDS LDS LDS");
  EXPECT_EQ(from("mov.u32 %r5, Y;"), "LDS.128 - - -");
}

TEST_F(LoadMerge, OneBaseByWhateverWay) {
  EXPECT_EQ(merge("add.s32 %r5, %r3, %r2; add.s32 %r6, %r5, 8;"
                  "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r5+4];"
                  "ld.shared.f32 %f3, [%r6]; ld.shared.f32 %f4, [%r6+4];"),
            "LDS.128 - - -");
  EXPECT_EQ(around("add.s32 %r4, %r4, 8;"), "LDS.64 - LDS.64 -") << "the later two are at 16 and 20";
  EXPECT_EQ(merge("cvt.u64.u32 %a1, %r4; ld.shared.f32 %f1, [%a1]; ld.shared.f32 %f2, [%a1+4];"), "LDS.64 -");
}

TEST_F(LoadMerge, WideScalarsAndVectorsMergeNarrowAndOrderedOnesDoNot) {
  EXPECT_EQ(merge("ld.shared.f64 %d1, [%r4]; ld.shared.f64 %d2, [%r4+8];"), "LDS.128 -");
  EXPECT_EQ(merge("ld.shared.v2.f32 {%f1,%f2}, [%r4]; ld.shared.f32 %f3, [%r4+8]; ld.shared.u32 %r9, [%r4+12];"),
            "LDS.128 - -");
  EXPECT_EQ(merge("ld.shared.u16 %r5, [%r4]; ld.shared.u16 %r6, [%r4+2];"), "LDS LDS");
  EXPECT_EQ(merge("ld.volatile.shared.f32 %f1, [%r4]; ld.volatile.shared.f32 %f2, [%r4+4];"), "LDS LDS");
  EXPECT_EQ(merge("@%q1 ld.shared.f32 %f1, [%r4]; @%q1 ld.shared.f32 %f2, [%r4+4];"), "LDS LDS");
}

std::string loop(const std::string& body, const std::string& end, const std::string& label = "L:") {
  return "mov.u32 %r9, 0; mov.u32 %r8, %r4;\n" + label + "\n" + body +
         "add.s32 %r8, %r8, 4; add.s32 %r9, %r9, 1; setp.lt.s32 %q1, %r9, " + end + "; @%q1 bra L;";
}

TEST_F(LoadMerge, ASmallLoopOfConstantCountIsWrittenOut) {
  EXPECT_EQ(merge(loop("ld.shared.f32 %f1, [%r8];", "8")), "LDS.128 - - - LDS.128 - - -");
  EXPECT_EQ(merge(loop("ld.shared.f32 %f1, [%r8];", "3")), "LDS.128 - -");
  EXPECT_EQ(merge(loop("ld.shared.f32 %f1, [%r8];", "8", "L: .pragma \"nounroll\";")), "LDS");
  EXPECT_EQ(merge(loop("ld.shared.f32 %f1, [%r8];", "%r0")), "LDS") << "the count is not known";
  EXPECT_EQ(merge(loop("ld.shared.f32 %f1, [%r8]; bar.sync 0;", "4")), "LDS LDS LDS LDS");
}

TEST_F(LoadMerge, ALargerBodyIsWrittenOutInPartOrNotAtAll) {
  std::string body = "ld.shared.f32 %f1, [%r8];\n";
  for (int i = 0; i < 60; ++i) body += "fma.rn.f32 %f2, %f1, %f2, %f3;\n";
  EXPECT_EQ(merge(loop(body, "16")), "LDS.128 - - -");
  EXPECT_EQ(merge(loop(body, "18")), "LDS") << "4 does not divide the count";
  for (int i = 0; i < 40; ++i) body += "fma.rn.f32 %f2, %f1, %f2, %f3;\n";
  EXPECT_EQ(merge(loop(body, "16")), "LDS");
}

TEST_F(LoadMerge, ACounterThatIsWidenedKeepsTheCopiesOfALargeLoopApart) {
  std::string body = "mul.wide.s32 %a1, %r9, 4; cvt.u64.u32 %a2, %r4; add.s64 %a3, %a2, %a1; ld.shared.f32 %f1, [%a3];";
  EXPECT_EQ(merge(loop(body, "4")), "LDS.128 - - -");
  for (int i = 0; i < 60; ++i) body += "fma.rn.f32 %f2, %f1, %f2, %f3;\n";
  EXPECT_EQ(merge(loop(body, "16")), "LDS LDS LDS LDS");
}

TEST_F(LoadMerge, BeforeSm90ALargeLoopWithinALoopIsWrittenOutToo) {
  std::string body;
  for (const char* row : {"0", "512", "1024", "1536"}) body += "ld.shared.f32 %f1, [%r8+" + std::string(row) + "];\n";
  for (int i = 0; i < 100; ++i) body += "fma.rn.f32 %f2, %f1, %f2, %f3;\n";
  const std::string nested =
      "mov.u32 %r7, 0; OUTER:\n" + loop(body, "8") + "add.s32 %r7, %r7, 1; setp.lt.s32 %q2, %r7, %r0; @%q2 bra OUTER;";
  const std::string row = "LDS.128 - - - LDS.128 - - -";
  EXPECT_EQ(merge(nested), row + " " + row + " " + row + " " + row);
  target_ = "sm_90";
  EXPECT_EQ(merge(nested), "LDS LDS LDS LDS");
}

TEST_F(LoadMerge, TheMachineCodeDecidesHowOftenALoopIsWrittenOut) {
  std::string body = "ld.shared.f32 %f1, [%r8];\n";
  for (int i = 0; i < 100; ++i) body += "fma.rn.f32 %f2, %f1, %f2, %f3;\n";
  target_ = "sm_90";
  EXPECT_EQ(merge(loop(body, "8")), "LDS");
  machine_ = MachineLoads{800, {0, 0, 2}};
  EXPECT_EQ(merge(loop(body, "8")), "LDS.128 - - -") << "8 copies are twice 4";
  machine_ = MachineLoads{200, {0, 1, 0}};
  EXPECT_EQ(merge(loop(body, "8")), "LDS.64 -");
  machine_ = MachineLoads{100, {1, 0, 0}};
  EXPECT_EQ(merge(loop(body, "8")), "LDS");
  machine_ = MachineLoads{0, {4, 0, 0}};
  EXPECT_EQ(merge(loop(body, "8")), "LDS") << "without FMAs nothing is to compare by";
}

TEST_F(LoadMerge, AnArrayWhosePlaceIsNotKnownIsLeftAlone) {
  const auto parsed =
      ptx::parse(std::string(kBefore) + "ld.shared.f32 %f1, [Y]; ld.shared.f32 %f2, [Y+4]; ret; }", "k.ptx");
  ASSERT_TRUE(parsed);
  const auto function = ptx::flatten(*parsed, "k");
  ASSERT_TRUE(function);
  EXPECT_TRUE(plan_load_merge(*parsed, *function, {}).accesses.empty());
}

TEST(MachineLoads, LoadsOfSharedMemoryAreCountedByWidthAndFmas) {
  constexpr uint64_t kFfma = 0x223, kLds = 0x984, kOther = 0x981;
  const auto loads = read_machine_loads(
      cubin_of({kFfma, 0, kLds, 4 << 9, kFfma, 0, kLds, 5 << 9, kLds, 6 << 9, kLds, 6 << 9, kOther, 6 << 9}), "k");
  ASSERT_TRUE(loads);
  EXPECT_EQ(loads->fmas, 2U);
  EXPECT_EQ(loads->shared_loads, (std::array<uint32_t, 3>{1, 1, 2}));
}

TEST(MachineLoads, WhatIsNoCubinOrLacksTheKernelHasNone) {
  const std::vector<uint8_t> whole = cubin_of({0x223, 0});
  EXPECT_TRUE(read_machine_loads(whole, "k"));
  EXPECT_FALSE(read_machine_loads(whole, "another"));
  EXPECT_FALSE(read_machine_loads({}, "k"));
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)  // Cut off anywhere, it is refused and not read past its end.
    EXPECT_FALSE(read_machine_loads(std::span(whole).first(bytes), "k")) << bytes;
}

}  // namespace
}  // namespace tilescope::analysis
