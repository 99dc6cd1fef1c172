#include "window/shortcuts.h"

#include <map>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "ui/shortcut_list.h"

namespace tilescope::window {
namespace {
using analysis::Unit;

/// What a key of letters or signs types, on an American keyboard.
std::string glfw_name(int key) {
  const bool types = key > GLFW_KEY_SPACE && key < GLFW_KEY_ESCAPE;
  return types ? std::string(1, static_cast<char>(std::tolower(key))) : "";
}

class Shortcuts : public testing::Test {
 protected:
  KeyAction press(int key, int mods = 0, const char* name = "", int action = GLFW_PRESS) {
    InputEvent event;
    event.key = key;
    event.action = action;
    event.mods = mods;
    event.name = name;
    typed_.note(event, now_);
    return wish_of(event, workspace_, typed_);
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
  TypedNumber typed_;
  double now_ = 10;
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

TEST_F(Shortcuts, AKeyOfAPresentationCoversTheAnswerAgain) {
  EXPECT_FALSE(press(GLFW_KEY_A, 0, "a").command);
  workspace_.apply(session::SetPresent{true});
  const auto wished = press(GLFW_KEY_A, 0, "a").command;
  EXPECT_TRUE(wished && std::holds_alternative<ui::CoverAnswer>(*wished));
}

TEST_F(Shortcuts, LettersShowPanelsBesideTheStageOfAPresentation) {
  EXPECT_FALSE(press(GLFW_KEY_P, 0, "p").command);
  workspace_.apply(session::SetPresent{true});
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_P, 0, "p")));
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_L, 0, "l")));
  EXPECT_EQ(workspace_.state().room.presented, (std::set<std::string>{"code", "timeline"}));
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_P, 0, "p")));
  EXPECT_EQ(workspace_.state().room.presented, std::set<std::string>{"timeline"});
}

TEST_F(Shortcuts, SGoesToTheSliders) {
  EXPECT_EQ(press(GLFW_KEY_S, 0, "s").action, Action::ToSliders);
  EXPECT_FALSE(press(GLFW_KEY_S, 0, "s").command) << "they are on show";
  workspace_.apply(session::SetPresent{true});
  EXPECT_EQ(press(GLFW_KEY_S, 0, "s").action, Action::ToSliders);
  workspace_.apply(*command<session::SetRoom>(press(GLFW_KEY_S, 0, "s")));
  EXPECT_TRUE(workspace_.state().room.presented.contains("parameters"));
  EXPECT_EQ(press(GLFW_KEY_S, 0, "s").action, Action::None) << "they go";
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
  for (const InputEvent& event : {left, key(GLFW_KEY_HOME), key(GLFW_KEY_END)})
    EXPECT_TRUE(belongs_to_widget(event, arrows)) << "a slider's ends, not the run's";
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

TEST_F(Shortcuts, LettersAreKeysWithoutControl) {
  InputEvent event;
  EXPECT_EQ(letter_of(event), '\0');
  event.key = GLFW_KEY_B;
  event.name = "b";
  EXPECT_EQ(letter_of(event), 'b');
  event.mods = GLFW_MOD_CONTROL;
  EXPECT_EQ(letter_of(event), '\0');
}

TEST_F(Shortcuts, AQuestionMarkIsACharacterWhateverKeyItIsOn) {
  InputEvent typed;
  typed.kind = InputEvent::Kind::Character;
  typed.character = '?';
  EXPECT_EQ(wish_of(typed, workspace_, {}).action, Action::Help);
}

TEST_F(Shortcuts, TheListOfKeysIsReachedFromTheEditor) {
  InputEvent event;
  event.key = GLFW_KEY_F1;
  event.action = GLFW_PRESS;
  EXPECT_EQ(wish_of(event, workspace_, {}).action, Action::Help);
  EXPECT_FALSE(belongs_to_widget(event, {true, false, false, true}));
}

TEST_F(Shortcuts, DigitsChooseKernelsByNumber) {
  const auto chosen = command<session::ChooseKernel>(press(GLFW_KEY_3, 0, "3"));
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->name.substr(0, 3), "03_");
  EXPECT_FALSE(press(GLFW_KEY_3, GLFW_MOD_SHIFT, "3").command) << "another character";
}

TEST_F(Shortcuts, TwoDigitsOneAfterTheOtherChooseAKernelOfTwoDigits) {
  const auto number_of = [&](int digit, double later) {
    now_ += later;
    const auto chosen = command<session::ChooseKernel>(press(GLFW_KEY_0 + digit));
    return chosen ? kernel::find_kernel(workspace_.catalogue(), chosen->name)->number : 0;
  };
  EXPECT_EQ(number_of(1, 5), 1);
  EXPECT_EQ(number_of(2, 0.4), 12);
  EXPECT_EQ(number_of(3, 0.4), 3) << "a third digit begins another number";
  EXPECT_EQ(number_of(7, 0.4), 7) << "there is no kernel 37";
  EXPECT_EQ(number_of(2, 5), 2);
  EXPECT_EQ(number_of(0, 0.4), 20);
  EXPECT_EQ(number_of(0, 5), 0);
  EXPECT_EQ(number_of(1, 5), 1);
  EXPECT_EQ(number_of(2, 1.5), 2) << "too late for 12";
}

TEST_F(Shortcuts, EscapeUnpinsBeforeItLeavesThePresentation) {
  EXPECT_FALSE(press(GLFW_KEY_ESCAPE).command);
  workspace_.apply(session::SetPresent{true});
  workspace_.apply(session::Pin{{session::Target::Kind::Bank, {}, "", 3, 0}});
  EXPECT_TRUE(command<session::Pin>(press(GLFW_KEY_ESCAPE)));
  workspace_.apply(session::Pin{});
  EXPECT_FALSE(command<session::SetPresent>(press(GLFW_KEY_ESCAPE))->on);
}

const std::map<std::string, int>& keys_by_name() {
  static const std::map<std::string, int> keys{
      {"\u2190", GLFW_KEY_LEFT},    {"\u2192", GLFW_KEY_RIGHT}, {"\u2191", GLFW_KEY_UP},   {"\u2193", GLFW_KEY_DOWN},
      {"\u2212", GLFW_KEY_MINUS},   {"+", GLFW_KEY_EQUAL},      {",", GLFW_KEY_COMMA},     {".", GLFW_KEY_PERIOD},
      {"Home", GLFW_KEY_HOME},      {"End", GLFW_KEY_END},      {"Space", GLFW_KEY_SPACE}, {"PgUp", GLFW_KEY_PAGE_UP},
      {"PgDn", GLFW_KEY_PAGE_DOWN}, {"Enter", GLFW_KEY_ENTER},  {"Esc", GLFW_KEY_ESCAPE},  {"Tab", GLFW_KEY_TAB},
      {"?", GLFW_KEY_SLASH}};
  return keys;
}

/// The key presses of a line of the help: "Ctrl Z  Ctrl Shift Z" is two, "1 \u2013 9" nine.
std::vector<InputEvent> presses_of(std::string_view line) {
  std::vector<InputEvent> presses;
  int mods = 0;
  bool range = false;
  for (const auto part : std::views::split(line, ' ')) {
    const std::string word(part.begin(), part.end());
    InputEvent event;
    event.action = GLFW_PRESS;
    if (word.empty()) mods = 0;
    if (word == "\u2013") range = true;
    if (word == "Ctrl") mods |= GLFW_MOD_CONTROL;
    if (word == "Shift") mods |= GLFW_MOD_SHIFT;
    if (word.empty() || word == "\u2013" || word == "Ctrl" || word == "Shift") continue;
    const auto named = keys_by_name().find(word);
    if (named != keys_by_name().end())
      event.key = named->second;
    else if (word.size() > 1 && word[0] == 'F')
      event.key = GLFW_KEY_F1 + std::stoi(word.substr(1)) - 1;
    else
      event.key = word[0];
    event.name = glfw_name(event.key);
    event.mods = mods;
    if (word == "?") {
      event.kind = InputEvent::Kind::Character;
      event.character = '?';
    }
    if (std::exchange(range, false))
      for (int key = presses.back().key + 1; key < event.key; ++key) {
        presses.push_back(event);
        presses.back().key = key;
      }
    presses.push_back(event);
  }
  return presses;
}

TEST_F(Shortcuts, TheHelpAndTheKeysAreTheSame) {
  const auto does = [&](const InputEvent& event) {
    TypedNumber typed;
    typed.note(event, 0);
    const KeyAction wish = wish_of(event, workspace_, typed);
    return wish.command || wish.action != Action::None;
  };
  const auto words = [](const InputEvent& event) { return std::tuple(event.kind, event.key, event.mods); };
  workspace_.apply(session::SetPresent{true});  // Letters for its panels, and something that Esc leaves.
  std::set<std::tuple<InputEvent::Kind, int, int>> listed;
  for (const ui::Shortcut& shortcut : ui::shortcuts())
    for (const InputEvent& event : presses_of(shortcut.keys)) {
      listed.insert(words(event));
      // Tab is KeyboardFocus's, Ctrl+F and Ctrl+Enter are the editor's.
      const bool of_editor = event.key == GLFW_KEY_F || event.key == GLFW_KEY_ENTER;
      const bool elsewhere = event.key == GLFW_KEY_TAB || (of_editor && event.mods == GLFW_MOD_CONTROL);
      EXPECT_TRUE(does(event) || elsewhere) << shortcut.keys;
    }
  const std::set<std::pair<int, int>> twins{{GLFW_KEY_KP_ENTER, 0},
                                            {GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL},
                                            {GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL},
                                            {GLFW_KEY_KP_0, GLFW_MOD_CONTROL},
                                            {GLFW_KEY_Y, GLFW_MOD_CONTROL}};  // As in other programs: redo.
  // Below Esc, GLFW's keys are the characters of a US keyboard without Shift.
  constexpr std::string_view kCharacters = " ',-./0123456789;=ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]`";
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key)
    for (const int mods : {0, GLFW_MOD_CONTROL}) {
      if (key < GLFW_KEY_ESCAPE && kCharacters.find(static_cast<char>(key)) == std::string_view::npos) continue;
      InputEvent event;
      event.key = key;
      event.action = GLFW_PRESS;
      event.mods = mods;
      event.name = glfw_name(key);
      EXPECT_TRUE(!does(event) || twins.contains({key, mods}) || listed.contains(words(event))) << key << " " << mods;
    }
}

TEST_F(Shortcuts, ASingleKeyOfTheHelpCanBePressed) {
  for (const ui::Shortcut& shortcut : ui::shortcuts()) {
    const std::vector<InputEvent> presses = presses_of(shortcut.keys);
    const auto press = ui::single_press(shortcut);
    ASSERT_EQ(press.has_value(), presses.size() == 1) << shortcut.keys;
    if (!press) continue;
    EXPECT_EQ(event_of(*press), presses.front()) << shortcut.keys;
  }
}

TEST_F(Shortcuts, ScaleGrowsShrinksAndReturns) {
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_EQUAL, GLFW_MOD_CONTROL, "="))->scale, 1.1f);
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_MINUS, GLFW_MOD_CONTROL, "-"))->scale, 1 / 1.1f);
  EXPECT_FLOAT_EQ(command<session::SetUiScale>(press(GLFW_KEY_0, GLFW_MOD_CONTROL, "0"))->scale, 1);
}

}  // namespace
}  // namespace tilescope::window
