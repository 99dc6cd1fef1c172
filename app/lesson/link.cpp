#include "lesson/link.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "compile/compile.h"
#include "lesson/packed_text.h"
#include "session/state_fields.h"

namespace tilescope::lesson {
namespace {
using session::Inputs;
using session::State;
using session::StateField;

constexpr std::string_view kOther = "other.";  ///< Before the words of the second of two that are compared.

using Words = std::vector<std::pair<std::string, std::string>>;

// ---- Text that an address can hold

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~,:/*+()").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* digits = text.data() + i + 1;
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    result += is_code ? static_cast<char>(code) : text[i];
    if (is_code) i += 2;
  }
  return result;
}

// ---- Writing

std::string size_text(const kernel::Size& size) {
  return size.m == size.n && size.n == size.k ? std::to_string(size.m)
                                              : fmt::format("{},{},{}", size.m, size.n, size.k);
}

void add_inputs(Words& words, std::string_view prefix, const Inputs& inputs, const kernel::Catalogue& kernels) {
  const auto add = [&](std::string_view key, std::string value) {
    words.emplace_back(fmt::format("{}{}", prefix, key), std::move(value));
  };
  const Result<kernel::Kernel> known = kernel::find_kernel(kernels, inputs.kernel);
  add("kernel", known && known->number > 0 ? std::to_string(known->number) : inputs.kernel);
  for (const auto& [name, value] : inputs.settings) {
    const auto is_default = [&, &setting = name, &given = value](const kernel::Parameter& parameter) {
      return parameter.name == setting && std::to_string(parameter.default_value) == given;
    };
    if (!known || std::ranges::none_of(known->description.parameters, is_default)) add(name, value);
  }
  const kernel::Size by_default = known ? kernel::default_size(known->description) : Inputs().size;
  if (inputs.size != by_default) add("size", size_text(inputs.size));
  if (inputs.block_z != 0)
    add("block", fmt::format("{},{},{}", inputs.block_x, inputs.block_y, inputs.block_z));
  else if (inputs.block_x != 0 || inputs.block_y != 0)
    add("block", fmt::format("{},{}", inputs.block_x, inputs.block_y));
  if (inputs.source) add("source", packed_text(*inputs.source));
}

template <class Value>
std::string field_text(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>)
    return value ? "1" : "0";
  else if constexpr (std::is_enum_v<Value>)
    return std::string(to_string(value));
  else
    return fmt::format("{}", value);
}

/// What differs from the usual.
void add_fields(Words& words, const State& state, const State& usual) {
  std::vector<std::string> texts;
  session::for_each_field(usual, [&](const StateField&, const auto& value) { texts.push_back(field_text(value)); });
  auto text = texts.begin();
  session::for_each_field(state, [&](const StateField& field, const auto& value) {
    if (std::string now = field_text(value); now != *text++) words.emplace_back(field.word, std::move(now));
  });
}

std::string joined(const Words& words) {
  std::string text;
  for (const auto& [key, value] : words) text += (text.empty() ? "" : "&") + escaped(key) + "=" + escaped(value);
  return text;
}

// ---- Reading

template <std::integral Number>
bool read(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

bool read_field(std::string_view text, const StateField& field, float& number) {
  const std::optional<double> value = whole_number_of(text);
  if (value) number = static_cast<float>(*value);
  return value && *value >= field.low && *value <= field.high;
}

bool read_field(std::string_view text, const StateField& field, uint32_t& number) {
  return read(text, number) && (field.high == 0 || number <= field.high);
}

bool read_field(std::string_view text, const StateField&, bool& flag) {
  flag = text == "1";
  return text == "0" || text == "1";
}

bool read_field(std::string_view text, const StateField&, std::string& value) {
  value = text;
  return !text.empty();
}

template <class Value>
bool read_field(std::string_view text, const StateField&, Value& value) {
  const auto& all = session::names_of(value);
  const auto found = std::ranges::find_if(all, [&](Value each) { return to_string(each) == text; });
  if (found != all.end()) value = *found;
  return found != all.end();
}

/// Numbers with commas between them.
template <class Number>
bool read_list(std::string_view text, const std::vector<Number*>& numbers, size_t least) {
  size_t count = 0;
  for (; count < numbers.size(); ++count) {
    const size_t comma = std::min(text.find(','), text.size());
    if (!read(text.substr(0, comma), *numbers[count])) return false;
    if (comma == text.size()) return count + 1 >= least;
    text.remove_prefix(comma + 1);
  }
  return false;
}

bool read_size(std::string_view text, kernel::Size& size) {
  if (read(text, size.m))
    size.n = size.k = size.m;
  else if (!read_list<int64_t>(text, {&size.m, &size.n, &size.k}, 3))
    return false;
  return std::min({size.m, size.n, size.k}) > 0 && std::max({size.m, size.n, size.k}) <= kernel::kLargestSize;
}

bool read_breakpoints(std::string_view text, std::set<int>& lines) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    int line = 0;
    if (!read(text.substr(begin, end - begin), line)) return false;
    lines.insert(line);
    begin = end + 1;
  }
  return true;
}

/// "3.7": the seventh step of lesson 3; "3": its first.
bool read_lesson(std::string_view text, const Course& course, State& state) {
  const size_t dot = std::min(text.rfind('.'), text.size());
  uint32_t step = 1;
  const Result<const Lesson*> found = find_lesson(course, text.substr(0, dot));
  if (!found || (dot < text.size() && !read(text.substr(dot + 1), step))) return false;
  state.lesson = (*found)->slug;
  state.lesson_step = step - 1;
  return step >= 1 && step <= (*found)->steps.size();
}

/// What is said of a run.
bool read_inputs_word(std::string_view key, const std::string& value, Inputs& inputs) {
  if (key == "kernel") return true;  // Before all others: see read_kernel.
  if (key == "size") return read_size(value, inputs.size);
  if (key == "block") return read_list<uint32_t>(value, {&inputs.block_x, &inputs.block_y, &inputs.block_z}, 2);
  if (key == "source") {
    inputs.source = unpacked_text(value, compile::kMaxSourceBytes);
    return inputs.source.has_value();
  }
  // Parameters of kernels are written in capitals.
  if (key.empty() || key[0] < 'A' || key[0] > 'Z') return false;
  inputs.settings[std::string(key)] = value;
  return true;
}

bool read_state_word(std::string_view key, const std::string& value, const Course& course, State& state) {
  if (key == "lesson") return read_lesson(value, course, state);
  if (key == "stops") return read_breakpoints(value, state.breakpoints);
  bool is_read = false;
  session::for_each_field(state, [&](const StateField& field, auto& member) {
    if (key == field.word) is_read = read_field(value, field, member);
  });
  return is_read;
}

Words words_of(std::string_view link) {
  link.remove_prefix(std::min(link.find('#') + 1, link.size()));  // npos + 1 is 0.
  Words words;
  while (!link.empty()) {
    const size_t end = std::min(link.find('&'), link.size());
    const std::string_view word = link.substr(0, end);
    const size_t equals = std::min(word.find('='), word.size());
    if (!word.empty())
      words.emplace_back(unescaped(word.substr(0, equals)), unescaped(word.substr(std::min(equals + 1, word.size()))));
    link.remove_prefix(std::min(end + 1, link.size()));
  }
  return words;
}

/// The kernel of a run, with what it has where the link says nothing of it. One that is not in the catalogue keeps its
/// name: lessons have kernels of their own.
void set_kernel(const std::string& name, const kernel::Catalogue& kernels, Inputs& inputs) {
  const Result<kernel::Kernel> found = kernel::find_kernel(kernels, name);
  inputs.kernel = found ? found->name : name;
  if (found) inputs.size = kernel::default_size(found->description);
}

}  // namespace

std::string link_of(const State& state, const Course& course, const kernel::Catalogue& kernels) {
  Words words;
  const auto add = [&](const char* key, std::string value) { words.emplace_back(key, std::move(value)); };
  if (const Result<const Lesson*> lesson = find_lesson(course, state.lesson); !state.lesson.empty() && lesson)
    add("lesson", fmt::format("{}.{}", (*lesson)->number, state.lesson_step + 1));
  if (!state.inputs.kernel.empty()) add_inputs(words, "", state.inputs, kernels);
  if (state.compared) add_inputs(words, kOther, *state.compared, kernels);
  State usual;
  if (state.lesson.empty()) usual.exploring = state.exploring;  // Without a lesson there is nothing else to do.
  add_fields(words, state, usual);
  if (!state.breakpoints.empty()) add("stops", fmt::format("{}", fmt::join(state.breakpoints, ",")));
  return joined(words);
}

Result<State> state_of_link(std::string_view link, const Course& course, const kernel::Catalogue& kernels) {
  State state;
  const Words words = words_of(link);
  for (const auto& [key, value] : words) {
    if (key == "kernel") set_kernel(value, kernels, state.inputs);
    if (key == fmt::format("{}kernel", kOther)) set_kernel(value, kernels, state.compared.emplace());
  }
  for (const auto& [key, value] : words) {
    const bool of_other = std::string_view(key).starts_with(kOther);
    const std::string_view name = std::string_view(key).substr(of_other ? kOther.size() : 0);
    const bool is_read = of_other ? state.compared && read_inputs_word(name, value, *state.compared)
                                  : read_state_word(name, value, course, state) ||
                                        (!state.inputs.kernel.empty() && read_inputs_word(name, value, state.inputs));
    if (!is_read) return error(Message("The link's \"{}={}\" means nothing here.", key, value));
  }
  return state;
}

bool is_link(std::string_view text) {
  return text.find('#') != text.npos || text.starts_with("lesson=") || text.starts_with("kernel=") ||
         text.starts_with("tour=");
}

}  // namespace tilescope::lesson
