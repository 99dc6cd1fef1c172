#include "lesson/glossary.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lesson/course.h"
#include "shipped_kernels.h"

namespace tilescope::lesson {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Glossary kSome{{{"bank", {"bank", "banks"}, "A part."},
                      {"bank conflict", {"bank conflict", "bank conflicts"}, "Waiting."},
                      {"线程束", {"线程束"}, "32 个线程。"}}};

/// The marked words of a text, each with its term.
std::vector<std::string> marked(const std::string& markdown) {
  Text text = parse_text(markdown, {});
  mark_terms(text, kSome);
  std::vector<std::string> found;
  for_each_span(text, [&](Span& span) {
    if (span.kind == SpanKind::Term) found.push_back(span.text + "/" + span.target);
  });
  return found;
}

TEST(Glossary, MarksTheFirstOccurrenceOfEachTerm) {
  EXPECT_THAT(marked("Banks and bank conflicts, a bank.\n\nAnother bank conflict."),
              ElementsAre("Banks/bank", "bank conflicts/bank conflict"));
  EXPECT_THAT(marked("每个线程束访问一个 bank。"), ElementsAre("线程束/线程束", "bank/bank"));
}

TEST(Glossary, MarksWholeWordsOfPlainTextOnly) {
  EXPECT_THAT(marked("The bankrupt `bank`, riverbanks, **bank**, bank_id and per-bank."), IsEmpty());
  Text text = parse_text("One bank, two.", {});
  mark_terms(text, kSome);
  ASSERT_EQ(text[0].spans.size(), 3u);
  EXPECT_EQ(plain_text(text[0].spans), "One bank, two.");
}

TEST(Glossary, SaysWhatIsMalformed) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "glossary.toml";
  std::ofstream(file) << "[[term]]\nname = \"bank\"\ntxt = \"?\"\n";
  Diagnostics problems;
  load_glossary(file, problems);
  EXPECT_THAT(to_string(problems), HasSubstr("did you mean \"text\"?"));
  EXPECT_THAT(to_string(problems), HasSubstr("[[term]] needs name and text."));
  std::filesystem::remove(file);
}

class ShippedGlossary : public testing::TestWithParam<const char*> {};

std::string words_of(const Text& text) {
  Text copy = text;
  std::string words;
  for_each_span(copy, [&](Span& span) { words += span.kind == SpanKind::Term ? "<" + span.target + ">" : " "; });
  return words;
}

/// The terms that a text explains: those with a form in a bold span.
void add_explained(const Text& text, const Glossary& glossary, std::set<std::string>& explained) {
  Text bold = text;
  for_each_span(bold, [](Span& span) {
    if (!span.bold) span.text.clear();
    span.bold = false;
  });
  mark_terms(bold, glossary);
  for_each_span(bold, [&](Span& span) {
    if (span.kind == SpanKind::Term) explained.insert(span.target);
  });
}

TEST_P(ShippedGlossary, ATermIsExplainedWhereItFirstOccurs) {
  const Course course = load_course(TILESCOPE_SOURCE_DIR "/lessons", shipped_kernels(), GetParam());
  EXPECT_EQ(to_string(course.problems), "");
  ASSERT_GT(course.glossary.terms.size(), 25u);
  std::set<std::string> explained;
  for (const Lesson& lesson : course.lessons)
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
      const Step& step = lesson.steps[i];
      std::vector<const Text*> texts{&step.text};
      if (step.question)
        texts.insert(texts.end(), {&step.question->prompt, &step.question->hint, &step.question->look});
      texts.push_back(&step.after);
      for (const Text* text : texts) {
        add_explained(*text, course.glossary, explained);
        const std::string words = words_of(*text);
        for (const Term& term : course.glossary.terms)
          EXPECT_TRUE(words.find("<" + term.name + ">") == std::string::npos || explained.contains(term.name))
              << lesson.number << "." << i + 1 << " uses " << term.name << " and nothing has explained it";
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Languages, ShippedGlossary, testing::Values("en", "zh"));

}  // namespace
}  // namespace tilescope::lesson
