#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ui/context.h"

/// Kernels of the user's files, and the examples, where kernels are chosen.
namespace tilescope::ui {

/// The .cu files of the examples that ship, by name.
const std::vector<std::filesystem::path>& example_files();

/// The file of a kernel that was opened and its title: "scan.cu  Prefix sums"; with as many of its folders as tell it
/// from the other opened files of that name.
std::string opened_title(const session::Workspace& workspace, const kernel::Kernel& kernel);

}  // namespace tilescope::ui
