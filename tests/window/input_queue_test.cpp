#include "window/input_queue.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace tilescope::window {
namespace {

InputEvent key(int code, int action, const char* name = "") {
  InputEvent event;
  event.key = code;
  event.action = action;
  event.name = name;
  return event;
}

InputEvent typed(char character) {
  InputEvent event;
  event.kind = InputEvent::Kind::Character;
  event.character = static_cast<unsigned>(character);
  return event;
}

InputEvent button(int number, int action, float x) {
  InputEvent event = key(number, action);
  event.kind = InputEvent::Kind::Button;
  event.x = x;
  return event;
}

std::vector<std::vector<InputEvent>> frames_of(const std::vector<InputEvent>& events) {
  InputQueue queue;
  for (const InputEvent& event : events) queue.push(event);
  std::vector<std::vector<InputEvent>> frames;
  while (!queue.empty()) frames.push_back(queue.take_frame());
  return frames;
}

TEST(InputQueue, ATapWithinOneFrameIsSeenInTwo) {
  const InputEvent down = key(GLFW_KEY_RIGHT, GLFW_PRESS), up = key(GLFW_KEY_RIGHT, GLFW_RELEASE);
  const std::vector<std::vector<InputEvent>> expected = {{down}, {up}};
  EXPECT_EQ(frames_of({down, up}), expected);
}

/// Ctrl+K opens a field, which has the keyboard two frames later.
TEST(InputQueue, WhatIsTypedWaitsForAFieldThatOpens) {
  InputQueue queue;
  queue.push(key(GLFW_KEY_K, GLFW_PRESS, "k"));
  queue.take_frame();
  queue.hold();
  queue.push(typed('r'));
  EXPECT_TRUE(queue.take_frame().empty());
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.take_frame(), std::vector{typed('r')});
}

TEST(InputQueue, DifferentKeysShareAFrame) {
  const InputEvent control = key(GLFW_KEY_LEFT_CONTROL, GLFW_PRESS), s = key(GLFW_KEY_S, GLFW_PRESS, "s");
  EXPECT_EQ(frames_of({control, s}), (std::vector<std::vector<InputEvent>>{{control, s}}));
}

TEST(InputQueue, APressWithOtherModifiersWaits) {
  const InputEvent control = key(GLFW_KEY_LEFT_CONTROL, GLFW_PRESS), shift = key(GLFW_KEY_LEFT_SHIFT, GLFW_PRESS);
  InputEvent a = key(GLFW_KEY_A, GLFW_PRESS, "a"), left = key(GLFW_KEY_LEFT, GLFW_PRESS);
  a.mods = GLFW_MOD_CONTROL | GLFW_MOD_NUM_LOCK;
  left.mods = GLFW_MOD_CONTROL;
  EXPECT_EQ(frames_of({control, a, left}), (std::vector<std::vector<InputEvent>>{{control, a, left}}));
  left.mods = GLFW_MOD_SHIFT;
  EXPECT_EQ(frames_of({control, a, shift, left}), (std::vector<std::vector<InputEvent>>{{control, a, shift}, {left}}));
}

TEST(InputQueue, ACharacterAfterAnEditingKeyWaitsSoThatTheOrderHolds) {
  const InputEvent back = key(GLFW_KEY_BACKSPACE, GLFW_PRESS), up = key(GLFW_KEY_BACKSPACE, GLFW_RELEASE);
  EXPECT_EQ(frames_of({back, typed('b')}), (std::vector<std::vector<InputEvent>>{{back}, {typed('b')}}));
  EXPECT_EQ(frames_of({typed('a'), back, up, typed('b')}),
            (std::vector<std::vector<InputEvent>>{{typed('a'), back}, {up, typed('b')}}));
}

/// Enter may open a field or a menu, which has the next key.
TEST(InputQueue, AKeyAfterEnterWaits) {
  const InputEvent enter = key(GLFW_KEY_ENTER, GLFW_PRESS), up = key(GLFW_KEY_ENTER, GLFW_RELEASE);
  const InputEvent five = key(GLFW_KEY_5, GLFW_PRESS, "5");
  EXPECT_EQ(frames_of({enter, five, typed('5')}), (std::vector<std::vector<InputEvent>>{{enter}, {five, typed('5')}}));
  EXPECT_EQ(frames_of({five, up}).size(), 1u);
}

TEST(InputQueue, TheKeyThatMadeACharacterDoesNotHoldItUp) {
  const InputEvent a = key(GLFW_KEY_A, GLFW_PRESS, "a"), b = key(GLFW_KEY_B, GLFW_PRESS, "b");
  EXPECT_EQ(frames_of({a, typed('a'), b, typed('b')}),
            (std::vector<std::vector<InputEvent>>{{a, typed('a'), b, typed('b')}}));
}

TEST(InputQueue, ClicksInTwoPlacesTakeTheirFrames) {
  const InputEvent down = button(0, GLFW_PRESS, 10), up = button(0, GLFW_RELEASE, 10);
  const InputEvent other = button(1, GLFW_PRESS, 20);
  EXPECT_EQ(frames_of({down, up, other}), (std::vector<std::vector<InputEvent>>{{down}, {up}, {other}}));
  EXPECT_EQ(frames_of({down, button(1, GLFW_PRESS, 10)}).size(), 1u);
  EXPECT_EQ(frames_of({down, key(0, GLFW_PRESS)}).size(), 1u);
}

TEST(TakenKey, ItsCharacterIsDroppedHoweverLongItIsHeld) {
  TakenKey taken;
  EXPECT_FALSE(taken.drops(typed('1')));
  taken.note(key(GLFW_KEY_1, GLFW_PRESS, "1"), true);
  EXPECT_TRUE(taken.drops(typed('1')));
  EXPECT_FALSE(taken.drops(key(GLFW_KEY_1, GLFW_REPEAT, "1"))) << "a held arrow goes on stepping";
  taken.note(key(GLFW_KEY_1, GLFW_REPEAT, "1"), false);
  EXPECT_TRUE(taken.drops(typed('1'))) << "the door is gone, and the key still held";
  taken.note(key(GLFW_KEY_1, GLFW_RELEASE, "1"), false);
  taken.note(key(GLFW_KEY_1, GLFW_PRESS, "1"), false);
  EXPECT_FALSE(taken.drops(typed('1'))) << "pressed again, it is for the question";
}

TEST(TakenKey, AnotherKeysCharacterIsTyped) {
  TakenKey taken;
  taken.note(key(GLFW_KEY_G, GLFW_PRESS, "g"), true);
  taken.note(key(GLFW_KEY_5, GLFW_PRESS, "5"), false);
  EXPECT_FALSE(taken.drops(typed('5')));
  taken.note(key(GLFW_KEY_G, GLFW_REPEAT, "g"), false);
  EXPECT_FALSE(taken.drops(typed('g'))) << "of two held keys, the last repeats";
}

}  // namespace
}  // namespace tilescope::window
