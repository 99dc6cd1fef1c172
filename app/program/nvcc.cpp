#include "program/nvcc.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "compile/nvcc.h"
#include "program/host.h"
#include "program/nearby_headers.h"
#include "source/removed_names.h"
#include "source/tokens.h"

namespace tilescope::program {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLargestSource = size_t{4} << 20;

/// Tells the watcher of a CompiledProgram which process group is compiling it; 0 for none.
void tell_group(int descriptor, pid_t group) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, &group, sizeof group);
}

/// Its exit status; its output goes where this process's goes. It is in its own process group, whose number `groups`
/// gets when it begins, and 0 at its end. Errors: it cannot be started, it was cancelled.
Result<int> run_and_wait(std::vector<std::string> command, std::vector<std::string> variables, int groups,
                         const std::atomic<bool>* cancel) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  environment.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    std::signal(SIGTTOU, SIG_IGN);  // A terminal may stop who writes from the background.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // stdout is the program's.
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  if (child < 0) return error(Message("{} cannot be started: {}.", command[0], std::strerror(errno)));
  ::setpgid(child, child);
  tell_group(groups, child);
  int status = 0;
  bool was_cancelled = false;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, was_cancelled ? 0 : WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    was_cancelled |= cancel && cancel->load(std::memory_order_relaxed);
    if (was_cancelled)
      ::kill(-child, SIGKILL);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  tell_group(groups, 0);
  if (was_cancelled) return error(Message("Interrupted."));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// What nvcc does not take, and which of its headers are near, where no option leads there.
Diagnostics refused(const fs::path& source, const std::string& text, const std::vector<std::string>& options) {
  Diagnostics problems{error(Message("nvcc cannot compile {}; see its messages above.", source.string()))};
  std::vector<fs::path> known;
  for (const std::string& option : options)
    if (option.starts_with("-I")) known.emplace_back(option.substr(2));
  std::error_code ignored;
  for (const NearbyHeader& header : nearby_headers(text, source.parent_path(), known)) {
    const std::string near = fs::proximate(header.folder, ignored).string(), whole = header.folder.string();
    const std::string folder = near.size() < whole.size() ? near : whole;
    problems.push_back(error(Message("{} is in {}: add --nvcc=-I{}.", header.name, folder, folder)));
  }
  if (!source::has_main(text))
    problems.push_back(
        error(Message("{} has no main(), so by itself it is no program. tilescope check {} looks at its kernels; "
                      "--nvcc=OTHER.cu adds the file that has main().",
                      source.filename().string(), source.string())));
  for (const auto& removed : {source::removed_functions(text), source::removed_members(text)})
    for (const source::RemovedName& each : removed)
      problems.push_back(error_at({source.string(), each.line}, each.sentence()));
  return problems;
}

}  // namespace

/// Starts a process that ends the compiler and removes the folder when this one ends, even if it is killed.
void CompiledProgram::watch_folder() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
    for (int descriptor = 0; descriptor < ends[0]; ++descriptor) ::close(descriptor);
    ::close(ends[1]);
    pid_t group = 0;
    while (::read(ends[0], &group, sizeof group) > 0 || errno == EINTR) errno = 0;
    if (group > 0) ::kill(-group, SIGKILL);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    ::_exit(0);
  }
  ::close(ends[0]);
  watcher_ = child;
  alive_ = ends[1];
}

CompiledProgram::~CompiledProgram() {
  std::error_code ignored;
  if (alive_ >= 0) ::close(alive_);
  if (watcher_ > 0) ::waitpid(watcher_, nullptr, 0);
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<CompiledProgram> CompiledProgram::compile(const fs::path& source, const std::string& arch,
                                                 const std::vector<std::string>& options,
                                                 const std::atomic<bool>* cancel) {
  std::error_code problem;
  const Result<std::string> text = read_file(source, kLargestSource);
  if (!text) return text.errors();
  if (text->find('\0') != std::string::npos)
    return error(Message("{} is no text: it has NUL bytes. Give the .cu file.", source.string()));
  const fs::path nvcc = compile::find_nvcc();
  if (nvcc.empty())
    return error(Message(
        "nvcc, which compiles a CUDA program, is neither in PATH nor in $CUDA_HOME/bin nor in /usr/local/cuda*/bin, "
        "nor "
        "is it what TILESCOPE_NVCC names. "
        "Install the CUDA Toolkit 13, or build the program with nvcc -cudart shared elsewhere and give the result."));
  std::string folder = (fs::temp_directory_path(problem) / "tilescope-XXXXXX").string();
  if (!::mkdtemp(folder.data()))
    return error(Message("The folder {} cannot be made: {}.", folder, std::strerror(errno)));
  CompiledProgram compiled{fs::path(folder)};
  compiled.watch_folder();
  const std::string capability = arch.substr(arch.find('_') + 1);
  std::vector<std::string> command{nvcc.string(), "-cudart", "shared", "-lineinfo", "-g",
                                   // What a Makefile beside the source would most likely say.
                                   "--extended-lambda", "--expt-relaxed-constexpr", "-gencode",
                                   fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", capability), "-o",
                                   compiled.file().string(), source.string()};
  command.insert(command.end(), options.begin(), options.end());
  // Libraries that have a stand-in need neither an option nor to be installed.
  command.insert(command.end(), {"-Xlinker", "--as-needed", "-Xlinker", "--allow-shlib-undefined"});
  for (const char* library : {"libcublas.so.13", "libcublasLt.so.13", "libcurand.so.10"}) {
    const fs::path link = fs::path(folder) / fs::path(library).stem();  // nvcc takes no other ending than .so.
    fs::create_symlink(stand_in_folder() / library, link, problem);
    command.push_back(link.string());
  }
  command.insert(command.end(), {"-Xlinker", "--no-as-needed"});
  const Result<int> status = run_and_wait(std::move(command), {"TMPDIR=" + folder}, compiled.alive_, cancel);
  if (!status) return status.errors();
  if (*status != 0) return refused(source, *text, options);
  return compiled;
}

}  // namespace tilescope::program
