#include "compile/confined.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "compile/nvrtc_process.h"
#include "compile/record.h"

namespace tilescope::compile {
namespace fs = std::filesystem;

Result<Exit> run_confined(const ConfinedProgram& wanted, const fs::path& folder, const Settings& settings,
                          const Patience& patience) {
  std::vector<std::string> readable;
  for (const fs::path& each : wanted.readable) readable.push_back(each.string());
  std::vector<std::string> arguments{std::to_string(settings.memory_limit_bytes),
                                     std::to_string(settings.cpu_limit_seconds),
                                     wanted.must_confine ? "1" : "0",
                                     folder.string(),
                                     fmt::format("{}", fmt::join(readable, ":")),
                                     wanted.program.string()};
  arguments.insert(arguments.end(), wanted.arguments.begin(), wanted.arguments.end());
  auto process = ChildProcess::start(find_program(settings, "tilescope-confine"), arguments, {});
  if (!process) return process.errors();
  const Exit exit = process->wait(patience);
  constexpr int kNotStarted = 127;
  if (exit.signal == 0 && exit.code == kNotStarted)
    return error(Message("{} cannot be started within its limits; see tilescope doctor.", wanted.program.string()));
  return exit;
}

Result<std::string> output_of_program(const fs::path& program, const std::vector<std::string>& arguments,
                                      const Patience& patience, Exit& ended) {
  auto child = ChildProcess::start(program, arguments, {});
  if (!child) return child.errors();
  std::string output;
  char part[4096];
  size_t got = 0;
  while (output.size() < (size_t{1} << 20) && child->receive_some(part, sizeof part, got, patience) == Transfer::Done)
    output.append(part, got);
  ended = child->wait(patience);
  return output;
}

std::string text_of_file(const fs::path& path) {
  const Result<std::string> text = read_file(path, kMaxMessageBytes / 4);
  return text ? *text : std::string{};
}

Result<std::monostate> write_input(const fs::path& folder, const std::string& name, std::string_view text) {
  const fs::path plain = fs::path(name).lexically_normal();
  if (plain.is_absolute() || plain.string().starts_with("..")) return std::monostate{};  // No include may name it.
  std::error_code problem;
  fs::create_directories((folder / name).parent_path(), problem);
  return write_file(folder / name, text);
}

std::vector<fs::path> on_the_path(const std::string& name) {
  std::vector<fs::path> found;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && ::access((fs::path(folder) / name).c_str(), X_OK) == 0)
      found.push_back(fs::path(folder) / name);
  return found;
}

std::string_view without_byte_order_mark(std::string_view source) {
  if (source.starts_with("\xef\xbb\xbf")) source.remove_prefix(3);
  return source;
}

std::string stamp_of(const fs::path& file) {
  std::error_code problem;
  return fmt::format("{} {} {}\n", file.string(), fs::file_size(file, problem),
                     fs::last_write_time(file, problem).time_since_epoch().count());
}

}  // namespace tilescope::compile
