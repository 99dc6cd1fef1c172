#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ui/context.h"

/// Kernels of the user's files, and the examples, where kernels are chosen.
namespace tilescope::ui {

/// The .cu files of the examples that ship, by name.
const std::vector<std::filesystem::path>& example_files();

/// The file of a kernel that was opened and its title: "scan.cu  Prefix sums".
std::string opened_title(const kernel::Kernel& kernel);
/// Shows a kernel that was opened before, with the user's changes, at its own size.
std::vector<Command> commands_to(const kernel::Kernel& opened);

}  // namespace tilescope::ui
