#pragma once

#include <vector>

#include "kernel/configuration.h"

namespace tilescope::kernel {

/// The defaults, then each preset that differs from earlier ones; every parameter is named.
std::vector<Settings> preset_settings(const Description& description);

/// Every single-slider change from each of preset_settings(), except those themselves; legal or not.
std::vector<Settings> slider_settings(const Description& description);

/// Same decision as configure(), which for an illegal combination also searches the nearest legal one: too slow to try
/// many.
bool is_legal(const Description& description, const Settings& settings, const Size& size);

}  // namespace tilescope::kernel
