#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "compile/record.h"

namespace tilescope::compile {

/// Records on disk, one file each, named by a hash. A file holds the SHA-256 of its content and the content.
class Cache {
 public:
  /// `folder` may be empty or missing. The oldest entries are removed when the total exceeds `limit_bytes`.
  Cache(std::filesystem::path folder, uint64_t limit_bytes) : folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

  /// Also nullopt if the entry is truncated or altered.
  std::optional<Record> find(const std::string& hash) const;
  /// Stores all or nothing; the error says why nothing was kept.
  Result<std::monostate> store(const std::string& hash, const Record& record);

 private:
  std::filesystem::path path_of(const std::string& hash) const { return folder_ / (hash + ".entry"); }
  void make_room(uint64_t added_bytes);

  std::filesystem::path folder_;
  uint64_t limit_bytes_;
  std::mutex mutex_;
  std::optional<uint64_t> total_bytes_;  ///< As known to this process; unknown until the first entry is stored.
};

}  // namespace tilescope::compile
