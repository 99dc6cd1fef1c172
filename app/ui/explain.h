#pragma once

#include <string_view>

#include "base/words.h"
#include "ui/context.h"

namespace tilescope::ui {

/// Under the mouse, after half a second: what the last item does, and its key. `name`: as in the widget map; nothing if
/// the control explains itself.
void explain(const Context& context, std::string_view name);

/// What the control does, for the list of settings, too.
inline constexpr const char* kExploreDoes =
    tr_later("Hides the lesson and shows every panel; your place in the lesson is kept");

/// Whether a control of that name has an explanation.
bool is_explained(std::string_view name);

}  // namespace tilescope::ui
