#include "source/launch_macro.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source/program.h"

namespace tilescope::source {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

TEST(LaunchMacro, ALaunchInAMacroIsReadWhereItIsCalled) {
  const Program program = read_program(R"cuda(
#define BLOCK 128
#define RUN(kernel, n, ...) \
  do { kernel<<<((n) + BLOCK - 1) / BLOCK, BLOCK>>>(__VA_ARGS__); /* then */ \
       check(cudaGetLastError(), #kernel); } while (0)
__global__ void twice(float* x, int n) { x[threadIdx.x] *= 2; }
int main() {
  float* x;
  RUN(twice, 1000,
      x, 1000);
}
)cuda",
                                       {});
  ASSERT_EQ(program.launches.size(), 1U);
  EXPECT_EQ(program.launches[0].kernel, "twice");
  EXPECT_EQ(program.launches[0].line, 9);
  EXPECT_EQ(program.launches[0].block, "BLOCK");
  EXPECT_THAT(program.launches[0].arguments, ElementsAre("x", "1000"));
}

TEST(LaunchMacro, FunctionsThatAMacroMakesLaunchWhatItPastesTogether) {
  const Program program = read_program(R"cuda(
#define BINDING(type, element) \
  void add_##type(element* a, int n) { dim3 block(256); add_##type##_kernel<<<n / 256, block>>>(a, n); }
__global__ void add_f32_kernel(float* a, int n) { a[threadIdx.x] += 1; }
BINDING(f32, float)
)cuda",
                                       {});
  ASSERT_EQ(program.launches.size(), 1U);
  EXPECT_EQ(program.launches[0].kernel, "add_f32_kernel");
}

TEST(LaunchMacro, OtherTextStaysAsItStands) {
  const std::string text = "#define TWICE(x) ((x) * 2)\nint a = TWICE(3);  // TWICE(4)\n";
  EXPECT_EQ(expand_launch_macros(text, {}), text);
  // One that calls itself ends.
  EXPECT_THAT(expand_launch_macros("#define A(k) k<<<1, 1>>>(); A(k)\nvoid f() { A(g) }\n", {}),
              HasSubstr("g<<<1, 1>>>"));
}

TEST(LaunchMacro, OneInAHeaderCounts) {
  const File header{"run.h", "#define GO(k) k<<<4, 32>>>(0)\n", "run.h"};
  const Program program = read_program("__global__ void k(int n) {}\nint main() { GO(k); }\n", {header});
  ASSERT_EQ(program.launches.size(), 1U);
}

}  // namespace
}  // namespace tilescope::source
