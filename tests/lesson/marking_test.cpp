// Who marks by counts is shown kernels that have the counts and not the idea. Each gets its due here, and right kernels
// of several styles get full marks.

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "built_compiler.h"
#include "lesson/course.h"
#include "lesson/grade.h"
#include "lesson/rejudge.h"
#include "shipped_kernels.h"

namespace tilescope::lesson {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTiles = "shared-tiles";

class Marking : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto toolchain = built_compiler().toolchain(); !toolchain) GTEST_SKIP() << "A text has to be compiled.";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const Lesson& lesson(const std::string& slug) { return **find_lesson(course_, slug); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Grade graded(const std::string& slug, const std::string& source, uint64_t seed = 7) {
    write("hand_in.cu", source);
    const Result<kernel::Kernel> kernel = student_kernel(lesson(slug), folder_ / "hand_in.cu");
    if (!kernel) {
      ADD_FAILURE() << to_string(kernel.errors());
      return {};
    }
    return grade_kernel(lesson(slug), *kernel, runs_, seed);
  }
  /// The items that failed, a line each.
  std::string lost(const std::string& slug, const std::string& source) {
    const Grade grade = graded(slug, source);
    EXPECT_FALSE(grade.items.empty());
    std::string text;
    for (const GradeItem& item : grade.items)
      if (!item.passed) text += item.name + ": " + item.message + "\n";
    return text;
  }
  /// A kernel of the catalogue or of a lesson's folder, with texts in place of others.
  static std::string text_of(const std::string& file,
                             const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::string text = *read_file(std::filesystem::path(TILESCOPE_SOURCE_DIR) / file, size_t{1} << 20);
    for (const auto& [old, replacement] : changes) {
      const size_t at = text.find(old);
      EXPECT_NE(at, std::string::npos) << old;
      if (at != std::string::npos) text.replace(at, old.size(), replacement);
    }
    return text;
  }
  static std::string tiled(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    return text_of("kernels/04_shared_tile.cu", changes);
  }
  /// A naive kernel in the block of lesson 3's, which reads A and B by these expressions.
  static std::string naive(const std::string& a, const std::string& b, const std::string& before = "") {
    return "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {\n"
           "  __shared__ float word[2][1024];\n"
           "  const int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;\n"
           "  const int me = threadIdx.y * 32 + threadIdx.x;\n  word[0][me] = word[1][me] = 0;\n"
           "  float sum = 0;\n  for (int k = 0; k < K; ++k) {\n" +
           before + "    sum += " + a + " * " + b + ";\n  }\n  C[row * N + col] = sum;\n}\n";
  }

  run::RunCache cache_{built_compiler()};
  Runs runs_{cache_};
  const Course course_ = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels());
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("tilescope-marking-{}", ::getpid());
};

TEST_F(Marking, RightKernelsOfFiveStylesGetFullMarks) {
  EXPECT_EQ(lost(kTiles, tiled()), "");
  EXPECT_EQ(lost(kTiles, tiled({{"const float *A, const float *B, float *C",
                                 "const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C"},
                                {"= A[row * K + tile + threadCol]", "= __ldg(&A[row * K + tile + threadCol])"}})),
            "")
      << "a read-only path";
  EXPECT_EQ(lost(kTiles, tiled({{"__shared__ float As[TILE][TILE];", "__shared__ float As[TILE * TILE];"},
                                {"As[threadRow][threadCol]", "As[threadRow * TILE + threadCol]"},
                                {"As[threadRow][k]", "As[threadRow * TILE + k]"}})),
            "")
      << "flat arrays";
  EXPECT_EQ(lost(kTiles, tiled({{"  float sum = 0.0f;", "  A += row * K;\n  B += col;\n  float sum = 0.0f;"},
                                {"A[row * K + tile + threadCol]", "A[tile + threadCol]"},
                                {"B[(tile + threadRow) * N + col]", "B[(tile + threadRow) * N]"}})),
            "")
      << "pointers that were moved";
  EXPECT_EQ(lost(kTiles, tiled({{"__global__ void sgemm_shared_tile(",
                                 "__device__ float product(const float *row, const float (*tile)[TILE], int col) {\n"
                                 "  float sum = 0;\n#pragma unroll 4\n  for (int k = 0; k < TILE; ++k) sum = "
                                 "fmaf(row[k], tile[k][col], sum);\n  return sum;\n}\n"
                                 "__global__ void sgemm_shared_tile("},
                                {"    for (int k = 0; k < TILE; ++k) {\n      const float a = As[threadRow][k];  // "
                                 "[read As]\n      const float b = Bs[k][threadCol];  // [read Bs]\n      sum += a * "
                                 "b;\n    }\n",
                                 "    sum += product(As[threadRow], Bs, threadCol);\n"}})),
            "")
      << "functions of its own";
}

TEST_F(Marking, SaysHowTheKernelIsCalled) {
  const std::string as = "__global__ void mine(const float *A, const float *B, float *C, int M, int N, int K)";
  EXPECT_THAT(lost(kTiles, "__global__ void mine(int M, int N, int K, float *A) {}\n"),
              HasSubstr("mine must have 6 parameters, not 4: it is called as " + as + "."));
  EXPECT_THAT(lost(kTiles, "__global__ void mine(int M, int N, int K, float *A, float *B, float *C) {}\n"),
              HasSubstr("Parameter 1 of mine must have 8 bytes, as A has, not 4: it is called as " + as + "."));
  EXPECT_THAT(lost(kTiles, "__global__ void mine(float *A, float *B, float *C, float M, int N, int K) {}\n"),
              HasSubstr("Parameter 4 of mine has another type than M: it is called as " + as + "."));
  EXPECT_EQ(
      graded(kTiles, tiled()).launch,
      "It is called as `__global__ void sgemm_shared_tile(const float *A, const float *B, float *C, int M, int N, "
      "int K)`. The compiler is given the macros TILE=32, FLAT=0. At M=64 N=96 K=128 the grid has (3, 2) blocks "
      "of (32, 32) threads. The file does not use FLAT.");
  const GradeRules& rules = *lesson(kTiles).grade;
  EXPECT_THAT(launch_text(rules, *rules.like),
              testing::StartsWith("It is called as `__global__ void sgemm_shared_tile("))
      << "for the sheet";
  EXPECT_THAT(graded(kTiles, "__global__ void mine(float *A) {}\n").launch,
              testing::EndsWith(" The file does not use TILE and FLAT."));
}

TEST_F(Marking, AnEndlessLoopIsNamedWithoutAdviceThatGradeDoesNotTake) {
  run::Control control;
  control.step_budget = 1000;
  run::RunCache cache(built_compiler(), control);
  runs_ = Runs(cache);
  const std::string said =
      lost(kTiles, tiled({{"  float sum = 0.0f;", "  float sum = 0.0f;\n  while (N > 0) sum += 1;"}}));
  EXPECT_THAT(said, AllOf(HasSubstr("issued 1000 warp instructions without ending"), HasSubstr("endless loop"),
                          Not(HasSubstr("--"))));
}

TEST_F(Marking, AKernelMayHaveConstantsOfItsOwn) {
  const std::string kernel = tiled();
  EXPECT_EQ(lost(kTiles, "#define TILE 32\n" + kernel), "");
  EXPECT_EQ(lost(kTiles, "constexpr int TILE = 32;\n" + kernel), "");
  EXPECT_EQ(lost(kTiles, "enum { TILE = 32 };\n" + kernel), "");
  EXPECT_THAT(lost(kTiles, "const int TILE = 16;\n" + kernel),
              HasSubstr("The file says TILE = 16, but it is run with 32."));
  EXPECT_THAT(lost(kTiles, "#define TILE 16\n" + kernel), HasSubstr("The file says TILE = 16, but it is run with 32."));
  EXPECT_EQ(lost(kTiles, "#ifndef TILE\n#define TILE 16\n#endif\n" + kernel), "") << "what is asked for is taken";
}

TEST_F(Marking, WhatComputesNothingGetsNothing) {
  EXPECT_EQ(graded(kTiles, "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {}").points(), 0U);
  EXPECT_EQ(graded(kTiles, naive("1.0f", "1.0f")).points(), 0U);
}

TEST_F(Marking, WhatIsExpectedComesFromTheLesson) {
  const std::string transpose = "lessons/19-transpose/transpose_tile.cu";
  EXPECT_EQ(lost("transpose", text_of(transpose)), "") << "beside a reference of its own";
  EXPECT_EQ(lost("transpose", text_of(transpose, {{"// What is expected: element by element.\n__global__ void naive",
                                                   "__device__ void unused"}})),
            "")
      << "without one";
  const Grade empty = graded("transpose",
                             "__global__ void mine(const float *in, float *out, int rows, int cols) {}\n"
                             "__global__ void naive(const float *in, float *out, int rows, int cols) {}");
  EXPECT_EQ(empty.points(), 0U);
}

TEST_F(Marking, ASumMayEndInAtomicInstructionsAndInNothingElse) {
  const auto sum = [](const std::string& body) {
    return "__global__ void mine(const float *in, float *sum, int n) {\n"
           "  int i = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;\n" +
           body + "}";
  };
  const auto file = [](const char* name) { return text_of(std::string("lessons/20-reduction/") + name + ".cu"); };
  EXPECT_EQ(lost("reduction", file("sum_shuffles")), "");
  EXPECT_THAT(lost("reduction", sum("  for (int k = 0; k < PER_THREAD; ++k, i += blockDim.x) if (i < n) "
                                    "atomicAdd(sum, in[i]);\n")),
              HasSubstr("Not every block adds to *sum exactly once"));
  EXPECT_THAT(lost("reduction", sum("  float mine = 0;\n  for (int k = 0; k < PER_THREAD; ++k, i += blockDim.x) if (i "
                                    "< n) mine += atomicAdd((float *)&in[i], 0.0f);\n  __shared__ float all;\n  if "
                                    "(threadIdx.x == 0) all = 0;\n  __syncthreads();\n  atomicAdd(&all, mine);\n  "
                                    "__syncthreads();\n  if (threadIdx.x == 0) atomicAdd(sum, all);\n")),
              HasSubstr("The kernel uses atomic instructions;"));
  const std::string others_add_nothing =
      "  float mine = 0;\n  if (blockIdx.x == 0) for (int k = threadIdx.x; k < n; k "
      "+= blockDim.x) mine += in[k];\n  for (int half = 16; half > 0; half /= 2) "
      "mine += __shfl_down_sync(~0u, mine, half);\n  __shared__ float part[32];\n"
      "  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = mine;\n"
      "  __syncthreads();\n  if (threadIdx.x > 0) return;\n"
      "  for (int k = 1; k < blockDim.x / 32; ++k) mine += part[k];\n";
  EXPECT_THAT(lost("reduction", sum(others_add_nothing + "  atomicAdd(sum, mine);\n")),
              testing::StartsWith("the blocks share the work: "));
  EXPECT_THAT(lost("reduction", sum(others_add_nothing + "  if (blockIdx.x == 0) atomicAdd(sum, mine);\n"
                                                         "  else atomicAdd(sum, 0.0f);\n")),
              testing::StartsWith("the blocks share the work: "))
      << "by another instruction";
}

TEST_F(Marking, EveryBlockDoesItsShare) {
  const auto transpose = [](const std::string& body) {
    return "__global__ void mine(const float *in, float *out, int rows, int cols) {\n"
           "  __shared__ float tile[32][33];\n  const int x = threadIdx.x, y = threadIdx.y;\n" +
           body + "}\n";
  };
  const auto moved = [](const std::string& col, const std::string& row) {
    return "    tile[y][x] = in[(" + row + " + y) * cols + " + col + " + x];\n    __syncthreads();\n    out[(" + col +
           " + y) * rows + " + row + " + x] = tile[x][y];\n    __syncthreads();\n";
  };
  const auto lines_lost = testing::StartsWith("the blocks share the work: ");
  EXPECT_EQ(lost("transpose", transpose(moved("32 * blockIdx.x", "32 * blockIdx.y"))), "");
  EXPECT_THAT(
      lost("transpose", transpose("  if (blockIdx.x + blockIdx.y > 0) return;\n  for (int row = 0; row < rows; row "
                                  "+= 32)\n    for (int col = 0; col < cols; col += 32) {\n" +
                                  moved("col", "row") + "  }\n")),
      lines_lost)
      << "one block does it all";
  EXPECT_EQ(
      lost("transpose", transpose("  if (y > 0) return;\n  const int col = 32 * blockIdx.x, row = 32 * blockIdx.y;\n"
                                  "  float word[32];\n#pragma unroll\n  for (int k = 0; k < 32; ++k) word[k] = "
                                  "in[(row + k) * cols + col + x];\n#pragma unroll\n  for (int half = 16; half; half "
                                  "/= 2)\n#pragma unroll\n    for (int k = 0; k < 32; ++k) if (!(k & half)) {\n"
                                  "      const float got = __shfl_xor_sync(~0u, x & half ? word[k] : word[k + half], "
                                  "half);\n      if (x & half) word[k] = got; else word[k + half] = got;\n    }\n"
                                  "#pragma unroll\n  for (int k = 0; k < 32; ++k) out[(col + k) * rows + row + x] = "
                                  "word[k];\n")),
      "")
      << "by shuffles";
  EXPECT_THAT(
      lost(
          "reduction",
          text_of(
              "lessons/20-reduction/sum_shuffles.cu",
              {{"first = blockIdx.x * THREADS * PER_THREAD + t;",
                "share = THREADS * PER_THREAD, first = share * blockIdx.x, end = blockIdx.x == 1 ? n : first + share;"},
               {"  for (int k = 0; k < PER_THREAD; ++k) {\n    const int i = first + k * THREADS;\n    if (i < n) mine "
                "+= in[i];  // [read]\n  }\n",
                "  if (blockIdx.x < 2) for (int i = first + t; i < end; i += THREADS) mine += in[i];\n"}})),
      lines_lost)
      << "the first block is honest";
  EXPECT_THAT(lost("attention",
                   text_of("lessons/21-attention/flash.cu",
                           {{"  const int query = blockIdx.x * ROWS",
                             "  if (blockIdx.x > 0) return;\n  for (int block = 0; block < gridDim.x; "
                             "++block) {\n  const int query = block * ROWS"},
                            {"out[query * D + d] = result[d] / sum;", "out[query * D + d] = result[d] / sum; }"}})),
              lines_lost)
      << "one block does it all";
}

// Scores are rounded differently by each of these.
TEST_F(Marking, AnExponentialIsWrittenAsOneLikes) {
  const auto flash = [](const std::vector<std::pair<std::string, std::string>>& changes) {
    return text_of("lessons/21-attention/flash.cu", changes);
  };
  EXPECT_EQ(lost("attention", flash({})), "");
  EXPECT_EQ(lost("attention", flash({{"expf(most - larger)", "exp2f(most - larger)"},
                                     {"expf(scores[key] - most)", "exp2f(scores[key] - most)"},
                                     {"* rsqrtf(D)", "* (rsqrtf(D) * 1.44269504f)"}})),
            "")
      << "powers of 2";
  EXPECT_EQ(lost("attention", flash({{"expf(most - larger)", "__expf(most - larger)"},
                                     {"expf(scores[key] - most)", "__expf(scores[key] - most)"},
                                     {"queries[query * D + d] * rsqrtf(D)", "queries[query * D + d]"},
                                     {"larger = fmaxf", "scores[key] /= sqrtf(D);\n      larger = fmaxf"}})),
            "")
      << "fast, and divided afterwards";
}

TEST_F(Marking, ASoftmaxWithoutItsMaximumOverflows) {
  const auto flash = [&](const std::string& shift, const std::string& of_score) {
    return lost("attention",
                text_of("lessons/21-attention/flash.cu",
                        {{"most = -INFINITY", "most = " + shift}, {"larger = fmaxf(larger, scores[key]);", of_score}}));
  };
  const std::string said =
      "right where scores are large: At M=64 N=96: With scores near 100 the result is wrong: e^100 "
      "is more than a float can hold. Subtract the maximum of the query's scores before you take "
      "e^x.\n";
  EXPECT_EQ(flash("0", ";"), said);
  EXPECT_EQ(flash("10", ";"), said) << "a constant in place of the maximum";
  EXPECT_EQ(flash("0", "scores[key] = fminf(scores[key], 80.0f);"), said) << "clamped";
}

TEST_F(Marking, AReadIsAReadByWhateverInstruction) {
  const std::string twice = "reads elements of A or B from global memory more than once";
  EXPECT_THAT(lost(kTiles, naive("A[row * K + k]", "B[k * N + col]")), HasSubstr(twice));
  EXPECT_THAT(lost(kTiles, naive("atomicAdd(&A[row * K + k], 0.0f)", "atomicAdd(&B[k * N + col], 0.0f)")),
              HasSubstr("The kernel uses atomic instructions;"));
  EXPECT_THAT(lost(kTiles, naive("__int_as_float(atomicOr((int *)&A[row * K + k], 0))",
                                 "__int_as_float(atomicOr((int *)&B[k * "
                                 "N + col], 0))")),
              HasSubstr("The kernel uses atomic instructions;"));
  EXPECT_THAT(lost(kTiles, naive("word[0][me]", "word[1][me]",
                                 "    unsigned to = __cvta_generic_to_shared(&word[0][me]);\n"
                                 "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), "
                                 "\"l\"(__cvta_generic_to_global(&A[row * K + k])) : \"memory\");\n"
                                 "    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to + 4096), "
                                 "\"l\"(__cvta_generic_to_global(&B[k * N + col])) : \"memory\");\n"
                                 "    asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n")),
              HasSubstr(twice));
  EXPECT_THAT(lost(kTiles, naive("a", "b",
                                 "    float a, b;\n    asm volatile(\"ld.f32 %0, [%1];\" : \"=f\"(a) : \"l\"(&A[row * "
                                 "K + k]));\n    asm volatile(\"ld.f32 %0, [%1];\" : \"=f\"(b) : \"l\"(&B[k * N + "
                                 "col]));\n")),
              HasSubstr(twice));
}

TEST_F(Marking, TheCountsHoldAtEverySize) {
  const std::string kernel = naive("A[row * K + k]", "B[k * N + col]");
  const auto tiled_only_if = [&](const std::string& condition) {
    std::string text = tiled({{"__global__ void sgemm_shared_tile(", "__device__ void tiles("}});
    std::string other = kernel;
    other.replace(other.find("__global__ void mine"), 20, "__device__ void naive");
    return text + other + "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {\n  if (" +
           condition + ") tiles(A, B, C, M, N, K); else naive(A, B, C, M, N, K);\n}\n";
  };
  const auto with_entry = [&](const std::string& source) { return lost(kTiles, source); };
  EXPECT_THAT(with_entry(tiled_only_if("M == 64")), HasSubstr("more than once"));
  EXPECT_THAT(with_entry(tiled_only_if("(M == 64 && N == 96 && K == 128) || (M == 96 && N == 96 && K == 96)")),
              HasSubstr("more than once"))
      << "made for the sizes that the lesson lists";
}

TEST_F(Marking, TheDrawnSizeIsAnother) {
  for (const Lesson& each : course_.lessons) {
    if (!each.grade) continue;
    const kernel::Size drawn = drawn_size(*each.grade, 3);
    EXPECT_EQ(drawn, drawn_size(*each.grade, 3));
    EXPECT_EQ(std::count(each.grade->sizes.begin(), each.grade->sizes.end(), drawn), 0) << each.slug;
  }
}

TEST_F(Marking, InputsAreNotMadeAnew) {
  const std::string inputs =
      "typedef unsigned long long u64;\n"
      "__device__ u64 mixed(u64 x) {\n  x += 0x9e3779b97f4a7c15ull;\n  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;\n"
      "  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;\n  return x ^ (x >> 31);\n}\n"
      "__device__ float made(char name, u64 i) {\n"
      "  return (float)(mixed(mixed(mixed(1) ^ name) ^ i) >> 40) * 0x1p-23F - 1;\n}\n";
  const Grade grade = graded(kTiles, inputs + naive("made('A', row * K + k)", "made('B', k * N + col)"));
  ASSERT_EQ(grade.items.size(), 8U);
  EXPECT_TRUE(grade.items[0].passed) << "at a size that the lesson lists, with the inputs that the window shows";
  for (size_t i = 4; i < 8; ++i) EXPECT_FALSE(grade.items[i].passed) << grade.items[i].name;
}

TEST_F(Marking, InputsAreNotWritten) {
  EXPECT_THAT(lost(kTiles, tiled({{"const float *A, const float *B, float *C", "float *A, const float *B, float *C"},
                                  {"  C[row * N + col] = sum;",
                                   "  *(volatile float *)&A[row * K] = A[row * K];\n  C[row * N + col] = sum;"}})),
              HasSubstr("The kernel writes to A, which is an input."));
}

TEST_F(Marking, OneFileIsMarked) {
  write("neighbour.cu", tiled());
  write("hand_in.cu", "#include \"neighbour.cu\"\n");
  const auto kernel = student_kernel(lesson(kTiles), folder_ / "hand_in.cu");
  ASSERT_FALSE(kernel);
  EXPECT_THAT(to_string(kernel.errors()),
              HasSubstr("hand_in.cu includes neighbour.cu. Only headers (.h, .cuh) in its own folder may be included"));
  std::filesystem::create_directories(folder_ / "mine");
  write("neighbour.cuh", tiled());
  write("mine/hand_in.cu", "#include \"../neighbour.cuh\"\n");
  const auto above = student_kernel(lesson(kTiles), folder_ / "mine/hand_in.cu");
  ASSERT_FALSE(above);
  EXPECT_THAT(to_string(above.errors()), HasSubstr("hand_in.cu includes ../neighbour.cuh. Only headers"));
}

TEST_F(Marking, ConflictsAreNotAvoidedWithoutTiles) {
  std::string text = text_of("lessons/09-bank-conflicts/bank_free.cu");
  const std::string head = "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {\n";
  EXPECT_THAT(
      lost("bank-conflicts",
           head + "  for (int i = threadIdx.x; i < 128 * 128; i += 256) {\n    const int row = blockIdx.y * 128 "
                  "+ i / 128, col = blockIdx.x * 128 + i % 128;\n    float sum = 0;\n    for (int k = 0; k < "
                  "K; ++k) sum += atomicAdd(&A[row * K + k], 0.0f) * atomicAdd(&B[k * N + col], 0.0f);\n    "
                  "C[row * N + col] = sum;\n  }\n}\n"),
      HasSubstr("The kernel uses atomic instructions;"));
}

/// Each thread makes whole elements of a `rows` x `columns` tile of the block, whose corner is at `place`.
std::string without_tiles(int rows, int columns, const std::string& place = "blockIdx.y, bx = blockIdx.x") {
  return fmt::format(
      "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {{\n  const int by = {2};\n"
      "  for (int i = threadIdx.x; i < {0} * {1}; i += blockDim.x) {{\n    const int row = by * {0} + i / {1}, col = "
      "bx * {1} + i % {1};\n    float sum = 0;\n    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + "
      "col];\n    C[row * N + col] = sum;\n  }}\n}}\n",
      rows, columns, place);
}

TEST_F(Marking, WithoutTilesMoreWordsAreReadThanTheTilesNeed) {
  const std::string twice = "Elements are fetched more than once";
  EXPECT_THAT(lost("warp-tiles", without_tiles(128, 128)), HasSubstr(twice));
  EXPECT_THAT(lost("registers", without_tiles(64, 256, "blockIdx.x / (N / 256), bx = blockIdx.x % (N / 256)")),
              HasSubstr(twice));
  EXPECT_THAT(lost("bug-hunt",
                   "__global__ void mine(float *A, float *B, float *C, int M, int N, int K) {\n  const int row = "
                   "blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= "
                   "M || col >= N) return;\n  float sum = 0;\n  for (int k = 0; k < K; ++k) sum += A[row * K + k] * "
                   "B[k * N + col];\n  C[row * N + col] = sum;\n}\n"),
              HasSubstr("as if it had no tiles"));
}

TEST_F(Marking, TheWorkIsThatOfAllBlocksAndThreads) {
  EXPECT_THAT(
      lost("reduction",
           "__global__ void mine(const float *in, float *sum, int n) {\n  if (blockIdx.x || threadIdx.x >= 32) "
           "return;\n  float mine = 0;\n  for (int i = threadIdx.x; i < n; i += 32) mine += in[i];\n  for (int h "
           "= 16; h; h /= 2) mine += __shfl_down_sync(~0u, mine, h);\n  if (!threadIdx.x) *sum = mine;\n}\n"),
      HasSubstr("Not every block adds to *sum exactly once"));
  const std::string alone =
      "  __shared__ float sums[TILE * TILE];\n  if (threadIdx.x > 0) return;\n"
      "  for (int e = 0; e < TILE * TILE; ++e) sums[e] = 0;\n"
      "  for (int tile = 0; tile < K / TILE; ++tile) {\n    ARRIVE_EXPECTING(&full[0], STAGE_BYTES);\n"
      "    COPY_BOX(&As[0][0][0], &mapA, tile * TILE, blockRow, &full[0]);\n"
      "    COPY_BOX(&Bs[0][0][0], &mapB, blockCol, tile * TILE, &full[0]);\n    WAIT(&full[0], tile % 2);\n"
      "    for (int e = 0; e < TILE * TILE; ++e)\n"
      "      for (int k = 0; k < TILE; ++k) sums[e] += As[0][e / TILE][k] * Bs[0][k][e % TILE];\n  }\n"
      "  for (int e = 0; e < TILE * TILE; ++e) C[(blockRow + e / TILE) * N + blockCol + e % TILE] = sums[e];\n}\n";
  const std::string warps = text_of("lessons/18-hopper/warps.cu");
  EXPECT_EQ(lost("hopper", warps), "");
  EXPECT_THAT(lost("hopper", warps.substr(0, warps.find("  if (threadIdx.x >= MATH_THREADS) {")) + alone),
              HasSubstr("Most instructions are executed by a few lanes"));
}

TEST_F(Marking, FmasInVainMakeNoReuse) {
  EXPECT_THAT(lost("thread-tile-2d", text_of("kernels/09_thread_tile_2d.cu",
                                             {{"sums[i][j] += regM[i] * regN[j];",
                                               "sums[i][j] = fmaf(As[0][k], 0.0f * As[1][k], fmaf(regM[i], "
                                               "*(volatile float *)&Bs[k][threadCol + j], sums[i][j]));"}})),
              HasSubstr("4 FMAs per word of shared memory"));
}

TEST_F(Marking, AnArrayInLocalMemoryIsNoRegister) {
  EXPECT_THAT(lost("thread-tile-2d",
                   text_of("kernels/09_thread_tile_2d.cu",
                           {{"  float regM[TM];", "  volatile int zero = 0;\n  float regM[TM];"},
                            {"sums[i][j] += regM[i] * regN[j];", "sums[(i + zero) % TM][j] += regM[i] * regN[j];"}})),
              HasSubstr("nothing spilled: At 128: Unroll the loops"));
}

TEST_F(Marking, OneAsynchronousCopyIsNoPipeline) {
  EXPECT_THAT(lost("async-copies", text_of("kernels/12_register_prefetch.cu",
                                           {{"  const int blockRow",
                                             "  if (K < 0) asm volatile(\"cp.async.ca.shared.global [%0], [%1], "
                                             "4;\" :: \"r\"(0), \"l\"(A));\n  const int blockRow"}})),
              HasSubstr("asynchronous copies: "));
}

TEST_F(Marking, TheProductsOfTheTensorCoresReachC) {
  EXPECT_EQ(lost("tensor-cores", text_of("lessons/17-tensor-cores/fragments.cu")), "");
  const std::string beside =
      "    for (int j = 0; j < 16; ++j)\n      for (int e = 0; e < 4; ++e)\n        real[e] = __fadd_rn(real[e], "
      "__fmul_rn(__uint_as_float((unsigned)A[(row + e / 2 * 8) * K + k + j] << 16), __uint_as_float((unsigned)B[(k + "
      "j) * N + blockIdx.x * 8 + first + e % 2] << 16)));\n";
  EXPECT_THAT(
      lost("tensor-cores",
           text_of("lessons/17-tensor-cores/fragments.cu",
                   {{"  float c[4] = {", "  float real[4] = {0, 0, 0, 0};\n  float c[4] = {"},
                    {"    MULTIPLY(c, a, b);", beside + "    a[0] = a[1] = a[2] = a[3] = 0;\n    MULTIPLY(c, a, b);"},
                    {"make_float2(c[0], c[1])", "make_float2(real[0] + c[0], real[1] + c[1])"},
                    {"make_float2(c[2], c[3])", "make_float2(real[2] + c[2], real[3] + c[3])"}})),
      HasSubstr("every product by the tensor cores"));
}

TEST_F(Marking, WhatAFileSaysOfItselfDoesNotCount) {
  const StepPlace sectors{"coalescing", 2};
  Attempt honest, lie;
  honest.given = {{"32", {}, {}, {}}, {"8", {}, {}, {}}};
  lie.given = {{"999", {}, {}, {}}};
  lie.right = true;
  EXPECT_TRUE(judged_again({{sectors, honest}}, course_, runs_).at(sectors).right);
  EXPECT_EQ(judged_again({{sectors, honest}}, course_, runs_).at(sectors).wrong, 1);
  EXPECT_FALSE(judged_again({{sectors, lie}}, course_, runs_).at(sectors).right);
  EXPECT_TRUE(judged_again({{StepPlace{"nowhere", 0}, lie}}, course_, runs_).empty());
  const std::vector<Answers> all{{"Ada", {{sectors, honest}}}, {"Bob", {{sectors, lie}}}, {"Eve", {{sectors, honest}}}};
  EXPECT_THAT(equal_answers(all), testing::ElementsAre(testing::ElementsAre(0, 2)));
}

}  // namespace
}  // namespace tilescope::lesson
