#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/number.h"
#include "base/turns.h"
#include "store/measurement.h"

namespace tilescope::store {
namespace {

using Row = std::vector<std::string>;

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + "\"";
}

/// Splits a text into rows of fields; the last row may lack its line end.
std::vector<Row> split(std::string_view text) {
  std::vector<Row> rows;
  Row row{""};
  bool in_quotes = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_quotes && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (in_quotes || (c != ',' && c != '\n' && c != '\r')) {
      row.back() += c;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      rows.push_back(std::exchange(row, {""}));
    }
  }
  if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
  return rows;
}

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

bool read_real(std::string_view text, double& value) {
  const std::optional<double> read = whole_number_of(text);
  value = read.value_or(0);
  return read.has_value();
}

bool read_flag(std::string_view text, bool& value) {
  value = text == "1";
  return text == "0" || text == "1";
}

bool read_params(std::string_view text, Subject& subject) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view item = text.substr(0, end);
    const size_t equals = item.find('=');
    int64_t value = 0;
    if (equals == 0 || equals == std::string_view::npos || !read_number(item.substr(equals + 1), value)) return false;
    subject.params.emplace_back(item.substr(0, equals), value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// A column: its name, how it is written, how it is read.
struct Column {
  const char* name;
  std::function<std::string(const Measurement&)> write;
  std::function<bool(std::string_view, Measurement&)> read;
};

Column text_column(const char* name, std::string& (*field)(Measurement&)) {
  return {name, [=](const Measurement& m) { return quoted(field(const_cast<Measurement&>(m))); },
          [=](std::string_view text, Measurement& m) {
            field(m) = text;
            return true;
          }};
}

Column real_column(const char* name, double& (*field)(Measurement&)) {
  return {name, [=](const Measurement& m) { return number(field(const_cast<Measurement&>(m))); },
          [=](std::string_view text, Measurement& m) { return read_real(text, field(m)); }};
}

template <class T>
Column whole_column(const char* name, T& (*field)(Measurement&)) {
  return {name, [=](const Measurement& m) { return std::to_string(field(const_cast<Measurement&>(m))); },
          [=](std::string_view text, Measurement& m) { return read_number(text, field(m)); }};
}

Column flag_column(const char* name, bool& (*field)(Measurement&)) {
  return {name, [=](const Measurement& m) { return std::string(field(const_cast<Measurement&>(m)) ? "1" : "0"); },
          [=](std::string_view text, Measurement& m) { return read_flag(text, field(m)); }};
}

/// A figure of the reference; empty if cuBLAS was not measured. `cublas` itself comes first and creates it.
Column reference_column(const char* name, double& (*field)(Reference&)) {
  return {name,
          [=](const Measurement& m) {
            return m.reference ? number(field(const_cast<Reference&>(*m.reference))) : std::string();
          },
          [=](std::string_view text, Measurement& m) {
            return m.reference ? read_real(text, field(*m.reference)) : text.empty();
          }};
}

Column reference_name_column() {
  return {"cublas", [](const Measurement& m) { return m.reference ? quoted(m.reference->name) : ""; },
          [](std::string_view text, Measurement& m) {
            if (!text.empty()) m.reference.emplace().name = text;
            return true;
          }};
}

Column params_column() {
  return {"params", [](const Measurement& m) { return quoted(params_text(m.subject.params)); },
          [](std::string_view text, Measurement& m) { return read_params(text, m.subject); }};
}

using M = Measurement;
using R = Reference;

const std::vector<Column>& columns() {
  static const std::vector<Column> all{
      text_column("device", [](M& m) -> std::string& { return m.subject.device; }),
      text_column("driver", [](M& m) -> std::string& { return m.driver; }),
      text_column("toolkit", [](M& m) -> std::string& { return m.subject.toolkit; }),
      text_column("date", [](M& m) -> std::string& { return m.date; }),
      text_column("kernel", [](M& m) -> std::string& { return m.subject.kernel; }),
      text_column("kernel_hash", [](M& m) -> std::string& { return m.subject.kernel_hash; }),
      params_column(),
      whole_column<int64_t>("m", [](M& m) -> int64_t& { return m.subject.m; }),
      whole_column<int64_t>("n", [](M& m) -> int64_t& { return m.subject.n; }),
      whole_column<int64_t>("k", [](M& m) -> int64_t& { return m.subject.k; }),
      text_column("math", [](M& m) -> std::string& { return m.subject.math; }),
      flag_column("hot", [](M& m) -> bool& { return m.subject.hot; }),
      real_column("clock_mhz", [](M& m) -> double& { return m.clock_mhz; }),
      real_column("seconds_low", [](M& m) -> double& { return m.seconds.low; }),
      real_column("seconds", [](M& m) -> double& { return m.seconds.median; }),
      real_column("seconds_high", [](M& m) -> double& { return m.seconds.high; }),
      real_column("gflops", [](M& m) -> double& { return m.gflops; }),
      reference_name_column(),
      reference_column("cublas_seconds_low", [](R& r) -> double& { return r.seconds.low; }),
      reference_column("cublas_seconds", [](R& r) -> double& { return r.seconds.median; }),
      reference_column("cublas_seconds_high", [](R& r) -> double& { return r.seconds.high; }),
      reference_column("relative_low", [](R& r) -> double& { return r.relative.low; }),
      reference_column("relative", [](R& r) -> double& { return r.relative.median; }),
      reference_column("relative_high", [](R& r) -> double& { return r.relative.high; }),
      real_column("noise", [](M& m) -> double& { return m.noise; }),
      flag_column("noisy", [](M& m) -> bool& { return m.is_noisy; }),
      whole_column<uint32_t>("samples", [](M& m) -> uint32_t& { return m.samples; }),
      whole_column<uint32_t>("dropped", [](M& m) -> uint32_t& { return m.dropped; }),
  };
  return all;
}

std::string header() {
  std::string line;
  for (const Column& column : columns()) line.append(line.empty() ? "" : ",").append(column.name);
  return line;
}

Diagnostic problem(const std::string& file, size_t line, std::string message) {
  return error_at({file, static_cast<int>(line), 0}, std::move(message));
}

Result<Measurement> read_row(const Row& row, const std::string& file, size_t line) {
  const std::vector<Column>& all = columns();
  if (row.size() != all.size())
    return problem(file, line, fmt::format("This line has {} fields; it must have {}.", row.size(), all.size()));
  Measurement result;
  for (size_t i = 0; i < row.size(); ++i)
    if (!all[i].read(row[i], result))
      return problem(file, line, fmt::format("\"{}\" is not a value of the column {}.", row[i], all[i].name));
  return result;
}

bool is_header(const Row& row) {
  const std::vector<Column>& all = columns();
  return std::equal(row.begin(), row.end(), all.begin(), all.end(),
                    [](const std::string& field, const Column& column) { return field == column.name; });
}

/// The columns that distinguish measurements, first in a table of counters.
const std::vector<Column>& subject_columns() {
  static const std::vector<Column> some = [] {
    std::vector<Column> chosen;
    for (const Column& column : columns()) {
      chosen.push_back(column);
      if (chosen.back().name == std::string_view("hot")) break;
    }
    return chosen;
  }();
  return some;
}

/// Those of the measurements that have counters, and the names of all counters.
struct Counted {
  std::vector<const Measurement*> rows;
  std::vector<std::string> names;
};

Counted counted_of(const std::vector<Measurement>& measurements) {
  Counted counted;
  for (const Measurement& measurement : measurements) {
    if (measurement.counters.empty()) continue;
    counted.rows.push_back(&measurement);
    for (const auto& [name, value] : measurement.counters)
      if (std::find(counted.names.begin(), counted.names.end(), name) == counted.names.end())
        counted.names.push_back(name);
  }
  return counted;
}

std::string counter_text(const Measurement& measurement, const std::string& name) {
  for (const auto& [other, value] : measurement.counters)
    if (other == name) return fmt::format("{:.12g}", value);
  return {};
}

/// The subject and the counters of a row.
Result<Measurement> read_counters_row(const Row& row, const Row& names, const std::string& file, size_t line) {
  const std::vector<Column>& subject = subject_columns();
  if (row.size() != names.size())
    return problem(file, line, fmt::format("This line has {} fields; it must have {}.", row.size(), names.size()));
  Measurement result;
  for (size_t i = 0; i < row.size(); ++i) {
    double value = 0;
    const bool is_read =
        i < subject.size() ? subject[i].read(row[i], result) : row[i].empty() || read_real(row[i], value);
    if (!is_read) return problem(file, line, fmt::format("\"{}\" is not a value of the column {}.", row[i], names[i]));
    if (i >= subject.size() && !row[i].empty()) result.counters.emplace_back(names[i], value);
  }
  return result;
}

}  // namespace

std::string counters_to_csv(const std::vector<Measurement>& measurements) {
  const Counted counted = counted_of(measurements);
  std::string text;
  for (const Column& column : subject_columns()) text.append(text.empty() ? "" : ",").append(column.name);
  for (const std::string& name : counted.names) text.append(",").append(name);
  text += '\n';
  for (const Measurement* measurement : counted.rows) {
    bool first = true;
    for (const Column& column : subject_columns()) {
      if (!std::exchange(first, false)) text += ',';
      text += column.write(*measurement);
    }
    for (const std::string& name : counted.names) text.append(",").append(counter_text(*measurement, name));
    text += '\n';
  }
  return text;
}

Result<std::monostate> add_counters(std::string_view text, const std::string& file_name,
                                    std::vector<Measurement>& measurements) {
  const std::vector<Row> rows = split(text);
  const std::vector<Column>& subject = subject_columns();
  if (rows.empty() || rows[0].size() <= subject.size() ||
      !std::equal(subject.begin(), subject.end(), rows[0].begin(),
                  [](const Column& column, const std::string& field) { return field == column.name; }))
    return problem(file_name, 1, "The first line must have the columns of a measurement's subject, then counters.");
  Diagnostics problems;
  for (size_t i = 1; i < rows.size(); ++i) {
    const Result<Measurement> read = read_counters_row(rows[i], rows[0], file_name, i + 1);
    if (!read) {
      problems.push_back(read.errors().front());
      continue;
    }
    for (Measurement& measurement : measurements)
      if (measurement.subject == read->subject) measurement.counters = read->counters;
  }
  if (!problems.empty()) return problems;
  return std::monostate{};
}

std::string to_csv(const std::vector<Measurement>& measurements) {
  std::string text = header() + "\n";
  for (const Measurement& measurement : measurements) {
    bool first = true;
    for (const Column& column : columns()) {
      if (!std::exchange(first, false)) text += ',';
      text += column.write(measurement);
    }
    text += '\n';
  }
  return text;
}

Result<std::vector<Measurement>> from_csv(std::string_view text, const std::string& file_name, Provenance provenance) {
  const std::vector<Row> rows = split(text);
  if (rows.empty() || !is_header(rows[0]))
    return problem(file_name, 1, fmt::format("The first line must be: {}", header()));
  std::vector<Measurement> result;
  Diagnostics problems;
  for (size_t i = 1; i < rows.size(); ++i) {
    Result<Measurement> measurement = read_row(rows[i], file_name, i + 1);
    if (!measurement) {
      problems.push_back(measurement.errors().front());
      continue;
    }
    measurement->provenance = provenance;
    measurement->source = file_name;
    result.push_back(std::move(*measurement));
    if (i % 256 == 0) let_turns_pass();
  }
  if (!problems.empty()) return problems;
  return result;
}

}  // namespace tilescope::store
