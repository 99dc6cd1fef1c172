#include "store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"

namespace tilescope::store {
namespace fs = std::filesystem;
namespace {

constexpr int kApplicationId = 0x54696c65;  // "Tile"
constexpr int kSchema = 1;
constexpr int kBusyMilliseconds = 2000;

constexpr const char* kCreate = R"(
  CREATE TABLE measurement (
    id INTEGER PRIMARY KEY,
    device TEXT NOT NULL, kernel TEXT NOT NULL, kernel_hash TEXT NOT NULL, params TEXT NOT NULL,
    m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,
    math TEXT NOT NULL, toolkit TEXT NOT NULL, hot INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX by_subject ON measurement (device, kernel, kernel_hash, params, m, n, k, math, toolkit, hot);
)";

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

void bind_subject(SQLite::Statement& statement, const Subject& subject) {
  int at = 0;
  for (const std::string& text : {subject.device, subject.kernel, subject.kernel_hash, params_text(subject.params)})
    statement.bind(++at, text);
  for (const int64_t extent : {subject.m, subject.n, subject.k}) statement.bind(++at, extent);
  statement.bind(++at, subject.math);
  statement.bind(++at, subject.toolkit);
  statement.bind(++at, subject.hot ? 1 : 0);
}

/// Nullopt for an unreadable row, one written by hand.
std::optional<Measurement> read_row(const SQLite::Column& column) {
  const Result<nlohmann::ordered_json> json = parse_json(column.getString());
  if (!json) return std::nullopt;
  Result<Measurement> measurement = from_json(*json);
  if (!measurement) return std::nullopt;
  return std::move(*measurement);
}

/// "measurements.db.damaged", "measurements.db.damaged-2", ...: the first that is free.
fs::path free_name(const fs::path& file) {
  fs::path result = file;
  result += ".damaged";
  std::error_code ignored;
  for (int i = 2; fs::exists(result, ignored); ++i) {
    result = file;
    result += fmt::format(".damaged-{}", i);
  }
  return result;
}

enum class Access { Read, Write };

/// One attempt to open a file.
struct Opening {
  enum class Kind { Ready, Absent, Damaged, Refused };
  Kind kind = Kind::Ready;
  Message reason;
  std::unique_ptr<SQLite::Database> database;
};
using Kind = Opening::Kind;

/// SQLITE_ERROR: a table or a column is missing. SQLITE_READONLY of a writable file: its header says so.
bool means_damage(const SQLite::Exception& problem, const fs::path& file) {
  const int code = problem.getErrorCode();
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT || code == SQLITE_ERROR ||
         (code == SQLITE_READONLY && ::access(file.c_str(), W_OK) == 0);
}

/// Makes the tables in a new file; the ids and the tables together or not at all.
void create_tables(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (pragma(database, "user_version") != 0) return;  // Another process was first.
  database.exec(kCreate);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

bool is_new(SQLite::Database& database) {
  return pragma(database, "application_id") == 0 && pragma(database, "user_version") == 0 &&
         database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
}

bool has_our_table(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_master WHERE name = 'measurement'").getInt() > 0;
}

Opening examine(std::unique_ptr<SQLite::Database> database, Access access) {
  const std::string check = database->execAndGet("PRAGMA quick_check(1)").getString();
  if (check != "ok") return {Kind::Damaged, Message(check), nullptr};
  if (is_new(*database)) {
    if (access == Access::Read) return {Kind::Absent, {}, nullptr};
    create_tables(*database);
  }
  if (pragma(*database, "application_id") != kApplicationId)
    return {has_our_table(*database) ? Kind::Damaged : Kind::Refused, Message("it belongs to another program"),
            nullptr};
  if (const int version = pragma(*database, "user_version"); version != kSchema)
    return {Kind::Refused, Message("its version is {}; this Tilescope knows {}", version, kSchema), nullptr};
  // A table is missing although the pages are valid, or SQLite considers the file read-only.
  database->execAndGet("SELECT count(*) FROM measurement WHERE id = 0");
  if (access == Access::Write) SQLite::Transaction(*database, SQLite::TransactionBehavior::IMMEDIATE);
  return {Kind::Ready, {}, std::move(database)};
}

// For reading, too, the file is opened for writing if allowed: this undoes half-written changes of a killed process.
Opening try_open(const fs::path& file, Access access) {
  std::error_code ignored;
  if (access == Access::Read && !fs::exists(file, ignored)) return {Kind::Absent, {}, nullptr};
  try {
    const int flags = SQLite::OPEN_READWRITE | (access == Access::Write ? SQLite::OPEN_CREATE : 0);
    auto database = std::make_unique<SQLite::Database>(file.string(), flags, kBusyMilliseconds);
    if (access == Access::Write) database->exec("PRAGMA journal_mode = DELETE");
    return examine(std::move(database), access);
  } catch (const SQLite::Exception& problem) {
    return {means_damage(problem, file) ? Kind::Damaged : Kind::Refused, Message(problem.what()), nullptr};
  }
}

Diagnostic unusable(const fs::path& file, const Message& reason) {
  return error(Message("{} cannot be used: {}. Set TILESCOPE_STORE to another file.", file.string(), reason));
}

/// Prevents other threads and processes from making or moving a file of the folder, as long as it exists.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Moves the file and its journal out of the way; false on failure.
bool set_aside(const fs::path& file, const fs::path& target) {
  std::error_code problem;
  fs::rename(file, target, problem);
  if (problem) return false;
  // The journal belongs to the damaged file: a new one must not be rolled back with it.
  fs::path journal = file, kept = target;
  journal += "-journal";
  kept += "-journal";
  std::error_code ignored;
  fs::rename(journal, kept, ignored);
  return true;
}

/// Opens the file to write, or a new one in place of a damaged one, which is kept; `notes` says so. One thread or
/// process at a time: what one is making must not look damaged to another.
Opening open_or_replace(const fs::path& file, Diagnostics& notes) {
  const FolderLock lock(file.parent_path());
  Opening opening = try_open(file, Access::Write);
  if (opening.kind != Kind::Damaged) return opening;
  const fs::path kept = free_name(file);
  if (!set_aside(file, kept))
    return {Kind::Refused, Message("it is damaged ({}) and cannot be renamed", opening.reason), nullptr};
  notes.push_back(error(Message("{} is damaged ({}). It was kept as {}, and a new one was started.", file.string(),
                                opening.reason, kept.filename().string())));
  notes.back().severity = Severity::Warning;
  return try_open(file, Access::Write);
}

}  // namespace

Store::Store(fs::path file) : file_(std::move(file)) {}
Store::~Store() = default;

Result<std::monostate> Store::open_to_read() {
  if (database_ || file_.empty()) return std::monostate{};
  Opening opening = try_open(file_, Access::Read);
  if (opening.kind == Kind::Damaged)
    return error(
        Message("{} is damaged ({}), so what was measured before is not known. The next measurement that is kept moves "
                "it aside and starts a new one.",
                file_.string(), opening.reason));
  if (opening.kind == Kind::Refused) return unusable(file_, opening.reason);
  database_ = std::move(opening.database);
  return std::monostate{};
}

Result<Kept> Store::open_to_write() {
  Kept kept;
  if (database_ && writes_) return kept;
  database_.reset();
  std::error_code problem;
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), problem);
  if (problem) return unusable(file_, Message("the folder cannot be made: {}", problem.message()));
  Opening opening = open_or_replace(file_, kept.notes);
  if (opening.kind != Kind::Ready) return unusable(file_, opening.reason);
  database_ = std::move(opening.database);
  writes_ = true;
  return kept;
}

Result<Kept> Store::add(const Measurement& measurement) {
  if (file_.empty()) return Kept{};
  const auto lost = [](const Message& why) { return error(Message("The measurement was not kept: {}", why)); };
  const Result<Kept> opened = open_to_write();
  if (!opened) return lost(opened.errors().front().message);
  try {
    SQLite::Statement statement(*database_,
                                "INSERT INTO measurement (device, kernel, kernel_hash, params, m, n, k, math, toolkit, "
                                "hot, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_subject(statement, measurement.subject);
    statement.bind(11, to_json(measurement).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    statement.exec();
    return opened;
  } catch (const SQLite::Exception& problem) {
    database_.reset();  // Reopening examines it.
    return lost(unusable(file_, problem.what()).message);
  }
}

Result<std::optional<Measurement>> Store::find(const Subject& subject) {
  if (const Result<std::monostate> opened = open_to_read(); !opened) return opened.errors();
  if (!database_) return std::optional<Measurement>();
  try {
    SQLite::Statement statement(*database_,
                                "SELECT json FROM measurement WHERE device = ? AND kernel = ? AND kernel_hash = ? AND "
                                "params = ? AND m = ? AND n = ? AND k = ? AND math = ? AND toolkit = ? AND hot = ? "
                                "ORDER BY id DESC LIMIT 1");
    bind_subject(statement, subject);
    if (!statement.executeStep()) return std::optional<Measurement>();
    return read_row(statement.getColumn(0));
  } catch (const SQLite::Exception& problem) {
    return unusable(file_, problem.what());
  }
}

Result<std::vector<Measurement>> Store::all() {
  if (const Result<std::monostate> opened = open_to_read(); !opened) return opened.errors();
  std::vector<Measurement> result;
  if (!database_) return result;
  try {
    SQLite::Statement statement(*database_, "SELECT json FROM measurement ORDER BY id");
    while (statement.executeStep())
      if (std::optional<Measurement> row = read_row(statement.getColumn(0))) result.push_back(std::move(*row));
    return result;
  } catch (const SQLite::Exception& problem) {
    return unusable(file_, problem.what());
  }
}

fs::path default_store_file() {
  if (const char* file = std::getenv("TILESCOPE_STORE"); file && *file) return file;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
    return fs::path(data) / "tilescope/measurements.db";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".local/share/tilescope/measurements.db";
  return {};
}

}  // namespace tilescope::store
