#include "cli/lesson.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/words.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/lesson_json.h"
#include "cli/lesson_sheet.h"
#include "cli/lesson_text.h"
#include "cli/option_checks.h"
#include "cli/scene_options.h"
#include "cli/text.h"
#include "lesson/check.h"
#include "lesson/course.h"
#include "lesson/sheet.h"

namespace tilescope::cli {
namespace {
using lesson::AnswerContext;
using lesson::Course;
using lesson::Lesson;
using lesson::Question;
using lesson::QuestionKind;
using lesson::Step;

/// Words for the lessons' values: "shared memory". English if the language has no file of words.
void speak_language(const std::string& language) {
  Diagnostics ignored;
  if (language == "en") return;
  set_language(
      std::make_shared<const Language>(read_words(data_folder() / "assets" / "words" / (language + ".toml"), ignored)));
}

Course load(const LessonOptions& options) {
  speak_language(options.language);
  const std::filesystem::path folder =
      options.folder.empty() ? data_folder() / "lessons" : std::filesystem::path(options.folder);
  const kernel::Catalogue kernels = kernel::load_catalogue(data_folder() / "kernels");
  Course course = lesson::load_course(folder, kernels, options.language, options.seed);
  course.problems.insert(course.problems.begin(), kernels.problems.begin(), kernels.problems.end());
  return course;
}

/// A course with the requested lesson, and everything to run it.
class Session {
 public:
  explicit Session(const LessonOptions& options)
      : options_(options), course_(load(options)), line_(), cache_(compiler_, control_for(line_)), runs_(cache_) {}

  Result<const Lesson*> wanted() const { return lesson::find_lesson(course_, options_.lesson); }
  const Course& course() const { return course_; }
  lesson::Runs& runs() { return runs_; }
  AnswerContext context(const Lesson& of, size_t step) {
    const auto& question = of.steps[step].question;
    line_.clear();
    return {&of, step, &runs_,
            question ? lesson::sample_parameters(*question, options_.seed) : std::map<std::string, int64_t>{}};
  }
  void clear_line() { line_.clear(); }

 private:
  const LessonOptions& options_;
  Course course_;
  compile::Compiler compiler_;
  ProgressLine line_;
  run::RunCache cache_;
  lesson::Runs runs_;
};

std::string choices_text(const AnswerContext& context, const Question& question, const Style& style,
                         Diagnostics& problems) {
  std::string text;
  for (size_t i = 0; i < question.choices.size(); ++i)
    text.append(
        fmt::format("    {}) {}\n", lesson::choice_letter(i),
                    wrapped(span_text(lesson::filled_in(question.choices[i].text, context, problems), style), 88, 7)));
  return text.empty() ? text : text.append("\n");
}

std::string step_head(const Lesson& of, size_t step, const Style& style) {
  return fmt::format("{}\n\n", style.bold(fmt::format("{}.{}  {}", of.number, step + 1, of.steps[step].title)));
}

/// How to see all of what the step shows in part.
std::string scene_line(const lesson::Scene& scene, const Style& style) {
  std::string settings;
  for (const auto& [name, value] : scene.settings) settings.append(fmt::format(" {}={}", name, value));
  return style.dim(fmt::format("    {}{}  M={} N={} K={}  {}\n\n", scene.kernel->name, settings, scene.size.m,
                               scene.size.n, scene.size.k, scene.arch));
}

std::string step_text(const AnswerContext& context, const Style& style, Diagnostics& problems) {
  const Step& step = context.lesson->steps[context.step];
  std::string text = step_head(*context.lesson, context.step, style);
  if (step.scene) text += scene_line(lesson::with_parameters(*step.scene, context.sampled), style);
  text += lesson_text(lesson::filled_in(step.text, context, problems), style);
  if (!step.question) return text;
  text += lesson_text(lesson::filled_in(step.question->prompt, context, problems), style, 2);
  return text + choices_text(context, *step.question, style, problems);
}

// ---- play

/// "A[3][5]", "lane 7", "line 12"
Result<lesson::Click> parse_click(const std::string& text, lesson::ClickTarget target) {
  lesson::Click click;
  char array[9] = {};
  long long row = 0, column = 0;
  const char* const usage = target == lesson::ClickTarget::Cell   ? "Type an element, for example A[3][5]."
                            : target == lesson::ClickTarget::Lane ? "Type a lane, for example lane 7."
                                                                  : "Type a line, for example line 12.";
  if (target == lesson::ClickTarget::Cell) {
    if (std::sscanf(text.c_str(), " %8[A-Za-z] [%lld] [%lld]", array, &row, &column) != 3) return error(usage);
    click.array = array;
    click.row = row;
    click.column = column;
    return click;
  }
  const size_t digits = text.find_first_of("0123456789");
  if (digits == std::string::npos) return error(usage);
  const int number = std::atoi(text.c_str() + digits);
  (target == lesson::ClickTarget::Lane ? click.lane : click.line) = number;
  return click;
}

std::string usage_of(const Question& question) {
  switch (question.kind) {
    case QuestionKind::Number: return question.unit.empty() ? "a number" : question.unit;
    case QuestionKind::Choice: return fmt::format("a to {}", lesson::choice_letter(question.choices.size() - 1));
    case QuestionKind::Click: return fmt::format("a {}", to_string(question.target));
    case QuestionKind::Task: return question.edits_source ? "a .cu file" : "values, for example TILE=16";
  }
  return {};
}

/// "b", as an index
Result<size_t> parse_choice(const std::string& text, const Question& question) {
  const size_t index = static_cast<size_t>((text[0] | 0x20) - 'a');
  if (text.size() == 1 && index < question.choices.size()) return index;
  return error(fmt::format("Type a letter, {}.", usage_of(question)));
}

/// The scene with the student's settings or source.
Result<lesson::Scene> changed_scene(const AnswerContext& context, const std::string& given) {
  lesson::Scene scene = lesson::with_parameters(*lesson::scene_of(*context.lesson, context.step), context.sampled);
  if (context.lesson->steps[context.step].question->edits_source) {
    const Result<std::string> source = read_file(given, size_t{4} << 20);
    if (!source) return source.errors();
    kernel::Kernel kernel = *scene.kernel;
    kernel.source = *source;
    scene.kernel = std::make_shared<const kernel::Kernel>(std::move(kernel));
  } else {
    std::istringstream words(given);
    for (std::string word; words >> word;)
      if (const auto added = kernel::add_setting(word, scene.settings); !added) return added.errors();
  }
  return scene;
}

template <class T>
Result<lesson::Answer> answer_of(Result<T> read) {
  if (!read) return read.errors();
  return lesson::Answer(std::move(*read));
}

Result<lesson::Answer> parse_answer(const AnswerContext& context, const std::string& given) {
  const Question& question = *context.lesson->steps[context.step].question;
  switch (question.kind) {
    case QuestionKind::Number: return lesson::Answer(given);
    case QuestionKind::Choice: return answer_of(parse_choice(given, question));
    case QuestionKind::Click: return answer_of(parse_click(given, question.target));
    case QuestionKind::Task: return answer_of(changed_scene(context, given));
  }
  return lesson::Answer(given);
}

Result<lesson::Verdict> judge_line(const AnswerContext& context, const std::string& given) {
  const Result<lesson::Answer> answer = parse_answer(context, given);
  if (!answer) return answer.errors();
  return lesson::judge(context, *answer);
}

/// The hint of the wrong choice, else the question's.
const lesson::Text& hint_after(const Question& question, const std::string& given) {
  if (question.kind != QuestionKind::Choice) return question.hint;
  const Result<size_t> choice = parse_choice(given, question);
  return choice && !question.choices[*choice].hint.empty() ? question.choices[*choice].hint : question.hint;
}

class Player {
 public:
  Player(Session& session, const Lesson& of) : session_(session), lesson_(of), style_(terminal_style()) {}

  int play(size_t first) {
    for (size_t step = first; step < lesson_.steps.size(); ++step)
      if (!play_step(step)) break;
    say(fmt::format("{} of {} questions answered right at the first try.\n", right_, asked_));
    return interrupted() ? kInterrupted : kFine;
  }

 private:
  void say(const std::string& text) { std::cout << text << std::flush; }

  /// False at the end of input.
  bool play_step(size_t index) {
    const AnswerContext context = session_.context(lesson_, index);
    const Step& step = lesson_.steps[index];
    Diagnostics problems;
    say(step_text(context, style_, problems));
    const bool more = step.question ? ask(context, *step.question, problems) : pause();
    const std::string after = lesson_text(lesson::filled_in(step.after, context, problems), style_);
    session_.clear_line();
    say(after);
    if (!problems.empty()) fail(problems);
    return more && !interrupted();
  }

  bool pause() {
    if (!isatty(STDIN_FILENO)) return true;
    say(style_.dim("    Press Enter to go on. "));
    std::string line;
    return static_cast<bool>(std::getline(std::cin, line));
  }

  bool ask(const AnswerContext& context, const Question& question, Diagnostics& problems) {
    ++asked_;
    for (int wrong = 0; wrong < 3;) {
      say(fmt::format("    Your answer ({}; Enter gives up): ", usage_of(question)));
      std::string given;
      if (!std::getline(std::cin, given) || interrupted()) return say("\n\n"), false;
      if (given.empty()) break;
      const Result<lesson::Verdict> verdict = judge_line(context, given);
      session_.clear_line();
      if (verdict && verdict->right) {
        right_ += wrong == 0;
        say(fmt::format("    {}\n\n", style_.good("Right.")));
        return true;
      }
      if (!verdict) {
        say(fmt::format("    {}\n", to_string(verdict.errors())));
        continue;
      }
      say(fmt::format("    {}\n", style_.bad(verdict->failing.empty() ? "Wrong." : verdict->failing.text())));
      const lesson::Text& help = ++wrong == 1 ? hint_after(question, given) : question.look;
      say(lesson_text(lesson::filled_in(help, context, problems), style_, 4));
    }
    const Result<lesson::SaidAnswer> answer = lesson::solve(context);
    session_.clear_line();
    say(fmt::format("    The answer: {}.\n\n", answer ? answer->words : to_string(answer.errors())));
    return true;
  }

  Session& session_;
  const Lesson& lesson_;
  Style style_;
  size_t asked_ = 0, right_ = 0;
};

// ---- show

std::string whole_text(Session& session, const Lesson& of, const LessonOptions& options, Diagnostics& problems) {
  const Style style = terminal_style();
  std::string text = fmt::format("{}\n{}\n\n", style.bold(of.title), wrapped(of.summary, 96));
  for (size_t step = 0; step < of.steps.size(); ++step) {
    const AnswerContext context = session.context(of, step);
    text += step_text(context, style, problems);
    if (of.steps[step].question && !options.answers) continue;
    if (of.steps[step].question) {
      const Result<lesson::SaidAnswer> answer = lesson::solve(context);
      text.append(fmt::format("    Answer: {}\n\n", answer ? answer->words : to_string(answer.errors())));
    }
    text += lesson_text(lesson::filled_in(of.steps[step].after, context, problems), style);
  }
  return text;
}

std::string whole_json(Session& session, const Lesson& of, const LessonOptions& options, Diagnostics& problems) {
  nlohmann::ordered_json json{{"number", of.number}, {"slug", of.slug}, {"title", of.title}, {"summary", of.summary}};
  for (size_t step = 0; step < of.steps.size(); ++step)
    json["steps"].push_back(json_of_step(session.context(of, step), options.answers, problems));
  return to_text(json);
}

// ---- check

/// The lessons to check: the named one, or all.
Result<std::vector<const Lesson*>> chosen_lessons(const Session& session, const LessonOptions& options) {
  std::vector<const Lesson*> chosen;
  if (options.lesson.empty()) {
    for (const Lesson& each : session.course().lessons) chosen.push_back(&each);
    return chosen;
  }
  const Result<const Lesson*> found = session.wanted();
  if (!found) return found.errors();
  return std::vector<const Lesson*>{*found};
}

bool belongs_to(const Diagnostic& problem, const std::vector<const Lesson*>& lessons) {
  return problem.at.file.empty() || std::any_of(lessons.begin(), lessons.end(), [&](const Lesson* each) {
           return problem.at.file.starts_with(each->file.parent_path().string());
         });
}

std::string summary_of(const Lesson& each) {
  size_t questions = 0;
  for (const Step& step : each.steps) questions += step.question ? 1 : 0;
  return fmt::format("{:02}-{}: {} steps, {} questions", each.number, each.slug, each.steps.size(), questions);
}

int run_lesson_list(const LessonOptions& options) {
  const Course course = load(options);
  nlohmann::ordered_json json{{"lessons", nlohmann::ordered_json::array()}};
  Table table({Align::Right, Align::Left, Align::Right, Align::Right, Align::Right});
  const Style style = terminal_style();
  table.row({"", style.bold("lesson"), "steps", "questions", "minutes"});
  for (const Lesson& each : course.lessons) {
    size_t questions = 0;
    for (const Step& step : each.steps) questions += step.question ? 1 : 0;
    table.row({fmt::format("{}", each.number), each.title, fmt::format("{}", each.steps.size()),
               fmt::format("{}", questions), fmt::format("{}", each.minutes)});
    json["lessons"].push_back({{"number", each.number},
                               {"slug", each.slug},
                               {"title", each.title},
                               {"summary", each.summary},
                               {"language", each.language},
                               {"minutes", each.minutes},
                               {"steps", each.steps.size()},
                               {"questions", questions},
                               {"graded", each.grade.has_value()}});
  }
  if (!course.problems.empty()) fail(course.problems);
  return finish(options.json ? to_text(json) : table.text(), course.problems.empty() ? kFine : kBadInput);
}

/// A lesson as text with computed values; with `answers` also the right answers.
int run_lesson_show(const LessonOptions& options) {
  Session session(options);
  const Result<const Lesson*> found = session.wanted();
  if (!found) return fail(found.errors());
  Diagnostics problems;
  const std::string text =
      options.json ? whole_json(session, **found, options, problems) : whole_text(session, **found, options, problems);
  session.clear_line();
  if (!problems.empty()) return fail(problems);
  return finish(text, kFine);
}

/// Validates lessons by running all their claims. 0: no errors; 1: errors.
int run_lesson_check(const LessonOptions& options) {
  Session session(options);
  const Result<std::vector<const Lesson*>> lessons = chosen_lessons(session, options);
  if (!lessons) return fail(lessons.errors());
  Diagnostics problems;
  for (const Diagnostic& problem : session.course().problems)
    if (belongs_to(problem, *lessons)) problems.push_back(problem);
  std::string text;
  for (const Lesson* each : *lessons) {
    const Diagnostics found = lesson::check_lesson(*each, session.runs());
    session.clear_line();
    if (interrupted()) return kInterrupted;
    problems.insert(problems.end(), found.begin(), found.end());
    text.append(
        fmt::format("{}{}\n", summary_of(*each), found.empty() ? "" : fmt::format(", {} problems", found.size())));
  }
  if (options.lesson.empty()) {
    const Diagnostics found = lesson::check_choices(session.course(), session.runs());
    session.clear_line();
    problems.insert(problems.end(), found.begin(), found.end());
  }
  if (options.json) {
    nlohmann::ordered_json json{{"ok", problems.empty()}, {"problems", nlohmann::ordered_json::array()}};
    for (const Diagnostic& problem : problems) json["problems"].push_back(problem_json(problem));
    return finish(to_text(json), problems.empty() ? kFine : kFinding);
  }
  if (!problems.empty()) fail(problems);
  return finish(text, problems.empty() ? kFine : kFinding);
}

/// Walks through the steps at the terminal: text, question, answer, explanation.
int run_lesson_play(const LessonOptions& options) {
  Session session(options);
  const Result<const Lesson*> found = session.wanted();
  if (!found) return fail(found.errors());
  const size_t steps = (*found)->steps.size();
  if (options.step < 0 || static_cast<size_t>(options.step) > steps)
    return fail(fmt::format("--step {}: this lesson has the steps 1 to {}.", options.step, steps));
  return Player(session, **found).play(options.step == 0 ? 0 : static_cast<size_t>(options.step) - 1);
}

/// The pictures of a sheet: each step as a presentation shows it, on white and without what one presses.
int take_pictures(const Lesson& lesson, const LessonOptions& options, const std::filesystem::path& folder) {
  for (size_t step = 0; step < lesson.steps.size(); ++step) {
    if (!scene_of(lesson, step)) continue;
    SceneOptions scene;
    scene.lesson = fmt::format("{}", lesson.number);
    scene.step = static_cast<uint32_t>(step + 1);
    scene.language = options.language;
    scene.theme = "light";
    scene.present = true;
    scene.height = 1000;
    Result<window::Options> parsed = window_options(scene);
    if (!parsed) return fail(parsed.errors());
    window::Shot shot;
    shot.options = std::move(*parsed);
    shot.output = folder / lesson::picture_name(step);
    shot.answered = options.answers;
    shot.on_paper = true;
    if (const int status = window::take_shot(shot); status != kFine) return status;
  }
  return kFine;
}

/// A folder with the sheet as Markdown, as HTML and, where a browser can print, as PDF.
int write_sheet(const Lesson& lesson, const std::string& text, const LessonOptions& options) {
  const std::filesystem::path folder = options.output;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return fail(fmt::format("{} cannot be made: {}.", options.output, problem.message()));
  if (const int status = take_pictures(lesson, options, folder); status != kFine) return status;
  const std::string html = sheet_html(text, fmt::format("{}. {}", lesson.number, lesson.title), options.language);
  for (const auto& [name, content] : {std::pair{"sheet.md", text}, std::pair{"sheet.html", html}})
    if (const auto written = write_file(folder / name, content); !written) return fail(written.errors());
  const bool printed = print_sheet(folder);
  return finish(fmt::format("{}\n", (folder / (printed ? "sheet.pdf" : "sheet.html")).string()), kFine);
}

/// A lab sheet as Markdown, or as a folder with its pictures.
int run_lesson_sheet(const LessonOptions& options) {
  Session session(options);
  const Result<const Lesson*> found = session.wanted();
  if (!found) return fail(found.errors());
  if (!options.output.empty() && !options.folder.empty())
    return fail("Only the lessons that come with Tilescope have pictures: leave out --lessons or --output.");
  if (!options.output.empty() && options.seed != 0)
    return fail("In the pictures each question has its first values: leave out --seed or --output.");
  Diagnostics problems;
  const std::string text =
      lesson::lab_sheet(**found, session.runs(), options.seed, options.answers, problems, !options.output.empty());
  session.clear_line();
  if (!problems.empty()) return fail(problems);
  return options.output.empty() ? finish(text, kFine) : write_sheet(**found, text, options);
}

}  // namespace

void add_lesson(CLI::App& app, Action& chosen) {
  const auto kept = std::make_shared<LessonOptions>();
  LessonOptions& options = *kept;
  CLI::App* lessons = app.add_subcommand("lesson", "The lessons: list, show, check, play, sheet, export, collect");
  lessons->require_subcommand(1);
  const auto add = [&](const char* name, const char* about, int (*run)(const LessonOptions&)) {
    CLI::App* added = lessons->add_subcommand(name, about);
    added->add_option("--lang", options.language,
                      "Language of the lessons (default en); a lesson that is not translated is in English");
    added->add_option("--lessons", options.folder, "A folder of lessons to use instead");
    added->callback([&chosen, kept, run] { chosen = [kept, run] { return run(*kept); }; });
    return added;
  };
  CLI::App* list = add("list", "The lessons with their steps, questions and minutes", run_lesson_list);
  list->add_flag("--json", options.json, "One JSON object instead of text");
  CLI::App* show = add("show", "A lesson's text with its values computed", run_lesson_show);
  show->add_flag("--json", options.json, "One JSON object instead of text");
  CLI::App* check = add("check", "Check that what the lessons say is true", run_lesson_check);
  check->add_flag("--json", options.json, "One JSON object instead of text");
  check->add_option("lesson", options.lesson, "Number or name (default: all)");
  CLI::App* play = add("play", "Walk through a lesson at the terminal", run_lesson_play);
  play->add_option("--step", options.step, "Begin at this step")->check(whole_number(1, UINT32_MAX));
  CLI::App* sheet = add("sheet", "Write a lab sheet to print, as Markdown", run_lesson_sheet);
  sheet->add_option("-o,--output", options.output,
                    "Folder to write the sheet to, with a picture of each step, as HTML, and as PDF if Chromium or "
                    "Chrome is installed");
  CLI::App* exported =
      add("export", "Write a student's answers as Markdown to print, or as the file to hand in", run_lesson_export);
  exported->add_option("--answers", options.answers_file,
                       "A file of answers (default: the answers given in the window)");
  exported->add_option("--name", options.student, "The student's name");
  exported->add_flag("--json", options.json, "The file to hand in instead of Markdown");
  exported->add_flag("--missed", options.missed,
                     "Only the questions not answered right at the first try, with the answer given and the right one");
  CLI::App* collect = add("collect", "Two tables from the answer files of a class", run_lesson_collect);
  collect->add_option("folder", options.handed_in, "The folder with the answer files")->required();
  collect->add_flag("--json", options.json, "One JSON object instead of text");
  for (CLI::App* one : {show, play, sheet}) {
    one->add_option("lesson", options.lesson, "Number or name")->required();
    one->add_option("--seed", options.seed, "Draw other values for the questions: a whole number")
        ->check(whole_number());
  }
  for (CLI::App* one : {show, sheet}) one->add_flag("--answers", options.answers, "With the answers");
}

}  // namespace tilescope::cli
