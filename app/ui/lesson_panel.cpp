#include "ui/lesson_panel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "kernel/catalogue.h"
#include "lesson/answers.h"
#include "lesson/hidden_now.h"
#include "ui/question.h"
#include "ui/scoped.h"
#include "ui/shortcut_list.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using lesson::Attempt;
using lesson::Lesson;
using lesson::LessonRunner;
using lesson::Page;
using lesson::Question;
using lesson::QuestionKind;
using view::Ink;

void go_to(const Context& context, const LessonRunner& runner, const Lesson& lesson, size_t step) {
  for (Command& command : commands_to(runner, lesson, step)) context.send(std::move(command));
}

/// Height of the contents of ImGui's current window.
float height_shown() { return ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y; }

/// The line of the shown kernel with this name.
int line_of(const Context& context, const std::string& anchor) {
  return kernel::find_line(context.workspace->experiment(0).kernel().source, anchor);
}

/// All questions that were not right at once; a click asks one again.
void show_missed_menu(const Context& context, const LessonRunner& runner) {
  const std::vector<lesson::StepPlace> missed = missed_in(runner.course(), runner.attempts());
  if (missed.empty() || !ImGui::BeginMenu(tr("What I missed"))) return;
  for (const lesson::StepPlace& place : missed) {
    const Lesson& lesson = *runner.find(place.slug);
    const PushedId id(lesson.number * 100 + static_cast<int>(place.step));
    if (ImGui::MenuItem(
            fmt::format("{}.{}  {}", lesson.number, place.step + 1, lesson.steps[place.step].title).c_str()))
      context.send(AskAgain{place});
  }
  ImGui::EndMenu();
}

/// Before a step of the list: a tick if its question was answered, a ring if the answer was shown.
void draw_tick(const Context& context, ImVec2 at, const Attempt& attempt) {
  const float size = 9 * context.scale, middle = at.y + ImGui::GetTextLineHeight() / 2;
  if (attempt.right)
    draw_verdict(context, at, true);
  else if (attempt.gave_up)
    ImGui::GetWindowDrawList()->AddCircle({at.x + size / 2, middle}, size * 0.4f, ink(context, Ink::Faint), 0,
                                          1.8f * context.scale);
}

constexpr const char* kSaveAnswers = tr_later("Save my answers");
constexpr const char* kToTheEnd = tr_later("To the end of the lesson");

void show_lessons_menu(const Context& context, const LessonRunner& runner, const Lesson& lesson) {
  const size_t lessons = runner.course().lessons.size();
  const std::string name = fmt::format("Lesson {} of {}", lesson.number, lessons);
  const bool clicked = show_named_chip(context, name, tr_format("Lesson {} of {}", lesson.number, lessons));
  const Popup popup("all lessons", clicked, context.scale);
  if (!popup) return;
  if (ImGui::MenuItem(tr("Explore freely"), key_of("explore").c_str())) context.send(session::SetExploring{true});
  context.note_widget("Explore freely");
  ImGui::Separator();
  for (const Lesson& other : runner.course().lessons) {
    const lesson::Score score = score_of(other, runner.attempts());
    const std::string done = score.done > 0 ? tr_format("{} of {}", score.done, score.asked) : "";
    if (ImGui::MenuItem(fmt::format("{}  {}", other.number, other.title).c_str(), done.c_str(), &other == &lesson))
      go_to(context, runner, other, 0);
    context.note_widget("lesson " + other.slug);
  }
  ImGui::Separator();
  show_missed_menu(context, runner);
  if (ImGui::MenuItem(tr(kSaveAnswers))) context.send(SaveAnswers{});
  context.note_widget(kSaveAnswers);
}

/// "3 of 12"; a click opens the list of the lesson's steps, with ticks at answered ones.
void show_steps_menu(const Context& context, const LessonRunner& runner, const Lesson& lesson, size_t step) {
  const bool clicked = show_named_chip(context, "steps", tr_format("{} of {}", step + 1, lesson.steps.size()));
  const Popup popup("all steps", clicked, context.scale);
  if (!popup) return;
  for (size_t i = 0; i < lesson.steps.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    if (ImGui::MenuItem(fmt::format("     {}  {}", i + 1, lesson.steps[i].title).c_str(), nullptr, i == step))
      go_to(context, runner, lesson, i);
    context.note_widget(fmt::format("step {}", i + 1));
    draw_tick(context, ImGui::GetItemRectMin(), runner.attempt(lesson, i));
  }
}

/// Steps by their numbers, in a row under some words; a click calls chosen(step).
template <class Chosen>
void show_steps_row(const Context& context, const char* words, const char* name, const std::vector<size_t>& steps,
                    Chosen chosen) {
  if (steps.empty()) return;
  show_text(context, words, Ink::Faint);
  for (const size_t step : steps) {
    const float needed = chip_size(context, "00").x + 8 * context.scale;
    if (ImGui::GetItemRectMax().x + needed < ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x)
      ImGui::SameLine(0, 6 * context.scale);
    const std::string number = fmt::format("{}", step + 1);
    if (show_named_chip(context, fmt::format("{} {}", name, number), number)) chosen(step);
  }
}

/// At a lesson's end: the result, links to open questions, what was missed to be asked again, and the file to hand in.
void show_summary(const Context& context, const LessonRunner& runner, const Lesson& lesson) {
  const lesson::Score score = score_of(lesson, runner.attempts());
  if (score.asked == 0) return;
  ImGui::Dummy({0, 4 * context.scale});
  show_text(context, tr("The end of the lesson"), Ink::Strong, context.fonts.bold);
  show_wrapped(context,
               tr_format("{}: {} done, {} of them right at once.", plural(score.asked, "{} question", "{} questions"),
                         score.done, score.at_once),
               Ink::Text);
  context.note_place("lesson summary");
  show_steps_row(context, tr("Still open:"), "open step", score.open,
                 [&](size_t step) { go_to(context, runner, lesson, step); });
  std::vector<size_t> missed;
  for (const lesson::StepPlace& place : missed_in(runner.course(), runner.attempts()))
    if (place.slug == lesson.slug) missed.push_back(place.step);
  show_steps_row(context, tr("Missed; asked again in another form:"), "missed step", missed, [&](size_t step) {
    context.send(AskAgain{{lesson.slug, step}});
  });
  if (show_chip(context, kSaveAnswers)) context.send(SaveAnswers{});
  ImGui::Dummy({0, 8 * context.scale});
}

bool is_open(const LessonRunner& runner, const Page& page) {
  return page.lesson->steps[page.step].question && !runner.attempt(*page.lesson, page.step).done();
}

AnchorLines anchor_lines(const Context& context) {
  return [&context](const std::string& anchor) { return line_of(context, anchor); };
}

/// The text; below it the question once it is done, and the text after it.
void show_page(const Context& context, const LessonRunner& runner, const Page& page, LessonState& kept) {
  const AnchorLines lines = anchor_lines(context);
  show_text(context, page.text, lines);
  if (is_open(runner, page)) return void(kept.asked = true);
  const float top = ImGui::GetCursorScreenPos().y;
  if (page.lesson->steps[page.step].question) {
    show_question(context, page, lines, kept);
    ImGui::Dummy({0, 10 * context.scale});
  }
  show_text(context, page.after, lines);
  const size_t last = page.lesson->steps.size() - 1;
  if (page.step < last && runner.asks_again(*page.lesson, page.step) && show_chip(context, kToTheEnd))
    go_to(context, runner, *page.lesson, last);
  if (page.step == last) show_summary(context, runner, *page.lesson);
  // The reply to the answer must be visible at once.
  if (kept.asked) kept.scroll_by = top - ImGui::GetWindowPos().y;
  kept.asked = false;
}

constexpr float kBelow = 26;  // Height of the note that the page continues.

/// The open page, scrolled by the student.
void show_body(const Context& context, const LessonRunner& runner, LessonState& kept) {
  const Page* page = runner.page();
  if (!page) return show_wrapped(context, tr("Running this step's kernel"), Ink::Faint);
  if (kept.scroll_by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + kept.scroll_by);
  const bool before = kept.more_below;
  kept.scroll_by = 0;
  show_page(context, runner, *page, kept);
  const ImVec2 next = ImGui::GetCursorScreenPos();
  const float end = next.y - ImGui::GetStyle().ItemSpacing.y;
  if (context.widgets) context.widgets->push_back({"page end", {next.x, end, 0, 0}});
  const float edge = ImGui::GetWindowPos().y + ImGui::GetWindowHeight() + (before ? kBelow * context.scale : 0);
  kept.more_below = end > edge + 1;
  if (context.moving && (kept.more_below != before || kept.scroll_by != 0)) *context.moving = true;
}

/// The open question, as high as it is up to the room for it; hints that are new are scrolled into view.
void show_open_question(const Context& context, const Page& page, float height, LessonState& kept) {
  const Child box("question", {0, height});
  const float top = ImGui::GetCursorScreenPos().y;
  show_question(context, page, anchor_lines(context), kept);
  const float bottom = ImGui::GetCursorScreenPos().y;
  const int wrong = context.lessons->attempt(*page.lesson, page.step).wrong;
  if (kept.wrong_seen != wrong) ImGui::SetScrollHereY(1);
  const float before = std::exchange(kept.question_height, bottom - top);
  if (context.moving && (before != kept.question_height || kept.wrong_seen != wrong)) *context.moving = true;
  if (before == kept.question_height) kept.wrong_seen = wrong;
}

/// Under the page: a note that it continues; a click scrolls.
void show_below(const Context& context, float page_height, LessonState& kept) {
  const draw::Palette& palette = *context.palette;
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{ImGui::GetContentRegionAvail().x, kBelow * context.scale};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(at, {at.x + size.x, at.y}, palette({Ink::Line}), context.scale);
  if (ImGui::InvisibleButton("more below", size)) kept.scroll_by = page_height * 0.8f;
  context.note_widget("more below");
  const ImU32 ink = palette({ImGui::IsItemHovered() ? Ink::Strong : Ink::Faint});
  const char* const words = tr("More below");
  const float y = at.y + size.y / 2, s = 4 * context.scale;
  list.AddText({at.x, y - ImGui::GetTextLineHeight() / 2}, ink, words);
  const float x = at.x + ImGui::CalcTextSize(words).x + 10 * context.scale;
  list.AddTriangleFilled({x - s, y - s / 2}, {x + s, y - s / 2}, {x, y + s}, ink);
}

/// The neighbouring steps; in the neighbouring lessons at the first or last step.
struct Neighbours {
  std::optional<std::pair<const Lesson*, size_t>> before, after;
};

Neighbours neighbours_of(const LessonRunner& runner, const Lesson& lesson, size_t step) {
  const auto& lessons = runner.course().lessons;
  const size_t number = static_cast<size_t>(&lesson - lessons.data());
  Neighbours result;
  if (step > 0)
    result.before = {&lesson, step - 1};
  else if (number > 0)
    result.before = {&lessons[number - 1], lessons[number - 1].steps.size() - 1};
  if (step + 1 < lesson.steps.size())
    result.after = {&lesson, step + 1};
  else if (number + 1 < lessons.size())
    result.after = {&lessons[number + 1], 0};
  return result;
}

/// A button with the word, or with an arrow if it is too narrow for that.
bool turning_button(const char* word, ImGuiDir direction, ImVec2 size) {
  const std::string shown = tr(word);
  const bool fits = ImGui::CalcTextSize(shown.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x <= size.x;
  return fits ? ImGui::Button((shown + "###" + word).c_str(), size) : ImGui::ArrowButton(word, direction);
}

void show_turning(const Context& context, const LessonRunner& runner, const Lesson& lesson, size_t step) {
  const auto [before, after] = neighbours_of(runner, lesson, step);
  const float room = ImGui::GetContentRegionAvail().x - 88 * context.scale;  // For "12 of 12" beside the two.
  const ImVec2 size{std::min(92 * context.scale, room / 2 - ImGui::GetStyle().ItemSpacing.x), 0};
  {
    const Disabled disabled(!before);
    if (turning_button(tr_later("Back"), ImGuiDir_Left, size)) go_to(context, runner, *before->first, before->second);
    context.note_widget("previous step");
  }
  ImGui::SameLine();
  {
    const Disabled disabled(!after);
    if (turning_button(tr_later("Next"), ImGuiDir_Right, size)) go_to(context, runner, *after->first, after->second);
    context.note_widget("next step");
  }
  ImGui::SameLine(0, 12 * context.scale);
  show_steps_menu(context, runner, lesson, step);
}

constexpr float kLeastForClass = 40;
constexpr float kAnswerToClass = 0.28f;  ///< The answer's part of the width; the question has the rest.

/// As many on a line as it has room for, each after a tick or a cross once it is known or was chosen; a click chooses.
void show_choices_to_class(const Context& context, const Page& page, const Attempt& attempt) {
  const float gap = 12 * context.scale, mark = 16 * context.scale;
  for (size_t i = 0; i < page.choices.size(); ++i) {
    const auto is_among = [i](const lesson::SaidAnswer& answer) { return std::ranges::count(answer.choices, i) > 0; };
    const bool right = is_among(attempt.answer);
    const bool wrong = !right && std::ranges::any_of(attempt.given, is_among);
    const std::string words = fmt::format("{}  {}", lesson::choice_letter(i), lesson::plain_text(page.choices[i]));
    const float left = i == 0 ? 0 : ImGui::GetItemRectMax().x + gap + mark - ImGui::GetWindowPos().x;
    if (i > 0 && left + text_width(context, words) < ImGui::GetContentRegionMax().x) ImGui::SameLine(0, gap);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x + mark, at.y});
    show_wrapped(context, words, right ? Ink::Good : wrong ? Ink::Faint : Ink::Text);
    if (right || wrong) draw_verdict(context, at, right);
    context.note_place(fmt::format("choice {} to class{}", lesson::choice_letter(i),
                                   right   ? " right"
                                   : wrong ? " wrong"
                                           : ""));
    if (attempt.done() || attempt.judging || !ImGui::IsItemHovered()) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsItemClicked()) context.send(AnswerQuestion{i});
  }
}

/// With the answer the beginning of the text after it, which says why. Returns its height, as answer_class() does.
float ask_class(const Context& context, const Page& page, const Attempt& attempt, float width, bool fits) {
  const Child child("asked", {width, 0}, false, fits ? ImGuiWindowFlags_NoScrollbar : 0);
  Context bold = context;
  bold.fonts.text = context.fonts.bold;
  const AnchorLines lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  show_text(bold, page.prompt, lines);
  show_choices_to_class(context, page, attempt);
  if (attempt.done() && !page.after.empty()) {
    ImGui::Dummy({0, 4 * context.scale});
    show_text(context, lesson::Text{page.after.front()}, lines);
    context.note_place("reason to class");
  }
  return height_shown();
}

/// At the lower right, while the mouse is there: a class sees only the answer.
void show_cover(const Context& context) {
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return;
  const ImVec2 size = chip_size(context, tr(kCoverAnswer));
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - size.x, std::max(0.0f, ImGui::GetWindowHeight() - size.y)});
  if (show_chip(context, kCoverAnswer)) context.send(CoverAnswer{});
}

float answer_class(const Context& context, const Page& page, const Attempt& attempt, float width,
                   const LessonState& kept) {
  const Child child("answered", {width, 0}, false, ImGuiWindowFlags_NoScrollbar);
  if (attempt.done()) {
    const PushedFont title(context.fonts.title);
    const std::string answer = page.choices.empty() ? answer_words(attempt, page) : "";  // A choice has its tick.
    show_wrapped(context, attempt.message.empty() ? answer : attempt.message.text(), Ink::Good);
    context.note_widget("answer to class");
  } else {
    if (attempt.wrong > 0) show_wrapped(context, wrong_words(attempt, page), Ink::Warning, context.fonts.bold);
    const Question& question = *page.lesson->steps[page.step].question;
    if (question.kind == QuestionKind::Click) {
      ask_click(context, question, attempt, kept);
      ImGui::SameLine();
      if (ImGui::GetContentRegionAvail().x < chip_size(context, tr("Show the answer")).x) ImGui::NewLine();
    }
    if (show_chip(context, tr_later("Show the answer"))) context.send(GiveUp{});
  }
  const float height = height_shown();
  if (attempt.done()) show_cover(context);
  return height;
}

session::Inputs inputs_of(const lesson::Scene& scene) {
  return {scene.kernel->name, {}, scene.settings, scene.size, scene.block_x, scene.block_y};
}

/// Says that the stage shows something other than the step's run, and leads back.
void show_way_back(const Context& context, const LessonRunner& runner, const Lesson& lesson, size_t step) {
  if (!shows_other_scene(context)) return;
  show_wrapped(context, tr("The stage shows another run than this step is about."), Ink::Warning);
  if (!show_chip(context, tr_later("Back to the step's run"))) return;
  session::ShowScene command = show_command(*runner.scene(lesson, step));
  const std::optional<Question>& question = lesson.steps[step].question;
  if (question && question->edits_source)
    if (auto own = context.workspace->edited_text(command.inputs.kernel)) command.inputs.source = std::move(own);
  context.send(std::move(command));
}

constexpr float kTurning = 40;    // Height of the buttons to the steps beside this one.
constexpr float kLeastPage = 26;  // Of a page's text above its question.

/// The page, and at the lower edge its open question: field and choices are visible from the start.
void show_page_and_question(const Context& context, const LessonRunner& runner, const Lesson& lesson, size_t step,
                            LessonState& kept) {
  const Page* const page = runner.page();
  const float top = ImGui::GetCursorPosY(), room = ImGui::GetContentRegionAvail().y - kTurning * context.scale;
  const float below = kept.more_below ? kBelow * context.scale : 0;
  const float most = room - below - kLeastPage * context.scale, wanted = kept.question_height;
  const float asked = page && is_open(runner, *page) ? std::min(wanted > 0 ? wanted : most, most) : 0;
  const float height = room - asked - below;
  {
    const Child body("page", {0, height});
    show_body(context, runner, kept);
  }
  if (page) context.note_place(fmt::format("page {} {}", lesson.slug, step + 1));
  ImGui::SetCursorPosY(top + height);
  if (below > 0) show_below(context, height, kept);
  if (asked <= 0) return;
  ImGui::SetCursorPosY(top + height + below);
  show_open_question(context, *page, asked, kept);
  context.note_place("question");
}

}  // namespace

session::HiddenFacts hidden_now(const Context& context) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  if (!lesson) return {};
  const auto attempt_at = [&taken = *lesson, &context](size_t at) -> const Attempt& {
    return context.lessons->attempt(taken, at);
  };
  return lesson::hidden_now(*lesson, step, attempt_at);
}

bool picks_line_now(const Context& context) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  if (!lesson) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  return question && question->kind == QuestionKind::Click && question->target == lesson::ClickTarget::Line &&
         !context.lessons->attempt(*lesson, step).done();
}

void show_lesson_line(const Context& context, float room) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  if (!lesson) return;
  const float right = ImGui::GetCursorPosX() + room, gap = 10 * context.scale;
  const float middle = ImGui::GetCursorPosY() + chip_size(context, "0").y / 2;
  const auto [before, after] = neighbours_of(*context.lessons, *lesson, step);
  const auto button = [&](const char* name, const char* sign, const auto& neighbour) {
    const Disabled disabled(!neighbour);
    if (show_named_chip(context, name, sign)) go_to(context, *context.lessons, *neighbour->first, neighbour->second);
    ImGui::SameLine(0, gap);
  };
  button("previous step", "\u2039", before);
  button("next step", "\u203a", after);
  const auto line = [&](const std::string& words, Ink ink, ImFont* font) {
    ImGui::SetCursorPosY(middle - ImGui::GetTextLineHeight() / 2);
    show_text(context, shortened(context, words, right - ImGui::GetCursorPosX()), ink, font);
  };
  line(tr_format("{} of {}", step + 1, lesson->steps.size()), Ink::Faint, context.fonts.text);
  ImGui::SameLine(0, gap);
  line(lesson->steps[step].title, Ink::Strong, context.fonts.bold);
  context.note_place(fmt::format("step {} {}", lesson->slug, step + 1));
}

float question_to_class_height(const Context& context, const LessonState& kept) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  if (!lesson || !lesson->steps[step].question) return 0;
  return std::max(kept.class_height, kLeastForClass * context.scale);
}

void show_question_to_class(const Context& context, LessonState& kept) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  const LessonRunner& runner = *context.lessons;
  const Page* page = runner.page();
  if (!page) return show_wrapped(context, tr("Running this step's kernel"), Ink::Faint);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = 20 * context.scale, wide = room.x * (1 - kAnswerToClass) - gap;
  const Attempt& attempt = runner.attempt(*lesson, step);
  const float asked = ask_class(context, *page, attempt, wide, kept.class_height <= room.y);
  ImGui::SameLine(0, gap);
  const float answered = answer_class(context, *page, attempt, room.x * kAnswerToClass, kept);
  const float before = std::exchange(kept.class_height, std::max(asked, answered));
  if (context.moving && kept.class_height != before) *context.moving = true;
}

bool takes_digits_now(const session::Workspace& workspace, const LessonRunner* lessons, const LessonState& kept) {
  const auto [lesson, step] = place_of(workspace, lessons);
  if (!lesson || workspace.state().present || kept.gave_keys_back) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  const bool takes = question && (question->kind == QuestionKind::Number || question->kind == QuestionKind::Choice);
  return takes && !lessons->attempt(*lesson, step).done();
}

bool takes_letter_now(const session::Workspace& workspace, const LessonRunner* lessons, const LessonState& kept,
                      char letter) {
  if (!takes_digits_now(workspace, lessons, kept)) return false;
  const auto [lesson, step] = place_of(workspace, lessons);
  return letter >= 'a' && static_cast<size_t>(letter - 'a') < lesson->steps[step].question->choices.size();
}

bool shows_other_scene(const Context& context) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  const std::optional<lesson::Scene> scene = lesson ? context.lessons->scene(*lesson, step) : std::nullopt;
  if (!scene) return false;
  const session::State& state = context.workspace->state();
  session::Inputs now = state.inputs, own = inputs_of(*scene);
  const std::optional<Question>& question = lesson->steps[step].question;
  if (question && question->kind == QuestionKind::Task) {
    (question->edits_source ? now.source : own.source).reset();
    if (!question->edits_source) now.settings = own.settings;
  }
  // Another block of the same run is just looking around.
  now.block_x = own.block_x;
  now.block_y = own.block_y;
  return state.compared || now != own || state.arch != scene->arch || !state.device.empty();
}

std::vector<std::string> emphasised_now(const Context& context) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  const std::optional<lesson::Scene> scene = lesson ? context.lessons->scene(*lesson, step) : std::nullopt;
  const session::State& state = context.workspace->state();
  const bool unchanged = scene && !state.compared && state.inputs == inputs_of(*scene) && state.arch == scene->arch &&
                         state.device.empty();
  return unchanged ? scene->emphasise : std::vector<std::string>{};
}

std::vector<std::string> panels_now(const Context& context) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  const std::optional<lesson::Scene> scene = lesson ? context.lessons->scene(*lesson, step) : std::nullopt;
  return scene ? scene->panels : std::vector<std::string>{};
}

std::vector<Command> commands_to(const LessonRunner& runner, const Lesson& lesson, size_t step) {
  std::vector<Command> commands{session::ChooseLesson{lesson.slug, static_cast<uint32_t>(step)}};
  if (const auto scene = runner.scene(lesson, step)) commands.emplace_back(show_command(*scene));
  return commands;
}

std::vector<Command> lesson_switch(const session::Workspace& workspace, const LessonRunner* lessons) {
  const session::State& state = workspace.state();
  if (state.in_lesson()) return {session::SetExploring{true}};
  if (!lessons || lessons->course().lessons.empty()) return {};
  const Lesson* lesson = lessons->find(state.lesson);
  if (lesson && workspace.remembers_lesson()) return {session::SetExploring{false}};
  const size_t step = lesson ? std::min<size_t>(state.lesson_step, lesson->steps.size() - 1) : 0;
  if (!lesson) lesson = &lessons->course().lessons.front();
  return commands_to(*lessons, *lesson, step);
}

std::vector<Command> turn_page(const session::Workspace& workspace, const LessonRunner* lessons, int way) {
  const auto [lesson, step] = place_of(workspace, lessons);
  if (!lesson) return {};
  if (way > 0 && lesson->steps[step].question && !lessons->attempt(*lesson, step).done()) return {GiveUp{}};
  const Neighbours neighbours = neighbours_of(*lessons, *lesson, step);
  const auto& next = way > 0 ? neighbours.after : neighbours.before;
  return next ? commands_to(*lessons, *next->first, next->second) : std::vector<Command>{};
}

std::vector<Command> scene_again(const session::Workspace& workspace, const LessonRunner* lessons) {
  const auto [lesson, step] = place_of(workspace, lessons);
  const auto scene = lesson ? lessons->scene(*lesson, step) : std::nullopt;
  return scene ? std::vector<Command>{show_command(*scene)} : std::vector<Command>{};
}

session::ShowScene show_command(const lesson::Scene& scene) {
  session::ShowScene command;
  command.inputs = inputs_of(scene);
  command.arch = scene.arch;
  command.scale = static_cast<session::Scale>(scene.view);
  command.order = scene.order;
  command.clock = scene.clock;
  command.resident = scene.resident;
  command.warp = static_cast<uint32_t>(std::max(0, scene.cursor.warp));
  command.lane = static_cast<uint32_t>(std::max(0, scene.cursor.lane));
  command.occurrence = scene.cursor.occurrence;
  command.array = scene.cursor.array;
  command.line = kernel::find_line(scene.kernel->source, scene.cursor.anchor);
  return command;
}

void show_lesson(const Context& context, LessonState& kept) {
  const auto [lesson, step] = place_of(*context.workspace, context.lessons);
  if (!lesson) return show_wrapped(context, tr("No lesson is open."), Ink::Faint);
  const LessonRunner& runner = *context.lessons;
  if (std::string place = fmt::format("{} {}", lesson->slug, step); place != kept.place) {
    kept = LessonState();
    kept.place = std::move(place);
  }
  show_lessons_menu(context, runner, *lesson);
  show_wrapped(context, lesson->steps[step].title, Ink::Strong, context.fonts.title);
  show_way_back(context, runner, *lesson, step);
  show_page_and_question(context, runner, *lesson, step, kept);
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - kTurning * context.scale + 10 * context.scale);
  show_turning(context, runner, *lesson, step);
}

}  // namespace tilescope::ui
