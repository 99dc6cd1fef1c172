#include "lesson/lesson.h"

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

#include <fmt/format.h>

namespace tilescope::lesson {

std::string_view to_string(View view) {
  static constexpr std::array<std::string_view, 4> kNames{"grid", "block", "warp", "thread"};
  return kNames[static_cast<size_t>(view)];
}

std::string_view to_string(QuestionKind kind) {
  static constexpr std::array<std::string_view, 4> kNames{"number", "choice", "click", "task"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view to_string(ClickTarget target) {
  static constexpr std::array<std::string_view, 3> kNames{"cell", "lane", "line"};
  return kNames[static_cast<size_t>(target)];
}

const Scene* scene_of(const Lesson& lesson, size_t step) {
  for (size_t i = std::min(step + 1, lesson.steps.size()); i > 0; --i)
    if (lesson.steps[i - 1].scene) return &*lesson.steps[i - 1].scene;
  return nullptr;
}

const Scene* find_scene(const Lesson& lesson, std::string_view name) {
  for (const Step& step : lesson.steps) {
    if (step.scene && step.scene->name == name) return &*step.scene;
    for (const Scene& scene : step.others)
      if (scene.name == name) return &scene;
  }
  return nullptr;
}

std::optional<Scene> revealed_scene(const Lesson& lesson, size_t step) {
  const std::optional<Question>& question = lesson.steps[step].question;
  if (!question || !question->reveal) return std::nullopt;
  const Reveal& reveal = *question->reveal;
  const Scene* const base = reveal.scene.empty() ? scene_of(lesson, step) : find_scene(lesson, reveal.scene);
  if (!base) return std::nullopt;
  Scene scene = *base;
  scene.view = reveal.view.value_or(scene.view);
  scene.cursor = reveal.cursor.value_or(scene.cursor);
  scene.order = reveal.order.value_or(scene.order);
  if (reveal.block) std::tie(scene.block_x, scene.block_y) = *reveal.block;
  if (!reveal.emphasise.empty()) scene.emphasise = reveal.emphasise;
  if (!reveal.panels.empty()) scene.panels = reveal.panels;
  scene.clock = scene.clock || reveal.clock;
  if (reveal.resident > 0) scene.resident = reveal.resident;
  return scene;
}

namespace {

void add_question_scenes(const Question& question, const Scene& start, std::vector<Scene>& scenes) {
  for (const RandomParameter& parameter : question.random)
    for (const int64_t value : parameter.values) {
      auto sampled = sample_parameters(question, 0);
      sampled[parameter.name] = value;
      scenes.push_back(with_parameters(start, sampled));
    }
  Scene solved = start;
  for (const auto& [name, value] : question.solution) solved.settings[name] = value;
  if (question.solution_source) solved.kernel = question.solution_source;
  scenes.push_back(std::move(solved));
}

}  // namespace

std::vector<Scene> all_scenes(const Lesson& lesson) {
  std::vector<Scene> scenes;
  for (size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    if (step.scene) scenes.push_back(*step.scene);
    scenes.insert(scenes.end(), step.others.begin(), step.others.end());
    if (std::optional<Scene> revealed = revealed_scene(lesson, i)) scenes.push_back(std::move(*revealed));
    if (const Scene* start = scene_of(lesson, i); start && step.question)
      add_question_scenes(*step.question, *start, scenes);
  }
  if (!lesson.grade) return scenes;
  Scene graded;
  graded.kernel = lesson.grade->like;
  graded.settings = lesson.grade->settings;
  graded.size = lesson.grade->sizes.front();
  scenes.push_back(std::move(graded));
  return scenes;
}

Scene with_parameters(Scene scene, const std::map<std::string, int64_t>& sampled) {
  for (const auto& [name, value] : sampled) {
    if (name == "M") scene.size.m = value;
    if (name == "N") scene.size.n = value;
    if (name == "K") scene.size.k = value;
    if (scene.kernel->description.parameter(name)) scene.settings[name] = fmt::format("{}", value);
  }
  return scene;
}

std::map<std::string, int64_t> sample_parameters(const Question& question, uint64_t seed) {
  std::map<std::string, int64_t> sampled;
  std::mt19937_64 engine(seed);
  for (const RandomParameter& parameter : question.random)
    sampled[parameter.name] = parameter.values[seed == 0 ? 0 : engine() % parameter.values.size()];
  return sampled;
}

void shuffle_choices(Lesson& lesson, uint64_t seed) {
  // Not std::seed_seq or std::shuffle, whose results differ between libraries.
  std::mt19937_64 engine(seed);
  for (const char letter : lesson.slug) engine.seed(engine() ^ static_cast<unsigned char>(letter));
  for (Step& step : lesson.steps) {
    if (!step.question) continue;
    auto& choices = step.question->choices;
    for (size_t left = choices.size(); left > 1; --left) std::swap(choices[left - 1], choices[engine() % left]);
  }
}

}  // namespace tilescope::lesson
