#include "kernel/launch_form.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "base/text.h"
#include "kernel/expression.h"
#include "kernel/model.h"
#include "source/program.h"

namespace tilescope::kernel {
namespace {

/// The bytes of the character at `at`, 1 to 4; 0 if that is not UTF-8 (RFC 3629).
size_t character_bytes(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at), second = byte(at + 1);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first < 0xc2 || length == 0) return 0;
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (size_t i = 2; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  return length;
}

/// As a basic string of TOML; bytes that are not UTF-8 become question marks.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = character_bytes(text, at);
    const auto c = static_cast<unsigned char>(text[at]);
    if (bytes == 0)
      result += '?';
    else if (c == '"' || c == '\\')
      result += fmt::format("\\{}", text[at]);
    else if (c < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04x}", c);
    else
      result += text.substr(at, bytes);
    at += std::max<size_t>(bytes, 1);
  }
  return result + "\"";
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + quoted(item);
  return "[" + text + "]";
}

bool is_real(const std::string& element) {
  return element == "f32" || element == "f64" || element == "f16" || element == "bf16";
}

/// Numbers are written as numbers, so that anything else is refused at its place.
std::string number_or_text(const std::string& text) {
  const std::optional<double> number = whole_number_of(text);
  return number ? fmt::format("{}", *number) : quoted(text);
}

bool is_size(const std::string& value) { return value == "M" || value == "N" || value == "K"; }

std::string argument_text(const FormArgument& argument) {
  if (argument.is_array) return quoted(argument.name);
  // The defaults of descriptions: kernels/README.md.
  if (argument.element == "f32" && argument.name == "alpha" && argument.value == "2.0") return "\"alpha\"";
  if (argument.element == "f32" && argument.name == "beta" && argument.value == "0.5") return "\"beta\"";
  if (argument.element == "i32" && is_size(argument.value)) return quoted(argument.value);
  return fmt::format("{{ name = {}, type = {}, value = {} }}", quoted(argument.name), quoted(argument.element),
                     is_real(argument.element) ? number_or_text(argument.value) : quoted(argument.value));
}

/// Whether the array is the same without a table.
bool goes_without_saying(const FormArgument& array, bool adds_to_c) {
  if (array.element != "f32" || !array.initial.empty()) return false;
  if (array.name == "A") return array.role == "input" && array.shape == "M, K";
  if (array.name == "B") return array.role == "input" && array.shape == "K, N";
  return array.name == "C" && array.role == (adds_to_c ? "inout" : "output") && array.shape == "M, N";
}

std::string array_text(const FormArgument& array) {
  std::string text = fmt::format("\n[arrays.{}]\n", is_name(array.name) ? array.name : quoted(array.name));
  if (array.element != "f32") text += fmt::format("element = {}\n", quoted(array.element));
  text += fmt::format("role = {}\nshape = {}\n", quoted(array.role), quoted_list(source::split_list(array.shape)));
  if (!array.initial.empty()) text += fmt::format("initial = {}\n", number_or_text(array.initial));
  return text;
}

/// "16 x 8", without trailing extents of 1.
std::string short_text(const Dim3& dim) {
  if (dim.z > 1) return fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
  return dim.y > 1 ? fmt::format("{} x {}", dim.x, dim.y) : fmt::format("{}", dim.x);
}

/// The key of the arguments' line at the column, from 1.
std::string argument_at(const LaunchForm& form, int column) {
  size_t end = std::string_view("arguments = [").size();
  for (const FormArgument& argument : form.arguments) {
    end += argument_text(argument).size() + std::string_view(", ").size();
    if (static_cast<size_t>(column) <= end) return (argument.is_array ? "arrays." : "arguments.") + argument.name;
  }
  return {};
}

/// The key of the description, as in Diagnostic::about, at a place of to_toml(form).
std::string key_at(const LaunchForm& form, const Location& place) {
  const std::vector<std::string> lines = lines_of(to_toml(form));
  if (place.line < 1 || static_cast<size_t>(place.line) > lines.size()) return {};
  const std::string& text = lines[static_cast<size_t>(place.line) - 1];
  if (text.starts_with("arguments = ")) return argument_at(form, place.column);
  for (auto at = static_cast<size_t>(place.line); at-- > 0;) {
    const std::string& head = lines[at];
    if (head.starts_with("[[")) return "constraints";
    if (head == "[launch]") return "launch." + text.substr(0, text.find(' '));
    if (head.starts_with('[')) return head.substr(1, head.size() - 2);
  }
  return text.substr(0, text.find(' '));
}

std::string field_of_key(const LaunchForm& form, const std::string& key) {
  // Its one constraint is that the sizes be equal.
  if (key == "size" || key == "constraints") return "M, N, K";
  if (key == "launch.block") return "block";
  if (key == "launch.grid") return "grid";
  if (key == "launch.shared_bytes") return "shared bytes";
  for (const FormArgument& argument : form.arguments)
    for (const std::string& name : {argument.name, quoted(argument.name)})
      if (key == (argument.is_array ? "arrays." : "arguments.") + name) return argument.parameter;
  return {};
}

}  // namespace

std::string to_toml(const LaunchForm& form) {
  std::vector<std::string> arguments;
  bool adds_to_c = false;
  for (const FormArgument& argument : form.arguments) {
    arguments.push_back(argument_text(argument));
    adds_to_c |= !argument.is_array && argument.name == "beta";
  }
  std::string text = fmt::format("title = {}\nentry = {}\narguments = [{}]\n", quoted(form.title), quoted(form.entry),
                                 fmt::join(arguments, ", "));
  if (!form.reference.empty()) text += fmt::format("reference = {}\n", quoted(form.reference));
  if (form.size) text += fmt::format("size = [{}]\n", fmt::join(*form.size, ", "));
  text += fmt::format("\n[launch]\nblock = {}\ngrid = {}\n", quoted_list(source::split_list(form.block)),
                      quoted_list(source::split_list(form.grid)));
  if (!form.shared_bytes.empty()) text += fmt::format("shared_bytes = {}\n", quoted(form.shared_bytes));
  if (form.guessed) text += "guessed = true  # take this line away once block and grid are right\n";
  if (form.square)
    text +=
        "\n[[constraints]]\nexpr = \"M == N && N == K\"\n"
        "message = \"{M} x {N} x {K} is not square, and the kernel takes one size\"\n";
  std::vector<std::string> said;  // A second table of that name would not be TOML.
  for (const FormArgument& argument : form.arguments) {
    if (!argument.is_array || goes_without_saying(argument, adds_to_c)) continue;
    if (std::find(said.begin(), said.end(), quoted(argument.name)) != said.end()) continue;
    said.push_back(quoted(argument.name));
    text += array_text(argument);
  }
  return text;
}

Result<Description> description_of(const LaunchForm& form, const std::string& file_name) {
  Result<Description> description = parse_description(to_toml(form), file_name);
  if (!description) return description;
  for (Array& array : description->arrays)
    array.guessed = std::ranges::any_of(form.arguments, [&](const FormArgument& argument) {
      return argument.is_array && argument.guessed && argument.name == array.name;
    });
  return description;
}

std::string field_of(const LaunchForm& form, const Diagnostic& problem) {
  return field_of_key(form, problem.about.empty() ? key_at(form, problem.at) : problem.about);
}

Message launch_sentence(const Configuration& configuration) {
  std::vector<Message> read, written;
  for (const ArrayShape& array : configuration.arrays) {
    if (array.space != Space::Global) continue;
    const Message named = fmt::format("{} ({})", array.name, fmt::join(array.shape, " x "));
    if (array.role != Role::Output) read.push_back(named);
    if (array.role != Role::Input) written.push_back(named);
  }
  const Message threads =
      configuration.block.count() == 1 ? Message("one thread") : Message("{} threads", short_text(configuration.block));
  const Message launched = configuration.grid.count() == 1
                               ? Message("One block of {}.", threads)
                               : Message("{} blocks of {}.", short_text(configuration.grid), threads);
  if (read.empty() && written.empty()) return launched;
  if (read.empty()) return Message("{} Writes {}.", launched, join_with_and(written));
  if (written.empty()) return Message("{} Reads {}.", launched, join_with_and(read));
  return Message("{} Reads {}; writes {}.", launched, join_with_and(read), join_with_and(written));
}

}  // namespace tilescope::kernel
