#include "program/nearby_headers.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "source/headers.h"

namespace tilescope::program {
namespace fs = std::filesystem;
namespace {

constexpr int kLevels = 4;               ///< Folders around the source.
constexpr size_t kMostEntries = 20'000;  ///< Looked at below each.

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

/// "inc/a.h" is at the end of the path's components.
bool ends_with(const fs::path& path, const fs::path& name) {
  auto of_path = path.end();
  for (auto of_name = name.end(); of_name != name.begin();) {
    if (of_path == path.begin() || *--of_path != *--of_name) return false;
  }
  return true;
}

/// The path without the last components that `name` has.
fs::path without(fs::path path, const fs::path& name) {
  for (auto part = name.begin(); part != name.end(); ++part) path = path.parent_path();
  return path;
}

/// Gives those of the headers that are below `root` their folders, with the shortest path.
void find_below(const fs::path& root, std::vector<NearbyHeader>& headers) {
  size_t entries = 0;
  std::error_code problem;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && entry != fs::recursive_directory_iterator() && ++entries < kMostEntries;
       entry.increment(problem)) {
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with('.')) entry.disable_recursion_pending();
    for (NearbyHeader& header : headers) {
      if (!ends_with(path, header.name) || !is_there(path)) continue;
      fs::path folder = without(path, header.name);
      if (header.folder.empty() || folder.native().size() < header.folder.native().size())
        header.folder = std::move(folder);
    }
  }
}

/// A folder that holds everything, in which a header is nobody's: not one of the source's.
bool is_common(const fs::path& folder) {
  return folder == folder.root_path() || folder.parent_path() == folder.root_path();
}

}  // namespace

std::vector<NearbyHeader> nearby_headers(const std::string& text, const fs::path& folder,
                                         const std::vector<fs::path>& known) {
  std::error_code ignored;
  const fs::path own = fs::weakly_canonical(folder.empty() ? "." : folder, ignored);
  std::vector<NearbyHeader> missing, found;
  for (const std::string& line : lines_of(text)) {
    const std::string name(source::included_name(line));
    const auto has = [&](const fs::path& place) { return is_there(place / name); };
    const bool is_own = name.find('.') != name.npos && !source::leads_up(name) && !fs::path(name).is_absolute();
    if (is_own && !has(own) && std::none_of(known.begin(), known.end(), has)) missing.push_back({name, {}});
  }
  fs::path place = own;
  for (int level = 0; level < kLevels && !missing.empty() && !is_common(place); ++level, place = place.parent_path()) {
    find_below(place, missing);
    const auto rest = std::partition(missing.begin(), missing.end(),
                                     [](const NearbyHeader& header) { return header.folder.empty(); });
    found.insert(found.end(), rest, missing.end());
    missing.erase(rest, missing.end());
  }
  return found;
}

}  // namespace tilescope::program
