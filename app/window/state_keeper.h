#pragma once

#include <filesystem>
#include <future>
#include <string>

#include "base/result.h"
#include "session/state.h"

namespace tilescope::window {

/// Keeps what is on screen from one start to the next, in one file, and remembers whether the program ended well.
class StateKeeper {
 public:
  /// `folder`: where the state lies; made when there is none. Empty: nothing is kept.
  explicit StateKeeper(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// What was kept; `fallback` where there is nothing, where it cannot be read, or where the program ended badly with
  /// it on screen: such a file is put aside and notice() says so. Marks that the program runs.
  session::State start(const session::State& fallback);
  /// Has the state written when it has changed and the last writing was long enough ago, on a thread of its own: a
  /// disk can take seconds. `now`: seconds, of any clock.
  void note(const session::State& state, double now);
  /// Seconds until note() may write what has changed; negative when nothing waits.
  double waits(double now) const;
  /// Writes at once and waits for it. Sets notice() when the folder cannot be written, the first time.
  void save(const session::State& state);
  /// Writes, and marks that the program ended well.
  void finish(const session::State& state);

  /// A sentence for the user; empty when there is nothing to say.
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
  std::future<Result<std::monostate>> writing_;
  double changed_at_ = -1;
  bool marked_ = false, failed_ = false;
};

/// $XDG_STATE_HOME/tilescope or ~/.local/state/tilescope; empty when neither is set.
std::filesystem::path state_folder();

}  // namespace tilescope::window
