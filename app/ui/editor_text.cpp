#include "ui/editor_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "base/text.h"
#include "base/words.h"
#include "ui/explain.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "view/code/code_lines.h"

namespace tilescope::ui {
namespace {
using view::Ink;

/// The text box's lines on the screen.
struct TextPlace {
  const std::string& text;
  ImVec2 at;  ///< Where the first line begins.
  float line_height = 0;

  /// Upper left corner of a character.
  ImVec2 of(int offset) const {
    const int line = line_of(text, static_cast<size_t>(offset));
    const char* const begin = text.data() + offset_of_line(text, line);
    return {at.x + ImGui::CalcTextSize(begin, text.data() + offset).x,
            at.y + static_cast<float>(line - 1) * line_height};
  }
};

void go_to(FindState& find, int match) {
  find.match = match;
  find.wants_scroll = match >= 0;
}

/// The next match from there on, or before it; around the end of the text.
int next_match(const std::vector<int>& matches, int from, bool back) {
  if (matches.empty()) return -1;
  if (back) {
    const auto before = std::lower_bound(matches.begin(), matches.end(), from);
    return before == matches.begin() ? matches.back() : *std::prev(before);
  }
  const auto after = std::lower_bound(matches.begin(), matches.end(), from);
  return after == matches.end() ? matches.front() : *after;
}

// ImGui 1.86 has GLFW's codes of keys, which for letters are their capitals.
void open_on_key(EditorState& kept) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.KeyCtrl || io.KeyShift || !ImGui::IsKeyPressed('F')) return;
  kept.find.open = kept.find.wants_keyboard = true;
  const auto [begin, end] = kept.selected;
  const auto size = static_cast<int>(kept.text.size());
  const std::string selected =
      begin < end && end <= size ? kept.text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)) : "";
  if (!selected.empty() && selected.find('\n') == std::string::npos) kept.find.sought = selected;
}

void close_find(EditorState& kept) {
  kept.find.open = false;
  const auto length = static_cast<int>(kept.find.sought.size());
  kept.select =
      kept.find.match < 0 ? TextRange{kept.cursor, kept.cursor} : TextRange{kept.find.match, kept.find.match + length};
}

/// Scrolls the match into the middle of the text box.
void scroll_to_match(const Context& context, ImGuiWindow& box, const TextPlace& place, EditorState& kept) {
  if (!std::exchange(kept.find.wants_scroll, false) || kept.find.match < 0) return;
  const ImVec2 at = place.of(kept.find.match);
  const float x = at.x - place.at.x, y = at.y - place.at.y, width = box.InnerRect.GetWidth();
  ImGui::SetScrollY(&box, std::max(0.0f, y - box.InnerRect.GetHeight() / 2));
  kept.scroll = x < width * 0.8f ? 0 : x - width / 2;
  if (context.moving) *context.moving = true;
}

}  // namespace

size_t offset_of_line(const std::string& text, int line) {
  size_t at = 0;
  for (; line > 1 && at < text.size(); --line) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

std::string text_of_line(const std::string& text, int line) {
  const size_t begin = offset_of_line(text, line);
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

// Of a record ImGui calls what undo inserts again `insert_length`, and what it removes `delete_length`.
void join_undo(ImGuiInputTextState& state) {
  auto& undo = state.Stb.undostate;
  if (undo.undo_point < 2) return;
  auto &before = undo.undo_rec[undo.undo_point - 2], &last = undo.undo_rec[undo.undo_point - 1];
  const bool typed = before.insert_length == 0 && last.insert_length == 0 && last.delete_length == 1 &&
                     last.where == before.where + before.delete_length;
  const bool erased = before.delete_length == 0 && last.delete_length == 0 && last.insert_length == 1 &&
                      last.where == before.where - 1 && before.char_storage >= 0 &&
                      last.char_storage == before.char_storage + before.insert_length;
  if (typed && last.where > 0) {
    const ImWchar left = state.TextW[last.where - 1], right = state.TextW[last.where];
    if (right == '\n' || left == '\n' || (ImCharIsBlankW(left) && !ImCharIsBlankW(right))) return;
    ++before.delete_length;
  } else if (erased) {
    ImWchar* const erased_before = undo.undo_char + before.char_storage;
    ImWchar* const erased_last = undo.undo_char + last.char_storage;
    if (*erased_last == '\n' || ImCharIsBlankW(*erased_last) != ImCharIsBlankW(*erased_before)) return;
    std::rotate(erased_before, erased_last, erased_last + 1);
    --before.where, ++before.insert_length;
  } else {
    return;
  }
  --undo.undo_point;
}

int moved_line(const std::string& text, const std::string& edited, int line) {
  const std::string words = text_of_line(text, line);
  std::istringstream before(text.substr(0, offset_of_line(text, line))), lines(edited);
  int equal = 1, at = 1;
  for (std::string each; std::getline(before, each);) equal += each == words ? 1 : 0;
  for (std::string each; std::getline(lines, each); ++at)
    if (each == words && --equal == 0) return at;
  return 0;
}

std::pair<int, int> visible_lines(int lines, float scroll, float height) {
  const float line_height = ImGui::GetTextLineHeight();
  const int first = std::max(1, static_cast<int>(scroll / line_height));
  return {first, std::min(lines, first + static_cast<int>(height / line_height) + 1)};
}

std::vector<int> matches_of(std::string_view text, std::string_view sought) {
  const auto alike = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  std::vector<int> matches;
  if (sought.empty()) return matches;
  for (auto at = text.begin();; at += static_cast<std::ptrdiff_t>(sought.size())) {
    at = std::search(at, text.end(), sought.begin(), sought.end(), alike);
    if (at == text.end()) return matches;
    matches.push_back(static_cast<int>(at - text.begin()));
  }
}

void show_find(const Context& context, EditorState& kept) {
  FindState& find = kept.find;
  open_on_key(kept);
  if (!find.open) return;
  std::vector<int> matches = matches_of(kept.text, find.sought);
  const auto number = std::ranges::lower_bound(matches, find.match) - matches.begin() + 1;
  const std::string where = find.sought.empty() ? ""
                            : matches.empty()   ? tr("not found")
                            : find.match < 0    ? fmt::format("{}", matches.size())
                                                : tr_format("{} of {}", number, matches.size());
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - 90 * context.scale);
  if (std::exchange(find.wants_keyboard, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputTextWithHint(
      "##find", tr("Find"), &find.sought, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  context.note_widget("find in text");
  explain(context, "find in text");
  const bool left = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
  if (ImGui::IsItemEdited()) {
    matches = matches_of(kept.text, find.sought);
    go_to(find, next_match(matches, kept.cursor, false));
  }
  ImGui::SameLine();
  show_text(context, where, Ink::Faint);
  if (entered) {
    const bool back = ImGui::GetIO().KeyShift;
    go_to(find, next_match(matches, back ? find.match : find.match + 1, back));
    find.wants_keyboard = true;
  }
  if (left) close_find(kept);
}

float longest_line(const std::string& text) {
  std::string_view longest;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > longest.size()) longest = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
  }
  return ImGui::CalcTextSize(longest.data(), longest.data() + longest.size()).x;
}

// ImGui 1.86 scrolls a text box to the right by itself and shows no bar; once another field has the keyboard, it
// forgets how far.
void show_scroll(const Context& context, EditorState& kept, ImGuiID box, float width, float whole, bool over_text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetStyle().ScrollbarSize, most = std::max(1.0f, whole - width);
  const float handle = std::max(width * width / whole, 20 * context.scale), way = std::max(1.0f, width - handle);
  ImGui::InvisibleButton("##scroll", {width, height});
  context.note_widget("scroll of the text");
  const ImGuiIO& io = ImGui::GetIO();
  const float turned = ImGui::IsItemHovered() || over_text ? io.MouseWheelH + (io.KeyShift ? io.MouseWheel : 0) : 0;
  const float wheel = -turned * 40 * context.scale;
  const float dragged = ImGui::IsItemActive() ? ImGui::GetIO().MouseDelta.x * most / way : 0;
  kept.scroll = std::clamp(kept.scroll + dragged + wheel, 0.0f, most);
  if (ImGuiInputTextState* const state = ImGui::GetInputTextState(box)) state->ScrollX = kept.scroll;
  const bool is_held = ImGui::IsItemHovered() || ImGui::IsItemActive();
  const float left = at.x + kept.scroll / most * way, thick = height * 0.5f, top = at.y + (height - thick) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({left, top}, {left + handle, top + thick},
                                            ink(context, is_held ? Ink::Text : Ink::Faint, 0.6f), thick / 2);
}

void draw_text(const Context& context, const kernel::Kernel& kernel, EditorState& kept, bool active) {
  const ImGuiWindow& window = *ImGui::GetCurrentWindow();
  if (window.DC.ChildWindows.empty()) return;
  ImGuiWindow& box = *window.DC.ChildWindows.back();
  const PushedFont mono(context.fonts.mono);
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  const TextPlace place{kept.text,
                        {box.Pos.x + padding.x - kept.scroll, box.Pos.y + padding.y - box.Scroll.y},
                        ImGui::GetTextLineHeight()};
  if (kept.find.open) scroll_to_match(context, box, place, kept);
  // Not before ImGui has scrolled to the cursor itself.
  if (kept.reveals && !kept.select) {
    kept.reveals = false;
    ImGui::SetScrollY(&box, std::max(0.0f, place.of(kept.cursor).y - place.at.y - box.InnerRect.GetHeight() / 3));
    if (context.moving) *context.moving = true;
  }
  const auto lines = static_cast<int>(std::ranges::count(kept.text, '\n')) + 1;
  const auto [first, last] = visible_lines(lines, box.Scroll.y, box.Size.y);
  ImDrawList& list = *box.DrawList;
  list.PushClipRect(box.InnerRect.Min, box.InnerRect.Max, true);
  const auto begin = static_cast<int>(offset_of_line(kept.text, first)),
             end = static_cast<int>(offset_of_line(kept.text, last) + text_of_line(kept.text, last).size());
  if (kept.find.open)
    for (const int match : matches_of(kept.text, kept.find.sought)) {
      if (match < begin || match >= end) continue;
      const ImVec2 from = place.of(match), to = place.of(match + static_cast<int>(kept.find.sought.size()));
      list.AddRectFilled(from, {to.x, from.y + place.line_height}, ink(context, Ink::Accent, 0.28f));
      if (match == kept.find.match)
        list.AddRect(from, {to.x, from.y + place.line_height}, ink(context, Ink::Accent), 0, 0, 1.5f * context.scale);
    }
  const auto& traced = context.workspace->current().traced();
  view::ArrayInks arrays = traced ? view::array_inks(*traced) : view::ArrayInks();
  for (const kernel::Array& array : kernel.description.arrays) arrays.emplace(array.name, view::array_ink(array.name));
  std::vector<std::string> shown;
  for (int line = first; line <= last; ++line) shown.push_back(text_of_line(kept.text, line));
  const view::CodeText code = view::cuda_text(shown, arrays);
  for (size_t i = 0; i < shown.size(); ++i) {
    const char* const text = shown[i].data();
    const float y = place.at.y + (static_cast<float>(first - 1) + static_cast<float>(i)) * place.line_height;
    for (const view::Token& token : code.tokens[i])
      list.AddText({place.at.x + ImGui::CalcTextSize(text, text + token.begin).x, y}, ink(context, token.ink),
                   text + token.begin, text + token.end);
  }
  if (active) {
    const ImVec2 at = place.of(std::min(kept.cursor, static_cast<int>(kept.text.size())));
    list.AddLine(at, {at.x, at.y + place.line_height}, ink(context, Ink::Text), context.scale);
  }
  list.PopClipRect();
}

}  // namespace tilescope::ui
