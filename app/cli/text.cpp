#include "cli/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/line_break.h"
#include "base/text.h"
#include "base/words.h"

namespace tilescope::cli {
namespace {

std::string with_code(bool colour, std::string_view code, std::string_view text) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string with_unit(double number, double step, const std::array<std::string_view, 5>& units, std::string_view none) {
  if (number < step) return fmt::format("{:.0f}{}", number, none);
  size_t unit = 0;
  for (number /= step; number >= step && unit + 1 < units.size(); number /= step) ++unit;
  return fmt::format("{:.{}f} {}", number, number < 10 ? 2 : 1, units[unit]);
}

}  // namespace

std::string Style::bold(std::string_view text) const { return with_code(colour, "1", text); }
std::string Style::dim(std::string_view text) const { return with_code(colour, "2", text); }
std::string Style::good(std::string_view text) const { return with_code(colour, "32", text); }
std::string Style::bad(std::string_view text) const { return with_code(colour, "1;31", text); }

Style terminal_style(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = !(no_color && *no_color) && term && std::string_view(term) != "dumb";
  return {wanted && ::isatty(descriptor) != 0};
}

std::string shortened(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  size_t end = 0;
  for (size_t next = 0, columns = 3; columns <= width;) {
    end = next;
    next_character(text, next);
    columns += display_width(text.substr(end, next - end));
  }
  return fmt::format("{}...", text.substr(0, end));
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(size_t indent) const {
  std::vector<size_t> widths(columns_.size());
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string result;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      if (i) line.append(2, ' ');
      line.append(columns_[i] == Align::Right ? padding : row[i])
          .append(columns_[i] == Align::Right ? row[i] : padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  }
  return result;
}

std::string scaled(double number) { return with_unit(number, 1000, {"k", "M", "G", "T", "P"}, ""); }

std::string in_bytes(double bytes) { return with_unit(bytes, 1024, {"KiB", "MiB", "GiB", "TiB", "PiB"}, " B"); }

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::istringstream words{std::string(text)};
  std::string result, line;
  for (std::string word; words >> word;) {
    size_t blanks = 1;
    for (const std::string& piece : pieces_of(word)) {
      if (line.empty()) blanks = 0;
      if (!line.empty() && display_width(line) + blanks + display_width(piece) > width) {
        result.append(std::exchange(line, "")).append(1, '\n').append(indent, ' ');
        blanks = 0;
      }
      line.append(std::exchange(blanks, 0), ' ').append(piece);
    }
  }
  return result + line;
}

nlohmann::ordered_json problem_json(const Diagnostic& problem) {
  return {{"file", problem.at.file},
          {"line", problem.at.line},
          {"column", problem.at.column},
          {"message", text_of(problem)}};
}

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string printable(std::string text) {
  for (char& c : text) c = printable(c);
  return text;
}

std::string amount(uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

}  // namespace tilescope::cli
