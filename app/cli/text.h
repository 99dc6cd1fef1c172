#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/diagnostic.h"

/// The command line's text for people: plain tables in 100 columns.
namespace tilescope::cli {

constexpr size_t kWidth = 100;

/// Colours for text. Without colour every function returns its text unchanged.
struct Style {
  bool colour = false;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
  std::string good(std::string_view text) const;
  std::string bad(std::string_view text) const;
};
/// Colour if the stream, by default stdout, is a terminal that supports it and NO_COLOR is unset or empty
/// (no-color.org).
Style terminal_style(int descriptor = 1);

enum class Align : uint8_t { Left, Right };

/// Rows of cells in columns as wide as their widest cell, two spaces between, no trailing spaces.
class Table {
 public:
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// At most as many cells as there are columns; missing ones are empty.
  void row(std::vector<std::string> cells);
  size_t rows() const { return rows_.size(); }
  /// Every line begins with `indent` spaces and ends with a newline.
  std::string text(size_t indent = 0) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The text, cut if necessary so that it fits with "..." into `width` columns, at least 3.
std::string shortened(std::string_view text, size_t width);
/// The character, or ? for one that a terminal would obey.
inline char printable(char c) {
  const auto code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f ? '?' : c;
}
/// Likewise of a text.
std::string printable(std::string text);

/// "1,024 threads", "1 thread"
std::string amount(uint64_t count, std::string_view what);
/// "1.23 G", "45.6 k", "789"
std::string scaled(double number);
/// "24.0 KiB", "1.5 GiB", "900 B"
std::string in_bytes(double bytes);

/// Breaks at spaces and between Chinese characters into lines of at most `width` columns; those after the first
/// are indented by `indent` spaces.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

/// `file`, `line` and `column` (0: unknown) and the `message`, with its advice.
nlohmann::ordered_json problem_json(const Diagnostic& problem);

/// Indented, with a newline at the end. Bytes that are not UTF-8 become U+FFFD.
std::string to_text(const nlohmann::ordered_json& json);

}  // namespace tilescope::cli
