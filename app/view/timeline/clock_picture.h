#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/clock_run.h"
#include "view/picture.h"

namespace tilescope::view {

/// The shown clocks of a recording.
struct ClockView {
  int32_t first = 0, shown = 0;  ///< 0: all.
  int32_t axis = 0;              ///< Clocks of the whole axis, where another recording on it is longer.
  /// Of two on one axis the other one. The upper one has the legend of both, and the lower one none.
  const session::ClockRun* other = nullptr;
  bool lower = false;
  float text = 0;  ///< The height of the words; 0: as large as there is room for. The same for two on one axis.
  bool operator==(const ClockView&) const = default;
};
/// What a recording opens with: some clocks about that place.
ClockView opening_view(const clock::Recording& recording, const session::ClockPlace& place);
/// The view limited to the recording.
ClockView fitted(ClockView view, const clock::Recording& recording);
/// `factor` times as many clocks, about the clock at `part` (0 to 1) of the view.
ClockView zoomed(ClockView view, const clock::Recording& recording, float factor, float part);
ClockView panned(ClockView view, const clock::Recording& recording, int64_t by);
/// Moved to show that clock: just enough if it is in view and needs a little before and after it.
ClockView following(ClockView view, const clock::Recording& recording, int32_t clock);

/// Of a clock in which a warp waits for that reason, or of clocks in which warps issue. What slows the same kind of
/// instruction has its hue.
Colour colour_of(clock::Stall state);

/// A word of the legend, behind its colour; a title has none.
struct ClockLegendEntry {
  Point at;  ///< Its left end, in the middle of its line.
  std::string word;
  Colour colour;
  Box box;  ///< With its colour.
  std::optional<clock::Stall> reason;
  bool is_line = false;  ///< Not the colour of clocks, but of a line.
};
/// A part of the bar of reasons.
struct ClockReason {
  Box box;
  clock::Stall reason;
};

/// The layout of the picture: the legend, rows of the slots under their schedulers, and below them how busy the units
/// are. The legend has all kinds and reasons of the run, in view or not, on as many lines as they need. Where the rows
/// would have no room there are no units, and then no legend either.
struct ClockLayout {
  std::vector<ClockLegendEntry> legend;  ///< Empty for the lower one of two, too.
  Box ruler, plot, strips, bar;
  std::vector<ClockReason> reasons;    ///< The parts of the bar.
  float text = 0, pitch = 0, row = 0;  ///< From row to row, height of a row's cells.
  float group = 0;                     ///< From scheduler to scheduler.
  float warp_names = 0;                ///< The left end of the warps' numbers; those of blocks are left of it.
  uint32_t slots = 0;
  int32_t first = 0, shown = 1;
  int32_t clocks = 1;  ///< Of the whole axis.

  float x_of(double clock) const;
  int32_t clock_at(float x) const;
  float top_of(uint32_t slot) const;
  /// Nullopt outside of the rows.
  std::optional<session::ClockPlace> place_at(Point point) const;
  /// The unit whose use is shown there: as for unit_word().
  std::optional<size_t> unit_at(Point point) const;
  /// The reason that the bar or the legend has there.
  std::optional<clock::Stall> reason_at(Point point) const;
};
ClockLayout clock_layout(const session::ClockRun& run, const Canvas& canvas, const ClockView& view);

constexpr uint32_t kNoSlot = UINT32_MAX;

/// A row for each warp of the SM under its scheduler. A clock in which it issues has the colour of the instruction's
/// kind, one in which it waits that of the reason, paler; where clocks are narrower than a pixel, that of most of them.
/// A line under a row is a load from its issue until its data is there. Below: how busy the units are, and where warps
/// wait, over all of the simulation.
/// `slot`: the cursor's, whose loads are shown where there is no room for all; kNoSlot: the cursor is elsewhere.
Picture clock_picture(const session::ClockRun& run, const Canvas& canvas, const ClockView& view, uint32_t slot);
/// That picture with the cursor, and the place pointed at: cheap, as the rows stay.
Picture with_places(Picture picture, const session::ClockRun& run, const Canvas& canvas, const ClockView& view,
                    const session::ClockPlace& cursor, const std::optional<session::ClockPlace>& lit);

}  // namespace tilescope::view
