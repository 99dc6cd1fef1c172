#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "base/diagnostic.h"
#include "kernel/expression.h"

namespace tilescope::kernel {

/// Reads typed values from TOML tables and keeps a diagnostic, with its place, for each invalid one.
class TomlReader {
 public:
  TomlReader(std::string_view text, std::string file_name);

  /// The root table; empty after malformed TOML.
  const toml::table& root() const { return root_; }
  Diagnostics& problems() { return problems_; }

  Location at(const toml::node& node) const;
  void report(const toml::node& where, Message message);
  /// Reports each key of `table` that is not among `known`, with the nearest that is. `what` names the table.
  void refuse_other_keys(const toml::table& table, const std::string& what, std::initializer_list<const char*> known);

  /// The node at `key`; if it is missing, reports that and returns null.
  const toml::node* require(const toml::table& table, const std::string& what, const char* key);
  /// A string; empty if missing. If it is no string, reports that and returns an empty one.
  std::string text(const toml::table& table, const char* key);
  /// A whole number; nullopt if missing. If it is no whole number, reports that and returns nullopt.
  std::optional<int64_t> integer(const toml::table& table, const char* key);
  /// The node as an expression: a string or a whole number.
  Expression expression(const toml::node& node);
  /// The node as one expression or an array of them, at most `limit`.
  std::vector<Expression> expressions(const toml::node& node, size_t limit);
  /// The sub-table at `key`; empty if missing. If it is no table, reports that and returns an empty one.
  const toml::table& sub_table(const toml::table& table, const char* key);
  /// The tables of the array of tables at `key`.
  std::vector<const toml::table*> tables(const toml::table& table, const char* key);

 private:
  std::string line_text(const Location& place) const;

  std::vector<std::string> lines_;
  std::string file_;
  toml::table root_;
  toml::table nothing_;
  Diagnostics problems_;
};

/// The entries of a table in the file's order; toml++ sorts them by name.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table);

}  // namespace tilescope::kernel
