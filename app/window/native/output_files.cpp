#include "window/output_files.h"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

fs::path home() {
  const char* value = std::getenv("HOME");
  return value ? value : "";
}

/// XDG_PICTURES_DIR of the user's user-dirs.dirs; empty if there is none.
fs::path pictures_folder() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const Result<std::string> text =
      read_file((config && *config ? fs::path(config) : home() / ".config") / "user-dirs.dirs");
  const std::string key = "XDG_PICTURES_DIR=\"";
  const size_t begin = text ? text->find("\n" + key) : std::string::npos;
  if (begin == std::string::npos) return {};
  std::string value = text->substr(begin + 1 + key.size());
  value.resize(std::min(value.find('"'), value.size()));
  return value.starts_with("$HOME/") ? home() / value.substr(6) : fs::path(value);
}

bool can_write(const fs::path& folder) { return !folder.empty() && ::access(folder.c_str(), W_OK) == 0; }

fs::path output_folder() {
  std::error_code none;
  for (const fs::path& folder : {pictures_folder(), fs::current_path(none)})
    if (can_write(folder)) return folder;
  return home();
}

}  // namespace

fs::path new_file(const std::string& name, const char* extension) {
  const fs::path folder = output_folder();
  const std::string stem = "tilescope-" + name;
  std::error_code none;
  fs::path file = folder / fmt::format("{}.{}", stem, extension);
  for (int number = 2; fs::exists(file, none); ++number)
    file = folder / fmt::format("{}-{}.{}", stem, number, extension);
  return file;
}

void hand_over(const fs::path&) {}

}  // namespace tilescope::window
