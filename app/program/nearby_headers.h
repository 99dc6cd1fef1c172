#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope::program {

/// A header that a source includes, and the folder that -I needs for it to be found.
struct NearbyHeader {
  std::string name;
  std::filesystem::path folder;
};

/// The headers that a text in `folder` includes and that are neither beside it nor in `known`, where a folder around it
/// or below one of these has them; of several the nearest.
std::vector<NearbyHeader> nearby_headers(const std::string& text, const std::filesystem::path& folder,
                                         const std::vector<std::filesystem::path>& known);

}  // namespace tilescope::program
