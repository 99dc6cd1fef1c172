#include "ui/editor.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "base/process.h"
#include "base/words.h"
#include "ui/editor_text.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
using session::Experiment;
using view::Ink;

constexpr size_t kMostProblems = 20;

void take_text(EditorState& kept, const std::string& text) { kept.text = kept.known = text; }

/// What the kernel's file had, without the user's changes.
void take_original(const Context& context, const kernel::Kernel& shown, EditorState& kept) {
  kept.original.clear();
  kept.from.clear();
  const session::Edit* const edit = context.workspace->edit_of(shown.name);
  const kernel::Kernel* const file = context.workspace->find(shown.name);
  if (!file) return;
  kept.from = edit && !edit->from.empty() ? edit->from : file->source;
  std::istringstream lines(kept.from + '\n');
  for (std::string each; std::getline(lines, each);) kept.original.insert(each);
}

// Edited text does not belong to another kernel, whose lines a lesson may be about; it waits for its own.
void put_aside(const Context& context, EditorState& kept) {
  if (const auto keep = text_to_keep(kept)) context.send(*keep);
  kept.open = false;
  if (context.moving) *context.moving = true;
}

/// Takes a newer text (the file changed) unless the user has begun to edit.
void follow(const Context& context, EditorState& kept, const Experiment& experiment) {
  const std::string& newest = experiment.kernel().source;
  if (newest == kept.known || kept.text != kept.known) return;
  take_text(kept, newest);
  take_original(context, experiment.kernel(), kept);
  // The text box has a text of its own while it has the keyboard.
  if (ImGui::GetActiveID() != ImGui::GetID("##text")) return;
  ImGui::ClearActiveID();
  const int cursor = std::min(kept.cursor, static_cast<int>(newest.size()));
  kept.select = TextRange{cursor, cursor};
}

int follow_cursor(ImGuiInputTextCallbackData* data) {
  auto& kept = *static_cast<EditorState*>(data->UserData);
  if (kept.select) {
    data->SelectionStart = kept.select->first;
    data->SelectionEnd = data->CursorPos = kept.select->second;
    kept.select.reset();
  }
  kept.cursor = data->CursorPos;
  kept.selected = std::minmax(data->SelectionStart, data->SelectionEnd);
  return 0;
}

/// What the line before begins with, after Enter.
std::string indent_of_new_line(const EditorState& kept) {
  const bool enter = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter)) ||
                     ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_KeyPadEnter));
  const std::string_view before = std::string_view(kept.text).substr(0, static_cast<size_t>(kept.cursor));
  if (!enter || ImGui::GetIO().KeyCtrl || !ImGui::IsItemActive() || !before.ends_with('\n')) return "";
  const std::string_view lines = before.substr(0, before.size() - 1);
  const std::string_view line = lines.substr(lines.rfind('\n') + 1);
  return std::string(line.substr(0, line.find_first_not_of(" \t")));
}

bool has_failed(const Experiment& experiment) { return experiment.progress() == session::Progress::Failed; }

std::set<int> lines_with_problems(const Experiment& experiment) {
  std::set<int> lines;
  // What is refused before it is compiled is at no line of the program.
  if (!has_failed(experiment) || experiment.refused()) return lines;
  for (const Diagnostic& problem : experiment.problems()) lines.insert(problem.at.line);
  lines.erase(0);
  return lines;
}

/// Numbers beside the text box, which scrolls in a child window of its own, and a mark at what is not in the original.
void draw_numbers(const Context& context, const Experiment& experiment, const EditorState& kept, ImVec2 at, float width,
                  float height) {
  const ImGuiWindow& window = *ImGui::GetCurrentWindow();
  if (window.DC.ChildWindows.empty()) return;
  const PushedFont mono(context.fonts.mono);
  const float line_height = ImGui::GetTextLineHeight(), scroll = window.DC.ChildWindows.back()->Scroll.y;
  const std::set<int> marked = lines_with_problems(experiment);
  const auto lines = static_cast<int>(std::count(kept.text.begin(), kept.text.end(), '\n')) + 1;
  const auto [first, last] = visible_lines(lines, scroll, height);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(at, {at.x + width, at.y + height}, true);
  for (int line = first; line <= last; ++line) {
    const float y = at.y + ImGui::GetStyle().FramePadding.y + static_cast<float>(line - 1) * line_height - scroll;
    const bool bad = marked.contains(line);
    if (!kept.original.empty() && !kept.original.contains(text_of_line(kept.text, line)))
      list.AddRectFilled({at.x + width - 5 * context.scale, y}, {at.x + width - 2 * context.scale, y + line_height},
                         ink(context, Ink::Accent));
    const std::string number = fmt::format("{}", line);
    const float x = at.x + width - ImGui::CalcTextSize(number.c_str()).x - 8 * context.scale;
    list.AddText({x, y}, ink(context, bad ? Ink::Bad : Ink::Faint), number.c_str());
    if (bad) draw_warning(list, {at.x, y + line_height / 4}, line_height / 2, ink(context, Ink::Bad));
  }
  list.PopClipRect();
}

// ImGui 1.86 has GLFW's codes of keys, which for letters are their capitals. Its Ctrl+Enter leaves the text.
bool wants_run(const ImGuiIO& io) {
  if (!io.KeyCtrl) return false;
  const bool enter = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter));
  return enter || (ImGui::IsItemActive() && ImGui::IsKeyPressed('S'));
}

void run(const Context& context, EditorState& kept) {
  kept.known = kept.text;
  context.send(session::EditSource{{kept.text, kept.from}});
}

/// What was typed is run first, so that Undo brings it back.
void restore(const Context& context, const Experiment& experiment, EditorState& kept) {
  if (kept.open && kept.text != experiment.kernel().source && kept.text.size() <= kLargestEdited) run(context, kept);
  if (const kernel::Kernel* original = context.workspace->find(experiment.kernel().name))
    take_text(kept, kept.from = original->source);
  context.send(session::RestoreSource{});
}

void show_buttons(const Context& context, const Experiment& experiment, EditorState& kept) {
  const bool fits = kept.text.size() <= kLargestEdited;
  if (fits && show_chip(context, tr_later("Run"), kept.text != experiment.kernel().source)) run(context, kept);
  constexpr const char *kRestore = tr_later("Restore"), *kClose = tr_later("Close"),
                       *kOutside = tr_later("Open in my editor");
  if (fits) flow(context, kRestore);
  if (show_chip(context, kRestore)) restore(context, experiment, kept);
  flow(context, kClose);
  if (show_chip(context, kClose)) put_aside(context, kept);
  flow(context, kOutside);
  if (!show_chip(context, kOutside, kept.shows_path)) return;
  kept.shows_path = !kept.shows_path;
  if (!kept.shows_path) return;
  // What is typed here and what is saved there are one text.
  if (fits && kept.text != experiment.kernel().source) run(context, kept);
  context.send(FileCommand{EditOutside{experiment.kernel().name}});
}

void show_path(const Context& context, const Experiment& experiment) {
  std::string path = context.workspace->file_to_edit(experiment.kernel().name).string();
  show_wrapped(context,
               experiment.kernel().is_users
                   ? tr("This file is watched: what you save there is compiled and shown here.")
                   : tr("Your copy of the kernel is watched: what you save there is compiled and shown here."),
               Ink::Faint);
  const PushedFont mono(context.fonts.mono);
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##path", &path, ImGuiInputTextFlags_ReadOnly);
  context.note_widget("kernel path");
}

void show_text_box(const Context& context, const Experiment& experiment, EditorState& kept) {
  const float gutter = 44 * context.scale, room = ImGui::GetContentRegionAvail().x - gutter,
              bar = ImGui::GetStyle().ScrollbarSize;
  float whole = 0, below = has_failed(experiment) ? 96 * context.scale : 0;
  {
    const PushedFont mono(context.fonts.mono);
    whole = longest_line(kept.text) + 2 * ImGui::GetStyle().FramePadding.x;
  }
  const bool is_long = whole > room - bar;
  if (is_long) below += bar + ImGui::GetStyle().ItemSpacing.y;
  const float height = std::max(60 * context.scale, ImGui::GetContentRegionAvail().y - below);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({at.x + gutter, at.y});
  if (const int line = std::exchange(kept.go_to, 0)) {
    const auto begin = static_cast<int>(offset_of_line(kept.text, line));
    kept.select = {begin, begin};
    kept.reveals = true;
  }
  if (kept.select) ImGui::SetKeyboardFocusHere();
  {
    const PushedFont mono(context.fonts.mono);
    const PushedColour unseen(ImGuiCol_Text, 0);  // ImGui's text has one colour; draw_text() writes over it.
    const ImGuiInputTextFlags flags = ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_CallbackAlways;
    // ImGui's Escape takes back everything that was typed; here it only leaves the text.
    const HiddenKey escape(ImGuiKey_Escape);
    // Before what the user types in this frame.
    ImVector<ImWchar>& input = ImGui::GetIO().InputQueueCharacters;
    if (ImGui::GetActiveID() == ImGui::GetID("##text"))
      for (const char c : std::views::reverse(kept.typed)) input.insert(input.begin(), static_cast<ImWchar>(c));
    ImGui::InputTextMultiline("##text", &kept.text, {room, height}, flags, follow_cursor, &kept);
    if (ImGui::IsItemActive() && escape.is_pressed()) ImGui::ClearActiveID();
    kept.typed = indent_of_new_line(kept);
  }
  context.note_widget("editor");
  if (wants_run(ImGui::GetIO())) {
    run(context, kept);
    kept.select = TextRange{kept.cursor, kept.cursor};
  }
  const ImGuiID box = ImGui::GetID("##text");
  if (ImGuiInputTextState* state = ImGui::GetInputTextState(box)) {
    kept.scroll = state->ScrollX;
    join_undo(*state);
  }
  if (!is_long) kept.scroll = 0;
  draw_text(context, experiment.kernel(), kept, ImGui::IsItemActive());
  draw_numbers(context, experiment, kept, at, gutter, height);
  if (!is_long) return;
  ImGui::SetCursorScreenPos({at.x + gutter, ImGui::GetCursorScreenPos().y});
  const bool over_text = ImGui::IsMouseHoveringRect({at.x + gutter, at.y}, {at.x + gutter + room, at.y + height}) &&
                         ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
  show_scroll(context, kept, box, room - bar, whole, over_text);
}

void show_refusal(const Context& context, const Experiment& experiment, const EditorState& kept) {
  show_wrapped(context,
               tr_format("This text has {}; the window edits up to {}. Edit the file itself, {}: it is watched.",
                         view::bytes_text(kept.text.size()), view::bytes_text(kLargestEdited),
                         experiment.kernel().file.string()),
               Ink::Warning);
}

}  // namespace

bool lists_problems(const Experiment& experiment) { return !lines_with_problems(experiment).empty(); }

int show_problems(const Context& context, int experiment) {
  const Experiment& of = context.workspace->experiment(experiment);
  const Diagnostics& problems = of.problems();
  const bool of_program = lists_problems(of);
  int clicked = 0;
  for (size_t i = 0; i < std::min(problems.size(), kMostProblems); ++i) {
    const PushedId id(static_cast<int>(i));
    const Group group;
    const int line = of_program ? problems[i].at.line : 0;
    const std::string words = text_of(problems[i]);
    show_mark(context, false);
    show_wrapped(context, line > 0 ? tr_format("line {}: {}", line, words) : words, Ink::Text);
    if (ImGui::IsItemHovered() && line > 0) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsItemClicked()) clicked = line;
    context.note_widget(fmt::format("problem {}", i + 1));
  }
  if (problems.size() > kMostProblems)
    show_text(context, tr_format("and {} more", problems.size() - kMostProblems), Ink::Faint);
  return clicked;
}

void open_editor(const Context& context, int experiment, EditorState& kept, int line) {
  if (!starts_programs()) return;  // Nothing would run what is typed.
  const kernel::Kernel& kernel = context.workspace->experiment(experiment).kernel();
  take_text(kept, kernel.source);
  kept.kernel = kernel.name;
  take_original(context, kernel, kept);
  if (const session::Edit* const edit = context.workspace->edit_of(kernel.name)) kept.text = edit->text;
  kept.open = true;
  kept.find = {};
  kept.go_to = line;
}

std::optional<session::KeepEdit> text_to_keep(const EditorState& kept) {
  if (!kept.open || kept.text == kept.known) return std::nullopt;
  return session::KeepEdit{kept.kernel, {kept.text, kept.from}};
}

void show_newer_file(const Context& context, int experiment, EditorState& kept) {
  const session::Workspace& workspace = *context.workspace;
  const Experiment& of = workspace.experiment(experiment);
  const session::Edit* const edit = workspace.edit_of(of.kernel().name);
  if (!kept.open && !edit) return;
  session::Edit mine = kept.open ? session::Edit{kept.text, kept.from} : *edit;
  if (!workspace.is_newer_than(mine, of.kernel().name)) return;
  show_wrapped(context, tr_format("{} has changed since you began to edit.", of.kernel().file.filename().string()),
               Ink::Warning);
  context.note_place("newer file");
  if (show_chip(context, tr_later("Take the file"))) restore(context, of, kept);
  ImGui::SameLine();
  if (!show_chip(context, tr_later("Keep my edit"))) return;
  kept.from = mine.from = workspace.find(of.kernel().name)->source;
  context.send(session::KeepEdit{of.kernel().name, std::move(mine)});
}

void show_editor(const Context& context, int experiment, EditorState& kept) {
  const Experiment& of = context.workspace->experiment(experiment);
  if (of.kernel().name != kept.kernel) return put_aside(context, kept);
  follow(context, kept, of);
  show_newer_file(context, experiment, kept);
  show_buttons(context, of, kept);
  if (kept.shows_path) show_path(context, of);
  if (kept.text.size() > kLargestEdited) return show_refusal(context, of, kept);
  need_characters(context, kept.text);
  show_find(context, kept);
  show_text_box(context, of, kept);
  if (!has_failed(of)) return;
  const Child problems("problems");
  if (const int line = show_problems(context, experiment)) kept.go_to = line;
}

}  // namespace tilescope::ui
