// Ask before showing: what a step draws is read back and searched for the answers of the lesson's later questions.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/words.h"
#include "lesson/answer.h"
#include "ui/drawn_texts.h"
#include "ui/frame_fixture.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
namespace fs = std::filesystem;
using lesson::Lesson;
using lesson::Question;
using lesson::QuestionKind;
using testing::IsEmpty;

/// A number as it is written on screen, in a pattern: 2048 is also "2 048", 8 also "8.0".
std::string number_pattern(double value) {
  std::string plain = lesson::format_value(value, "");
  std::string pattern;
  for (const char c : plain) {
    if (c == '.')
      pattern += "\\.";
    else if (std::isdigit(static_cast<unsigned char>(c)))
      pattern += c;
    else if (pattern.empty() || !pattern.ends_with("?"))
      pattern += "[^0-9]{0,2}?";
  }
  if (value == std::floor(value)) pattern += "(\\.0)?";
  return pattern;
}

/// What would reveal the answer: the number with its unit after or before it, or the cell or lane.
/// `english`: the unit of the question in English.
std::optional<std::regex> telling(const Question& question, const std::string& english,
                                  const lesson::SaidAnswer& solution) {
  constexpr auto kFlags = std::regex::icase | std::regex::optimize;
  if (question.kind == QuestionKind::Click && solution.click) {
    if (solution.click->line >= 0) return std::nullopt;  // All lines have their numbers.
    std::string name = describe(*solution.click);
    name = std::regex_replace(name, std::regex(R"([\[\]])"), "\\$&");
    return std::regex(name + "(?![0-9])", kFlags);
  }
  if (question.kind != QuestionKind::Number || !solution.number || question.unit.empty()) return std::nullopt;
  const std::string number = "(^|[^0-9.,])" + number_pattern(*solution.number);
  if (question.unit == "percent" || question.unit == "%") return std::regex(number + " ?%", kFlags);
  const std::string unit =
      question.unit.ends_with('s') ? question.unit.substr(0, question.unit.size() - 1) : question.unit;
  // Chinese puts a measure word between the two, and has no plural.
  const bool latin = unit == english || english.starts_with(unit);
  std::string behind = number + (latin ? " ?" : " ?(个|次|条)? ?") + unit;
  if (english.starts_with("sector") || english.starts_with("wavefront"))
    behind += "|" + number + " " + english.substr(0, 1) + "$";
  return std::regex(behind + "|" + unit + (latin ? "s[ :]{1,3}" : "数?[ :]{0,3}(：)?") +
                        number_pattern(*solution.number) + "($|[^0-9.])",
                    kFlags);
}

class Leaks : public FrameFixture, public testing::WithParamInterface<std::tuple<const char*, int>> {
 protected:
  void SetUp() override {
    FrameFixture::SetUp();
    use_shipped_course(language());
    if (language() != "en") speak();
    reader_.emplace();
  }
  void TearDown() override {
    set_language(nullptr);
    FrameFixture::TearDown();
  }
  static std::string language() { return std::get<0>(GetParam()); }
  /// The window in the language, with glyphs for it.
  void speak() {
    const fs::path words = data_folder() / "assets" / "words" / (language() + ".toml");
    Diagnostics problems;
    set_language(std::make_shared<Language>(read_words(words, problems)));
    ASSERT_THAT(problems, IsEmpty());
    std::vector<fs::path> files{words, data_folder() / "lessons" / ("glossary." + language() + ".toml")};
    for (const Lesson& lesson : lessons_->course().lessons) files.push_back(lesson.file);
    std::vector<std::string> texts;
    for (const fs::path& file : files) texts.push_back(*read_file(file));
    ImGui::GetIO().Fonts->Clear();
    add_empty_glyphs(texts);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }

  void open(const Lesson& lesson, uint32_t step) {
    apply(session::ChooseLesson{lesson.slug, step});
    apply(show_command(*lessons_->scene(lesson, step)));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(wait_until([&] { return lessons_->poll(), lessons_->page() != nullptr; }));
  }
  /// A line of text in an ImGui window, without the program text except its figures.
  using Line = std::pair<std::string, std::string>;
  std::set<Line> drawn() {
    ImGui::GetIO().DisplaySize = {1600, 2400};  // Nothing is scrolled out of sight.
    for (int i = 0; i < 4; ++i) show_window();
    std::set<Line> texts;
    for (const DrawnText& text : reader_->read(*ImGui::GetDrawData()))
      if (text.window.find("/source_") == std::string::npos || text.text.size() < 8)
        texts.insert({text.window, text.text});
    return texts;
  }

  /// What is drawn outside of the lesson's text: the shapes of each window by its name.
  using Picture = std::map<std::string, std::vector<float>>;
  Picture picture() {
    ImGui::GetIO().DisplaySize = {1600, 1000};
    for (int i = 0; i < 4; ++i) show_window();
    Picture shapes;
    const ImDrawData& all = *ImGui::GetDrawData();
    for (int i = 0; i < all.CmdListsCount; ++i) {
      const ImDrawList& list = *all.CmdLists[i];
      const std::string window = list._OwnerName ? list._OwnerName : "";
      if (window.find("lesson") != std::string::npos || window.find("page") != std::string::npos) continue;
      std::vector<float>& shape = shapes[window];
      for (const ImDrawVert& at : list.VtxBuffer)
        shape.insert(shape.end(), {at.pos.x, at.pos.y, at.uv.x, at.uv.y, static_cast<float>(at.col)});
    }
    return shapes;
  }

  /// The same once nothing that is counted or simulated meanwhile changes it any more.
  Picture settled_picture() {
    Picture before, now = picture();
    const auto busy = [&] {
      return counter_.busy() || workspace_.experiment(0).reading() || workspace_.clock(0).simulating();
    };
    for (int i = 0; i < 200 && (busy() || now != before); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      poll(services());
      before = std::exchange(now, picture());
    }
    return now;
  }

  struct Asked {
    size_t step;
    std::string answer;
    std::regex telling;
    std::map<std::string, bool> known{};  // Texts that were searched before: most are drawn at every step.
    bool is_told_by(const std::string& text) {
      const auto [at, is_new] = known.try_emplace(text, false);
      if (is_new) at->second = std::regex_search(text, telling);
      return at->second;
    }
  };
  std::vector<Asked> questions_of(const Lesson& lesson) {
    std::vector<Asked> asked;
    for (size_t step = 0; step < lesson.steps.size(); ++step) {
      const auto& question = lesson.steps[step].question;
      if (!question || question->kind == QuestionKind::Task) continue;
      const auto solution = lesson::solve({&lesson, step, &runs_, lesson::sample_parameters(*question, 0)});
      if (!solution) continue;
      const std::string& unit = english_.lessons[static_cast<size_t>(lesson.number) - 1].steps[step].question->unit;
      if (auto pattern = telling(*question, unit, *solution))
        asked.push_back({step, solution->words, std::move(*pattern)});
    }
    return asked;
  }
  /// What is drawn at a step that reveals the answers of later ones.
  void search(const Lesson& lesson, size_t step, const char* when, std::vector<Asked>& questions) {
    const std::set<Line> texts = drawn();
    const auto own =
        std::find_if(questions.begin(), questions.end(), [&](const Asked& asked) { return asked.step == step; });
    for (Asked& asked : questions) {
      if (asked.step <= step) continue;
      const lesson::Scene *shown = scene_of(lesson, step), *wanted = scene_of(lesson, asked.step);
      if (shown->kernel->name != wanted->kernel->name) continue;
      if (own != questions.end() && own->answer == asked.answer) continue;  // It is the answer to its own question.
      for (const auto& [window, text] : texts)
        // The strip shows the request at the cursor, which may not be the one in question, or not with its settings.
        if ((window.find("/strip_") == std::string::npos ||
             (shown->cursor.anchor == wanted->cursor.anchor && shown->settings == wanted->settings)) &&
            asked.is_told_by(text))
          found_.push_back(fmt::format("{}.{} {} tells {}.{}, {}: \"{}\"", lesson.number, step + 1, when, lesson.number,
                                       asked.step + 1, asked.answer, text));
    }
  }

  /// A picture that explains an answer must not be one that a later question keeps covered.
  void refuse_covered_plot(const Lesson& lesson, size_t step, const std::vector<std::string>& emphasised) {
    static const std::set<std::string> kPlots{"bound", "counters", "plot", "ladder"};
    if (std::none_of(emphasised.begin(), emphasised.end(), [](const auto& name) { return kPlots.contains(name); }))
      return;
    for (const auto& [window, text] : drawn())
      for (size_t later = step + 1; later < lesson.steps.size(); ++later)
        if (window.find("plots") != std::string::npos && text == view::covered_text(static_cast<int>(later) + 1))
          found_.push_back(fmt::format("{}.{} reveals a plot and covers it: \"{}\"", lesson.number, step + 1, text));
  }

  const lesson::Course english_ = lesson::load_course(data_folder() / "lessons", workspace_.catalogue());
  lesson::Runs runs_{runs_cache_};
  std::optional<TextReader> reader_;
  std::vector<std::string> found_;
};

TEST_P(Leaks, NoStepTellsALaterAnswerAndEachAnswerChangesThePicture) {
  const Lesson& lesson = lessons_->course().lessons.at(static_cast<size_t>(std::get<1>(GetParam())) - 1);
  std::vector<Asked> questions = questions_of(lesson);
  for (uint32_t step = 0; step < lesson.steps.size(); ++step) {
    open(lesson, step);
    search(lesson, step, "before its answer", questions);
    const auto& question = lesson.steps[step].question;
    if (!question) continue;
    const bool is_task = question->kind == QuestionKind::Task;
    const auto before = is_task ? Picture{} : settled_picture();
    apply(GiveUp{});
    ASSERT_TRUE(wait_until([&] { return poll(services()), lessons_->attempt(lesson, step).done(); }));
    ASSERT_TRUE(settle());
    const bool changes = settled_picture() != before;  // Only then the picture that explains the answer is there.
    search(lesson, step, "after its answer", questions);
    if (is_task) continue;
    EXPECT_NE(changes, !question->unmoved.empty()) << lesson.number << "." << step + 1;
    if (question->reveal) refuse_covered_plot(lesson, step, question->reveal->emphasise);
  }
  EXPECT_THAT(found_, IsEmpty());
}

int lessons_that_ship() {
  const std::filesystem::directory_iterator all(data_folder() / "lessons");
  return static_cast<int>(std::count_if(begin(all), end(all), [](const auto& entry) { return entry.is_directory(); }));
}

INSTANTIATE_TEST_SUITE_P(Lessons, Leaks,
                         testing::Combine(testing::Values("en", "zh"), testing::Range(1, lessons_that_ship() + 1)));

}  // namespace
}  // namespace tilescope::ui
