#include "kernel/configuration.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/words.h"
#include "kernel/model.h"
#include "kernel/nearest_legal.h"

namespace tilescope::kernel {
namespace {

bool read_integer(std::string_view text, int64_t& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> names_of(const Description& description) {
  std::vector<std::string> names;
  for (const Parameter& parameter : description.parameters) names.push_back(parameter.name);
  return names;
}

Message unknown_parameter(const Description& description, const std::string& name) {
  const std::vector<std::string> names = names_of(description);
  if (names.empty()) return Message("There is no parameter {}; this kernel has none.", name);
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) return Message("There is no parameter {}; did you mean {}?", name, nearest);
  return Message("There is no parameter {}; there are {}.", name, join_with_and({names.begin(), names.end()}));
}

Message legal_list(const Parameter& parameter) {
  if (parameter.values.size() == 1) return Message("always {}", parameter.values.front());
  if (parameter.is_range && parameter.step == 1)
    return Message("{} to {}", parameter.values.front(), parameter.values.back());
  if (parameter.is_range)
    return Message("{} to {} in steps of {}", parameter.values.front(), parameter.values.back(), parameter.step);
  return Message("one of {}", fmt::join(parameter.values, ", "));
}

// Settings as numbers.
struct Values {
  std::vector<std::pair<std::string, int64_t>> numbers;
  std::set<std::string> chosen;       // named in the settings
  std::set<std::string> must_change;  // outside their lists
  Diagnostics problems;
};

void read_setting(const Description& description, const std::string& name, const std::string& text, Values& values) {
  const Parameter* parameter = description.parameter(name);
  int64_t number = 0;
  if (!parameter) {
    values.problems.push_back(error(unknown_parameter(description, name)));
  } else if (!read_integer(text, number)) {
    values.problems.push_back(
        error(Message("{} = \"{}\" is not a whole number; {} is {}.", name, text, name, legal_list(*parameter))));
  } else {
    values.numbers.emplace_back(name, number);
    values.chosen.insert(name);
    if (!std::binary_search(parameter->values.begin(), parameter->values.end(), number))
      values.must_change.insert(name);
  }
}

Values read_settings(const Description& description, const Settings& settings) {
  Values values;
  for (const auto& [name, text] : settings) read_setting(description, name, text, values);
  return values;
}

int64_t extent_of(const Size& size, char name) { return name == 'M' ? size.m : name == 'N' ? size.n : size.k; }

/// One sentence for each value, of the extents that the kernel has.
Diagnostics check_size(const Description& description, const Size& size) {
  const auto is_legal = [](int64_t value) { return value >= 1 && value <= kLargestSize; };
  if (is_legal(size.m) && is_legal(size.n) && is_legal(size.k)) return {};
  std::map<int64_t, std::string> illegal;
  for (const char extent : used_extents(description))
    if (const int64_t value = extent_of(size, extent); !is_legal(value)) illegal[value] += fmt::format("{} = ", extent);
  Diagnostics problems;
  for (const auto& [value, names] : illegal) {
    problems.push_back(
        error(Message("{}{} is not legal; a size is a whole number from 1 to {}.", names, value, kLargestSize)));
    problems.back().about = "size";
  }
  return problems;
}

Model model_of(const Description& description, const Values& values, const Size& size, const Limits& limits) {
  Model model(description, limits);
  model.set("M", size.m);
  model.set("N", size.n);
  model.set("K", size.k);
  for (const auto& [name, number] : values.numbers) model.set(name, number);
  return model;
}

// Values outside their lists may be anything, even 0, so the rules are not applied to them.
Diagnostics explain(Model& model, const Description& description, const Values& values) {
  Diagnostics problems;
  for (const std::string& name : values.must_change)
    problems.push_back(error(Message("{} = {} is not legal; {} is {}.", name, model.get(name), name,
                                     legal_list(*description.parameter(name)))));
  if (problems.empty()) model.broken(&problems);
  problems.back().fixes = nearest_legal(model, description, values.must_change, values.chosen);
  problems.back().advice = nearest_sentence(problems.back().fixes);
  return problems;
}

/// Of sizes outside of all limits: what is legal next to the nearest ones inside them.
FixIt nearest_size(const Description& description, const Values& values, const Size& size, const Limits& limits) {
  const auto inside = [](int64_t extent) { return std::clamp<int64_t>(extent, 1, kLargestSize); };
  const Size nearest{inside(size.m), inside(size.n), inside(size.k)};
  Model model = model_of(description, values, nearest, limits);
  FixIt changes;
  if (!values.must_change.empty() || model.broken() != 0) {
    const std::vector<FixIt> ways = nearest_legal(model, description, values.must_change, values.chosen);
    if (ways.empty()) return {};
    changes = ways.front();
  }
  for (const char extent : used_extents(description)) {
    const std::string name(1, extent);
    const int64_t value = extent_of(nearest, extent);
    const bool has = std::ranges::find(changes, name, [](const auto& change) { return change.first; }) != changes.end();
    if (!has && value != extent_of(size, extent)) changes.emplace_back(name, value);
  }
  return changes;
}

Diagnostic bad_size(std::string_view text) {
  return error(Message("\"{}\" is not a size; give one number, 256, or three: M=256,N=128,K=64.", text));
}

/// Whether an expression has the name of an extent in it.
/// How often the text has the extent's name.
int times_named(const std::string& text, char extent) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  int times = 0;
  for (size_t at = text.find(extent); at != std::string::npos; at = text.find(extent, at + 1)) {
    const bool begins = at == 0 || !is_part(text[at - 1]), ends = at + 1 == text.size() || !is_part(text[at + 1]);
    times += begins && ends;
  }
  return times;
}

std::vector<Expression> expressions_of(const Description& description) {
  std::vector<Expression> all = description.block;
  const auto add = [&](const std::vector<Expression>& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(description.grid);
  all.push_back(description.dynamic_shared_bytes);
  for (const Derived& derived : description.derived) all.push_back(derived.value);
  for (const Constraint& constraint : description.constraints) all.push_back(constraint.condition);
  for (const Array& array : description.arrays) add(array.shape), add(array.logical);
  for (const Argument& argument : description.arguments) {
    all.push_back(argument.value);
    if (argument.tensor) add(argument.tensor->shape), add(argument.tensor->strides), add(argument.tensor->box);
  }
  return all;
}

bool read_extent(std::string_view item, Size& size) {
  const std::pair<std::string_view, int64_t*> extents[] = {{"M=", &size.m}, {"N=", &size.n}, {"K=", &size.k}};
  for (const auto& [prefix, value] : extents)
    if (item.starts_with(prefix)) return read_integer(item.substr(prefix.size()), *value);
  return false;
}

}  // namespace

std::string used_extents(const Description& description) {
  const std::vector<Expression> all = expressions_of(description);
  std::string used;
  for (const char extent : {'M', 'N', 'K'})
    if (std::any_of(all.begin(), all.end(), [&](const Expression& each) { return times_named(each.text, extent) > 0; }))
      used += extent;
  return used;
}

bool is_of_vectors(const Description& description) {
  const std::string extents = used_extents(description);
  return extents.size() == 1 && std::ranges::all_of(description.arrays, [&](const auto& array) {
           int times = 0;
           for (const Expression& extent : array.shape) times += times_named(extent.text, extents[0]);
           return times <= 1;
         });
}

std::string size_text(std::string_view extents, const Size& size) {
  std::string text;
  for (const char extent : extents)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", extent, extent_of(size, extent));
  return text;
}

std::string short_size_text(std::string_view extents, const Size& size) {
  constexpr std::array<const char*, 4> kPowers{"", "", "²", "³"};
  std::vector<std::string> values;
  for (const char extent : extents) {
    const int64_t value = extent_of(size, extent);
    values.push_back(value < 10'000 ? std::to_string(value) : grouped(static_cast<uint64_t>(value)));
  }
  const bool equal = std::adjacent_find(values.begin(), values.end(), std::not_equal_to()) == values.end();
  if (equal && !values.empty()) return fmt::format("{}{}", values.front(), kPowers[values.size()]);
  return fmt::format("{}", fmt::join(values, " × "));
}

Size default_size(const Description& description) {
  if (!description.size) return {256, 256, 256};
  const auto [m, n, k] = *description.size;
  return {m, n, k};
}

Result<Size> parse_size(std::string_view text, const std::optional<Size>& others) {
  Size size = others.value_or(Size{});
  if (read_integer(text, size.m)) return Size{size.m, size.m, size.m};
  std::set<char> seen;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    if (!read_extent(item, size) || !seen.insert(item[0]).second) return bad_size(text);
    begin = end + 1;
  }
  if (seen.size() != 3 && !others) return bad_size(text);
  return size;
}

Result<std::monostate> add_setting(std::string_view text, Settings& settings) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return error(Message("\"{}\" is not a setting; write the parameter, = and its value: BM=64.", text));
  settings.insert_or_assign(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  return std::monostate{};
}

Result<Settings> preset_settings(const Description& description, std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : description.presets) {
    names.push_back(fmt::format("\"{}\"", preset.name));
    if (preset.name != name) continue;
    Settings settings;
    for (const auto& [parameter, value] : preset.settings) settings[parameter] = fmt::format("{}", value);
    return settings;
  }
  if (names.empty()) return error(Message("There is no preset \"{}\"; this kernel has none.", name));
  return error(Message("There is no preset \"{}\"; there are {}.", name, join_with_and({names.begin(), names.end()})));
}

std::string compiled_arch(const Description& description, const std::string& arch) {
  return arch + (description.architecture_specific && !arch.ends_with('a') ? "a" : "");
}

bool has_instructions(const Description& description, uint32_t capability) {
  if (capability == UINT32_MAX) return true;
  return description.architecture_specific ? capability == description.capability
                                           : capability >= description.capability;
}

Result<Configuration> configure(const Description& description, const Settings& settings, const Size& size,
                                const Limits& limits) {
  const bool has_all = has_instructions(description, limits.capability);
  if (!has_all && description.architecture_specific)
    return error(
        Message("The kernel needs sm_{}a: its instructions are those of compute capability {}.{} alone, and sm_{} "
                "lacks some of them.",
                description.capability, description.capability / 10, description.capability % 10, limits.capability));
  if (!has_all)
    return error(
        Message("The kernel has instructions of compute capability {}.{} and later, which sm_{} does not have. "
                "Choose a later architecture.",
                description.capability / 10, description.capability % 10, limits.capability));
  const Values values = read_settings(description, settings);
  Diagnostics problems = values.problems;
  Diagnostics of_size = check_size(description, size);
  if (problems.empty() && !of_size.empty())
    if (FixIt nearest = nearest_size(description, values, size, limits); !nearest.empty()) {
      of_size.back().fixes = {std::move(nearest)};
      of_size.back().advice = nearest_sentence(of_size.back().fixes);
    }
  problems.insert(problems.end(), of_size.begin(), of_size.end());
  if (!problems.empty()) return problems;
  Model model = model_of(description, values, size, limits);
  if (!values.must_change.empty() || model.broken() != 0) return explain(model, description, values);
  return model.configuration();
}

std::vector<int64_t> legal_values(const Description& description, const Settings& settings, const Size& size,
                                  const Limits& limits, std::string_view parameter) {
  const Parameter* varied = description.parameter(parameter);
  Settings others = settings;
  others.erase(std::string(parameter));
  const Values values = read_settings(description, others);
  if (!varied || !values.problems.empty() || !values.must_change.empty() || !check_size(description, size).empty())
    return {};
  Model model = model_of(description, values, size, limits);
  std::vector<int64_t> legal;
  for (const int64_t value : varied->values) {
    model.set(varied->name, value);
    if (model.broken() == 0) legal.push_back(value);
  }
  return legal;
}

}  // namespace tilescope::kernel
