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

/// Which measurements. What is empty or absent does not restrict.
struct Filter {
  std::string device = {};
  std::string kernel = {};
  std::string kernel_hash = {};
  std::optional<int64_t> size = {};  ///< m = n = k.
};
bool matches(const Filter& filter, const Measurement& measurement);

/// The measurements made on this machine, in one SQLite file. Every call either succeeds whole or leaves the file as it
/// was, also when the process is killed. One object serves one thread; several may have the file open.
class Store {
 public:
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  /// Adds it, whether or not its subject has been measured before.
  Result<std::monostate> add(const Measurement& measurement);
  /// The newest of exactly this subject; nothing when it was never measured.
  Result<std::optional<Measurement>> find(const Subject& subject) const;
  /// All that match, the oldest first.
  Result<std::vector<Measurement>> query(const Filter& filter) const;

 private:
  friend struct Opening;
  explicit Store(std::unique_ptr<SQLite::Database> database);
  std::unique_ptr<SQLite::Database> database_;
};

/// A store, and what the user should know about how it was opened.
struct Opened {
  Store store;
  Diagnostics notes;  ///< "measurements.db is damaged (...). It was kept as ..., and a new one was started."
};

/// Opens the file or makes it, its folder too. A damaged file is kept under another name beside it, and a new one
/// started. Errors: the folder cannot be written; the file is another program's, or a newer Tilescope's.
Result<Opened> open_store(const std::filesystem::path& file);

/// $TILESCOPE_STORE, else $XDG_DATA_HOME/tilescope/measurements.db or ~/.local/share/tilescope/measurements.db.
/// Empty when none of them is set.
std::filesystem::path default_store_file();

/// What ships with the program: figures, and a diagnostic for each file that could not be read.
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
