#include "lesson/leaks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lesson/run_fields.h"

namespace tilescope::lesson {
namespace {

using Stems = std::set<std::string>;

/// Chinese marks; what is on both sides of one is no word.
constexpr std::array<std::string_view, 8> kMarks{"，", "。", "：", "；", "、", "（", "）", "的"};

bool is_latin(char c) { return static_cast<unsigned char>(c) < 0x80; }

/// "fewer" and "fewest" as "few", "registers" as "register"; empty for short words, which say nothing.
std::string stem_of(std::string word) {
  static const std::set<std::string, std::less<>> kSayNothing{
      "than",   "that",    "this",  "them",  "they",  "with",  "what",  "when",  "then",
      "from",   "have",    "which", "where", "each",  "into",  "does",  "only",  "same",
      "kernel", "kernels", "their", "there", "these", "those", "other", "others"};
  if (word == "few") return word;
  if (word.size() < 4 || kSayNothing.contains(word)) return "";
  for (const std::string_view ending : {"est", "er", "es", "s", "e"})
    if (word.size() > ending.size() + 2 && word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
  return word;
}

void add_characters(std::string_view text, Stems& words) {
  constexpr size_t kBytes = 3;  // Of a Chinese character in UTF-8.
  for (size_t i = 0; i + 2 * kBytes <= text.size(); i += kBytes) {
    const std::string_view pair = text.substr(i, 2 * kBytes);
    const bool has_mark = std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
      return pair.starts_with(mark) || pair.ends_with(mark);
    });
    if (!has_mark) words.emplace(pair);
  }
}

/// Stems that compare: a summary that has one answers a question which of two is more.
bool compares(const std::string& word) {
  static const Stems kCompare{"few",  "less",   "mor",  "slow",  "fast", "high", "low",  "rise", "fall", "small",
                              "larg", "better", "wors", "neith", "noth", "wait", "更快", "更慢", "更多", "更少",
                              "更大", "更小",   "变慢", "变快",  "不变", "一样", "等待", "减少", "增加"};
  return kCompare.contains(word);
}

/// The words of a text that say something, as stems; of Chinese each two neighbouring characters.
Stems words_in(std::string_view text) {
  Stems words;
  std::string word;
  size_t wide = 0;  // Where the run of other characters began.
  for (size_t i = 0; i <= text.size(); ++i) {
    const bool letter = i < text.size() && is_latin(text[i]) && std::isalpha(static_cast<unsigned char>(text[i]));
    if (letter) word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(text[i]))));
    if (!letter && !word.empty()) {
      if (const std::string stem = stem_of(std::exchange(word, {})); !stem.empty()) words.insert(stem);
    }
    if (i < text.size() && !is_latin(text[i])) continue;
    add_characters(text.substr(wide, i - wide), words);
    wide = i + 1;
  }
  return words;
}

std::string text_of_blocks(const Text& text) {
  std::string all;
  Text copy = text;
  for_each_block(copy, [&](Block& block) { all += plain_text(block.spans) + " "; });
  return all;
}

Stems without(Stems words, const Stems& other) {
  std::erase_if(words, [&](const std::string& word) { return other.contains(word); });
  return words;
}

class Leaks {
 public:
  Leaks(const AnswerContext& context, const SaidAnswer& right)
      : context_(context),
        step_(context.lesson->steps[context.step]),
        question_(*step_.question),
        prompt_(words_in(text_of_blocks(question_.prompt))),
        right_(right) {}

  Diagnostics find() {
    if (question_.kind == QuestionKind::Choice) look_at_choices();
    if (right_.number) look_at_number();
    if (question_.kind == QuestionKind::Click && question_.target == ClickTarget::Line && right_.click) look_at_line();
    return std::move(problems_);
  }

 private:
  void report(std::string message) { problems_.push_back(error_at(question_.at, std::move(message))); }

  void compare(const char* what, const std::string& text, const Stems& telling) {
    const Stems said = words_in(text);
    Stems shared;
    std::set_intersection(said.begin(), said.end(), telling.begin(), telling.end(),
                          std::inserter(shared, shared.begin()));
    if (!shared.empty())
      report(fmt::format("{} \"{}\" has words of the right choice: {}.", what, text, fmt::join(shared, ", ")));
  }

  void look_at_choices() {
    Diagnostics ignored;
    Stems right, wrong;
    const std::vector<Spans> choices = filled_in_choices(context_, ignored);
    for (size_t i = 0; i < choices.size(); ++i) {
      const bool is_right = std::find(right_.choices.begin(), right_.choices.end(), i) != right_.choices.end();
      (is_right ? right : wrong).merge(words_in(plain_text(choices[i])));
    }
    const Stems telling = without(without(right, wrong), prompt_);
    compare("The step's title", step_.title, without(telling, words_in(context_.lesson->title)));
    Stems comparing = telling;
    std::erase_if(comparing, [](const std::string& word) { return !compares(word); });
    compare("The lesson's summary", context_.lesson->summary, comparing);
    compare("The lesson's title", context_.lesson->title, comparing);
  }

  void look_at_number() {
    static constexpr std::array kNumbers{"none",  "one",   "two",  "three", "four",   "five",  "six",
                                         "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    const std::string title = " " + step_.title + " ";
    const auto has = [&](const std::string& number) {
      const size_t at = title.find(number);
      return at != std::string::npos && !std::isdigit(static_cast<unsigned char>(title[at - 1])) &&
             !std::isdigit(static_cast<unsigned char>(title[at + number.size()]));
    };
    const double number = *right_.number;
    if (has(format_value(number, "")) || has(fmt::format("{}", number)))
      return report(fmt::format("The step's title \"{}\" has the number that is asked for.", step_.title));
    if (question_.unit.empty() || number < 0 || number >= kNumbers.size() || number != static_cast<size_t>(number))
      return;
    std::string lower = title;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower.find(fmt::format(" {} {}", kNumbers[static_cast<size_t>(number)],
                               question_.unit.substr(0, question_.unit.size() - 1))) != std::string::npos)
      report(fmt::format("The step's title \"{}\" has the number that is asked for.", step_.title));
  }

  void look_at_line() {
    const Scene& scene = *scene_of(*context_.lesson, context_.step);
    const auto run = context_.runs->run(with_parameters(scene, context_.sampled));
    if (!run) return;  // Reported where it is solved.
    const auto is_right = [&](const std::string& anchor) {
      const int line = kernel::find_line(scene.kernel->source, anchor);
      if (line == 0) return false;
      const Result<Verdict> verdict = judge(context_, Click{"", -1, -1, -1, line});
      return verdict && verdict->right;
    };
    std::set<std::string> right, wrong;
    const auto quote = [&](const std::string& anchor) { (is_right(anchor) ? right : wrong).insert(anchor); };
    for (Text text : {step_.text, question_.prompt}) {
      for_each_span(text, [&](Span& span) {
        if (span.kind == SpanKind::Anchor) quote(span.target);
      });
      for_each_block(text, [&](Block& block) {
        for (const KernelLine& line : block.lines)
          if (line.kernel.empty() || line.kernel == scene.kernel->name) quote(line.anchor);
      });
    }
    if (!right.empty() && wrong.empty())
      report(fmt::format("Of the lines that can be clicked the text quotes only the right one, [{}].", *right.begin()));
    if (!scene.cursor.anchor.empty() && is_right(scene.cursor.anchor))
      report(fmt::format("The scene's cursor is on the right line, [{}].", scene.cursor.anchor));
    for (const kernel::Anchor& anchor : kernel::find_anchors(scene.kernel->source))
      if (is_right(anchor.name)) compare("The step's title", step_.title, without(words_in(anchor.name), prompt_));
  }

  const AnswerContext& context_;
  const Step& step_;
  const Question& question_;
  const Stems prompt_;
  const SaidAnswer& right_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics leaks_at(const AnswerContext& context, const SaidAnswer& right) { return Leaks(context, right).find(); }

}  // namespace tilescope::lesson
