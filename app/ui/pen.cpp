#include "ui/pen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui_internal.h>

#include "draw/palette.h"
#include "ui/scoped.h"

namespace tilescope::ui {
namespace {
using view::Ink;

constexpr float kThick = 4, kLightPart = 0.16f, kDark = 0.72f;
constexpr float kLeastMove = 2;  ///< Pixels between the points of a stroke.

void take_stroke(PenState& kept) {
  const ImVec2 mouse = ImGui::GetMousePos();
  if (ImGui::IsItemActivated()) kept.strokes.emplace_back();
  if (!ImGui::IsItemActive() || kept.strokes.empty()) return;
  std::vector<ImVec2>& stroke = kept.strokes.back();
  if (stroke.empty() || std::hypot(mouse.x - stroke.back().x, mouse.y - stroke.back().y) >= kLeastMove)
    stroke.push_back(mouse);
}

/// A window over all others, so that no other takes the mouse.
void show_paper(const Context& context, PenState& kept) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowFocus();
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const Window window("##paper", ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground);
  ImGui::InvisibleButton("paper", size);
  context.note_place("paper");
  take_stroke(kept);
}

/// A ring so thick that it reaches all corners, over all windows but the card of what the mouse points at.
void darken() {
  const ImVec2 mouse = ImGui::GetMousePos(), size = ImGui::GetIO().DisplaySize;
  if (!ImGui::IsMousePosValid(&mouse)) return;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const Window window("##light", ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoInputs |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  const float radius = std::min(size.x, size.y) * kLightPart, thick = 2 * (size.x + size.y);
  const ImU32 dark = IM_COL32(0, 0, 0, static_cast<int>(255 * kDark));
  ImGui::GetWindowDrawList()->AddCircle(mouse, radius + thick / 2, dark, 96, thick);
}

}  // namespace

bool PenState::clear() {
  const bool any = draws || light || !strokes.empty();
  *this = {};
  return any;
}

void show_pen(const Context& context, PenState& kept, bool types) {
  if (kept.draws && !types) show_paper(context, kept);
  if (kept.light) darken();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImU32 colour = (*context.palette)({Ink::Accent});
  for (const std::vector<ImVec2>& stroke : kept.strokes)
    list.AddPolyline(stroke.data(), static_cast<int>(stroke.size()), colour, 0, kThick * context.scale);
  if (!kept.draws) return;
  list.AddCircleFilled(ImGui::GetMousePos(), kThick * context.scale, colour);
}

}  // namespace tilescope::ui
