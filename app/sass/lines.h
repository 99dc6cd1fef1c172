#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sass {

/// A line of a text; 0 where it is not known.
struct TextLine {
  std::string file;  ///< Its last component; empty for PTX.
  uint32_t line = 0;
};

/// The line of each instruction of a kernel.
using LineTable = std::vector<TextLine>;

/// Of the PTX that ptxas assembled, from .nv_debug_line_sass: NVRTC and ptxas write it wherever the PTX has .loc lines.
/// Empty where the cubin has none. `instructions`: of the kernel.
LineTable ptx_lines(std::span<const uint8_t> cubin, std::string_view entry, size_t instructions);
/// Of the source, from .debug_line. An instruction that was inlined has the line of what was inlined.
LineTable source_lines(std::span<const uint8_t> cubin, std::string_view entry, size_t instructions);

}  // namespace tilescope::sass
