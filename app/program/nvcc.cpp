#include "program/nvcc.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilescope::program {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> folders_to_search() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::istringstream stream(path ? path : "");
  for (std::string folder; std::getline(stream, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  if (const char* home = std::getenv("CUDA_HOME"); home && *home) folders.push_back(fs::path(home) / "bin");
  std::vector<fs::path> installed;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", problem))
    if (entry.path().filename().string().starts_with("cuda")) installed.push_back(entry.path() / "bin");
  std::sort(installed.rbegin(), installed.rend());
  folders.insert(folders.end(), installed.begin(), installed.end());
  return folders;
}

/// Its exit status; its output goes where this process's goes. An error if it cannot be started.
Result<int> run_and_wait(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // stdout is the program's.
  const int problem = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return error(Message("{} cannot be started: {}.", command[0], std::strerror(problem)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

fs::path find_nvcc() {
  for (const fs::path& folder : folders_to_search())
    if (::access((folder / "nvcc").c_str(), X_OK) == 0) return folder / "nvcc";
  return {};
}

CompiledProgram::~CompiledProgram() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<CompiledProgram> CompiledProgram::compile(const fs::path& source, const std::string& arch,
                                                 const std::vector<std::string>& options) {
  std::error_code problem;
  if (!fs::is_regular_file(source, problem)) return error(Message("There is no file {}.", source.string()));
  const fs::path nvcc = find_nvcc();
  if (nvcc.empty())
    return error(Message(
        "nvcc, which compiles a CUDA program, is neither in PATH nor in $CUDA_HOME/bin nor in /usr/local/cuda*/bin. "
        "Install the CUDA Toolkit 13, or build the program with nvcc -cudart shared elsewhere and give the result."));
  std::string folder = (fs::temp_directory_path(problem) / "tilescope-XXXXXX").string();
  if (!::mkdtemp(folder.data()))
    return error(Message("The folder {} cannot be made: {}.", folder, std::strerror(errno)));
  CompiledProgram compiled{fs::path(folder)};
  const std::string capability = arch.substr(arch.find('_') + 1);
  std::vector<std::string> command{
      nvcc.string(),  "-cudart",
      "shared",       "-lineinfo",
      "-gencode",     fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", capability),
      "-o",           compiled.file().string(),
      source.string()};
  command.insert(command.end(), options.begin(), options.end());
  const Result<int> status = run_and_wait(std::move(command));
  if (!status) return status.errors();
  if (*status != 0) return error(Message("nvcc cannot compile {}; see its messages above.", source.string()));
  return compiled;
}

}  // namespace tilescope::program
