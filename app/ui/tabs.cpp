#include "ui/tabs.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "ui/explain.h"
#include "ui/scoped.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using view::Ink;

ImVec2 padded(const Context& context, ImVec2 text, float x, float y) {
  return {text.x + 2 * x * context.scale, text.y + 2 * y * context.scale};
}

/// The visible part of a word: "##" begins the hidden part of its name.
std::string seen(const std::string& word) { return tr(std::string_view(word).substr(0, word.find("##"))); }

std::string count_text(const Tab& tab) { return tab.count > 0 ? fmt::format(" {}", tab.count) : ""; }

float tab_width(const Tab& tab) { return ImGui::CalcTextSize((seen(tab.word) + count_text(tab)).c_str()).x; }

}  // namespace

int show_tabs(const Context& context, const char* prefix, const std::vector<Tab>& tabs, int chosen) {
  if (context.on_paper) {
    if (chosen >= 0 && static_cast<size_t>(chosen) < tabs.size())
      show_text(context, seen(tabs[static_cast<size_t>(chosen)].word), Ink::Strong);
    return -1;
  }
  int clicked = -1;
  const draw::Palette& palette = *context.palette;
  for (size_t i = 0; i < tabs.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, kBetweenTabs * context.scale);
    const std::string word = seen(tabs[i].word), count = count_text(tabs[i]);
    const ImVec2 size{tab_width(tabs[i]), ImGui::GetTextLineHeight()}, at = ImGui::GetCursorScreenPos();
    const float height = size.y + 8 * context.scale;
    const std::string id = std::string(prefix) + ' ' + tabs[i].word;
    if (ImGui::InvisibleButton(id.c_str(), {size.x, height})) clicked = static_cast<int>(i);
    context.note_widget(id);
    explain(context, id);
    const bool now = static_cast<int>(i) == chosen, hovered = ImGui::IsItemHovered();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddText(at, palette({now ? Ink::Strong : hovered ? Ink::Text : Ink::Faint}), word.c_str());
    if (!count.empty())
      list.AddText({at.x + size.x - ImGui::CalcTextSize(count.c_str()).x, at.y}, palette({Ink::Bad}), count.c_str());
    const float y = at.y + size.y + 4 * context.scale;
    if (now)
      list.AddRectFilled({at.x, y}, {at.x + size.x, y + 2.5f * context.scale}, palette({Ink::Accent}), context.scale);
  }
  return clicked;
}

float tabs_width(const Context& context, const std::vector<Tab>& tabs) {
  float width = 0;
  for (const Tab& tab : tabs) width += tab_width(tab) + kBetweenTabs * context.scale;
  return width - kBetweenTabs * context.scale;
}

ImVec2 chip_size(const Context& context, const std::string& word) {
  return padded(context, ImGui::CalcTextSize(seen(word).c_str()), 12, 4);
}

void flow(const Context& context, const std::string& word) {
  const float gap = 6 * context.scale, right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + gap + chip_size(context, word).x <= right) ImGui::SameLine(0, gap);
}

bool show_chip(const Context& context, const std::string& word, bool on) {
  return show_named_chip(context, word, seen(word), on);
}

bool show_named_chip(const Context& context, const std::string& name, const std::string& words, bool on) {
  const draw::Palette& palette = *context.palette;
  const ImVec2 text = ImGui::CalcTextSize(words.c_str()), size = padded(context, text, 12, 4);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(name.c_str(), size);
  if (context.on_paper) return false;
  context.note_widget(name.substr(0, name.find("##")));
  explain(context, name);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const float rounding = size.y / 2;
  if (on || hovered) list.AddRectFilled(at, end, palette({Ink::Raised, on ? 1 : 0.6f}), rounding);
  list.AddRect(at, end, palette({on ? Ink::Accent : Ink::Line}), rounding, 0, context.scale);
  list.AddText({at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2}, palette({on ? Ink::Strong : Ink::Text}),
               words.c_str());
  return clicked;
}

void draw_arrow_down(const Context& context, ImVec2 centre, view::Ink ink) {
  const float half = 5 * context.scale;
  ImGui::GetWindowDrawList()->AddTriangleFilled({centre.x - half, centre.y - half / 2},
                                                {centre.x + half, centre.y - half / 2}, {centre.x, centre.y + half / 2},
                                                (*context.palette)({ink}));
}

bool show_badge(const Context& context, const std::string& kind, const std::string& text, view::Ink ink, bool opens) {
  const draw::Palette& palette = *context.palette;
  const float gap = 8 * context.scale, arrow = opens ? 10 * context.scale : 0;
  const std::string word = seen(kind);
  const ImVec2 first = ImGui::CalcTextSize(word.c_str()), second = ImGui::CalcTextSize(text.c_str());
  const ImVec2 size = padded(context, {first.x + gap + second.x + (opens ? gap + arrow : 0), first.y}, 12, 4),
               at = ImGui::GetCursorScreenPos();
  bool clicked = false;
  if (opens) {
    clicked = ImGui::InvisibleButton(kind.c_str(), size);
    context.note_widget(kind);
    explain(context, kind);
    draw_arrow_down(context, {at.x + size.x - 12 * context.scale - arrow / 2, at.y + size.y / 2},
                    ImGui::IsItemHovered() ? view::Ink::Strong : view::Ink::Faint);
  } else {
    ImGui::Dummy(size);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRect(at, {at.x + size.x, at.y + size.y}, palette({Ink::Line}), size.y / 2, 0, context.scale);
  const float x = at.x + 12 * context.scale, y = at.y + 4 * context.scale;
  list.AddText({x, y}, palette({ink}), word.c_str());
  list.AddText({x + first.x + gap, y}, palette({Ink::Text}), text.c_str());
  return clicked;
}

}  // namespace tilescope::ui
