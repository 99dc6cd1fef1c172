// assets/words/en.toml lists the interface's words in the sources, and no other language has words that the sources
// lack. The target update_words rewrites the list.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "architecture/source_tree.h"

namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

/// The literal that begins at `at`, as written between its quotes; moves `at` past it.
std::string literal_at(const std::string& text, size_t& at) {
  const size_t begin = ++at;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return text.substr(begin, at++ - begin);
}

/// The literals among the arguments of the call whose parenthesis opens at `at`: adjacent ones joined, those of nested
/// calls left out; with `only_first` of the first argument.
std::vector<std::string> literals_of_call(const std::string& text, size_t at, bool only_first) {
  std::vector<std::string> found;
  bool joins = false;
  for (int depth = 0; at < text.size();) {
    const char here = text[at];
    if (here == '"') {
      const std::string literal = literal_at(text, at);
      if (depth != 1) continue;
      if (joins)
        found.back() += literal;
      else
        found.push_back(literal);
      joins = true;
      continue;
    }
    joins &= here == ' ' || here == '\n';
    if (here == '\'') at += text[at + 1] == '\\' ? 3 : 2;
    depth += here == '(' ? 1 : here == ')' ? -1 : 0;
    if (depth == 0 || (only_first && depth == 1 && here == ',')) break;
    ++at;
  }
  return found;
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }
/// A line of the list; of a noun that is counted with its plural.
std::string line_of(const std::string& text) { return quoted(text) + " = " + quoted(text); }
std::string line_of(const std::string& one, const std::string& many) {
  return quoted(one) + " = [" + quoted(one) + ", " + quoted(many) + "]";
}

/// The literals that a source passes to tr(), tr_later(), tr_format(), plural() and Message(), as lines of the list.
std::vector<std::string> words_of(const std::string& source) {
  static const std::regex call(R"((^|[^\w])(tr|tr_later|tr_format|plural|Message)\()");
  std::vector<std::string> words;
  for (std::sregex_iterator it(source.begin(), source.end(), call), end; it != end; ++it) {
    const size_t opens = static_cast<size_t>(it->position() + it->length() - 1);
    const std::vector<std::string> literals =
        literals_of_call(source, opens, it->str(2) == "tr_format" || it->str(2) == "Message");
    if (it->str(2) == "plural" && literals.size() == 2)
      words.push_back(line_of(literals[0], literals[1]));
    else
      for (const std::string& each : literals)
        if (!each.empty()) words.push_back(line_of(each));
  }
  return words;
}

/// Without comments, whose examples do not count.
std::string code_of(const fs::path& file) {
  static const std::regex comment(R"((^|\n)\s*//[^\n]*)");
  return std::regex_replace(content(file), comment, "$1");
}

/// The texts of a kernel's description, as lines of the list: title, parameters, and messages of constraints as
/// kernel::fill_in() makes them.
std::vector<std::string> words_of_description(const std::string& toml) {
  static const std::regex entry(R"~((?:^|\n)(title|about|message) = "((?:[^"\\]|\\.)*)")~"), field(R"(\{[^}]*\})");
  std::vector<std::string> words;
  for (std::sregex_iterator it(toml.begin(), toml.end(), entry), end; it != end; ++it)
    words.push_back(line_of(it->str(1) == "message" ? std::regex_replace(it->str(2), field, "{}") + "." : it->str(2)));
  return words;
}

/// The descriptions of the catalogue and of the lessons.
std::vector<fs::path> descriptions() {
  std::vector<fs::path> files;
  for (const char* folder : {"kernels", "lessons"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".toml") files.push_back(fs::relative(entry.path(), kRoot));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / "app")) {
    const std::string path = fs::relative(entry.path(), kRoot).string();
    if ((path.ends_with(".cpp") || path.ends_with(".h")) && !path.starts_with("app/base/words.")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The expected file of English words.
std::string english_words() {
  std::string text =
      "# The interface's words. Another language is a file beside this one, named by its code (\"zh.toml\"), with its "
      "own\n"
      "# name and, behind each =, its own words. What it leaves out is shown in English. {} stands for what is filled "
      "in;\n"
      "# where the order differs, number them: {0}, {1}.\n"
      "# A noun that is counted has a text for each form of `plural`, which says what numbers take it: \"1\" that "
      "number, "
      "\"*2\"\n"
      "# each that ends in 2, \"!*12\" none that ends in 12; the last form takes the rest. Polish would have\n"
      "# plural = [\"1\", \"*2 *3 *4 !*12 !*13 !*14\", \"*\"], and three texts for each noun.\n"
      "# This list is written from the sources: cmake --build build/release --target update_words\n"
      "name = \"English\"\n"
      "plural = [\"1\", \"*\"]\n\n[words]\n";
  std::map<std::string, std::string> seen;  // By English text.
  const auto add = [&](const fs::path& file, const std::vector<std::string>& all) {
    std::string section;
    for (const std::string& line : all) {
      const auto [first, added] = seen.emplace(line.substr(0, line.find("\" = ")), line);
      EXPECT_EQ(first->second, line) << file << ": one text and two plurals";
      if (added) section += line + "\n";
    }
    if (!section.empty()) text += "\n# " + file.string() + "\n" + section;
  };
  for (const fs::path& file : sources()) add(file, words_of(code_of(kRoot / file)));
  for (const fs::path& file : descriptions()) add(file, words_of_description(content(kRoot / file)));
  return text;
}

std::set<std::string> keys_of(const std::string& toml) {
  static const std::regex key(R"~((?:^|\n)"((?:[^"\\]|\\.)*)" = )~");
  std::set<std::string> keys;
  for (std::sregex_iterator it(toml.begin(), toml.end(), key), end; it != end; ++it) keys.insert(it->str(1));
  return keys;
}

TEST(Words, AreFoundInSources) {
  EXPECT_THAT(words_of("x = tr(\"Next\"); str(\"no\"); tr_format(\"{} \"\n  \"of\", on ? \"no\" : f(\"no\"))"),
              ElementsAre(R"("Next" = "Next")", R"("{} of" = "{} of")"));
  EXPECT_THAT(words_of("plural(size(\"no\"), \"{} line\", \"{} lines\") + tr(a == ')' ? \"a \\\"b\\\"\" : \"c\")"),
              ElementsAre(R"("{} line" = ["{} line", "{} lines"])", R"("a \"b\"" = "a \"b\"")", R"("c" = "c")"));
}

TEST(Words, AreFoundInMessagesAndDescriptions) {
  EXPECT_THAT(words_of("error(Message(\"{}: no {}.\", name, Message(\"file\")))"),
              ElementsAre(R"("{}: no {}." = "{}: no {}.")", R"("file" = "file")"));
  EXPECT_THAT(words_of_description("title = \"Tile\"\nexpr = \"a\"\n\n[[x]]\nmessage = \"M = {M*2} is {odd}\"\n"),
              ElementsAre(R"("Tile" = "Tile")", R"("M = {} is {}." = "M = {} is {}.")"));
}

/// The engine returns facts; they are worded where they are shown.
TEST(Words, TheEngineDoesNotTranslate) {
  static const std::regex call(R"((^|[^\w])(tr|tr_format|plural)\()");
  for (const fs::path& file : sources())
    for (const char* module : {"arch", "base", "trace", "ptx", "emulator", "analysis", "kernel", "compile", "run",
                               "session", "store", "measure"})
      if (file.string().starts_with(std::string("app/") + module + "/") && file != "app/base/message.cpp") {
        EXPECT_FALSE(std::regex_search(code_of(kRoot / file), call)) << file;
      }
}

TEST(Words, TheEnglishFileListsThem) {
  const fs::path file = kRoot / "assets/words/en.toml";
  const std::string text = english_words();
  if (std::getenv("TILESCOPE_UPDATE_WORDS")) std::ofstream(file) << text;
  EXPECT_EQ(content(file), text) << "Run: cmake --build build/release --target update_words";
}

TEST(Words, NoLanguageHasWordsThatAreGone) {
  const std::set<std::string> english = keys_of(english_words());
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "assets/words")) {
    std::vector<std::string> gone;
    for (const std::string& key : keys_of(content(entry.path())))
      if (!english.contains(key)) gone.push_back(key);
    EXPECT_THAT(gone, IsEmpty()) << entry.path().filename();
  }
}

// Other languages may lag behind; the one that ships with the lessons may not.
TEST(Words, ChineseIsWhole) {
  const std::set<std::string> chinese = keys_of(content(kRoot / "assets/words/zh.toml"));
  std::vector<std::string> missing;
  for (const std::string& key : keys_of(english_words()))
    if (!chinese.contains(key)) missing.push_back(key);
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
