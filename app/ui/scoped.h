#pragma once

#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_internal.h>

/// ImGui's Begin/End pairs as scopes: ended with the block on every path. ImGui asserts otherwise.
namespace tilescope::ui {

/// A window; the body runs in any case, its content may be skipped when !visible.
class Window {
 public:
  explicit Window(const char* name, ImGuiWindowFlags flags = 0, bool* open = nullptr)
      : visible_(ImGui::Begin(name, open, flags)) {}
  ~Window() { ImGui::End(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  explicit operator bool() const { return visible_; }

 private:
  bool visible_;
};

class Child {
 public:
  explicit Child(const char* id, ImVec2 size = {0, 0}, bool border = false, ImGuiWindowFlags flags = 0)
      : visible_(ImGui::BeginChild(id, size, border, flags)) {}
  ~Child() { ImGui::EndChild(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  explicit operator bool() const { return visible_; }

 private:
  bool visible_;
};

class Group {
 public:
  Group() { ImGui::BeginGroup(); }
  ~Group() { ImGui::EndGroup(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
};

class Tooltip {
 public:
  Tooltip() { ImGui::BeginTooltip(); }
  ~Tooltip() { ImGui::EndTooltip(); }
  Tooltip(const Tooltip&) = delete;
  Tooltip& operator=(const Tooltip&) = delete;
};

/// Null: the font stays.
class PushedFont {
 public:
  explicit PushedFont(ImFont* font) : pushed_(font != nullptr) {
    if (pushed_) ImGui::PushFont(font);
  }
  ~PushedFont() {
    if (pushed_) ImGui::PopFont();
  }
  PushedFont(const PushedFont&) = delete;
  PushedFont& operator=(const PushedFont&) = delete;

 private:
  bool pushed_;
};

class PushedId {
 public:
  explicit PushedId(const char* id) { ImGui::PushID(id); }
  explicit PushedId(int id) { ImGui::PushID(id); }
  ~PushedId() { ImGui::PopID(); }
  PushedId(const PushedId&) = delete;
  PushedId& operator=(const PushedId&) = delete;
};

class PushedColour {
 public:
  PushedColour(ImGuiCol slot, ImU32 colour) { ImGui::PushStyleColor(slot, colour); }
  ~PushedColour() { ImGui::PopStyleColor(); }
  PushedColour(const PushedColour&) = delete;
  PushedColour& operator=(const PushedColour&) = delete;
};

class PushedStyle {
 public:
  PushedStyle(ImGuiStyleVar slot, float value) { ImGui::PushStyleVar(slot, value); }
  PushedStyle(ImGuiStyleVar slot, ImVec2 value) { ImGui::PushStyleVar(slot, value); }
  ~PushedStyle() { ImGui::PopStyleVar(); }
  PushedStyle(const PushedStyle&) = delete;
  PushedStyle& operator=(const PushedStyle&) = delete;
};

/// A menu under the last item, above it in the lower half of the window. It opens when the item was clicked.
class Popup {
 public:
  Popup(const char* id, bool clicked, float scale)
      : padding_(ImGuiStyleVar_WindowPadding, ImVec2{12 * scale, 10 * scale}) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax(), display = ImGui::GetIO().DisplaySize;
    const float gap = 6 * scale;
    const bool above = from.y > display.y / 2, leftward = from.x > display.x / 2;
    if (clicked) ImGui::OpenPopup(id);
    ImGui::SetNextWindowPos({leftward ? to.x : from.x, above ? from.y - gap : to.y + gap}, ImGuiCond_Always,
                            {leftward ? 1.0f : 0.0f, above ? 1.0f : 0.0f});
    // What has no room scrolls.
    const float room = above ? from.y - gap : display.y - to.y - gap;
    ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, room - gap});
    open_ = ImGui::BeginPopup(id);
  }
  ~Popup() {
    if (open_) ImGui::EndPopup();
  }
  Popup(const Popup&) = delete;
  Popup& operator=(const Popup&) = delete;
  explicit operator bool() const { return open_; }

 private:
  PushedStyle padding_;
  bool open_ = false;
};

/// Text wraps at the right edge of the content.
class Wrapped {
 public:
  Wrapped() { ImGui::PushTextWrapPos(0.0f); }
  ~Wrapped() { ImGui::PopTextWrapPos(); }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;
};

/// The content of the current window ends that much earlier.
class RightMargin {
 public:
  explicit RightMargin(float width) : width_(width) { move(-width_); }
  ~RightMargin() { move(width_); }
  RightMargin(const RightMargin&) = delete;
  RightMargin& operator=(const RightMargin&) = delete;

 private:
  static void move(float by) {
    ImGuiWindow& window = *ImGui::GetCurrentWindow();
    window.ContentRegionRect.Max.x += by;
    window.WorkRect.Max.x += by;
  }
  float width_;
};

/// A key that ImGui does not see.
class HiddenKey {
 public:
  explicit HiddenKey(ImGuiKey key) : mapped_(ImGui::GetIO().KeyMap[key]), hidden_(std::exchange(mapped_, -1)) {}
  ~HiddenKey() { mapped_ = hidden_; }
  HiddenKey(const HiddenKey&) = delete;
  HiddenKey& operator=(const HiddenKey&) = delete;
  bool is_pressed() const { return ImGui::IsKeyPressed(hidden_); }

 private:
  int& mapped_;
  int hidden_;
};

class Disabled {
 public:
  explicit Disabled(bool disabled = true) { ImGui::BeginDisabled(disabled); }
  ~Disabled() { ImGui::EndDisabled(); }
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;
};

}  // namespace tilescope::ui
