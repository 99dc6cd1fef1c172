#pragma once

#include <nlohmann/json.hpp>

#include "session/report.h"

namespace tilescope::session {

/// The object that docs/json.md describes. What is not known is null.
nlohmann::ordered_json to_json(const Report& report);

nlohmann::ordered_json to_json(const analysis::Finding& finding);

}  // namespace tilescope::session
