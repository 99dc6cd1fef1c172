#include "source/program.h"

#include <gtest/gtest.h>

#include "source/host_expression.h"

namespace tilescope::source {
namespace {

TEST(Program, ReadsKernelsWithTheirParameters) {
  const Program program = read_program(
      "namespace n {\ntemplate <typename T, const int BM = 64>\n__global__ void __launch_bounds__(BM * 2)\n"
      "    tile(const T* __restrict__ a, unsigned int n, float *out) { out[0] = a[n]; }\n}\n__global__ void "
      "later(int);\n",
      {});
  ASSERT_EQ(program.kernels.size(), 1U);
  const Kernel& kernel = program.kernels[0];
  EXPECT_EQ(kernel.name, "n::tile");
  EXPECT_EQ(kernel.launch_bounds, "BM * 2");
  ASSERT_EQ(kernel.template_parameters.size(), 2U);
  EXPECT_EQ(kernel.template_parameters[1], (Parameter{"int", "BM", "64", false, true}));
  ASSERT_EQ(kernel.parameters.size(), 3U);
  EXPECT_EQ(kernel.parameters[0], (Parameter{"T", "a", "", true, true}));
  EXPECT_EQ(kernel.parameters[1], (Parameter{"unsigned int", "n", "", false, false}));
  EXPECT_EQ(kernel.parameters[2], (Parameter{"float", "out", "", true, false}));
}

TEST(Program, ReadsAKernelWhoseBracketsAreNotAllClosed) {
  for (const char* text : {"__global__ void add(const float* x, int n) {\n  if (n > 0) {\n    f(x);\n}\n",
                           "__global__ void add(const float* x, int n {\n  f(x);\n}\n",
                           "__global__ void add(const float* x, int n) {\n  f(x[0);\n}\nint main() { return 0; }\n"}) {
    const Program program = read_program(text, {});
    ASSERT_EQ(program.kernels.size(), 1U) << text;
    EXPECT_EQ(program.kernels[0].name, "add");
    ASSERT_EQ(program.kernels[0].parameters.size(), 2U) << text;
    EXPECT_EQ(program.kernels[0].parameters[1].name, "n") << text;
    EXPECT_TRUE(program.kernels[0].body.starts_with("{\n")) << text;
  }
}

TEST(Program, ReadsLaunchesWithWhatIsKnownThere) {
  const Program program = read_program(R"cuda(
#define CEIL(a, b) (((a) + (b) - 1) / (b))
const int kTile = 8;
void run(int n) {
  if (n > 3) {
    const uint BM{128};
    dim3 grid(CEIL(n, BM), 2);
    dim3 block{BM};
    block.y = kTile;
    tile<BM, 8><<<grid, block, 4 * sizeof(float), stream>>>(a, n);
  } else {
    const uint BM = 64;
    tile<BM, 8>
        <<<dim3(1, 2), 256>>>(a, static_cast<int>(n));
  }
}
)cuda",
                                       {});
  ASSERT_EQ(program.launches.size(), 2U);
  const LaunchStatement& first = program.launches[0];
  EXPECT_EQ(first.kernel, "tile");
  EXPECT_EQ(first.line, 10);
  EXPECT_EQ(first.arguments, (std::vector<std::string>{"a", "n"}));
  Names names;
  names.program = &program;
  names.launch = &first;
  names.known["n"] = "N";
  EXPECT_EQ(first.template_arguments, (std::vector<std::string>{"BM", "8"}));
  EXPECT_EQ(constant_value("BM", names), 128);
  EXPECT_EQ(translate(first.extents.at("grid")[0], names), "ceil_div(N, 128)");
  EXPECT_EQ(translate(first.extents.at("block")[1], names), "8");
  EXPECT_EQ(translate(first.shared, names), "16");
  names.launch = &program.launches[1];
  EXPECT_EQ(constant_value("BM", names), 64);
  EXPECT_EQ(program.launches[1].grid, "dim3(1, 2)");
}

TEST(HostExpression, IsWrittenAsADescriptionHasIt) {
  Program program;
  program.meanings["up"] = {{"a", "b"}, "(a + b - 1) / b"};
  program.constants["BM"] = "64";
  program.constants["LOOP"] = "LOOP + 1";
  Names names;
  names.program = &program;
  names.known = {{"n", "N"}, {"TM", "8"}};
  EXPECT_EQ(translate("(n + 255) / 256", names), "ceil_div(N, 256)");
  EXPECT_EQ(translate("up(n, BM)", names), "ceil_div(N, 64)");
  EXPECT_EQ(translate("(BM * BM) / (TM * TM)", names), "64");
  EXPECT_EQ(translate("n / (BM / n)", names), "N / (64 / N)");
  EXPECT_EQ(translate("(int)ceil((float)n / 16.0f)", names), "ceil_div(N, 16)");
  EXPECT_EQ(translate("ceil(((float)n / 16) / 2)", names), "ceil_div(N, 32)");
  EXPECT_EQ(translate("ceil(n / 16.0)", names), "ceil_div(N, 16)");
  EXPECT_EQ(translate("ceil(n * 1.0 / 16)", names), "ceil_div(N, 16)");
  EXPECT_EQ(translate("ceil(n / 16)", names), "N / 16");  // The rest is lost before it could be rounded up.
  EXPECT_EQ(translate("ceil(100 / 16.0)", names), "7");
  EXPECT_EQ(translate("(int)(100 / 16.0)", names), "6");
  EXPECT_EQ(translate("ceil((float)n / 16 + 1)", names), std::nullopt);
  EXPECT_EQ(translate("1u << 10", names), "1024");
  EXPECT_EQ(translate("n >> 2", names), "N / 4");
  EXPECT_EQ(translate("std::min(n, 0x10)", names), "min(N, 16)");
  EXPECT_EQ(translate("n * sizeof(float)", names), "N * 4");
  for (const char* unknown : {"x", "LOOP", "f(n)", "n +", "", "(n", "1 / 0x", "n ? 1", "a.x", "1.5"})
    EXPECT_EQ(translate(unknown, names), std::nullopt) << unknown;
}

}  // namespace
}  // namespace tilescope::source
