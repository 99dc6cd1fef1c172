#include "ui/question.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "base/process.h"
#include "base/words.h"
#include "draw/palette.h"
#include "ui/lesson_panel.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using lesson::Attempt;
using lesson::Page;
using lesson::Question;
using lesson::QuestionKind;
using session::Target;
using view::Ink;

constexpr const char* kShowAnswer = tr_later("Show the answer");
constexpr const char* kShowSolution = tr_later("Show its run");

/// The pinned target, as the answer to a question for a click.
std::optional<lesson::Click> click_of(const Context& context) {
  const Target& pinned = context.workspace->pinned();
  lesson::Click click;
  if (pinned.kind == Target::Kind::Lane)
    click.lane = static_cast<int>(pinned.index);
  else if (pinned.kind == Target::Kind::SourceLine)
    click.line = static_cast<int>(pinned.index);
  else if (pinned.kind == Target::Kind::Element) {
    const auto& traced = context.workspace->experiment(0).traced();
    const run::TracedArray* array = traced ? traced->accesses.find(pinned.space, pinned.array) : nullptr;
    if (!array || array->columns == 0) return std::nullopt;
    click.array = pinned.array;
    click.row = static_cast<int64_t>(pinned.index / array->columns);
    click.column = static_cast<int64_t>(pinned.index % array->columns);
  } else {
    return std::nullopt;
  }
  return click;
}

/// The scene with the student's changes.
lesson::Scene scene_now(const Context& context, const Page& page) {
  lesson::Scene scene = *context.lessons->scene(*page.lesson, page.step);
  const session::Experiment& experiment = context.workspace->experiment(0);
  scene.kernel = std::make_shared<const kernel::Kernel>(experiment.kernel());
  scene.settings = experiment.inputs().settings;
  scene.size = experiment.inputs().size;
  return scene;
}

constexpr float kCheckWidth = 84;

/// True at a press, and at Enter. `ready`: there is something to check.
bool check_button(const Context& context, const Attempt& attempt, bool ready, const LessonState& kept) {
  const draw::Palette& palette = *context.palette;
  const Disabled disabled(attempt.judging || !ready);
  const PushedColour ground(ImGuiCol_Button, palette({Ink::Accent}));
  const PushedColour over(ImGuiCol_ButtonHovered, palette({Ink::Accent, 0.85f}));
  const PushedColour down(ImGuiCol_ButtonActive, palette({Ink::Accent, 0.7f}));
  const PushedColour text(ImGuiCol_Text, palette({palette.dark ? Ink::OnLight : Ink::OnDark}));
  const std::string words = tr(attempt.judging ? "Checking" : "Check");
  const bool pressed = ImGui::Button((words + "###check").c_str(), {kCheckWidth * context.scale, 0});
  context.note_widget("check answer");
  return ready && (pressed || (kept.wants_check && !attempt.judging));
}

bool is_escape_pressed() { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)); }

/// Keeps typed text when the field gets the keyboard: ImGui would select it, and the next digit replace it.
int put_cursor_at_end(ImGuiInputTextCallbackData* data) {
  auto& wants_focus = *static_cast<bool*>(data->UserData);
  if (!wants_focus) return 0;
  wants_focus = false;
  data->ClearSelection();
  data->CursorPos = data->BufTextLen;
  return 0;
}

/// Takes characters of a number that no other widget takes.
void take_typed(LessonState& kept) {
  if (ImGui::IsAnyItemActive()) return;
  ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar character : queue) {
    const bool is_digit = character >= '0' && character <= '9';
    if (!is_digit && character != '-' && character != '.') continue;
    kept.typed.push_back(static_cast<char>(character));
    kept.wants_focus = true;
  }
  if (kept.wants_focus) queue.resize(0);
}

/// True at Enter.
bool number_field(const Context& context, LessonState& kept) {
  const PushedColour ground(ImGuiCol_FrameBg, (*context.palette)({Ink::Window}));
  ImGui::SetNextItemWidth(90 * context.scale);
  if (kept.wants_focus) ImGui::SetKeyboardFocusHere();
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways;
  const bool entered = ImGui::InputText("##answer", &kept.typed, flags, put_cursor_at_end, &kept.wants_focus);
  context.note_widget("answer");
  if (kept.wants_focus) {
    ImGui::SetScrollHereY(0.5f);
    *context.moving = true;
  }
  if (ImGui::IsItemDeactivated() && is_escape_pressed()) {
    kept.gave_keys_back = true;
    kept.typed.clear();
  }
  return entered;
}

void ask_number(const Context& context, const Question& question, const Attempt& attempt, LessonState& kept) {
  if (takes_digits_now(*context.workspace, context.lessons, kept)) take_typed(kept);
  const bool entered = number_field(context, kept);
  ImGui::SameLine();
  if (!question.unit.empty()) {
    ImGui::TextUnformatted(question.unit.c_str());
    ImGui::SameLine();
  }
  if (ImGui::GetContentRegionAvail().x < kCheckWidth * context.scale) ImGui::NewLine();
  if (check_button(context, attempt, !kept.typed.empty(), kept) || (entered && !kept.typed.empty())) {
    context.send(AnswerQuestion{kept.typed});
    kept.typed.clear();
    // Enter may have come with the digit that gave the field the keyboard: it would write that digit back.
    if (ImGui::GetActiveID() == ImGui::GetID("##answer")) ImGui::ClearActiveID();
    kept.wants_focus = false;
  }
}

/// Their letters choose, as a click does. Digits do not: a choice may begin with one.
void take_choice(const Context& context, const Page& page, LessonState& kept) {
  if (ImGui::IsAnyItemActive()) return;
  ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar character : queue) {
    const size_t index = static_cast<size_t>(character) - 'a';
    if (index < page.choices.size()) context.send(AnswerQuestion{index});
  }
  queue.resize(0);
  kept.gave_keys_back = is_escape_pressed();
}

/// The letter of a choice, in the outline of a key.
void draw_letter(const Context& context, ImVec2 at, char letter, bool tried) {
  const float side = ImGui::GetTextLineHeight(), width = ImGui::CalcTextSize(&letter, &letter + 1).x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(at, {at.x + side, at.y + side}, ink(context, Ink::Faint, tried ? 0.4f : 0.8f), 3 * context.scale, 0,
               context.scale);
  list.AddText({at.x + (side - width) / 2, at.y}, ink(context, tried ? Ink::Faint : Ink::Strong), &letter, &letter + 1);
}

void ask_choice(const Context& context, const Page& page, const Attempt& attempt, LessonState& kept) {
  if (takes_digits_now(*context.workspace, context.lessons, kept)) take_choice(context, page, kept);
  const float cross = 4 * context.scale, pad = 14 * context.scale, letters = 24 * context.scale,
              right = 8 * context.scale, above = 5 * context.scale;
  const std::vector<std::string> given = given_words(attempt, page);
  for (size_t i = 0; i < page.choices.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    const Disabled disabled(attempt.judging);
    const std::string choice = lesson::plain_text(page.choices[i]);
    const bool tried = std::find(given.begin(), given.end(), choice) != given.end();
    const float width = ImGui::GetContentRegionAvail().x, wrap = width - pad - letters - right;
    const std::string words = with_breaks(choice, wrap);
    const float height = ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap).y;
    const ImVec2 at = ImGui::GetCursorScreenPos(), first{at.x + pad, at.y + above};
    if (ImGui::Button("##choice", {width, height + 2 * above})) context.send(AnswerQuestion{i});
    const char letter = lesson::choice_letter(i);
    context.note_widget(fmt::format("choice {}{}", letter, tried ? " tried" : ""));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    draw_letter(context, first, letter, tried);
    list.AddText(nullptr, 0, {first.x + letters, first.y}, ink(context, tried ? Ink::Faint : Ink::Text), words.c_str(),
                 nullptr, wrap);
    if (tried) draw_verdict(context, {at.x + cross, first.y}, false);
  }
}

const char* where_to_click(lesson::ClickTarget target) {
  switch (target) {
    case lesson::ClickTarget::Line: return tr("Click the line in the program text.");
    case lesson::ClickTarget::Lane: return tr("Click the lane in the strip below the stage.");
    case lesson::ClickTarget::Cell: return tr("Click the cell in the stage.");
  }
  return "";
}

/// What to do now; also why there is nothing to check yet.
std::string task_words(const session::Experiment& experiment, const Question& question) {
  using session::Progress;
  if (experiment.progress() == Progress::Tracing) return tr("Running the kernel");
  if (experiment.progress() == Progress::Failed)
    return tr(question.edits_source ? "This text does not run; the editor says why."
                                    : "These settings do not run; the sentence under the sliders says why.");
  return tr(question.edits_source ? "Click Edit above the program text, change it, choose Run, then check."
                                  : "Set the sliders, then check.");
}

void ask_task(const Context& context, const Page& page, const Question& question, const Attempt& attempt,
              LessonState& kept) {
  if (question.edits_source && !starts_programs())
    return show_wrapped(context,
                        tr("This task needs a compiler, which a browser does not have. Show the answer to see it run."),
                        Ink::Faint);
  const session::Experiment& experiment = context.workspace->experiment(0);
  const bool elsewhere = shows_other_scene(context);
  show_wrapped(context,
               elsewhere ? tr("Check judges the step's run: go back to it first.") : task_words(experiment, question),
               elsewhere ? Ink::Warning : Ink::Faint);
  const bool ready = experiment.traced() && !experiment.stale() && !elsewhere;
  if (!check_button(context, attempt, ready, kept)) return;
  kept.judged = experiment.inputs();
  context.send(AnswerQuestion{scene_now(context, page)});
}

/// Earlier answers, once the answer is known or several were wrong. Choices show them themselves.
std::string tried_words(const Page& page, const Question& question, const Attempt& attempt) {
  if (question.kind != QuestionKind::Number && question.kind != QuestionKind::Click) return {};
  const size_t wrong = attempt.given.size() - (attempt.right ? 1 : 0);
  if (attempt.given.empty() || wrong == 0 || (!attempt.done() && wrong == 1)) return {};
  const std::vector<std::string> given = given_words(attempt, page);
  return tr_format("You tried {}.", fmt::join(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(wrong), ", "));
}

/// Whether the open task's run was changed since it was judged.
bool is_outdated(const Context& context, const Attempt& attempt, const LessonState& kept) {
  return !attempt.done() && kept.judged && *kept.judged != context.workspace->experiment(0).inputs();
}

void show_verdict(const Context& context, const Page& page, const Question& question, const Attempt& attempt,
                  const LessonState& kept) {
  if (is_outdated(context, attempt, kept)) return;
  const std::string answer = attempt.done() ? answer_words(attempt, page) : "";
  if (attempt.right)
    show_wrapped(context, answer.empty() ? tr("Right.") : tr_format("Right: {}", answer), Ink::Good);
  else if (attempt.gave_up && attempt.message.empty())
    show_wrapped(context, tr_format("The answer: {}", answer), Ink::Text);
  else if (!attempt.message.empty())
    show_wrapped(context, attempt.message.text(), Ink::Warning);
  else if (attempt.wrong > 0)
    show_wrapped(context, wrong_words(attempt, page), Ink::Warning);
  else
    return;
  context.note_place(attempt.right ? "question right" : attempt.gave_up ? "question given up" : "question wrong");
  if (const std::string tried = tried_words(page, question, attempt); !tried.empty())
    show_wrapped(context, tried, Ink::Faint);
  if (attempt.gave_up && question.solution_source)
    if (const auto scene = context.lessons->scene(*page.lesson, page.step);
        scene && show_chip(context, kShowSolution)) {
      lesson::Scene solved = *scene;
      solved.kernel = question.solution_source;
      context.send(show_command(solved));
    }
}

/// The kind of question; the way out of an open one at its right, or below it if that is too narrow.
void show_question_head(const Context& context, const Question& question, const Attempt& attempt) {
  const float right = ImGui::GetContentRegionMax().x;
  const std::string kind = tr(question.kind == QuestionKind::Task ? "Your turn" : "Before you look");
  show_text(context, kind, Ink::Strong, context.fonts.bold);
  if (attempt.done()) return;
  const float left = right - chip_size(context, kShowAnswer).x;
  if (ImGui::GetCursorPosX() + text_width(context, kind, context.fonts.bold) < left) {
    ImGui::SameLine(left);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - 4 * context.scale);
  }
  const Disabled disabled(attempt.judging);
  if (show_chip(context, kShowAnswer)) context.send(GiveUp{});
}

void ask(const Context& context, const Page& page, const Question& question, const Attempt& attempt,
         LessonState& kept) {
  switch (question.kind) {
    case QuestionKind::Number: return ask_number(context, question, attempt, kept);
    case QuestionKind::Choice: return ask_choice(context, page, attempt, kept);
    case QuestionKind::Click: return ask_click(context, question, attempt, kept);
    case QuestionKind::Task: return ask_task(context, page, question, attempt, kept);
  }
}

void show_content(const Context& context, const Page& page, const Question& question, const Attempt& attempt,
                  const AnchorLines& lines, LessonState& kept) {
  show_question_head(context, question, attempt);
  if (context.lessons->asks_again(*page.lesson, page.step))
    show_text(context, tr("Asked again, in another form"), Ink::Faint);
  show_text(context, page.prompt, lines);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - 7 * context.scale);  // The field is close to the question.
  show_verdict(context, page, question, attempt, kept);
  if (attempt.done()) return;
  // Above what answers: that is at the panel's lower edge and must not move under the mouse.
  if (attempt.wrong >= 1) show_text(context, hint_of(attempt, page), lines);
  if (attempt.wrong >= 2) show_text(context, page.look, lines);
  ask(context, page, question, attempt, kept);
}

}  // namespace

Target target_of(const lesson::Click& click, const session::Workspace& workspace) {
  if (click.line > 0) return {Target::Kind::SourceLine, Space::None, "", static_cast<uint64_t>(click.line), 0};
  if (click.lane >= 0) return {Target::Kind::Lane, Space::None, "", static_cast<uint64_t>(click.lane), 0};
  const auto& traced = workspace.experiment(0).traced();
  if (!traced) return {};
  const auto& arrays = traced->accesses.arrays();
  const auto array = std::ranges::find(arrays, click.array, [](const auto& each) { return each.allocation.name; });
  if (array == arrays.end()) return {};
  return {Target::Kind::Element, array->allocation.space, click.array,
          static_cast<uint64_t>(click.row) * array->columns + static_cast<uint64_t>(click.column), 0};
}

void ask_click(const Context& context, const Question& question, const Attempt& attempt, const LessonState& kept) {
  const std::optional<lesson::Click> click = click_of(context);
  show_wrapped(context, click ? tr_format("You chose {}.", describe(*click)) : where_to_click(question.target),
               click ? Ink::Strong : Ink::Faint);
  if (check_button(context, attempt, click.has_value(), kept)) context.send(AnswerQuestion{*click});
}

std::string wrong_words(const Attempt& attempt, const Page& page) {
  const QuestionKind kind = page.lesson->steps[page.step].question->kind;
  const bool has_words = kind == QuestionKind::Number || kind == QuestionKind::Click;
  return has_words && !attempt.given.empty() ? tr_format("Not {}.", given_words(attempt, page).back()) : tr("Not yet.");
}

void show_question(const Context& context, const Page& page, const AnchorLines& lines, LessonState& kept) {
  const Question& question = *page.lesson->steps[page.step].question;
  const Attempt& attempt = context.lessons->attempt(*page.lesson, page.step);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float pad = 14 * context.scale, width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  const PushedStyle close(ImGuiStyleVar_ItemSpacing, ImVec2{ImGui::GetStyle().ItemSpacing.x, 4 * context.scale});
  ImGui::Dummy({0, pad * 0.3f});
  ImGui::Indent(pad);
  {
    const RightMargin margin(pad);
    show_content(context, page, question, attempt, lines, kept);
  }
  ImGui::Unindent(pad);
  ImGui::Dummy({0, pad * 0.3f});
  const ImVec2 to{from.x + width, ImGui::GetCursorScreenPos().y};
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(from, to, (*context.palette)({Ink::Raised, 0.7f}), 3 * context.scale);
  list.AddRectFilled(from, {from.x + 3 * context.scale, to.y},
                     (*context.palette)({attempt.right ? Ink::Good : Ink::Accent}));
  list.ChannelsMerge();
}

}  // namespace tilescope::ui
