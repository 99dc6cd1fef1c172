#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/block_accesses.h"
#include "view/focus.h"

/// Numbers and names as the window writes them.
namespace tilescope::view {

/// "As[3][5]".
std::string name_of(const run::TracedArray& array, uint64_t index);
/// "[0…31][5]": the rows and columns of a region.
std::string region_text(const run::Region& region);
/// "[1][0…63][0…15]": from the first to the last of each extent among the elements.
std::string elements_text(const run::TracedArray& array, const std::vector<uint64_t>& elements);
/// The name of a pass through the block's loop, one of analysis::Timeline::tiles(): "k-tile" if tiles of A or B are in
/// shared memory, "tile" if tiles of inputs of something other than a product are, else "round".
const char* tile_word(const run::BlockAccesses& accesses);
/// "8 KiB"; if not a whole number of its unit, with one digit: "8.5 KiB".
std::string bytes_text(uint64_t bytes);
/// How many lanes a mask has: "16 lanes".
std::string lanes_counted(uint32_t mask);
/// Lanes of a mask: "lane 3", "lanes 0 to 15", "lanes 0, 4, 8 and 12"; of more than four stretches "12 lanes".
std::string lanes_text(uint32_t mask);

/// "instruction 40 of 2 340", of those that the warp executes in the block; "instruction 40" while a question is about
/// counts.
std::string instruction_text(const Focus& focus, const analysis::StepRef& at);

/// In place of what a question covers, on the screen and on paper; where a later step's has it covered too, which that
/// is. `step` as session::HiddenFacts::asked_in() returns it.
std::string covered_text(int step);
/// The same in place of an access.
std::string covered_access_text(const session::HiddenFacts& hidden);

}  // namespace tilescope::view
