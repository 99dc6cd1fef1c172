#include "kernel/toml_reader.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"

namespace tilescope::kernel {
namespace {

Location location(const std::string& file, const toml::source_position& position) {
  return {file, static_cast<int>(position.line), static_cast<int>(position.column)};
}

}  // namespace

namespace {

/// The line, from 1, of a key with more parts than any description has; the parser would follow each by a call. 0:
/// none.
int line_of_deep_key(const std::vector<std::string>& lines) {
  constexpr std::ptrdiff_t kMostParts = 100;
  for (size_t i = 0; i < lines.size(); ++i)
    if (std::count(
            lines[i].begin(),
            lines[i].begin() + static_cast<std::ptrdiff_t>(std::min(lines[i].find_first_of("=\"'"), lines[i].size())),
            '.') > kMostParts)
      return static_cast<int>(i) + 1;
  return 0;
}

}  // namespace

TomlReader::TomlReader(std::string_view text, std::string file_name)
    : lines_(lines_of(text)), file_(std::move(file_name)) {
  if (const int line = line_of_deep_key(lines_)) {
    problems_.push_back(error_at({file_, line, 1}, Message("This key has too many parts.")));
    return;
  }
  try {
    root_ = toml::parse(text, file_);
  } catch (const toml::parse_error& problem) {
    const Location at = location(file_, problem.source().begin);
    problems_.push_back(error_at(at, std::string(problem.description()) + ".", line_text(at)));
  }
}

std::string TomlReader::line_text(const Location& place) const {
  const auto line = static_cast<size_t>(place.line);
  return line > 0 && line <= lines_.size() ? lines_[line - 1] : std::string();
}

Location TomlReader::at(const toml::node& node) const { return location(file_, node.source().begin); }

void TomlReader::report(const toml::node& where, Message message) {
  problems_.push_back(error_at(at(where), std::move(message), line_text(at(where))));
}

void TomlReader::refuse_other_keys(const toml::table& table, const std::string& what,
                                   std::initializer_list<const char*> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, node] : in_file_order(table)) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string nearest = nearest_name(key, names);
    report(*node, nearest.empty()
                      ? fmt::format("{} has no key \"{}\"; it may have {}.", what, key, fmt::join(names, ", "))
                      : fmt::format("{} has no key \"{}\"; did you mean \"{}\"?", what, key, nearest));
  }
}

const toml::node* TomlReader::require(const toml::table& table, const std::string& what, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) report(table, fmt::format("{} lacks the key \"{}\".", what, key));
  return node;
}

std::string TomlReader::text(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  if (const auto* value = node->as_string()) return value->get();
  report(*node, fmt::format("\"{}\" must be a text in quotes.", key));
  return {};
}

std::optional<int64_t> TomlReader::integer(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  if (const auto* value = node->as_integer()) return value->get();
  report(*node, fmt::format("\"{}\" must be a whole number.", key));
  return {};
}

Expression TomlReader::expression(const toml::node& node) {
  if (const auto* text = node.as_string()) return {text->get(), at(node)};
  if (const auto* number = node.as_integer()) return {fmt::format("{}", number->get()), at(node)};
  report(node, "This must be an expression in quotes, or a whole number.");
  return {"1", at(node)};
}

std::vector<Expression> TomlReader::expressions(const toml::node& node, size_t limit) {
  std::vector<Expression> list;
  if (const toml::array* array = node.as_array())
    for (const toml::node& element : *array) list.push_back(expression(element));
  else
    list.push_back(expression(node));
  if (list.empty()) list.push_back({"", at(node)});
  if (list.size() > limit) {
    report(node, fmt::format("This must be one to {} expressions; it is {}.", limit, list.size()));
    list.resize(1);
  }
  return list;
}

const toml::table& TomlReader::sub_table(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return nothing_;
  if (const toml::table* found = node->as_table()) return *found;
  report(*node, fmt::format("\"{}\" must be a table: [{}].", key, key));
  return nothing_;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  std::vector<const toml::table*> found;
  if (const toml::array* array = node->as_array())
    for (const toml::node& element : *array) found.push_back(element.as_table());
  if (node->is_array() && std::find(found.begin(), found.end(), nullptr) == found.end()) return found;
  report(*node, fmt::format("\"{}\" must be a list of tables: [[{}]].", key, key));
  return {};
}

std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table) {
  std::vector<std::tuple<uint32_t, uint32_t, std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) {
    const toml::source_position begin = key.source().begin;
    entries.emplace_back(begin.line, begin.column, std::string(key.str()), &node);
  }
  std::sort(entries.begin(), entries.end());
  std::vector<std::pair<std::string, const toml::node*>> ordered;
  for (auto& [line, column, key, node] : entries) ordered.emplace_back(std::move(key), node);
  return ordered;
}

}  // namespace tilescope::kernel
