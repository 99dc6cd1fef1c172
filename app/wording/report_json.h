#pragma once

#include <nlohmann/json.hpp>

#include "run/report.h"

namespace tilescope::wording {

/// The object described in docs/json.md. Unknown values are null.
nlohmann::ordered_json to_json(const run::Report& report);
/// Its member `predicted`.
nlohmann::ordered_json to_json(const predict::Predicted& predicted);

}  // namespace tilescope::wording
