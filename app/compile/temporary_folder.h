#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/result.h"

namespace tilescope::compile {

/// A folder accessible only to this user, removed with its contents by the destructor.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code problem;
    std::string path = (std::filesystem::temp_directory_path(problem) / "tilescope-XXXXXX").string();
    if (!::mkdtemp(path.data())) return error(Message("The folder {} cannot be made: {}.", path, std::strerror(errno)));
    return TemporaryFolder(std::move(path));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace tilescope::compile
