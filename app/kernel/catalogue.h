#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.h"
#include "base/result.h"
#include "kernel/description.h"
#include "source/headers.h"

namespace tilescope::kernel {

/// A kernel's text and its description.
struct Kernel {
  int number = 0;              ///< 9 for 09_thread_tile_2d; 0 if the file's name does not begin with a number.
  std::string name;            ///< The file's name without .cu: "09_thread_tile_2d".
  std::filesystem::path file;  ///< The .cu.
  std::string source;
  Description description;
  std::vector<source::File> headers = {};  ///< The author's own that the source includes, from beside it.
  /// Whose file has the reference kernel; null: this one's own. A student's kernel is judged by the lesson's.
  std::shared_ptr<const Kernel> referee = nullptr;
  bool is_users = false;  ///< From a file of the user's, not one that ships.
};

/// The precision of a kernel's products: by the type of its A, and if that is f32, TF32 if the text has such
/// instructions or types (".tf32", "precision::tf32").
Precision precision_of(const Kernel& kernel);

/// Reads NAME.cu and NAME.toml beside it. If the .toml is missing the error names it and says how to start one.
Result<Kernel> load_kernel(const std::filesystem::path& cu_file);

/// The kernels of a folder.
struct Catalogue {
  std::vector<Kernel> kernels;  ///< By number, then by name.
  Diagnostics problems;         ///< Errors of unreadable kernels; the others are still there.
};
Catalogue load_catalogue(const std::filesystem::path& folder);

/// The kernel called by its number, its name or both: "9", "09", "thread_tile_2d", "09_thread_tile_2d".
/// Otherwise the error names the nearest ones.
Result<Kernel> find_kernel(const Catalogue& catalogue, std::string_view wanted);

/// A line of a source that lessons cite: one that ends in "// [name]".
struct Anchor {
  std::string name;
  int line = 0;  ///< From 1.
  bool operator==(const Anchor&) const = default;
};
std::vector<Anchor> find_anchors(std::string_view source);
/// The line of the anchor, or where no line is called so, the first that contains the name; from 1, 0: none.
int find_line(std::string_view source, std::string_view name);

}  // namespace tilescope::kernel
