#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"
#include "draw/palette.h"
#include "view/picture.h"

namespace tilescope::draw {

class CellProgram;

/// What is painted on. Places are in points of the window; the framebuffer has `density` pixels a point.
struct Surface {
  float width = 0, height = 0;  ///< Points.
  float density = 1;
};

/// The grids of cells of one frame. Each is one rectangle: its fragment shader finds the cell of a pixel and reads the
/// cell's colour from a texture that all grids of the frame share. So a grid costs one draw call and its pixels,
/// however many cells it has (an instance a cell would cost a quad each: 65536 for a 256 x 256 matrix, most of them
/// smaller than the quads of 2 x 2 pixels that GPUs and software renderers shade). Edges of cells fall on whole pixels.
class CellLayer {
 public:
  struct Grid {
    CellLayer* layer = nullptr;
    view::Box box;  ///< Points of the window.
    uint32_t rows = 0, columns = 0;
    float gap = 0;       ///< Points.
    uint32_t first = 0;  ///< Of its colours in the frame's.
  };

  CellLayer();
  ~CellLayer();
  CellLayer(const CellLayer&) = delete;
  CellLayer& operator=(const CellLayer&) = delete;

  /// Makes the GL objects in the current context from data_folder()/shaders. Without it everything but paint() works.
  Result<std::monostate> create_program();
  /// Ends them, while their context is still current.
  void destroy_program();

  /// Forgets the grids of the last frame.
  void clear();
  /// Notes a grid at `box`. The result stays until clear(). Null when there is nothing to paint, or when the colours
  /// are not rows * columns.
  Grid* add(const view::Cells& cells, const view::Box& box, float gap, const Palette& palette);
  const std::vector<Rgba>& colours() const { return colours_; }

  /// Paints one grid inside `clip` (points) into the framebuffer that is bound; leaves other GL state behind than it
  /// found. Does nothing without a program.
  void paint(const Grid& grid, const view::Box& clip);
  /// What paint() paints on.
  void set_surface(const Surface& surface) { surface_ = surface; }

 private:
  std::deque<Grid> grids_;
  std::vector<Rgba> colours_;
  Surface surface_;
  bool uploaded_ = false;
  std::unique_ptr<CellProgram> program_;
};

}  // namespace tilescope::draw
