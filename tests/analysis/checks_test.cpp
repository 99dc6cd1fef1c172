#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_driver.h"

namespace tilescope::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::AccessKind;
using trace::FaultKind;
using trace::SyncKind;

TEST(Memcheck, SaysHowFarPastWhichArray) {
  CheckDriver d(32);
  d.fault(FaultKind::OutOfBounds, 3, 6, Space::Global, [](uint32_t lane) { return 0x1200 + uint64_t{lane} * 4; });
  d.fault(
      FaultKind::OutOfBounds, 4, 1, Space::Global, [](uint32_t) { return 0x0ffcu; }, AccessKind::Store);
  d.fault(
      FaultKind::OutOfBounds, 5, 1, Space::Shared, [](uint32_t) { return 0x1f8u; }, AccessKind::Load, 16);
  d.fault(FaultKind::OutOfBounds, 6, 1, Space::Local, [](uint32_t) { return 64u; });
  EXPECT_THAT(
      d.records(),
      ElementsAre("out-of-bounds C[4][1]: load 0.1 line 4, 4 past C", "out-of-bounds : store 0.0 line 5, 4 before C",
                  "out-of-bounds As[3][30]: load 0.0 line 6, 8 past As", "out-of-bounds : load 0.0 line 7"));
  EXPECT_EQ(d.findings()[0].count, 2u);
  EXPECT_EQ(d.findings()[0].element, "C[4][1]");
  EXPECT_EQ(d.findings()[0].array, "C");
}

// The heap of malloc() is far from every array.
TEST(Memcheck, AnAddressFarFromEveryArrayIsBesideNone) {
  CheckDriver d(32);
  d.fault(FaultKind::OutOfBounds, 3, 1, Space::Global, [](uint32_t) { return uint64_t{0x7e00'0001'0008}; });
  EXPECT_THAT(d.records(), ElementsAre("out-of-bounds : load 0.0 line 4"));
}

TEST(Memcheck, Misaligned) {
  CheckDriver d(32);
  d.fault(
      FaultKind::Misaligned, 3, 2, Space::Global, [](uint32_t) { return 0x1004u; }, AccessKind::Load, 16);
  EXPECT_THAT(d.records(), ElementsAre("misaligned C[0][1]: load 0.1 line 4"));
}

TEST(Memcheck, ATrapSaysWhatStopped) {
  CheckDriver d(32);
  d.fault(FaultKind::Trap, 3, 4, Space::None, {}, AccessKind::Load, 0, "assertion i < n failed");
  EXPECT_THAT(d.records(), ElementsAre("trap : load 0.2 line 4, assertion i < n failed"));
}

TEST(Initcheck, SharedMemoryIsFreshInEachBlock) {
  CheckDriver d(32, 2);
  d.store(3, 0, own_word);
  d.load(4, 0, own_word);
  EXPECT_THAT(d.records(), IsEmpty());
  d.begin_block(1);
  d.load(4, 0, own_word);
  EXPECT_THAT(d.records(), ElementsAre("uninitialised-memory As[0][0]: load 1.0 line 5"));
}

TEST(Initcheck, NamesTheFirstByteThatNobodyWrote) {
  CheckDriver d(32);
  d.store(3, 0, own_word, 3);
  d.barrier(2);
  d.access(
      4, AccessKind::Load, Space::Shared, 0, 1, [](uint32_t) { return 0; }, [](uint32_t) { return 0; }, 16);
  ASSERT_EQ(d.findings().size(), 1u);
  EXPECT_EQ(d.findings()[0].element, "As[0][2]");
  EXPECT_EQ(d.findings()[0].address, 8u);
}

TEST(Initcheck, InputsAreInitialisedAndOutputsAreNot) {
  CheckDriver d(32);
  d.access(3, AccessKind::Load, Space::Global, 0, 1, [](uint32_t) { return 0x1000; });
  EXPECT_THAT(d.records(), IsEmpty());
  d.access(4, AccessKind::Reduction, Space::Global, 0, 1, [](uint32_t) { return 0x2004; });
  d.access(5, AccessKind::Load, Space::Global, 0, 1, [](uint32_t) { return 0x2004; });
  EXPECT_THAT(d.records(), ElementsAre("uninitialised-memory D[0][1]: reduction 0.0 line 5"));
}

TEST(Initcheck, AnExchangeWhoseResultNobodyTakesSets) {
  CheckDriver d(32);
  ptx::Operand result;
  result.kind = ptx::Operand::Kind::Register;
  result.index = 7;
  d.instruction(3).op = ptx::Op::Atom;
  d.instruction(3).atomic = ptx::AtomicOp::Exch;
  d.instruction(3).operands = {result};
  const auto word = [](uint32_t) { return 8; };
  d.access(3, AccessKind::Atomic, Space::Shared, 0, 1, word);
  d.load(4, 0, word, 1);
  EXPECT_THAT(d.records(), IsEmpty());
  d.begin_block(1);
  d.instruction(5).operands = {result};
  d.access(3, AccessKind::Atomic, Space::Shared, 0, 1, word);
  EXPECT_EQ(d.findings().size(), 1U);
}

TEST(Initcheck, LocalMemoryIsEachThreadsOwn) {
  CheckDriver d(32);
  d.access(3, AccessKind::Store, Space::Local, 0, 1, [](uint32_t) { return 8; });
  d.access(4, AccessKind::Load, Space::Local, 0, 3, [](uint32_t) { return 8; });
  EXPECT_THAT(d.records(), ElementsAre("uninitialised-memory : load 0.1 line 5"));
}

TEST(Initcheck, ARegisterThatWasNeverSet) {
  CheckDriver d(32);
  d.fault(FaultKind::UninitialisedRegister, 3, 2, Space::None, {}, AccessKind::Load, 0, "%f3");
  EXPECT_THAT(d.records(), ElementsAre("uninitialised-register : load 0.1 line 4, %f3"));
}

TEST(Synccheck, ABarrierThatExitedThreadsMiss) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 1);
  d.sync(4, SyncKind::BarrierArrive, 0, 0);
  d.sync(4, SyncKind::BarrierArrive, 0, 1, 0xffff);
  d.complete(0);
  EXPECT_THAT(d.records(), ElementsAre("barrier-after-exit : load 0.0 line 5, 16 of 64, 48 first"));
}

TEST(Synccheck, ABarrierWithAThreadCountMayLeaveThreadsOut) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 2);
  d.sync(4, SyncKind::BarrierArrive, 1, 0);
  d.complete(1);
  EXPECT_THAT(d.records(), IsEmpty());
}

TEST(Synccheck, ThreadsAtDifferentBarriersOfTheSource) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 1);
  d.op(6, ptx::Op::BarSync, 1);
  d.sync(6, SyncKind::BarrierArrive, 0, 0);
  d.sync(4, SyncKind::BarrierArrive, 0, 1);
  d.complete(0);
  EXPECT_THAT(d.records(), ElementsAre("mismatched-barriers : load 0.32 line 5, load 0.0 line 7"));
}

TEST(Synccheck, Faults) {
  CheckDriver d(32);
  d.fault(FaultKind::DivergentBarrier, 3, 0xff);
  d.fault(FaultKind::Deadlock, 4, 1);
  d.fault(FaultKind::IncompleteWarpSync, 5, 2);
  d.fault(FaultKind::BadBarrier, 6, 1, Space::None, {}, AccessKind::Load, 0, "barrier 16");
  EXPECT_THAT(d.records(),
              ElementsAre("divergent-barrier : load 0.0 line 4, 8 of 0", "deadlock : load 0.0 line 5, 1 of 0",
                          "incomplete-warp-sync : load 0.1 line 6, 1 of 0",
                          "bad-barrier : load 0.0 line 7, 1 of 0, barrier 16"));
}

TEST(Findings, OfAFunctionOfTheFileNameTheCall) {
  const auto module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<3>;\n"
      ".loc 1 9 3\nmov.u32 %r0, 0;\n.loc 1 2 5, function_name $L, inlined_at 1 9 3\nmov.u32 %r1, 0;\n"
      ".loc 2 77 1, function_name $L, inlined_at 1 9 3\nmov.u32 %r2, 0;\nret;\n}\n"
      ".file 1 \"k.cu\"\n.file 2 \"h.cuh\"\n",
      "k.ptx");
  ASSERT_TRUE(module) << to_string(module.errors());
  LaunchFacts facts;
  facts.module = &*module;
  facts.function = &module->functions.front();
  const auto places = [&](uint32_t pc) { return std::pair(facts.line_of(pc), facts.caller_of(pc)); };
  EXPECT_EQ(places(0), std::pair(9, 0));
  EXPECT_EQ(places(1), std::pair(2, 9));
  EXPECT_EQ(places(2), std::pair(9, 0));  // In another file only the call has a line of the user's.
}

TEST(Findings, CopiesOfALineAreOneFinding) {
  CheckDriver d(32);
  d.fault(FaultKind::OutOfBounds, 3, 1, Space::Global, [](uint32_t) { return 0x1200; });
  EXPECT_EQ(d.findings()[0].count, 1u);
  d.fault(FaultKind::OutOfBounds, 3, 3, Space::Global, [](uint32_t) { return 0x1200; });
  ASSERT_EQ(d.findings().size(), 1u);
  EXPECT_EQ(d.findings()[0].count, 3u);
}

}  // namespace
}  // namespace tilescope::analysis
