#include "wording/finding.h"

#include <gtest/gtest.h>

namespace tilescope::wording {
namespace {
using analysis::Checker;
using analysis::Finding;
using analysis::FindingKind;
using analysis::Site;
using trace::AccessKind;

Site site(uint32_t thread, int line, AccessKind access, uint32_t block = 0) {
  return {
      {block, {block, 0, 0}, {thread, 0, 0}, thread / 32, thread % 32}, static_cast<uint32_t>(line), line, 0, access};
}

/// 4 bytes of C or As on line 4 by thread (1, 0).
Finding of(FindingKind kind, Space space = Space::None, AccessKind access = AccessKind::Load) {
  Finding finding;
  finding.kind = kind;
  finding.site = site(1, 4, access);
  finding.space = space;
  finding.bytes = 4;
  return finding;
}

const Allocation kC{"C", Space::Global, 0x1000, 512, Element::F32, {4, 32}};
const Allocation kAs{"As", Space::Shared, 0, 512, Element::F32, {4, 32}};

TEST(FindingSentence, OutOfBoundsSaysHowFarPastWhichArray) {
  Finding finding = of(FindingKind::OutOfBounds, Space::Global);
  finding.address = 0x1204;
  finding.stray = {kC, false, 4};
  EXPECT_EQ(
      sentence(finding),
      "thread (1, 0) of block (0, 0) reads 4 bytes of global memory on line 4, 1 element past the end of C[4][32] "
      "(C[4][1]); guard the access or correct the index.");
  finding.site.access = AccessKind::Store;
  finding.address = 0xff8;
  finding.stray = {kC, true, 8};
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) writes 4 bytes of global memory on line 4, 2 elements before the start of "
            "C[4][32]; guard the access or correct the index.");
  finding = of(FindingKind::OutOfBounds, Space::Shared);
  finding.bytes = 16;
  finding.address = 0x1f8;
  finding.stray = {kAs, false, 8};
  EXPECT_EQ(
      sentence(finding),
      "thread (1, 0) of block (0, 0) reads 16 bytes of shared memory on line 4, at As[3][30], the last 2 elements "
      "past the end of As[4][32]; guard the access or correct the index.");
}

TEST(FindingSentence, AGuessedSizeIsSaidBeforeAnybodyIsToldToGuard) {
  Finding finding = of(FindingKind::OutOfBounds, Space::Global);
  finding.array = "C";
  finding.address = 0x1204;
  finding.stray = {kC, false, 4, "M x N"};
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) reads 4 bytes of global memory on line 4, 1 element past the end of "
            "C[4][32] (C[4][1]). The size of C is a guess, though: M x N. If it is larger, say so in the description "
            "or in the launch form; if not, guard the access or correct the index.");
  finding.address = 0xff8;
  finding.stray = {kC, true, 8, "M x N"};
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) reads 4 bytes of global memory on line 4, 2 elements before the start of "
            "C[4][32]; guard the access or correct the index.")
      << "whatever its size is";
}

TEST(FindingSentence, AFunctionsLineNamesTheCallToo) {
  Finding finding = of(FindingKind::OutOfBounds, Space::Local);
  finding.site.called_from = 9;
  finding.address = 64;
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) reads 4 bytes of local memory on line 4 (called from line 9) at 0x40, where "
            "there is no array; check the pointer or the index.");
}

TEST(FindingSentence, OutOfBoundsFarFromEveryArrayNamesTheAddress) {
  Finding finding = of(FindingKind::OutOfBounds, Space::Local);
  finding.address = 64;
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) reads 4 bytes of local memory on line 4 at 0x40, where there is no array; "
            "check the pointer or the index.");
}

TEST(FindingSentence, OfAMisalignedAccessAndATrap) {
  Finding misaligned = of(FindingKind::Misaligned, Space::Global);
  misaligned.bytes = 16;
  misaligned.element = "C[0][1]";
  EXPECT_EQ(sentence(misaligned),
            "thread (1, 0) of block (0, 0) reads 16 bytes at C[0][1] on line 4, an address that is not a multiple of "
            "16; make the index a multiple of 16 bytes or use a narrower access.");
  Finding trap = of(FindingKind::Trap);
  trap.detail = "assertion i < n failed";
  EXPECT_EQ(sentence(trap), "thread (1, 0) of block (0, 0) stops the kernel on line 4: assertion i < n failed.");
}

Finding race(FindingKind kind, const Site& one, const Site& other) {
  Finding finding = of(kind, Space::Shared);
  finding.element = "As[0][0]";
  finding.site = one;
  finding.other = other;
  return finding;
}

TEST(FindingSentence, OfARaceNamesBothSidesAndTheBarrierThatIsMissing) {
  EXPECT_EQ(sentence(race(FindingKind::ReadWriteRace, site(0, 4, AccessKind::Store), site(32, 6, AccessKind::Load))),
            "As[0][0] is written by thread (0, 0) on line 4 and read by thread (32, 0) on line 6 with no barrier "
            "between; put __syncthreads() between them.");
  EXPECT_EQ(sentence(race(FindingKind::ReadWriteRace, site(1, 4, AccessKind::Store), site(0, 6, AccessKind::Load))),
            "As[0][0] is written by thread (1, 0) on line 4 and read by thread (0, 0) on line 6 with no barrier "
            "between; put __syncwarp() between them.");
  EXPECT_EQ(
      sentence(race(FindingKind::ReadWriteRace, site(0, 4, AccessKind::Reduction), site(32, 6, AccessKind::Load))),
      "As[0][0] is atomically updated by thread (0, 0) on line 4 and read by thread (32, 0) on line 6 with no "
      "barrier between; put __syncthreads() between them.");
  EXPECT_EQ(
      sentence(race(FindingKind::WriteWriteRace, site(0, 4, AccessKind::Store), site(32, 4, AccessKind::Store))),
      "As[0][0] is written by thread (0, 0) on line 4 and written by thread (32, 0) on line 4 with no barrier between; "
      "where both add to it, use atomicAdd(), else put __syncthreads() between them.");
}

TEST(FindingSentence, OfARaceWithinAnInstructionBetweenBlocksAndWithACopy) {
  EXPECT_EQ(sentence(race(FindingKind::WriteWriteRace, site(0, 4, AccessKind::Store), site(1, 4, AccessKind::Store))),
            "As[0][0] is written by thread (0, 0) and by thread (1, 0) on line 4 in the same instruction, with "
            "different values; give each thread its own element.");
  Finding blocks = race(FindingKind::WriteWriteRace, site(0, 4, AccessKind::Store), site(0, 4, AccessKind::Store, 1));
  blocks.space = Space::Global;
  EXPECT_EQ(
      sentence(blocks),
      "As[0][0] is written by thread (0, 0) of block (0, 0) on line 4 and written by thread (0, 0) of block (1, 0) on "
      "line 4, and nothing orders these two blocks; let one block own each element, combine the blocks' results with "
      "atomicAdd(), or, where a lock or a flag is meant to order them, call __threadfence() before it is released.");
  EXPECT_EQ(
      sentence(race(FindingKind::AsyncCopyRace, site(0, 4, AccessKind::AsyncCopyWrite), site(32, 9, AccessKind::Load))),
      "As[0][0] is read by thread (32, 0) on line 9 while the cp.async of thread (0, 0) on line 4 may still be writing "
      "it; wait for the copy (cp.async.wait_group, __pipeline_wait_prior()) and then put __syncthreads() before it is "
      "used.");
}

TEST(FindingSentence, OfSharedMemoryThatBlocksOfAClusterUse) {
  Finding finding = race(FindingKind::ReadWriteRace, site(0, 4, AccessKind::Store), site(0, 9, AccessKind::Load, 1));
  finding.space = Space::Shared;
  finding.owner = Dim3{1, 0, 0};
  EXPECT_EQ(
      sentence(finding),
      "As[0][0] of block (1, 0) is written by thread (0, 0) of block (0, 0) on line 4 and read by thread (0, 0) of "
      "block (1, 0) on line 9, and nothing orders the two; let the blocks of the cluster meet between them "
      "(cluster.sync(), barrier.cluster), or let one wait for an mbarrier at which the other arrives.");
  finding.kind = FindingKind::AsyncCopyRace;
  finding.site.access = AccessKind::AsyncCopyWrite;
  finding.site.bulk = true;
  EXPECT_EQ(sentence(finding),
            "As[0][0] of block (1, 0) is read by thread (0, 0) of block (1, 0) on line 9 while the bulk copy of thread "
            "(0, 0) of block (0, 0) on line 4 may still be writing it; wait for the phase of its mbarrier first.");
  finding.kind = FindingKind::MateExited;
  finding.site.access = AccessKind::Load;
  EXPECT_EQ(sentence(finding),
            "As[0][0] of block (1, 0) is read by thread (0, 0) of block (0, 0) on line 4, and nothing keeps the block "
            "that it belongs to from having exited by then; let the blocks of the cluster meet (cluster.sync(), "
            "barrier.cluster) after the last use of another's shared memory.");
  finding.kind = FindingKind::UninitialisedMemory;
  EXPECT_EQ(sentence(finding),
            "As[0][0] of block (1, 0) is read by thread (0, 0) of block (0, 0) on line 4 and nobody wrote it; let a "
            "thread store it first, and put cluster.sync() between store and read.");
}

TEST(FindingSentence, OfWhatWasNeverWritten) {
  Finding finding = of(FindingKind::UninitialisedMemory, Space::Shared);
  finding.element = "As[0][0]";
  EXPECT_EQ(sentence(finding),
            "As[0][0] is read by thread (1, 0) of block (0, 0) on line 4 and nobody wrote it; let a thread store it "
            "first, and put __syncthreads() between store and read.");
  finding.space = Space::Global;
  finding.element = "D[0][1]";
  EXPECT_EQ(sentence(finding),
            "D[0][1] is read by thread (1, 0) of block (0, 0) on line 4 and nobody wrote it; initialise it before the "
            "launch, or do not read it.");
  finding.space = Space::Local;
  finding.address = 8;
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) reads byte 8 of its local memory on line 4 before writing it; initialise "
            "the local array.");
  finding = of(FindingKind::UninitialisedRegister);
  finding.detail = "%f3";
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) uses a variable that it never set (register %f3) on line 4; give it a value "
            "where it is declared.");
}

TEST(FindingSentence, OfBarriersThatNotAllThreadsReach) {
  Finding finding = of(FindingKind::BarrierAfterExit);
  finding.threads = 16;
  finding.block_threads = 64;
  finding.exited = site(48, 4, AccessKind::Load).thread;
  EXPECT_EQ(sentence(finding),
            "16 of the block's 64 threads, thread (48, 0) of block (0, 0) first, exited before the others reach "
            "the barrier on line 4; let every thread reach the barrier, and guard the work instead of returning "
            "early.");
  finding = of(FindingKind::MismatchedBarriers);
  finding.other = site(0, 7, AccessKind::Load);
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) waits at the barrier on line 4 while thread (0, 0) waits at the one on line "
            "7, and each takes the other's for its own; let all threads of the block reach the same __syncthreads().");
  finding = of(FindingKind::DivergentBarrier);
  finding.threads = 8;
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) and 7 more of its warp reach the barrier on line 4 while the warp's other "
            "live lanes do not; move the barrier out of the branch or loop that they leave.");
}

TEST(FindingSentence, OfBarriersThatAreUsedWrongly) {
  EXPECT_EQ(sentence(of(FindingKind::Deadlock)),
            "thread (1, 0) of block (0, 0) waits on line 4 forever, and no thread of the block can continue; let every "
            "thread reach the same barriers equally often.");
  EXPECT_EQ(sentence(of(FindingKind::IncompleteWarpSync)),
            "thread (1, 0) of block (0, 0) synchronises its warp on line 4 with a mask that lacks the lane itself or "
            "names lanes that do not take part; name exactly the lanes that reach this instruction.");
  Finding finding = of(FindingKind::BadBarrier);
  finding.detail = "barrier 16";
  EXPECT_EQ(sentence(finding),
            "thread (1, 0) of block (0, 0) uses a barrier on line 4 whose number is over 15, or whose thread count is "
            "not a multiple of 32 or is more than the block has; correct the number or the count (barrier 16).");
}

}  // namespace
}  // namespace tilescope::wording
