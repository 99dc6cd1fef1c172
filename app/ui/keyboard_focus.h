#pragma once

#include <vector>

#include <imgui.h>

namespace tilescope::ui {

struct Context;

/// The control that the keyboard is on: Tab moves it in the order in which the controls are drawn, Enter and Space
/// press it. ImGui's own navigation takes the arrows, which step through the run here.
class KeyboardFocus {
 public:
  /// Once a frame, before anything is drawn. A click with the mouse ends it.
  void begin_frame();
  /// A control that was just drawn; the one in focus gets its ring, and is scrolled to.
  void note(const Context& context);
  /// To the next control, or with -1 to the one before.
  void move(int way);
  /// To that control.
  void take(ImGuiID control) { control_ = control, moved_ = true; }
  /// Presses the control, a field begins to take what is typed. False if none is in focus.
  bool press();
  /// False if none was in focus.
  bool clear();
  /// On another page the same control means something else: it loses the focus, unless its press turned the page.
  void turn_page();
  bool is_on(ImGuiID control) const { return control != 0 && control == control_; }

 private:
  struct Control {
    ImGuiID id = 0;
    bool is_field = false;
  };
  std::vector<Control> controls_, next_;  ///< Of the last frame, and of this one so far.
  ImGuiID control_ = 0;
  size_t place_ = 0;  ///< In the list, should the control be gone.
  bool moved_ = false;
  int pressed_ = 0;  ///< Frames in which a press has its effect.
};

}  // namespace tilescope::ui
