#include "window/state_keeper.h"

#include <cstdlib>

#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "session/state_file.h"
#include "window/system.h"

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

constexpr double kDelay = 3;  // Seconds between a change and its writing.

}  // namespace

fs::path state_folder() {
  if (const char* xdg = std::getenv("XDG_STATE_HOME"); xdg && *xdg) return fs::path(xdg) / "tilescope";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".local/state/tilescope";
  return {};
}

bool StateKeeper::ended_badly() const {
  const Result<std::string> process = read_file(marker());
  return process && !still_runs(*process);  // A second window beside it is not a crash.
}

fs::path StateKeeper::put_aside(const char* name) {
  const fs::path target = folder_ / name;
  std::error_code problem;
  fs::rename(file(), target, problem);
  return problem ? file() : target;
}

session::State StateKeeper::read(const session::State& fallback) {
  std::error_code none;
  first_ = !fs::exists(file(), none) && !ended_badly();
  if (!fs::exists(file(), none)) return fallback;
  if (ended_badly()) {
    notice_ = tr_format("Tilescope ended unexpectedly last time. What was on screen is kept in {}.",
                        put_aside("state-before-the-end.json").string());
    return fallback;
  }
  Result<session::State> state = session::load_state(file());
  if (state) return *state;
  const std::string reason = text_of(state.errors().front());
  notice_ = tr_format("What was on screen last time cannot be read. {} It is kept as {}.", reason,
                      put_aside("state-unreadable.json").filename().string());
  return fallback;
}

void StateKeeper::mark() {
  const Result<std::string> process = read_file(marker());
  if (process && still_runs(*process)) return;
  std::error_code none;
  fs::create_directories(folder_, none);
  marked_ = static_cast<bool>(write_file(marker(), std::to_string(::getpid())));
}

session::State StateKeeper::start(const session::State& fallback) {
  if (folder_.empty()) return fallback;
  session::State state = read(fallback);
  mark();
  written_ = seen_ = state;
  return state;
}

void StateKeeper::note(const session::State& state, double now) {
  if (writing_.is_made()) end_writing();
  if (state != seen_) {
    seen_ = state;
    if (changed_at_ < 0) changed_at_ = now;
  }
  if (changed_at_ >= 0 && now - changed_at_ >= kDelay && !writing_.is_pending()) begin_writing(state);
}

void StateKeeper::begin_writing(const session::State& state) {
  changed_at_ = -1;
  if (folder_.empty() || state == written_) return;
  written_ = state;
  const auto save = [state, file = file()] { return session::save_state(state, file); };
  writing_ = Async<Result<std::monostate>>(save, [] {});
}

void StateKeeper::end_writing() {
  const Result<std::monostate> saved = writing_.take();
  if (saved) return;
  written_ = {};
  if (failed_) return;
  failed_ = true;
  notice_ = tr_format(
      "What is on screen will not be there next time. {} Make that folder writable, or start with XDG_STATE_HOME set "
      "to one that is.",
      text_of(saved.errors().front()));
}

void StateKeeper::save(const session::State& state) {
  if (writing_.is_pending()) end_writing();
  begin_writing(state);
  if (writing_.is_pending()) end_writing();
}

void StateKeeper::finish(const session::State& state) {
  save(state);
  std::error_code none;
  if (marked_) fs::remove(marker(), none);
}

}  // namespace tilescope::window
