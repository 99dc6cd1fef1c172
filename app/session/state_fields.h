#pragma once

#include "session/state.h"

namespace tilescope::session {

/// Where a state file and a link hold one member of a State.
struct StateField {
  const char* part;          ///< Of the file: "cursor", "view", or "": the state itself.
  const char* key;           ///< In that part.
  const char* word;          ///< Of a link.
  double low = 0, high = 0;  ///< Bounds of a number that has some.
};

/// What a name may be.
constexpr const auto& names_of(compile::Choice) { return compile::kChoices; }
constexpr const auto& names_of(Scale) { return kScales; }
constexpr const auto& names_of(WarpOrder) { return kOrders; }
constexpr const auto& names_of(analysis::Unit) { return analysis::kUnits; }
constexpr const auto& names_of(Theme) { return kThemes; }

/// Calls visit(StateField, member) for every member of a State that is one name, number, text or flag, apart from the
/// lesson: a file holds its folder's name, a link its number. `state`: a State or a const State.
template <class OneState, class Visit>
void for_each_field(OneState& state, Visit&& visit) {
  visit(StateField{"", "arch", "arch"}, state.arch);
  visit(StateField{"", "device", "device"}, state.device);
  visit(StateField{"", "compiler", "compiler"}, state.compiler);
  visit(StateField{"view", "scale", "view"}, state.scale);
  visit(StateField{"view", "order", "order"}, state.order);
  visit(StateField{"cursor", "warp", "warp"}, state.cursor.warp);
  visit(StateField{"cursor", "step", "at"}, state.cursor.step);
  visit(StateField{"cursor", "lane", "lane", 0, 31}, state.lane);
  visit(StateField{"view", "zoom", "zoom", 1e-3, 1e6}, state.zoom);
  visit(StateField{"view", "pan_x", "panx", -1e6, 1e6}, state.pan_x);
  visit(StateField{"view", "pan_y", "pany", -1e6, 1e6}, state.pan_y);
  visit(StateField{"view", "unit", "unit"}, state.unit);
  visit(StateField{"view", "speed", "speed", 1e-3, 1e6}, state.speed);
  visit(StateField{"view", "theme", "theme"}, state.theme);
  visit(StateField{"view", "language", "lang"}, state.language);
  visit(StateField{"", "exploring", "explore"}, state.exploring);
  visit(StateField{"view", "clock", "clock"}, state.clock);
  visit(StateField{"view", "present", "present"}, state.present);
  visit(StateField{"view", "still", "still"}, state.still);
  visit(StateField{"view", "ui_scale", "scale", 0.1, 16}, state.ui_scale);
}

}  // namespace tilescope::session
