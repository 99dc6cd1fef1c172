#include "window/key_queue.h"

#include <algorithm>

#include <GLFW/glfw3.h>

namespace tilescope::window {
namespace {

bool edits(const InputEvent& event) {
  return !event.is_character && event.action != GLFW_RELEASE && event.name.empty() && event.key != GLFW_KEY_SPACE &&
         event.key < GLFW_KEY_LEFT_SHIFT;
}

// Whether `event` must not be seen in one frame with those before it.
bool must_wait(const InputEvent& event, const std::vector<InputEvent>& before) {
  return std::any_of(before.begin(), before.end(), [&](const InputEvent& earlier) {
    return event.is_character ? edits(earlier) : !earlier.is_character && earlier.key == event.key;
  });
}

}  // namespace

std::vector<InputEvent> KeyQueue::take_frame() {
  std::vector<InputEvent> frame;
  while (!events_.empty() && !must_wait(events_.front(), frame)) {
    frame.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  return frame;
}

}  // namespace tilescope::window
