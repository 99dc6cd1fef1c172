#include "view/tooltip/tooltip.h"

#include "base/words.h"
#include "view/tooltip/tooltip_parts.h"
#include "view/words.h"

namespace tilescope::view {

const run::TracedArray* array_of(const run::TracedBlock& traced, const session::Target& element) {
  const run::TracedArray* array = traced.accesses.find(element.space, element.array);
  const bool holds = array && element.index < array->rows * array->columns &&
                     array->allocation.contains(array->address_of(element.index));
  return holds ? array : nullptr;
}

std::string block_name(const run::RunResult& traced, uint32_t block) {
  return tr_format("block {}", position_text(position_in(traced.report.grid, block)));
}

const run::RunResult& result_of(const Focus& focus) {
  return focus.counted ? static_cast<const run::RunResult&>(*focus.counted) : *focus.traced;
}

TooltipText tooltip(const session::Target& target, const Focus& focus, ElementUses& uses) {
  using Kind = session::Target::Kind;
  switch (target.kind) {
    case Kind::None:
    case Kind::Word: return {};
    case Kind::Element: return element_tooltip(target, focus, uses);
    case Kind::Lane: return lane_tooltip(target, focus);
    case Kind::Warp: return warp_tooltip(target, focus);
    case Kind::Block: return block_tooltip(target, focus);
    case Kind::Step: return step_tooltip(target, focus);
    case Kind::SourceLine: return line_tooltip(target, focus);
    case Kind::PtxLine: return ptx_tooltip(target, focus);
    case Kind::Sector: return sector_tooltip(target, focus);
    case Kind::Bank: return bank_tooltip(target, focus);
    case Kind::Parameter: return parameter_tooltip(target, focus);
  }
  return {};
}

}  // namespace tilescope::view
