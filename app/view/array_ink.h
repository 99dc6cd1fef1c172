#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "run/traced_block.h"
#include "view/picture.h"

/// The ink of an array, the same on the stage, in the program, in texts and in tooltips.
namespace tilescope::view {

/// Where nothing else is known: that of A, B or C if it is named after one of them ("As", "tileB"), else ArrayOther.
Ink array_ink(std::string_view name);
/// That of its side of the stage; at none, that of its name.
Ink array_ink(const run::TracedArray& array);

/// The inks of arrays by their names.
using ArrayInks = std::map<std::string, Ink, std::less<>>;
ArrayInks array_inks(const run::TracedBlock& traced);

}  // namespace tilescope::view
