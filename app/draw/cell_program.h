#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "draw/palette.h"
#include "view/picture.h"

namespace tilescope::draw {

/// The GL objects that paint grids of cells: program, texture of colours, vertex array. Its context is current
/// whenever a member is called.
class CellProgram {
 public:
  /// Compiles and links the shaders. The error quotes the driver.
  static Result<std::unique_ptr<CellProgram>> create();
  ~CellProgram();
  CellProgram(const CellProgram&) = delete;
  CellProgram& operator=(const CellProgram&) = delete;

  /// The colours of all grids of a frame, of which those from `begin` to `end` are new.
  void upload(const std::vector<Rgba>& colours, size_t begin, size_t end);

  /// In pixels of the framebuffer, y down.
  struct Draw {
    float width = 0, height = 0;  ///< Of the framebuffer.
    view::Box box, clip;
    uint32_t rows = 0, columns = 0;
    float gap = 0;
    uint32_t first = 0;
  };
  void draw(const Draw& draw);

 private:
  CellProgram() = default;
  void find_uniforms();

  uint32_t program_ = 0, vertex_array_ = 0, texture_ = 0;
  int texture_rows_ = 0;
  struct {
    int box = -1, viewport = -1, cells = -1, gap = -1, first = -1;
  } at_;
};

}  // namespace tilescope::draw
