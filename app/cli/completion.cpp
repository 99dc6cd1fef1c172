#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command_tables.h"
#include "cli/commands.h"
#include "cli/console.h"

/// `tilescope completion`: a script with which a shell completes the command line. Words that are not options are
/// files.
namespace tilescope::cli {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The last word of "lesson show".
std::string last_word(const CommandRow& command) { return command.name.substr(command.name.rfind(' ') + 1); }
bool is_nested(const CommandRow& command) { return command.name.find(' ') != std::string::npos; }

/// The names of the commands inside `outer`; of the program itself if that is empty.
std::vector<std::string> names_inside(const std::vector<CommandRow>& commands, const std::string& outer) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands) {
    const size_t space = command.name.rfind(' ');
    if ((space == std::string::npos ? "" : command.name.substr(0, space)) == outer) names.push_back(last_word(command));
  }
  return names;
}

std::vector<std::string> words_of(const CommandRow& command) {
  std::vector<std::string> words;
  for (const OptionRow& option : command.options)
    for (const std::string& name : option.long_names) words.push_back("--" + name);
  return words;
}

std::string bash_text(const std::vector<CommandRow>& commands) {
  std::string text =
      "_tilescope_words() {\n  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
      "  [ \"$command\" = lesson ] && [ \"$COMP_CWORD\" -gt 2 ] && command=\"lesson ${COMP_WORDS[2]}\"\n"
      "  [ \"$COMP_CWORD\" -gt 1 ] || command=\n  case $command in\n";
  text += fmt::format("    '') words={};;\n", quoted(fmt::format("{}", fmt::join(names_inside(commands, ""), " "))));
  for (const CommandRow& command : commands) {
    std::vector<std::string> words = words_of(command);
    for (std::string& name : names_inside(commands, command.name)) words.push_back(std::move(name));
    text += fmt::format("    {}) words={};;\n", quoted(command.name), quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  return text +
         "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
         "complete -o default -F _tilescope_words tilescope\n";
}

/// zsh can use bash's functions with bashcompinit.
std::string zsh_text(const std::vector<CommandRow>& commands) {
  return "#compdef tilescope\nautoload -U +X bashcompinit && bashcompinit\n" + bash_text(commands) +
         "_bash_complete -o default -F _tilescope_words\n";
}

std::string fish_text(const std::vector<CommandRow>& commands) {
  std::string text;
  for (const CommandRow& command : commands) {
    const std::string outer = command.name.substr(0, command.name.find(' '));
    const std::string there = is_nested(command) ? fmt::format("__fish_seen_subcommand_from {}", outer)
                                                 : std::string("__fish_use_subcommand");
    text += fmt::format("complete -c tilescope -n {} {}-a {} -d {}\n", quoted(there), is_nested(command) ? "-f " : "",
                        last_word(command), quoted(command.about));
    for (const OptionRow& option : command.options)
      for (const std::string& name : option.long_names)
        text += fmt::format("complete -c tilescope -n {} -l {}{} -d {}\n",
                            quoted("__fish_seen_subcommand_from " + last_word(command)), name,
                            option.takes_value ? " -r" : "", quoted(option.about));
  }
  return text;
}

std::string completion_text(const std::string& shell, const CLI::App& app) {
  const std::vector<CommandRow> commands = commands_of(app);
  if (shell == "zsh") return zsh_text(commands);
  return shell == "fish" ? fish_text(commands) : bash_text(commands);
}

}  // namespace

void add_completion(CLI::App& app, Action& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print what bash, zsh or fish reads to complete the command line");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback(
      [&app, &chosen, shell] { chosen = [&app, shell] { return finish(completion_text(*shell, app), kFine); }; });
}

}  // namespace tilescope::cli
