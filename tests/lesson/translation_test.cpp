// A lesson in another language shows the same runs and asks the same questions as the English one.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lesson/course.h"

namespace tilescope::lesson {
namespace {
using testing::ElementsAreArray;
using testing::IsEmpty;

const kernel::Catalogue& kernels() {
  static const kernel::Catalogue catalogue = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  return catalogue;
}

std::string scene_text(const Scene& scene) {
  std::string text =
      fmt::format("scene {} {} {}x{}x{} {} {},{} {} {} at {} {} {} {} {}:", scene.name,
                  scene.kernel ? scene.kernel->name : "", scene.size.m, scene.size.n, scene.size.k, scene.arch,
                  scene.block_x, scene.block_y, scene.check, to_string(scene.view), scene.cursor.anchor,
                  scene.cursor.occurrence, scene.cursor.warp, scene.cursor.lane, scene.cursor.array);
  for (const auto& [name, value] : scene.settings) text += fmt::format(" {}={}", name, value);
  for (const std::string& name : scene.emphasise) text += " " + name;
  for (const std::string& name : scene.panels) text += " panel " + name;
  if (scene.clock) text += fmt::format(" clock {}", scene.resident);
  return text;
}

std::string question_text(const Question& question) {
  std::string text = fmt::format("{} {} {} tolerance {}", to_string(question.kind), to_string(question.target),
                                 question.answer.text, question.tolerance.value_or(-1));
  for (const Choice& choice : question.choices) text += " | " + choice.when.text + (choice.hint.empty() ? "" : " hint");
  if (const auto& reveal = question.reveal) text += " reveals " + reveal->scene;
  if (!question.unmoved.empty()) text += " unmoved";
  for (const auto& [name, value] : question.solution) text += fmt::format(" {}={}", name, value);
  for (const RandomParameter& parameter : question.random) text += " random " + parameter.name;
  return text;
}

/// What a lesson runs and asks, one item per line.
std::vector<std::string> skeleton_of(const Lesson& lesson) {
  std::vector<std::string> lines{fmt::format("{} {} min", lesson.slug, lesson.minutes)};
  for (const Step& step : lesson.steps) {
    lines.push_back("step");
    if (step.scene) lines.push_back(scene_text(*step.scene));
    for (const Scene& scene : step.others) lines.push_back(scene_text(scene));
    if (step.question) lines.push_back(question_text(*step.question));
    if (const auto revealed = revealed_scene(lesson, static_cast<size_t>(&step - lesson.steps.data())))
      lines.push_back(scene_text(*revealed));
  }
  return lines;
}

TEST(Translation, ShowsTheSameRunsAndAsksTheSameQuestions) {
  const Course english = load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels());
  const Course chinese = load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels(), "zh");
  EXPECT_THAT(chinese.problems, IsEmpty()) << to_string(chinese.problems);
  ASSERT_EQ(chinese.lessons.size(), english.lessons.size());
  for (size_t i = 0; i < english.lessons.size(); ++i) {
    EXPECT_EQ(chinese.lessons[i].language, "zh") << english.lessons[i].slug;
    EXPECT_THAT(skeleton_of(chinese.lessons[i]), ElementsAreArray(skeleton_of(english.lessons[i])));
  }
}

/// Stars meant as emphasis that CommonMark does not accept: with a Chinese full stop before the last one.
std::vector<std::string> stars_in(Lesson lesson) {
  std::vector<std::string> found;
  const auto look_at = [&](Span& span) {
    const std::string& text = span.text;
    for (size_t at = text.find('*'); span.kind == SpanKind::Plain && at != text.npos; at = text.find('*', at + 1))
      if (at == 0 || text[at - 1] != ' ' || text.substr(at + 1, 1) != " ")
        found.push_back(fmt::format("lesson {}: {}", lesson.number, text));
  };
  for (Step& step : lesson.steps) {
    for_each_span(step.text, look_at);
    for_each_span(step.after, look_at);
    if (!step.question) continue;
    for (Text* text : {&step.question->prompt, &step.question->hint, &step.question->look})
      for_each_span(*text, look_at);
    for (Choice& choice : step.question->choices)
      for (Span& span : choice.text) look_at(span);
  }
  return found;
}

TEST(Translation, NoStarOfEmphasisIsLeftInTheText) {
  for (const char* language : {"en", "zh"})
    for (const Lesson& lesson : load_course(TILESCOPE_SOURCE_DIR "/lessons", kernels(), language).lessons)
      EXPECT_THAT(stars_in(lesson), IsEmpty()) << language;
}

}  // namespace
}  // namespace tilescope::lesson
