#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/text.h"
#include "kernel/catalogue.h"

namespace tilescope::cli {
namespace {
using Json = nlohmann::ordered_json;

Json json_of(const kernel::Parameter& parameter) {
  return {{"name", parameter.name},
          {"about", parameter.about},
          {"default", parameter.default_value},
          {"values", parameter.values}};
}

Json json_of(const kernel::Kernel& kernel) {
  Json json{{"number", kernel.number},           {"name", kernel.name},
            {"title", kernel.description.title}, {"summary", kernel.description.summary},
            {"file", kernel.file.string()},      {"parameters", Json::array()},
            {"constraints", Json::array()},      {"presets", Json::object()}};
  for (const kernel::Parameter& parameter : kernel.description.parameters)
    json["parameters"].push_back(json_of(parameter));
  for (const kernel::Constraint& constraint : kernel.description.constraints)
    json["constraints"].push_back(constraint.condition.text);
  for (const kernel::Preset& preset : kernel.description.presets) json["presets"][preset.name] = preset.settings;
  return json;
}

std::string range_of(const kernel::Parameter& parameter) {
  if (parameter.is_range && parameter.values.size() > 2)
    return fmt::format("{} to {}{}", parameter.values.front(), parameter.values.back(),
                       parameter.step == 1 ? "" : fmt::format(" in steps of {}", parameter.step));
  return fmt::format("{}", fmt::join(parameter.values, " "));
}

std::string text_of(const kernel::Catalogue& catalogue, const Style& style) {
  std::string text;
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    text += style.bold(kernel.name) + "  " + kernel.description.title + '\n';
    text += "    " + wrapped(kernel.description.summary, kWidth - 4, 4) + '\n';
    Table table({Align::Left, Align::Right, Align::Left});
    for (const kernel::Parameter& parameter : kernel.description.parameters)
      table.row({parameter.name, std::to_string(parameter.default_value), "of " + range_of(parameter)});
    text += table.text(4) + '\n';
  }
  return text + "tilescope trace NAME --set BM=64 --size 256 runs one; a number or either half of a name will do.\n";
}

void add_kernels_options(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "One JSON object instead of text");
}

/// `tilescope kernels`: the catalogue with parameters, ranges and defaults.
int run_kernels(const bool& json) {
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  warn(catalogue.problems);
  if (catalogue.kernels.empty()) return fail("No kernels in " + (data_folder() / "kernels").string() + ".");
  if (!json) return finish(text_of(catalogue, terminal_style()), kFine);
  Json object{{"kernels", Json::array()}};
  for (const kernel::Kernel& kernel : catalogue.kernels) object["kernels"].push_back(json_of(kernel));
  return finish(to_text(object), kFine);
}

}  // namespace

void add_kernels(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "kernels", "The catalogue with parameters, ranges and defaults", add_kernels_options,
              run_kernels);
}

}  // namespace tilescope::cli
