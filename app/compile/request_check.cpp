#include "compile/request_check.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace tilescope::compile {
namespace {

constexpr size_t kMaxMacros = 1000;
constexpr size_t kMaxValueBytes = 10'000;

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool is_identifier(std::string_view text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && text.size() < 200 && std::all_of(text.begin(), text.end(), is_word) &&
         !std::isdigit(static_cast<unsigned char>(text.front()));
}

bool is_architecture(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return is_digits(text) && text.size() <= 3;
}

// "--maxrregcount=N" in the table means any number.
bool is_allowed(std::string_view option) {
  return std::any_of(allowed_options().begin(), allowed_options().end(), [&](std::string_view allowed) {
    if (!allowed.ends_with("=N")) return option == allowed;
    allowed.remove_suffix(1);
    return option.starts_with(allowed) && is_digits(option.substr(allowed.size()));
  });
}

void check_source(const Request& request, Diagnostics& found) {
  const std::string& source = request.source;
  if (source.size() > kMaxSourceBytes) {
    found.push_back(error_at(
        {request.file_name},
        fmt::format("the source is {} bytes; the limit is {}. Make it smaller.", source.size(), kMaxSourceBytes)));
    return;
  }
  if (const size_t zero = source.find('\0'); zero != source.npos) {
    found.push_back(
        error_at({request.file_name, line_of(source, zero)}, "the source holds a NUL byte; give a text file."));
    return;
  }
  const Diagnostics directives = check_directives(request);
  found.insert(found.end(), directives.begin(), directives.end());
}

void check_headers(const Request& request, Diagnostics& found) {
  size_t bytes = request.source.size();
  for (const Header& header : request.headers) {
    bytes += header.text.size();
    Request alone;
    alone.source = header.text;
    alone.file_name = header.name;
    check_source(alone, found);
  }
  if (bytes > kMaxSourceBytes && request.source.size() <= kMaxSourceBytes)
    found.push_back(error_at({request.file_name},
                             fmt::format("the source and the headers beside it are {} bytes; the limit is {}. Include "
                                         "fewer of them.",
                                         bytes, kMaxSourceBytes)));
}

void check_instances(const Request& request, Diagnostics& found) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  for (const std::string& instance : request.instances)
    if (instance.empty() || instance.size() > kMaxValueBytes ||
        std::any_of(instance.begin(), instance.end(), is_control))
      found.push_back(
          error(Message("\"{}\" does not name a kernel; write it as tile or tile<16, 16>.", instance.substr(0, 200))));
}

void check_macros(const Request& request, Diagnostics& found) {
  if (request.macros.size() > kMaxMacros)
    found.push_back(error(Message("{} macros are defined; the limit is {}.", request.macros.size(), kMaxMacros)));
  std::set<std::string_view> names;
  for (const Macro& macro : request.macros) {
    if (!is_identifier(macro.name))
      found.push_back(error(Message("\"{}\" cannot name a macro: use letters, digits and _, and begin with a letter.",
                                    macro.name.substr(0, 200))));
    else if (!names.insert(macro.name).second)
      found.push_back(error(Message("the macro {} is defined twice; give it once.", macro.name)));
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (macro.value.size() > kMaxValueBytes || std::any_of(macro.value.begin(), macro.value.end(), is_control))
      found.push_back(error(Message("the value of the macro {} must be one line of at most {} bytes.",
                                    macro.name.substr(0, 200), kMaxValueBytes)));
  }
}

void check_options(const Request& request, Diagnostics& found) {
  if (!is_architecture(request.arch))
    found.push_back(error(Message("\"{}\" is not an architecture; write it as sm_90.", request.arch.substr(0, 100))));
  for (const std::string& option : request.options)
    if (!is_allowed(option))
      found.push_back(error(Message("the option \"{}\" is not accepted; these are: {}.", option.substr(0, 200),
                                    fmt::join(allowed_options(), ", "))));
}

}  // namespace

const std::vector<std::string>& allowed_options() {
  static const std::vector<std::string> options{"--use_fast_math",
                                                "--fmad=true",
                                                "--fmad=false",
                                                "--ftz=true",
                                                "--ftz=false",
                                                "--prec-div=true",
                                                "--prec-div=false",
                                                "--prec-sqrt=true",
                                                "--prec-sqrt=false",
                                                "--maxrregcount=N",
                                                "--restrict",
                                                "--std=c++11",
                                                "--std=c++14",
                                                "--std=c++17",
                                                "--std=c++20",
                                                "--extra-device-vectorization",
                                                "--device-as-default-execution-space"};
  return options;
}

Macro parse_macro(std::string_view text) {
  const size_t equals = text.find('=');
  return {std::string(text.substr(0, equals)), equals == text.npos ? "" : std::string(text.substr(equals + 1))};
}

Diagnostics check_request(const Request& request) {
  Diagnostics found;
  check_source(request, found);
  check_headers(request, found);
  check_instances(request, found);
  check_macros(request, found);
  check_options(request, found);
  return found;
}

std::string_view line_at(std::string_view source, int number) {
  for (int line = 1; line < number; ++line) {
    const size_t end = source.find('\n');
    if (end == source.npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, number > 0 ? source.find('\n') : 0);
  if (source.ends_with('\r')) source.remove_suffix(1);
  return source;
}

}  // namespace tilescope::compile
