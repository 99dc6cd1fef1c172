#include "analysis/retried_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/module.h"

namespace tilescope::analysis {
namespace {
using testing::ElementsAre;

/// The lines of PTX that are polling loads, from 0, in a kernel with `body`.
std::vector<size_t> polls(const std::string& body) {
  const auto module = ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_0) {\n"
      ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n" +
          body + "}\n",
      "test");
  EXPECT_TRUE(module) << to_string(module.errors());
  std::vector<size_t> pcs;
  const std::vector<bool> found = loads_that_poll(module->functions.front());
  for (size_t pc = 0; pc < found.size(); ++pc)
    if (found[pc]) pcs.push_back(pc);
  return pcs;
}

TEST(LoadsThatPoll, AreVolatileOfOneAddressAndEndTheirLoop) {
  EXPECT_THAT(polls("ld.param.u64 %rd1, [k_0];\n"
                    "L: ld.volatile.global.u32 %r1, [%rd1];\n"
                    "setp.eq.s32 %p1, %r1, 0;\n"
                    "@%p1 bra L;\n"
                    "ld.volatile.global.u32 %r2, [%rd1+4];\n"
                    "ret;\n"),
              ElementsAre(1U));
}

TEST(LoadsThatPoll, MayStandBeforeTheLoopToo) {
  EXPECT_THAT(polls("ld.param.u64 %rd1, [k_0];\n"
                    "ld.volatile.global.u32 %r1, [%rd1];\n"
                    "setp.ne.s32 %p1, %r1, 0;\n"
                    "@%p1 bra E;\n"
                    "L: ld.volatile.global.u32 %r2, [%rd1];\n"
                    "and.b32 %r3, %r2, 255;\n"
                    "setp.eq.s32 %p2, %r3, 0;\n"
                    "@%p2 bra L;\n"
                    "E: ret;\n"),
              ElementsAre(1U, 4U));
}

TEST(LoadsThatPoll, AreNotThoseOfAnArrayNorPlainOnesNorSums) {
  const auto body = [](const std::string& load, const std::string& step) {
    return "ld.param.u64 %rd1, [k_0];\nmov.u32 %r3, 0;\nL: " + load + " %r1, [%rd1];\n" + step +
           "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra L;\nret;\n";
  };
  EXPECT_THAT(polls(body("ld.volatile.global.u32", "")), ElementsAre(2U));
  EXPECT_THAT(polls(body("ld.global.u32", "")), ElementsAre());
  EXPECT_THAT(polls(body("ld.volatile.global.u32", "add.s64 %rd1, %rd1, 4;\n")), ElementsAre());
  EXPECT_THAT(polls("ld.param.u64 %rd1, [k_0];\n"
                    "mov.u32 %r3, 0;\n"
                    "L: ld.volatile.global.u32 %r1, [%rd1];\n"
                    "add.s32 %r2, %r2, %r1;\n"
                    "add.s32 %r3, %r3, 1;\n"
                    "setp.lt.s32 %p1, %r3, 9;\n"
                    "@%p1 bra L;\n"
                    "ret;\n"),
              ElementsAre());
}

}  // namespace
}  // namespace tilescope::analysis
