#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::source {

/// A text under the name by which it is included.
struct File {
  std::string name;
  std::string text;
  std::filesystem::path path;  ///< The file it was read from.
  bool operator==(const File&) const = default;
};

/// <name> or "name" of an #include line, without its marks; empty for other lines.
std::string_view included_name(std::string_view directive);

/// The kind of a header, by its name.
enum class HeaderKind {
  Device,   ///< CUDA's own, which the compiler finds.
  Library,  ///< Useful only to device code that says std:: or cub::, otherwise it costs time: <limits>, <cub/cub.cuh>.
  Host,     ///< Nothing in it is for device code: <iostream>, <cublas_v2.h>, <torch/extension.h>.
  Unknown,
};
HeaderKind header_kind(std::string_view name);

/// The name given to the text before an #include; the compiler reads it first.
constexpr const char* kContextHeader = "tilescope_context.h";

/// The text before the include of `headers[header]`: that in `text` and in the headers on the way, each with its open
/// conditions closed.
std::string context_of(const std::string& text, const std::vector<File>& headers, size_t header);

/// Whether an include's name leads above a folder: "../common.h".
bool leads_up(std::string_view name);

/// The author's own headers that `text` includes, and those that these include: files in `folder`, below it, or in one
/// of `more_folders` (given by the user) or below that; above it what is called a header and whose include leads there.
/// Links that lead out of a folder are not followed. At most 64, of 1 MiB each; missing ones are left out.
std::vector<File> read_headers(std::string_view text, const std::filesystem::path& folder,
                               const std::vector<std::filesystem::path>& more_folders);

}  // namespace tilescope::source
