#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "program/executable.h"
#include "program/parameter_names.h"
#include "program/usable_ptx.h"

namespace tilescope::program {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ParameterNames, AreThoseOfTheKernel) {
  const std::string source =
      "void add(int no);\n"
      "template <class T, int N>\n"
      "__global__ void __launch_bounds__(256, 2) add(const T* __restrict__ a, float (&b)[4], Pair<int, int> p,\n"
      "                                              int n = f(1, 2), float c[])\n"
      "{ }\n"
      "int main() { add<<<1, 2>>>(x, y); }\n";
  EXPECT_THAT(parameter_names(source, "add"), ElementsAre("a", "b", "p", "n", "c"));
  EXPECT_THAT(parameter_names(source, "main"), IsEmpty());
  EXPECT_THAT(parameter_names(source, "ad"), IsEmpty());
  EXPECT_THAT(parameter_names("__global__ void none() {}", "none"), IsEmpty());
  EXPECT_THAT(parameter_names("__global__ void open(int a", "open"), IsEmpty());
}

constexpr const char* kOneGoodKernel = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry good()
{
  .reg .b32 %r<2>;
  // begin inline asm
{
  mov.u32 %r1, 4;
}
  // end inline asm
  ret;
}
.func (.param .b32 r) helper()
{
  .reg .b32 %r<2>;
  frobnicate.u32 %r1, 4;
  ret;
}
.visible .entry bad()
{
  .reg .b32 %r<2>;
  frobnicate.u32 %r1, 4;
  ret;
}
.visible .entry with_lines()
{
  .reg .b32 %r<2>;
  .loc 1 7 3
  frobnicate.u32 %r1, 4;
  ret;
}
.file 1 "/tmp/x.cu"
)";

TEST(UsablePtx, BadKernelsLeaveTheOthers) {
  const Result<UsablePtx> usable = parse_usable(kOneGoodKernel, "x.ptx");
  ASSERT_TRUE(usable);
  ASSERT_EQ(usable->module.functions.size(), 1U);
  EXPECT_EQ(usable->module.functions[0].name, "good");
  ASSERT_TRUE(usable->left_out.contains("bad"));
  EXPECT_TRUE(usable->left_out.contains("helper"));
  EXPECT_EQ(usable->left_out.at("bad").front().at.line, 23);
  ASSERT_TRUE(usable->left_out.contains("with_lines"));
  EXPECT_EQ(usable->left_out.at("with_lines").front().at, (Location{"/tmp/x.cu", 7, 0}));
}

TEST(UsablePtx, AnErrorOutsideOfFunctionsStays) { EXPECT_FALSE(parse_usable("nonsense", "x.ptx")); }

TEST(Executable, WhatCannotBeRunIsSaid) {
  EXPECT_THAT(to_string(check_executable("x", "#!/bin/sh\n")), HasSubstr("is not a program for this machine"));
  EXPECT_THAT(to_string(check_executable("x", "")), HasSubstr("is not a program for this machine"));
  const Result<std::string> program = read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(program);
  EXPECT_THAT(check_executable("x", *program), IsEmpty());
  for (size_t size = 0; size < program->size(); size = size * 2 + 1)
    (void)check_executable("x", std::string_view(*program).substr(0, size));  // Never a crash.
}

}  // namespace
}  // namespace tilescope::program
