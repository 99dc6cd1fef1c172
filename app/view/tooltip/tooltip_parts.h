#pragma once

#include <cstdint>
#include <string>

#include "view/lane_uses.h"
#include "view/tooltip/tooltip.h"

/// The tooltips of each kind of target; nothing for one that the traced block does not have.
namespace tilescope::view {

TooltipText element_tooltip(const session::Target& target, const Focus& focus, ElementUses& uses);
TooltipText lane_tooltip(const session::Target& target, const Focus& focus);
TooltipText warp_tooltip(const session::Target& target, const Focus& focus);
TooltipText block_tooltip(const session::Target& target, const Focus& focus);
TooltipText step_tooltip(const session::Target& target, const Focus& focus);
TooltipText line_tooltip(const session::Target& target, const Focus& focus);
TooltipText ptx_tooltip(const session::Target& target, const Focus& focus);
TooltipText sector_tooltip(const session::Target& target, const Focus& focus);
TooltipText bank_tooltip(const session::Target& target, const Focus& focus);
TooltipText parameter_tooltip(const session::Target& target, const Focus& focus);

constexpr LaneUse::How kHows[] = {LaneUse::How::Reads, LaneUse::How::Writes, LaneUse::How::Uses, LaneUse::How::Adds};

/// The array of an element; null if the traced block does not have that element.
const run::TracedArray* array_of(const run::TracedBlock& traced, const session::Target& element);
/// "block (1, 0)"
std::string block_name(const run::RunResult& traced, uint32_t block);
/// Of the whole grid if it has been counted.
const run::RunResult& result_of(const Focus& focus);

}  // namespace tilescope::view
