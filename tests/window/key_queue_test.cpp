#include "window/key_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace tilescope::window {
namespace {

InputEvent key(int code, int action, const char* name = "") { return {false, code, 0, action, 0, 0, name}; }
InputEvent typed(char character) { return {true, 0, 0, 0, 0, static_cast<unsigned>(character), {}}; }

std::vector<std::vector<InputEvent>> frames_of(const std::vector<InputEvent>& events) {
  KeyQueue queue;
  for (const InputEvent& event : events) queue.push(event);
  std::vector<std::vector<InputEvent>> frames;
  while (!queue.empty()) frames.push_back(queue.take_frame());
  return frames;
}

TEST(KeyQueue, ATapWithinOneFrameIsSeenInTwo) {
  const InputEvent down = key(GLFW_KEY_RIGHT, GLFW_PRESS), up = key(GLFW_KEY_RIGHT, GLFW_RELEASE);
  const std::vector<std::vector<InputEvent>> expected = {{down}, {up}};
  EXPECT_EQ(frames_of({down, up}), expected);
}

TEST(KeyQueue, DifferentKeysShareAFrame) {
  const InputEvent control = key(GLFW_KEY_LEFT_CONTROL, GLFW_PRESS), s = key(GLFW_KEY_S, GLFW_PRESS, "s");
  EXPECT_EQ(frames_of({control, s}), (std::vector<std::vector<InputEvent>>{{control, s}}));
}

TEST(KeyQueue, ACharacterAfterAnEditingKeyWaitsSoThatTheOrderHolds) {
  const InputEvent back = key(GLFW_KEY_BACKSPACE, GLFW_PRESS), up = key(GLFW_KEY_BACKSPACE, GLFW_RELEASE);
  EXPECT_EQ(frames_of({back, typed('b')}), (std::vector<std::vector<InputEvent>>{{back}, {typed('b')}}));
  EXPECT_EQ(frames_of({typed('a'), back, up, typed('b')}),
            (std::vector<std::vector<InputEvent>>{{typed('a'), back}, {up, typed('b')}}));
}

TEST(KeyQueue, TheKeyThatMadeACharacterDoesNotHoldItUp) {
  const InputEvent a = key(GLFW_KEY_A, GLFW_PRESS, "a"), b = key(GLFW_KEY_B, GLFW_PRESS, "b");
  EXPECT_EQ(frames_of({a, typed('a'), b, typed('b')}),
            (std::vector<std::vector<InputEvent>>{{a, typed('a'), b, typed('b')}}));
}

}  // namespace
}  // namespace tilescope::window
