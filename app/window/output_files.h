#pragma once

#include <filesystem>
#include <string>

namespace tilescope::window {

/// A file that does not exist yet: "tilescope-09_thread_tile_2d-timeline.png", with a number if that is taken. It
/// is in the user's folder for pictures, else in the current folder if that is writable, else in the home.
std::filesystem::path new_file(const std::string& name, const char* extension);

}  // namespace tilescope::window
