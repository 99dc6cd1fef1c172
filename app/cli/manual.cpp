#include <string>

#include <fmt/format.h>

#include "cli/command_tables.h"
#include "cli/commands.h"
#include "cli/console.h"

namespace tilescope::cli {
namespace {

/// For roff: backslashes and hyphens escaped, no line begins with a dot or an apostrophe.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\n')
      result += ' ';
    else
      result += c;
  }
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

std::string synopsis(const CommandRow& command) {
  std::string text = "tilescope " + command.name;
  for (const OptionRow& option : command.options)
    if (option.positional) text += " " + option.names;
  return text + (command.has_commands ? " command" : " [options]");
}

/// tilescope(1) in the macros of man(7).
std::string manual_text(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH TILESCOPE 1 \"\" \"tilescope {}\" \"User Commands\"\n.SH NAME\n"
      "tilescope \\- runs CUDA kernels on the CPU, lane by lane, and says what they do\n"
      ".SH SYNOPSIS\n.B tilescope\n[command] [options]\n.SH DESCRIPTION\n{}\n.PP\nWithout a command it opens the "
      "window; without a display the stages run as text.\n.SH COMMANDS\n",
      TILESCOPE_VERSION, roff(app.get_description()));
  for (const CommandRow& command : commands_of(app)) {
    text += fmt::format(".SS {}\n{}.\n", roff(synopsis(command)), roff(command.about));
    for (const OptionRow& option : command.options)
      text += fmt::format(".TP\n.B {}\n{}\n", roff(option.names), roff(option.about));
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", roff(app.get_footer()));
}

}  // namespace

void add_manual(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page, for man(1)");
  command->callback([&app, &chosen] { chosen = [&app] { return finish(manual_text(app), kFine); }; });
}

}  // namespace tilescope::cli
