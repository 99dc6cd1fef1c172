#include "ui/style.h"

#include <imgui.h>

namespace tilescope::ui {
namespace {
using view::Ink;

void set_sizes(ImGuiStyle& style) {
  style.WindowPadding = {16, 14};
  style.FramePadding = {10, 5};
  style.ItemSpacing = {10, 8};
  style.ItemInnerSpacing = {8, 6};
  style.WindowRounding = 0;
  style.ChildRounding = 0;
  style.FrameRounding = 5;
  style.PopupRounding = 6;
  style.GrabRounding = 8;
  style.ScrollbarRounding = 6;
  style.TabRounding = 4;
  style.ScrollbarSize = 10;
  style.GrabMinSize = 14;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 1;
  style.WindowMinSize = {1, 1};
}

class Colours {
 public:
  Colours(ImGuiStyle& style, const draw::Palette& palette) : style_(style), palette_(palette) {}
  void set(ImGuiCol slot, Ink ink, float strength = 1) {
    style_.Colors[slot] = ImGui::ColorConvertU32ToFloat4(palette_({ink, strength}));
  }

 private:
  ImGuiStyle& style_;
  const draw::Palette& palette_;
};

void set_grounds(Colours colours) {
  colours.set(ImGuiCol_Text, Ink::Text);
  colours.set(ImGuiCol_TextDisabled, Ink::Faint);
  colours.set(ImGuiCol_WindowBg, Ink::Panel);
  colours.set(ImGuiCol_ChildBg, Ink::Panel, 0);
  colours.set(ImGuiCol_PopupBg, Ink::Raised);
  colours.set(ImGuiCol_Border, Ink::Faint, 0.7f);
  colours.set(ImGuiCol_BorderShadow, Ink::Line, 0);
  colours.set(ImGuiCol_MenuBarBg, Ink::Panel);
  colours.set(ImGuiCol_Separator, Ink::Line);
  colours.set(ImGuiCol_ModalWindowDimBg, Ink::Window, 0.6f);
  colours.set(ImGuiCol_TextSelectedBg, Ink::LoadGlobal, 0.35f);
  colours.set(ImGuiCol_NavHighlight, Ink::Accent);
  colours.set(ImGuiCol_TableBorderLight, Ink::Line, 0.5f);
  colours.set(ImGuiCol_TableBorderStrong, Ink::Line);
  colours.set(ImGuiCol_TableHeaderBg, Ink::Raised);
  colours.set(ImGuiCol_TableRowBg, Ink::Panel, 0);
  colours.set(ImGuiCol_TableRowBgAlt, Ink::Raised, 0.3f);
}

void set_controls(Colours colours) {
  colours.set(ImGuiCol_FrameBg, Ink::Raised);
  colours.set(ImGuiCol_FrameBgHovered, Ink::Line, 0.8f);
  colours.set(ImGuiCol_FrameBgActive, Ink::Line);
  colours.set(ImGuiCol_Button, Ink::Raised);
  colours.set(ImGuiCol_ButtonHovered, Ink::Line, 0.8f);
  colours.set(ImGuiCol_ButtonActive, Ink::Line);
  colours.set(ImGuiCol_Header, Ink::Line, 0.5f);
  colours.set(ImGuiCol_HeaderHovered, Ink::Line, 0.8f);
  colours.set(ImGuiCol_HeaderActive, Ink::Line);
  colours.set(ImGuiCol_CheckMark, Ink::Accent);
  colours.set(ImGuiCol_SliderGrab, Ink::Strong);
  colours.set(ImGuiCol_SliderGrabActive, Ink::Accent);
  colours.set(ImGuiCol_Tab, Ink::Panel);
  colours.set(ImGuiCol_TabHovered, Ink::Line, 0.8f);
  colours.set(ImGuiCol_TabActive, Ink::Raised);
  colours.set(ImGuiCol_ScrollbarBg, Ink::Panel, 0);
  colours.set(ImGuiCol_ScrollbarGrab, Ink::Line);
  colours.set(ImGuiCol_ScrollbarGrabHovered, Ink::Faint);
  colours.set(ImGuiCol_ScrollbarGrabActive, Ink::Faint);
  colours.set(ImGuiCol_ResizeGrip, Ink::Line, 0);
}

}  // namespace

void apply_style(const draw::Palette& palette, float scale) {
  ImGuiStyle style;
  set_sizes(style);
  style.ScaleAllSizes(scale);
  set_grounds({style, palette});
  set_controls({style, palette});
  ImGui::GetStyle() = style;
}

}  // namespace tilescope::ui
