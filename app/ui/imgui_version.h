#pragma once

#include <imgui.h>
#include <imgui_internal.h>

/// Everything in which Dear ImGui 1.86 (Debian 12) and later releases up to 1.92 differ for Tilescope.
namespace tilescope::ui {

/// 1.87 and later hand out key events over as many frames as each needs to be seen. Before, a key that went down and
/// up within one frame was lost.
inline constexpr bool kImGuiQueuesInput = IMGUI_VERSION_NUM >= 18700;

/// 1.92 and later make glyphs when they are needed, at every size. Before, the atlas held chosen glyphs of chosen
/// sizes.
inline constexpr bool kImGuiMakesGlyphs = IMGUI_VERSION_NUM >= 19200;

inline void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, font ? font->LegacySize : 0);
#else
  ImGui::PushFont(font);
#endif
}

inline bool begin_child(const char* id, ImVec2 size, bool border, ImGuiWindowFlags flags = 0) {
#if IMGUI_VERSION_NUM >= 19000
  return ImGui::BeginChild(id, size, border ? ImGuiChildFlags_Borders : ImGuiChildFlags_None, flags);
#else
  return ImGui::BeginChild(id, size, border, flags);
#endif
}

/// Whether the letter's key went down in this frame, or repeats.
inline bool letter_pressed(char letter) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'A')));
#else
  return ImGui::IsKeyPressed(letter);  // GLFW's codes of letters are their capitals.
#endif
}

/// -1 for the left arrow, 1 for the right one, 0 for neither.
inline int arrow_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return int{ImGui::IsKeyPressed(ImGuiKey_RightArrow)} - int{ImGui::IsKeyPressed(ImGuiKey_LeftArrow)};
#else
  return int{ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_RightArrow))} -
         int{ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_LeftArrow))};
#endif
}

inline bool escape_pressed() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(ImGuiKey_Escape);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
#endif
}

/// Makes `data` hold this one list.
inline void set_list(ImDrawData& data, ImDrawList*& list) {
#if IMGUI_VERSION_NUM >= 18980
  data.AddDrawList(list);
#else
  data.CmdLists = &list;
  data.CmdListsCount = 1;
  data.TotalIdxCount = list->IdxBuffer.Size;
  data.TotalVtxCount = list->VtxBuffer.Size;
#endif
#if IMGUI_VERSION_NUM >= 19200
  data.Textures = &ImGui::GetPlatformIO().Textures;
#endif
  data.Valid = true;
}

}  // namespace tilescope::ui
