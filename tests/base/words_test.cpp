#include "base/words.h"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

namespace tilescope {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class WordsTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override {
    set_language(nullptr);
    fs::remove_all(folder_);
  }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Language read(const std::string& text) { return read_words(write("xx.toml", text), problems_); }
  void speak(const std::string& text) { set_language(std::make_shared<const Language>(read(text))); }

  fs::path folder_ = fs::path(testing::TempDir()) / ("words_test." + std::to_string(::getpid()));
  Diagnostics problems_;
};

TEST_F(WordsTest, WithoutALanguageWordsAreEnglish) {
  EXPECT_STREQ(tr("Next"), "Next");
  EXPECT_EQ(tr_format("{} of {}", 3, "ten"), "3 of ten");
  EXPECT_EQ(plural(1, "{} line", "{} lines"), "1 line");
  EXPECT_EQ(plural(1234567, "{} line", "{} lines"), "1 234 567 lines");
}

TEST_F(WordsTest, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
  EXPECT_EQ(plural(1, "{} block", "{} blocks"), "1 block");
  EXPECT_EQ(plural(4096, "{} block", "{} blocks"), "4 096 blocks");
}

TEST_F(WordsTest, ALanguageSaysWhatItHasAndEnglishTheRest) {
  speak("name = 'Deutsch'\n[words]\n\"Next\" = \"Weiter\"\n\"{} line\" = [\"{} Zeile\", \"{} Zeilen\"]\n");
  EXPECT_STREQ(tr("Next"), "Weiter");
  EXPECT_STREQ(tr("Back"), "Back");
  EXPECT_EQ(tr(std::string("Next")), "Weiter");
  EXPECT_EQ(tr(std::string("Back")), "Back");
  EXPECT_EQ(plural(1, "{} line", "{} lines"), "1 Zeile");
  EXPECT_EQ(plural(2, "{} line", "{} lines"), "2 Zeilen");
  EXPECT_EQ(to_string(problems_), "");
  set_language(nullptr);
  EXPECT_STREQ(tr("Next"), "Next");
}

TEST_F(WordsTest, ALanguageHasAsManyFormsAsItNeeds) {
  speak(
      "plural = ['1', '*2 *3 *4 !*12 !*13 !*14', '*']\n"
      "[words]\n\"{} line\" = ['{} linia', '{} linie', '{} linii']\n\"Next\" = 'Dalej'\n");
  EXPECT_EQ(to_string(problems_), "");
  const auto lines = [](uint64_t count) { return plural(count, "{} line", "{} lines"); };
  EXPECT_EQ(lines(1), "1 linia");
  EXPECT_EQ(lines(2), "2 linie");
  EXPECT_EQ(lines(104), "104 linie");
  EXPECT_EQ(lines(1023), "1 023 linie");
  for (const uint64_t many : {0, 5, 11, 12, 13, 14, 21, 112, 1013}) EXPECT_EQ(lines(many), grouped(many) + " linii");
  EXPECT_EQ(plural(5, "{} warp", "{} warps"), "5 warps") << "what it does not have is English";
  EXPECT_STREQ(tr("Next"), "Dalej");
}

TEST_F(WordsTest, ALanguageMayHaveOneForm) {
  speak("plural = ['*']\n[words]\n\"{} line\" = ['{} 行']\n\"{} warp\" = '{} 束'\n");
  EXPECT_EQ(to_string(problems_), "");
  EXPECT_EQ(plural(1, "{} line", "{} lines"), "1 行");
  EXPECT_EQ(plural(2, "{} line", "{} lines"), "2 行");
  EXPECT_EQ(plural(2, "{} warp", "{} warps"), "2 束") << "one text is every form";
}

TEST_F(WordsTest, FormsThatDoNotFitAreReported) {
  const auto problem = [&](const std::string& text) {
    problems_.clear();
    const Language words = read(text);
    EXPECT_TRUE(words.translations.empty()) << text;
    return problems_.empty() ? "" : problems_.front().message.text();
  };
  EXPECT_EQ(problem("[words]\n'{} line' = ['{} a', '{} b', '{} c']\n"),
            "\"{} line\" needs as many texts as `plural` has forms: 2.");
  EXPECT_EQ(problem("[words]\n'{} line' = ['{} a', 'b']\n"),
            "The text for \"{} line\" needs the same {} as the English one, each once.");
  EXPECT_EQ(problem("[words]\n'{} line' = ['{} a', 2]\n"), "\"{} line\" is not followed by a text in quotes.");
  for (const char* plural : {"[]", "7", "['one', '*']", "['1', '**']"})
    EXPECT_EQ(problem(fmt::format("plural = {}\n", plural)),
              "`plural` needs the numbers of each form, as [\"1\", \"*2 *3 !*12 !*13\", \"*\"].");
}

TEST_F(WordsTest, EveryLanguageHasAnotherVersion) {
  const uint64_t english = words_version();
  speak("[words]\n\"Next\" = \"Weiter\"\n");
  EXPECT_NE(words_version(), english);
}

TEST_F(WordsTest, ASentenceMayTakeItsPartsInAnotherOrder) {
  speak("[words]\n\"{} of {:.1f} in {}\" = \"{2}: {1:.1f} {{}} {0}\"\n");
  EXPECT_EQ(tr_format("{} of {:.1f} in {}", "a", 2.55, "c"), "c: 2.5 {} a");
  EXPECT_EQ(to_string(problems_), "");
}

TEST_F(WordsTest, WhatCannotBeFilledInIsLeftOutAndReported) {
  const auto told = [&](const std::string& english, const std::string& text) {
    problems_.clear();
    const Language words = read(fmt::format("[words]\n\"{}\" = {}\n", english, text));
    EXPECT_TRUE(words.translations.empty()) << text;
    return problems_.empty() ? std::string() : problems_.front().message.text();
  };
  const std::string fields = "The text for \"{} of {}\" needs the same {} as the English one, each once.";
  for (const char* text :
       {"\"{}\"", "\"{} {} {}\"", "\"{:x} {}\"", "\"{0} {0}\"", "\"{} {1}\"", "\"{ {}\"", "\"} {} {}\""})
    EXPECT_EQ(told("{} of {}", text), fields) << text;
  EXPECT_EQ(told("Next", "7"), "\"Next\" is not followed by a text in quotes.");
  EXPECT_EQ(problems_.front().at, (Location{(folder_ / "xx.toml").string(), 2, 10}));
}

TEST_F(WordsTest, AFileThatIsNoneLeavesEnglish) {
  EXPECT_EQ(read("[words\n").name, "xx");
  EXPECT_THAT(to_string(problems_), HasSubstr("xx.toml:1:7: error: This is not valid TOML: "));
  problems_.clear();
  read_words(folder_ / "none.toml", problems_);
  EXPECT_EQ(to_string(problems_), fmt::format("error: {}: no such file.", (folder_ / "none.toml").string()));
}

TEST_F(WordsTest, EnglishIsTheFirstOfTheLanguages) {
  write("zh.toml", "name = '中文'\n");
  write("de.toml", "name = 'Deutsch'\n");
  write("en.toml", "name = 'English'\n");
  write("notes.txt", "");
  std::vector<std::string> names;
  for (const auto& words : read_languages(folder_, problems_)) names.push_back(words->language + " " + words->name);
  EXPECT_THAT(names, ElementsAre("en English", "de Deutsch", "zh 中文"));
  EXPECT_TRUE(read_languages(folder_ / "none", problems_).empty());
  EXPECT_EQ(to_string(problems_),
            fmt::format("error: {}: cannot be listed: No such file or directory.", (folder_ / "none").string()));
}

}  // namespace
}  // namespace tilescope
