#include "base/turns.h"

#include <deque>
#include <utility>

#include <emscripten.h>

#include "base/web/page.h"
#include "base/web/slices.h"

// Of emscripten: the top of the stack in memory. What is suspended has a stack of its own, see page.js.
extern "C" {
void* stackSave();
void stackRestore(void* top);
}

namespace tilescope {
namespace {

constexpr double kWorkSlice = 12;  // Milliseconds: a turn that is due waits no longer.

std::deque<std::function<void()>> waiting;
/// Of what runs now: for how many milliseconds it may, 0 if it cannot be suspended, and since when it does.
struct Slice {
  double milliseconds = 0, begun = 0;
};
Slice slice;

}  // namespace

bool works_between_turns() { return true; }

void run_between_turns(std::function<void()> work) {
  waiting.push_back(std::move(work));
  page_begin_work();
}

void run_in_slices(double milliseconds, const std::function<void()>& work) {
  slice = {milliseconds, emscripten_get_now()};
  work();
  slice = {};
}

void let_turns_pass() {
  if (slice.milliseconds == 0 || emscripten_get_now() - slice.begun < slice.milliseconds) return;
  void* const top = stackSave();
  const double milliseconds = std::exchange(slice, {}).milliseconds;
  page_pause();
  stackRestore(top);
  slice = {milliseconds, emscripten_get_now()};
}

}  // namespace tilescope

/// Does the first work that waits. The page calls it once for each that begins.
extern "C" EMSCRIPTEN_KEEPALIVE void page_work() {
  using namespace tilescope;
  const std::function<void()> work = std::move(waiting.front());
  waiting.pop_front();
  run_in_slices(kWorkSlice, work);
}
