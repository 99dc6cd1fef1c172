#include "window/shortcuts.h"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

namespace tilescope::window {
namespace {
using analysis::Unit;

class Shortcuts : public testing::Test {
 protected:
  KeyAction press(int key, int mods = 0, const char* name = "", int action = GLFW_PRESS) {
    InputEvent event;
    event.key = key;
    event.action = action;
    event.mods = mods;
    event.name = name;
    return wish_of(event, workspace_);
  }
  template <class Command>
  std::optional<Command> command(const KeyAction& wish) {
    const auto* of_session = wish.command ? std::get_if<session::Command>(&*wish.command) : nullptr;
    if (!of_session || !std::holds_alternative<Command>(*of_session)) return std::nullopt;
    return std::get<Command>(*of_session);
  }

  compile::Compiler compiler_;
  run::RunCache runs_{compiler_, run::window_limits()};
  session::Workspace workspace_{runs_};
};

TEST_F(Shortcuts, ArrowsStepByTheChosenUnitByPhaseAndByTile) {
  workspace_.apply(session::SetUnit{Unit::Instruction});
  EXPECT_EQ(command<session::Move>(press(GLFW_KEY_RIGHT))->unit, Unit::Instruction);
  EXPECT_EQ(command<session::Move>(press(GLFW_KEY_RIGHT))->count, 1);
  EXPECT_EQ(command<session::Move>(press(GLFW_KEY_LEFT, GLFW_MOD_SHIFT))->unit, Unit::Phase);
  EXPECT_EQ(command<session::Move>(press(GLFW_KEY_LEFT, GLFW_MOD_CONTROL))->unit, Unit::Tile);
  EXPECT_EQ(command<session::Move>(press(GLFW_KEY_LEFT, GLFW_MOD_CONTROL))->count, -1);
}

TEST_F(Shortcuts, AHeldArrowRepeatsAHeldSpaceDoesNot) {
  EXPECT_TRUE(press(GLFW_KEY_RIGHT, 0, "", GLFW_REPEAT).command);
  EXPECT_FALSE(press(GLFW_KEY_SPACE, 0, " ", GLFW_REPEAT).command);
  EXPECT_FALSE(press(GLFW_KEY_RIGHT, 0, "", GLFW_RELEASE).command);
}

TEST_F(Shortcuts, LettersAreThoseOfTheUsersLayout) {
  EXPECT_EQ(press(GLFW_KEY_S, GLFW_MOD_CONTROL, "s").action, Action::SaveState);
  EXPECT_EQ(press(GLFW_KEY_SEMICOLON, GLFW_MOD_CONTROL, "s").action, Action::SaveState);
  EXPECT_EQ(press(GLFW_KEY_S, GLFW_MOD_CONTROL, "o").action, Action::OpenState);
  EXPECT_EQ(press(GLFW_KEY_P, GLFW_MOD_CONTROL, "p").action, Action::None);
  EXPECT_EQ(press(GLFW_KEY_P, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, "p").action, Action::Screenshot);
}

TEST_F(Shortcuts, AClickerTurnsPagesAndEnterGoesBackToThePlace) {
  EXPECT_EQ(press(GLFW_KEY_PAGE_DOWN).action, Action::TurnOn);
  EXPECT_EQ(press(GLFW_KEY_PAGE_UP).action, Action::TurnBack);
  for (const int key : {GLFW_KEY_ENTER, GLFW_KEY_KP_ENTER}) EXPECT_EQ(press(key).action, Action::Return);
}

TEST_F(Shortcuts, APanelFillsTheWindowAndEscapeEndsThat) {
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_F3)));
  EXPECT_EQ(workspace_.state().room.enlarged, "strip");
  workspace_.apply(session::SetPresent{true});
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_ESCAPE)));
  EXPECT_EQ(workspace_.state().room.enlarged, "");
  EXPECT_FALSE(command<session::SetPresent>(press(GLFW_KEY_ESCAPE))->on);
}

TEST_F(Shortcuts, CommaAndPointChooseTheLane) {
  EXPECT_EQ(command<session::ChooseLane>(press(GLFW_KEY_COMMA, 0, ","))->lane, 31u);
  EXPECT_EQ(command<session::ChooseLane>(press(GLFW_KEY_PERIOD, 0, "."))->lane, 1u);
}

TEST_F(Shortcuts, CtrlKFinds) { EXPECT_EQ(press(GLFW_KEY_K, GLFW_MOD_CONTROL, "k").action, Action::Find); }

TEST_F(Shortcuts, LettersShowPanelsBesideTheStageOfAPresentation) {
  EXPECT_FALSE(press(GLFW_KEY_P, 0, "p").command);
  workspace_.apply(session::SetPresent{true});
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_P, 0, "p")));
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_L, 0, "l")));
  EXPECT_EQ(workspace_.state().room.presented, (std::set<std::string>{"code", "timeline"}));
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_P, 0, "p")));
  EXPECT_EQ(workspace_.state().room.presented, std::set<std::string>{"timeline"});
}

TEST_F(Shortcuts, WhatAWidgetTakesIsNoShortcut) {
  const auto key = [](int code, int mods = 0, const char* name = "") {
    InputEvent event;
    event.key = code;
    event.mods = mods;
    event.name = name;
    return event;
  };
  const KeyClaims none, text{true, false}, arrows{false, true};
  const InputEvent left = key(GLFW_KEY_LEFT), clicker = key(GLFW_KEY_PAGE_DOWN), f6 = key(GLFW_KEY_F6),
                   space = key(GLFW_KEY_SPACE, 0, " "), by_word = key(GLFW_KEY_LEFT, GLFW_MOD_CONTROL),
                   runs = key(GLFW_KEY_S, GLFW_MOD_CONTROL, "s"), opens = key(GLFW_KEY_O, GLFW_MOD_CONTROL, "o");
  for (const InputEvent& event : {left, clicker, f6, space, by_word, runs, opens})
    EXPECT_FALSE(belongs_to_widget(event, none)) << event.key;
  for (const InputEvent& event : {left, clicker, space, by_word, runs})
    EXPECT_TRUE(belongs_to_widget(event, text)) << event.key;
  for (const InputEvent& event : {f6, opens}) EXPECT_FALSE(belongs_to_widget(event, text)) << event.key;
  EXPECT_TRUE(belongs_to_widget(left, arrows));
  for (const InputEvent& event : {clicker, f6, space, by_word, runs, opens})
    EXPECT_FALSE(belongs_to_widget(event, arrows)) << event.key;
}

TEST_F(Shortcuts, WhileTheTextIsEditedOrAMenuIsOpenOnlyKeysWithControlAreShortcuts) {
  const auto key = [](int code, int mods = 0, const char* name = "") {
    InputEvent event;
    event.key = code;
    event.mods = mods;
    event.name = name;
    return event;
  };
  InputEvent typed;
  typed.kind = InputEvent::Kind::Character;
  typed.character = '?';
  for (const KeyClaims& claims : {KeyClaims{false, false, true, false}, KeyClaims{false, false, false, true}}) {
    for (const InputEvent& event : {key(GLFW_KEY_5, 0, "5"), key(GLFW_KEY_SPACE, 0, " "), key(GLFW_KEY_RIGHT),
                                    key(GLFW_KEY_ENTER), key(GLFW_KEY_G, 0, "g"), typed})
      EXPECT_TRUE(belongs_to_widget(event, claims)) << event.key;
    for (const InputEvent& event : {key(GLFW_KEY_S, GLFW_MOD_CONTROL, "s"), key(GLFW_KEY_Z, GLFW_MOD_CONTROL, "z"),
                                    key(GLFW_KEY_F11), key(GLFW_KEY_ESCAPE)})
      EXPECT_FALSE(belongs_to_widget(event, claims)) << event.key;
  }
  const KeyClaims text{true, false};
  EXPECT_TRUE(belongs_to_widget(key(GLFW_KEY_Z, GLFW_MOD_CONTROL, "z"), text)) << "the field undoes";
}

TEST_F(Shortcuts, LettersChooseTheScaleAndControlUndoes) {
  EXPECT_EQ(command<session::SetScale>(press(GLFW_KEY_G, 0, "g"))->scale, session::Scale::Grid);
  EXPECT_EQ(command<session::SetScale>(press(GLFW_KEY_B, 0, "b"))->scale, session::Scale::Block);
  EXPECT_EQ(command<session::SetScale>(press(GLFW_KEY_W, 0, "w"))->scale, session::Scale::Warp);
  EXPECT_EQ(command<session::SetScale>(press(GLFW_KEY_T, 0, "t"))->scale, session::Scale::Thread);
  EXPECT_EQ(press(GLFW_KEY_N, 0, "n").action, Action::NextFinding);
  EXPECT_EQ(command<session::MoveWarp>(press(GLFW_KEY_UP))->count, -1);
  EXPECT_EQ(command<session::MoveWarp>(press(GLFW_KEY_DOWN, 0, "", GLFW_REPEAT))->count, 1);
  EXPECT_TRUE(command<session::Undo>(press(GLFW_KEY_Z, GLFW_MOD_CONTROL, "z")));
  EXPECT_TRUE(command<session::Redo>(press(GLFW_KEY_Z, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT, "z")));
  EXPECT_EQ(press(GLFW_KEY_E, GLFW_MOD_CONTROL, "e").action, Action::SwitchLesson);
}

TEST_F(Shortcuts, DigitsAreKeysWithoutControl) {
  InputEvent event;
  event.key = GLFW_KEY_7;
  EXPECT_TRUE(is_digit(event));
  event.mods = GLFW_MOD_CONTROL;
  EXPECT_FALSE(is_digit(event));
  event.mods = 0;
  event.key = GLFW_KEY_SPACE;
  EXPECT_FALSE(is_digit(event));
  event.kind = InputEvent::Kind::Button;
  event.key = GLFW_KEY_7;
  EXPECT_FALSE(is_digit(event));
}

TEST_F(Shortcuts, AQuestionMarkIsACharacterWhateverKeyItIsOn) {
  InputEvent typed;
  typed.kind = InputEvent::Kind::Character;
  typed.character = '?';
  EXPECT_EQ(wish_of(typed, workspace_).action, Action::Help);
}

TEST_F(Shortcuts, DigitsChooseKernelsByNumber) {
  const auto chosen = command<session::ChooseKernel>(press(GLFW_KEY_3, 0, "3"));
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->name.substr(0, 3), "03_");
}

TEST_F(Shortcuts, EscapeUnpinsBeforeItLeavesThePresentation) {
  EXPECT_FALSE(press(GLFW_KEY_ESCAPE).command);
  workspace_.apply(session::SetPresent{true});
  workspace_.apply(session::Pin{{session::Target::Kind::Bank, {}, "", 3, 0}});
  EXPECT_TRUE(command<session::Pin>(press(GLFW_KEY_ESCAPE)));
  workspace_.apply(session::Pin{});
  EXPECT_FALSE(command<session::SetPresent>(press(GLFW_KEY_ESCAPE))->on);
}

TEST_F(Shortcuts, ScaleGrowsShrinksAndReturns) {
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_EQUAL, GLFW_MOD_CONTROL, "="))->scale, 1.1f);
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_MINUS, GLFW_MOD_CONTROL, "-"))->scale, 1 / 1.1f);
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_0, GLFW_MOD_CONTROL, "0"))->scale, 1);
}

}  // namespace
}  // namespace tilescope::window
