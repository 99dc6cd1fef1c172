#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>

namespace tilescope {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A cancel is a flag, not a descriptor, so waits are cut into slices.
constexpr milliseconds kSlice{10};

enum class Wait { Ready, TimedOut, Cancelled };

Wait wait_for(int descriptor, short events, const Patience& patience) {
  for (;;) {
    if (patience.cancel && patience.cancel->load(std::memory_order_relaxed)) return Wait::Cancelled;
    const auto left = std::chrono::ceil<milliseconds>(patience.until - steady_clock::now());
    const auto slice = std::clamp(left, milliseconds{0}, kSlice);
    pollfd poll_state{descriptor, events, 0};
    if (::poll(&poll_state, 1, static_cast<int>(slice.count())) > 0) return Wait::Ready;
    if (left <= milliseconds{0}) return Wait::TimedOut;
  }
}

// Calls `step`, which moves some bytes or fails like read and write, until `size` bytes are moved.
template <class Step>
Transfer transfer(int descriptor, short events, size_t size, const Patience& patience, Step step) {
  for (size_t done = 0; done < size;) {
    switch (wait_for(descriptor, events, patience)) {
      case Wait::Ready: break;
      case Wait::TimedOut: return Transfer::TimedOut;
      case Wait::Cancelled: return Transfer::Cancelled;
    }
    const ssize_t count = step(done);
    if (count > 0)
      done += static_cast<size_t>(count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return Transfer::Closed;
  }
  return Transfer::Done;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// This process's environment, overridden by `additions`.
std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
  std::vector<std::string> result = additions;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    if (std::none_of(additions.begin(), additions.end(), [&](const auto& a) { return a.starts_with(name); }))
      result.emplace_back(text);
  }
  return result;
}

class SpawnPlan {
 public:
  explicit SpawnPlan(int channel) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, channel, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, channel, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  int spawn(pid_t& pid, const std::string& program, char** arguments, char** environment) const {
    return posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

}  // namespace

bool starts_programs() { return true; }

Result<ChildProcess> ChildProcess::start(const std::filesystem::path& program,
                                         const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& environment) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return error(fmt::format("{}: cannot be started: {}.", program.string(), std::strerror(errno)));
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_with(environment);
  pid_t pid = -1;
  const int failure =
      SpawnPlan(ends[1]).spawn(pid, program.string(), pointers(words).data(), pointers(variables).data());
  ::close(ends[1]);
  if (failure != 0) {
    ::close(ends[0]);
    return error(fmt::format("{}: cannot be started: {}.", program.string(), std::strerror(failure)));
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, ends[0]);
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) kill();
}

bool ChildProcess::is_running() const { return !has_ended(pid_); }

Transfer ChildProcess::send(std::string_view bytes, const Patience& patience) {
  return transfer(channel_, POLLOUT, bytes.size(), patience, [&](size_t done) {
    return ::send(channel_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
  });
}

Transfer ChildProcess::receive(char* target, size_t size, const Patience& patience) {
  return transfer(channel_, POLLIN, size, patience,
                  [&](size_t done) { return ::recv(channel_, target + done, size - done, 0); });
}

Transfer ChildProcess::receive_some(char* target, size_t size, size_t& got, const Patience& patience) {
  return transfer(channel_, POLLIN, 1, patience, [&](size_t) {
    const ssize_t count = ::recv(channel_, target, size, 0);
    got = count > 0 ? static_cast<size_t>(count) : 0;
    return count;
  });
}

Exit ChildProcess::kill() { return wait({steady_clock::now()}); }

Exit ChildProcess::wait(const Patience& patience) {
  const auto cancelled = [&] { return patience.cancel && patience.cancel->load(std::memory_order_relaxed); };
  while (!has_ended(pid_) && steady_clock::now() < patience.until && !cancelled())
    std::this_thread::sleep_for(milliseconds{1});
  // Even if it has ended: others of its group may still run, and until it is reaped its number is not reused.
  ::kill(-pid_, SIGKILL);
  ::close(std::exchange(channel_, -1));
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  Exit exit;
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
  exit.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
  return exit;
}

}  // namespace tilescope
