#include <algorithm>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/file.h"
#include "base/turns.h"
#include "store/store.h"

namespace tilescope::store {
namespace fs = std::filesystem;
namespace {

/// Reads published.toml: an array of documents, each with its device and the figures that it prints.
class PublishedReader {
 public:
  PublishedReader(const std::string& file, Shipped& shipped) : file_(file), shipped_(shipped) {}

  void read(const toml::table& root) {
    for (const toml::table* document : tables(root, "document")) {
      const std::string title = text(*document, "title");
      const std::string device = text(*document, "device");
      for (const toml::table* figure : tables(*document, "figure")) read_figure(*figure, title, device);
    }
  }

 private:
  void report(const toml::node& where, const std::string& message) {
    const auto line = where.source().begin.line;
    shipped_.problems.push_back(error_at({file_, static_cast<int>(line), 0}, message));
  }

  std::vector<const toml::table*> tables(const toml::table& table, const char* key) {
    std::vector<const toml::table*> result;
    if (const toml::array* array = table[key].as_array())
      for (const toml::node& node : *array)
        if (const toml::table* entry = node.as_table()) result.push_back(entry);
    if (result.empty()) report(table, fmt::format("There is no [[{}]].", key));
    return result;
  }

  std::string text(const toml::table& table, const char* key) {
    const std::optional<std::string> value = table[key].value<std::string>();
    if (!value) report(table, fmt::format("{} is missing; give it as a string.", key));
    return value.value_or("");
  }

  int64_t extent(const toml::table& table) {
    const int64_t size = table["size"].value_or<int64_t>(0);
    if (size <= 0) report(table, "size is missing; give M = N = K as a whole number.");
    return std::max<int64_t>(size, 1);
  }

  void read_figure(const toml::table& figure, const std::string& title, const std::string& device) {
    const size_t before = shipped_.problems.size();
    Measurement result;
    result.provenance = Provenance::Published;
    result.source = title;
    result.subject.device = device;
    result.subject.kernel = text(figure, "kernel");
    const int64_t size = extent(figure);
    result.subject.m = result.subject.n = result.subject.k = size;
    if (const toml::table* params = figure["params"].as_table()) read_params(*params, result.subject);
    const double flop = 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
    const double seconds = figure["seconds"].value_or(0.0);
    if (seconds <= 0) report(figure, "seconds is missing; give the printed time.");
    if (shipped_.problems.size() > before) return;
    result.seconds = {seconds, seconds, seconds};
    result.gflops = figure["gflops"].value_or(flop / seconds / 1e9);
    shipped_.measurements.push_back(std::move(result));
  }

  void read_params(const toml::table& params, Subject& subject) {
    for (const auto& [name, value] : params)
      if (const std::optional<int64_t> number = value.value<int64_t>())
        subject.params.emplace_back(name.str(), *number);
      else
        report(value, fmt::format("{} must be a whole number.", name.str()));
  }

  const std::string& file_;
  Shipped& shipped_;
};

std::vector<fs::path> csv_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void append(Diagnostics& all, const Diagnostics& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

Shipped load_recordings(const fs::path& folder) {
  Shipped shipped;
  for (const fs::path& file : csv_files(folder)) {
    const Result<std::string> text = read_file(file);
    if (!text) {
      append(shipped.problems, text.errors());
      continue;
    }
    Result<std::vector<Measurement>> rows = from_csv(*text, file.filename().string(), Provenance::Recorded);
    if (!rows)
      append(shipped.problems, rows.errors());
    else
      shipped.measurements.insert(shipped.measurements.end(), rows->begin(), rows->end());
  }
  for (const fs::path& file : csv_files(folder / "counters")) {
    const Result<std::string> text = read_file(file);
    const Result<std::monostate> added = text ? add_counters(*text, file.filename().string(), shipped.measurements)
                                              : Result<std::monostate>(text.errors());
    if (!added) append(shipped.problems, added.errors());
    let_turns_pass();
  }
  return shipped;
}

Shipped load_published(const fs::path& file) {
  Shipped shipped;
  const Result<std::string> text = read_file(file);
  if (!text) {
    shipped.problems = text.errors();
    return shipped;
  }
  try {
    PublishedReader(file.string(), shipped).read(toml::parse(*text, file.string()));
  } catch (const toml::parse_error& problem) {
    shipped.problems.push_back(error_at({file.string(), static_cast<int>(problem.source().begin.line), 0},
                                        std::string(problem.description())));
  }
  return shipped;
}

}  // namespace tilescope::store
