// Which registers share a row of the register file.

#include "emulator/register_rows.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "emulator/program.h"

namespace tilescope::emulator {
namespace {

// A function with registers %r0 to %r9, %p0, %p1 and %rd0, and the rows that they get.
struct Rows {
  explicit Rows(const std::string& body) {
    const Result<ptx::Module> module = ptx::parse(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
        ".reg .b32 %r<10>;\n.reg .pred %p<2>;\n.reg .b64 %rd<1>;\n" +
            body + "ret;\n}\n",
        "test.ptx");
    EXPECT_TRUE(module);
    program = *Program::build(*module, "k");
  }

  // Of %rN.
  uint32_t operator[](size_t n) const {
    const std::vector<ptx::Register>& registers = program->function().registers;
    const auto found = std::ranges::find(registers, "%r" + std::to_string(n), &ptx::Register::name);
    return program->impl().registers[static_cast<size_t>(found - registers.begin())].offset;
  }

  std::shared_ptr<const Program> program;
};

TEST(RegisterRows, ValuesThatFollowOneAnotherTakeTwo) {
  std::string body = "mov.u32 %r0, 1;\n";
  for (int r = 1; r < 10; ++r) body += "add.u32 %r" + std::to_string(r) + ", %r" + std::to_string(r - 1) + ", 1;\n";
  const Rows rows(body);
  EXPECT_NE(rows[0], rows[1]);  // An instruction may write before it has read.
  for (size_t r = 2; r < 10; ++r) EXPECT_EQ(rows[r], rows[r % 2]);
}

TEST(RegisterRows, WhatALoopReadsAgainKeepsItsRow) {
  const Rows rows(
      "mov.u32 %r0, 1;\nmov.u32 %r1, 0;\n"
      "again:\nadd.u32 %r1, %r1, %r0;\nadd.u32 %r2, %r1, 5;\nsetp.lt.u32 %p0, %r2, 50;\n@%p0 bra again;\n"
      "mov.u32 %r3, 2;\nadd.u32 %r4, %r3, 1;\n");
  EXPECT_NE(rows[2], rows[0]);
  EXPECT_NE(rows[2], rows[1]);
  EXPECT_EQ(rows[3], rows[2]);
}

TEST(RegisterRows, AGuardedWriteLeavesTheOldValueToOtherLanes) {
  const auto loop_with = [](const std::string& guard) {
    return Rows("mov.u32 %r9, 1;\nsetp.lt.u32 %p0, %r9, 5;\nagain:\n" + guard +
                "mov.u32 %r0, 1;\nadd.u32 %r1, %r0, 1;\nmov.u32 %r2, 2;\nadd.u32 %r3, %r2, 1;\n"
                "setp.lt.u32 %p1, %r3, 5;\n@%p1 bra again;\n");
  };
  const Rows whole = loop_with(""), guarded = loop_with("@%p0 ");
  EXPECT_EQ(whole[2], whole[0]);
  EXPECT_NE(guarded[2], guarded[0]);
  EXPECT_NE(guarded[3], guarded[0]);
}

TEST(RegisterRows, WhatMayBeReadUnwrittenHasItsRowFromTheBeginning) {
  const Rows rows("mov.u32 %r0, 1;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r2, %r1, %r5;\nadd.u32 %r3, %r2, 1;\n");
  for (const size_t r : {0, 1, 2}) EXPECT_NE(rows[r], rows[5]);
  EXPECT_EQ(rows[3], rows[5]);
}

TEST(RegisterRows, AProductKeepsItsRegistersUntilItIsWaitedFor) {
  const Rows rows(
      "mov.b64 %rd0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%r0, %r1, %r2, %r3}, %rd0, %rd0, 1, 1, 1;\n"
      "mov.u32 %r4, 1;\nadd.u32 %r5, %r4, 1;\nwgmma.wait_group.sync.aligned 0;\n");
  for (size_t r = 0; r < 4; ++r) {
    EXPECT_NE(rows[4], rows[r]);
    EXPECT_NE(rows[5], rows[r]);
  }
}

}  // namespace
}  // namespace tilescope::emulator
