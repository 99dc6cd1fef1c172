#pragma once

#include <string>
#include <vector>

#include "ui/command.h"
#include "view/focus.h"
#include "view/picture.h"

struct ImFont;

namespace tilescope {
struct Language;
}
namespace tilescope::draw {
class CellLayer;
struct Palette;
}  // namespace tilescope::draw

namespace tilescope::ui {

/// The fonts of the window; each may be null before they are loaded, which means ImGui's own.
struct Fonts {
  ImFont* text = nullptr;   ///< 14 px at scale 1
  ImFont* bold = nullptr;   ///< 14 px
  ImFont* title = nullptr;  ///< 22 px, bold
  ImFont* mono = nullptr;   ///< 13 px
};

class FontBook;
class KeyboardFocus;

struct NamedPicture {
  std::string name;  ///< "timeline"
  view::Picture picture;
};

/// What pictures are painted with and measured with.
struct PictureTools {
  FontBook* fonts = nullptr;
  draw::CellLayer* cells = nullptr;
  const view::TextMeasure* measure = nullptr;
  std::vector<NamedPicture>* shown = nullptr;  ///< Every picture of the frame goes here; null when nobody asks.
};

/// A widget shown in this frame, for the widget map: tests find the places to click by name.
struct WidgetPlace {
  std::string name;  ///< "parameter BM", "step forward", "line 42"
  view::Box box;     ///< In pixels of the window.
};

/// The background of a panel.
struct Ground {
  view::Box box;  ///< In pixels of the window.
  view::Ink ink{};
};

/// The input of a panel in each frame. It reads the workspace and emits commands.
struct Context {
  const session::Workspace* workspace = nullptr;
  std::vector<Command>* commands = nullptr;                ///< Applied at the start of the next frame.
  const lesson::LessonRunner* lessons = nullptr;           ///< Null: no lessons.
  const measure::MeasurementService* measuring = nullptr;  ///< Null: there are no figures to plot.
  /// The languages to choose from; null: there is no choice.
  const std::vector<std::shared_ptr<const Language>>* languages = nullptr;
  const run::WorkCounter* counter = nullptr;  ///< Null: no bounds of configurations other than the traced one.
  const session::LaunchList* launches = nullptr;        ///< Of the user's program; null: none was run.
  const draw::Palette* palette = nullptr;
  Fonts fonts;
  const PictureTools* pictures =
      nullptr;            ///< Null: pictures take their room and react to the mouse, but are not painted.
  float scale = 1;        ///< Of everything: user's scale times the display's.
  session::Target hover;  ///< The target under the mouse in the last frame, in any panel.
  session::Target* hover_next = nullptr;        ///< The panel under the mouse writes here; null: a dialog is above it.
  bool* moving = nullptr;                       ///< Set by a panel with an animation: another frame follows at once.
  session::HiddenFacts hidden;                  ///< The facts that the lesson's open question is about.
  bool picks_line = false;                      ///< The answer is a line of the program text: a click pins one.
  std::vector<std::string> emphasised;          ///< The subject of the lesson's scene, while it is shown unchanged.
  std::vector<std::string> panels;              ///< Shown beside the lesson; empty: all.
  bool on_paper = false;                        ///< A picture to print: nothing is shown that one can only press.
  std::vector<Ground>* grounds = nullptr;       ///< Painted below everything else; null: not at all.
  std::vector<WidgetPlace>* widgets = nullptr;  ///< Null when no map is wanted.

  KeyboardFocus* keyboard = nullptr;  ///< Null: Tab reaches nothing.

  /// Whether the lesson's step shows the panel of this name; without a lesson all are shown.
  bool is_on_show(std::string_view panel) const;
  void send(Command command) const { commands->push_back(std::move(command)); }
  /// The last ImGui item is a control: Tab reaches it, and the widget map has it.
  void note_widget(const std::string& name) const;
  /// For the widget map alone.
  void note_place(const std::string& name) const;
};

/// Whether one warp can be ahead of another by a known distance.
bool may_leave_step(const analysis::Timeline& timeline);

/// An experiment's focus, with a null traced block if it has none.
view::Focus focus_of(const Context& context, int experiment);

}  // namespace tilescope::ui
