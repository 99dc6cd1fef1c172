#include "cli/option_checks.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace tilescope::cli {
namespace {

/// Refuses values for which `accepts` is false, and says what is expected.
template <class Accepts>
CLI::Validator accepting(std::string expected, Accepts accepts) {
  return CLI::Validator(
      [expected = std::move(expected), accepts](std::string& text) {
        return accepts(text) ? std::string() : fmt::format("{} is not {}", text, expected);
      },
      "");
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

/// Names with "::" between them.
bool is_scoped_name(std::string_view text) {
  for (;;) {
    const size_t end = text.find("::");
    const std::string_view part = text.substr(0, end);
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (part.empty() || std::isdigit(static_cast<unsigned char>(part.front())) != 0 ||
        !std::all_of(part.begin(), part.end(), is_letter))
      return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

/// "<16, float>"
bool is_argument_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '<' || text.back() != '>') return false;
  const std::string_view inside = text.substr(1, text.size() - 2);
  if (inside.empty()) return true;
  int depth = 0;
  char before = ',';  // An argument is to come.
  for (const char c : inside) {
    if (c == ' ') continue;
    const bool has_none = before == ',' || before == '<' || before == '(';
    if ((c == '<' || c == ',' || c == '>') && has_none) return false;
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (depth < 0) return false;
    before = c;
  }
  return depth == 0 && before != ',';
}

}  // namespace

CLI::Validator kernel_name() {
  return accepting("a kernel's name, of a template with its arguments: tile<16>", [](const std::string& text) {
    const size_t list = text.find('<');
    return is_scoped_name(text.substr(0, list)) && (list == std::string::npos || is_argument_list(text.substr(list)));
  });
}

CLI::Validator whole_number(uint64_t least, uint64_t most) {
  std::string expected = most == UINT64_MAX && least == 0 ? "a whole number from 0 to 2^64 - 1"
                         : most >= INT32_MAX              ? fmt::format("a whole number from {} on", least)
                                                          : fmt::format("a whole number from {} to {}", least, most);
  return accepting(std::move(expected), [least, most](const std::string& text) {
    uint64_t number = 0;
    return read_number(text, number) && number >= least && number <= most;
  });
}

CLI::Validator number_between(double least, double most) {
  return accepting(fmt::format("a number from {:g} to {:g}", least, most), [least, most](const std::string& text) {
    double number = 0;
    return read_number(text, number) && number >= least && number <= most;
  });
}

std::vector<std::string> with_settings_apart(const std::vector<std::string>& arguments) {
  std::vector<std::string> apart;
  bool in_settings = false;
  for (const std::string& argument : arguments) {
    const bool is_value = in_settings && apart.back() != "--set";
    const bool is_option = argument.starts_with('-');
    if (is_option) in_settings = argument == "--set" || argument.starts_with("--set=");
    if (is_value && !is_option) {
      in_settings = argument.find('=') != std::string::npos;
      if (in_settings) apart.emplace_back("--set");
    }
    apart.push_back(argument);
  }
  return apart;
}

std::string empty_argument(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("--") && argument.ends_with('='))
      return fmt::format("{} has no value; give one.", argument);
    if (!argument.empty()) continue;
    const bool after_option = i > 0 && arguments[i - 1].starts_with("--");
    return after_option ? fmt::format("{} has an empty value; give one, or leave the option out.", arguments[i - 1])
                        : "An argument is empty; give it a value, or leave it out.";
  }
  return {};
}

}  // namespace tilescope::cli
