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

/// The surface. Places are in points of the window; the framebuffer has `density` pixels per point.
struct Surface {
  float width = 0, height = 0;  ///< Points.
  float density = 1;
};

/// Which grid of which picture: the same key means the same colours. Picture 0: unknown.
struct CellsKey {
  uint64_t picture = 0;  ///< view::Picture::serial
  size_t number = 0;     ///< Of the grid among the picture's shapes.
  bool operator==(const CellsKey&) const = default;
};

/// The grids of cells of one frame. Each is one rectangle: its fragment shader finds the cell of a pixel and reads the
/// cell's colour from a texture that all grids of the frame share. A grid in the same slot as in the last frame
/// keeps its colours there: only grids that changed are coloured and sent to the GPU. So a grid costs one draw call and
/// its pixels, however many cells it has (an instance a cell would cost a quad each: 65536 for a 256 x 256 matrix, most
/// of them smaller than the quads of 2 x 2 pixels that GPUs and software renderers shade). Edges of cells fall on whole
/// pixels.
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

  /// Makes the GL objects in the current context. Without it everything but paint() works.
  Result<std::monostate> create_program();
  /// Deletes them while their context is still current.
  void destroy_program();

  /// Begins a frame.
  void clear();
  /// Adds a grid at `box`. The result is valid until clear(). Null if there is nothing to paint, or if the colours are
  /// not rows * columns.
  Grid* add(const view::Cells& cells, const view::Box& box, float gap, const Palette& palette, CellsKey key = {});
  const std::vector<Rgba>& colours() const { return colours_; }

  /// Paints one grid inside `clip` (points) into the bound framebuffer; changes GL state. Does nothing without a
  /// program.
  void paint(const Grid& grid, const view::Box& clip);
  /// What paint() paints on.
  void set_surface(const Surface& surface) { surface_ = surface; }

 private:
  /// The colours of a grid among all colours.
  struct Slot {
    CellsKey key;
    size_t first = 0, count = 0;
  };
  Slot& next_slot(size_t count);
  void keep_slots(size_t count);

  std::deque<Grid> grids_;
  std::vector<Slot> slots_;  ///< Of this frame's grids, then those of the last frame not yet reused.
  std::vector<Rgba> colours_;
  Palette palette_;  ///< Of colours_.
  Surface surface_;
  size_t changed_begin_ = 0, changed_end_ = 0;  ///< Colours not yet on the GPU.
  std::unique_ptr<CellProgram> program_;
};

}  // namespace tilescope::draw
