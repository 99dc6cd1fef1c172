#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// The command line as data, for the manual page and for completion by shells.
namespace tilescope::cli {

struct OptionRow {
  std::string names;                    ///< "-h, --help", or a positional's name.
  std::vector<std::string> long_names;  ///< Without --.
  std::string about;
  bool positional = false;
  bool takes_value = false;
};

struct CommandRow {
  std::string name;  ///< "lesson show": with its parent's name.
  std::string about;
  std::vector<OptionRow> options;
  bool has_commands = false;  ///< It has subcommands, which follow it.
};

/// Every command in the order of --help, each followed by its own.
std::vector<CommandRow> commands_of(const CLI::App& app);

}  // namespace tilescope::cli
