#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/diagnostic.h"
#include "run/grid_run.h"

/// The process's standard streams and the interrupt key.
namespace tilescope::cli {

enum Exit : int { kFine = 0, kFinding = 1, kBadInput = 2, kInterrupted = 130 };

/// Keeps files opened later from taking the descriptor of a standard stream that the caller closed, and makes Ctrl+C
/// set interrupted(); a second Ctrl+C ends the program at once. Call it first.
void set_up_streams();
const std::atomic<bool>& interrupted();

/// Writes data to stdout. On failure a message goes to stderr and kBadInput is returned, else `status`.
int finish(std::string_view data, int status);

/// If JSON was requested and no data was written: the errors of fail() as one object on stdout. Returns `status`.
int finish_in_json(int status);

/// Writes the diagnostics to stderr. Returns kInterrupted after Ctrl+C, else kBadInput.
int fail(const Diagnostics& problems);
int fail(std::string message);
/// Writes warnings and notes to stderr.
void warn(const Diagnostics& notes);

/// A line on stderr that says how far the work is, rewritten in place. If stderr is not a terminal, a line after
/// two seconds and then every ten.
class ProgressLine {
 public:
  explicit ProgressLine(std::string prefix = {});
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& what, uint64_t done, uint64_t total);
  /// For long work, also if stderr is not a terminal: a line every few seconds, the first at once.
  void say(const std::string& text);
  void clear();

 private:
  void remind();

  std::string prefix_;
  bool terminal_;
  bool shown_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;                             ///< Under the mutex.
  std::string last_;                              ///< What show() had last to say.
  std::jthread reminder_;                         ///< Not joinable where the system gives no more threads.
  std::chrono::steady_clock::time_point next_{};  ///< When the next line may follow without a terminal.
};

/// Cancelled by Ctrl+C, progress shown on `line`.
run::Control control_for(ProgressLine& line);

}  // namespace tilescope::cli
