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

/// Reads typed values out of TOML tables and keeps a diagnostic, with its place, for each that is not as it must be.
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

  /// The node at `key`; when it is missing that is reported and null returned.
  const toml::node* require(const toml::table& table, const std::string& what, const char* key);
  /// A string; empty when it is missing, or is none, which is reported.
  std::string text(const toml::table& table, const char* key);
  /// A whole number; nothing when it is missing, or is none, which is reported.
  std::optional<int64_t> integer(const toml::table& table, const char* key);
  /// The node as an expression: a string or a whole number.
  Expression expression(const toml::node& node);
  /// The node as one expression or an array of them, at most `limit`.
  std::vector<Expression> expressions(const toml::node& node, size_t limit);
  /// The sub-table at `key`; an empty one when it is missing, or is none, which is reported.
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

/// The entries of a table in the order in which the file has them; toml++ sorts them by name.
std::vector<std::pair<std::string, const toml::node*>> in_file_order(const toml::table& table);

}  // namespace tilescope::kernel
