#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_program.h"

namespace {
using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

/// As run_tilescope(), with `input` as standard input.
Ran tilescope_told(const std::string& arguments, const std::string& input) {
  return run_command("printf '" + input + "' | " + tilescope_command(arguments));
}

TEST(LessonCommand, ListsTheCourse) {
  const Ran ran = run_tilescope("lesson list --json");
  EXPECT_EQ(ran.status, 0);
  const json course = json::parse(ran.out);
  ASSERT_GE(course["lessons"].size(), 13U);
  EXPECT_EQ(course["lessons"][1]["slug"], "coalescing");
  EXPECT_EQ(course["lessons"][1]["graded"], true);
  EXPECT_EQ(ran.err, "");
}

TEST(LessonCommand, ShowsComputedValues) {
  EXPECT_THAT(run_tilescope("lesson show 2 --answers").out,
              AllOf(HasSubstr("Answer: 8 sectors"), Not(HasSubstr("{{"))));
  const Ran none = run_tilescope("lesson show shared-tile");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err,
              AllOf(StartsWith("error: There is no lesson \"shared-tile\"; did you mean shared-tiles? There are "
                               "1 grid-and-roofline, 2 coalescing, 3 shared-tiles, "),
                    EndsWith(", 22 who-waits.\n")));
}

TEST(LessonCommand, ShowsALessonAsDataWithWhatIsRight) {
  const json lesson = json::parse(run_tilescope("lesson show 3 --json --answers").out);
  EXPECT_EQ(lesson["slug"], "shared-tiles");
  ASSERT_EQ(lesson["steps"].size(), 12U);
  const auto answers = [&](const std::string& kind) {
    std::vector<json> found;
    for (const json& step : lesson["steps"])
      if (step["question"]["kind"] == kind) found.push_back(step["question"]["answer"]);
    return found;
  };
  EXPECT_EQ(answers("number").front(), json({{"words", "8 warps"}, {"number", 8.0}}));
  EXPECT_EQ(answers("click").front(), json({{"words", "line 22"}, {"line", 22}}));
  EXPECT_EQ(answers("choice").back()["choices"], json({"a"}));
  EXPECT_EQ(answers("task").front()["words"], "change the source as in 04_shared_tile.cu");
  const json open = json::parse(run_tilescope("lesson show 3 --json").out);
  EXPECT_FALSE(open["steps"][0]["question"].contains("answer"));
  EXPECT_FALSE(open["steps"][0].contains("after"));
}

TEST(LessonCommand, PlayJudgesHintsAndExplains) {
  const Ran ran = tilescope_told("lesson play 2", "1\\n24\\nC[2][1]\\nlots\\n\\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("Wrong."), HasSubstr("Which elements of C need row 3 of A?"), HasSubstr("Right."),
                    HasSubstr("\"lots\" is not a number."), HasSubstr("The answer: 8 sectors."),
                    HasSubstr("1 of 4 questions answered right at the first try.")));
}

TEST(LessonCommand, AFileThatIsAsItWasIsNotJudged) {
  const Ran ran =
      tilescope_told("lesson play 1 --step 10",
                     (tilescope::data_folder() / "lessons/01-grid-and-roofline/unguarded.cu").string() + "\\n\\n");
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("The program is as it was. Edit it, choose Run, then check."), Not(HasSubstr("Wrong."))));
}

TEST(LessonCommand, WhatIsNoAnswerDoesNotCount) {
  const Ran ran = tilescope_told("lesson play 2", "?\\n24\\n?\\nC[2][1]\\n\\n");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("error: \"?\" is not a number. Write one, or a product such as 2*1024^3."),
                             HasSubstr("error: Type an element, for example A[3][5]."), Not(HasSubstr("Wrong.")),
                             HasSubstr("2 of 4 questions answered right at the first try.")));
}

/// A file of one answer to the third step of lesson 2, which is 8.
void hand_in(const fs::path& file, const std::string& student, const std::vector<std::string>& given, bool right) {
  const json answer{
      {"lesson", "coalescing"}, {"step", 3},          {"question", "How many?"}, {"given", given}, {"wrong", 1},
      {"right", right},         {"given_up", !right}, {"answer", "8 sectors"}};
  std::ofstream(file) << json{{"tilescope_answers", 1}, {"student", student}, {"answers", json::array({answer})}};
}

TEST(LessonCommand, CollectsTheAnswersOfAClassAndPrintsThoseOfOne) {
  const fs::path folder = fs::path(testing::TempDir()) / ("handed_in." + std::to_string(::getpid()));
  fs::create_directories(folder);
  hand_in(folder / "ada.json", "", {"32", "8"}, true);
  hand_in(folder / "b.json", "Bob", {"32"}, false);
  hand_in(folder / "c.json", "Cheat", {"999"}, true);
  hand_in(folder / "d.json", "Double", {"32"}, false);
  std::ofstream(folder / "state.json") << "{}";
  const Ran ran = run_tilescope("lesson collect " + folder.string() + " --json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("state.json"), HasSubstr("This is not a file of answers")));
  const json all = json::parse(ran.out);
  ASSERT_EQ(all["students"].size(), 4U);
  EXPECT_EQ(all["students"][0]["lessons"][1]["done"], 1);
  EXPECT_EQ(all["students"][2]["lessons"][1]["done"], 0) << "marked again by what was given";
  EXPECT_EQ(all["differing"], json::array({"Cheat"}));
  EXPECT_EQ(all["equal"], json::array({"Bob, Double"}));
  EXPECT_EQ(all["students"][0]["student"], "ada");
  EXPECT_EQ(all["students"][1]["student"], "Bob");
  EXPECT_EQ(all["students"][1]["lessons"][1]["done"], 1);
  ASSERT_EQ(all["questions"].size(), 1U);
  EXPECT_EQ(all["questions"][0]["commonest_wrong"], "32");
  EXPECT_THAT(run_tilescope("lesson collect " + folder.string()).out, AllOf(HasSubstr("Bob"), HasSubstr("32 (3)")));
  const std::string of_ada = "--answers " + (folder / "ada.json").string();
  EXPECT_THAT(run_tilescope("lesson export --name Ada " + of_ada).out,
              AllOf(HasSubstr("# Answers of Ada"), HasSubstr("- Answer: 32\n- Answer: 8\n- **right**: 8 sectors")));
  EXPECT_EQ(json::parse(run_tilescope("lesson export --name Ada --json " + of_ada).out)["student"], "Ada");
  fs::remove_all(folder);
  EXPECT_EQ(run_tilescope("lesson collect " + folder.string()).status, 2);
}

TEST(LessonCommand, AShotTakesALessonThatThereIs) {
  for (const char* const lesson : {"--lesson nowhere", "--lesson nowhere --present"})
    EXPECT_THAT(run_tilescope(std::string("shot -o x.png ") + lesson).err,
                StartsWith("error: There is no lesson \"nowhere\". There are 1 grid-and-roofline, 2 coalescing, "));
  EXPECT_EQ(run_tilescope("shot -o x.png --lesson 02-coalescing --step 99").err,
            "error: --step 99: this lesson has the steps 1 to 13.\n");
}

TEST(LessonCommand, CheckNamesThePlaceOfWhatDoesNotHold) {
  const fs::path folder = fs::temp_directory_path() / ("tilescope-lessons-" + std::to_string(::getpid()));
  fs::create_directories(folder / "01-broken");
  std::ofstream(folder / "01-broken" / "lesson.md")
      << "+++\ntitle = \"T\"\nminutes = 1\n+++\n## One\n```scene\nkernel = \"01\"\nsize = 64\n```\nText {{ wrods }}.\n";
  const Ran ran = run_tilescope("lesson check --lessons " + folder.string());
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("lesson.md:10:9: error: In \"wrods\": There is no wrods"));
  const Ran as_json = run_tilescope("lesson check --json --lessons " + folder.string());
  EXPECT_EQ(json::parse(as_json.out)["problems"][0]["line"], 10);
  fs::remove_all(folder);
  EXPECT_EQ(run_tilescope("lesson check 2").status, 0);
}

TEST(LessonCommand, TheSheetHidesTheAnswers) {
  EXPECT_THAT(run_tilescope("lesson sheet 2").out, AllOf(HasSubstr("**Predict.**"), Not(HasSubstr("**Answer:**"))));
  EXPECT_THAT(run_tilescope("lesson sheet 2 --answers").out, HasSubstr("**Answer:** 8 sectors"));
}

TEST(LessonCommand, TheFilesThatASheetNamesAreFoundFromAnyFolder) {
  const std::string command = tilescope_command("trace lessons/09-bank-conflicts/transposed_tile.cu --size 32");
  EXPECT_EQ(run_command("cd / && " + command).status, 0);
  EXPECT_THAT(run_command("cd / && " + tilescope_command("trace lessons/no.cu")).err, HasSubstr("lessons/no.cu"));
}

TEST(GradeCommand, MarksAKernel) {
  const Ran good = run_tilescope("grade " TILESCOPE_SOURCE_DIR "/kernels/02_naive_swapped.cu --lesson 2 --json");
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(json::parse(good.out)["passed"], true);
  const Ran poor = run_tilescope("grade " TILESCOPE_SOURCE_DIR "/kernels/01_naive_rows.cu --lesson 2");
  EXPECT_EQ(poor.status, 1);
  EXPECT_THAT(poor.out, HasSubstr(" of 8; --seed "));
  EXPECT_THAT(poor.out, HasSubstr("It is called as `__global__ void "));
  EXPECT_EQ(run_tilescope("grade nowhere.cu --lesson 2").status, 2);
  const Ran none = run_tilescope("grade x.cu --lesson 1");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "error: Lesson 1 has no kernel to hand in.\n");
}

TEST(GradeCommand, SaysOnceWhatFailsAtEverySize) {
  const fs::path file = fs::path(testing::TempDir()) / "tilescope-not-compiled.cu";
  std::ofstream(file) << "__global__ void mine(float *A) { A[0] = 0; }\n";
  const std::string out = run_tilescope("grade " + file.string() + " --lesson 2").out;
  fs::remove(file);
  const size_t first = out.find("\n      "), end = out.find('\n', first + 1);
  ASSERT_NE(first, std::string::npos) << out;
  EXPECT_EQ(out.find(out.substr(first, end - first), end), std::string::npos) << out;
  EXPECT_THAT(out, HasSubstr("\n      as above\n"));
}

}  // namespace
