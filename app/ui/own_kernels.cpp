#include "ui/own_kernels.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "kernel/catalogue.h"

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

std::string opened_title(const kernel::Kernel& kernel) {
  return fmt::format("{}  {}", kernel.file.filename().string(), kernel.description.title);
}

std::vector<Command> commands_to(const kernel::Kernel& opened) {
  return {session::Command(session::ChooseKernel{opened.name}),
          session::Command(session::SetSize{kernel::default_size(opened.description)})};
}

}  // namespace tilescope::ui
