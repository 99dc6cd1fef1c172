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

/// A picture that the user wants as a file.
struct SavedPicture {
  std::string name;  ///< "timeline"
  view::Picture picture;
  bool svg = false;      ///< Else PNG.
  std::string csv = {};  ///< Not empty: what the picture shows, as a table; that is written in its place.
};

/// What pictures are painted with, measured with and saved through.
struct PictureTools {
  FontBook* fonts = nullptr;
  draw::CellLayer* cells = nullptr;
  const view::TextMeasure* measure = nullptr;
  std::vector<SavedPicture>* saved = nullptr;  ///< Written after the frame.
  std::vector<SavedPicture>* shown = nullptr;  ///< Every picture of the frame goes here; null when nobody asks.
};

/// A widget that was shown in this frame, for the widget map: tests find the places to click by name.
struct WidgetPlace {
  std::string name;  ///< "parameter BM", "step forward", "line 42"
  view::Box box;     ///< In pixels of the window.
};

/// The ground of a panel.
struct Ground {
  view::Box box;  ///< In pixels of the window.
  view::Ink ink{};
};

/// What a panel gets each frame. It reads the workspace and leaves commands.
struct Context {
  const session::Workspace* workspace = nullptr;
  std::vector<Command>* commands = nullptr;                ///< Applied at the start of the next frame.
  const lesson::LessonRunner* lessons = nullptr;           ///< Null: no lessons.
  const measure::MeasurementService* measuring = nullptr;  ///< Null: no figures to plot.
  /// The languages to choose from; null: there is no choice.
  const std::vector<std::shared_ptr<const Language>>* languages = nullptr;
  const run::WorkCounter* counter = nullptr;  ///< Null: no bounds of other configurations than the one that is traced.
  const draw::Palette* palette = nullptr;
  Fonts fonts;
  const PictureTools* pictures = nullptr;  ///< Null: pictures take their room and answer to the mouse, unpainted.
  float scale = 1;                         ///< Of everything: user's scale times the display's.
  session::Target hover;                   ///< What the mouse was over in the last frame, in any panel.
  session::Target* hover_next = nullptr;   ///< A panel that the mouse is over writes here.
  bool* moving = nullptr;               ///< A panel that still moves by itself sets it: another frame follows at once.
  session::HiddenFacts hidden;          ///< What the open question of the lesson asks for.
  bool picks_line = false;              ///< It asks for a line of the program text: a click pins one.
  std::vector<std::string> emphasised;  ///< What the lesson's scene is about, while it is on show unchanged.
  std::vector<std::string> panels;      ///< On show beside the lesson; empty: all.
  std::vector<Ground>* grounds = nullptr;       ///< Painted below everything else; null: not at all.
  std::vector<WidgetPlace>* widgets = nullptr;  ///< Null when no map is wanted.

  /// Whether the lesson's step has the panel of this name on show; without a lesson every one is.
  bool is_on_show(std::string_view panel) const;
  void send(Command command) const { commands->push_back(std::move(command)); }
  /// Notes the item that ImGui made last.
  void note_widget(const std::string& name) const;
};

/// Whether one warp can be ahead of another, and how far is known.
bool may_leave_step(const analysis::Timeline& timeline);

/// Runs an experiment's focus: null scene where it has none to show.
view::Focus focus_of(const Context& context, int experiment);

}  // namespace tilescope::ui
