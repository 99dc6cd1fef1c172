#include "kernel/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "kernel/open_file.h"
#include "shipped_kernels.h"
#include "textbook.h"

namespace tilescope::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Description description(std::string_view name) {
  const Result<Kernel> kernel = find_kernel(textbook_kernels(), name);
  EXPECT_TRUE(kernel) << to_string(kernel.errors());
  return kernel ? kernel->description : Description{};
}

std::string problems(std::string_view kernel, const Settings& settings, const Size& size, const Limits& limits = {}) {
  const Result<Configuration> result = configure(description(kernel), settings, size, limits);
  return result ? "none" : to_string(result.errors());
}

constexpr Size kSize{512, 512, 512};

TEST(Configuration, SettlesEveryValue) {
  const Result<Configuration> c = configure(description("9"), {{"BK", "16"}}, {256, 512, 64});
  ASSERT_TRUE(c) << to_string(c.errors());
  EXPECT_THAT(c->macros, ElementsAre("BM=128", "BN=128", "BK=16", "TM=8", "TN=8"));
  EXPECT_EQ(c->grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(c->block, (Dim3{256, 1, 1}));
  EXPECT_EQ(c->static_shared_bytes, 16384u);
  EXPECT_EQ(c->dynamic_shared_bytes, 0u);
  EXPECT_EQ(c->global_bytes, 4u * (256 * 64 + 64 * 512 + 256 * 512));
  EXPECT_EQ(c->size, (Size{256, 512, 64}));
  ASSERT_EQ(c->arguments.size(), 6u);
  EXPECT_EQ(c->arguments[4].integer, 512);
  const ArrayShape& b = c->arrays[static_cast<size_t>(c->arguments[1].array)];
  EXPECT_EQ(b.name, "B");
  EXPECT_THAT(b.shape, ElementsAre(64, 512));
  EXPECT_EQ(c->alpha, 1.0);
  EXPECT_EQ(c->beta, 0.0);
}

TEST(Configuration, TheExtentsOfAKernelAreThoseThatItsDescriptionNames) {
  EXPECT_EQ(used_extents(description("9")), "MNK");
  Description sum;
  sum.block = {{"THREADS", {}}};
  sum.grid = {{"ceil_div(N, THREADS)", {}}};
  EXPECT_EQ(used_extents(sum), "N");
  sum.constraints.push_back({{"M % MN == 0", {}}, ""});
  EXPECT_EQ(used_extents(sum), "MN") << "MN is another name";
  EXPECT_EQ(used_extents(Description{}), "");
}

TEST(Configuration, AKernelOfVectorsHasItsExtentOnceInEveryArray) {
  Description kernel;
  kernel.grid = {{"ceil_div(N, 256)", {}}};
  kernel.arrays.resize(2);
  kernel.arrays[0].shape = {{"4 * N", {}}};
  EXPECT_TRUE(is_of_vectors(kernel));
  kernel.arrays[1].shape = {{"N", {}}, {"N", {}}};
  EXPECT_FALSE(is_of_vectors(kernel));
  kernel.arrays[1].shape = {{"N * N", {}}};
  EXPECT_FALSE(is_of_vectors(kernel));
  EXPECT_FALSE(is_of_vectors(description("9"))) << "three extents";
}

TEST(Configuration, ASizeSaysOnlyTheExtentsThatThereAre) {
  EXPECT_EQ(size_text("MNK", {1, 2, 3}), "M=1 N=2 K=3");
  EXPECT_EQ(size_text("N", {1, 2, 3}), "N=2");
  EXPECT_EQ(short_size_text("MNK", {64, 64, 64}), "64³");
  EXPECT_EQ(short_size_text("MNK", {64, 64, 32}), "64 × 64 × 32");
  EXPECT_EQ(short_size_text("MN", {64, 64, 32}), "64²");
  EXPECT_EQ(short_size_text("N", {1, 64, 32}), "64");
  EXPECT_EQ(short_size_text("", {1, 64, 32}), "");
}

TEST(Configuration, PaddedArraysKeepTheirLogicalExtents) {
  const Result<Configuration> c = configure(description("06"), {{"TILE", "32"}}, {1025, 1000, 33});
  ASSERT_TRUE(c) << to_string(c.errors());
  const ArrayShape& a = c->arrays[static_cast<size_t>(c->arguments[0].array)];
  EXPECT_THAT(a.shape, ElementsAre(1056, 64));
  EXPECT_THAT(a.logical, ElementsAre(1025, 33));
  EXPECT_EQ(a.bytes, 4u * 1056 * 64);
  EXPECT_EQ(c->arguments[3].name, "Mp");
  EXPECT_EQ(c->arguments[3].integer, 1056);
  EXPECT_EQ(c->grid, (Dim3{32, 33, 1}));
}

TEST(Configuration, AParameterMayBeASwitchOfTheCompiler) {
  const Result<Description> parsed = parse_description(
      "title = \"T\"\narguments = [\"C\"]\n"
      "[parameters.FAST]\noption = \"--use_fast_math\"\ndefault = 0\nvalues = [0, 1]\n"
      "[parameters.MOST]\noption = \"--maxrregcount=N\"\ndefault = 0\nvalues = [0, 64]\n"
      "[launch]\nblock = [32]\ngrid = [1]\n",
      "k.toml");
  ASSERT_TRUE(parsed) << to_string(parsed.errors());
  const auto options = [&](const Settings& settings) { return configure(*parsed, settings, kSize)->options; };
  EXPECT_THAT(options({}), ElementsAre());
  EXPECT_THAT(options({{"FAST", "1"}, {"MOST", "64"}}), ElementsAre("--use_fast_math", "--maxrregcount=64"));
  EXPECT_THAT(configure(*parsed, {{"FAST", "1"}}, kSize)->macros, ElementsAre());
}

TEST(Configuration, FiguresOfTheLiterature) {
  EXPECT_EQ(configure(description("9"), {}, kSize)->grid.count(), 16u);
  const Settings tall{{"BM", "128"}, {"BN", "64"}, {"BK", "32"}, {"TN", "4"}};
  const Result<Configuration> c = configure(description("9"), tall, kSize);
  ASSERT_TRUE(c) << to_string(c.errors());
  EXPECT_EQ(c->static_shared_bytes, 24u * 1024);
}

TEST(Configuration, EveryPresetIsLegal) {
  for (const Kernel& kernel : shipped_kernels().kernels) {
    ASSERT_FALSE(kernel.description.presets.empty()) << kernel.name;
    for (const Preset& preset : kernel.description.presets) {
      const Result<Configuration> c =
          configure(kernel.description, *preset_settings(kernel.description, preset.name), kSize);
      EXPECT_TRUE(c) << kernel.name << " " << preset.name << "\n" << to_string(c.errors());
    }
    const Settings first = *preset_settings(kernel.description, kernel.description.presets.front().name);
    EXPECT_EQ(configure(kernel.description, first, kSize)->macros, configure(kernel.description, {}, kSize)->macros)
        << kernel.name << ": the first preset is the defaults.";
  }
}

TEST(Illegal, TooManyThreads) {
  EXPECT_EQ(problems("9", {{"TM", "4"}, {"TN", "2"}}, kSize),
            "error: BM*BN/(TM*TN) = 2048 threads; the limit is 1024. Nearest legal: TM = 8; or TN = 4.");
  EXPECT_EQ(problems("8", {{"BM", "256"}, {"BN", "256"}, {"TM", "1"}}, kSize),
            "error: BM*BN/TM = 65536 threads; the limit is 1024. Nearest legal: BM = 128, BN = 128 and TM = 32; or "
            "BM = 128, BK = 8 and TM = 32; or BN = 128, BK = 8 and TM = 32.");
}

TEST(Illegal, TooMuchSharedMemory) {
  EXPECT_EQ(problems("9", {{"BM", "256"}, {"BN", "256"}, {"BK", "32"}, {"TM", "16"}}, kSize),
            "error: As[256][32] and Bs[32][256] need 65536 bytes of shared memory; the limit for __shared__ arrays is "
            "49152. Nearest legal: BM = 128; or BN = 128; or BK = 16.");
}

TEST(Illegal, SizesThatDoNotDivide) {
  EXPECT_EQ(problems("9", {}, {100, 128, 128}),
            "error: M = 100 is not a multiple of BM = 128. Nearest legal: M = 128.");
  EXPECT_EQ(problems("4", {}, {96, 100, 1}),
            "error: N = 100 is not a multiple of TILE = 32.\n"
            "error: K = 1 is not a multiple of TILE = 32. Nearest legal: N = 96 and K = 32.");
  EXPECT_EQ(problems("4", {}, {96, 96, 48}),
            "error: K = 48 is not a multiple of TILE = 32. Nearest legal: K = 64; or TILE = 16.");
}

TEST(Illegal, ParametersThatDoNotDivide) {
  EXPECT_EQ(
      problems("11", {{"WM", "16"}}, kSize),
      "error: A warp's 16 x 64 elements are not a multiple of the 32*TM*TN*WNITER = 4096 that it computes in one row "
      "of sub-tiles. Nearest legal: WM = 64; or WNITER = 1.");
  EXPECT_EQ(
      problems("10", {{"BM", "256"}, {"BN", "16"}, {"BK", "4"}}, kSize),
      "error: The 16 float4 of the tile of B, BK*BN/4, do not divide evenly among 64 threads. Nearest legal: BM = 64; "
      "or BK = 16.");
}

TEST(Illegal, ValuesOutsideTheirLists) {
  EXPECT_EQ(problems("9", {{"TM", "3"}}, kSize),
            "error: TM = 3 is not legal; TM is one of 1, 2, 4, 8, 16. Nearest legal: TM = 4.");
  EXPECT_EQ(problems("9", {{"TM", "0"}}, kSize),
            "error: TM = 0 is not legal; TM is one of 1, 2, 4, 8, 16. Nearest legal: TM = 2.");
  EXPECT_EQ(problems("9", {{"TM", "-8"}}, kSize),
            "error: TM = -8 is not legal; TM is one of 1, 2, 4, 8, 16. Nearest legal: TM = 2.");
  EXPECT_EQ(problems("9", {{"TM", "3"}, {"TN", "5"}}, kSize),
            "error: TM = 3 is not legal; TM is one of 1, 2, 4, 8, 16.\n"
            "error: TN = 5 is not legal; TN is one of 1, 2, 4, 8, 16. Nearest legal: TM = 4 and TN = 4.");
  EXPECT_EQ(
      problems("9", {{"TM", "3"}}, {100, 100, 100}),
      "error: TM = 3 is not legal; TM is one of 1, 2, 4, 8, 16. Nearest legal: TM = 4, M = 128, N = 128 and K = 104.");
}

TEST(Illegal, WhatIsNoSetting) {
  EXPECT_EQ(problems("9", {{"BM", "abc"}, {"BN", "6.5"}, {"BK", "99999999999999999999"}, {"TM", ""}}, kSize),
            "error: BK = \"99999999999999999999\" is not a whole number; BK is one of 2, 4, 8, 16, 32.\n"
            "error: BM = \"abc\" is not a whole number; BM is one of 16, 32, 64, 128, 256.\n"
            "error: BN = \"6.5\" is not a whole number; BN is one of 16, 32, 64, 128, 256.\n"
            "error: TM = \"\" is not a whole number; TM is one of 1, 2, 4, 8, 16.");
  EXPECT_EQ(problems("7", {{"TILE_ROW", "8"}}, kSize),
            "error: There is no parameter TILE_ROW; did you mean TILE_ROWS?");
  EXPECT_EQ(problems("9", {{"WIDTH", "8"}}, kSize),
            "error: There is no parameter WIDTH; there are BM, BN, BK, TM and TN.");
}

TEST(Illegal, SizesThatAreNone) {
  EXPECT_EQ(problems("1", {}, {0, -5, 2147483648}),
            "error: N = -5 is not legal; a size is a whole number from 1 to 2147483647.\n"
            "error: M = 0 is not legal; a size is a whole number from 1 to 2147483647.\n"
            "error: K = 2147483648 is not legal; a size is a whole number from 1 to 2147483647. "
            "Nearest legal: M = 1, N = 1 and K = 2147483647.");
  EXPECT_EQ(problems("1", {}, {0, 0, 0}),
            "error: M = N = K = 0 is not legal; a size is a whole number from 1 to 2147483647. "
            "Nearest legal: M = 1, N = 1 and K = 1.");
  EXPECT_EQ(problems("9", {{"BM", "64"}}, {0, 256, 256}),
            "error: M = 0 is not legal; a size is a whole number from 1 to 2147483647. Nearest legal: M = 64.");
}

TEST(Illegal, ASizeIsJudgedByTheExtentsThatTheKernelHas) {
  const Result<Opened> scan = open_file(TILESCOPE_SOURCE_DIR "/examples/scan.cu");
  ASSERT_TRUE(scan);
  const auto of_scan = [&](const Size& size) {
    const auto configuration = configure(scan->kernel.description, {}, size, {});
    return configuration ? "" : to_string(configuration.errors());
  };
  EXPECT_EQ(of_scan({0, 1024, 0}), "");
  EXPECT_EQ(of_scan({0, 0, 0}),
            "error: N = 0 is not legal; a size is a whole number from 1 to 2147483647. Nearest legal: N = 1.");
}

TEST(Illegal, SizesThatNothingHolds) {
  EXPECT_EQ(
      problems("1", {}, {2147483647, 2147483647, 2147483647}),
      "error: The matrices need 48.0 EiB (A 16.0 EiB, B 16.0 EiB and C 16.0 EiB); no machine has as much. No legal "
      "values were found near these.");
  EXPECT_EQ(problems("4", {}, {60000, 60000, 60000}),
            "error: 3600000000 elements in one matrix are more than an int can index, 2147483647. No legal values were "
            "found near these.");
  EXPECT_EQ(problems("5", {}, {100000000, 1, 1}),
            "error: grid y = ceil_div(M, TILE) = 3125000; the limit is 65535. No legal values were found near these.");
}

TEST(Illegal, LimitsAreThoseGiven) {
  Limits limits;
  limits.threads_per_block = 128;
  EXPECT_EQ(problems("5", {}, kSize, limits),
            "error: TILE*TILE = 1024 threads; the limit is 128. Nearest legal: TILE = 8.");
  limits = {};
  limits.block.y = 16;
  EXPECT_EQ(problems("5", {}, kSize, limits), "error: block y = TILE = 32; the limit is 16. Nearest legal: TILE = 16.");
}

Description own(const std::string& body) {
  Result<Description> parsed = parse_description(
      "title = \"T\"\narguments = [\"A\", \"B\", \"C\"]\n[parameters.P]\ndefault = 4\nmin = 0\nmax = 8\n" + body,
      "own.toml");
  EXPECT_TRUE(parsed) << to_string(parsed.errors());
  return parsed ? *parsed : Description{};
}

TEST(Illegal, DynamicSharedMemory) {
  const Description d = own("[launch]\nblock = 32\ngrid = 1\nshared_bytes = \"P * 10000\"\n");
  EXPECT_EQ(configure(d, {}, kSize)->dynamic_shared_bytes, 40000u);
  EXPECT_TRUE(configure(d, {{"P", "5"}}, kSize));
  Limits less;
  less.shared_bytes_per_block = 49152;
  EXPECT_EQ(
      to_string(configure(d, {{"P", "5"}}, kSize, less).errors()),
      "error: 0 bytes of static and 50000 of dynamic shared memory; the limit for both together is 49152. Nearest "
      "legal: P = 4.");
}

TEST(Illegal, InstructionsOfOneCapabilityAlone) {
  const Description d = description("17");
  const auto refusal = [&](uint32_t capability) {
    Limits limits;
    limits.capability = capability;
    const Result<Configuration> configuration = configure(d, {}, {256, 256, 64}, limits);
    return configuration ? "" : to_string(configuration.errors());
  };
  EXPECT_EQ(
      refusal(80),
      "error: The kernel needs sm_90a: its instructions are those of compute capability 9.0 alone, and sm_80 lacks "
      "some of them.");
  EXPECT_NE(refusal(100), "");
  EXPECT_EQ(refusal(90), "");
  EXPECT_EQ(compiled_arch(d, "sm_90"), "sm_90a");
  EXPECT_EQ(compiled_arch(description("16"), "sm_90"), "sm_90");
}

TEST(Illegal, OfEqualWaysTheChosenParameterComesFirst) {
  const Description d =
      own("[parameters.Q]\ndefault = 4\nvalues = [4, 8]\n[launch]\nblock = \"P * Q * 64\"\ngrid = 1\n");
  EXPECT_EQ(to_string(configure(d, {{"Q", "8"}}, kSize).errors()),
            "error: P * Q * 64 = 2048 threads; the limit is 1024. Nearest legal: Q = 4; or P = 2.");
  EXPECT_EQ(to_string(configure(d, {{"P", "8"}, {"Q", "4"}}, kSize).errors()),
            "error: P * Q * 64 = 2048 threads; the limit is 1024. Nearest legal: P = 4.");
}

TEST(Illegal, ArithmeticThatHasNoResult) {
  const Description d = own("[derived]\nd = \"8 / P\"\n[launch]\nblock = \"d\"\ngrid = 1\n");
  EXPECT_EQ(to_string(configure(d, {{"P", "0"}}, kSize).errors()),
            "error: \"8 / P\": This divides by zero. Nearest legal: P = 1.");
}

TEST(Illegal, ExtentsBelowOne) {
  const Description d = own("[launch]\nblock = \"4 - P + 1\"\ngrid = 1\n");
  EXPECT_EQ(to_string(configure(d, {{"P", "5"}}, kSize).errors()),
            "error: block x = 4 - P + 1 = 0; it must be at least 1. Nearest legal: P = 4.");
}

TEST(Illegal, ANumberThatIsWrittenDownIsSaidOnce) {
  const auto problem = [](const std::string& launch) {
    return configure(own("[launch]\n" + launch), {}, kSize).errors().front().message.text();
  };
  EXPECT_EQ(problem("block = 0\ngrid = 1\n"), "block x = 0; it must be at least 1.");
  EXPECT_EQ(problem("block = 1\ngrid = [1, 70000]\n"), "grid y = 70000; the limit is 65535.");
  EXPECT_EQ(problem("block = 2048\ngrid = 1\n"), "2048 threads; the limit is 1024.");
  EXPECT_EQ(problem("block = 1\ngrid = 1\nshared_bytes = -4\n"), "shared_bytes = -4; it cannot be negative.");
}

TEST(Illegal, ExtentsOfAnArrayAreSaidAsTheyAre) {
  const auto problem = [](const std::string& array) {
    const Description d = own("[launch]\nblock = 1\ngrid = 1\n[arrays.T]\nrole = \"input\"\n" + array);
    return to_string(configure(d, {{"P", "4"}}, kSize).errors());
  };
  EXPECT_THAT(problem("shape = [\"P - 4\", 4]\n"),
              HasSubstr("The array T has the extent 0 x 4; it must be at least 1 in every dimension."));
  EXPECT_THAT(problem("shape = [4, 4]\nlogical = [4, \"P - 6\"]\n"),
              HasSubstr("The array T is 4 x 4, of which 4 x -2 hold data; some must, and they must fit."));
  EXPECT_THAT(problem("shape = [4, 4]\nlogical = [4, 5]\n"), HasSubstr("4 x 4, of which 4 x 5 hold data"));
}

TEST(LegalValues, AreThoseThatTheOthersAllow) {
  EXPECT_THAT(legal_values(description("9"), {}, kSize, {}, "TM"), ElementsAre(2, 4, 8, 16));
  EXPECT_THAT(legal_values(description("9"), {{"TN", "4"}}, kSize, {}, "TM"), ElementsAre(4, 8, 16));
  EXPECT_THAT(legal_values(description("9"), {{"TM", "junk"}}, kSize, {}, "TM"), ElementsAre(2, 4, 8, 16));
  EXPECT_THAT(legal_values(description("4"), {}, {48, 48, 48}, {}, "TILE"), ElementsAre(8, 16));
  EXPECT_THAT(legal_values(description("9"), {}, {100, 100, 100}, {}, "TM"), ElementsAre());
  EXPECT_THAT(legal_values(description("9"), {{"BM", "junk"}}, kSize, {}, "TM"), ElementsAre());
  EXPECT_THAT(legal_values(description("9"), {}, kSize, {}, "NONE"), ElementsAre());
}

TEST(LegalValues, ConfigureAgrees) {
  for (const Kernel& kernel : shipped_kernels().kernels)
    for (const Parameter& parameter : kernel.description.parameters) {
      const std::vector<int64_t> legal = legal_values(kernel.description, {}, kSize, {}, parameter.name);
      for (const int64_t value : parameter.values) {
        const bool listed = std::find(legal.begin(), legal.end(), value) != legal.end();
        const Settings settings{{parameter.name, std::to_string(value)}};
        EXPECT_EQ(bool(configure(kernel.description, settings, kSize)), listed)
            << kernel.name << " " << parameter.name << " = " << value;
      }
    }
}

std::string size_problem(std::string_view text) { return to_string(parse_size(text).errors()); }

TEST(ParseSize, TakesOneNumberOrThree) {
  EXPECT_EQ(*parse_size("256"), (Size{256, 256, 256}));
  EXPECT_EQ(*parse_size("M=1,N=2,K=3"), (Size{1, 2, 3}));
  EXPECT_EQ(*parse_size("K=3,M=1,N=-2"), (Size{1, -2, 3}));
  EXPECT_EQ(*parse_size("N=9", Size{1, 2, 3}), (Size{1, 9, 3})) << "the others are known";
  EXPECT_FALSE(parse_size("N=9,N=8", Size{1, 2, 3}));
  for (const char* bad : {"", "abc", "1.5", "256x256", "M=1,N=2", "M=1,N=2,M=3", "M=1,N=2,K=3,", "M=1,N=2,K=", "L=1",
                          "99999999999999999999", "M=1;N=2;K=3"})
    EXPECT_EQ(size_problem(bad),
              std::string("error: \"") + bad + "\" is not a size; give one number, 256, or three: M=256,N=128,K=64.");
}

TEST(AddSetting, TakesAParameterAndItsValue) {
  Settings settings;
  EXPECT_TRUE(add_setting("BM=64", settings));
  EXPECT_TRUE(add_setting("BM=32", settings));
  EXPECT_EQ(settings, (Settings{{"BM", "32"}}));
  EXPECT_EQ(to_string(add_setting("BM", settings).errors()),
            "error: \"BM\" is not a setting; write the parameter, = and its value: BM=64.");
  EXPECT_FALSE(add_setting("=64", settings));
}

TEST(Preset, UnknownOnesAreListed) {
  EXPECT_EQ(to_string(preset_settings(description("2"), "64x64").errors()),
            "error: There is no preset \"64x64\"; there are \"32x32\", \"16x16\" and \"8x8\".");
}

}  // namespace
}  // namespace tilescope::kernel
