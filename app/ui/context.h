#pragma once

#include <vector>

#include "session/workspace.h"
#include "view/focus.h"
#include "view/picture.h"

struct ImFont;

namespace tilescope::draw {
struct Palette;
}

namespace tilescope::ui {

/// The fonts of the window; each may be null before they are loaded, which means ImGui's own.
struct Fonts {
  ImFont* text = nullptr;   ///< 14 px at scale 1
  ImFont* bold = nullptr;   ///< 14 px
  ImFont* title = nullptr;  ///< 22 px, bold
  ImFont* mono = nullptr;   ///< 13 px
};

/// A widget that was shown in this frame, for the widget map: tests find the places to click by name.
struct WidgetPlace {
  std::string name;  ///< "parameter BM", "step forward", "line 42"
  view::Box box;     ///< In pixels of the window.
};

/// What a panel gets each frame. It reads the workspace and leaves commands.
struct Context {
  const session::Workspace* workspace = nullptr;
  std::vector<session::Command>* commands = nullptr;  ///< Applied at the start of the next frame.
  const draw::Palette* palette = nullptr;
  Fonts fonts;
  float scale = 1;               ///< Of everything: user's scale times the display's.
  session::Target hover;         ///< What the mouse was over in the last frame, in any panel.
  session::Target* hover_next = nullptr;  ///< A panel that the mouse is over writes here.
  std::vector<WidgetPlace>* widgets = nullptr;  ///< Null when no map is wanted.

  void send(session::Command command) const { commands->push_back(std::move(command)); }
  /// Notes the item that ImGui made last.
  void note_widget(const std::string& name) const;
};

/// Runs an experiment's focus: null scene where it has none to show.
view::Focus focus_of(const Context& context, int experiment);

}  // namespace tilescope::ui
