#include "ui/own_kernels.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "kernel/open_file.h"

namespace tilescope::ui {
namespace fs = std::filesystem;

const std::vector<fs::path>& example_files() {
  static const std::vector<fs::path> files = [] {
    std::vector<fs::path> found;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(data_folder() / "examples", none))
      if (entry.path().extension() == ".cu") found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }();
  return files;
}

std::string opened_title(const session::Workspace& workspace, const kernel::Kernel& kernel) {
  const std::string path = kernel::full_path(kernel);
  fs::path shown = kernel.file.filename();
  const auto is_ambiguous = [&] {
    return std::ranges::any_of(workspace.state().opened, [&](const std::string& other) {
      return other != path && other.ends_with("/" + shown.string());
    });
  };
  for (fs::path folder = fs::path(path).parent_path(); is_ambiguous() && folder.has_filename();
       folder = folder.parent_path())
    shown = folder.filename() / shown;
  return fmt::format("{}  {}", shown.string(), kernel.description.title);
}

}  // namespace tilescope::ui
