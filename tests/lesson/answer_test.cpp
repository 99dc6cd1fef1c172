#include "lesson/answer.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "built_compiler.h"
#include "lesson/check.h"
#include "lesson/course.h"
#include "lesson/grade.h"
#include "lesson/run_fields.h"
#include "lesson/sheet.h"
#include "shipped_kernels.h"

namespace tilescope::lesson {
namespace {
using testing::HasSubstr;

Runs& runs() {
  static run::RunCache cache(built_compiler());
  static Runs all(cache);
  return all;
}

/// A lesson of one step over kernel 01 at 64.
Lesson with_question(const std::string& question, Diagnostics& problems, const std::string& kernel = "01") {
  return parse_lesson(
      "+++\ntitle = \"T\"\nminutes = 1\n[grade]\nlike = \"02\"\nsizes = [\"M=64,N=32,K=96\"]\n[[grade.require]]\nname "
      "= \"full "
      "sectors\"\n"
      "holds = 'global_store(\"C\").sectors_per_request <= 4'\nmessage = \"Swap x and y.\"\n+++\n## "
      "One\n```scene\nname = \"rows\"\nkernel = \"" +
          kernel + "\"\nsize = 64\n```\n```question\nprompt = \"?\"\n" + question + "```\n",
      "/lessons/01-x/lesson.md", shipped_kernels(), problems);
}

Result<Verdict> try_to_judge(const std::string& question, const Answer& given) {
  Diagnostics problems;
  const Lesson lesson = with_question(question, problems);
  EXPECT_EQ(to_string(problems), "");
  return judge({&lesson, 0, &runs(), {}}, given);
}

Verdict judged(const std::string& question, const Answer& given) {
  const Result<Verdict> verdict = try_to_judge(question, given);
  EXPECT_TRUE(verdict) << to_string(verdict.errors());
  return verdict ? *verdict : Verdict{};
}

std::string value_of(const std::string& expression) {
  Diagnostics problems;
  const Lesson lesson = with_question("kind = \"number\"\nanswer = '" + expression + "'\n", problems);
  const Result<SaidAnswer> answer = solve({&lesson, 0, &runs(), {}});
  return answer ? answer->words : to_string(answer.errors());
}

TEST(Judge, NumbersAreComparedWithTheRun) {
  const std::string question =
      "kind = \"number\"\nanswer = 'global_load(\"A\").sectors_per_request'\nunit = \"sectors\"\n";
  EXPECT_TRUE(judged(question, std::string("32")).right);
  EXPECT_TRUE(judged(question, std::string("4*8")).right);
  EXPECT_FALSE(judged(question, std::string("31")).right);
  EXPECT_EQ(judged(question, std::string("1")).answer.words, "32 sectors");
  const Result<Verdict> none = try_to_judge(question, std::string("lots"));
  ASSERT_FALSE(none);
  EXPECT_EQ(to_string(none.errors()), "error: \"lots\" is not a number. Write one, or a product such as 2*1024^3.");
}

TEST(Judge, ResultsThatAreNotWholeAllowOnePercent) {
  const std::string question = "kind = \"number\"\nanswer = 'global_load.sectors_per_request'\n";
  EXPECT_TRUE(judged(question, std::string("16.6")).right);
  EXPECT_FALSE(judged(question, std::string("17")).right);
}

TEST(Judge, AChoiceIsRightWhenItsConditionHolds) {
  const std::string question =
      "kind = \"choice\"\nchoices = [{ text = \"a row\", when = 'at(\"store C\").lane(1).col == 1' }, { text = \"a "
      "column\", when = 'at(\"store C\").lane(1).row == 1' }]\n";
  EXPECT_FALSE(judged(question, size_t{0}).right);
  EXPECT_TRUE(judged(question, size_t{1}).right);
  EXPECT_FALSE(judged(question, size_t{7}).right);
  EXPECT_EQ(judged(question, size_t{0}).answer.words, "a column");
}

TEST(Judge, AClickIsRightWhereTheExpressionHolds) {
  const std::string question =
      "kind = \"click\"\ntarget = \"cell\"\nanswer = 'array == \"A\" && row == at(\"load A\").lane(5).row && col == "
      "at(\"load A\").lane(5).col'\n";
  EXPECT_TRUE(judged(question, Click{"A", 5, 0, -1, -1}).right);
  EXPECT_FALSE(judged(question, Click{"B", 5, 0, -1, -1}).right);
  EXPECT_EQ(judged(question, Click{}).answer.words, "A[5][0]");
}

TEST(Judge, AnotherRunMakesItSo) {
  const std::string question =
      "kind = \"task\"\nedit = true\nsolution = \"02\"\nanswer = 'correct && global_store.max_sectors <= 4'\n";
  Diagnostics problems;
  const Lesson lesson = with_question(question, problems);
  Scene changed = *lesson.steps[0].scene;
  const Result<Verdict> before = judge({&lesson, 0, &runs(), {}}, changed);
  ASSERT_FALSE(before);
  EXPECT_EQ(to_string(before.errors()), "error: The program is as it was. Edit it, choose Run, then check.");
  kernel::Kernel mended = *lesson.steps[0].question->solution_source;
  mended.name = changed.kernel->name;
  changed.kernel = std::make_shared<const kernel::Kernel>(std::move(mended));
  EXPECT_TRUE(judged(question, changed).right);
}

TEST(Scope, NamesWhatARunCounted) {
  EXPECT_EQ(value_of("threads"), "1\u00A0024");
  EXPECT_EQ(value_of("words_per_output"), "128");
  EXPECT_EQ(value_of("2 * fma / flops"), "1");
  EXPECT_EQ(value_of("global_load(\"A\").sectors + global_load(\"B\").sectors - global_load.sectors"), "0");
  EXPECT_EQ(value_of("line(\"load A\").global_load.requests"), "8\u00A0192");
  EXPECT_EQ(value_of("at(\"load A\", 2).lane(0).col"), "1");
  EXPECT_EQ(value_of("at(\"load A\", 1, 3).lane(31).row"), "31");
  EXPECT_EQ(value_of("at(\"load B\").distinct_addresses"), "1");
  EXPECT_EQ(value_of("device(\"T4\").sms"), "40");
  EXPECT_EQ(value_of("limits(\"sm_86\").warps_per_sm"), "48");
  EXPECT_EQ(value_of("bound(\"T4\").seconds > bound.seconds"), "1");
  EXPECT_EQ(value_of("rows.M"), "64");
  EXPECT_EQ(value_of("ptx(\"ld.global\").executed"), value_of("global_load.requests"));
}

TEST(Scope, SaysWhatThereIsInstead) {
  EXPECT_THAT(value_of("thread"), HasSubstr("There is no thread; did you mean threads?"));
  EXPECT_THAT(value_of("global_load(\"As\").sectors"), HasSubstr("The run accesses no array As; it accesses A, B, C."));
  EXPECT_THAT(value_of("line(\"lode A\").number"),
              HasSubstr("01_naive_rows has no line [lode A]; it has row, col, load A, load B, store C."));
  EXPECT_THAT(value_of("at(\"load A\", 65).sectors"),
              HasSubstr("Warp 0 does not access memory 65 times on the line [load A]."));
  EXPECT_THAT(value_of("at(\"load A\").lane(32).row"), HasSubstr("Write lane(5): a number from 0 to 31."));
  EXPECT_THAT(value_of("device(\"T5\").sms"), HasSubstr("T4"));
}

TEST(Scope, QuotesWhatWasRecordedOfTheRunsKernel) {
  EXPECT_EQ(value_of("recorded(\"NVIDIA H200\", 4096).gflops"), "498");
  EXPECT_EQ(value_of("rows.recorded(\"NVIDIA H200\", 256).seconds * 10^9"), "142\u00A0944");
  EXPECT_EQ(value_of("recorded(\"NVIDIA H200\", 4096).device == \"NVIDIA H200\""), "1");
  EXPECT_EQ(value_of("published(\"NVIDIA GeForce RTX 3070 Laptop GPU\", 2048).gflops"), "138");
}

TEST(Scope, QuotesTheHardwaresCountersOfARecording) {
  EXPECT_EQ(value_of("recorded(\"NVIDIA H200\", 4096).counter(\"smsp__inst_executed.sum\")"),
            "9\u00A0823\u00A0059\u00A0968");
  EXPECT_THAT(
      value_of("recorded(\"NVIDIA H200\", 4096).counter(\"inst\")"),
      HasSubstr("No counter inst was recorded of 01_naive_rows BLOCK=32. There are: smsp__inst_executed.sum, "));
  EXPECT_THAT(value_of("recorded(\"NVIDIA H200\", 1024).counter(\"inst\")"), HasSubstr("There are none."));
  EXPECT_THAT(value_of("recorded(\"NVIDIA H200\", 4096).counter(1)"), HasSubstr("a hardware counter's name."));
}

TEST(Scope, AFigureMayHaveItsParametersInAnotherOrder) {
  Diagnostics problems;
  const Lesson lesson = with_question(
      "kind = \"number\"\nanswer = 'published(\"NVIDIA GeForce RTX 4090\", 1025).seconds * 10^6'\n", problems, "07");
  const Result<SaidAnswer> published = solve({&lesson, 0, &runs(), {}});
  ASSERT_TRUE(published) << to_string(published.errors());
  EXPECT_EQ(published->words, "758");
}

TEST(Scope, SaysWhatIsRecordedWhereTheWantedIsNot) {
  EXPECT_THAT(value_of("recorded(\"NVIDIA H200\", 1027).gflops"),
              HasSubstr("Nothing recorded of 01_naive_rows BLOCK=32 on NVIDIA H200 at 1027 ships with the program. "
                        "There are: NVIDIA H200 at 256, NVIDIA H200 at 512, NVIDIA H200 at 1024, NVIDIA H200 at 1025, "
                        "NVIDIA H200 at 2048, NVIDIA H200 at 4096, NVIDIA H200 at 4097, NVIDIA H200 at 8192, "
                        "NVIDIA H200 at 16384."));
  EXPECT_THAT(value_of("recorded(4096).gflops"),
              HasSubstr("Write recorded(\"NVIDIA H200\", 4096): the device, and the size M = N = K."));
}

TEST(Scope, RecordingsOfAnotherTextAreNotOfThisKernel) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "A changed text has to be compiled.";
  Diagnostics problems;
  Scene scene = *with_question("kind = \"number\"\nanswer = \"M\"\n", problems).steps[0].scene;
  kernel::Kernel changed = *scene.kernel;
  changed.source += "\n// changed\n";
  scene.kernel = std::make_shared<const kernel::Kernel>(std::move(changed));
  const auto run = runs().run(scene);
  ASSERT_TRUE(run) << to_string(run.errors());
  const Result<Value> value =
      describe_run(*run)->fields.at("recorded").object()->call({std::string("NVIDIA H200"), 4096.0});
  ASSERT_FALSE(value);
  EXPECT_THAT(to_string(value.errors()),
              HasSubstr("There are none of this kernel with these parameters and this text."));
}

TEST(CheckLesson, FindsWhatDoesNotHold) {
  const auto found = [](const std::string& question) {
    Diagnostics problems;
    const Lesson lesson = with_question(question, problems);
    EXPECT_EQ(to_string(problems), "");
    return to_string(check_lesson(lesson, runs()));
  };
  EXPECT_EQ(found("kind = \"number\"\nanswer = \"threads\"\n"), "");
  EXPECT_THAT(found("kind = \"number\"\nanswer = \"thread\"\n"),
              HasSubstr("lesson.md:21:11: error: In \"thread\": There is no thread; did you mean threads?"));
  EXPECT_THAT(
      found("kind = \"choice\"\nchoices = [{ text = \"a\", when = \"M > 1\" }, { text = \"b\", when = \"N > 1\" }]\n"),
      HasSubstr("All of the choices are right."));
  EXPECT_EQ(found("kind = \"number\"\nanswer = \"threads + T\"\nrandom = { T = [1, 2] }\n"), "");
  EXPECT_THAT(found("kind = \"number\"\nanswer = \"threads + 0 * T\"\nrandom = { T = [1, 2] }\n"),
              HasSubstr("The answer is the same for all values of `random`."));
  EXPECT_THAT(found("kind = \"click\"\ntarget = \"lane\"\nanswer = \"lane >= 0\"\n"),
              HasSubstr("Everything can be clicked that is right"));
  EXPECT_THAT(found("kind = \"task\"\nedit = true\nsolution = \"01\"\nanswer = \"global_store.max_sectors <= 4\"\n"),
              HasSubstr("The solution does not make it so."));
  EXPECT_THAT(found("kind = \"task\"\nedit = true\nsolution = \"02\"\nanswer = \"correct\"\n"),
              HasSubstr("It is so before anything was changed."));
}

TEST(CheckLesson, FindsWhatGivesAnAnswerAway) {
  const auto found = [](const std::string& title, const std::string& scene, const std::string& text,
                        const std::string& question) {
    Diagnostics problems;
    const Lesson lesson = parse_lesson("+++\ntitle = \"T\"\nsummary = \"Which is slower\"\nminutes = 1\n+++\n## " +
                                           title + "\n```scene\nkernel = \"01\"\nsize = 64\n" + scene + "```\n" + text +
                                           "\n```question\nprompt = \"What of the block?\"\n" + question + "```\n",
                                       "/lessons/01-x/lesson.md", shipped_kernels(), problems);
    EXPECT_EQ(to_string(problems), "");
    return to_string(check_lesson(lesson, runs()));
  };
  const auto choice = [](const std::string& right, const std::string& wrong) {
    return "kind = \"choice\"\nchoices = [{ text = \"" + right + "\", when = \"M == 64\" }, { text = \"" + wrong +
           "\", when = \"M < 64\" }]\n";
  };
  EXPECT_EQ(found("Better or worse?", "", "", choice("fewer", "more")), "");
  EXPECT_EQ(found("Blocks", "", "", choice("a block", "a warp")), "") << "a word of the prompt";
  EXPECT_EQ(found("Registers or warps", "", "", choice("registers and warps", "warps, and no registers")), "");
  EXPECT_THAT(found("Few warps", "", "", choice("fewer", "more")),
              HasSubstr("The step's title \"Few warps\" has words of the right choice: few."));
  EXPECT_THAT(found("One", "", "", choice("it is slower", "as fast")),
              HasSubstr("The lesson's summary \"Which is slower\" has words of the right choice: slow."));
  EXPECT_THAT(found("\u66f4\u6162", "", "", choice("\u5b83\u66f4\u6162", "\u66f4\u5feb")),
              HasSubstr("has words of the right choice"));
  EXPECT_THAT(found("All 64", "", "", "kind = \"number\"\nanswer = \"M\"\n"),
              HasSubstr("The step's title \"All 64\" has the number that is asked for."));
  const std::string line = "kind = \"click\"\ntarget = \"line\"\nanswer = 'line_number == line(\"load A\").number'\n";
  EXPECT_EQ(found("Which?", "", "`[load A]`, `[load B]`", line), "");
  EXPECT_THAT(found("Which?", "", "`[load A]`", line), HasSubstr("the text quotes only the right one, [load A]."));
  EXPECT_THAT(found("Which?", "cursor = { at = \"load A\" }\n", "", line),
              HasSubstr("The scene's cursor is on the right line, [load A]."));
  EXPECT_THAT(found("The load", "", "", line), HasSubstr("has words of the right choice: load."));
}

TEST(GradeKernel, MarksResultFindingsAndCounts) {
  Diagnostics problems;
  Lesson lesson = with_question("kind = \"number\"\nanswer = \"threads\"\n", problems);
  lesson.grade->sizes = {{64, 64, 64}};  // Kernel 01's grid is another where M is not N.
  const Result<kernel::Kernel> slow = student_kernel(lesson, TILESCOPE_SOURCE_DIR "/kernels/01_naive_rows.cu");
  const Grade grade = grade_kernel(lesson, *slow, runs(), 0);
  ASSERT_EQ(grade.items.size(), 5U) << "right and clean at 64 and at a drawn size, and the requirement";
  EXPECT_TRUE(grade.items[0].passed);
  EXPECT_TRUE(grade.items[1].passed);
  EXPECT_FALSE(grade.items[4].passed);
  EXPECT_EQ(grade.items[4].message, "At 64: Swap x and y.");

  if (const auto toolchain = built_compiler().toolchain(); !toolchain) return;  // A changed text has to be compiled.
  kernel::Kernel broken = *slow;
  broken.source = "__global__ void f(const float *A) { oops }";
  const Grade failed = grade_kernel(lesson, broken, runs(), 0);
  EXPECT_EQ(failed.points(), 0U);
  EXPECT_THAT(failed.items[0].message, HasSubstr("line 1"));
}

class StudentKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto toolchain = built_compiler().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  }
  void TearDown() override { std::filesystem::remove(file_); }

  /// The messages of failed items; of lesson 2's grading, which uses kernel 02's description.
  std::string graded(const std::string& source, const kernel::OpenWith& with = {}) {
    std::ofstream(file_) << source;
    Diagnostics problems;
    const Lesson lesson = with_question("kind = \"number\"\nanswer = \"threads\"\n", problems);
    const Result<kernel::Kernel> kernel = student_kernel(lesson, file_, with);
    if (!kernel) return to_string(kernel.errors());
    std::string messages;
    for (const GradeItem& item : grade_kernel(lesson, *kernel, runs(), 0).items)
      if (!item.passed) messages += item.message + "\n";
    return messages;
  }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("student-" + std::to_string(::getpid()) + ".cu");
  const std::string body_ =
      "(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= M || col >= N) return;\n  float sum = 0;\n"
      "  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];\n"
      "  C[row * N + col] = sum;\n}\n";
};

TEST_F(StudentKernel, ATemplateGetsTheLendersValuesAndThoseOfItsLaunch) {
  const std::string main = "#include <vector>\nint main() { std::vector<float> host(4); ";
  EXPECT_EQ(graded("template <int BLOCK>\n__global__ void mine" + body_ + main + "}\n"), "");
  EXPECT_EQ(graded("template <typename T, int WIDTH>\n__global__ void mine" + body_ + main +
                   "mine<float, 8><<<1, 64>>>(0, 0, 0, 8, 8, 8); }\n"),
            "");
  const std::string fixed = "template <int W>\n__global__ void mine" + body_;
  const std::string of_16 = fixed.substr(0, fixed.find("blockIdx.y * blockDim.y")) +
                            "blockIdx.y * W + threadIdx.y, col = blockIdx.x * W" +
                            fixed.substr(fixed.find(" + threadIdx.x"));
  EXPECT_EQ(graded(of_16 + main + "mine<16><<<1, dim3(16, 16)>>>(0, 0, 0, 8, 8, 8); }\n"), "");
  EXPECT_THAT(graded("template <int WIDTH>\n__global__ void mine" + body_),
              HasSubstr("no launch says what its WIDTH is"));
}

TEST_F(StudentKernel, OfSeveralOneIsNamed) {
  const std::string both = "__global__ void empty(float* C) {}\n__global__ void mine" + body_;
  EXPECT_THAT(graded(both), HasSubstr("2 __global__ functions (empty, mine); say which: --entry empty."));
  EXPECT_EQ(graded(both, {"mine", {}}), "");
}

TEST(Judge, ATaskThatIsNotDoneSaysWhatIsLacking) {
  run::Report report;
  report.verified.emplace();
  EXPECT_THAT(failing_of(report).text(), HasSubstr("right and nothing was found"));
  report.findings.add(analysis::Finding{});
  EXPECT_THAT(failing_of(report).text(), HasSubstr("found something"));
  report.verified->wrong = 3;
  EXPECT_EQ(failing_of(report).text(), "Not yet. The result is wrong.");
}

/// The kernel that lesson 3 marks by, with one text for another.
Grade grade_of_tiles_with(const std::string& old, const std::string& text) {
  static const Course course = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels());
  const Lesson& lesson = **find_lesson(course, "shared-tiles");
  kernel::Kernel kernel = *lesson.grade->like;
  const size_t at = kernel.source.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  kernel.source.replace(at, old.size(), text);
  return grade_kernel(lesson, kernel, runs(), 0);
}

TEST(GradeKernel, AnEmptyBodyGetsNoPoint) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "a changed text has to be compiled";
  const Grade grade = grade_of_tiles_with("const int row = ", "return;\n  const int row = ");
  EXPECT_GT(grade.items.size(), 4U);
  EXPECT_EQ(grade.points(), 0U);
  EXPECT_EQ(grade.items[1].message, "Not marked, because the result is wrong.");
}

TEST(GradeKernel, PrintingCostsNothing) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "a changed text has to be compiled";
  const Grade grade = grade_of_tiles_with(
      "const int row = ",
      "if (threadIdx.x == 0 && blockIdx.x == 0) printf(\"%d %d\\n\", threadIdx.y, K);\n  const int row = ");
  for (const GradeItem& item : grade.items) EXPECT_TRUE(item.passed) << item.name << ": " << item.message;
}

TEST(GradeKernel, ExchangedSizesAreFoundOut) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "a changed text has to be compiled";
  const Grade grade = grade_of_tiles_with("int N, int K", "int K, int N");
  EXPECT_LT(grade.points(), grade.items.size());
}

/// Marks a file of a lesson's folder, with one text for another.
Grade grade_of_file(const std::string& slug, const std::string& file, const std::string& old = "",
                    const std::string& text = "") {
  static const Course course = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels());
  const Lesson& lesson = **find_lesson(course, slug);
  Result<kernel::Kernel> kernel = student_kernel(lesson, lesson.file.parent_path() / file);
  if (!kernel) {
    ADD_FAILURE() << to_string(kernel.errors());
    return {};
  }
  const size_t at = kernel->source.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  kernel->source.replace(at, old.size(), text);
  return grade_kernel(lesson, *kernel, runs(), 0);
}

std::string failed_items(const Grade& grade) {
  std::string names;
  for (const GradeItem& item : grade.items)
    if (!item.passed) names += (names.empty() ? "" : "; ") + item.name;
  return names;
}

TEST(GradeKernel, TensorCoresMustMakeEachProductOnce) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "a changed text has to be compiled";
  EXPECT_EQ(failed_items(grade_of_file("tensor-cores", "fragments.cu")), "");
  EXPECT_EQ(grade_of_file("tensor-cores", "mend_17.cu").points(), 0U);
  // Twice, and half of it.
  EXPECT_EQ(failed_items(grade_of_file("tensor-cores", "fragments.cu", "MULTIPLY(c, a, b);",
                                       "MULTIPLY(c, a, b); MULTIPLY(c, a, b); for (int i = 0; k + 16 >= K && i < 4; "
                                       "++i) c[i] *= 0.5f;")),
            "every product by the tensor cores");
  EXPECT_EQ(failed_items(grade_of_file("tensor-cores", "fragments.cu", "MULTIPLY(c, a, b);",
                                       "if (*(volatile const bf16 *)&A[row * K + k] != 0xffff) MULTIPLY(c, a, b);")),
            "eight loads for each mma at most");
}

TEST(GradeKernel, AWarpThatCopiesMustNotBeHeldUp) {
  if (const auto toolchain = built_compiler().toolchain(); !toolchain)
    GTEST_SKIP() << "a changed text has to be compiled";
  EXPECT_EQ(failed_items(grade_of_file("hopper", "warps.cu")), "");
  for (const char* file : {"mend_18.cu", "bug_18.cu"}) EXPECT_EQ(grade_of_file("hopper", file).points(), 0U) << file;
  EXPECT_EQ(
      failed_items(grade_of_file("hopper", "warps.cu", "ARRIVE(&empty[stage]);",
                                 "asm volatile(\"bar.sync 1, %0;\" ::\"n\"(MATH_THREADS)); ARRIVE(&empty[stage]);")),
      "no barrier for all threads in the loop");
}

TEST(CheckLesson, WantsASizeThatIsNotSquareForMarking) {
  Diagnostics problems;
  Lesson lesson = with_question("kind = \"number\"\nanswer = \"threads\"\n", problems, "02");
  lesson.grade->sizes = {{64, 64, 64}, {64, 96, 64}};
  EXPECT_THAT(to_string(check_lesson(lesson, runs())), HasSubstr("One of the sizes needs an M, N and K that differ"));
}

TEST(LabSheet, HidesTheAnswersUnlessAsked) {
  Diagnostics problems;
  const Lesson lesson = with_question("kind = \"number\"\nanswer = \"threads\"\nunit = \"threads\"\n", problems);
  const std::string sheet = lab_sheet(lesson, runs(), 0, false, problems),
                    solved = lab_sheet(lesson, runs(), 0, true, problems);
  EXPECT_EQ(sheet.find("1\u00A0024"), std::string::npos);
  EXPECT_THAT(sheet, HasSubstr("Answer: ______________ threads"));
  EXPECT_LT(sheet.find("**Predict.**"), sheet.find("tilescope trace 01_naive_rows")) << "what it prints is the answer";
  EXPECT_THAT(sheet, HasSubstr(" --answered -o ")) << "the picture that explains the answer";
  EXPECT_THAT(solved, HasSubstr("**Answer:** 1\u00A0024 threads"));
}

TEST(LabSheet, ItsPicturesAreInItsLanguage) {
  Diagnostics problems;
  Lesson lesson = with_question("kind = \"number\"\nanswer = \"threads\"\nunit = \"threads\"\n", problems);
  lesson.language = "zh";
  EXPECT_THAT(lab_sheet(lesson, runs(), 0, false, problems), HasSubstr(" --answered --lang zh -o "));
}

// Without NVRTC: what the lessons run ships as PTX.
TEST(Lessons, EverythingThatTheyClaimHolds) {
  compile::Settings settings = built_settings();
  settings.library = "/nonexistent";
  compile::Compiler compiler(settings);
  run::RunCache cache(compiler);
  Runs shipped(cache);
  const Course course = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels());
  EXPECT_EQ(to_string(course.problems), "");
  EXPECT_FALSE(course.lessons.empty());
  for (const Lesson& lesson : course.lessons) EXPECT_EQ(to_string(check_lesson(lesson, shipped)), "") << lesson.slug;
  EXPECT_EQ(to_string(check_choices(course, shipped)), "");
}

TEST(Lessons, ALetterThatGivesTheAnswersAwayIsRefused) {
  Diagnostics problems;
  Course course;
  for (int i = 0; i < 8; ++i)
    course.lessons.push_back(
        with_question("kind = \"choice\"\nchoices = [ { text = \"No, and this is long\", when = \"threads == 1\" }, "
                      "{ text = \"Yes\", when = \"threads > 1\" } ]\n",
                      problems));
  EXPECT_EQ(to_string(problems), "");
  EXPECT_THAT(to_string(check_choices(course, runs())), HasSubstr("Choice b is right in 8 of 8 questions"));
  course.lessons.pop_back();
  EXPECT_EQ(to_string(check_choices(course, runs())), "");
}

}  // namespace
}  // namespace tilescope::lesson
