#include "view/access_words.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/module.h"
#include "traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;

/// The warp's instruction number `n` of those whose PTX begins like that.
StepRef find(const run::TracedBlock& traced, uint32_t warp, const std::string& beginning, int n = 0) {
  for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step) {
    const ptx::Instruction& instruction = traced.instruction(traced.timeline.pc({warp, step}));
    const std::string name = std::string(ptx::mnemonic(instruction.op)) + instruction.modifiers;
    if (name.starts_with(beginning) && n-- == 0) return {warp, step};
  }
  ADD_FAILURE() << "no " << beginning;
  return {};
}

/// "opcode | elements | sentence | merging | lanes" without what is empty.
std::string words(const std::string& kernel, uint32_t warp, const std::string& beginning, int n = 0,
                  kernel::Size size = {256, 256, 64}, uint32_t x = 0) {
  const auto traced = traced_of(kernel, size, "", x);
  const InstructionWords said = words_at(*traced, find(*traced, warp, beginning, n));
  std::string all = said.opcode;
  for (const std::string& part : {said.elements, said.sentence, said.merging, said.lanes})
    if (!part.empty()) all += " | " + part;
  return all;
}

TEST(AccessWords, GlobalMemory) {
  EXPECT_EQ(words("1", 0, "ld.global", 0),
            "ld.global.f32 | B[0][0] | 32 lanes read one address: one word, broadcast to all");
  EXPECT_EQ(words("1", 0, "ld.global", 1),
            "ld.global.f32 | A[0…31][0] | 32 sectors, 4 of 32 bytes used in each; coalesced it would be 4");
  EXPECT_EQ(words("2", 0, "ld.global", 0),
            "ld.global.f32 | B[0][0…31] | 4 sectors, all 32 bytes used in each: fully coalesced");
  EXPECT_EQ(words("9", 2, "ld.global", 0),
            "ld.global.f32 | A[8…11][0…7] | 4 sectors, all 32 bytes used in each: fully coalesced");
  EXPECT_EQ(words("9", 2, "st.global", 0),
            "st.global.f32 | C[32, 40][0, 8 … 120] | 32 sectors, 4 of 32 bytes used in each; coalesced it would be 4");
  EXPECT_EQ(words("10", 2, "ld.global.v4", 0),
            "ld.global.v4.f32 | A[32…47][0…7] | 16 sectors, all 32 bytes used in each: fully coalesced");
}

TEST(AccessWords, SharedMemory) {
  EXPECT_EQ(words("4", 2, "st.shared"), "st.shared.f32 | As[2][0…31] | 1 wavefront: 32 words in 32 banks");
  EXPECT_EQ(words("10", 2, "st.shared.v4"),
            "st.shared.v4.u32 | Bs[2][0…127] | 4 wavefronts, the fewest for 16 bytes per lane");
  EXPECT_EQ(
      words("10", 2, "ld.shared", 0),
      "ld.shared.v4.f32 | As[0][32…35, 40…43] | 2 wavefronts: neighbours share addresses, so 16 lanes go at once");
  EXPECT_EQ(words("10", 2, "ld.shared", 2),
            "ld.shared.v4.f32 | Bs[0][0…3, 8…11 … 120…123] | 8 wavefronts instead of 4: 2-way bank conflict of lanes 0 "
            "and 4 in bank "
            "0");
  EXPECT_EQ(
      words("9", 2, "ld.shared", 1),
      "ld.shared.f32 | As[32, 40][0] | 2 wavefronts instead of 1: 2-way bank conflict of lanes 0 and 16 in bank 0");
  EXPECT_EQ(
      words("11", 1, "st.shared"),
      "st.shared.f32 | As[0, 4 … 12][8…15] | 4 wavefronts instead of 1: 4-way bank conflict of lanes 0 to 3 in bank 8");
}

TEST(AccessWords, WhatPtxasMerges) {
  EXPECT_EQ(words("9", 2, "ld.shared", 0),
            "ld.shared.f32 | Bs[0][0, 8 … 120] | 8 wavefronts instead of 4: 2-way bank conflict of lanes 0 and 4 in "
            "bank 0 | one "
            "128-bit load with its three neighbours, by ptxas");
  EXPECT_EQ(words("8", 1, "ld.shared", 0),
            "ld.shared.f32 | As[0][0] | 32 lanes read one address: 4 words, broadcast to all, in 2 wavefronts | one "
            "128-bit load with its three neighbours, by ptxas");
}

TEST(AccessWords, BarriersAndArithmetic) {
  EXPECT_EQ(words("9", 2, "bar.sync"), "bar.sync 0 | warp 2 waits until all 8 warps of the block are here");
  EXPECT_EQ(words("9", 2, "fma"), "fma.rn.f32 | a multiply-add in each of 32 lanes");
  EXPECT_EQ(words("1", 0, "bra"), "bra | all 32 lanes fall through, none branches");
}

TEST(AccessWords, TheBarrierOfACluster) {
  const auto traced = traced_of("24", {256, 256, 64}, "256-4-8-2");
  const auto said = [&](const std::string& opcode) { return words_at(*traced, find(*traced, 4, opcode)).sentence; };
  EXPECT_EQ(said("barrier.cluster.arrive"), "arrives at the barrier of its cluster");
  EXPECT_EQ(said("barrier.cluster.wait"), "has met all threads of its cluster");
}

/// The sentence for each opcode of the kernels before TMA that leaves no record, "opcode | sentence".
std::set<std::string> said_without_record() {
  std::set<std::string> all;
  for (const auto& traced : traced_of_threads_products())
    for (uint32_t step = 0; step < traced->timeline.steps(0); ++step) {
      const auto [first, last] = traced->timeline.records({0, step});
      const InstructionWords said = words_at(*traced, {0, step});
      if (first == last) all.insert(said.opcode + " | " + said.sentence);
    }
  return all;
}

TEST(AccessWords, WhatTheKernelsDoWithoutMemory) {
  EXPECT_THAT(said_without_record(),
              testing::ElementsAre(
                  "add.s32 | integer arithmetic, in 32 lanes", "add.s64 | integer arithmetic, in 32 lanes",
                  "and.b32 | bitwise operation, in 32 lanes", "and.b64 | bitwise operation, in 32 lanes",
                  "bfi.b32 | bitwise operation, in 32 lanes", "cvt.u32.u64 | converts the type, in 32 lanes",
                  "cvt.u64.u32 | converts the type, in 32 lanes",
                  "cvta.to.global.u64 | converts a generic address to global memory, in 32 lanes",
                  "div.s32 | integer arithmetic, in 32 lanes", "div.u32 | integer arithmetic, in 32 lanes",
                  "fma.rn.f32 | a multiply-add in each of 32 lanes",
                  "ld.param.u32 | reads a kernel argument from constant memory: one value for all lanes",
                  "ld.param.u64 | reads a kernel argument from constant memory: one value for all lanes",
                  "mad.lo.s32 | integer arithmetic, in 32 lanes", "max.s32 | integer arithmetic, in 32 lanes",
                  "min.s32 | integer arithmetic, in 32 lanes", "mov.f32 | copies a register, in 32 lanes",
                  "mov.f32 | moves a constant into a register, in 32 lanes", "mov.u32 | copies a register, in 32 lanes",
                  "mov.u32 | moves a constant into a register, in 32 lanes", "mov.u32 | reads %ctaid.x, in 32 lanes",
                  "mov.u32 | reads %ctaid.y, in 32 lanes", "mov.u32 | reads %ntid.x, in 32 lanes",
                  "mov.u32 | reads %ntid.y, in 32 lanes", "mov.u32 | reads each lane's %tid.x, in 32 lanes",
                  "mov.u32 | reads each lane's %tid.y, in 32 lanes", "mov.u64 | copies a register, in 32 lanes",
                  "mov.u64 | moves an address into a register, in 32 lanes",
                  "mul.hi.s32 | integer arithmetic, in 32 lanes", "mul.lo.s32 | integer arithmetic, in 32 lanes",
                  "mul.lo.s64 | integer arithmetic, in 32 lanes", "mul.wide.s32 | integer arithmetic, in 32 lanes",
                  "mul.wide.u32 | integer arithmetic, in 32 lanes", "or.b32 | bitwise operation, in 32 lanes",
                  "or.pred | combines predicates, in 32 lanes", "ret | the kernel ends, for 32 lanes",
                  "selp.b32 | selects by a predicate, in 32 lanes", "setp.eq.s32 | sets a predicate, in 32 lanes",
                  "setp.ge.s32 | sets a predicate, in 32 lanes", "setp.gt.s32 | sets a predicate, in 32 lanes",
                  "setp.lt.s32 | sets a predicate, in 32 lanes", "setp.lt.u32 | sets a predicate, in 32 lanes",
                  "setp.ne.s32 | sets a predicate, in 32 lanes", "shl.b32 | bitwise operation, in 32 lanes",
                  "shl.b64 | bitwise operation, in 32 lanes", "shr.s32 | bitwise operation, in 32 lanes",
                  "shr.u32 | bitwise operation, in 32 lanes", "sub.s32 | integer arithmetic, in 32 lanes",
                  "xor.b32 | bitwise operation, in 32 lanes", "xor.b64 | bitwise operation, in 32 lanes"));
}

TEST(AccessWords, LanesThatTakeNoPart) {
  // 40 rows of C: the second block's first warp has 8 of them.
  const std::string said = words("1", 0, "st.global", 0, {40, 40, 16}, 1);
  EXPECT_EQ(said,
            "st.global.f32 | C[32…39][0] | 8 sectors, 4 of 32 bytes used in each; coalesced it would be 1 | lanes 8 "
            "to 31 take no part");
  EXPECT_TRUE(words("1", 0, "st.global", 0, {31, 40, 16}).ends_with("| lane 31 takes no part"));
}

WarpAccess access_of(Space space, uint32_t bytes, trace::AccessKind kind, uint32_t active,
                     uint64_t (*address)(uint64_t)) {
  WarpAccess access;
  access.kind = kind;
  access.space = space;
  access.bytes = access.own_bytes = bytes;
  access.active = active;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (active >> lane & 1) access.addresses[lane] = address(lane);
  return access;
}

TEST(AccessWords, PatternsThatNoKernelHas) {
  using trace::AccessKind;
  const auto say = [](Space space, uint32_t bytes, AccessKind kind, uint32_t active, uint64_t (*address)(uint64_t)) {
    return sentence_of(access_of(space, bytes, kind, active, address));
  };
  EXPECT_EQ(say(Space::Shared, 4, AccessKind::Load, ~0u, [](uint64_t lane) { return lane * 128; }),
            "32 wavefronts instead of 1: 32-way bank conflict of lanes 0 to 31 in bank 0");
  EXPECT_EQ(say(Space::Shared, 4, AccessKind::Load, ~0u, [](uint64_t lane) { return lane / 16 * 4; }),
            "1 wavefront: 2 words, each broadcast to 16 lanes");
  EXPECT_EQ(say(Space::Shared, 8, AccessKind::Load, ~0u, [](uint64_t lane) { return lane * 8; }),
            "2 wavefronts, the fewest for 8 bytes per lane");
  EXPECT_EQ(say(Space::Shared, 4, AccessKind::Store, ~0u, [](uint64_t) { return uint64_t{64}; }),
            "32 lanes write one address: which value remains is undefined");
  EXPECT_EQ(say(Space::Shared, 4, AccessKind::Load, 0x30u, [](uint64_t lane) { return lane % 2 * 128; }),
            "2 wavefronts instead of 1: 2-way bank conflict of lanes 4 and 5 in bank 0");
  EXPECT_EQ(say(Space::Global, 4, AccessKind::Load, ~0u, [](uint64_t lane) { return 1024 + 16 + lane * 4; }),
            "5 sectors, 16 to 32 of 32 bytes used in each; coalesced it would be 4");
  EXPECT_EQ(say(Space::Global, 4, AccessKind::Load, 1, [](uint64_t) { return uint64_t{1024}; }),
            "1 sector, 4 of 32 bytes used: fully coalesced");
  EXPECT_EQ(say(Space::Global, 4, AccessKind::Atomic, ~0u, [](uint64_t) { return uint64_t{1024}; }),
            "32 atomic operations on global memory; how long lanes wait for one another is not modelled");
  EXPECT_EQ(say(Space::Local, 4, AccessKind::Load, ~0u, [](uint64_t) { return uint64_t{8}; }),
            "local memory, the lanes' words side by side: 4 sectors");
}

// Merged accesses counted once, at their first instruction, are the report's wavefronts.
TEST(AccessWords, WavefrontsAddUpToTheReport) {
  for (const std::string kernel : {"7", "8"}) {
    const auto traced = traced_of(kernel);
    uint64_t loads = 0;
    for (uint32_t warp = 0; warp < traced->timeline.warps(); ++warp) {
      std::map<uint64_t, uint32_t> parts;  // Of the merged access at an address: how many are missing.
      for (const uint32_t record : traced->trace.warp_records(0, warp)) {
        if (traced->trace.kind(record) != trace::RecordKind::Access) continue;
        for (const WarpAccess& access : accesses_at(*traced, {warp, traced->trace.step(record).warp_step})) {
          if (access.space != Space::Shared || !access.is_load()) continue;
          uint32_t& to_come = parts[access.addresses[0]];
          if (to_come == 0) loads += access.banks().wavefronts();
          to_come = (to_come == 0 ? access.merged : to_come) - 1;
        }
      }
    }
    EXPECT_EQ(loads, traced->report.counts.memory.shared_load_merged.wavefronts) << kernel;
  }
}

// Every instruction of every kernel has a sentence, and every access of global memory fits its cost.
TEST(AccessWords, EveryInstructionOfAWarp) {
  for (const auto& traced : every_traced()) {
    const uint32_t steps = std::min(traced->timeline.steps(1), 400u);
    for (uint32_t step = 0; step < steps; ++step) {
      const InstructionWords said = words_at(*traced, {1, step});
      ASSERT_FALSE(said.sentence.empty()) << traced->request().kernel.name << " " << step;
      ASSERT_FALSE(said.opcode.empty());
      for (const WarpAccess& access : accesses_at(*traced, {1, step})) {
        if (access.space != Space::Global) continue;
        const auto cost = analysis::global_cost(access.addresses.data(), access.active, access.bytes);
        ASSERT_EQ(access.sectors().size(), cost.sectors);
        ASSERT_LE(analysis::ideal_sectors(access.sectors()), cost.sectors);
      }
    }
  }
}

TEST(AccessWords, UnderACoverTheyTellNoAnswer) {
  const InstructionWords said{"ld.shared.f32", "As[0][0]", "1 wavefront", "merged", "lane 0 takes part"};
  const auto left = [&](session::HiddenFacts hidden) {
    const InstructionWords words = redacted(said, hidden);
    return words.opcode + "|" + words.elements + "|" + words.sentence + "|" + words.merging + "|" + words.lanes;
  };
  EXPECT_EQ(left({session::Fact::Counts}), "ld.shared.f32|As[0][0]|||");
  EXPECT_EQ(left({session::Fact::Accesses}), "ld.shared.f32||||");
  EXPECT_EQ(left({session::Fact::Resources, session::Fact::Speed, session::Fact::Findings}),
            "ld.shared.f32|As[0][0]|1 wavefront|merged|lane 0 takes part");
}

}  // namespace
}  // namespace tilescope::view
