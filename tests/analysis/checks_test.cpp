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
      d.messages(),
      ElementsAre(
          "thread (1, 0) of block (0, 0) reads 4 bytes of global memory on line 4, 1 element past the end of C[4][32] "
          "(C[4][1]); guard the access or correct the index.",
          "thread (0, 0) of block (0, 0) writes 4 bytes of global memory on line 5, 1 element before the start of "
          "C[4][32]; guard the access or correct the index.",
          "thread (0, 0) of block (0, 0) reads 16 bytes of shared memory on line 6, at As[3][30], the last 2 elements "
          "past "
          "the end of As[4][32]; guard the access or correct the index.",
          "thread (0, 0) of block (0, 0) reads 4 bytes of local memory on line 7 at 0x40, where there is no array; "
          "check "
          "the pointer or the index."));
  EXPECT_EQ(d.findings()[0].count, 2u);
  EXPECT_EQ(d.findings()[0].element, "C[4][1]");
  EXPECT_EQ(d.findings()[0].array, "C");
}

// The heap of malloc() lies far from every array.
TEST(Memcheck, AnAddressFarFromEveryArrayIsBesideNone) {
  CheckDriver d(32);
  d.fault(FaultKind::OutOfBounds, 3, 1, Space::Global, [](uint32_t) { return uint64_t{0x7e00'0001'0008}; });
  EXPECT_THAT(d.messages(), ElementsAre("thread (0, 0) of block (0, 0) reads 4 bytes of global memory on line 4 at "
                                        "0x7e0000010008, where there is no array; check the pointer or the index."));
}

TEST(Memcheck, Misaligned) {
  CheckDriver d(32);
  d.fault(
      FaultKind::Misaligned, 3, 2, Space::Global, [](uint32_t) { return 0x1004u; }, AccessKind::Load, 16);
  EXPECT_THAT(
      d.messages(),
      ElementsAre(
          "thread (1, 0) of block (0, 0) reads 16 bytes at C[0][1] on line 4, an address that is not a multiple "
          "of 16; make the index a multiple of 16 bytes or use a narrower access."));
}

TEST(Memcheck, ATrapSaysWhatStopped) {
  CheckDriver d(32);
  d.fault(FaultKind::Trap, 3, 4, Space::None, {}, AccessKind::Load, 0, "assertion i < n failed");
  EXPECT_THAT(d.messages(),
              ElementsAre("thread (2, 0) of block (0, 0) stops the kernel on line 4: assertion i < n failed."));
}

TEST(Initcheck, SharedMemoryIsFreshInEachBlock) {
  CheckDriver d(32, 2);
  d.store(3, 0, own_word);
  d.load(4, 0, own_word);
  EXPECT_THAT(d.messages(), IsEmpty());
  d.begin_block(1);
  d.load(4, 0, own_word);
  EXPECT_THAT(d.messages(),
              ElementsAre("As[0][0] is read by thread (0, 0) of block (1, 0) on line 5 and nobody wrote it; let a "
                          "thread store it first, and put __syncthreads() between store and read."));
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
  EXPECT_THAT(d.messages(), IsEmpty());
  d.access(4, AccessKind::Reduction, Space::Global, 0, 1, [](uint32_t) { return 0x2004; });
  d.access(5, AccessKind::Load, Space::Global, 0, 1, [](uint32_t) { return 0x2004; });
  EXPECT_THAT(d.messages(),
              ElementsAre("D[0][1] is read by thread (0, 0) of block (0, 0) on line 5 and nobody wrote it; "
                          "initialise it before the launch, or do not read it."));
}

TEST(Initcheck, LocalMemoryIsEachThreadsOwn) {
  CheckDriver d(32);
  d.access(3, AccessKind::Store, Space::Local, 0, 1, [](uint32_t) { return 8; });
  d.access(4, AccessKind::Load, Space::Local, 0, 3, [](uint32_t) { return 8; });
  EXPECT_THAT(d.messages(),
              ElementsAre("thread (1, 0) of block (0, 0) reads byte 8 of its local memory on line 5 before writing "
                          "it; initialise the local array."));
}

TEST(Initcheck, ARegisterThatWasNeverSet) {
  CheckDriver d(32);
  d.fault(FaultKind::UninitialisedRegister, 3, 2, Space::None, {}, AccessKind::Load, 0, "%f3");
  EXPECT_THAT(d.messages(),
              ElementsAre("thread (1, 0) of block (0, 0) uses a variable that it never set (register %f3) on line "
                          "4; give it a value where it is declared."));
}

TEST(Synccheck, ABarrierThatExitedThreadsMiss) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 1);
  d.sync(4, SyncKind::BarrierArrive, 0, 0);
  d.sync(4, SyncKind::BarrierArrive, 0, 1, 0xffff);
  d.complete(0);
  EXPECT_THAT(d.messages(),
              ElementsAre("16 of the block's 64 threads, thread (48, 0) of block (0, 0) the first, have exited when "
                          "the others pass the barrier on line 5; let every thread reach the barrier, and guard the "
                          "work instead of returning early."));
}

TEST(Synccheck, ABarrierWithAThreadCountMayLeaveThreadsOut) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 2);
  d.sync(4, SyncKind::BarrierArrive, 1, 0);
  d.complete(1);
  EXPECT_THAT(d.messages(), IsEmpty());
}

TEST(Synccheck, ThreadsAtDifferentBarriersOfTheSource) {
  CheckDriver d(64);
  d.op(4, ptx::Op::BarSync, 1);
  d.op(6, ptx::Op::BarSync, 1);
  d.sync(6, SyncKind::BarrierArrive, 0, 0);
  d.sync(4, SyncKind::BarrierArrive, 0, 1);
  d.complete(0);
  EXPECT_THAT(d.messages(),
              ElementsAre("thread (32, 0) of block (0, 0) waits at the barrier on line 5 while thread (0, 0) waits at "
                          "the one on line 7, and each takes the other's for its own; let all threads of the block "
                          "reach the same __syncthreads()."));
}

TEST(Synccheck, Faults) {
  CheckDriver d(32);
  d.fault(FaultKind::DivergentBarrier, 3, 0xff);
  d.fault(FaultKind::Deadlock, 4, 1);
  d.fault(FaultKind::IncompleteWarpSync, 5, 2);
  d.fault(FaultKind::BadBarrier, 6, 1, Space::None, {}, AccessKind::Load, 0, "barrier 16");
  EXPECT_THAT(
      d.messages(),
      ElementsAre(
          "thread (0, 0) of block (0, 0) and 7 more of its warp reach the barrier on line 4 while the warp's other "
          "live "
          "lanes do not; move the barrier out of the branch or loop that they leave.",
          "thread (0, 0) of block (0, 0) waits on line 5 for ever, and no thread of the block can go on; let every "
          "thread "
          "reach the same barriers equally often.",
          "thread (1, 0) of block (0, 0) synchronises its warp on line 6 with a mask that lacks the lane itself or "
          "names "
          "lanes that do not take part; name exactly the lanes that reach this instruction.",
          "thread (0, 0) of block (0, 0) uses a barrier on line 7 whose number is over 15, or whose thread count is "
          "not a "
          "multiple of 32 or is more than the block has; correct the number or the count (barrier 16)."));
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
