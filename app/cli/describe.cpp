#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/kernel_options.h"
#include "kernel/open_file.h"

namespace tilescope::cli {
namespace {

struct DescribeOptions {
  std::string file, entry;
  std::vector<std::string> include;
  bool save = false;
};

void add_describe_options(CLI::App& command, DescribeOptions& options) {
  command.add_option("file", options.file, "A .cu file without a description")->required();
  add_file_options(command, options.entry, options.include);
  command.add_flag("--save", options.save, "Write it beside the file, as NAME.toml");
}

/// `tilescope describe`: prints the proposed description of a .cu file, or writes it beside the file.
int run_describe(const DescribeOptions& options) {
  const Result<kernel::Opened> opened =
      kernel::open_file(options.file, {options.entry, {options.include.begin(), options.include.end()}});
  if (!opened) return fail(opened.errors());
  const std::string toml = kernel::description_file(opened->kernel).string();
  if (!opened->form) return fail(fmt::format("{} describes it already.", toml));
  tell_assumed(*opened);
  if (!options.save) return finish(to_toml(*opened->form), kFine);
  if (const auto written = write_file(toml, to_toml(*opened->form)); !written) return fail(written.errors());
  return finish(fmt::format("{} is written; change it where it is wrong.\n", toml), kFine);
}

}  // namespace

void add_describe(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "describe",
              "Propose the description of a .cu file that has none, or write it beside the file", add_describe_options,
              run_describe);
}

}  // namespace tilescope::cli
