#include "store/store.h"

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

Diagnostic failure(const std::string& what, const std::exception& reason) {
  return error(Message("{}: {}.", what, reason.what()));
}

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

/// Nothing for a row that cannot be read: one written by hand.
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

}  // namespace

/// One attempt to open a file.
struct Opening {
  enum class Kind { Ready, Damaged, Refused };
  Kind kind = Kind::Ready;
  std::string reason;
  std::unique_ptr<SQLite::Database> database;

  static Store store(Opening opening) { return Store(std::move(opening.database)); }
};

namespace {
using Kind = Opening::Kind;

/// SQLITE_ERROR: a table or a column is not there. SQLITE_READONLY of a file that may be written: its header says so.
bool means_damage(const SQLite::Exception& problem, const fs::path& file) {
  const int code = problem.getErrorCode();
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT || code == SQLITE_ERROR ||
         (code == SQLITE_READONLY && ::access(file.c_str(), W_OK) == 0);
}

/// Makes the tables in a new file; the ids and they come to be together or not at all.
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

Opening examine(std::unique_ptr<SQLite::Database> database) {
  const std::string check = database->execAndGet("PRAGMA quick_check(1)").getString();
  if (check != "ok") return {Kind::Damaged, check, nullptr};
  if (is_new(*database)) create_tables(*database);
  if (pragma(*database, "application_id") != kApplicationId)
    return {has_our_table(*database) ? Kind::Damaged : Kind::Refused, "it belongs to another program", nullptr};
  if (const int version = pragma(*database, "user_version"); version != kSchema)
    return {Kind::Refused, fmt::format("its version is {}; this Tilescope knows {}", version, kSchema), nullptr};
  // A table that is gone although the pages are sound, or a file that SQLite takes for read-only.
  database->execAndGet("SELECT count(*) FROM measurement WHERE id = 0");
  const SQLite::Transaction writable(*database, SQLite::TransactionBehavior::IMMEDIATE);
  return {Kind::Ready, "", std::move(database)};
}

Opening try_open(const fs::path& file) {
  try {
    auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                                       kBusyMilliseconds);
    database->exec("PRAGMA journal_mode = DELETE");
    return examine(std::move(database));
  } catch (const SQLite::Exception& problem) {
    return {means_damage(problem, file) ? Kind::Damaged : Kind::Refused, problem.what(), nullptr};
  }
}

Diagnostic note(Message message) {
  Diagnostic result = error(std::move(message));
  result.severity = Severity::Warning;
  return result;
}

/// Moves the file and its journal out of the way; false when that cannot be done.
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

}  // namespace

Store::Store(std::unique_ptr<SQLite::Database> database) : database_(std::move(database)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Result<std::monostate> Store::add(const Measurement& measurement) {
  try {
    SQLite::Statement statement(*database_,
                                "INSERT INTO measurement (device, kernel, kernel_hash, params, m, n, k, math, toolkit, "
                                "hot, json) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_subject(statement, measurement.subject);
    statement.bind(11, to_json(measurement).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    statement.exec();
    return std::monostate{};
  } catch (const SQLite::Exception& problem) {
    return failure("The measurement could not be kept", problem);
  }
}

Result<std::optional<Measurement>> Store::find(const Subject& subject) const {
  try {
    SQLite::Statement statement(*database_,
                                "SELECT json FROM measurement WHERE device = ? AND kernel = ? AND kernel_hash = ? AND "
                                "params = ? AND m = ? AND n = ? AND k = ? AND math = ? AND toolkit = ? AND hot = ? "
                                "ORDER BY id DESC LIMIT 1");
    bind_subject(statement, subject);
    if (!statement.executeStep()) return std::optional<Measurement>();
    return read_row(statement.getColumn(0));
  } catch (const SQLite::Exception& problem) {
    return failure("The store could not be read", problem);
  }
}

Result<std::vector<Measurement>> Store::query(const Filter& filter) const {
  try {
    SQLite::Statement statement(*database_,
                                "SELECT json FROM measurement WHERE (?1 = '' OR device = ?1) AND (?2 = '' OR kernel = "
                                "?2) AND (?3 = '' OR kernel_hash = ?3) ORDER BY id");
    statement.bind(1, filter.device);
    statement.bind(2, filter.kernel);
    statement.bind(3, filter.kernel_hash);
    std::vector<Measurement> result;
    while (statement.executeStep())
      if (std::optional<Measurement> row = read_row(statement.getColumn(0)); row && matches(filter, *row))
        result.push_back(std::move(*row));
    return result;
  } catch (const SQLite::Exception& problem) {
    return failure("The store could not be read", problem);
  }
}

bool matches(const Filter& filter, const Measurement& measurement) {
  const Subject& subject = measurement.subject;
  return (filter.device.empty() || filter.device == subject.device) &&
         (filter.kernel.empty() || filter.kernel == subject.kernel) &&
         (filter.kernel_hash.empty() || filter.kernel_hash == subject.kernel_hash) &&
         (!filter.size || (subject.m == *filter.size && subject.n == *filter.size && subject.k == *filter.size));
}

Result<Opened> open_store(const fs::path& file) {
  std::error_code problem;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), problem);
  if (problem) return error(Message("{}: the folder cannot be made: {}.", file.string(), problem.message()));
  Opening opening = try_open(file);
  Diagnostics notes;
  if (opening.kind == Kind::Damaged) {
    const fs::path kept = free_name(file);
    if (!set_aside(file, kept))
      return error(Message("{} is damaged ({}) and cannot be renamed. Move it away.", file.string(), opening.reason));
    notes.push_back(note(Message("{} is damaged ({}). It was kept as {}, and a new one was started.", file.string(),
                                 opening.reason, kept.filename().string())));
    opening = try_open(file);
  }
  if (opening.kind != Kind::Ready)
    return error(Message("{} cannot be used: {}. Set TILESCOPE_STORE to another file.", file.string(), opening.reason));
  return Opened{Opening::store(std::move(opening)), std::move(notes)};
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
