#include "ui/lesson_panel.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "draw/palette.h"
#include "kernel/catalogue.h"
#include "lesson/cover.h"
#include "ui/rich_text.h"
#include "ui/scoped.h"
#include "ui/tabs.h"

namespace tilescope::ui {
namespace {
using lesson::Attempt;
using lesson::Desk;
using lesson::Lesson;
using lesson::Page;
using lesson::Question;
using lesson::QuestionKind;
using session::Target;
using view::Ink;

void coloured(const Context& context, Ink ink, const std::string& text) {
  const PushedColour colour(ImGuiCol_Text, (*context.palette)({ink}));
  const Wrapped wrapped;
  ImGui::TextUnformatted(text.c_str());
}

void go_to(const Context& context, const Desk& desk, const Lesson& lesson, size_t step) {
  context.send(session::ChooseLesson{lesson.slug, static_cast<uint32_t>(step)});
  if (const auto scene = desk.scene(lesson, step)) context.send(show_command(*scene));
}

/// The line of the kernel on show that has this name.
int line_of(const Context& context, const std::string& anchor) {
  for (const kernel::Anchor& known : kernel::find_anchors(context.workspace->experiment(0).kernel().source))
    if (known.name == anchor) return known.line;
  return 0;
}

void show_lessons_menu(const Context& context, const Desk& desk, const Lesson& lesson) {
  const std::string title = fmt::format("Lesson {} of {}", lesson.number, desk.course().lessons.size());
  if (show_chip(context, title)) ImGui::OpenPopup("all lessons");
  if (!ImGui::BeginPopup("all lessons")) return;
  for (const Lesson& other : desk.course().lessons) {
    if (ImGui::MenuItem(fmt::format("{}  {}", other.number, other.title).c_str(), nullptr, &other == &lesson))
      go_to(context, desk, other, 0);
    context.note_widget("lesson " + other.slug);
  }
  ImGui::EndPopup();
}

/// What the student has pinned, as an answer to a question that asks for a click.
std::optional<lesson::Click> click_of(const Context& context) {
  const Target& pinned = context.workspace->pinned();
  lesson::Click click;
  if (pinned.kind == Target::Kind::Lane) click.lane = static_cast<int>(pinned.index);
  else if (pinned.kind == Target::Kind::SourceLine) click.line = static_cast<int>(pinned.index);
  else if (pinned.kind == Target::Kind::Element) {
    const auto& scene = context.workspace->experiment(0).scene();
    const session::ArrayStory* array = scene && scene->story ? scene->story->find(pinned.space, pinned.array) : nullptr;
    if (!array || array->columns == 0) return std::nullopt;
    click.array = pinned.array;
    click.row = static_cast<int64_t>(pinned.index / array->columns);
    click.column = static_cast<int64_t>(pinned.index % array->columns);
  } else {
    return std::nullopt;
  }
  return click;
}

std::string describe(const lesson::Click& click) {
  if (click.lane >= 0) return fmt::format("lane {}", click.lane);
  if (click.line >= 0) return fmt::format("line {}", click.line);
  return fmt::format("{}[{}][{}]", click.array, click.row, click.column);
}

/// The scene as the student has made it.
lesson::Scene scene_now(const Context& context, const Desk& desk, const Page& page) {
  lesson::Scene scene = *desk.scene(*page.lesson, page.step);
  const session::Experiment& experiment = context.workspace->experiment(0);
  scene.kernel = std::make_shared<const kernel::Kernel>(experiment.kernel());
  scene.settings = experiment.inputs().settings;
  scene.size = experiment.inputs().size;
  return scene;
}

constexpr float kCheckWidth = 84;

bool check_button(const Context& context, const Attempt& attempt) {
  const draw::Palette& palette = *context.palette;
  const Disabled disabled(attempt.judging);
  const PushedColour ground(ImGuiCol_Button, palette({Ink::Accent}));
  const PushedColour over(ImGuiCol_ButtonHovered, palette({Ink::Accent, 0.85f}));
  const PushedColour down(ImGuiCol_ButtonActive, palette({Ink::Accent, 0.7f}));
  const PushedColour text(ImGuiCol_Text, palette({palette.dark ? Ink::OnLight : Ink::OnDark}));
  const bool pressed = ImGui::Button(attempt.judging ? "Checking" : "Check", {kCheckWidth * context.scale, 0});
  context.note_widget("check answer");
  return pressed;
}

/// What was typed so far stays when the field gets the keyboard: ImGui would select it, and the next digit replace it.
int put_cursor_at_end(ImGuiInputTextCallbackData* data) {
  auto& wants_focus = *static_cast<bool*>(data->UserData);
  if (!wants_focus) return 0;
  wants_focus = false;
  data->ClearSelection();
  data->CursorPos = data->BufTextLen;
  return 0;
}

/// Takes characters of a number that nobody else takes.
void take_typed(LessonKept& kept) {
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
bool number_field(const Context& context, LessonKept& kept) {
  const PushedColour ground(ImGuiCol_FrameBg, (*context.palette)({Ink::Window}));
  ImGui::SetNextItemWidth(90 * context.scale);
  if (kept.wants_focus) ImGui::SetKeyboardFocusHere();
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways;
  const bool entered = ImGui::InputText("##answer", &kept.typed, flags, put_cursor_at_end, &kept.wants_focus);
  context.note_widget("answer");
  if (kept.wants_focus) {
    ImGui::SetScrollHereY(0.8f);
    *context.moving = true;
  }
  if (ImGui::IsItemDeactivated() && escape_pressed()) {
    kept.gave_keys_back = true;
    kept.typed.clear();
  }
  return entered;
}

void ask_number(const Context& context, Desk& desk, const Question& question, const Attempt& attempt, LessonKept& kept) {
  if (takes_digits_now(context, kept)) take_typed(kept);
  const bool entered = number_field(context, kept);
  ImGui::SameLine();
  if (!question.unit.empty()) {
    ImGui::TextUnformatted(question.unit.c_str());
    ImGui::SameLine();
  }
  if (ImGui::GetContentRegionAvail().x < kCheckWidth * context.scale) ImGui::NewLine();
  if ((check_button(context, attempt) || entered) && !kept.typed.empty()) {
    desk.answer(kept.typed);
    kept.typed.clear();
  }
}

void ask_choice(const Context& context, Desk& desk, const Page& page, const Attempt& attempt) {
  for (size_t i = 0; i < page.choices.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    const Disabled disabled(attempt.judging);
    const std::string words = lesson::plain_text(page.choices[i]);
    const PushedStyle left(ImGuiStyleVar_ButtonTextAlign, ImVec2{0, 0.5f});
    const float width = ImGui::GetContentRegionAvail().x, pad = 10 * context.scale;
    const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, width - 2 * pad), at = ImGui::GetCursorScreenPos();
    if (ImGui::Button("##choice", {width, size.y + 2 * pad * 0.7f})) desk.answer(i);
    context.note_widget(fmt::format("choice {}", static_cast<char>('a' + i)));
    ImGui::GetWindowDrawList()->AddText(nullptr, 0, {at.x + pad, at.y + pad * 0.7f}, (*context.palette)({Ink::Text}),
                                        words.c_str(), nullptr, width - 2 * pad);
  }
}

void ask_click(const Context& context, Desk& desk, const Question& question, const Attempt& attempt) {
  const std::optional<lesson::Click> click = click_of(context);
  const char* where = question.target == lesson::ClickTarget::Line ? "program text" : "picture";
  coloured(context, click ? Ink::Strong : Ink::Faint,
           click ? fmt::format("You chose {}.", describe(*click))
                 : fmt::format("Click the {} in the {}.", to_string(question.target), where));
  if (check_button(context, attempt) && click) desk.answer(*click);
}

void ask_make_it_so(const Context& context, Desk& desk, const Page& page, const Question& question, const Attempt& attempt) {
  coloured(context, Ink::Faint, question.edits_source ? "Edit the kernel, run it, then check." : "Set the sliders, then check.");
  const bool ready = context.workspace->experiment(0).scene() && !context.workspace->experiment(0).stale();
  if (check_button(context, attempt) && ready) desk.answer(scene_now(context, desk, page));
}

void show_feedback(const Context& context, Desk& desk, const Page& page, const Attempt& attempt) {
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  if (attempt.right) return coloured(context, Ink::Good, "Right.");
  if (attempt.gave_up) return coloured(context, Ink::Text, fmt::format("The answer: {}", attempt.answer));
  if (attempt.wrong > 0) coloured(context, Ink::Warning, attempt.message.empty() ? "Not yet." : attempt.message);
  else if (!attempt.message.empty()) coloured(context, Ink::Warning, attempt.message);
  if (attempt.wrong >= 1) show_text(context, page.hint, lines);
  if (attempt.wrong >= 2) show_text(context, page.look, lines);
  if (attempt.wrong < 1) return;
  if (ImGui::Button("Show the answer")) desk.give_up();
  context.note_widget("show answer");
}

void show_question_text(const Context& context, Desk& desk, const Page& page, const Question& question,
                        const Attempt& attempt, LessonKept& kept) {
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  {
    const PushedFont bold(context.fonts.bold);
    coloured(context, Ink::Strong, question.kind == QuestionKind::MakeItSo ? "Make it so" : "Before you look");
  }
  show_text(context, page.prompt, lines);
  if (!attempt.done()) switch (question.kind) {
      case QuestionKind::Number: ask_number(context, desk, question, attempt, kept); break;
      case QuestionKind::Choice: ask_choice(context, desk, page, attempt); break;
      case QuestionKind::Click: ask_click(context, desk, question, attempt); break;
      case QuestionKind::MakeItSo: ask_make_it_so(context, desk, page, question, attempt); break;
    }
  show_feedback(context, desk, page, attempt);
}

/// Points down to a question that ends below what is seen; a click goes there.
void show_question_hint(const Context& context, float top, float bottom) {
  const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float end = corner.y + size.y, height = 26 * context.scale;
  if (bottom <= end) return;
  const draw::Palette& palette = *context.palette;
  const ImU32 clear = palette({Ink::Panel, 0}), solid = palette({Ink::Panel});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from{corner.x, end - height}, to{corner.x + size.x, end};
  list.AddRectFilledMultiColor({from.x, from.y - height / 2}, {to.x, from.y}, clear, clear, solid, solid);
  list.AddRectFilled(from, to, solid);
  ImGui::SetCursorScreenPos(from);
  if (ImGui::InvisibleButton("question below", {size.x, height}))
    ImGui::SetScrollY(ImGui::GetScrollY() + std::min(bottom - end, top - corner.y));
  context.note_widget("question below");
  const char* const words = top < from.y ? "The answer goes below" : "A question is below";
  const ImVec2 at{from.x, from.y + (height - ImGui::GetTextLineHeight()) / 2};
  const ImU32 ink = palette({ImGui::IsItemHovered() ? Ink::Strong : Ink::Accent});
  list.AddText(at, ink, words);
  const float x = at.x + ImGui::CalcTextSize(words).x + 10 * context.scale, y = from.y + height / 2, s = 4 * context.scale;
  list.AddTriangleFilled({x - s, y - s / 2}, {x + s, y - s / 2}, {x, y + s}, ink);
}

void show_question(const Context& context, Desk& desk, const Page& page, const Question& question, const Attempt& attempt,
                   LessonKept& kept) {
  const ImVec2 from = ImGui::GetCursorScreenPos();
  const float pad = 14 * context.scale, width = ImGui::GetContentRegionAvail().x;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::Dummy({0, pad * 0.5f});
  ImGui::Indent(pad);
  {
    const RightMargin margin(pad);
    show_question_text(context, desk, page, question, attempt, kept);
  }
  ImGui::Unindent(pad);
  ImGui::Dummy({0, pad * 0.4f});
  const ImVec2 to{from.x + width, ImGui::GetCursorScreenPos().y};
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(from, to, (*context.palette)({Ink::Raised, 0.7f}), 3 * context.scale);
  list.AddRectFilled(from, {from.x + 3 * context.scale, to.y}, (*context.palette)({attempt.right ? Ink::Good : Ink::Accent}));
  list.ChannelsMerge();
}

void show_page(const Context& context, Desk& desk, const Page& page, LessonKept& kept) {
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  const lesson::Step& step = page.lesson->steps[page.step];
  show_text(context, page.text, lines);
  if (!step.question) return show_text(context, page.after, lines);
  const Attempt& attempt = desk.attempt(*page.lesson, page.step);
  const float top = ImGui::GetCursorScreenPos().y;
  show_question(context, desk, page, *step.question, attempt, kept);
  const float bottom = ImGui::GetCursorScreenPos().y;
  ImGui::Dummy({0, 10 * context.scale});
  if (attempt.done()) return show_text(context, page.after, lines);
  show_question_hint(context, top, bottom);
}

void show_turning(const Context& context, const Desk& desk, const Lesson& lesson, size_t step) {
  const auto& lessons = desk.course().lessons;
  const size_t number = static_cast<size_t>(&lesson - lessons.data());
  const bool first = step == 0 && number == 0, last = step + 1 >= lesson.steps.size() && number + 1 >= lessons.size();
  const float room = ImGui::GetContentRegionAvail().x - 64 * context.scale;  // For "12 of 12" beside the two.
  const ImVec2 size{std::min(92 * context.scale, room / 2 - ImGui::GetStyle().ItemSpacing.x), 0};
  {
    const Disabled disabled(first);
    if (ImGui::Button("Back", size))
      step > 0 ? go_to(context, desk, lesson, step - 1)
               : go_to(context, desk, lessons[number - 1], lessons[number - 1].steps.size() - 1);
    context.note_widget("previous step");
  }
  ImGui::SameLine();
  {
    const Disabled disabled(last);
    if (ImGui::Button("Next", size))
      step + 1 < lesson.steps.size() ? go_to(context, desk, lesson, step + 1) : go_to(context, desk, lessons[number + 1], 0);
    context.note_widget("next step");
  }
  ImGui::SameLine(0, 16 * context.scale);
  coloured(context, Ink::Faint, fmt::format("{} of {}", step + 1, lesson.steps.size()));
}

session::Inputs inputs_of(const lesson::Scene& scene) {
  return {scene.kernel->name, {}, scene.settings, scene.size, scene.block_x, scene.block_y};
}

/// The lesson on show and the number of its step; null without one.
std::pair<const Lesson*, size_t> place_of(const Context& context) {
  const session::State& state = context.workspace->state();
  const Lesson* lesson = context.desk ? context.desk->find(state.lesson) : nullptr;
  if (!lesson || lesson->steps.empty()) return {};
  return {lesson, std::min<size_t>(state.lesson_step, lesson->steps.size() - 1)};
}

}  // namespace

session::Cover cover_now(const Context& context) {
  const auto [lesson, step] = place_of(context);
  // A presentation has no place to answer in.
  if (!lesson || context.workspace->state().present) return {};
  return lesson::cover_now(*lesson, step, context.desk->attempt(*lesson, step));
}

bool picks_line_now(const Context& context) {
  const auto [lesson, step] = place_of(context);
  if (!lesson || context.workspace->state().present) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  return question && question->kind == QuestionKind::Click && question->target == lesson::ClickTarget::Line &&
         !context.desk->attempt(*lesson, step).done();
}

bool takes_digits_now(const Context& context, const LessonKept& kept) {
  const auto [lesson, step] = place_of(context);
  if (!lesson || context.workspace->state().present || kept.gave_keys_back) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  return question && question->kind == QuestionKind::Number && !context.desk->attempt(*lesson, step).done();
}

std::vector<std::string> emphasised_now(const Context& context) {
  const auto [lesson, step] = place_of(context);
  const std::optional<lesson::Scene> scene = lesson ? context.desk->scene(*lesson, step) : std::nullopt;
  const session::State& state = context.workspace->state();
  const bool unchanged = scene && !state.compared && state.inputs == inputs_of(*scene) && state.arch == scene->arch;
  return unchanged ? scene->emphasise : std::vector<std::string>{};
}

session::ShowScene show_command(const lesson::Scene& scene) {
  session::ShowScene command;
  command.inputs = inputs_of(scene);
  command.arch = scene.arch;
  command.scale = static_cast<session::Scale>(scene.view);
  command.warp = static_cast<uint32_t>(std::max(0, scene.cursor.warp));
  command.lane = static_cast<uint32_t>(std::max(0, scene.cursor.lane));
  command.occurrence = scene.cursor.occurrence;
  for (const kernel::Anchor& anchor : kernel::find_anchors(scene.kernel->source))
    if (anchor.name == scene.cursor.anchor) command.line = anchor.line;
  return command;
}

void show_lesson(const Context& context, LessonKept& kept) {
  const auto [lesson, step] = place_of(context);
  if (!lesson) return coloured(context, Ink::Faint, "No lesson is open.");
  Desk& desk = *context.desk;
  desk.open(*lesson, step);
  if (std::string place = fmt::format("{} {}", lesson->slug, step); place != kept.place) {
    kept = LessonKept();
    kept.place = std::move(place);
  }
  show_lessons_menu(context, desk, *lesson);
  ImGui::Dummy({0, 4 * context.scale});
  {
    const PushedFont title(context.fonts.title);
    coloured(context, Ink::Strong, lesson->steps[step].title);
  }
  ImGui::Dummy({0, 6 * context.scale});
  const float turning = 48 * context.scale;
  {
    const Child body("page", {0, -turning});
    if (const Page* page = desk.page()) show_page(context, desk, *page, kept);
    else coloured(context, Ink::Faint, "Running this step's kernel");
  }
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - turning + 12 * context.scale);
  show_turning(context, desk, *lesson, step);
}

}  // namespace tilescope::ui
