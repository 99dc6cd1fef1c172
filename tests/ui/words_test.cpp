#include "base/words.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "ui/drawn_texts.h"
#include "ui/frame_fixture.h"
#include "ui/overlays.h"

namespace tilescope::ui {
namespace {
namespace fs = std::filesystem;
using session::Scale;
using testing::IsSupersetOf;

constexpr const char* kHead = R"(+++
title = "«T»"
minutes = 1
+++

## «Scene»

```scene
kernel = "04_shared_tile"
size = 64
view = "block"
cursor = { at = "load A", warp = 0, lane = 0 }
emphasise = ["A"]
```

«Text, {{ limiter }}, {{ bound.limiting }}, {{ shared_bytes as bytes }}.»

)";

/// A step that asks one question of each kind, and one for each fact that a question covers.
constexpr const char* kQuestions[] = {
    "kind = 'number'\nunit = '«sectors»'\nanswer = 'at(\"load A\").sectors'",
    "kind = 'number'\nanswer = 'occupancy'",
    "kind = 'number'\nanswer = 'bound.gflops'",
    "kind = 'number'\nanswer = 'findings.count'",
    "kind = 'number'\nanswer = 'at(\"load A\").lane(0).row'",
    "kind = 'choice'\nchoices = [{ text = '«One»', when = 'M == 64' }, { text = '«Two»', when = 'M == 64' }, "
    "{ text = '«Three»', when = 'M == 3' }]",
    "kind = 'click'\ntarget = 'cell'\nanswer = 'array == \"A\" && row < 2'",
    "kind = 'click'\ntarget = 'lane'\nanswer = 'lane == 3'",
    "kind = 'click'\ntarget = 'line'\nanswer = 'line_number == line(\"load A\").number'",
    "kind = 'task'\nanswer = 'TILE == 8'\nsolution = { TILE = 8 }"};

std::string lesson_text() {
  std::string text = kHead;
  for (const char* question : kQuestions)
    text.append(
        fmt::format("## «Step»\n\n```question\n{}\nprompt = '«What?»'\nhint = '«Hint»'\nlook = '«Look»'\n```\n\n"
                    "«After.»\n\n",
                    question));
  return text;
}

/// The names of the plots' tabs.
constexpr const char* kTabs[] = {"ladder",   "parameter", "size",      "heat",      "roofline", "bound",
                                 "counters", "sm",        "registers", "resources", "findings"};
static_assert(std::size(kTabs) == kPlotTabs);

/// The scale of everything except ImGui's own font, so that texts have room for their brackets.
constexpr float kScale = 1.5f;

/// How many brackets are open at the end.
int depth_of(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i)
    depth += text.compare(i, 2, "«") == 0 ? 1 : text.compare(i, 2, "»") == 0 ? -1 : 0;
  return depth;
}

/// With the lines of a text in one: each begins where the first does, or a bracket is still open.
std::vector<DrawnText> paragraphs(const std::vector<DrawnText>& lines) {
  std::vector<DrawnText> joined;
  for (const DrawnText& line : lines) {
    DrawnText* const before = joined.empty() || joined.back().window != line.window ? nullptr : &joined.back();
    const float below = before ? (line.y - before->y) / line.line : 0;
    const bool aligned = before && below > 0.5f && below < 1.6f && std::fabs(line.x - before->x) < 1;
    if (aligned || (before && below > 0.5f && below < 3 && depth_of(before->text) > 0)) {
      before->text.append(" ").append(line.text);
      before->y = line.y;
    } else {
      joined.push_back(line);
    }
  }
  return joined;
}

std::string outside_of_brackets(const std::string& text) {
  std::string outside;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "«") == 0) ++depth;
    outside.push_back(depth == 0 ? text[i] : ' ');
    if (text.compare(i, 2, "»") == 0) depth = std::max(0, depth - 1);
  }
  return outside;
}

/// The window in a language that has every text in brackets: what is shown without them was forgotten.
class BracketedWords : public FrameFixture {
 protected:
  void SetUp() override {
    FrameFixture::SetUp();
    ImGui::GetIO().DeltaTime = 0.3f;  // Tooltips come at once.
    reader_.emplace();
    set_language(bracketed());
    make_lesson();
    shipped_ = lesson::load_course(data_folder() / "lessons", workspace_.catalogue());
    workspace_.add_kernels(kernels());
  }
  void TearDown() override {
    set_language(nullptr);
    FrameFixture::TearDown();
    fs::remove_all(folder_);
  }

  static std::shared_ptr<const Language> bracketed() {
    Diagnostics problems;
    Language words = read_words(TILESCOPE_SOURCE_DIR "/assets/words/en.toml", problems);
    EXPECT_EQ(to_string(problems), "");
    for (auto& [english, texts] : words.translations)
      for (std::string& text : texts) text = "«" + text + "»";
    return std::make_shared<const Language>(std::move(words));
  }

  void make_lesson() {
    fs::create_directories(folder_ / "01-words");
    std::ofstream(folder_ / "01-words/lesson.md") << lesson_text();
    lesson::Course course = lesson::load_course(folder_, workspace_.catalogue());
    ASSERT_EQ(to_string(course.problems), "");
    use_course(std::move(course));
  }

  /// A frame of the whole window; what it shows without brackets goes to unsaid_.
  void show(float width = 1600, float height = 900) {
    ImGui::GetIO().DisplaySize = {width * kScale, height * kScale};
    show_window(kScale, [&](const Context& context) { overlays_.show(context, false); });
    note_unsaid();
  }
  void frames(int count = 3) {
    for (int i = 0; i < count; ++i) show();
  }
  void choose(const std::string& kernel) {
    apply(session::ChooseKernel{kernel});
    if (const std::string preset = textbook_preset(kernel); !preset.empty()) apply(session::UsePreset{preset});
  }
  void use(const std::string& kernel) {
    choose(kernel);
    ASSERT_TRUE(settle());
    frames();
  }

  /// Presses and releases the left button there.
  void click(const std::string& name) {
    move_mouse_to(name);
    show();
    ImGui::GetIO().MouseDown[0] = true;
    show();
    ImGui::GetIO().MouseDown[0] = false;
    show();
    const std::vector<Command> commands = std::exchange(commands_, {});
    for (const Command& command : commands) apply(command);
    frames();
  }
  /// Lets the mouse rest on points all over a box.
  void rest_on(const view::Box& box, float x_step = 160, float y_step = 90) {
    for (float y = box.y + 20; y < box.bottom(); y += y_step)
      for (float x = box.x + 20; x < box.right(); x += x_step) {
        move_mouse(x, y);
        frames();
      }
    move_mouse(-1, -1);
  }
  void rest_everywhere() { rest_on(view::Box{0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y}); }
  void rest_on(const std::string& name) {
    const view::Box* box = widget(name);
    ASSERT_NE(box, nullptr) << name;
    rest_on(view::Box(*box), 100, 70);
  }

  template <class Done>
  void wait_for(Done done) {
    ASSERT_TRUE(wait_until([&] {
      poll(services());
      show();
      return done();
    }));
  }
  void open(const lesson::Lesson& lesson, uint32_t step) {
    apply(session::ChooseLesson{lesson.slug, step});
    apply(show_command(*lessons_->scene(lesson, step)));
    frames();
    ASSERT_TRUE(settle());
    wait_for([&] { return lessons_->page() != nullptr; });
    frames();
  }
  void answer(const lesson::Lesson& lesson, uint32_t step, const lesson::Answer& given) {
    apply(AnswerQuestion{given});
    wait_for([&] { return !lessons_->attempt(lesson, step).judging; });
    frames();
  }
  /// Two wrong answers, after the second of which nothing is covered; for a number also text.
  std::vector<lesson::Answer> wrong_answers(const lesson::Question& question) const {
    const lesson::Answer click = lesson::Click{"B", 5, 5, 7, 1};
    switch (question.kind) {
      case lesson::QuestionKind::Number: return {std::string("x"), std::string("-7"), std::string("-8")};
      case lesson::QuestionKind::Choice: return {size_t{2}, size_t{2}};
      case lesson::QuestionKind::Click: return {click, click};
      case lesson::QuestionKind::Task: return {*lessons_->scene(lessons_->course().lessons.front(), 0)};
    }
    return {};
  }

  /// From English to the brackets, with everything on screen.
  void change_language() {
    set_language(bracketed());
    judged_.clear();
    unsaid_.clear();
    frames();
  }

  void note_unsaid() {
    for (const DrawnText& text : paragraphs(reader_->read(*ImGui::GetDrawData()))) {
      // A new tooltip has the size of its words in the next frame.
      const ImVec2 moved = ImGui::GetIO().MouseDelta;
      if (text.window.find("##Tooltip") != std::string::npos && (moved.x != 0 || moved.y != 0)) continue;
      const std::string outside = outside_of_brackets(text.text);
      if (!is_text_of_a_program(text.window) && judged_.insert(outside).second && has_words(outside))
        unsaid_.insert(panel_of(text.window) + ": " + text.text);
    }
  }
  bool has_words(std::string outside) {
    static const std::regex word("[A-Za-z]{3,}");
    if (!std::regex_search(outside, word)) return false;
    for (const std::regex& each : exceptions()) outside = std::regex_replace(outside, each, " ");
    return std::regex_search(outside, word);
  }
  /// A line each.
  std::string unsaid() const { return fmt::format("{}", fmt::join(unsaid_, "\n")); }
  /// "code" of "frame/code_1A2B3C4D/source_5E6F7081".
  static std::string panel_of(const std::string& window) {
    const std::string inner = window.substr(window.find('/') + 1);
    return inner.substr(0, inner.find('_'));
  }
  static bool is_text_of_a_program(const std::string& window) {
    return window.find("/source_") != std::string::npos || window.find("/ptx_") != std::string::npos ||
           window.find("/##text_") != std::string::npos;
  }
  /// What stays in English in every language: what descriptions say, where figures are from, and some kinds of words.
  const std::vector<std::regex>& exceptions() {
    if (!exceptions_.empty()) return exceptions_;
    std::vector<std::string> texts;
    for (const kernel::Kernel& kernel : kernels()) add_texts(kernel, texts);
    for (const store::Measurement& figure : measuring_->figures()) {
      texts.insert(texts.end(), {figure.subject.device, figure.source});
      if (figure.reference) texts.push_back(figure.reference->name);
    }
    for (const arch::Device& device : measuring_->devices()) texts.push_back(device.name);
    std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
      return std::pair(a.size(), a) > std::pair(b.size(), b);  // "BLOCKSIZE" before "BLOCK".
    });
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    std::erase(texts, "");
    // A description's word may be a part of these.
    for (const char* pattern : {R"(\b(smsp|sm|l1tex|lts|dram)__[\w.]+)",         // Counters.
                                R"(\b([GT]FLOP/s|FLOP/B|[KMG]i?B(/s)?|MHz)\b)",  // Units.
                                R"((/[\w.-]+)+|\b\w+\.(cu|ptx)\b)"})             // Files.
      exceptions_.emplace_back(pattern);
    for (const std::string& text : texts) exceptions_.push_back(of_text(text));
    for (const char* pattern :
         {R"(\b(Ctrl|Shift|Tab|Home|End|PgUp|PgDn|Enter|Esc)\b)",  // Keys.
          R"(^(stages|memory)$|\b(stages|memory)\[)",              // Dynamic shared memory of kernels.
          R"(\b[a-z]+\d*((\.|::)\w+)+|%p\d+ = (true|false)|\b\w+\$\d+|\b(bra|ret)\b|[@$%_]\w+|::\w+)",  // Of PTX.
          R"(\bFFMA( R\d+(\.reuse)?,?)+)",                                                              // Of SASS.
          R"(\b(mem|race|init|sync)check\b|\b(CUDA|PTX|SASS|NVRTC|FMA|DRAM|cuBLAS)\b)"})                // Names.
      exceptions_.emplace_back(pattern);
    return exceptions_;
  }
  std::vector<kernel::Kernel> kernels() const {
    std::vector<kernel::Kernel> all = workspace_.catalogue().kernels;
    for (const lesson::Lesson& lesson : shipped_.lessons)
      for (const lesson::Step& step : lesson.steps)
        if (step.scene && step.scene->kernel) all.push_back(*step.scene->kernel);
    return all;
  }
  static void add_texts(const kernel::Kernel& kernel, std::vector<std::string>& texts) {
    texts.push_back(kernel.name);
    for (const kernel::Parameter& parameter : kernel.description.parameters) texts.push_back(parameter.name);
    for (const kernel::Preset& preset : kernel.description.presets) texts.push_back(preset.name);
    for (const kernel::Array& array : kernel.description.arrays)
      if (array.name.size() > 2) texts.push_back(array.name);  // "C" is a letter of words, too.
  }
  /// A text of a description, in which {M} is replaced by a value.
  static std::regex of_text(const std::string& text) {
    static const std::regex special(R"([.^$|()\[\]{}*+?\\])"), field(R"(\\\{[^}]*\})");
    return std::regex(std::regex_replace(std::regex_replace(text, special, R"(\$&)"), field, ".*"));
  }

  /// Its own: the shards of these tests run side by side.
  fs::path folder_ = fs::path(testing::TempDir()) / ("bracketed_words." + std::to_string(::getpid()));
  lesson::Course shipped_;
  Overlays overlays_;
  std::optional<TextReader> reader_;
  std::vector<std::regex> exceptions_;
  std::set<std::string> judged_, unsaid_;
};

TEST_F(BracketedWords, WhatHasNoBracketsIsFound) {
  set_language(nullptr);
  use("09_thread_tile_2d");
  EXPECT_THAT(unsaid_, IsSupersetOf({"top: Compare", "timeline: barrier", "resources: spills"}));
}

TEST_F(BracketedWords, WhatIsOnShowChangesItsLanguage) {
  set_language(nullptr);
  use("09_thread_tile_2d");
  change_language();
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, EveryTabChangesItsLanguage) {
  set_language(nullptr);
  use("09_thread_tile_2d");
  for (const char* tab : kTabs) {
    set_language(nullptr);
    ASSERT_TRUE(choose_plot(kept_.plots, tab));
    frames();
    change_language();
    EXPECT_EQ(unsaid(), "") << tab;
  }
}

TEST_F(BracketedWords, WhatIsIllegalChangesItsLanguageAndItsWaysOutStillWork) {
  set_language(nullptr);
  use("09_thread_tile_2d");
  apply(session::SetParameter{"TM", 1});
  frames();
  change_language();
  EXPECT_EQ(unsaid(), "");
  const std::vector<view::LegalWay> ways = kept_.parameters[0].panel.last().legality.ways;
  ASSERT_FALSE(ways.empty());
  for (const session::Command& command : ways[0].commands) apply(command);
  frames();
  EXPECT_TRUE(kept_.parameters[0].panel.last().legality.legal);
}

TEST_F(BracketedWords, FindingsChangeTheirLanguage) {
  for (const lesson::Lesson& lesson : shipped_.lessons)
    for (const lesson::Step& step : lesson.steps)
      if (step.scene && step.scene->check) {
        set_language(nullptr);
        apply(show_command(*step.scene));
        ASSERT_TRUE(settle());
        ASSERT_TRUE(choose_plot(kept_.plots, "findings"));
        frames();
        change_language();
        EXPECT_EQ(unsaid(), "") << lesson.slug;
      }
}

TEST_F(BracketedWords, EveryKernelAtEveryScale) {
  for (const kernel::Kernel& kernel : workspace_.catalogue().kernels) {
    use(kernel.name);
    for (const Scale scale : {Scale::Grid, Scale::Block, Scale::Warp, Scale::Thread})
      for (int step = 0; step < 4; ++step) {
        apply(session::SetScale{scale});
        apply(session::Move{analysis::Unit::Phase, 1});
        frames(2);
      }
  }
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, WhateverTheMouseRestsOn) {
  for (const auto& [kernel, scale] : {std::pair{"02_naive_swapped", Scale::Grid},
                                      {"02_naive_swapped", Scale::Warp},
                                      {"10_wide_loads", Scale::Block},
                                      {"10_wide_loads", Scale::Thread}}) {
    use(kernel);
    apply(session::SetScale{scale});
    apply(session::Move{analysis::Unit::Access, 6});
    frames();
    rest_on("stage");
    rest_everywhere();
  }
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, MenusAndOverlays) {
  use("09_thread_tile_2d");
  for (const char* opener : {"stages", "sizes"}) {
    click(opener);
    click("timeline");  // Closes it.
  }
  move_mouse_to("timeline");
  frames();
  ImGui::GetIO().MouseDown[1] = true;
  frames(1);
  ImGui::GetIO().MouseDown[1] = false;
  frames();
  apply(session::SetTheme{session::Theme::Light});
  apply(session::GoToStart{});
  apply(session::Play{true});
  frames();
  apply(session::Play{false});
  show(1280, 720);
  show(900, 600);
  overlays_.toggle_help();
  overlays_.ask(Asked::Path, "x.json");
  frames();
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, ComparedAndPresented) {
  use("09_thread_tile_2d");
  apply(session::SetCompare{true});
  apply(session::ChooseKernel{"04_shared_tile"});
  ASSERT_TRUE(settle());
  frames();
  apply(session::SetPresent{true});
  ImGui::GetIO().MousePos = {700, 20};  // The switches come.
  frames();
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, EveryPlot) {
  use("09_thread_tile_2d");
  for (const char* plot : kTabs) {
    ASSERT_TRUE(choose_plot(kept_.plots, plot));
    frames();
    wait_for([&] { return counter_.poll(), !counter_.busy(); });
    kept_.plots.large = true;
    frames(6);
    if (widget(plot)) rest_on(plot);
    kept_.plots.large = false;
  }
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, FindingsAndWhatIsIllegal) {
  for (const lesson::Lesson& lesson : shipped_.lessons)
    for (const lesson::Step& step : lesson.steps)
      if (step.scene && step.scene->check) {
        apply(show_command(*step.scene));
        ASSERT_TRUE(settle());
        ASSERT_TRUE(choose_plot(kept_.plots, "findings"));
        frames();
      }
  use("09_thread_tile_2d");
  for (const auto& [name, value] : {std::pair{"TM", 1}, {"BK", 64}, {"BM", 256}}) {
    apply(session::SetParameter{name, value});
    frames();
    choose("09_thread_tile_2d");
  }
  apply(session::SetSize{{128, 128, int64_t{1} << 16}});
  ASSERT_TRUE(settle());
  frames();
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, TheEditor) {
  use("09_thread_tile_2d");
  click("code Edit");
  click("Open in my editor");
  kept_.codes[0].editor.text.assign(kLargestEdited + 1, ' ');
  frames();
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, EveryQuestionAskedAndAnswered) {
  const lesson::Lesson& lesson = lessons_->course().lessons.front();
  for (uint32_t step = 0; step < lesson.steps.size(); ++step) {
    open(lesson, step);
    if (!lesson.steps[step].question) continue;
    for (const lesson::Answer& wrong : wrong_answers(*lesson.steps[step].question)) answer(lesson, step, wrong);
    lessons_->give_up();
    wait_for([&] { return lessons_->attempt(lesson, step).done(); });
    frames();
  }
  click("Lesson 1 of 1");
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, WhatWasAnsweredChangesItsLanguage) {
  const lesson::Course course = lessons_->course();
  for (uint32_t step = 1; step < course.lessons.front().steps.size(); ++step) {
    set_language(nullptr);
    const lesson::Lesson& lesson = lessons_->course().lessons.front();
    const lesson::Question& question = *lesson.steps[step].question;
    open(lesson, step);
    for (const lesson::Answer& wrong : wrong_answers(question)) answer(lesson, step, wrong);
    lessons_->give_up();
    wait_for([&] { return lessons_->attempt(lesson, step).done(); });
    frames();
    lessons_->use_course(course);
    set_language(bracketed());
    open(lessons_->course().lessons.front(), step);
    change_language();
    EXPECT_EQ(unsaid(), "") << "step " << step;
  }
}

TEST_F(BracketedWords, WhatAQuestionCovers) {
  const lesson::Lesson& lesson = lessons_->course().lessons.front();
  for (uint32_t step = 1; step < lesson.steps.size(); ++step) {
    if (lesson.steps[step].question->kind != lesson::QuestionKind::Number) continue;
    open(lesson, step);
    for (const Scale scale : {Scale::Grid, Scale::Block, Scale::Warp, Scale::Thread}) {
      apply(session::SetScale{scale});
      frames();
    }
    for (const char* plot : {"ladder", "bound", "findings"}) {
      ASSERT_TRUE(choose_plot(kept_.plots, plot));
      frames();
    }
    rest_everywhere();
  }
  EXPECT_EQ(unsaid(), "");
}

TEST_F(BracketedWords, RightAnswers) {
  const lesson::Lesson& lesson = lessons_->course().lessons.front();
  for (uint32_t step = 1; step < lesson.steps.size(); ++step) {
    const lesson::Question& question = *lesson.steps[step].question;
    open(lesson, step);
    if (question.kind == lesson::QuestionKind::Choice) answer(lesson, step, size_t{0});
    if (question.kind == lesson::QuestionKind::Click && question.target == lesson::ClickTarget::Lane) {
      apply(session::Pin{{session::Target::Kind::Lane, Space::None, "", 3, 0}});
      frames();
      answer(lesson, step, lesson::Click{"", -1, -1, 3, -1});
    }
    if (question.kind != lesson::QuestionKind::Task) continue;
    apply(session::SetParameter{"TILE", 8});
    frames();
    ASSERT_TRUE(settle());
    apply(session::SetParameter{"TILE", 1000});
    ASSERT_TRUE(settle());
    frames();
  }
  EXPECT_EQ(unsaid(), "");
}

}  // namespace
}  // namespace tilescope::ui
