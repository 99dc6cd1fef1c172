#pragma once

#include <filesystem>
#include <string>

#include "base/async.h"
#include "base/result.h"
#include "session/state.h"

namespace tilescope::window {

/// Keeps the window's state between starts, in one file, and remembers whether the program ended normally.
class StateKeeper {
 public:
  /// `folder`: of the state; created if missing. Empty: nothing is kept.
  explicit StateKeeper(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The kept state; `fallback` if there is none, if it cannot be read, or if the program crashed with it: such a file
  /// is put aside and notice() says so. Marks that the program runs.
  session::State start(const session::State& fallback);
  /// Writes the state if it has changed and the last write was long enough ago, on another thread: a disk can take
  /// seconds. `now`: seconds, of any clock.
  void note(const session::State& state, double now);
  /// Writes at once and waits for it. Sets notice() the first time that the folder cannot be written.
  void save(const session::State& state);
  /// Writes, and marks that the program ended normally.
  void finish(const session::State& state);

  /// Nothing was kept before: the program has never been used here.
  bool is_first() const { return first_; }
  /// A sentence for the user, or empty.
  const std::string& notice() const { return notice_; }
  std::filesystem::path file() const { return folder_ / "state.json"; }

 private:
  std::filesystem::path marker() const { return folder_ / "running"; }
  bool ended_badly() const;
  session::State read(const session::State& fallback);
  std::filesystem::path put_aside(const char* name);
  void mark();
  void begin_writing(const session::State& state);
  void end_writing();

  std::filesystem::path folder_;
  std::string notice_;
  session::State seen_, written_;
  Async<Result<std::monostate>> writing_;
  double changed_at_ = -1;
  bool marked_ = false, failed_ = false, first_ = false;
};

/// $XDG_STATE_HOME/tilescope or ~/.local/state/tilescope; empty if neither is set.
std::filesystem::path state_folder();

}  // namespace tilescope::window
