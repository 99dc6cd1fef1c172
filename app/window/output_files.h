#pragma once

#include <filesystem>
#include <string>

namespace tilescope::window {

/// A file that does not exist yet: "tilescope-09_thread_tile_2d-timeline.png", with a number if that is taken. It
/// is in the user's folder for pictures, else in the current folder if that is writable, else in the home.
std::filesystem::path new_file(const std::string& name, const char* extension);

/// Gives the user a file that was written: in a browser as a download. Elsewhere it lies where it belongs.
void hand_over(const std::filesystem::path& file);

}  // namespace tilescope::window
