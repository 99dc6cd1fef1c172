#include "ui/lesson_panel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "base/words.h"
#include "draw/palette.h"
#include "kernel/catalogue.h"
#include "lesson/cover.h"
#include "ui/rich_text.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"

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
  const size_t lessons = desk.course().lessons.size();
  const std::string name = fmt::format("Lesson {} of {}", lesson.number, lessons);
  const bool clicked = show_named_chip(context, name, tr_format("Lesson {} of {}", lesson.number, lessons));
  const Popup popup("all lessons", clicked, context.scale);
  if (!popup) return;
  for (const Lesson& other : desk.course().lessons) {
    if (ImGui::MenuItem(fmt::format("{}  {}", other.number, other.title).c_str(), nullptr, &other == &lesson))
      go_to(context, desk, other, 0);
    context.note_widget("lesson " + other.slug);
  }
}

/// What the student has pinned, as an answer to a question that asks for a click.
std::optional<lesson::Click> click_of(const Context& context) {
  const Target& pinned = context.workspace->pinned();
  lesson::Click click;
  if (pinned.kind == Target::Kind::Lane)
    click.lane = static_cast<int>(pinned.index);
  else if (pinned.kind == Target::Kind::SourceLine)
    click.line = static_cast<int>(pinned.index);
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

/// `ready`: there is something to check.
bool check_button(const Context& context, const Attempt& attempt, bool ready) {
  const draw::Palette& palette = *context.palette;
  const Disabled disabled(attempt.judging || !ready);
  const PushedColour ground(ImGuiCol_Button, palette({Ink::Accent}));
  const PushedColour over(ImGuiCol_ButtonHovered, palette({Ink::Accent, 0.85f}));
  const PushedColour down(ImGuiCol_ButtonActive, palette({Ink::Accent, 0.7f}));
  const PushedColour text(ImGuiCol_Text, palette({palette.dark ? Ink::OnLight : Ink::OnDark}));
  const std::string words = tr(attempt.judging ? "Checking" : "Check");
  const bool pressed = ImGui::Button((words + "###check").c_str(), {kCheckWidth * context.scale, 0});
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

void ask_number(const Context& context, Desk& desk, const Question& question, const Attempt& attempt,
                LessonKept& kept) {
  if (takes_digits_now(context, kept)) take_typed(kept);
  const bool entered = number_field(context, kept);
  ImGui::SameLine();
  if (!question.unit.empty()) {
    ImGui::TextUnformatted(question.unit.c_str());
    ImGui::SameLine();
  }
  if (ImGui::GetContentRegionAvail().x < kCheckWidth * context.scale) ImGui::NewLine();
  if ((check_button(context, attempt, !kept.typed.empty()) || entered) && !kept.typed.empty()) {
    desk.answer(kept.typed);
    kept.typed.clear();
  }
}

/// Letters and digits choose, as a click does.
void take_choice(Desk& desk, const Page& page, LessonKept& kept) {
  if (ImGui::IsAnyItemActive()) return;
  ImVector<ImWchar>& queue = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar character : queue) {
    const size_t index = static_cast<size_t>(character >= 'a' ? character - 'a' : character - '1');
    if (index < page.choices.size()) desk.answer(index);
  }
  queue.resize(0);
  kept.gave_keys_back = escape_pressed();
}

void ask_choice(const Context& context, Desk& desk, const Page& page, const Attempt& attempt, LessonKept& kept) {
  if (takes_digits_now(context, kept)) take_choice(desk, page, kept);
  const ImU32 text = (*context.palette)({Ink::Text}), faint = (*context.palette)({Ink::Faint});
  const float pad = 10 * context.scale, letters = 18 * context.scale;
  for (size_t i = 0; i < page.choices.size(); ++i) {
    const PushedId id(static_cast<int>(i));
    const Disabled disabled(attempt.judging);
    const float width = ImGui::GetContentRegionAvail().x, wrap = width - 2 * pad - letters;
    const std::string words = with_breaks(lesson::plain_text(page.choices[i]), wrap);
    const float height = ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap).y;
    const ImVec2 at = ImGui::GetCursorScreenPos(), first{at.x + pad, at.y + pad * 0.7f};
    if (ImGui::Button("##choice", {width, height + 2 * pad * 0.7f})) desk.answer(i);
    const char letter = lesson::choice_letter(i);
    context.note_widget(fmt::format("choice {}", letter));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText(first, faint, &letter, &letter + 1);
    list.AddText(nullptr, 0, {first.x + letters, first.y}, text, words.c_str(), nullptr, wrap);
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

void ask_click(const Context& context, Desk& desk, const Question& question, const Attempt& attempt) {
  const std::optional<lesson::Click> click = click_of(context);
  coloured(context, click ? Ink::Strong : Ink::Faint,
           click ? tr_format("You chose {}.", describe(*click)) : where_to_click(question.target));
  if (check_button(context, attempt, click.has_value()) && click) desk.answer(*click);
}

/// What the student does now; also why there is nothing to check yet.
std::string task_words(const session::Experiment& experiment, const Question& question) {
  using session::Progress;
  if (experiment.progress() == Progress::Tracing) return tr("Running the kernel");
  if (experiment.progress() == Progress::Failed)
    return tr(question.edits_source ? "This text does not run; the editor says why."
                                    : "These settings do not run; the sentence under the sliders says why.");
  return tr(question.edits_source ? "Click Edit above the program text, change it, choose Run, then check."
                                  : "Set the sliders, then check.");
}

void ask_task(const Context& context, Desk& desk, const Page& page, const Question& question,
                    const Attempt& attempt) {
  const session::Experiment& experiment = context.workspace->experiment(0);
  coloured(context, Ink::Faint, task_words(experiment, question));
  const bool ready = experiment.scene() && !experiment.stale();
  if (check_button(context, attempt, ready) && ready) desk.answer(scene_now(context, desk, page));
}

void show_verdict(const Context& context, const Attempt& attempt) {
  if (attempt.right)
    coloured(context, Ink::Good, attempt.answer.empty() ? tr("Right.") : tr_format("Right: {}", attempt.answer));
  else if (attempt.gave_up)
    coloured(context, Ink::Text, tr_format("The answer: {}", attempt.answer));
  else if (!attempt.message.empty())
    coloured(context, Ink::Warning, attempt.message.text());
  else if (attempt.wrong > 0)
    coloured(context, Ink::Warning, tr("Not yet."));
  else
    return;
  context.note_widget(attempt.right ? "question right" : attempt.gave_up ? "question given up" : "question wrong");
}

void show_feedback(const Context& context, Desk& desk, const Page& page, const Attempt& attempt) {
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  show_verdict(context, attempt);
  if (attempt.done()) return;
  if (attempt.wrong >= 1) show_text(context, page.hint, lines);
  if (attempt.wrong >= 2) show_text(context, page.look, lines);
  const Disabled disabled(attempt.judging);
  if (show_chip(context, tr_later("Show the answer"))) desk.give_up();
}

void show_question_text(const Context& context, Desk& desk, const Page& page, const Question& question,
                        const Attempt& attempt, LessonKept& kept) {
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  {
    const PushedFont bold(context.fonts.bold);
    coloured(context, Ink::Strong, tr(question.kind == QuestionKind::Task ? "Your turn" : "Before you look"));
  }
  show_text(context, page.prompt, lines);
  if (!attempt.done()) switch (question.kind) {
      case QuestionKind::Number: ask_number(context, desk, question, attempt, kept); break;
      case QuestionKind::Choice: ask_choice(context, desk, page, attempt, kept); break;
      case QuestionKind::Click: ask_click(context, desk, question, attempt); break;
      case QuestionKind::Task: ask_task(context, desk, page, question, attempt); break;
    }
  show_feedback(context, desk, page, attempt);
}

constexpr float kBelow = 26;    // Height of what says that the page goes on.
constexpr float kPrompt = 100;  // From the upper edge of a question to below its prompt.

/// Where the page's room ends, with that of what says that it goes on.
float lower_edge(const Context& context, const Below& below) {
  return ImGui::GetWindowPos().y + ImGui::GetWindowHeight() + (below.words.empty() ? 0 : kBelow * context.scale);
}

/// Of a question that ends below what is seen.
Below below_of(const Context& context, const Below& before, float top, float bottom) {
  const float corner = ImGui::GetWindowPos().y, edge = lower_edge(context, before);
  if (bottom <= edge) return {};
  const char* const words = tr(top < edge - kPrompt * context.scale ? "Answer below" : "A question is below");
  return {words, Ink::Accent, std::min(bottom - edge, top - corner)};
}

void show_question(const Context& context, Desk& desk, const Page& page, const Question& question,
                   const Attempt& attempt, LessonKept& kept) {
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
  list.AddRectFilled(from, {from.x + 3 * context.scale, to.y},
                     (*context.palette)({attempt.right ? Ink::Good : Ink::Accent}));
  list.ChannelsMerge();
}

void show_page(const Context& context, Desk& desk, const Page& page, LessonKept& kept) {
  const Below before = std::exchange(kept.below, {});
  const auto lines = [&](const std::string& anchor) { return line_of(context, anchor); };
  const lesson::Step& step = page.lesson->steps[page.step];
  show_text(context, page.text, lines);
  if (!step.question) return show_text(context, page.after, lines);
  const Attempt& attempt = desk.attempt(*page.lesson, page.step);
  const float top = ImGui::GetCursorScreenPos().y;
  show_question(context, desk, page, *step.question, attempt, kept);
  const float bottom = ImGui::GetCursorScreenPos().y;
  ImGui::Dummy({0, 10 * context.scale});
  if (!attempt.done()) {
    kept.asked = true;
    kept.below = below_of(context, before, top, bottom);
    return;
  }
  show_text(context, page.after, lines);
  // What is said to the answer is to be seen at once.
  if (kept.asked) kept.scroll_by = top - ImGui::GetWindowPos().y;
  kept.asked = false;
}

/// The open page's text and question, scrolled as the student wants it.
void show_body(const Context& context, Desk& desk, LessonKept& kept) {
  const Page* page = desk.page();
  if (!page) return coloured(context, Ink::Faint, tr("Running this step's kernel"));
  if (kept.scroll_by != 0) ImGui::SetScrollY(ImGui::GetScrollY() + kept.scroll_by);
  const Below before = kept.below;
  kept.scroll_by = 0;
  show_page(context, desk, *page, kept);
  const ImVec2 next = ImGui::GetCursorScreenPos();
  const float end = next.y - ImGui::GetStyle().ItemSpacing.y;
  if (context.widgets) context.widgets->push_back({"page end", {next.x, end, 0, 0}});
  if (!kept.asked && end > lower_edge(context, before) + 1)
    kept.below = {tr("More below"), Ink::Faint, ImGui::GetWindowHeight() * 0.8f};
  if (context.moving && (kept.below.words != before.words || kept.scroll_by != 0)) *context.moving = true;
}

/// Under the page: that it goes on, and a click goes there.
void show_below(const Context& context, LessonKept& kept) {
  const draw::Palette& palette = *context.palette;
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{ImGui::GetContentRegionAvail().x, kBelow * context.scale};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddLine(at, {at.x + size.x, at.y}, palette({Ink::Line}), context.scale);
  if (ImGui::InvisibleButton("more below", size)) kept.scroll_by = kept.below.jump;
  context.note_widget("more below");
  const ImU32 ink = palette({ImGui::IsItemHovered() ? Ink::Strong : kept.below.ink});
  const char* const words = kept.below.words.c_str();
  const float y = at.y + size.y / 2, s = 4 * context.scale;
  list.AddText({at.x, y - ImGui::GetTextLineHeight() / 2}, ink, words);
  const float x = at.x + ImGui::CalcTextSize(words).x + 10 * context.scale;
  list.AddTriangleFilled({x - s, y - s / 2}, {x + s, y - s / 2}, {x, y + s}, ink);
}

/// The steps beside one, in the lessons beside its own where it is the first or the last.
struct Neighbours {
  std::optional<std::pair<const Lesson*, size_t>> before, after;
};

Neighbours neighbours_of(const Desk& desk, const Lesson& lesson, size_t step) {
  const auto& lessons = desk.course().lessons;
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

void show_turning(const Context& context, const Desk& desk, const Lesson& lesson, size_t step) {
  const auto [before, after] = neighbours_of(desk, lesson, step);
  const float room = ImGui::GetContentRegionAvail().x - 64 * context.scale;  // For "12 of 12" beside the two.
  const ImVec2 size{std::min(92 * context.scale, room / 2 - ImGui::GetStyle().ItemSpacing.x), 0};
  {
    const Disabled disabled(!before);
    if (ImGui::Button((tr("Back") + std::string("###back")).c_str(), size))
      go_to(context, desk, *before->first, before->second);
    context.note_widget("previous step");
  }
  ImGui::SameLine();
  {
    const Disabled disabled(!after);
    if (ImGui::Button((tr("Next") + std::string("###next")).c_str(), size))
      go_to(context, desk, *after->first, after->second);
    context.note_widget("next step");
  }
  ImGui::SameLine(0, 16 * context.scale);
  coloured(context, Ink::Faint, tr_format("{} of {}", step + 1, lesson.steps.size()));
}

constexpr float kLeastForClass = 40;
constexpr float kAnswerToClass = 0.28f;  ///< The answer's part of the width; the question has the rest.

/// As many on a line as it has room for.
void show_choices_to_class(const Context& context, const Page& page) {
  for (size_t i = 0; i < page.choices.size(); ++i) {
    const std::string words = fmt::format("{}  {}", lesson::choice_letter(i), lesson::plain_text(page.choices[i]));
    const float gap = 28 * context.scale;
    const float left = i == 0 ? 0 : ImGui::GetItemRectMax().x + gap - ImGui::GetWindowPos().x;
    if (i > 0 && left + text_width(context, words) < ImGui::GetContentRegionMax().x) ImGui::SameLine(0, gap);
    coloured(context, Ink::Text, words);
  }
}

/// Height of what ImGui's current window shows.
float height_shown() { return ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y; }

/// Both return the height that they took.
float ask_class(const Context& context, const Page& page, float width) {
  const Child child("asked", {width, 0}, false, ImGuiWindowFlags_NoScrollbar);
  Context bold = context;
  bold.fonts.text = context.fonts.bold;
  show_text(bold, page.prompt, [&](const std::string& anchor) { return line_of(context, anchor); });
  show_choices_to_class(context, page);
  return height_shown();
}

float answer_class(const Context& context, Desk& desk, const Attempt& attempt, float width) {
  const Child child("answered", {width, 0}, false, ImGuiWindowFlags_NoScrollbar);
  if (attempt.done()) {
    const PushedFont title(context.fonts.title);
    coloured(context, Ink::Good, attempt.answer.text());
    context.note_widget("answer to class");
  } else if (show_chip(context, tr_later("Show the answer"))) {
    desk.give_up();
  }
  return height_shown();
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
  if (!lesson) return {};
  return lesson::cover_now(*lesson, step, context.desk->attempt(*lesson, step));
}

bool picks_line_now(const Context& context) {
  const auto [lesson, step] = place_of(context);
  if (!lesson || context.workspace->state().present) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  return question && question->kind == QuestionKind::Click && question->target == lesson::ClickTarget::Line &&
         !context.desk->attempt(*lesson, step).done();
}

void show_lesson_line(const Context& context, float room) {
  const auto [lesson, step] = place_of(context);
  if (!lesson) return;
  context.desk->open(*lesson, step);
  const float right = ImGui::GetCursorPosX() + room, gap = 10 * context.scale;
  const float middle = ImGui::GetCursorPosY() + chip_size(context, "0").y / 2;
  const auto [before, after] = neighbours_of(*context.desk, *lesson, step);
  const auto button = [&](const char* name, const char* sign, const auto& neighbour) {
    const Disabled disabled(!neighbour);
    if (show_named_chip(context, name, sign)) go_to(context, *context.desk, *neighbour->first, neighbour->second);
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
  context.note_widget(fmt::format("step {} {}", lesson->slug, step + 1));
}

float question_to_class_height(const Context& context, const LessonKept& kept) {
  const auto [lesson, step] = place_of(context);
  if (!lesson || !lesson->steps[step].question) return 0;
  return std::max(kept.class_height, kLeastForClass * context.scale);
}

void show_question_to_class(const Context& context, LessonKept& kept) {
  const auto [lesson, step] = place_of(context);
  Desk& desk = *context.desk;
  const Page* page = desk.page();
  if (!page) return coloured(context, Ink::Faint, tr("Running this step's kernel"));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float asked = ask_class(context, *page, room.x * (1 - kAnswerToClass));
  ImGui::SameLine(0, 0);
  const float answered = answer_class(context, desk, desk.attempt(*lesson, step), room.x * kAnswerToClass);
  const float before = std::exchange(kept.class_height, std::max(asked, answered));
  if (context.moving && kept.class_height != before) *context.moving = true;
}

void show_answer(const Context& context) {
  const auto [lesson, step] = place_of(context);
  if (lesson && lesson->steps[step].question && !context.desk->attempt(*lesson, step).done()) context.desk->give_up();
}

bool takes_digits_now(const Context& context, const LessonKept& kept) {
  const auto [lesson, step] = place_of(context);
  if (!lesson || context.workspace->state().present || kept.gave_keys_back) return false;
  const std::optional<Question>& question = lesson->steps[step].question;
  const bool takes = question && (question->kind == QuestionKind::Number || question->kind == QuestionKind::Choice);
  return takes && !context.desk->attempt(*lesson, step).done();
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
  if (!lesson) return coloured(context, Ink::Faint, tr("No lesson is open."));
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
  const float turning = 48 * context.scale, below = kept.below.words.empty() ? 0 : kBelow * context.scale;
  {
    const Child body("page", {0, -turning - below});
    show_body(context, desk, kept);
  }
  if (desk.page()) context.note_widget(fmt::format("page {} {}", lesson->slug, step + 1));
  if (below > 0 && !kept.below.words.empty()) show_below(context, kept);
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - turning + 12 * context.scale);
  show_turning(context, desk, *lesson, step);
}

}  // namespace tilescope::ui
