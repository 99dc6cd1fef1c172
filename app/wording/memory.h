#pragma once

#include <string>

#include "base/memory.h"

namespace tilescope::wording {

/// "shared memory"
std::string memory_name(Space space);
/// "shared memory at 0x40"
std::string address_name(Space space, uint64_t address);

}  // namespace tilescope::wording
