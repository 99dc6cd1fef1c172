#pragma once

#include <nlohmann/json.hpp>

#include "session/report.h"

namespace tilescope::wording {

/// The object that docs/json.md describes. What is not known is null.
nlohmann::ordered_json to_json(const session::Report& report);

}  // namespace tilescope::wording
