#include "kernel/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilescope::kernel {
namespace {

using testing::ElementsAre;

const std::string kHead = R"toml(title = "T"
arguments = ["A", "B", "C", "M", "N", "K"]
)toml";
const std::string kLaunch = R"toml([launch]
block = [32, 32]
grid = ["ceil_div(N, 32)", "ceil_div(M, 32)"]
)toml";

std::string problems(const std::string& toml) {
  const Result<Description> description = parse_description(toml, "k.toml");
  return description ? "none" : to_string(description.errors());
}

Description parsed(const std::string& toml) {
  Result<Description> description = parse_description(toml, "k.toml");
  EXPECT_TRUE(description) << to_string(description.errors());
  return description ? *description : Description{};
}

TEST(Description, TheShortestOneStands) {
  const Description d = parsed(kHead + kLaunch);
  EXPECT_EQ(d.title, "T");
  ASSERT_EQ(d.arrays.size(), 3u);
  EXPECT_EQ(d.arrays[0].name, "A");
  EXPECT_EQ(d.arrays[1].shape[0].text, "K");
  EXPECT_EQ(d.arrays[2].role, Role::Output);
  EXPECT_EQ(d.arguments[3].name, "M");
  EXPECT_EQ(d.arguments[3].element, Element::I32);
  EXPECT_EQ(d.block[1].text, "32");
  EXPECT_EQ(d.dynamic_shared_bytes.text, "0");
}

TEST(Description, KeepsTheOrderOfTheFile) {
  const Description d = parsed(kHead +
                               "[parameters.ZZ]\ndefault = 1\nvalues = [2, 1]\n[parameters.AA]\ndefault = 8\n"
                               "min = 4\nmax = 13\nstep = 4\n" +
                               kLaunch);
  ASSERT_EQ(d.parameters.size(), 2u);
  EXPECT_EQ(d.parameters[0].name, "ZZ");
  EXPECT_THAT(d.parameters[0].values, ElementsAre(1, 2));
  EXPECT_EQ(d.parameters[1].name, "AA");
  EXPECT_THAT(d.parameters[1].values, ElementsAre(4, 8, 12));
}

TEST(Description, BlasArgumentsNeedNoMoreKeys) {
  const Description d =
      parsed("title = \"T\"\narguments = [\"M\", \"N\", \"K\", \"alpha\", \"A\", \"B\", \"beta\", \"C\"]\n" + kLaunch);
  ASSERT_EQ(d.arguments.size(), 8u);
  EXPECT_EQ(d.arguments[3].element, Element::F32);
  EXPECT_EQ(d.arguments[3].real, 2.0);
  EXPECT_EQ(d.arguments[6].real, 0.5);
  EXPECT_EQ(d.arrays[static_cast<size_t>(d.arguments[7].array)].role, Role::InOut);
}

TEST(Description, ReadsOtherScalarsAndArrays) {
  const Description d = parsed(R"toml(title = "T"
arguments = ["X", "C", { name = "lda", type = "i64", value = "K + 1" }, { name = "scale", type = "double", value = 3 }]
[arrays.X]
role = "input"
element = "f16"
shape = ["M", "K + 1"]
logical = ["M", "K"]
)toml" + kLaunch);
  EXPECT_EQ(d.arrays[0].element, Element::F16);
  EXPECT_EQ(d.arrays[0].logical[1].text, "K");
  EXPECT_EQ(d.arguments[2].element, Element::I64);
  EXPECT_EQ(d.arguments[2].value.text, "K + 1");
  EXPECT_EQ(d.arguments[3].real, 3.0);
}

TEST(Description, MalformedTomlHasAPlace) {
  EXPECT_EQ(problems("title = \"T\narguments = []\n"),
            "k.toml:1:11: error: Error while parsing string: unescaped control characters other than TAB (U+0009) are "
            "explicitly prohibited.\n"
            "  title = \"T\n"
            "            ^");
}

TEST(Description, NamesWhatIsMissing) {
  EXPECT_EQ(problems("summary = \"S\"\n"),
            "k.toml:1:1: error: The description lacks the key \"title\".\n  summary = \"S\"\n  ^\n"
            "k.toml:1:1: error: The description lacks the key \"launch\".\n  summary = \"S\"\n  ^\n"
            "k.toml:1:1: error: The description lacks the key \"arguments\".\n  summary = \"S\"\n  ^");
  EXPECT_EQ(problems(kHead + "[launch]\nblock = 32\n"),
            "k.toml:3:1: error: [launch] lacks the key \"grid\".\n  [launch]\n  ^");
  EXPECT_EQ(
      problems(kHead + "[parameters.BM]\nvalues = [1]\n" + kLaunch),
      "k.toml:3:1: error: [parameters.BM] lacks the key \"default\".\n  [parameters.BM]\n  ^\n"
      "k.toml:3:1: error: [parameters.BM]: the default, 0, is not among its legal values.\n  [parameters.BM]\n  ^");
}

TEST(Description, RefusesUnknownKeys) {
  EXPECT_EQ(problems(kHead + "[parameters.BM]\ndefualt = 1\ndefault = 1\nvalues = [1]\n" + kLaunch),
            "k.toml:4:11: error: [parameters.BM] has no key \"defualt\"; did you mean \"default\"?\n"
            "  defualt = 1\n            ^");
  EXPECT_EQ(problems(kHead + kLaunch + "colour = 1\n"),
            "k.toml:6:10: error: [launch] has no key \"colour\"; it may have block, grid, shared_bytes, cooperative, "
            "guessed.\n"
            "  colour = 1\n           ^");
}

TEST(Description, AFormulaIsRefusedWithWhatToWriteInstead) {
  EXPECT_EQ(problems(kHead + "computes = \"C[y][x] = A[x][y]\"\n" + kLaunch),
            "k.toml:3:12: error: \"computes\" is not read any more. Add a simple kernel to the .cu file that computes what "
            "is expected, and name it: reference = \"naive\".\n"
            "  computes = \"C[y][x] = A[x][y]\"\n             ^");
}

TEST(Description, RefusesBadParameters) {
  EXPECT_EQ(
      problems(kHead + "[parameters.BM]\ndefault = 3\nvalues = [1, 2]\n" + kLaunch),
      "k.toml:3:1: error: [parameters.BM]: the default, 3, is not among its legal values.\n  [parameters.BM]\n  ^");
  EXPECT_EQ(problems(kHead + "[parameters.BM]\ndefault = 3\nmin = 1\nmax = 100000\n" + kLaunch),
            "k.toml:3:1: error: [parameters.BM] has 100000 values; at most 4096 are handled: raise \"step\".\n"
            "  [parameters.BM]\n  ^");
  EXPECT_EQ(problems(kHead + "[parameters.N]\ndefault = 1\nvalues = [1]\n" + kLaunch),
            "k.toml:3:1: error: N is named twice; M, N and K are the matrix sizes.\n  [parameters.N]\n  ^");
  EXPECT_EQ(
      problems(kHead + "[parameters.\"a b\"]\ndefault = 1\nvalues = [1]\n" + kLaunch),
      "k.toml:3:1: error: \"a b\" cannot be a name: use letters, digits and _, a letter first, and not min, max or "
      "ceil_div.\n  [parameters.\"a b\"]\n  ^");
}

TEST(Description, ChecksExpressionsWhereTheyStand) {
  EXPECT_EQ(problems(kHead + "[parameters.BM]\ndefault = 1\nvalues = [1]\n[launch]\nblock = \"BN\"\ngrid = 1\n"),
            "k.toml:7:9: error: \"BN\": BN is not a parameter, a derived value, M, N or K; did you mean BM?\n"
            "  block = \"BN\"\n          ^");
  EXPECT_EQ(problems(kHead + "[[constraints]]\nexpr = \"M > 1\"\nmessage = \"M is {MM}\"\n" + kLaunch),
            "k.toml:5:11: error: \"MM\": MM is not a parameter, a derived value, M, N or K; did you mean M?\n"
            "  message = \"M is {MM}\"\n            ^");
  EXPECT_EQ(problems(kHead + "[derived]\na = \"b\"\nb = \"M\"\n" + kLaunch),
            "k.toml:4:5: error: \"b\": b is not a parameter, a derived value, M, N or K.\n  a = \"b\"\n      ^");
  EXPECT_EQ(problems(kHead + "[launch]\nblock = []\ngrid = [1, 1, 1, 1]\n"),
            "k.toml:4:9: error: This is empty: write a number, or an expression such as ceil_div(N, 256).\n  block = []\n          ^\n"
            "k.toml:5:8: error: This must be one to 3 expressions; it is 4.\n  grid = [1, 1, 1, 1]\n         ^");
}

TEST(Description, RefusesBadArraysAndArguments) {
  EXPECT_EQ(
      problems(kHead + "[arrays.As]\nspace = \"shred\"\nshape = 4\n" + kLaunch),
      "k.toml:4:9: error: The array As: \"space\" must be \"global\" or \"shared\".\n  space = \"shred\"\n          ^\n"
      "k.toml:3:1: error: The array As: a global array needs the role \"input\", \"output\" or \"inout\"; a shared one "
      "has none.\n  [arrays.As]\n  ^");
  EXPECT_EQ(problems(kHead + "[arrays.As]\nspace = \"shared\"\nelement = \"flaot\"\nshape = 4\n" + kLaunch),
            "k.toml:5:11: error: \"flaot\" is not an element type; use f32 (float), f64 (double), i32 (int), u32, i64, "
            "u64, f16, "
            "bf16, i16, u16, i8, u8 or byte.\n  element = \"flaot\"\n            ^");
  EXPECT_EQ(problems("title = \"T\"\narguments = [\"X\"]\n" + kLaunch),
            "k.toml:2:14: error: The argument \"X\" is not an array, parameter, derived value, M, N, K, alpha or beta. "
            "A scalar: { name = \"X\", type = \"i32\", value = ... }; an array needs [arrays.X].\n"
            "  arguments = [\"X\"]\n               ^");
  EXPECT_EQ(
      problems("title = \"T\"\narguments = [\"S\"]\n[arrays.S]\nspace = \"shared\"\nshape = 4\n" + kLaunch),
      "k.toml:2:14: error: S is in shared memory and cannot be an argument.\n  arguments = [\"S\"]\n               ^");
  EXPECT_EQ(problems("title = \"T\"\narguments = [{ name = \"x\", type = \"f32\", value = \"M\" }]\n" + kLaunch),
            "k.toml:2:50: error: The value of x must be a number, since it is f32.\n"
            "  arguments = [{ name = \"x\", type = \"f32\", value = \"M\" }]\n"
            "                                                   ^");
}

TEST(Description, RefusesBadPresets) {
  const std::string parameter = "[parameters.BM]\ndefault = 1\nvalues = [1]\n";
  EXPECT_EQ(problems(kHead + parameter + kLaunch + "[[presets]]\nname = \"p\"\nsettings = { BM = 2, BN = 1 }\n"),
            "k.toml:11:19: error: The preset sets BM to what is not among its legal values.\n"
            "  settings = { BM = 2, BN = 1 }\n                    ^\n"
            "k.toml:11:27: error: The preset sets BN, which is not a parameter.\n"
            "  settings = { BM = 2, BN = 1 }\n                            ^");
}

TEST(Description, WrongTypesAreReported) {
  for (const char* key : {"title", "summary", "entry", "arguments", "parameters", "derived", "constraints", "launch",
                          "arrays", "presets"})
    for (const char* value :
         {"1", "\"x\"", "[1]", "[[]]", "{ a = 1 }", "{ a = { b = [] } }", "1979-05-27", "nan", "[{}]"})
      EXPECT_NE(problems(std::string(key) + " = " + value + "\n"), "") << key << " = " << value;
}

}  // namespace
}  // namespace tilescope::kernel
