#include "window/system.h"

#include <cstdlib>
#include <utility>

#include <emscripten.h>

#include "base/web/page.h"
#include "base/web/slices.h"

namespace tilescope::window {
namespace {

/// What the page gave, which it has allocated.
std::string taken(char* text) {
  std::string result = text;
  std::free(text);
  return result;
}

constexpr double kTurnSlice = 30;  // Milliseconds: most turns are shorter. The browser answers after each.

std::function<bool()> turn_of_window;

}  // namespace

void set_up_process() {}
bool end_was_asked() { return false; }
void give_memory_back() {}

void run_turns(std::function<bool()> turn) {
  turn_of_window = std::move(turn);
  page_ask_for_turn(0);
}

bool is_loaded() { return page_has_all_files(); }

bool still_runs(const std::string&) { return true; }

std::string page_address() { return taken(::page_address()); }

std::string environment_language() {
  const std::string language = taken(page_language());
  return language.substr(0, language.find('-'));
}

}  // namespace tilescope::window

/// The page calls it whenever a turn was asked for or something happened, and not before the last one has ended.
extern "C" EMSCRIPTEN_KEEPALIVE void page_turn() {
  using namespace tilescope;
  if (!window::turn_of_window) return;
  run_in_slices(window::kTurnSlice, [] { window::turn_of_window(); });
  page_keep_files();
}
