#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/catalogue.h"
#include "kernel/launch_form.h"

namespace tilescope::kernel {

/// A kernel from a file of the user, and the assumptions if the file has no description.
struct Opened {
  Kernel kernel;
  std::optional<LaunchForm> form;            ///< The proposed description; nullopt if NAME.toml exists.
  std::vector<std::string> entries;          ///< The kernels of a file without a description.
  std::vector<Message> assumed;              ///< The assumptions of the proposal, a clause each.
  std::vector<std::string> references = {};  ///< Those `entries` with the same arguments, to compare with.
};

/// Further choices of the user.
struct OpenWith {
  std::string entry;                                   ///< The kernel, "tile<16>"; empty: the description's.
  std::vector<std::filesystem::path> include_folders;  ///< More folders with headers, besides the file's own.
  bool propose = false;                                ///< Even if there is a description.
};

/// Whether its name ends as those of CUDA sources do: .cu or .cuh.
bool is_kernel_file(const std::filesystem::path& file);

/// The absolute path of a kernel's file.
std::string full_path(const Kernel& kernel);

/// Gives an opened kernel a name of its own: one of the user's that of its path, for others may have the file's, and
/// one that comes with this program and whose name is also in the catalogue its file's full name.
void set_apart(Kernel& kernel, const Catalogue& catalogue);

/// Gives the kernel the description of a form's fields; its arrays keep their contents. Errors: the fields are no valid
/// one, and the kernel has the description that it had.
Diagnostics describe_by(Kernel& kernel, const LaunchForm& form);

/// Takes the form of that file that was filled in earlier in place of the proposed one, if it is a valid one of that
/// kernel with those arguments. `forms`: by the full paths of their files.
void take_form(Opened& opened, const std::map<std::string, LaunchForm>& forms);

/// The path of the description of a kernel's file: NAME.toml beside it.
std::filesystem::path description_file(const Kernel& kernel);

/// Opens NAME.cu with NAME.toml beside it, or with a proposed description if there is none. A kernel in an included
/// header is opened from there, with the launches of the file. A file that includes nothing, and that another one
/// beside it includes, is opened as a part of that one.
Result<Opened> open_file(const std::filesystem::path& file, const OpenWith& with = {});

/// Opens a .cu file that is described as `lender` is. Its kernel is `with.entry`, else the file's only one; of a
/// template what is called as a parameter of the lender's gets that one's value, and the rest is as the file launches
/// it. A parameter that is an extent of the lender's block begins at what the file launches. A reference is the
/// lender's. Errors: the file has no such kernel, or several and none is named, or no value for a parameter of a
/// template.
Result<Kernel> open_like(const std::filesystem::path& file, const Kernel& lender, const OpenWith& with = {});

}  // namespace tilescope::kernel
