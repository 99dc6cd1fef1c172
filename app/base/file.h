#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tilescope {

/// The contents of a regular file. An error names the file and the system's reason; a file larger than `limit_bytes` is
/// refused before it is read.
Result<std::string> read_file(const std::filesystem::path& path, size_t limit_bytes = size_t{64} << 20);

/// Writes the whole file or nothing: a temporary beside it, then a rename. An error leaves the old file unchanged.
/// Links are followed; anything other than a regular file, such as a device or a folder, is not written.
Result<std::monostate> write_file(const std::filesystem::path& path, std::string_view content);

/// The folder of the user's caches: $XDG_CACHE_HOME/tilescope or ~/.cache/tilescope; empty if neither is set.
std::filesystem::path cache_folder();

/// The folder that holds kernels/, lessons/ and assets/: $TILESCOPE_DATA, else the nearest folder above the
/// running program that has a kernels/ folder, else the source tree that the program was built from.
std::filesystem::path data_folder();

}  // namespace tilescope
