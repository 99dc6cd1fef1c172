#include "lesson/link.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number.h"
#include "compile/compile.h"

namespace tilescope::lesson {
namespace {
using session::Inputs;
using session::State;

constexpr std::string_view kOther = "other.";  ///< Before the words of the second of two that are compared.
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Words = std::vector<std::pair<std::string, std::string>>;

// ---- Text that an address can hold

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~,:/*+()").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* digits = text.data() + i + 1;
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    result += is_code ? static_cast<char>(code) : text[i];
    if (is_code) i += 2;
  }
  return result;
}

/// As base64url without padding (RFC 4648, section 5).
std::string base64(std::string_view bytes) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kBase64[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kBase64[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = kBase64.find(c);
    if (digit == kBase64.npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count);
  }
  return bytes;
}

std::string packed(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 19));
  return base64(bytes);
}

std::optional<std::string> unpacked(std::string_view text) {
  const std::optional<std::string> bytes = from_base64(text);
  if (!bytes) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(bytes->data(), bytes->size());
  if (size > compile::kMaxSourceBytes) return std::nullopt;
  std::string source(size, '\0');
  if (ZSTD_decompress(source.data(), source.size(), bytes->data(), bytes->size()) != size) return std::nullopt;
  return source;
}

// ---- Writing

std::string size_text(const kernel::Size& size) {
  return size.m == size.n && size.n == size.k ? std::to_string(size.m) : fmt::format("{},{},{}", size.m, size.n, size.k);
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
  if (inputs.source) add("source", packed(*inputs.source));
}

std::string joined(const Words& words) {
  std::string text;
  for (const auto& [key, value] : words) text += (text.empty() ? "" : "&") + escaped(key) + "=" + escaped(value);
  return text;
}

// ---- Reading

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

bool read_real(std::string_view text, float& number, double low, double high) {
  const std::optional<double> value = whole_number_of(text);
  if (value) number = static_cast<float>(*value);
  return value && *value >= low && *value <= high;
}

template <class Value, size_t kCount>
bool read_name(std::string_view text, const std::array<Value, kCount>& all, Value& value) {
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
  if (read(text, size.m)) size.n = size.k = size.m;
  else if (!read_list<int64_t>(text, {&size.m, &size.n, &size.k}, 3)) return false;
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
  if (key == "block")
    return read_list<uint32_t>(value, {&inputs.block_x, &inputs.block_y, &inputs.block_z}, 2);
  if (key == "source") {
    inputs.source = unpacked(value);
    return inputs.source.has_value();
  }
  // Parameters of kernels are written in capitals.
  if (key.empty() || key[0] < 'A' || key[0] > 'Z') return false;
  inputs.settings[std::string(key)] = value;
  return true;
}

bool read_state_word(std::string_view key, const std::string& value, const Course& course, State& state) {
  if (key == "lesson") return read_lesson(value, course, state);
  if (key == "arch") return state.arch = value, value.starts_with("sm_");
  if (key == "compiler") return read_name(value, compile::kChoices, state.compiler);
  if (key == "warp") return read(value, state.cursor.warp);
  if (key == "at") return read(value, state.cursor.step);
  if (key == "lane") return read(value, state.lane) && state.lane < 32;
  if (key == "view") return read_name(value, session::kScales, state.scale);
  if (key == "order") return read_name(value, session::kOrders, state.order);
  if (key == "zoom") return read_real(value, state.zoom, 1e-3, 1e6);
  if (key == "panx") return read_real(value, state.pan_x, -1e6, 1e6);
  if (key == "pany") return read_real(value, state.pan_y, -1e6, 1e6);
  if (key == "unit") return read_name(value, analysis::kUnits, state.unit);
  if (key == "speed") return read_real(value, state.speed, 1e-3, 1e6);
  if (key == "stops") return read_breakpoints(value, state.breakpoints);
  if (key == "theme") return read_name(value, session::kThemes, state.theme);
  if (key == "lang") return state.language = value, !value.empty();
  if (key == "explore") return state.exploring = value == "1", value == "0" || value == "1";
  if (key == "clock") return state.clock = value == "1", value == "0" || value == "1";
  if (key == "present") return state.present = value == "1", value == "0" || value == "1";
  if (key == "scale") return read_real(value, state.ui_scale, 0.1, 16);
  return false;
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
  const State usual;
  if (state.arch != usual.arch) add("arch", state.arch);
  if (state.compiler != usual.compiler) add("compiler", std::string(to_string(state.compiler)));
  if (state.scale != usual.scale) add("view", std::string(to_string(state.scale)));
  if (state.order != usual.order) add("order", std::string(to_string(state.order)));
  if (state.cursor.warp != 0) add("warp", std::to_string(state.cursor.warp));
  if (state.cursor.step != 0) add("at", std::to_string(state.cursor.step));
  if (state.lane != 0) add("lane", std::to_string(state.lane));
  if (state.zoom != usual.zoom) add("zoom", fmt::format("{}", state.zoom));
  if (state.pan_x != 0) add("panx", fmt::format("{}", state.pan_x));
  if (state.pan_y != 0) add("pany", fmt::format("{}", state.pan_y));
  if (state.unit != usual.unit) add("unit", std::string(to_string(state.unit)));
  if (state.speed != usual.speed) add("speed", fmt::format("{}", state.speed));
  if (!state.breakpoints.empty()) add("stops", fmt::format("{}", fmt::join(state.breakpoints, ",")));
  if (state.theme != usual.theme) add("theme", std::string(to_string(state.theme)));
  if (!state.language.empty()) add("lang", state.language);
  if (state.exploring && !state.lesson.empty()) add("explore", "1");
  if (state.clock) add("clock", "1");
  if (state.present) add("present", "1");
  if (state.ui_scale != usual.ui_scale) add("scale", fmt::format("{}", state.ui_scale));
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
  return text.find('#') != text.npos || text.starts_with("lesson=") || text.starts_with("kernel=");
}

}  // namespace tilescope::lesson
