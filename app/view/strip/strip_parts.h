#pragma once

#include <string>

#include "analysis/warp_access.h"
#include "view/byte_range.h"
#include "view/focus.h"
#include "view/picture.h"

/// Common parts of all strips, and the two strips with their own files.
namespace tilescope::view {

inline bool has_lane(uint32_t mask, uint32_t lane) { return mask >> lane & 1; }

/// From `top` to `top + height`, across the picture.
struct Band {
  float top = 0, height = 0;
  float bottom() const { return top + height; }
  float middle() const { return top + height / 2; }
};

/// A strip being drawn: its sizes, its picture, and functions for the row of lanes and other common parts.
struct Strip {
  Strip(const Focus& focus, const Canvas& canvas);

  const Focus& focus;
  const Canvas& canvas;
  const ByteRange lit_bytes;  ///< Of the highlighted element.
  const float small;          ///< Size of most text.
  const float gutter;         ///< Width of the names at the left.
  const float cell;           ///< Width of a lane, and of a bank.
  Picture picture;

  float plot_width() const { return cell * trace::kLanes; }
  Box lane_box(const Band& lanes, uint32_t lane) const;
  float width(const std::string& text, Font font, float size) const;
  bool lit_lane(uint32_t lane) const;
  bool lit_lanes(uint32_t lanes) const;  ///< Any of them.
  /// The least step among 1, 2, 4, 8 and 16 at which two-digit numbers have room in cells of that width.
  uint32_t number_step(float cell) const;

  void text(Point at, const std::string& words, Colour colour, float size, Align horizontal,
            Align vertical = Align::Centre, Font font = Font::Text);
  /// In the gutter, flush right.
  /// `explains`: a word of the window that it is about, in English.
  void gutter_text(float y, const std::string& words, Ink ink, Font font = Font::Text, const char* explains = nullptr);
  void outline(const Box& box, Ink ink = Ink::Hover, float stroke = 2);
  void make_hot(const Box& box, session::Target target);  ///< Not for the target None.
  /// The lanes, `full` in their colours, those of `active` that are not `full` faint, the others hollow.
  void draw_lanes(const Band& lanes, uint32_t full, uint32_t active);
  /// On them. If numbers do not fit at a readable size, only every second, fourth, ... is shown.
  void number_lanes(const Band& lanes, uint32_t full, uint32_t active);
  /// A curve from a lane to its access, on a grey one so that the darkest and the brightest lanes are also visible.
  void link(Point from, Point to, uint32_t lane, bool lit);
};

session::Target lane_target(const Focus& focus, uint32_t lane);
session::Target sector_target(uint64_t address);
/// The element of an array at that address; None outside of arrays.
session::Target element_target(const run::TracedBlock& traced, Space space, uint64_t address);

/// Lanes above, the 128-byte lines that they access and their sectors below.
Picture global_strip(const Focus& focus, const Canvas& canvas, const analysis::WarpAccess& access);
/// Banks across, wavefronts down.
Picture shared_strip(const Focus& focus, const Canvas& canvas, const analysis::WarpAccess& access);

}  // namespace tilescope::view
