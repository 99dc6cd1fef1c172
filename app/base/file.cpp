#include "base/file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace tilescope {
namespace fs = std::filesystem;

namespace {
constexpr std::streamsize kPartBytes = 1 << 16;
constexpr int kMostLinks = 40;

/// The file at the path, links followed. Errors: not a regular file.
Result<fs::path> file_to_replace(fs::path path) {
  std::error_code problem;
  const fs::file_status there = fs::status(path, problem);
  if (fs::exists(there) && !fs::is_regular_file(there))
    return error(Message("{}: not a regular file; name a file, or one that does not exist yet.", path.string()));
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, problem)); ++links) {
    if (links == kMostLinks) return error(Message("{}: links that lead to no file.", path.string()));
    path = path.parent_path() / fs::read_symlink(path, problem);
  }
  return path;
}

}  // namespace

Result<std::string> read_file(const fs::path& path, size_t limit_bytes) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (!fs::exists(status)) return error(Message("{}: no such file.", path.string()));
  if (!fs::is_regular_file(status)) return error(Message("{}: not a regular file.", path.string()));
  const auto size = fs::file_size(path, problem);
  if (!problem && size > limit_bytes)
    return error(Message("{}: {} bytes; the limit is {}.", path.string(), size, limit_bytes));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string content;
  std::vector<char> part(kPartBytes);
  while (stream.read(part.data(), kPartBytes), stream.gcount() > 0)
    content.append(part.data(), static_cast<size_t>(stream.gcount()));
  if (!stream.is_open() || stream.bad())
    return error(Message("{}: cannot be read: {}.", path.string(), std::strerror(errno)));
  return content;
}

Result<std::monostate> write_file(const fs::path& path, std::string_view content) {
  const Result<fs::path> target = file_to_replace(path);
  if (!target) return target.errors();
  const fs::path temporary = target->string() + fmt::format(".{}.tmp", ::getpid());
  errno = 0;
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  std::error_code problem;
  if (!stream) {
    const int reason = errno;
    fs::remove(temporary, problem);
    return error(Message("{}: cannot be written: {}.", path.string(), std::strerror(reason)));
  }
  fs::rename(temporary, *target, problem);
  if (problem) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return error(Message("{}: cannot be written: {}.", path.string(), problem.message()));
  }
  return std::monostate{};
}

fs::path cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return fs::path(xdg) / "tilescope";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "tilescope";
  return {};
}

fs::path data_folder() {
  if (const char* set = std::getenv("TILESCOPE_DATA"); set && *set) return set;
  std::error_code problem;
  fs::path folder = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "kernels", problem)) return folder;
    if (fs::is_directory(folder / "share/tilescope/kernels", problem)) return folder / "share/tilescope";
  }
  return TILESCOPE_SOURCE_DIR;
}

}  // namespace tilescope
