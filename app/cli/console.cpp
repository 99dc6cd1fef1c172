#include "cli/console.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "cli/text.h"

namespace tilescope::cli {
namespace {

std::atomic<bool> was_interrupted = false;
bool stdout_was_closed = false;
bool data_was_written = false;
Diagnostics what_failed;

void on_interrupt(int) {
  was_interrupted.store(true, std::memory_order_relaxed);
  std::signal(SIGINT, SIG_DFL);
}

/// Without what a terminal would obey, and of long lines and texts the beginning.
void say(const std::string& message) {
  constexpr size_t kLongestLine = 2000, kLongest = 20'000;
  std::string text;
  size_t line = 0, left_out = 0;
  for (const char c : message) {
    line = c == '\n' ? 0 : line + 1;
    if (line > kLongestLine || text.size() > kLongest)
      ++left_out;
    else
      text += printable(c);
  }
  if (left_out > 0) text += fmt::format("\n({} more characters)", left_out);
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

void set_up_streams() {
  stdout_was_closed = ::fcntl(STDOUT_FILENO, F_GETFD) < 0;
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor) std::_Exit(kBadInput);
  std::signal(SIGINT, on_interrupt);
}

const std::atomic<bool>& interrupted() { return was_interrupted; }

int finish(std::string_view data, int status) {
  data_was_written |= !data.empty();
  if (stdout_was_closed && !data.empty()) return fail("The output cannot be written: stdout is closed.");
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size() && std::fflush(stdout) == 0) return status;
  return fail(fmt::format("The output cannot be written: {}.", std::strerror(errno)));
}

int fail(const Diagnostics& problems) {
  const Diagnostics said = was_interrupted ? Diagnostics{error(Message("Interrupted."))} : problems;
  what_failed.insert(what_failed.end(), said.begin(), said.end());
  say(was_interrupted ? "Interrupted." : to_string(problems));
  return was_interrupted ? kInterrupted : kBadInput;
}

int finish_in_json(int status) {
  if (data_was_written || what_failed.empty() || stdout_was_closed) return status;
  nlohmann::ordered_json json{{"errors", nlohmann::ordered_json::array()}, {"status", status}};
  for (const Diagnostic& problem : what_failed)
    if (problem.severity == Severity::Error) json["errors"].push_back(problem_json(problem));
  return finish(to_text(json), status);
}

int fail(std::string message) { return fail(Diagnostics{error(std::move(message))}); }

void warn(const Diagnostics& notes) {
  if (!notes.empty()) say(to_string(notes));
}

ProgressLine::ProgressLine(std::string prefix) : prefix_(std::move(prefix)), terminal_(::isatty(STDERR_FILENO) != 0) {
  reminder_ = start_thread([this] { remind(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  reminder_ = {};
  clear();
}

/// Says that the work goes on, where it has reported nothing for long.
void ProgressLine::remind() {
  constexpr auto kFirst = std::chrono::seconds(2), kLater = std::chrono::seconds(10);
  std::unique_lock lock(mutex_);
  for (auto wait = kFirst; !ended_.wait_for(lock, wait, [this] { return over_; }); wait = kLater) {
    const std::string text = prefix_ + (last_.empty() ? "still working" : last_);
    if (!terminal_)
      std::fprintf(stderr, "%s\n", text.c_str());
    else if (!shown_)
      std::fprintf(stderr, "\r\x1b[K%s", text.c_str()), shown_ = true;
  }
}

void ProgressLine::show(const std::string& what, uint64_t done, uint64_t total) {
  const std::lock_guard lock(mutex_);
  constexpr size_t kLongest = 60;  // With a template's arguments it may have hundreds of characters.
  last_ = fmt::format("{}: {} of {}", shortened(what, kLongest), done, total);
  if (!terminal_) return;
  std::fprintf(stderr, "\r\x1b[K%s%s", prefix_.c_str(), last_.c_str());
  shown_ = true;
}

void ProgressLine::say(const std::string& text) {
  constexpr auto kBetweenLines = std::chrono::seconds(5);
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  last_ = text;
  if (terminal_)
    std::fprintf(stderr, "\r\x1b[K%s%s", prefix_.c_str(), text.c_str());
  else if (now >= next_)
    std::fprintf(stderr, "%s%s\n", prefix_.c_str(), text.c_str()), next_ = now + kBetweenLines;
  shown_ = terminal_;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) std::fprintf(stderr, "\r\x1b[K");
  shown_ = false;
  last_.clear();
}

run::Control control_for(ProgressLine& line) {
  run::Control control;
  control.cancel = &was_interrupted;
  control.progress = [&line](const std::string& what, uint64_t done, uint64_t total) { line.show(what, done, total); };
  return control;
}

}  // namespace tilescope::cli
