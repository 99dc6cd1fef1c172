#include "source/device_part.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"

namespace tilescope::source {
namespace {

std::string strip(const std::string& text, const std::string& entry = "") { return device_part(text, {}, entry).text; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(DevicePart, LeavesOutHostCodeAndKeepsTheLines) {
  const std::string text =
      "#include <iostream>\n#include <cublas_v2.h>\n#include <cuda_fp16.h>\n"
      "__global__ void k(float* a) {\n  a[threadIdx.x] = 1;\n}\n"
      "int main() {\n  std::cout << \"}\";  // }\n  k<<<1, 32>>>(nullptr);\n  return 0;\n}\n"
      "__device__ float late(float x) { return x; }\n";
  const std::string stripped = strip(text);
  EXPECT_EQ(stripped.size(), text.size());
  EXPECT_EQ(std::count(stripped.begin(), stripped.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(stripped.find("__global__"), text.find("__global__"));
  EXPECT_EQ(stripped.find("late"), text.find("late"));
  EXPECT_TRUE(has(stripped, "#include <cuda_fp16.h>"));
  for (const char* gone : {"iostream", "cublas", "main", "<<<", "cout"}) EXPECT_FALSE(has(stripped, gone)) << gone;
}

TEST(DevicePart, KeepsWhatDeviceCodeNames) {
  const std::string stripped = strip(R"cuda(
struct Pair { float x, y; };
struct Timer { cudaEvent_t start; };
typedef struct { ncclComm_t communicator; } Config;
constexpr int kTile = 16;
static const int kUnused = helper();
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
float square(float x) { return x * x; }
template <int N, typename T = float>
__global__ void k(Pair* p, int n) {
  __shared__ float s[kTile];
  s[0] = square(n);
  int square_of = ceil_div(n, N);
}
)cuda");
  for (const char* kept : {"struct Pair", "kTile = 16", "ceil_div(int a", "float square(float", "template <int N"})
    EXPECT_TRUE(has(stripped, kept)) << kept;
  for (const char* gone : {"Timer", "Config", "kUnused"}) EXPECT_FALSE(has(stripped, gone)) << gone;
}

TEST(DevicePart, KeepsTypesOfFunctionsAndSharedArraysOutsideOfFunctions) {
  const std::string stripped = strip(
      "typedef int (*step_t)(int, float);\ntypedef int (*host_t)(FILE*);\n__shared__ float tile[32];\n"
      "__device__ step_t step;\n__global__ void k() { tile[0] = 1; }\n");
  EXPECT_TRUE(has(stripped, "*step_t"));
  EXPECT_TRUE(has(stripped, "float tile[32]"));
  EXPECT_FALSE(has(stripped, "host_t"));
}

TEST(DevicePart, NoIncludeLeadsAboveTheCompilersFolder) {
  const DevicePart part =
      device_part("#include \"../up.h\"\n#include \"../missing.h\"\n",
                  {{"../up.h", "#include \"../../more.h\"\n", {}}, {"../../more.h", "int more;\n", {}}}, "");
  EXPECT_EQ(part.text, "#include \"up/up.h\"\n                       \n");
  EXPECT_EQ(part.headers[0].name, "up/up.h");
  EXPECT_EQ(part.headers[0].text, "#include \"up/up/more.h\"\n");
  EXPECT_EQ(part.headers[1].name, "up/up/more.h");
}

TEST(DevicePart, AVariableIsNoCallOfTheFunctionOfItsName) {
  const std::string stripped = strip(
      "float sum(std::vector<float> v) { return 0; }\n__global__ void k(float* a) { float sum = 0; a[0] = sum; }\n");
  EXPECT_FALSE(has(stripped, "std::vector"));
  EXPECT_TRUE(has(stripped, "float sum = 0"));
}

TEST(DevicePart, KnowsMarkersByMacrosNamespacesAndBlocks) {
  const std::string stripped = strip(R"cuda(
#define KERNEL extern "C" __global__
#define MAKE(T) __device__ T zero_##T() { return T(0); }
namespace a { namespace {
MAKE(float)
LAUNCH(float)
void host() { if (1) { } }
__device__ int device() { return 1; }
} }
extern "C" {
void other_host();
KERNEL void k(float* a) { a[0] = a::device(); }
}
)cuda");
  for (const char* kept : {"MAKE(float)", "int device()", "KERNEL void k", "namespace a"})
    EXPECT_TRUE(has(stripped, kept)) << kept;
  for (const char* gone : {"LAUNCH", "void host()", "other_host"}) EXPECT_FALSE(has(stripped, gone)) << gone;
}

TEST(DevicePart, OfSeveralKernelsTheOneThatIsWanted) {
  const std::string text =
      "template <int N>\n__global__ void a(float* x) { x[0] = N; }\n__global__ void b(float* x) { tensor(x); }\n";
  EXPECT_TRUE(has(strip(text), "void b"));
  const std::string only = strip(text, "a<16>");
  EXPECT_TRUE(has(only, "void a"));
  EXPECT_FALSE(has(only, "void b"));
}

TEST(DevicePart, ConditionsInHostCodeStay) {
  const std::string stripped = strip("void host() {\n#ifdef X\n  int a;\n#pragma omp parallel\n#endif\n}\n");
  EXPECT_TRUE(has(stripped, "#ifdef X"));
  EXPECT_TRUE(has(stripped, "#endif"));
  EXPECT_FALSE(has(stripped, "omp"));
}

TEST(DevicePart, RawStringsAndUnbalancedTextAreNoTrouble) {
  EXPECT_FALSE(has(strip("const char* s = R\"x( } ; __global__ )x\";\nint main() { }\n"), "main"));
  for (const char* text : {"int f( {", "}}}}", "template <", "#", "\"", "R\"(", "/*", "a<<<", "'", "#define", "\\",
                           "namespace {", "extern \"C\" {", "__global__", "struct {", "k<<<1,2>>>(", "using"})
    EXPECT_EQ(strip(text).size(), std::string(text).size()) << text;
}

TEST(DevicePart, WhatIsNoWholeDeclarationStaysForTheCompilerToReport) {
  const std::string program = "#include <vector>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n";
  EXPECT_FALSE(has(strip("struct Image {};\nnamespace n {\nbool operator==(Image& a, Image& b) { return false; }\n}\n"),
                   "operator"));
  EXPECT_FALSE(has(strip("#define END }\nnamespace n {\nvoid host() {}\nEND\n"), "\nEND"));
  for (const char* stray : {"garbage here", "garbage", ")", "@", "\"text", "int x[", "struct Pair { int a;", "}"})
    EXPECT_TRUE(strip(program + stray).ends_with(stray)) << stray;
  EXPECT_EQ(strip("__global__ void k() {}\nint main() { k<<<1, 1>>>();"),
            "__global__ void k() {}\n           {               ");
}

TEST(DevicePart, AFunctionsBodyMayBeginInEitherBranchOfACondition) {
  const std::string stripped =
      strip("#ifdef X\nint main(int n) {\n#else\nint main() {\n#endif\n}\n__global__ void k() {}\n");
  EXPECT_FALSE(has(stripped, "{\n"));
  EXPECT_TRUE(has(stripped, "void k"));
}

TEST(DevicePart, NamesTheHeadersThatAreNotThere) {
  const DevicePart part = device_part("\n#include \"mine.h\"\n#include <vector>\n", {}, "");
  ASSERT_EQ(part.left_out.size(), 1U);
  EXPECT_EQ(part.left_out[0], (LeftOut{"mine.h", 2}));
}

TEST(DevicePart, ACatalogueKernelStaysAsItIs) {
  for (const auto& entry : std::filesystem::directory_iterator(TILESCOPE_SOURCE_DIR "/kernels"))
    if (entry.path().extension() == ".cu") {
      const std::string text = *read_file(entry.path());
      EXPECT_EQ(strip(text), text) << entry.path();
    }
}

class Headers : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "tilescope_headers";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "src" / "sub");
    ASSERT_TRUE(write_file(folder_ / "above.h", "int above;\n"));
    ASSERT_TRUE(write_file(folder_ / "src" / "a.h", "#include \"sub/b.h\"\n#include \"../above.h\"\n"));
    ASSERT_TRUE(write_file(folder_ / "src" / "sub" / "b.h", "#include \"c.h\"\n"));
    ASSERT_TRUE(write_file(folder_ / "src" / "sub" / "c.h", "#include \"c.h\"\n"));
    ASSERT_TRUE(write_file(folder_ / "secret", "1234\n"));
    std::filesystem::create_symlink(folder_ / "above.h", folder_ / "src" / "link.h");
    std::filesystem::create_symlink(folder_ / "secret", folder_ / "link.h");
  }
  std::vector<std::string> names(const std::string& text, const std::vector<std::filesystem::path>& more = {}) const {
    std::vector<std::string> names;
    for (const File& file : read_headers(text, folder_ / "src", more)) names.push_back(file.name);
    return names;
  }
  std::filesystem::path folder_;
};

TEST_F(Headers, OfTheFolderAndBelowAreReadAndAboveItHeadersThatAreNamedSo) {
  EXPECT_EQ(names("#include \"a.h\"\n#include <vector>\n"),
            (std::vector<std::string>{"a.h", "sub/b.h", "../above.h", "c.h"}));
  EXPECT_EQ(names("#include \"../secret\"\n#include \"../link.h\"\n"), std::vector<std::string>{});
  EXPECT_EQ(names("#include \"link.h\"\n"), std::vector<std::string>{});
  EXPECT_EQ(names("#include \"above.h\"\n"), std::vector<std::string>{});
  EXPECT_EQ(names("#include \"above.h\"\n", {folder_}), std::vector<std::string>{"above.h"});
}

TEST(Context, IsWhatStandsBeforeTheIncludesOnTheWay) {
  const std::vector<File> headers{{"all.h", "#ifndef ALL\n#include \"one.h\"\n#include \"two.h\"\n#endif\n", {}},
                                  {"one.h", "", {}},
                                  {"two.h", "", {}}};
  EXPECT_EQ(context_of("int first;\n#include \"all.h\"\nint last;\n", headers, 2),
            "int first;\n\n#ifndef ALL\n#include \"one.h\"\n\n#endif\n");
}

}  // namespace
}  // namespace tilescope::source
