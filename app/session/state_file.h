#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "session/state.h"

namespace tilescope::session {

/// A state as one small JSON object with a version. It names no folder of this machine: it opens anywhere.
std::string to_text(const State& state);

/// The error says what is damaged, or that a newer version wrote it.
Result<State> state_from(std::string_view text);

/// Reads a state file; the error names the file.
Result<State> load_state(const std::filesystem::path& file);

/// Writes the whole file or nothing, and creates its folder.
Result<std::monostate> save_state(const State& state, const std::filesystem::path& file);

}  // namespace tilescope::session
