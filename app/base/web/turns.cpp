#include "base/turns.h"

#include <deque>
#include <utility>

#include <emscripten.h>

#include "base/web/page.h"

// Of emscripten: the top of the stack in memory. What is suspended has a stack of its own, see page.js.
extern "C" {
void* stackSave();
void stackRestore(void* top);
}

namespace tilescope {
namespace {

constexpr double kSlice = 12;  // Milliseconds: a turn that is due waits no longer.

std::deque<std::function<void()>> waiting;
bool works = false;  // Now, and not a turn of the window.
double begun = 0;    // The slice.

}  // namespace

bool works_between_turns() { return true; }

void run_between_turns(std::function<void()> work) {
  waiting.push_back(std::move(work));
  page_begin_work();
}

void let_turns_pass() {
  if (!works || emscripten_get_now() - begun < kSlice) return;
  void* const top = stackSave();
  works = false;
  page_pause();
  works = true;
  stackRestore(top);
  begun = emscripten_get_now();
}

}  // namespace tilescope

/// Does the first work that waits. The page calls it once for each that begins.
extern "C" EMSCRIPTEN_KEEPALIVE void page_work() {
  using namespace tilescope;
  const std::function<void()> work = std::move(waiting.front());
  waiting.pop_front();
  works = true;
  begun = emscripten_get_now();
  work();
  works = false;
}
