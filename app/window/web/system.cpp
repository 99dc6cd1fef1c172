#include "window/system.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include <emscripten.h>

#include "base/web/turns.h"
#include "base/web/page.h"

namespace tilescope::window {
namespace {

/// What the page gave, which it has allocated.
std::string taken(char* text) {
  std::string result = text;
  std::free(text);
  return result;
}

// Frames in a row that may pass while work waits: longer would starve it as long as the mouse moves.
constexpr int kFramesBeforeWork = 4;

std::function<bool()> turn_of_window;
int frames_in_a_row = 0;

void do_turn() {
  turn_of_window();
  const bool draws = page_turn_wait() == 0;
  frames_in_a_row = draws ? frames_in_a_row + 1 : 0;
  if (draws && frames_in_a_row < kFramesBeforeWork) return;
  frames_in_a_row = 0;
  if (const std::optional<double> wait = WaitingWork::do_next()) page_ask_for_turn(*wait);
}

}  // namespace

void set_up_process() {}
bool end_was_asked() { return false; }
void give_memory_back() { page_keep_files(); }

void run_turns(std::function<bool()> turn) {
  turn_of_window = std::move(turn);
  page_ask_for_turn(0);
}

bool still_runs(const std::string&) { return true; }

std::string page_address() { return taken(::page_address()); }

std::string environment_language() {
  const std::string language = taken(page_language());
  return language.substr(0, language.find('-'));
}

}  // namespace tilescope::window

/// The page calls it whenever a turn was asked for or something happened.
extern "C" EMSCRIPTEN_KEEPALIVE void page_turn() {
  if (tilescope::window::turn_of_window) tilescope::window::do_turn();
}
