// How warps, blocks and memory behave: divergence, barriers, faults, limits. Arithmetic is in vectors_test.cpp.

#include "emulator/emulator.h"

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::emulator {
namespace {

using testing::ElementsAre;
using trace::FaultKind;

// Keeps all events, with the pointers' contents copied.
struct Log : trace::Observer {
  struct SeenFault {
    FaultKind kind;
    uint32_t pc, warp, lanes;
    std::string detail;
  };
  std::vector<SeenFault> faults;
  std::vector<trace::Branch> branches;
  std::vector<trace::Sync> syncs;
  std::vector<std::pair<trace::Access, std::vector<uint64_t>>> accesses;
  std::vector<uint32_t> completed;

  void fault(const trace::Fault& f) override {
    faults.push_back({f.kind, f.at.pc, f.at.warp, f.lanes, f.detail.text()});
  }
  void branch(const trace::Branch& b) override { branches.push_back(b); }
  void sync(const trace::Sync& s) override { syncs.push_back(s); }
  void access(const trace::Access& a) override { accesses.push_back({a, {a.addresses, a.addresses + 32}}); }
  void barrier_complete(uint32_t, uint32_t id) override { completed.push_back(id); }
};

// One launch of an entry `k(.param .u64 out)` whose body is given; `out` has a word for every thread, zeros at first.
struct OneLaunch {
  explicit OneLaunch(const std::string& body, Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1},
                     uint32_t dynamic_shared = 0, const std::string& module_scope = "") {
    const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + module_scope +
                             ".visible .entry k(.param .u64 out)\n{\n"
                             ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n"
                             "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [out];\nmul.wide.u32 %rd1, %r0, 4;\n"
                             "add.s64 %rd1, %rd0, %rd1;\n" +
                             body + "ret;\n}\n";
    Result<ptx::Module> module = ptx::parse(text, "test.ptx");
    if (!module) {
      ADD_FAILURE() << to_string(module.errors());
      return;
    }
    Result<std::shared_ptr<const Program>> built = Program::build(*module, "k");
    if (!built) {
      ADD_FAILURE() << to_string(built.errors());
      return;
    }
    program = *built;
    Allocation out;
    out.name = "out";
    out.bytes = 4 * block.count() * grid.count();
    const uint64_t base = *memory.allocate(out, 0);
    EXPECT_TRUE(place_module_variables(*program, memory));
    launch.block = block;
    launch.grid = grid;
    launch.dynamic_shared_bytes = dynamic_shared;
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &base, 8);
  }

  Outcome go(uint64_t budget = 1'000'000, bool check_registers = false) {
    if (!program) return Outcome::Trapped;
    RunOptions options;
    options.observer = &log;
    options.step_budget = budget;
    options.check_registers = check_registers;
    Machine machine(*program, launch, memory);
    Outcome outcome = Outcome::Finished;
    for (uint32_t b = 0; b < launch.grid.count() && outcome == Outcome::Finished; ++b)
      outcome = machine.run_block(b, options);
    counts = machine.counts();
    printed = machine.printed();
    return outcome;
  }

  std::vector<uint32_t> out() const {
    const std::span<const std::byte> bytes = memory.bytes(0);
    std::vector<uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  std::shared_ptr<const Program> program;
  GlobalMemory memory;
  Launch launch;
  Log log;
  Counts counts;
  std::string printed;
};

constexpr const char* kStoreR5 = "st.global.u32 [%rd1], %r5;\n";

TEST(Machine, IfElseReconvergesAndBothSidesRun) {
  OneLaunch run(
      std::string("setp.lt.u32 %p1, %r0, 10;\n@%p1 bra YES;\nmov.u32 %r5, 7;\nbra DONE;\nYES:\nmov.u32 %r5, 3;\n"
                  "DONE:\nadd.u32 %r5, %r5, %r0;\n") +
      kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.out()[i], (i < 10 ? 3 : 7) + i);
  EXPECT_EQ(run.counts.divergent_branches, 1u);
  // The add after the join is issued once, for the whole warp.
  ASSERT_EQ(run.log.accesses.size(), 1u);
  EXPECT_EQ(run.log.accesses[0].first.at.active, ~0u);
}

TEST(Machine, LoopsOfDifferentLengthMeetAfterTheLoop) {
  OneLaunch run(std::string("mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nLOOP:\nadd.u32 %r5, %r5, 2;\nadd.u32 %r6, %r6, 1;\n"
                            "setp.le.u32 %p1, %r6, %r0;\n@%p1 bra LOOP;\n") +
                kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.out()[i], 2 * (i + 1));
  ASSERT_EQ(run.log.accesses.size(), 1u);
  EXPECT_EQ(run.log.accesses[0].first.at.active, ~0u);
}

// Each lane takes a lock, as one does on a GPU since Volta: what is behind the loop lets the next lane out of it.
constexpr const char* kLock =
    "LOCK:\natom.global.cas.b32 %r3, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra LOCK;\n"
    "ld.volatile.global.u32 %r4, [%rd0+4];\nadd.u32 %r5, %r4, 1;\nst.volatile.global.u32 [%rd0+4], %r5;\n"
    "atom.global.exch.b32 %r6, [%rd0], 0;\n";

TEST(Machine, ALaneThatHoldsALockDoesNotWaitForThoseThatWantIt) {
  OneLaunch run(kLock, {64, 1, 1});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[1], 64u);
}

TEST(Machine, LanesThatHadALockOneByOneMeetAtTheBarrier) {
  OneLaunch run(std::string(kLock) + "bar.sync 0;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[1], 32u);
  ASSERT_EQ(run.log.syncs.size(), 1u);
  EXPECT_EQ(run.log.syncs[0].at.active, ~0u);
}

TEST(Machine, WatchedRegistersAreThoseBeforeAndAfterTheInstruction) {
  OneLaunch run(std::string("mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nLOOP:\nadd.u32 %r5, %r5, 2;\nadd.u32 %r6, %r6, 1;\n"
                            "setp.le.u32 %p1, %r6, %r0;\n@%p1 bra LOOP;\n") +
                    kStoreR5,
                {64, 1, 1});
  const auto watch = [&](uint32_t warp, uint32_t first, uint32_t count) {
    RegisterWatch result{0, warp, first, count, {}};
    RunOptions options;
    options.watch = &result;
    const Outcome outcome = Machine(*run.program, run.launch, run.memory).run_block(0, options);
    EXPECT_EQ(outcome, result.issued.size() == count ? Outcome::Cancelled : Outcome::Finished);
    return result.issued;
  };
  const auto at = [&](uint32_t warp, uint32_t step) { return watch(warp, step, 1).at(0); };
  const auto name = [&](const Registers::Register& of) {
    return run.program->function().registers[static_cast<size_t>(of.index)].name;
  };
  const Registers add = at(0, 10);  // The loop's first instruction, for the second time.
  EXPECT_EQ(add.lanes, ~1u) << "lane 0 has left the loop";
  ASSERT_EQ(add.read.size(), 1u);
  ASSERT_EQ(add.written.size(), 1u);
  EXPECT_EQ(name(add.read[0]), "%r5");
  EXPECT_EQ(name(add.written[0]), "%r5");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(add.read[0].bits[lane], 2u) << lane;
    EXPECT_EQ(add.written[0].bits[lane], lane == 0 ? 2u : 4u) << lane;
  }
  const Registers compare = at(1, 8);
  ASSERT_EQ(compare.read.size(), 2u);
  EXPECT_EQ(compare.read[1].bits[5], 37u) << "thread 37 is lane 5 of warp 1";
  EXPECT_EQ(compare.written.at(0).bits[5], 1u);
  EXPECT_EQ(at(0, 8).written.at(0).bits[0], 0u);
  const Registers branch = at(0, 9);
  ASSERT_EQ(branch.read.size(), 1u) << "its guard";
  EXPECT_TRUE(branch.written.empty());
  EXPECT_TRUE(watch(0, 100'000, 1).empty());
  EXPECT_TRUE(watch(2, 0, 1).empty());

  const std::vector<Registers> all = watch(0, 0, 1000);
  ASSERT_GT(all.size(), 10u);
  EXPECT_LT(all.size(), 1000u) << "the warp issues fewer";
  EXPECT_EQ(all[10].read.at(0).bits, add.read[0].bits);
  EXPECT_EQ(all[10].written.at(0).bits, add.written[0].bits);
  const std::vector<Registers> part = watch(0, 8, 3);
  ASSERT_EQ(part.size(), 3u);
  EXPECT_EQ(part[2].lanes, add.lanes);
  EXPECT_EQ(part[2].written.at(0).bits, add.written[0].bits);
}

TEST(Machine, NestedDivergenceAndEarlyExit) {
  OneLaunch run(
      std::string("mov.u32 %r5, 1;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\nsetp.lt.u32 %p2, %r0, 24;\n@%p2 ret;\n"
                  "mov.u32 %r5, 9;\nbra END;\nLOW:\nsetp.lt.u32 %p3, %r0, 4;\n@%p3 bra END;\nmov.u32 %r5, 4;\nEND:\n") +
      kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.out()[i], i < 4 ? 1u : i < 16 ? 4u : i < 24 ? 0u : 9u) << i;
}

TEST(Machine, CountsThreadsWhoseGuardIsTrue) {
  OneLaunch run(std::string("mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r0, 5;\n@%p1 mov.u32 %r5, 1;\n") + kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.counts.warp_executions[6], 1u);
  EXPECT_EQ(run.counts.thread_executions[6], 5u);
  EXPECT_EQ(run.counts.thread_executions[5], 32u);
}

TEST(Machine, LastWarpHasOnlyTheLanesThatExist) {
  OneLaunch run(std::string("mov.u32 %r5, 8;\nbar.sync 0;\n") + kStoreR5, {40, 1, 1});
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.accesses.size(), 2u);
  for (const auto& [access, addresses] : run.log.accesses)
    EXPECT_EQ(access.at.active, access.at.warp == 0 ? 0xffffffffu : 0xffu);
  EXPECT_EQ(run.counts.thread_executions[0], 40u);
  EXPECT_THAT(run.log.faults, testing::IsEmpty());
}

// Thread t writes word t of shared memory; after the barrier it reads the word of the thread a warp further on.
const std::string kExchange =
    "shl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], %r0;\nbar.sync 0;\nadd.u32 %r2, %r0, 32;\nand.b32 %r2, %r2, 63;\n"
    "shl.b32 %r2, %r2, 2;\nld.shared.u32 %r5, [%r2];\n";

TEST(Machine, BarrierOrdersTheWarpsOfABlock) {
  OneLaunch run(kExchange + kStoreR5, {64, 1, 1}, {2, 1, 1}, 256);
  ASSERT_EQ(run.go(), Outcome::Finished);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(run.out()[i], (i + 32) % 64);
  EXPECT_THAT(run.log.completed, ElementsAre(0u, 0u));
}

TEST(Machine, ExitedThreadsAreNotWaitedFor) {
  OneLaunch run(std::string("setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;\nmov.u32 %r5, 6;\nbar.sync 0;\n") + kStoreR5,
                {64, 1, 1});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[0], 6u);
  EXPECT_EQ(run.out()[32], 0u);
}

TEST(Machine, BarrierInADivergentBranchIsReportedAndDeadlocksWhereTheOthersWaitElsewhere) {
  // Half a warp waits at barrier 1, which the other half never reaches: it waits at barrier 2.
  OneLaunch run("setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbar.sync 2;\nbra END;\nA:\nbar.sync 1;\nEND:\n");
  EXPECT_EQ(run.go(), Outcome::Deadlocked);
  ASSERT_EQ(run.log.faults.size(), 4u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::DivergentBarrier);
  EXPECT_EQ(run.log.faults[0].lanes, 0xffff0000u);
  EXPECT_EQ(run.log.faults[1].kind, FaultKind::DivergentBarrier);
  EXPECT_EQ(run.log.faults[2].kind, FaultKind::Deadlock);
  EXPECT_EQ(run.log.faults[3].kind, FaultKind::Deadlock);
  EXPECT_EQ(run.log.faults[2].detail, "barrier 2");
  EXPECT_EQ(run.log.faults[3].detail, "barrier 1");
}

TEST(Machine, BarrierReachedFromBothSidesOfABranchCompletesOnceBothArrive) {
  OneLaunch run(
      std::string("setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbar.sync 0;\nmov.u32 %r5, 1;\nbra END;\nA:\nbar.sync 0;\n"
                  "mov.u32 %r5, 2;\nEND:\n") +
      kStoreR5);
  EXPECT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[0], 2u);
  EXPECT_EQ(run.out()[31], 1u);
  EXPECT_EQ(run.log.faults.size(), 2u);
}

TEST(Machine, NamedBarrierCountsItsThreads) {
  // Warp 0 produces and continues, warp 1 waits for 64 threads.
  OneLaunch run(
      std::string(
          "setp.lt.u32 %p1, %r0, 32;\nmov.u32 %r5, 0;\n@%p1 bra PRODUCE;\nbar.sync 3, 64;\nld.shared.u32 %r5, [0];\n"
          "bra END;\nPRODUCE:\nmov.u32 %r6, 77;\nst.shared.u32 [0], %r6;\nbar.arrive 3, 64;\nEND:\n") +
          kStoreR5,
      {64, 1, 1}, {1, 1, 1}, 16);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[40], 77u);
}

TEST(Machine, BadBarrierOperandsAreSaid) {
  OneLaunch run("bar.sync 16;\nbar.sync 1, 33;\nbar.sync 1, 64;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 3u);
  EXPECT_EQ(run.log.faults[0].detail, "barrier 16 does not exist: a block has barriers 0 to 15");
  EXPECT_EQ(run.log.faults[1].detail, "a barrier for 33 threads: the count must be a multiple of 32");
  EXPECT_EQ(run.log.faults[2].detail, "a barrier for 64 threads in a block of 32");
}

TEST(Machine, BarrierReductionGivesEveryoneTheSame) {
  OneLaunch run(std::string("setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r5, 0, %p1;\nbar.red.or.pred %p2, 0, !%p1;\n"
                            "@%p2 add.u32 %r5, %r5, 100;\n") +
                    kStoreR5,
                {64, 1, 1});
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[0], 140u);
  EXPECT_EQ(run.out()[63], 140u);
}

TEST(Machine, WarpSyncJoinsPathsThatNameEachOther) {
  OneLaunch run(
      std::string(
          "setp.lt.u32 %p1, %r0, 16;\nmov.u32 %r5, 1;\n@%p1 bra A;\nmov.u32 %r5, 2;\nbar.warp.sync 0xffffffff;\n"
          "bra END;\nA:\nbar.warp.sync 0xffffffff;\nEND:\n") +
      kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.log.faults, testing::IsEmpty());
  ASSERT_EQ(run.log.syncs.size(), 1u);
  EXPECT_EQ(run.log.syncs[0].at.active, ~0u);
}

TEST(Machine, ShuffleWithLanesThatNeverComeDeadlocks) {
  OneLaunch run(
      "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra END;\nshfl.sync.idx.b32 %r5, %r0, 0, 31, 0xffffffff;\nEND:\nbar.sync 0;\n");
  EXPECT_EQ(run.go(), Outcome::Deadlocked);
  bool found = false;
  for (const Log::SeenFault& f : run.log.faults)
    found |= f.kind == FaultKind::Deadlock && f.detail == "lanes of member mask 0xffffffff" && f.lanes == 0xffffu;
  EXPECT_TRUE(found);
}

TEST(Machine, LanesThatHaveExitedAreNotMissedByAWarpSync) {
  OneLaunch run(std::string("setp.ge.u32 %p1, %r0, 16;\n@%p1 bra END;\nbar.warp.sync 0xffffffff;\nmov.u32 %r5, 3;\n") +
                kStoreR5 + "END:\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[15], 3u);
  EXPECT_EQ(run.out()[16], 0u);
  EXPECT_THAT(run.log.faults, testing::IsEmpty());
}

TEST(Machine, AWarpSyncIsNoShuffle) {
  OneLaunch run(
      "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbar.warp.sync 0xffffffff;\nbra END;\nA:\n"
      "shfl.sync.idx.b32 %r5, %r0, 0, 31, 0xffffffff;\nEND:\nbar.sync 0;\n");
  EXPECT_EQ(run.go(), Outcome::Deadlocked);
}

TEST(Machine, MemberMaskThatLeavesOutTheCallerIsSaid) {
  OneLaunch run("bar.warp.sync 0x0000ffff;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::IncompleteWarpSync);
  EXPECT_EQ(run.log.faults[0].lanes, 0xffff0000u);
}

TEST(Machine, AddressPastTheEndFaultsLaneByLaneAndTheRestGoesOn) {
  OneLaunch run("st.global.u32 [%rd1+4], %r0;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::OutOfBounds);
  EXPECT_EQ(run.log.faults[0].lanes, 0x80000000u);
  EXPECT_EQ(run.out()[31], 30u);
  EXPECT_EQ(run.log.accesses[0].first.at.active, 0x7fffffffu);
}

TEST(Machine, MisalignedAddressFaults) {
  OneLaunch run("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::Misaligned);
  EXPECT_EQ(run.log.faults[0].lanes, 0xeeeeeeeeu);
}

TEST(Machine, GenericAddressesLeadToTheirSpaces) {
  OneLaunch run(
      std::string("cvta.shared.u64 %rd3, 8;\nst.u32 [%rd3], 41;\nld.shared.u32 %r5, [8];\nisspacep.shared %p1, %rd3;\n"
                  "@%p1 add.u32 %r5, %r5, 1;\n") +
          kStoreR5,
      {32, 1, 1}, {1, 1, 1}, 64);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[3], 42u);
  EXPECT_EQ(run.log.accesses[0].first.space, Space::Shared);
  EXPECT_EQ(run.log.accesses[0].second[0], 8u);
}

TEST(Machine, ModuleVariablesHoldTheirInitialValues) {
  OneLaunch run(
      std::string(
          "mov.u64 %rd3, table;\nmul.wide.u32 %rd4, %r0, 4;\nadd.s64 %rd3, %rd3, %rd4;\nld.const.u32 %r5, [%rd3];\n") +
          kStoreR5,
      {4, 1, 1}, {1, 1, 1}, 0, ".const .align 4 .u32 table[4] = {5, 6, 7, 8};\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), ElementsAre(5u, 6u, 7u, 8u));
}

TEST(Machine, AnInitialValueMayBeTheAddressOfAnother) {
  OneLaunch run(
      std::string("mov.u64 %rd3, pointer;\nld.global.u64 %rd3, [%rd3];\nld.global.u32 %r5, [%rd3+4];\n") + kStoreR5,
      {1, 1, 1}, {1, 1, 1}, 0, ".global .align 4 .u32 table[2] = {5, 6};\n.global .align 8 .u64 pointer = table;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), ElementsAre(6u));
}

TEST(Machine, EndlessLoopEndsAtTheStepBudget) {
  OneLaunch run("LOOP:\nbra LOOP;\n");
  EXPECT_EQ(run.go(100'000), Outcome::StepBudget);
}

TEST(Machine, CancelEndsAnEndlessLoop) {
  OneLaunch run("LOOP:\nbra LOOP;\n");
  ASSERT_TRUE(run.program);
  const std::atomic<bool> cancel = true;
  RunOptions options;
  options.cancel = &cancel;
  EXPECT_EQ(Machine(*run.program, run.launch, run.memory).run_block(0, options), Outcome::Cancelled);
}

TEST(Machine, AWarpThatWaitsInALoopForAnotherSeesItMove) {
  OneLaunch run(
      std::string("setp.ge.u32 %p1, %r0, 32;\n@%p1 bra SET;\nWAIT:\nld.volatile.shared.u32 %r5, [0];\nsetp.ne.u32 %p2, "
                  "%r5, 55;\n"
                  "@%p2 bra WAIT;\nbra END;\nSET:\nmov.u32 %r5, 55;\nst.volatile.shared.u32 [0], %r5;\nEND:\n") +
          kStoreR5,
      {64, 1, 1}, {1, 1, 1}, 16);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[0], 55u);
}

TEST(Machine, TrapEndsTheRun) {
  OneLaunch run("setp.eq.u32 %p1, %r0, 3;\n@%p1 trap;\n");
  EXPECT_EQ(run.go(), Outcome::Trapped);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].lanes, 8u);
}

TEST(Machine, RegistersThatALaneNeverWroteAreSaidOnce) {
  OneLaunch run(
      std::string("setp.lt.u32 %p1, %r0, 16;\n@%p1 mov.u32 %r6, 1;\nadd.u32 %r5, %r6, 1;\nadd.u32 %r5, %r6, 2;\n") +
      kStoreR5);
  ASSERT_EQ(run.go(1000, true), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::UninitialisedRegister);
  EXPECT_EQ(run.log.faults[0].lanes, 0xffff0000u);
  EXPECT_EQ(run.log.faults[0].detail, "%r6");
}

TEST(Machine, AsyncCopyLandsWhenItIsWaitedFor) {
  OneLaunch run(
      std::string("st.global.u32 [%rd1], %r0;\nshl.b32 %r1, %r0, 2;\nst.shared.u32 [%r1], -1;\n"
                  "cp.async.ca.shared.global [%r1], [%rd1], 4;\ncp.async.commit_group;\nld.shared.u32 %r6, [%r1];\n"
                  "cp.async.wait_group 0;\nld.shared.u32 %r5, [%r1];\nsub.u32 %r5, %r5, %r6;\n") +
          kStoreR5,
      {32, 1, 1}, {1, 1, 1}, 128);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[9], 10u);  // 9 - (-1): the first load still saw the old value.
}

TEST(Machine, MbarrierWaitsForItsArrivals) {
  OneLaunch run(std::string("setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [0], 64;\nbar.sync 0;\n"
                            "mbarrier.arrive.shared.b64 %rd5, [0];\nWAIT:\nmbarrier.try_wait.shared.b64 %p2, [0], "
                            "%rd5;\n@!%p2 bra WAIT;\n"
                            "mov.u32 %r5, 5;\n") +
                    kStoreR5,
                {64, 1, 1}, {1, 1, 1}, 8);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.out()[50], 5u);
}

TEST(Machine, TheSameBlockDoesTheSameEveryTime) {
  OneLaunch run(kExchange + kStoreR5, {64, 1, 1}, {1, 1, 1}, 256);
  ASSERT_EQ(run.go(), Outcome::Finished);
  const auto first = run.log.accesses;
  run.log = {};
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.accesses.size(), first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(run.log.accesses[i].first.at.warp_step, first[i].first.at.warp_step);
    EXPECT_EQ(run.log.accesses[i].second, first[i].second);
  }
}

TEST(Machine, WarpStepsNumberTheInstructionsOfAWarp) {
  OneLaunch run(kExchange + kStoreR5, {64, 1, 1}, {1, 1, 1}, 256);
  ASSERT_EQ(run.go(), Outcome::Finished);
  // ld.param, three more, shl, then the store is the sixth instruction; the barrier the seventh.
  EXPECT_EQ(run.log.accesses[0].first.at.warp_step, 5u);
  EXPECT_EQ(run.log.syncs[0].at.warp_step, 6u);
}

TEST(Machine, UnknownEntryNamesTheNearest) {
  Result<ptx::Module> module =
      ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry gemm()\n{\nret;\n}\n", "t.ptx");
  ASSERT_TRUE(module);
  const auto built = Program::build(*module, "gem");
  ASSERT_FALSE(built);
  EXPECT_THAT(built.errors()[0].message.text(), testing::HasSubstr("gemm"));
}

// __shfl_down_sync(0xff << (threadIdx.x & 24), v, 4, 8)
TEST(Machine, GroupsOfAWarpMayNameMasksOfTheirOwn) {
  OneLaunch run(std::string("and.b32 %r1, %r0, 24;\nmov.u32 %r2, 255;\nshl.b32 %r2, %r2, %r1;\n"
                            "shfl.sync.down.b32 %r5, %r0, 4, 6175, %r2;\n") +
                kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_TRUE(run.log.faults.empty());
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.out()[i], i % 8 < 4 ? i + 4 : i);
  ASSERT_EQ(run.log.syncs.size(), 4U);
  EXPECT_EQ(run.log.syncs[1].members, 0xff00U);
  EXPECT_EQ(run.log.syncs[1].at.active, 0xff00U);
}

// The odd lanes of each group take another path to the barrier: no group is complete when the even ones arrive.
TEST(Machine, GroupsWaitForTheirOwnMembersOnly) {
  OneLaunch run(std::string("and.b32 %r1, %r0, 24;\nmov.u32 %r2, 255;\nshl.b32 %r2, %r2, %r1;\n"
                            "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 1;\nmov.u32 %r5, 1;\n@%p1 bra ODD;\n"
                            "bar.warp.sync %r2;\nbra DONE;\nODD:\nmov.u32 %r5, 2;\nbar.warp.sync %r2;\nDONE:\n") +
                kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_TRUE(run.log.faults.empty());
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(run.out()[i], i % 2 + 1);
}

TEST(Machine, AShuffleFromALaneThatHasExitedIsAFault) {
  OneLaunch run(std::string("setp.ge.u32 %p1, %r0, 16;\n@%p1 ret;\nshfl.sync.down.b32 %r5, %r0, 12, 31, -1;\n") +
                kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 1U);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::IncompleteWarpSync);
  EXPECT_EQ(run.log.faults[0].lanes, 0xfff0U);
}

TEST(Machine, VprintfReturnsItsArgumentsCount) {
  OneLaunch run(
      std::string("{\n.local .align 8 .b8 buffer[8];\n.param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\n"
                  "mov.u64 %rd3, fmt;\ncvta.global.u64 %rd3, %rd3;\nst.local.u32 [buffer], %r0;\n"
                  "mov.u64 %rd4, buffer;\ncvta.local.u64 %rd4, %rd4;\nst.param.b64 [param0], %rd3;\n"
                  "st.param.b64 [param1], %rd4;\ncall.uni (retval0), vprintf, (param0, param1);\n"
                  "ld.param.b32 %r5, [retval0];\n}\n") +
          kStoreR5,
      {2, 1, 1}, {1, 1, 1}, 0,
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 fmt[4] = {37, 100, 10, 0};\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), ElementsAre(1, 1));
  const auto& accesses = run.log.accesses;  // ..., the result is stored, and loaded, and the store to `out`
  ASSERT_GE(accesses.size(), 3U);
  const auto& [store, stored_at] = accesses[accesses.size() - 3];
  const auto& [load, loaded_at] = accesses[accesses.size() - 2];
  EXPECT_EQ(store.kind, trace::AccessKind::Store);
  EXPECT_EQ(store.space, Space::Local);
  EXPECT_EQ(store.bytes, 4);
  EXPECT_EQ(load.kind, trace::AccessKind::Load);
  EXPECT_EQ(stored_at[1], loaded_at[1]);
}

TEST(Machine, AConstantPredicateHoldsForAllLanes) {
  OneLaunch run(std::string("mov.pred %p1, -1;\nmov.pred %p2, 0;\nselp.u32 %r5, 1, 0, %p1;\nselp.u32 %r6, 2, 0, %p2;\n"
                            "or.b32 %r5, %r5, %r6;\n") +
                kStoreR5);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), testing::Each(1u));
}

TEST(Machine, LocalMemoryIsLimitedAsOnADevice) {
  const auto build = [](const std::string& bytes) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
        ".local .align 4 .b8 a[" +
        bytes + "];\nret;\n}\n";
    return Program::build(*ptx::parse(text, "test.ptx"), "k");
  };
  EXPECT_TRUE(build("524288"));
  for (const char* bytes : {"524292", "200000000", "4294967296"}) {
    const auto built = build(bytes);
    ASSERT_FALSE(built) << bytes;
    EXPECT_THAT(built.errors()[0].message.text(),
                testing::HasSubstr(std::string(bytes) + " bytes of local memory; a GPU gives it at most 524288"));
  }
}

constexpr const char* kHeap =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";

// malloc(bytes) into the register.
std::string call_malloc(const std::string& bytes, const std::string& result) {
  return "{\n.param .b64 param0;\n.param .b64 retval0;\nst.param.b64 [param0], " + bytes +
         ";\ncall.uni (retval0), malloc, (param0);\nld.param.b64 " + result + ", [retval0];\n}\n";
}
std::string call_free(const std::string& address) {
  return "{\n.param .b64 param0;\nst.param.b64 [param0], " + address + ";\ncall.uni free, (param0);\n}\n";
}

TEST(Machine, EachThreadGetsItsOwnMemoryFromMalloc) {
  OneLaunch run(call_malloc("8", "%rd3") + "st.u32 [%rd3+4], %r0;\nbar.sync 0;\nld.u32 %r5, [%rd3+4];\n" + kStoreR5 +
                    call_free("%rd3") + call_malloc("0", "%rd4") + call_free("%rd4"),
                {64, 1, 1}, {1, 1, 1}, 0, kHeap);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_TRUE(run.log.faults.empty());
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(run.out()[i], i);
}

TEST(Machine, MemoryOfMallocEndsWhereItEndsAndWhenItIsFreed) {
  OneLaunch run(call_malloc("8", "%rd3") + "st.u32 [%rd3+4], %r0;\nst.u32 [%rd3+8], %r0;\n" + call_free("%rd3") +
                    "st.u32 [%rd3+4], %r0;\n",
                {1, 1, 1}, {1, 1, 1}, 0, kHeap);
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 2u) << "past its end, and after free()";
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::OutOfBounds);
  EXPECT_EQ(run.log.faults[1].kind, FaultKind::OutOfBounds);
}

// The same instruction must no longer find the freed block.
TEST(Machine, AFreedBlockIsNotFoundAgain) {
  OneLaunch run(call_malloc("8", "%rd3") +
                    "mov.u32 %r1, 0;\nLOOP:\nst.global.u32 [%rd3], %r0;\n"
                    "setp.eq.u32 %p1, %r1, 1;\n@%p1 bra DONE;\nmov.u32 %r1, 1;\n" +
                    call_free("%rd3") + "bra LOOP;\nDONE:\n",
                {1, 1, 1}, {1, 1, 1}, 0, kHeap);
  ASSERT_EQ(run.go(), Outcome::Finished);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::OutOfBounds);
}

TEST(Machine, TheHeapHasAnEnd) {
  OneLaunch run(call_malloc("5000000", "%rd3") + call_malloc("5000000", "%rd4") +
                    "setp.eq.u64 %p1, %rd4, 0;\nselp.u32 %r5, 1, 0, %p1;\nsetp.eq.u64 %p1, %rd3, 0;\n"
                    "selp.u32 %r5, 2, %r5, %p1;\n" +
                    kStoreR5,
                {1, 1, 1}, {1, 1, 1}, 0, kHeap);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), ElementsAre(1));
}

TEST(Machine, FreeingTwiceIsATrapThatSaysSo) {
  OneLaunch run(call_malloc("8", "%rd3") + call_free("%rd3") + call_free("%rd3"), {1, 1, 1}, {1, 1, 1}, 0, kHeap);
  ASSERT_EQ(run.go(), Outcome::Trapped);
  ASSERT_EQ(run.log.faults.size(), 1u);
  EXPECT_EQ(run.log.faults[0].kind, FaultKind::Trap);
  EXPECT_THAT(run.log.faults[0].detail, testing::HasSubstr("malloc() did not give or which is free already"));
}

// The parts of grid.sync(): a counter that the blocks add to, and thread 0 waiting until its top bit flips.
const std::string kGridSync =
    "{\nmov.u32 %r10, %envreg2;\nmov.u32 %r11, %envreg1;\ncvt.u64.u32 %rd10, %r10;\ncvt.u64.u32 %rd11, %r11;\n"
    "bfi.b64 %rd12, %rd11, %rd10, 32, 32;\nsetp.ne.s64 %p5, %rd12, 0;\n@!%p5 trap;\nbarrier.sync 0;\n"
    "setp.ne.u32 %p6, %r0, 0;\n@%p6 bra SYNCED;\nmov.u32 %r12, %nctaid.x;\nmov.u32 %r13, %ctaid.x;\n"
    "setp.eq.u32 %p7, %r13, 0;\nsub.s32 %r14, -2147483647, %r12;\nselp.b32 %r15, %r14, 1, %p7;\n"
    "atom.add.release.gpu.u32 %r16, [%rd12+4], %r15;\nWAIT:\nld.acquire.gpu.u32 %r17, [%rd12+4];\n"
    "xor.b32 %r18, %r17, %r16;\nsetp.gt.s32 %p8, %r18, -1;\n@%p8 bra WAIT;\nSYNCED:\nbarrier.sync 0;\n}\n";

// Every block writes its number, then reads that of the last block less its own.
OneLaunch cooperative_launch() {
  return OneLaunch(
      "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd0, %rd3;\n"
      "st.global.u32 [%rd3], %r1;\n" +
          kGridSync +
          "mov.u32 %r2, %nctaid.x;\nsub.u32 %r3, %r2, %r1;\nsub.u32 %r3, %r3, 1;\n"
          "mul.wide.u32 %rd4, %r3, 4;\nadd.s64 %rd4, %rd0, %rd4;\nld.global.u32 %r5, [%rd4];\n"
          "st.global.u32 [%rd3+16], %r5;\n",
      {2, 1, 1}, {4, 1, 1});
}

TEST(Machine, BlocksOfACooperativeLaunchWaitForOneAnother) {
  OneLaunch run = cooperative_launch();
  ASSERT_TRUE(run.program->is_cooperative());
  Machine machine(*run.program, run.launch, run.memory);
  RunOptions options;
  options.step_budget = 100'000;
  const Machine::GridEnd end = machine.run_together({&run.log, &run.log, nullptr, &run.log}, options);
  EXPECT_EQ(end.outcome, Outcome::Finished);
  EXPECT_TRUE(run.log.faults.empty());
  EXPECT_THAT(run.out(), ElementsAre(0, 1, 2, 3, 3, 2, 1, 0));
  EXPECT_EQ(machine.counts().warp_executions[0], 3u) << "of the blocks that someone observes";
}

TEST(Machine, AloneABlockOfACooperativeLaunchTraps) {
  OneLaunch run = cooperative_launch();
  EXPECT_EQ(run.go(), Outcome::Trapped);
  OneLaunch other("trap;\n");
  EXPECT_FALSE(other.program->is_cooperative());
}

// Every block but the last waits for the next one's word before it writes its own.
OneLaunch chain(uint32_t blocks, const std::string& read) {
  return OneLaunch(
      "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd3, %rd0, %rd3;\n"
      "mov.u32 %r2, %nctaid.x;\nsub.u32 %r2, %r2, 1;\nmov.u32 %r5, 7;\n"
      "setp.eq.u32 %p1, %r1, %r2;\n@%p1 bra WRITE;\nWAIT:\n" +
          read +
          "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\nadd.u32 %r5, %r5, 1;\nWRITE:\n"
          "st.volatile.global.u32 [%rd3], %r5;\n",
      {1, 1, 1}, {blocks, 1, 1});
}
constexpr const char* kReads[] = {"ld.volatile.global.u32 %r5, [%rd3+4];\n", "atom.global.add.u32 %r5, [%rd3+4], 0;\n"};

Machine::GridEnd run_with_companions(OneLaunch& run, uint64_t at_once) {
  uint32_t begun = 0;
  const auto next = [&]() -> std::optional<Companions::Companion> {
    if (begun + 1 == run.launch.grid.count()) return std::nullopt;
    return Companions::Companion{++begun, &run.log};
  };
  RunOptions options;
  options.observer = &run.log;
  options.step_budget = 200'000;
  return Machine(*run.program, run.launch, run.memory).run_block(0, options, {next, at_once});
}

TEST(Machine, BlocksRunBesideOneThatWaitsForThem) {
  for (const char* read : kReads) {
    OneLaunch run = chain(6, read);
    EXPECT_TRUE(run.program->blocks_interact());
    EXPECT_EQ(run_with_companions(run, 0).outcome, Outcome::Finished);
    EXPECT_THAT(run.out(), ElementsAre(12, 11, 10, 9, 8, 7));
    EXPECT_EQ(chain(6, read).go(), Outcome::StepBudget) << "without them";
  }
}

TEST(Machine, NoMoreBlocksRunBesideOneThanAtOnce) {
  OneLaunch enough = chain(6, kReads[0]);
  EXPECT_EQ(run_with_companions(enough, 6).outcome, Outcome::Finished);
  OneLaunch too_few = chain(6, kReads[0]);
  EXPECT_EQ(run_with_companions(too_few, 5).outcome, Outcome::StepBudget);
}

TEST(Machine, ABlockThatDoesMoreThanWaitRunsAlone) {
  // It counts to 100 000 in its own word, and reads it each time as another block might write it.
  OneLaunch run(
      "mov.u32 %r1, 0;\nst.global.u32 [%rd0], %r1;\nLOOP:\nld.volatile.global.u32 %r5, [%rd0];\n"
      "add.u32 %r5, %r5, 1;\nst.volatile.global.u32 [%rd0], %r5;\n"
      "setp.lt.u32 %p1, %r5, 100000;\n@%p1 bra LOOP;\n",
      {1, 1, 1}, {2, 1, 1});
  RunOptions options;
  const auto none = []() -> std::optional<Companions::Companion> {
    ADD_FAILURE();
    return std::nullopt;
  };
  Machine machine(*run.program, run.launch, run.memory);
  EXPECT_EQ(machine.run_block(0, options, {none, 0}).outcome, Outcome::Finished);
}

TEST(Machine, PrintfIsKept) {
  OneLaunch run(
      "{\n.local .align 8 .b8 buffer[8];\n.param .b64 param0;\n.param .b64 param1;\n.param .b32 retval0;\nmov.u64 "
      "%rd3, fmt;\ncvta.global.u64 %rd3, %rd3;\n"
      "st.local.u32 [buffer], %r0;\nmov.u64 %rd4, buffer;\ncvta.local.u64 %rd4, %rd4;\n"
      "st.param.b64 [param0], %rd3;\nst.param.b64 [param1], %rd4;\ncall.uni (retval0), vprintf, (param0, param1);\n}\n",
      {2, 1, 1}, {1, 1, 1}, 0,
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".global .align 1 .b8 fmt[10] = {116, 37, 100, 32, 49, 48, 48, 37, 37, 0};\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_EQ(run.printed, "t0 100%t1 100%");
}

}  // namespace
}  // namespace tilescope::emulator
