#include "cli/command_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilescope::cli {
namespace {

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.about = option.get_description();
  row.positional = option.get_positional();
  row.takes_value = option.get_expected_max() > 0 && option.get_type_size_max() > 0;
  row.long_names = option.get_lnames();
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  row.names = row.positional ? option.get_name(true) : fmt::format("{}", fmt::join(names, ", "));
  return row;
}

void add_commands(const CLI::App& app, const std::string& before, std::vector<CommandRow>& rows) {
  for (const CLI::App* command : app.get_subcommands({})) {
    CommandRow row{before + command->get_name(), command->get_description(), {}, false};
    for (const CLI::Option* option : command->get_options({})) row.options.push_back(row_of(*option));
    row.has_commands = !command->get_subcommands({}).empty();
    const std::string inside = row.name + " ";
    rows.push_back(std::move(row));
    add_commands(*command, inside, rows);
  }
}

}  // namespace

std::vector<CommandRow> commands_of(const CLI::App& app) {
  std::vector<CommandRow> rows;
  add_commands(app, "", rows);
  return rows;
}

}  // namespace tilescope::cli
