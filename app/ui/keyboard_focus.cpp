#include "ui/keyboard_focus.h"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "draw/palette.h"
#include "ui/context.h"

namespace tilescope::ui {
namespace {

constexpr int kFramesOfAPress = 4;
constexpr float kRing = 2, kAround = 3, kRounding = 6;  // At a scale of 1.

bool has_popup() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

void draw_ring(const Context& context, const ImRect& item, const ImRect& clip) {
  const float around = kAround * context.scale;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.PushClipRect({clip.Min.x - around, clip.Min.y - around}, {clip.Max.x + around, clip.Max.y + around});
  list.AddRect({item.Min.x - around, item.Min.y - around}, {item.Max.x + around, item.Max.y + around},
               (*context.palette)({view::Ink::Accent}), kRounding * context.scale, 0, kRing * context.scale);
  list.PopClipRect();
}

}  // namespace

void KeyboardFocus::begin_frame() {
  controls_ = std::exchange(next_, {});
  pressed_ = std::max(0, pressed_ - 1);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) clear();
  const auto now = std::ranges::find(controls_, control_, &Control::id);
  if (now != controls_.end()) place_ = static_cast<size_t>(now - controls_.begin());
}

void KeyboardFocus::note(const Context& context) {
  const ImGuiLastItemData& item = GImGui->LastItemData;
  if (item.ID == 0 || (item.InFlags & ImGuiItemFlags_Disabled) || has_popup()) return;
  // Under a second name it is the same control.
  if (next_.empty() || next_.back().id != item.ID)
    next_.push_back({item.ID, (item.InFlags & ImGuiItemFlags_Inputable) != 0});
  if (item.ID != control_) return;
  const ImRect& clip = ImGui::GetCurrentWindow()->InnerClipRect;
  if (std::exchange(moved_, false) && !clip.Contains(item.Rect)) {
    ImGui::SetScrollFromPosY(item.Rect.GetCenter().y - ImGui::GetWindowPos().y);
    if (context.moving) *context.moving = true;
  }
  draw_ring(context, item.Rect, clip);
}

void KeyboardFocus::move(int way) {
  if (controls_.empty()) return;
  const size_t count = controls_.size();
  if (control_ == 0)
    place_ = way > 0 ? 0 : count - 1;
  else
    place_ = (std::min(place_, count - 1) + (way > 0 ? 1 : count - 1)) % count;
  control_ = controls_[place_].id;
  moved_ = true;
}

bool KeyboardFocus::press() {
  if (place_ >= controls_.size() || controls_[place_].id != control_) return false;
  ImGui::ActivateItem(control_);
  pressed_ = kFramesOfAPress;
  if (controls_[place_].is_field) GImGui->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
  return true;
}

bool KeyboardFocus::clear() { return std::exchange(control_, 0) != 0; }

void KeyboardFocus::turn_page() {
  if (pressed_ == 0) clear();
}

}  // namespace tilescope::ui
