#include "view/parameters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using kernel::Description;
using kernel::Parameter;

/// The number at the start of a setting's text; the default if there is none.
int64_t value_of(const Parameter& parameter, const kernel::Settings& settings) {
  const auto found = settings.find(parameter.name);
  int64_t value = parameter.default_value;
  if (found != settings.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

size_t nearest_index(const std::vector<int64_t>& values, int64_t value) {
  const auto nearest = std::min_element(values.begin(), values.end(), [&](int64_t a, int64_t b) {
    return std::fabs(static_cast<double>(a) - static_cast<double>(value)) <
           std::fabs(static_cast<double>(b) - static_cast<double>(value));
  });
  return static_cast<size_t>(nearest - values.begin());
}

bool is_listed(const Parameter& parameter, int64_t value) {
  return std::binary_search(parameter.values.begin(), parameter.values.end(), value);
}

/// A description with the values of some inputs, compiled once for all queries.
class Choice {
 public:
  Choice(const Description& description, const session::Inputs& inputs, const kernel::Limits& limits)
      : description_(description), model_(description, limits) {
    model_.set("M", inputs.size.m);
    model_.set("N", inputs.size.n);
    model_.set("K", inputs.size.k);
    for (const Parameter& parameter : description.parameters) {
      const int64_t value = value_of(parameter, inputs.settings);
      model_.set(parameter.name, value);
      if (!is_listed(parameter, value)) must_change_.insert(parameter.name);
    }
  }

  Slider slider(const Parameter& parameter) {
    const int64_t value = model_.get(parameter.name);
    Slider slider{parameter.name, tr(std::string_view(parameter.about)), parameter.values, {}, {}, value, 0};
    slider.index = nearest_index(slider.values, value);
    const bool others_are_listed = must_change_.size() == must_change_.count(parameter.name);
    for (const int64_t other : slider.values) {
      model_.set(parameter.name, other);
      slider.legal.push_back(others_are_listed && model_.broken() == 0);
    }
    model_.set(parameter.name, value);
    return slider;
  }

 private:
  const Description& description_;
  kernel::Model model_;
  std::set<std::string> must_change_;
};

int64_t preset_value(const kernel::Preset& preset, const Parameter& parameter) {
  const auto set = preset.settings.find(parameter.name);
  return set == preset.settings.end() ? parameter.default_value : set->second;
}

PresetChoice preset_choice(const Description& description, const kernel::Preset& preset,
                           const kernel::Settings& settings) {
  PresetChoice choice{preset.name, "", {}, true};
  for (const Parameter& parameter : description.parameters) {
    const int64_t value = preset_value(preset, parameter);
    choice.params.emplace_back(parameter.name, value);
    choice.on = choice.on && value_of(parameter, settings) == value;
    const bool differs =
        std::any_of(description.presets.begin(), description.presets.end(),
                    [&](const kernel::Preset& other) { return preset_value(other, parameter) != value; });
    if (differs || description.presets.size() == 1)
      choice.words += fmt::format("{}{} {}", choice.words.empty() ? "" : " \u00b7 ", parameter.name, value);
  }
  return choice;
}

ParameterValues values_now(const Description& description, const kernel::Settings& settings) {
  ParameterValues values;
  for (const Parameter& parameter : description.parameters) values[parameter.name] = value_of(parameter, settings);
  return values;
}

/// How far a configuration is from what is set: by how many parameters, then by how much.
std::pair<int, double> distance(const ParameterValues& from, const ParameterValues& to) {
  std::pair<int, double> result{0, 0};
  for (const auto& [name, value] : to) {
    const auto now = from.find(name);
    if (now == from.end() || now->second == value) continue;
    ++result.first;
    result.second +=
        std::fabs(std::log2((1.0 + static_cast<double>(value)) / (1.0 + static_cast<double>(now->second))));
  }
  return result;
}

/// Leaves the slider the values that ship.
void keep_shipped(Slider& slider, const std::vector<ParameterValues>& shipped, const ParameterValues& now) {
  slider.shipped.resize(slider.values.size());
  for (size_t i = 0; i < slider.values.size(); ++i) {
    const ParameterValues* nearest = nearest_with(slider.name, slider.values[i], shipped, now);
    slider.legal[i] = nearest != nullptr;
    if (nearest) slider.shipped[i] = *nearest;
  }
}

ParameterValues changed(ParameterValues values, const FixIt& changes) {
  for (const auto& [name, value] : changes)
    if (values.contains(name)) values[name] = value;
  return values;
}

LegalWay way_of(const FixIt& changes, kernel::Size size) {
  LegalWay way{kernel::settings_text(changes).text(), {}};
  const kernel::Size before = size;
  for (const auto& [name, value] : changes) {
    if (name == "M")
      size.m = value;
    else if (name == "N")
      size.n = value;
    else if (name == "K")
      size.k = value;
    else
      way.commands.push_back(session::SetParameter{name, value});
  }
  if (size != before) way.commands.push_back(session::SetSize{size});
  return way;
}

/// The broken rules, with the fixes as buttons instead of sentences.
Legality illegal(const Diagnostics& problems, const kernel::Size& size, const std::function<bool(const FixIt&)>& runs) {
  Legality legality;
  for (const Diagnostic& problem : problems) {
    legality.sentences.push_back(problem.fixes.empty() ? text_of(problem) : problem.message.text());
    for (const FixIt& changes : problem.fixes)
      if (runs(changes)) legality.ways.push_back(way_of(changes, size));
  }
  return legality;
}

bool changes(const LegalWay& way, const std::string& parameter) {
  return std::ranges::any_of(way.commands, [&](const session::Command& command) {
    const auto* const set = std::get_if<session::SetParameter>(&command);
    return set && set->name == parameter;
  });
}

/// Whether a way to become legal changes the slider, alone or with others.
bool is_wrong(const Slider& slider, const Legality& legality) {
  const bool alone = std::ranges::find(slider.legal, true) != slider.legal.end();
  return !slider.legal[slider.index] &&
         (alone || std::ranges::any_of(legality.ways, [&](const LegalWay& way) { return changes(way, slider.name); }));
}

std::string with_values(const std::string& expression, const std::map<std::string, std::string>& values) {
  std::string text;
  for (size_t at = 0; at < expression.size();) {
    size_t end = at;
    while (end < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[end])) || expression[end] == '_'))
      ++end;
    const std::string word = expression.substr(at, std::max<size_t>(end - at, 1));
    const auto value = values.find(word);
    text += value == values.end() ? word : value->second;
    at += word.size();
  }
  return text;
}

bool is_plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c); });
}

/// Names with their values, derived values written out.
std::map<std::string, std::string> values_by_name(const Description& description,
                                                  const kernel::Configuration& configuration) {
  std::map<std::string, std::string> values{{"M", fmt::format("{}", configuration.size.m)},
                                            {"N", fmt::format("{}", configuration.size.n)},
                                            {"K", fmt::format("{}", configuration.size.k)}};
  for (const auto& [name, value] : configuration.parameters) values[name] = fmt::format("{}", value);
  for (const kernel::Derived& derived : description.derived) {
    const std::string written = with_values(derived.value.text, values);
    values[derived.name] = is_plain(written) ? written : fmt::format("({})", written);
  }
  return values;
}

/// Without brackets that enclose all of it.
std::string unbracketed(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return text;
  }
  return text.size() > 2 && text.front() == '(' ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

bool ships(const ParameterValues& values, const std::vector<ParameterValues>& shipped) {
  return std::ranges::any_of(shipped, [&](const ParameterValues& each) { return distance(values, each).first == 0; });
}

const ParameterValues* nearest_with(const std::string& parameter, int64_t value,
                                    const std::vector<ParameterValues>& shipped, const ParameterValues& now) {
  const ParameterValues* nearest = nullptr;
  for (const ParameterValues& each : shipped) {
    const auto found = each.find(parameter);
    if (found == each.end() || found->second != value) continue;
    if (!nearest || distance(now, each) < distance(now, *nearest)) nearest = &each;
  }
  return nearest;
}

std::optional<LegalWay> nearest_shipped(const Description& description, const session::Inputs& inputs,
                                        const std::vector<ParameterValues>& shipped) {
  const ParameterValues now = values_now(description, inputs.settings);
  const auto nearest = std::ranges::min_element(shipped, {}, [&](const auto& each) { return distance(now, each); });
  if (nearest == shipped.end() || distance(now, *nearest).first == 0) return std::nullopt;
  FixIt changes;
  for (const auto& [name, value] : now)
    if (const auto found = nearest->find(name); found != nearest->end() && found->second != value)
      changes.push_back({name, found->second});
  return way_of(changes, inputs.size);
}

std::string threads_sentence(const Description& description, const kernel::Configuration& configuration) {
  const std::map<std::string, std::string> values = values_by_name(description, configuration);
  const uint32_t extents[] = {configuration.block.x, configuration.block.y, configuration.block.z};
  std::string product;
  for (size_t i = 0; i < description.block.size(); ++i) {
    std::string factor = with_values(description.block[i].text, values);
    if (factor.find('?') != std::string::npos) factor = fmt::format("{}", extents[i]);
    if (factor != "1") product.append(product.empty() ? "" : "*").append(factor);
  }
  const uint64_t threads = configuration.block.count();
  product = unbracketed(product);
  return product.empty() || product == std::to_string(threads) ? plural(threads, "{} thread", "{} threads")
                                                               : tr_format("{} = {} threads", product, threads);
}

ParameterPanel parameter_panel(const Description& description, const session::Inputs& inputs,
                               const kernel::Limits& limits, const Result<kernel::Configuration>& settled,
                               const std::optional<std::vector<ParameterValues>>& shipped) {
  ParameterPanel panel;
  panel.size = inputs.size;
  panel.extents = kernel::used_extents(description);
  panel.block = {inputs.block_x, inputs.block_y, inputs.block_z};
  Choice choice(description, inputs, limits);
  const ParameterValues now = values_now(description, inputs.settings);
  for (const Parameter& parameter : description.parameters) {
    panel.sliders.push_back(choice.slider(parameter));
    if (shipped) keep_shipped(panel.sliders.back(), *shipped, now);
  }
  for (const kernel::Preset& preset : description.presets)
    panel.presets.push_back(preset_choice(description, preset, inputs.settings));
  if (!settled) {
    panel.legality = illegal(settled.errors(), inputs.size,
                             [&](const FixIt& changes) { return !shipped || ships(changed(now, changes), *shipped); });
    for (Slider& slider : panel.sliders) slider.wrong = is_wrong(slider, panel.legality);
    return panel;
  }
  panel.grid = settled->grid;
  const std::array<uint32_t, 3> extents{panel.grid.x, panel.grid.y, panel.grid.z};
  for (size_t d = 0; d < extents.size(); ++d) panel.block[d] = std::min(panel.block[d], extents[d] - 1);
  const auto legal = [](const std::string& threads) { return tr_format("legal: {}", threads); };
  panel.legality = {.legal = true,
                    .sentences = {legal(threads_sentence(description, *settled))},
                    .brief = legal(plural(settled->block.count(), "{} thread", "{} threads"))};
  return panel;
}

}  // namespace tilescope::view
