#include "program/host.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/text.h"
#include "program/conversation.h"
#include "program/executable.h"

namespace tilescope::program {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kMostPayload = uint64_t{1} << 30;

/// A descriptor that is closed by the destructor.
struct Descriptor {
  int number = -1;
  explicit Descriptor(int descriptor) : number(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

/// This process's variables with those that the stand-in needs.
std::vector<std::string> environment(const fs::path& stand_ins, int socket, int memory) {
  std::vector<std::string> variables;
  std::string libraries = stand_ins.string();
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("LD_LIBRARY_PATH="))
      libraries += ':' + std::string(text.substr(text.find('=') + 1));
    else
      variables.emplace_back(text);
  }
  variables.push_back("LD_LIBRARY_PATH=" + libraries);
  variables.push_back(fmt::format("{}={}", wire::kSocketVariable, socket));
  variables.push_back(fmt::format("{}={}", wire::kMemoryVariable, memory));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Of a program that was not meant to be run as a whole: no output, no files written, no network.
void be_silent_and_harmless() {
  // Where the system does not allow it, the program keeps the network.
  if (::unshare(CLONE_NEWNET) != 0) ::unshare(CLONE_NEWUSER | CLONE_NEWNET);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, descriptor);
  forbid_files({{"/", Access::Run}});
}

Result<pid_t> start(const ProgramRequest& request, const fs::path& stand_ins, int socket, int memory) {
  std::vector<std::string> arguments{request.name.empty() ? request.file.string() : request.name};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> variables = environment(stand_ins, socket, memory);
  // A path with a slash is not looked up.
  const fs::path path = request.file.has_parent_path() ? request.file : "." / request.file;
  // Everything that allocates comes before fork(): other threads of this process may hold the allocator's lock.
  const std::vector<char*> argument_pointers = pointers_to(arguments), variable_pointers = pointers_to(variables);
  const std::string file = path.string();
  int report[2] = {-1, -1};
  if (::pipe2(report, O_CLOEXEC) != 0)
    return error(Message("{} cannot be started: {}.", request.file.string(), std::strerror(errno)));
  const Descriptor reads(report[0]);
  Descriptor writes(report[1]);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    // The program must not outlive this process, however that ends.
    if (request.only_to_captured) be_silent_and_harmless();
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent)
      ::execve(file.c_str(), argument_pointers.data(), variable_pointers.data());
    const int problem = errno;
    [[maybe_unused]] const ssize_t written = ::write(report[1], &problem, sizeof problem);
    ::_exit(127);
  }
  int problem = child < 0 ? errno : 0;
  ::close(std::exchange(writes.number, -1));
  if (child > 0 && ::read(reads.number, &problem, sizeof problem) == sizeof problem) ::waitpid(child, nullptr, 0);
  if (problem != 0) return error(Message("{} cannot be started: {}.", request.file.string(), std::strerror(problem)));
  return child;
}

/// Reads exactly `size` bytes; false when the other side has closed.
bool receive(int socket, char* target, uint64_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, target, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    target += got;
    size -= static_cast<uint64_t>(got);
  }
  return true;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

/// Receives one message; false if there will be none.
bool serve(int socket, Conversation& conversation) {
  wire::Header header;
  if (!receive(socket, reinterpret_cast<char*>(&header), sizeof header) || header.bytes > kMostPayload) return false;
  std::string payload(header.bytes, '\0');
  if (!receive(socket, payload.data(), payload.size())) return false;
  return send_all(socket, conversation.answer(header.kind, payload));
}

/// Whether something can be read, or the other side has closed, within a tenth of a second.
bool wait_for_message(int socket) {
  pollfd wanted{socket, POLLIN, 0};
  return ::poll(&wanted, 1, 100) > 0;
}

/// Serves until the program has ended, not waiting for processes that it leaves behind.
int serve_until_end(pid_t child, int socket, Conversation& conversation, const run::Control& control) {
  int status = 0;
  bool open = true, ended = false;
  while (!ended) {
    if (conversation.is_over() || run::cancelled(control)) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return status;
    }
    if (open && wait_for_message(socket)) {
      open = serve(socket, conversation);
      continue;
    }
    ended = ::waitpid(child, &status, open ? WNOHANG : 0) == child;
  }
  // Messages sent just before its end.
  while (open && wait_for_message(socket)) open = serve(socket, conversation);
  return status;
}

}  // namespace

std::string error_text(int32_t error) {
  struct Text {
    int32_t number;
    const char *name, *text;
  };
  static constexpr Text kTexts[]{
#define CUDART_ERROR(number, name, text) {number, name, text},
#include "program/errors.def"
#undef CUDART_ERROR
  };
  for (const Text& each : kTexts)
    if (each.number == error) return fmt::format("\"{}\" ({})", each.text, each.name);
  return fmt::format("error {}", error);
}

fs::path stand_in_folder() {
  std::error_code problem;
  const fs::path here = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const fs::path& candidate : {here / "cudart", here / "../lib/tilescope/cudart"})
    if (fs::exists(candidate / "libcudart.so.13", problem)) return candidate;
  return here / "cudart";
}

Result<ProgramRun> run_program(const ProgramRequest& request, const run::Control& control, const Listener& listener) {
  const Result<std::string> bytes = read_file(request.file, size_t{2} << 30);
  if (!bytes) return bytes.errors();
  if (const Diagnostics problems = check_executable(request.file, *bytes); !problems.empty()) return problems;
  const fs::path stand_ins = request.stand_ins.empty() ? stand_in_folder() : request.stand_ins;
  if (std::error_code problem; !fs::exists(stand_ins / "libcudart.so.13", problem))
    return error(Message("The stand-in for the CUDA runtime is missing: {}. Build or install Tilescope again.",
                         (stand_ins / "libcudart.so.13").string()));

  const Descriptor memory(::memfd_create("tilescope-device", 0));
  int ends[2] = {-1, -1};
  const bool joined = ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
  const Descriptor mine(ends[0]);
  if (!joined || memory.number < 0 || ::fcntl(mine.number, F_SETFD, FD_CLOEXEC) != 0 ||
      ::ftruncate(memory.number, static_cast<off_t>(wire::kFirstVariable - wire::kFirstAddress)) != 0)
    return error(Message("The memory of the device cannot be set up: {}.", std::strerror(errno)));

  Result<pid_t> child = [&] {
    const Descriptor theirs(ends[1]);
    return start(request, stand_ins, theirs.number, memory.number);
  }();
  if (!child) return child.errors();
  ProgramRun run;
  Conversation conversation(request, *child, memory.number, control, listener, run);
  const int status = serve_until_end(*child, mine.number, conversation, control);
  conversation.finish();
  for (FailedCall& failed : run.failed) failed.place = own_place(lines_of(failed.places));
  constexpr size_t kMostNamed = 8;  // Each takes a process.
  for (size_t i = 0; i < std::min(kMostNamed, run.not_freed.size()); ++i)
    run.not_freed[i].place = own_place(lines_of(run.not_freed[i].places));
  run.signal = run::cancelled(control) ? SIGINT : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return run;
}

}  // namespace tilescope::program
