#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/measurement.h"

namespace SQLite {
class Database;
}

namespace tilescope::store {

/// Notes for the user about a kept measurement.
struct Kept {
  Diagnostics notes;  ///< "measurements.db is damaged (...). It was kept as ..., and a new one was started."
};

/// The measurements of this machine, in one SQLite file, which is opened when needed. Reading changes
/// nothing on the disk. Every call either succeeds whole or leaves the file as it was, also when the process is killed.
/// One object serves one thread; several may have the file open.
class Store {
 public:
  /// With an empty path nothing is kept or found.
  explicit Store(std::filesystem::path file);
  ~Store();

  /// Adds it, whether or not its subject has been measured before. Makes the file and its folder. A damaged file is
  /// kept under another name beside it, and a new one started. Errors: the file or its folder cannot be written; the
  /// file is another program's, or a newer Tilescope's.
  Result<Kept> add(const Measurement& measurement);
  /// The newest of exactly this subject; nullopt if it was never measured. Errors: a damaged file; another program's.
  Result<std::optional<Measurement>> find(const Subject& subject);
  /// All of them, the oldest first. The same errors.
  Result<std::vector<Measurement>> all();

 private:
  Result<std::monostate> open_to_read();
  Result<Kept> open_to_write();

  std::filesystem::path file_;
  std::unique_ptr<SQLite::Database> database_;  ///< Null before it is opened, and while there is no file.
  bool writes_ = false;                         ///< It was opened for writing.
};

/// $TILESCOPE_STORE, else $XDG_DATA_HOME/tilescope/measurements.db or ~/.local/share/tilescope/measurements.db.
/// Empty if none of them is set.
std::filesystem::path default_store_file();

/// The shipped figures, and a diagnostic for each unreadable file.
struct Shipped {
  std::vector<Measurement> measurements;
  Diagnostics problems;
};
/// Every .csv of the folder, Recorded, with the hardware counters of every .csv of its folder "counters". A missing
/// folder has none.
Shipped load_recordings(const std::filesystem::path& folder);
/// Every figure of published.toml, Published.
Shipped load_published(const std::filesystem::path& file);

}  // namespace tilescope::store
