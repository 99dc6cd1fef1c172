#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/launch_form.h"

namespace tilescope::kernel {

/// A kernel from a file of the user's, and what was assumed where the file has no description.
struct Opened {
  Kernel kernel;
  std::optional<LaunchForm> form;            ///< The proposed description; none when NAME.toml was there.
  std::vector<std::string> entries;          ///< The kernels of a file without a description.
  std::vector<Message> assumed;              ///< What the proposal took for granted, a clause each.
  std::vector<std::string> references = {};  ///< Of those `entries` that take the same arguments, to compare with.
};

/// What the user says besides.
struct OpenWith {
  std::string entry;                                   ///< The kernel, "tile<16>"; empty: what the description says.
  std::vector<std::filesystem::path> include_folders;  ///< Where headers are read beside the file's own folder.
  bool propose = false;                                ///< Even where a description is there.
};

/// Gives a kernel of the user's that is called as one of the catalogue its file's whole name.
void set_apart(Kernel& kernel, const Catalogue& catalogue);

/// Where the description of a kernel's file is: NAME.toml beside it.
std::filesystem::path description_file(const Kernel& kernel);
/// Whether it is there.
bool has_description(const Kernel& kernel);

/// Opens NAME.cu with NAME.toml beside it, or with a proposed description where there is none. A kernel that stands in
/// a header which the file includes is opened from there, with the launches of the file.
Result<Opened> open_file(const std::filesystem::path& file, const OpenWith& with = {});

/// Opens a .cu file that is described as `lender` is. Its kernel is `with.entry`, else the file's only one; of a
/// template what is called as a parameter of the lender's gets that one's value, and the rest is as the file launches
/// it. A parameter that is an extent of the lender's block begins at what the file launches. Errors: the file has no
/// such kernel, or several and none is named, or no value for a parameter of a template.
Result<Kernel> open_like(const std::filesystem::path& file, const Kernel& lender, const OpenWith& with = {});

}  // namespace tilescope::kernel
