#include "run/prepare.h"

#include <gtest/gtest.h>

#include "run/launch.h"
#include "run/run.h"

namespace tilescope::run {
namespace {

TEST(SourceName, IsWhatTheSourceCallsIt) {
  EXPECT_EQ(source_name("sgemm"), "sgemm");
  EXPECT_EQ(source_name("_Z5sgemmPfS_S_iii"), "sgemm");
  EXPECT_EQ(source_name("_ZZ5sgemmPfS_S_iiiE2As"), "As");
  EXPECT_EQ(source_name("_Z5sgemmILi64EEvPf"), "sgemm");
  EXPECT_EQ(source_name("_ZN4mine5sgemmEPf"), "sgemm");
}

ptx::Module module_of(const std::string& entries) {
  const Result<ptx::Module> module =
      ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n" + entries, "test.ptx");
  return module ? *module : ptx::Module{};
}

TEST(FindEntry, ByTheNameOfTheSourceOrAlone) {
  const ptx::Module one = module_of(".visible .entry _Z5sgemmPf() { ret; }\n");
  EXPECT_EQ(*find_entry(one, ""), "_Z5sgemmPf");
  EXPECT_EQ(*find_entry(one, "sgemm"), "_Z5sgemmPf");
  EXPECT_EQ(*find_entry(one, "_Z5sgemmPf"), "_Z5sgemmPf");
  EXPECT_EQ(to_string(find_entry(one, "sgem").errors()),
            "error: The source has no __global__ function sgem; it has sgemm.");
}

TEST(FindEntry, TellsInstantiationsOfATemplateApart) {
  const ptx::Module two = module_of(
      ".visible .entry _Z1gILi8ELi4EEvPf() { ret; }\n.visible .entry _Z1gILi16ELi4EEvPf() { ret; }\n"
      ".visible .entry _Z1hv() { ret; }\n");
  EXPECT_EQ(*find_entry(two, "g<16, 4>"), "_Z1gILi16ELi4EEvPf");
  EXPECT_EQ(*find_entry(two, "g<8,4>"), "_Z1gILi8ELi4EEvPf");
  EXPECT_EQ(*find_entry(two, "h"), "_Z1hv");
  EXPECT_EQ(to_string(find_entry(two, "g").errors()),
            "error: The source has 2 __global__ functions (g<8, 4>, g<16, 4>); say in the description which: entry = "
            "\"g<8, 4>\".");
}

TEST(FindEntry, SaysWhenThereIsNoneOrAChoice) {
  EXPECT_EQ(to_string(find_entry(module_of(""), "").errors()),
            "error: The source has no __global__ function. Add one; a template needs an explicit instantiation.");
  const ptx::Module two = module_of(".visible .entry a() { ret; }\n.visible .entry b() { ret; }\n");
  EXPECT_EQ(to_string(find_entry(two, "").errors()),
            "error: The source has 2 __global__ functions (a, b); say in the description which: entry = \"a\".");
}

TEST(SpreadBlocks, TakesTheFirstTheLastAndBetween) {
  EXPECT_EQ(spread_blocks(1, 5), (std::vector<uint32_t>{0}));
  EXPECT_EQ(spread_blocks(4, 9), (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(spread_blocks(101, 3), (std::vector<uint32_t>{0, 50, 100}));
  EXPECT_EQ(spread_blocks(uint64_t{1} << 32, 2), (std::vector<uint32_t>{0, 0xffffffff}));
}

}  // namespace
}  // namespace tilescope::run
