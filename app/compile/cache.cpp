#include "compile/cache.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"

namespace tilescope::compile {
namespace fs = std::filesystem;
namespace {

constexpr size_t kDigestBytes = 64;

struct Entry {
  fs::file_time_type written;
  uint64_t bytes;
  fs::path path;
};

// Another process may remove an entry at any moment; a missing entry has size 0.
std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    const uint64_t bytes = entry->file_size(gone);
    const auto written = entry->last_write_time(gone);
    if (!gone) entries.push_back({written, bytes, entry->path()});
  }
  return entries;
}

}  // namespace

std::optional<Record> Cache::find(const std::string& hash) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> content = read_file(path_of(hash));
  if (!content || content->size() < kDigestBytes) return std::nullopt;
  const std::string_view payload = std::string_view(*content).substr(kDigestBytes);
  if (sha256(payload) != std::string_view(*content).substr(0, kDigestBytes)) return std::nullopt;
  return decode(payload);
}

Result<std::monostate> Cache::store(const std::string& hash, const Record& record) {
  if (folder_.empty()) return error("neither XDG_CACHE_HOME nor HOME is set.");
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem) return error(folder_.string() + ": cannot be made: " + problem.message() + ".");
  const std::string payload = encode(record);
  const std::lock_guard lock(mutex_);
  auto written = write_file(path_of(hash), sha256(payload) + payload);
  if (written) make_room(kDigestBytes + payload.size());
  return written;
}

void Cache::make_room(uint64_t added_bytes) {
  if (total_bytes_ && (*total_bytes_ += added_bytes) <= limit_bytes_) return;
  std::vector<Entry> entries = entries_of(folder_);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.written < b.written; });
  total_bytes_ = 0;
  for (const Entry& entry : entries) *total_bytes_ += entry.bytes;
  for (const Entry& entry : entries) {
    if (*total_bytes_ <= limit_bytes_) return;
    std::error_code problem;
    if (fs::remove(entry.path, problem)) *total_bytes_ -= entry.bytes;
  }
}

}  // namespace tilescope::compile
