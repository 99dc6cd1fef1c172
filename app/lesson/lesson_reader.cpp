#include "lesson/lesson_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest.h"
#include "base/text.h"
#include "base/turns.h"
#include "lesson/expression.h"

namespace tilescope::lesson {
namespace fs = std::filesystem;
namespace {

/// Besides the names of arrays.
const std::vector<std::string> kEmphasis{"code",     "ptx",      "warp",      "sectors", "banks",          "timeline",
                                         "barriers", "findings", "registers", "bound",   "occupancy",      "resources",
                                         "sliders",  "plot",     "ladder",    "grid",    "register banks", "counters"};
const std::vector<std::string> kPanels{"stage", "code", "strip", "timeline", "sliders", "plots"};

bool is_fence(const std::string& line) { return line.starts_with("```"); }

/// The index of a name in `names`; the error says what to write instead.
std::string choose_from(const std::string& given, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(given, names);
  return nearest.empty() ? fmt::format("it may be {}.", fmt::join(names, ", "))
                         : fmt::format("did you mean \"{}\"?", nearest);
}

/// Reads one of the names of an enumeration into `value`; an absent key leaves it.
template <class Enum, size_t Count>
void read_enum(kernel::TomlReader& reader, const toml::table& table, const char* key, const Enum (&values)[Count],
               Enum& value) {
  const std::string given = reader.text(table, key);
  if (given.empty()) return;
  std::vector<std::string> names;
  for (const Enum candidate : values) {
    names.emplace_back(to_string(candidate));
    if (names.back() == given) return void(value = candidate);
  }
  reader.report(*table.get(key), fmt::format("\"{}\" is no {}; {}", given, key, choose_from(given, names)));
}

bool fits_int(int64_t value) { return value >= 0 && value <= std::numeric_limits<int>::max(); }

}  // namespace

LessonReader::LessonReader(std::string_view text, const fs::path& file, const kernel::Catalogue& kernels,
                           Diagnostics& problems)
    : file_(file.string()),
      folder_(file.parent_path()),
      kernels_(kernels),
      problems_(problems),
      lines_(lines_of(text)) {
  lesson_.file = file;
}

void LessonReader::report(size_t line, Message message) {
  problems_.push_back(error_at(place(line), std::move(message), line < lines_.size() ? lines_[line] : ""));
}

void LessonReader::report(Diagnostics problems) {
  for (Diagnostic& problem : problems) {
    const auto line = static_cast<size_t>(std::max(problem.at.line, 1)) - 1;
    if (problem.source_line.empty() && problem.at.file == file_ && line < lines_.size())
      problem.source_line = lines_[line];
    problems_.push_back(std::move(problem));
  }
}

std::string LessonReader::joined(Piece piece) const {
  std::string text;
  for (size_t i = piece.first; i < piece.first + piece.count; ++i) text.append(lines_[i]).append("\n");
  return text;
}

// Empty lines before the piece keep the file's line numbers.
kernel::TomlReader LessonReader::toml(Piece piece) {
  return kernel::TomlReader(std::string(piece.first, '\n') + joined(piece), file_);
}

Lesson LessonReader::read() {
  read_number_and_slug();
  read_steps(read_front_matter());
  check_names();
  for (size_t i = 0; i < lesson_.steps.size(); ++i) {
    let_turns_pass();
    Step& step = lesson_.steps[i];
    const Scene* scene = scene_of(lesson_, i);
    resolve(step.text, scene);
    resolve(step.after, scene);
    if (!step.question) continue;
    resolve(step.question->prompt, scene);
    resolve(step.question->hint, scene);
    resolve(step.question->look, scene);
    for (Choice& choice : step.question->choices) resolve(choice.hint, scene);
  }
  return std::move(lesson_);
}

void LessonReader::read_number_and_slug() {
  const std::string folder = folder_.filename().string();
  const auto [end, problem] = std::from_chars(folder.data(), folder.data() + folder.size(), lesson_.number);
  if (problem == std::errc() && *end == '-')
    lesson_.slug = end + 1;
  else
    report(0, fmt::format("The folder {} must be called NN-name, for example 03-shared-tiles.", folder));
  const std::string name = lesson_.file.stem().string();  // "lesson" or "lesson.zh"
  lesson_.language = name.find('.') == std::string::npos ? "en" : name.substr(name.find('.') + 1);
}

size_t LessonReader::read_front_matter() {
  const auto end = lines_.empty() ? lines_.end() : std::find(lines_.begin() + 1, lines_.end(), "+++");
  if (lines_.empty() || lines_[0] != "+++" || end == lines_.end()) {
    report(0, "A lesson begins with a line +++, then title and minutes in TOML, then +++ again.");
    return 0;
  }
  const auto last = static_cast<size_t>(end - lines_.begin());
  kernel::TomlReader reader = toml({1, last - 1});
  const toml::table& root = reader.root();
  if (reader.problems().empty()) {
    reader.refuse_other_keys(root, "A lesson", {"title", "summary", "minutes", "grade"});
    if (reader.require(root, "A lesson", "title")) lesson_.title = reader.text(root, "title");
    lesson_.summary = reader.text(root, "summary");
    if (reader.require(root, "A lesson", "minutes"))
      lesson_.minutes = static_cast<int>(std::clamp<int64_t>(reader.integer(root, "minutes").value_or(0), 0, 600));
    if (root.contains("grade")) read_grade(reader, reader.sub_table(root, "grade"));
  }
  report(reader.problems());
  return last + 1;
}

void LessonReader::read_grade(kernel::TomlReader& reader, const toml::table& table) {
  reader.refuse_other_keys(table, "[grade]", {"like", "sizes", "set", "task", "atomics", "require"});
  GradeRules rules;
  rules.at = reader.at(table);
  if (const toml::node* like = reader.require(table, "[grade]", "like")) rules.like = read_kernel(reader, *like);
  rules.task = reader.text(table, "task");
  rules.atomics = read_flag(reader, table, "atomics");
  rules.settings = read_settings(reader, table, "set");
  if (const toml::node* sizes = reader.require(table, "[grade]", "sizes"); sizes && sizes->is_array())
    for (const toml::node& node : *sizes->as_array()) {
      const Result<kernel::Size> size =
          kernel::parse_size(node.is_string() ? node.as_string()->get() : reader.expression(node).text);
      if (size)
        rules.sizes.push_back(*size);
      else
        reader.report(node, sentence_of(size.errors().front()));
    }
  for (const toml::table* requirement : reader.tables(table, "require"))
    rules.requirements.push_back(read_requirement(reader, *requirement));
  for (const Requirement& requirement : rules.requirements)
    for (const auto& [name, number] : requirement.added)
      if (rules.like && std::ranges::none_of(rules.like->description.arrays, [&](const kernel::Array& array) {
            return array.name == name && array.space == Space::Global && array.role == kernel::Role::Input;
          }))
        reader.report(table, fmt::format("[[grade.require]]: add is for inputs, and {} is not one.", name));
  if (rules.sizes.empty()) reader.report(table, "[grade] needs sizes, for example sizes = [64, \"M=70,N=66,K=37\"].");
  if (rules.like && !rules.sizes.empty()) lesson_.grade = std::move(rules);
}

Requirement LessonReader::read_requirement(kernel::TomlReader& reader, const toml::table& table) {
  reader.refuse_other_keys(table, "[[grade.require]]", {"name", "holds", "add", "message"});
  Requirement requirement{reader.text(table, "name"), read_formula(reader, table, "holds"),
                          read_settings(reader, table, "add"), reader.text(table, "message")};
  if (requirement.name.empty() || requirement.holds.empty() == requirement.added.empty())
    reader.report(table, "[[grade.require]] needs name, and holds or add.");
  else if (requirement.added.empty())
    check_expression(requirement.holds, true);
  return requirement;
}

// Steps begin at "## ". Text before the first is a title for readers of the file.
void LessonReader::read_steps(size_t line) {
  std::vector<size_t> starts;
  bool in_fence = false;
  for (size_t i = line; i < lines_.size(); ++i) {
    if (is_fence(lines_[i])) in_fence = !in_fence;
    if (!in_fence && lines_[i].starts_with("## ")) starts.push_back(i);
  }
  if (in_fence) report(lines_.size() - 1, "A block that begins with ``` is not closed.");
  if (starts.empty())
    return report(line, "A lesson needs steps; each begins with a line such as \"## What a warp is\".");
  for (size_t i = 0; i < starts.size(); ++i) {
    lesson_.steps.push_back(read_step(starts[i], i + 1 < starts.size() ? starts[i + 1] : lines_.size()));
    let_turns_pass();
  }
}

Step LessonReader::read_step(size_t line, size_t end) {
  Step step;
  step.at = place(line);
  step.title = lines_[line].substr(3);
  size_t text = line + 1;
  for (size_t i = text; i < end;) {
    if (!is_fence(lines_[i])) {
      ++i;
      continue;
    }
    const bool ours = lines_[i] == "```scene" || lines_[i] == "```question";
    if (ours) add_text(step, {text, i - text});
    i = ours ? read_fence(i, end, step)
             : static_cast<size_t>(std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                lines_.begin() + static_cast<std::ptrdiff_t>(end), is_fence) -
                                   lines_.begin()) +
                   1;
    if (ours) text = i;
  }
  if (text < end) add_text(step, {text, end - text});
  return step;
}

size_t LessonReader::read_fence(size_t line, size_t end, Step& step) {
  size_t close = line + 1;
  while (close < end && !is_fence(lines_[close])) ++close;
  const Piece inside{line + 1, close - line - 1};
  if (lines_[line] == "```question") {
    if (step.question) report(line, "A step asks one question; begin another step for the second.");
    step.question = read_question(inside);
  } else {
    Scene scene = read_scene(inside);
    scene.at = place(line);
    check_scene(scene);
    if (scene.kernel && step.scene)
      step.others.push_back(std::move(scene));
    else if (scene.kernel)
      step.scene = std::move(scene);
  }
  return std::min(close + 1, end);
}

void LessonReader::add_text(Step& step, Piece piece) {
  Text text = parse_text(joined(piece), place(piece.first));
  Text& target = step.question ? step.after : step.text;
  std::move(text.begin(), text.end(), std::back_inserter(target));
}

Scene LessonReader::read_scene(Piece piece) {
  Scene scene;
  scene.at = place(piece.first);
  kernel::TomlReader reader = toml(piece);
  if (reader.problems().empty()) read_scene_keys(reader, reader.root(), scene);
  report(reader.problems());
  return scene;
}

void LessonReader::read_scene_keys(kernel::TomlReader& reader, const toml::table& table, Scene& scene) {
  reader.refuse_other_keys(table, "A scene",
                           {"name", "kernel", "preset", "set", "size", "arch", "block", "check", "view", "cursor",
                            "order", "emphasise", "panels", "clock", "resident"});
  scene.name = reader.text(table, "name");
  if (const toml::node* kernel = reader.require(table, "A scene", "kernel"))
    scene.kernel = read_kernel(reader, *kernel);
  if (const std::string preset = reader.text(table, "preset"); !preset.empty() && scene.kernel) {
    Result<kernel::Settings> settings = kernel::preset_settings(scene.kernel->description, preset);
    if (settings)
      scene.settings = std::move(*settings);
    else
      reader.report(*table.get("preset"), sentence_of(settings.errors().front()));
  }
  for (auto& [name, value] : read_settings(reader, table, "set")) scene.settings[name] = value;
  if (table.contains("arch")) scene.arch = reader.text(table, "arch");
  scene.check = read_flag(reader, table, "check");
  read_size(reader, table, scene);
  read_look(reader, table, scene);
}

void LessonReader::read_look(kernel::TomlReader& reader, const toml::table& table, Scene& scene) {
  read_block(reader, table, scene);
  static constexpr View kViews[]{View::Grid, View::Block, View::Warp, View::Thread};
  read_enum(reader, table, "view", kViews, scene.view);
  read_cursor(reader, table, scene);
  using session::WarpOrder;
  static constexpr WarpOrder kOrders[]{WarpOrder::InStep, WarpOrder::Ahead, WarpOrder::Behind};
  read_enum(reader, table, "order", kOrders, scene.order);
  scene.emphasise = read_names(reader, table, "emphasise", names_to_emphasise());
  scene.panels = read_names(reader, table, "panels", kPanels);
  scene.clock = read_flag(reader, table, "clock");
  scene.resident = static_cast<uint32_t>(std::clamp<int64_t>(reader.integer(table, "resident").value_or(0), 0, 32));
}

std::vector<std::string> LessonReader::names_to_emphasise() const {
  std::vector<std::string> names = kEmphasis;
  for (const auto& [ignored, kernel] : loaded_)
    if (kernel)
      for (const kernel::Array& array : kernel->description.arrays) names.push_back(array.name);
  return names;
}

void LessonReader::read_reveal(kernel::TomlReader& reader, const toml::table& table, Question& question) {
  if (!table.contains("reveal")) return;
  const toml::table& given = reader.sub_table(table, "reveal");
  reader.refuse_other_keys(given, "A reveal",
                           {"scene", "block", "view", "cursor", "order", "emphasise", "panels", "clock", "resident"});
  Scene look;
  read_look(reader, given, look);
  Reveal reveal;
  reveal.scene = reader.text(given, "scene");
  if (given.contains("view")) reveal.view = look.view;
  if (given.contains("cursor")) reveal.cursor = look.cursor;
  if (given.contains("order")) reveal.order = look.order;
  if (given.contains("block")) reveal.block = {look.block_x, look.block_y};
  reveal.emphasise = std::move(look.emphasise);
  reveal.panels = std::move(look.panels);
  reveal.clock = look.clock;
  reveal.resident = look.resident;
  reveal.at = reader.at(*table.get("reveal"));
  if (question.kind == QuestionKind::Task)
    reader.report(*table.get("reveal"), "A task reveals nothing: the student's own run is on show.");
  question.reveal = std::move(reveal);
}

void LessonReader::read_size(kernel::TomlReader& reader, const toml::table& table, Scene& scene) {
  if (const toml::node* node = table.get("size")) {
    const std::string text = node->is_string() ? node->as_string()->get() : reader.expression(*node).text;
    const Result<kernel::Size> size = kernel::parse_size(text);
    if (size)
      scene.size = *size;
    else
      reader.report(*node, sentence_of(size.errors().front()));
  }
}

void LessonReader::read_block(kernel::TomlReader& reader, const toml::table& table, Scene& scene) {
  const toml::node* block = table.get("block");
  if (!block) return;
  const toml::array* numbers = block->as_array();
  const auto x = numbers && numbers->size() == 2 ? numbers->get(0)->value<int64_t>() : std::nullopt;
  const auto y = numbers && numbers->size() == 2 ? numbers->get(1)->value<int64_t>() : std::nullopt;
  if (!x || !y || !fits_int(*x) || !fits_int(*y)) return reader.report(*block, "Write block = [x, y].");
  scene.block_x = static_cast<uint32_t>(*x);
  scene.block_y = static_cast<uint32_t>(*y);
}

void LessonReader::read_cursor(kernel::TomlReader& reader, const toml::table& table, Scene& scene) {
  if (!table.contains("cursor")) return;
  const toml::table& cursor = reader.sub_table(table, "cursor");
  reader.refuse_other_keys(cursor, "A cursor", {"at", "occurrence", "warp", "lane", "array"});
  scene.cursor.at = reader.at(*table.get("cursor"));
  scene.cursor.anchor = reader.text(cursor, "at");
  const auto number = [&](const char* key, int otherwise) {
    const int64_t value = reader.integer(cursor, key).value_or(otherwise);
    if (!fits_int(value)) reader.report(*cursor.get(key), "This must not be negative.");
    return fits_int(value) ? static_cast<int>(value) : otherwise;
  };
  scene.cursor.occurrence = number("occurrence", 1);
  scene.cursor.warp = number("warp", 0);
  scene.cursor.lane = number("lane", 0);
  if (cursor.contains("array")) scene.cursor.array = reader.text(cursor, "array");
  if (scene.cursor.lane > 31) reader.report(*cursor.get("lane"), "A warp has the lanes 0 to 31.");
}

std::vector<std::string> LessonReader::read_names(kernel::TomlReader& reader, const toml::table& table, const char* key,
                                                  const std::vector<std::string>& known) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  std::vector<std::string> names;
  if (!node->is_array())
    reader.report(*node, fmt::format("Write a list: {} = [\"{}\", \"{}\"].", key, known[0], known[1]));
  else
    for (const toml::node& entry : *node->as_array()) {
      names.push_back(entry.value_or(std::string()));
      if (std::find(known.begin(), known.end(), names.back()) == known.end())
        reader.report(
            entry, fmt::format("\"{}\" is not allowed in {}; {}", names.back(), key, choose_from(names.back(), known)));
    }
  return names;
}

kernel::Settings LessonReader::read_settings(kernel::TomlReader& reader, const toml::table& table, const char* key) {
  kernel::Settings settings;
  if (!table.contains(key)) return settings;
  for (const auto& [name, value] : reader.sub_table(table, key)) {
    if (const auto number = value.value<int64_t>())
      settings[std::string(name.str())] = fmt::format("{}", *number);
    else
      reader.report(value, "A parameter's value is a whole number.");
  }
  return settings;
}

const kernel::Kernel* LessonReader::kernel_named(const std::string& name) {
  std::shared_ptr<const kernel::Kernel>& slot = loaded_[name];
  if (slot) return slot.get();
  if (const Result<kernel::Kernel> found = find_kernel(name)) slot = std::make_shared<const kernel::Kernel>(*found);
  return slot.get();
}

// A .cu file is in this lesson's folder or in another lesson's.
Result<kernel::Kernel> LessonReader::find_kernel(const std::string& name) const {
  if (!name.ends_with(".cu")) return kernel::find_kernel(kernels_, name);
  const fs::path file = (folder_ / name).lexically_normal();
  if (file.parent_path().parent_path() == folder_.parent_path()) return kernel::load_kernel(file);
  return error(fmt::format("{} is outside the lessons.", name));
}

std::shared_ptr<const kernel::Kernel> LessonReader::read_kernel(kernel::TomlReader& reader, const toml::node& node) {
  const std::string name = node.value_or(std::string());
  if (kernel_named(name)) return loaded_[name];
  reader.report(node, sentence_of(find_kernel(name).errors().front()));
  return nullptr;
}

Diagnostic LessonReader::no_line(const kernel::Kernel& kernel, const std::string& wanted, const Location& at) const {
  std::vector<std::string> names;
  for (const kernel::Anchor& anchor : kernel::find_anchors(kernel.source)) names.push_back(anchor.name);
  return error_at(at, fmt::format("{} has no line [{}]; {}", kernel.name, wanted, choose_from(wanted, names)));
}

void LessonReader::check_scene(const Scene& scene) {
  if (!scene.kernel) return;
  const auto configuration = kernel::configure(scene.kernel->description, scene.settings, scene.size);
  if (!configuration) {
    for (const Diagnostic& problem : configuration.errors())
      problems_.push_back(error_at(scene.at, sentence_of(problem), lines_[static_cast<size_t>(scene.at.line) - 1]));
    return;
  }
  const std::string& wanted = scene.cursor.anchor;
  if (!wanted.empty() && kernel::find_line(scene.kernel->source, wanted) == 0)
    report({no_line(*scene.kernel, wanted, scene.cursor.at)});
}

Text LessonReader::read_markdown(kernel::TomlReader& reader, const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  Location at = reader.at(*node);
  at.column += 1;  // of the quote
  return parse_text(reader.text(table, key), at);
}

Formula LessonReader::read_formula(kernel::TomlReader& reader, const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  Formula formula{reader.text(table, key), reader.at(*node)};
  formula.at.column += 1;
  return formula;
}

bool LessonReader::read_flag(kernel::TomlReader& reader, const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return false;
  if (const auto value = node->value_exact<bool>()) return *value;
  reader.report(*node, fmt::format("\"{}\" must be true or false.", key));
  return false;
}

Question LessonReader::read_question(Piece piece) {
  Question question;
  question.at = place(piece.first - 1);
  kernel::TomlReader reader = toml(piece);
  const toml::table& table = reader.root();
  if (reader.problems().empty()) {
    reader.refuse_other_keys(table, "A question",
                             {"kind", "target", "prompt", "choices", "answer", "tolerance", "unit", "hint", "look",
                              "edit", "solution", "random", "reveal", "unmoved"});
    read_question_kind(reader, table, question);
    question.prompt = read_markdown(reader, table, "prompt");
    question.answer = read_formula(reader, table, "answer");
    if (table.contains("tolerance")) question.tolerance = table["tolerance"].value<double>();
    question.unit = reader.text(table, "unit");
    question.hint = read_markdown(reader, table, "hint");
    question.look = read_markdown(reader, table, "look");
    read_choices(reader, table, question);
    read_solution(reader, table, question);
    read_random(reader, table, question);
    read_reveal(reader, table, question);
    question.unmoved = reader.text(table, "unmoved");
    check_question(reader, table, question);
  }
  report(reader.problems());
  return question;
}

void LessonReader::read_question_kind(kernel::TomlReader& reader, const toml::table& table, Question& question) {
  static constexpr QuestionKind kKinds[]{QuestionKind::Number, QuestionKind::Choice, QuestionKind::Click,
                                         QuestionKind::Task};
  static constexpr ClickTarget kTargets[]{ClickTarget::Cell, ClickTarget::Lane, ClickTarget::Line};
  if (reader.require(table, "A question", "kind")) read_enum(reader, table, "kind", kKinds, question.kind);
  read_enum(reader, table, "target", kTargets, question.target);
}

void LessonReader::read_choices(kernel::TomlReader& reader, const toml::table& table, Question& question) {
  const toml::node* node = table.get("choices");
  if (!node) return;
  if (!node->is_array())
    return reader.report(*node, "Write a list: choices = [{ text = \"...\", when = \"...\" }, ...].");
  for (const toml::node& entry : *node->as_array()) {
    const toml::table* choice = entry.as_table();
    if (!choice || !choice->contains("text") || !choice->contains("when")) {
      reader.report(entry, "A choice is { text = \"...\", when = \"the condition under which it is right\" }.");
      continue;
    }
    const Text text = read_markdown(reader, *choice, "text");
    reader.refuse_other_keys(*choice, "A choice", {"text", "when", "hint"});
    question.choices.push_back({text.empty() ? Spans{} : text.front().spans, read_formula(reader, *choice, "when"),
                                read_markdown(reader, *choice, "hint")});
  }
}

void LessonReader::read_solution(kernel::TomlReader& reader, const toml::table& table, Question& question) {
  question.edits_source = read_flag(reader, table, "edit");
  const toml::node* node = table.get("solution");
  if (!node) return;
  if (node->is_string())
    question.solution_source = read_kernel(reader, *node);
  else
    question.solution = read_settings(reader, table, "solution");
}

void LessonReader::read_random(kernel::TomlReader& reader, const toml::table& table, Question& question) {
  if (!table.contains("random")) return;
  for (const auto& [name, node] : kernel::in_file_order(reader.sub_table(table, "random"))) {
    RandomParameter parameter{name, {}};
    if (const toml::array* values = node->as_array())
      for (const toml::node& value : *values)
        if (const auto number = value.value<int64_t>()) parameter.values.push_back(*number);
    if (parameter.values.empty())
      reader.report(*node, fmt::format("Write the values that {0} is drawn from: {0} = [8, 16, 32].", name));
    else
      question.random.push_back(std::move(parameter));
  }
}

void LessonReader::check_question(kernel::TomlReader& reader, const toml::table& table, const Question& question) {
  if (question.prompt.empty()) reader.report(table, "A question needs a prompt.");
  if (question.kind == QuestionKind::Choice) {
    if (question.choices.size() < 2) reader.report(table, "A choice needs at least two choices.");
    for (const Choice& choice : question.choices) check_expression(choice.when, true);
    return;
  }
  if (question.answer.empty())
    return reader.report(table, "A question needs an answer: an expression that is evaluated when it is asked.");
  check_expression(question.answer, true);
  if (question.kind == QuestionKind::Task && question.solution.empty() && !question.solution_source)
    reader.report(table, "A task needs a solution, with which the check proves that it can be done.");
}

void LessonReader::check_expression(const Formula& formula, bool must_compute) {
  const Result<Expression> parsed = Expression::parse(formula.text);
  if (!parsed) {
    Diagnostic problem = parsed.errors().front();
    problem.at = {formula.at.file, formula.at.line,
                  formula.at.column > 0 ? formula.at.column + problem.at.column - 1 : 0};
    report({problem});
  } else if (must_compute && !parsed->has_names()) {
    report({error_at(formula.at, "This answer is written down; compute it from the run, so that it stays right.")});
  }
}

void LessonReader::check_names() {
  std::set<std::string> names;
  const auto check = [&](const Scene& scene) {
    if (scene.name.empty() || names.insert(scene.name).second) return;
    report({error_at(scene.at, fmt::format("Two scenes of this lesson are called \"{}\".", scene.name))});
  };
  for (const Step& step : lesson_.steps) {
    if (step.scene) check(*step.scene);
    for (const Scene& scene : step.others) check(scene);
  }
  for (size_t i = 0; i < lesson_.steps.size(); ++i) {
    const auto& question = lesson_.steps[i].question;
    if (question && question->reveal && !revealed_scene(lesson_, i))
      report({error_at(question->reveal->at,
                       fmt::format("This lesson has no scene called \"{}\".", question->reveal->scene))});
  }
}

void LessonReader::resolve(Text& text, const Scene* scene) {
  std::set<std::string> arrays{"A", "B", "C"};
  std::vector<kernel::Anchor> anchors;
  if (scene) {
    anchors = kernel::find_anchors(scene->kernel->source);
    for (const kernel::Array& array : scene->kernel->description.arrays) arrays.insert(array.name);
  }
  for_each_span(text, [&](Span& span) {
    if (span.kind == SpanKind::Value && span.target.empty())
      report({error_at(span.at, "Write {{ expression }}, with both braces at each end and on one line.")});
    else if (span.kind == SpanKind::Value)
      check_expression({span.target, span.at}, false);
    if (span.kind == SpanKind::Code && arrays.contains(span.text)) span.kind = SpanKind::Array;
    if (span.kind != SpanKind::Anchor) return;
    KernelLine line{{}, span.target, 0, {}};
    resolve_line(line, span.at, scene);
  });
  for_each_block(text, [&](Block& block) {
    for (KernelLine& line : block.lines) resolve_line(line, block.at, scene);
  });
}

void LessonReader::resolve_line(KernelLine& line, const Location& at, const Scene* scene) {
  const kernel::Kernel* source =
      line.kernel.empty() ? (scene ? scene->kernel.get() : nullptr) : kernel_named(line.kernel);
  if (!source)
    return report({error_at(
        at, line.kernel.empty() ? fmt::format("[{}] is a line of which kernel? This step has no scene.", line.anchor)
                                : fmt::format("There is no kernel {}.", line.kernel))});
  line.number = kernel::find_line(source->source, line.anchor);
  if (line.number == 0) return report({no_line(*source, line.anchor, at)});
  const std::string text = lines_of(source->source)[static_cast<size_t>(line.number) - 1];
  line.kernel = source->name;
  line.text = text.substr(0, text.find_last_not_of(' ', text.rfind("// [") - 1) + 1);
}

}  // namespace tilescope::lesson
