// Blocks of a cluster: their ranks, one another's shared memory, their barrier, and copies that go to all of them.

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/emulator.h"

namespace tilescope::emulator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct ClusterFaults : trace::Observer {
  std::vector<std::string> seen;
  void fault(const trace::Fault& fault) override { seen.push_back(fault.detail.text()); }
};

/// Four blocks of four threads in clusters of two. Of a thread %r0 is its number, %r1 its block's, %r2 that in the
/// cluster, %r3 that of the cluster's other block, %r4 the shared address of its word of s, %rd1 the address of its
/// word of `out`; %p1 says that it is thread 0.
struct ClusterLaunch {
  explicit ClusterLaunch(const std::string& body) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".global .align 16 .b32 source[4] = {7, 8, 9, 10};\n"
        ".visible .entry k(.param .u64 out)\n.explicitcluster\n.reqnctapercluster 2\n{\n"
        ".shared .align 16 .b8 s[64];\n.shared .align 8 .b64 bar;\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .b16 %h<3>;\n"
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %cluster_ctarank;\nxor.b32 %r3, %r2, 1;\n"
        "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r4, %r4, %r5;\nmov.u32 %r6, bar;\n"
        "mad.lo.u32 %r7, %r1, 4, %r0;\nld.param.u64 %rd0, [out];\nmul.wide.u32 %rd1, %r7, 4;\nadd.s64 %rd1, %rd0, "
        "%rd1;\n"
        "setp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p2, %r2, 0;\n" +
        body + "ret;\n}\n";
    Result<ptx::Module> module = ptx::parse(text, "test.ptx");
    EXPECT_TRUE(module) << to_string(module.errors());
    if (!module) return;
    Result<std::shared_ptr<const Program>> built = Program::build(*module, "k");
    EXPECT_TRUE(built) << to_string(built.errors());
    if (!built) return;
    program = *built;
    Allocation out;
    out.name = "out";
    out.bytes = 64;
    const uint64_t base = *memory.allocate(out, 0);
    EXPECT_TRUE(place_module_variables(*program, memory));
    launch.block = {4, 1, 1};
    launch.grid = {4, 1, 1};
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &base, 8);
  }

  Outcome go() {
    if (!program) return Outcome::Trapped;
    RunOptions options;
    options.step_budget = 100'000;
    return Machine(*program, launch, memory).run_together({&faults, &faults, &faults, &faults}, options).outcome;
  }
  std::vector<uint32_t> out() const {
    std::vector<uint32_t> words(16);
    std::memcpy(words.data(), memory.bytes(0).data(), 64);
    return words;
  }

  std::shared_ptr<const Program> program;
  Launch launch;
  GlobalMemory memory;
  ClusterFaults faults;
};

const std::string kMeet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n",
                  kStore = "st.global.u32 [%rd1], %r10;\n";

TEST(Cluster, BlocksReadOneAnothersSharedMemoryOnceTheyHaveMet) {
  ClusterLaunch run("mad.lo.u32 %r8, %r1, 10, %r0;\nst.shared.u32 [%r4], %r8;\n" + kMeet +
                    "mapa.shared::cluster.u32 %r9, %r4, %r3;\nld.shared::cluster.u32 %r10, [%r9];\n" + kMeet + kStore);
  ASSERT_TRUE(run.program->runs_together());
  ASSERT_FALSE(run.program->is_cooperative());
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.faults.seen, IsEmpty());
  EXPECT_THAT(run.out(), ElementsAre(10, 11, 12, 13, 0, 1, 2, 3, 30, 31, 32, 33, 20, 21, 22, 23));
}

TEST(Cluster, TheSpecialRegistersSayWhereABlockIs) {
  ClusterLaunch run(
      "mov.u32 %r10, %cluster_ctaid.x;\nmov.u32 %r11, %cluster_nctaid.x;\nmov.u32 %r12, %clusterid.x;\n"
      "mov.u32 %r13, %nclusterid.x;\nmov.u32 %r14, %cluster_nctarank;\n"
      "mad.lo.u32 %r10, %r10, 10, %r11;\nmad.lo.u32 %r10, %r10, 10, %r12;\nmad.lo.u32 %r10, %r10, 10, %r13;\n"
      "mad.lo.u32 %r10, %r10, 10, %r14;\n@%p1 st.global.u32 [%rd1], %r10;\n");
  ASSERT_EQ(run.go(), Outcome::Finished);
  const std::vector<uint32_t> out = run.out();
  EXPECT_THAT((std::vector{out[0], out[4], out[8], out[12]}), ElementsAre(2022, 12022, 2122, 12122));
}

TEST(Cluster, AGenericAddressIsMappedToo) {
  ClusterLaunch run(
      "mad.lo.u32 %r8, %r1, 10, %r0;\nst.shared.u32 [%r4], %r8;\ncvt.u64.u32 %rd2, %r4;\n"
      "cvta.shared.u64 %rd2, %rd2;\n" +
      kMeet +
      "mapa.u64 %rd3, %rd2, %r3;\nld.u32 %r10, [%rd3];\ngetctarank.u64 %r11, %rd3;\n"
      "mad.lo.u32 %r10, %r11, 100, %r10;\n" +
      kMeet + kStore);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.faults.seen, IsEmpty());
  EXPECT_THAT(run.out(), ElementsAre(110, 111, 112, 113, 0, 1, 2, 3, 130, 131, 132, 133, 20, 21, 22, 23));
}

TEST(Cluster, ABlockArrivesAtTheMbarrierOfAnother) {
  ClusterLaunch run(
      "@%p1 mbarrier.init.shared::cta.b64 [%r6], 4;\n" + kMeet +
      "mapa.shared::cluster.u32 %r9, %r4, %r3;\nmad.lo.u32 %r8, %r1, 10, %r0;\nst.shared::cluster.u32 [%r9], %r8;\n"
      "mapa.shared::cluster.u32 %r9, %r6, %r3;\nmbarrier.arrive.shared::cluster.b64 _, [%r9];\n"
      "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;\n@!%p3 bra AGAIN;\n"
      "ld.shared.u32 %r10, [%r4];\n" +
      kStore);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.faults.seen, IsEmpty());
  EXPECT_THAT(run.out(), ElementsAre(10, 11, 12, 13, 0, 1, 2, 3, 30, 31, 32, 33, 20, 21, 22, 23));
}

// Four arrivals at a barrier of two whose bytes never come: PTX keeps the pending count, which no arrival may pass zero
// with.
TEST(Cluster, ArrivalsThatAreTooManyAreSaidToBe) {
  ClusterLaunch run("@%p1 mbarrier.init.shared::cta.b64 [%r6], 2;\n" + kMeet +
                    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;\n"
                    "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r6];\n"
                    "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;\n@!%p3 bra AGAIN;\n");
  run.go();
  EXPECT_THAT(run.faults.seen, testing::Contains("2 arrivals too many, 16 bytes missing"));
}

TEST(Cluster, AMulticastCopyGoesToEveryBlockOfItsMask) {
  const std::string copy =
      "@%p1 mbarrier.init.shared::cta.b64 [%r6], 1;\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;\n" +
      kMeet +
      "mov.u32 %r12, s;\nmov.u64 %rd2, source;\nmov.u16 %h0, MASK;\nand.pred %p4, %p1, %p2;\n"
      "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd2], 16, "
      "[%r6], "
      "%h0;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;\n@!%p3 bra AGAIN;\n"
      "ld.shared.u32 %r10, [%r4];\n" +
      kMeet + kStore;
  const auto with_mask = [&](const char* mask) {
    std::string text = copy;
    return text.replace(text.find("MASK"), 4, mask);
  };
  ClusterLaunch run(with_mask("3"));
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.faults.seen, IsEmpty());
  EXPECT_THAT(run.out(), ElementsAre(7, 8, 9, 10, 7, 8, 9, 10, 7, 8, 9, 10, 7, 8, 9, 10));
  ClusterLaunch too_far(with_mask("7"));
  too_far.go();
  EXPECT_THAT(too_far.faults.seen, testing::Contains("its mask names block 2 of the cluster, which has 2"));
}

TEST(Cluster, ThreadsThatHaveExitedHaveArrived) {
  ClusterLaunch run("@%p2 bra ON;\nret;\nON:\n" + kMeet + "mov.u32 %r10, 5;\n" + kStore);
  ASSERT_EQ(run.go(), Outcome::Finished);
  EXPECT_THAT(run.out(), ElementsAre(5, 5, 5, 5, 0, 0, 0, 0, 5, 5, 5, 5, 0, 0, 0, 0));
}

}  // namespace
}  // namespace tilescope::emulator
