#include "window/input_queue.h"

#include <algorithm>
#include <utility>

#include <GLFW/glfw3.h>

namespace tilescope::window {
namespace {
using Kind = InputEvent::Kind;

bool edits(const InputEvent& event) {
  return event.kind == Kind::Key && event.action != GLFW_RELEASE && event.name.empty() && event.key != GLFW_KEY_SPACE &&
         event.key < GLFW_KEY_LEFT_SHIFT;
}

int modifiers(const InputEvent& event) {
  return event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_SHIFT | GLFW_MOD_ALT | GLFW_MOD_SUPER);
}

bool cannot_share_a_frame(const InputEvent& event, const InputEvent& earlier) {
  if (event.is_press() && earlier.is_press() && modifiers(event) != modifiers(earlier)) return true;
  if (event.kind == Kind::Character) return edits(earlier);
  if (event.kind == Kind::Key && event.is_press() && edits(earlier)) return true;
  if (event.kind != earlier.kind) return false;
  return event.key == earlier.key || event.x != earlier.x || event.y != earlier.y;
}

}  // namespace

bool InputEvent::is_press() const {
  const bool modifier = kind == Kind::Key && key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
  return kind != Kind::Character && action != GLFW_RELEASE && !modifier;
}

// A character follows its key at once; that another key is released does not come between them.
void TakenKey::note(const InputEvent& event, bool taken) {
  if (event.kind != InputEvent::Kind::Key || event.action == GLFW_RELEASE) return;
  taken_ = taken || (taken_ && event.action == GLFW_REPEAT && event.key == key_);
  key_ = event.key;
}

std::vector<InputEvent> InputQueue::take_frame() {
  std::vector<InputEvent> frame;
  const auto must_wait = [&](const InputEvent& event) {
    return std::any_of(frame.begin(), frame.end(),
                       [&](const InputEvent& earlier) { return cannot_share_a_frame(event, earlier); });
  };
  if (std::exchange(held_, false)) return frame;
  while (!events_.empty() && !must_wait(events_.front())) {
    frame.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  return frame;
}

}  // namespace tilescope::window
