#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "draw/cell_layer.h"
#include "draw/palette.h"
#include "draw/png.h"
#include "session/workspace.h"
#include "ui/context.h"
#include "ui/font_book.h"
#include "ui/text_measure.h"

struct ImGuiContext;

namespace tilescope::window {

/// The results of one frame.
struct FrameResult {
  std::vector<ui::Command> commands;
  std::vector<ui::WidgetPlace> widgets;
  std::vector<ui::NamedPicture> shown;  ///< All of the frame's pictures, if requested.
  bool again = false;                   ///< The next frame will look different: a hover changed, or glyphs are missing.
};

/// ImGui, the fonts and the GL objects of the window. Paints frames into the bound framebuffer; independent of who made
/// the GL context and of the source of ImGui's input.
class Painter {
 public:
  /// `settings_file`: where ImGui keeps its own settings; empty: nowhere. `woken`: called on another thread when new
  /// glyphs are ready; if empty they are made at once, and the frame waits. A GL context is current, now and in
  /// every call.
  static Result<std::unique_ptr<Painter>> create(const std::filesystem::path& settings_file,
                                                 std::function<void()> woken = {});
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// Theme and scale from the next frame on. New fonts if the scale has changed.
  void set_look(const draw::Palette& palette, float scale);
  const draw::Palette& palette() const { return palette_; }
  float scale() const { return scale_; }
  ui::FontBook& fonts() { return *fonts_; }
  ui::FontMeasure& measure() { return measure_; }

  /// Before ImGui's own NewFrame: makes missing glyphs.
  void prepare();
  /// From now on each frame's result holds its pictures.
  void keep_pictures() { keeps_pictures_ = true; }
  /// Builds one frame: `show` makes the windows. `languages`: see ui::Context. Call it after ImGui's platform side
  /// knows size, time and input.
  FrameResult frame(const ui::Services& services, const std::vector<std::shared_ptr<const Language>>* languages,
                    const std::function<void(const ui::Context&)>& show);
  /// Paints the last built frame.
  void paint();
  /// A disc in the upper right corner of what is painted: the window is being filmed.
  void mark_filming();
  /// A picture by itself on the palette's background, at that scale. Not between NewFrame and Render.
  draw::Image image_of(const view::Picture& picture, const draw::Palette& palette, float scale);

 private:
  explicit Painter(ui::FontFiles fonts);
  void load_standard_fonts();
  bool make_glyphs();
  void install_fonts();
  void paint_grounds(int height, float density);

  std::unique_ptr<ui::FontBook> fonts_;
  ui::FontMeasure measure_;
  draw::CellLayer cells_;
  draw::Palette palette_;
  ui::Fonts standard_;
  float scale_ = 0;
  session::Target hover_;
  std::vector<ui::Ground> grounds_;  ///< Of the last built frame.
  std::string settings_file_;
  std::function<void()> woken_;
  bool renderer_ = false, keeps_pictures_ = false, has_all_glyphs_ = false;
  bool has_objects_ = false;  ///< The backend has its shaders and buffers.
};

}  // namespace tilescope::window
