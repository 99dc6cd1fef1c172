#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tilescope {

/// How long to wait for another process, and what may end the wait earlier.
struct Patience {
  std::chrono::steady_clock::time_point until;
  const std::atomic<bool>* cancel = nullptr;
};

enum class Transfer { Done, Closed, TimedOut, Cancelled };

/// How a process ended.
struct Exit {
  int code = 0;             ///< When `signal` is 0.
  int signal = 0;           ///< The signal that ended it, or 0.
  uint64_t peak_bytes = 0;  ///< Largest resident size.
};

/// Whether the system starts other programs. A browser does not: nothing is compiled, measured or edited there.
bool starts_programs();

/// A program in its own process group, connected to this one by a socket that is its standard input and output. Its
/// standard error is discarded. No other descriptor of this process is open in it.
class ChildProcess {
 public:
  /// Starts `program` (a path, not looked up) with `environment` ("NAME=value") added to this process's own.
  static Result<ChildProcess> start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment);
  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), channel_(std::exchange(other.channel_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills it if it still runs.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// False once it has ended.
  bool is_running() const;
  /// Writes all of `bytes`.
  Transfer send(std::string_view bytes, const Patience& patience);
  /// Reads exactly `size` bytes into `target`.
  Transfer receive(char* target, size_t size, const Patience& patience);
  /// Reads available bytes, at least one and at most `size`; `got` is their number.
  Transfer receive_some(char* target, size_t size, size_t& got, const Patience& patience);
  /// Ends the whole process group at once, closes the socket and reaps the child.
  /// A process that had already ended keeps its own exit.
  Exit kill();
  /// Waits for it to end by itself, as long as the patience lasts; then kills it.
  Exit wait(const Patience& patience);

 private:
  ChildProcess(pid_t pid, int channel) : pid_(pid), channel_(channel) {}

  pid_t pid_;
  int channel_;
};

}  // namespace tilescope
