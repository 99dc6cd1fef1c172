#include "ptx/control_flow.h"

#include <random>
#include <set>

#include "text.h"

namespace tilescope::ptx {
namespace {

ControlFlow flow_of(std::string_view statements) {
  const Module module = module_of(kernel_text(".reg .pred p; .reg .b32 r; " + std::string(statements)));
  const auto flat = flatten(module, "k");
  return flat ? control_flow(*flat) : ControlFlow{};
}

TEST(ControlFlow, IfAndElseMeetAfterBoth) {
  const ControlFlow flow = flow_of("@p bra ELSE; trap_free: mov.u32 r, 1; bra END; ELSE: mov.u32 r, 2; END: ret;");
  ASSERT_EQ(flow.blocks.size(), 4u);
  EXPECT_EQ(flow.blocks[0].successors, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(flow.blocks[3].predecessors, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(flow.post_dominator, (std::vector<int32_t>{3, 3, 3, -1}));
  EXPECT_EQ(flow.immediate_dominator, (std::vector<int32_t>{-1, 0, 0, 0}));
  EXPECT_EQ(flow.reconvergence(0), 4);
}

TEST(ControlFlow, ALoopIsLeftAtTheInstructionAfterIt) {
  const ControlFlow flow = flow_of("mov.u32 r, 0; TOP: add.u32 r, r, 1; @p bra TOP; ret;");
  EXPECT_EQ(flow.reconvergence(2), 3);
  EXPECT_EQ(flow.blocks[1].predecessors, (std::vector<int32_t>{0, 1}));
}

TEST(ControlFlow, AnEarlyExitMeetsOnlyAtTheEnd) {
  const ControlFlow flow = flow_of("@p bra WORK; exit; WORK: ret;");
  EXPECT_EQ(flow.reconvergence(0), -1);
  const ControlFlow guarded = flow_of("@p exit; mov.u32 r, 1; ret;");
  EXPECT_EQ(guarded.blocks.size(), 2u);
  EXPECT_EQ(guarded.post_dominator, (std::vector<int32_t>{-1, -1}));
}

TEST(ControlFlow, AnIndexedBranchGoesToEachTarget) {
  const ControlFlow flow = flow_of("T: .branchtargets A, B, A; brx.idx r, T; A: mov.u32 r, 1; B: ret;");
  EXPECT_EQ(flow.blocks[0].successors, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(flow.reconvergence(0), 2);
}

TEST(ControlFlow, AnEndlessLoopHasPostDominators) {
  const ControlFlow flow = flow_of("@p bra ODD; TOP: mov.u32 r, 1; @p bra IN; mov.u32 r, 2; IN: bra TOP; ODD: ret;");
  EXPECT_EQ(flow.reconvergence(2), 4);
  EXPECT_EQ(flow.reconvergence(0), -1);
}

TEST(ControlFlow, UnreachableBlocksHaveNoDominator) {
  const ControlFlow flow = flow_of("bra END; mov.u32 r, 1; END: ret;");
  EXPECT_EQ(flow.immediate_dominator, (std::vector<int32_t>{-1, -1, 0}));
}

/// Whether every path from `from` to an exit passes `through`, found by walking all that avoid it.
bool passes(const ControlFlow& flow, const Function& function, int32_t from, int32_t through) {
  std::set<int32_t> seen{from};
  std::vector<int32_t> stack{from};
  while (!stack.empty()) {
    const BasicBlock& block = flow.blocks[static_cast<size_t>(stack.back())];
    stack.pop_back();
    if (function.instructions[static_cast<size_t>(block.last)].op == Op::Ret) return false;
    for (int32_t next : block.successors)
      if (next != through && seen.insert(next).second) stack.push_back(next);
  }
  return true;
}

// Against the definition, on graphs in which every block reaches the exit.
TEST(ControlFlow, PostDominatorsAreThoseOfTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    const int blocks = 3 + static_cast<int>(random() % 9);
    for (int b = 0; b < blocks; ++b)
      text += fmt::format("B{}: @p bra B{};\n", b, random() % static_cast<unsigned>(blocks));
    const Module module = module_of(kernel_text(".reg .pred p;\n" + text + "ret;"));
    const auto flat = flatten(module, "k");
    ASSERT_TRUE(flat);
    const ControlFlow flow = control_flow(*flat);
    for (int32_t b = 0; b < static_cast<int32_t>(flow.blocks.size()); ++b) {
      const int32_t found = flow.post_dominator[static_cast<size_t>(b)];
      int32_t nearest = -1;
      for (int32_t c = 0; c < static_cast<int32_t>(flow.blocks.size()); ++c) {
        if (c == b || !passes(flow, *flat, b, c)) continue;
        if (nearest < 0 || passes(flow, *flat, c, nearest)) nearest = c;
      }
      EXPECT_EQ(found, nearest) << text << "block " << b;
    }
  }
}

}  // namespace
}  // namespace tilescope::ptx
