#pragma once

#include <vector>

#include "kernel/configuration.h"

namespace tilescope::kernel {

/// The defaults, then each preset that differs from what is there; every parameter is named.
std::vector<Settings> preset_settings(const Description& description);

/// What one slider reaches from each of preset_settings(), those themselves left out; legal or not.
std::vector<Settings> slider_settings(const Description& description);

/// As configure() decides, which for an illegal combination also looks for the nearest legal one: far too long where
/// many are tried.
bool is_legal(const Description& description, const Settings& settings, const Size& size);

}  // namespace tilescope::kernel
