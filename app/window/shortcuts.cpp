#include "window/shortcuts.h"

#include <algorithm>
#include <cctype>

#include <GLFW/glfw3.h>

#include "base/process.h"

namespace tilescope::window {
namespace {
using analysis::Unit;
using session::Workspace;

constexpr float kScaleStep = 1.1f;

KeyAction wish(ui::Command command) { return {std::move(command), Action::None}; }
KeyAction wish(Action action) { return {std::nullopt, action}; }

Unit unit_of(int mods, const Workspace& workspace) {
  if (mods & GLFW_MOD_CONTROL) return Unit::Tile;
  return mods & GLFW_MOD_SHIFT ? Unit::Phase : workspace.state().unit;
}

session::MoveClock clock_step(int mods, int way) {
  constexpr int kLongStep = 100;
  if (mods & GLFW_MOD_CONTROL) return {way * kLongStep, false};
  return {way, (mods & GLFW_MOD_SHIFT) != 0};
}

/// Lets a panel fill the window, or ends that.
KeyAction enlarge(const char* panel, const Workspace& workspace) {
  session::Room room = workspace.state().room;
  room.enlarged = room.enlarged == panel ? "" : panel;
  return wish(session::SetRoom{std::move(room)});
}

/// Shows a panel beside the stage of a presentation, or hides it.
KeyAction present_beside(const char* panel, const Workspace& workspace) {
  session::Room room = workspace.state().room;
  if (!workspace.state().present) return {};
  if (room.presented.erase(panel) == 0) room.presented.insert(panel);
  return wish(session::SetRoom{std::move(room)});
}

/// The keyboard goes to the sliders; in a presentation they come and go.
KeyAction to_sliders(const Workspace& workspace) {
  KeyAction result = present_beside("parameters", workspace);
  const session::State& state = workspace.state();
  if (!state.present || !state.room.presented.contains("parameters")) result.action = Action::ToSliders;
  return result;
}

// Esc closes one thing at a time.
KeyAction escape(const Workspace& workspace) {
  if (workspace.pinned()) return wish(session::Pin{});
  if (!workspace.state().room.enlarged.empty()) return enlarge("", workspace);
  if (workspace.state().present) return wish(session::SetPresent{false});
  if (const session::OpenForm* form = workspace.form(); form && form->on) return wish(session::ShowForm{false});
  return {};
}

/// That of two digits, or of the last one where there is no such stage.
KeyAction choose_stage(int number, const Workspace& workspace) {
  const auto& kernels = workspace.catalogue().kernels;
  const auto found = std::ranges::find(kernels, number, &kernel::Kernel::number);
  if (found != kernels.end() && number > 0) return wish(session::ChooseKernel{found->name});
  return number > 9 ? choose_stage(number % 10, workspace) : KeyAction{};
}

KeyAction zoom(float factor, const Workspace& workspace) {
  return wish(session::SetUiScale{factor == 0 ? 1.0f : workspace.state().ui_scale * factor});
}

KeyAction with_control(const InputEvent& event, const Workspace& workspace) {
  const std::string& name = event.name;
  const bool shift = event.mods & GLFW_MOD_SHIFT;
  if (name == "+" || name == "=" || event.key == GLFW_KEY_KP_ADD) return zoom(kScaleStep, workspace);
  if (name == "-" || event.key == GLFW_KEY_KP_SUBTRACT) return zoom(1 / kScaleStep, workspace);
  if (event.key == GLFW_KEY_0 || event.key == GLFW_KEY_KP_0) return zoom(0, workspace);
  if (name == "s") return wish(Action::SaveState);
  if (name == "z") return shift ? wish(session::Redo{}) : wish(session::Undo{});
  if (name == "y") return wish(session::Redo{});
  if (name == "e") return wish(Action::SwitchLesson);
  if (name == "k") return wish(Action::Find);
  if (name == "l" && shift) return wish(Action::CopyLink);
  if (name == "x" && shift) return wish(Action::CopyCommand);
  if (name == "d") return wish(Action::AddToTour);
  if (name == "p" && shift) return wish(Action::Screenshot);
  if (name == "f" && shift) return starts_programs() ? wish(Action::Film) : KeyAction{};
  if (!starts_programs()) return {};  // What follows is about files and programs of the user's.
  if (name == "o") return wish(Action::OpenState);
  if (name == "l") return wish(session::ShowForm{});
  return {};
}

KeyAction show_clock(const Workspace& workspace) {
  const bool on = !workspace.state().clock;
  return on && workspace.no_clock() ? KeyAction{} : wish(session::ShowClock{on});
}

/// The lane whose thread is shown, from one to the next and around.
KeyAction next_lane(const Workspace& workspace, uint32_t by) {
  return wish(session::ChooseLane{(workspace.state().lane + by) % trace::kLanes});
}

/// Of a letter key, in the user's layout.
KeyAction letter(const std::string& name, const Workspace& workspace) {
  if (name == "a") return workspace.state().present ? wish(ui::CoverAnswer{}) : KeyAction{};
  if (name == "c") return show_clock(workspace);
  if (name == ",") return next_lane(workspace, trace::kLanes - 1);
  if (name == ".") return next_lane(workspace, 1);
  if (name == "d") return wish(Action::Pen);
  if (name == "o") return wish(Action::Light);
  if (name == "p") return present_beside("code", workspace);
  if (name == "s") return to_sliders(workspace);
  if (name == "l") return present_beside("timeline", workspace);
  if (name == "g") return wish(session::SetScale{session::Scale::Grid});
  if (name == "b") return wish(session::SetScale{session::Scale::Block});
  if (name == "w") return wish(session::SetScale{session::Scale::Warp});
  if (name == "t") return wish(session::SetScale{session::Scale::Thread});
  return name == "n" ? wish(Action::NextFinding) : KeyAction{};
}

KeyAction plain(const InputEvent& event, const Workspace& workspace, const TypedNumber& typed) {
  switch (event.key) {
    case GLFW_KEY_SPACE: return wish(session::Play{!workspace.playing()});
    case GLFW_KEY_UP: return wish(session::MoveWarp{-1});
    case GLFW_KEY_DOWN: return wish(session::MoveWarp{1});
    case GLFW_KEY_HOME: return wish(session::GoToStart{});
    case GLFW_KEY_END: return wish(session::GoToEnd{});
    case GLFW_KEY_PAGE_DOWN: return wish(Action::TurnOn);
    case GLFW_KEY_PAGE_UP: return wish(Action::TurnBack);
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER: return wish(Action::Return);
    case GLFW_KEY_F1: return wish(Action::Help);
    case GLFW_KEY_F2: return enlarge("stage", workspace);
    case GLFW_KEY_F3: return enlarge("strip", workspace);
    case GLFW_KEY_F4: return enlarge("code", workspace);
    case GLFW_KEY_F5: return starts_programs() ? wish(ui::MeasureAll{}) : KeyAction{};
    case GLFW_KEY_F6: return wish(Action::LargePlots);
    case GLFW_KEY_F7: return enlarge("timeline", workspace);
    case GLFW_KEY_F8: return enlarge("plots", workspace);
    case GLFW_KEY_F11: return wish(session::SetPresent{!workspace.state().present});
    case GLFW_KEY_ESCAPE: return escape(workspace);
    default: break;
  }
  if (!(event.mods & GLFW_MOD_SHIFT) && is_digit(event)) return choose_stage(typed.value(), workspace);
  return letter(event.name, workspace);
}

bool is_plain_key(const InputEvent& event) {
  return event.kind == InputEvent::Kind::Key && !(event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER));
}

bool repeats(int key) {
  return key == GLFW_KEY_LEFT || key == GLFW_KEY_RIGHT || key == GLFW_KEY_UP || key == GLFW_KEY_DOWN ||
         key == GLFW_KEY_PAGE_DOWN || key == GLFW_KEY_PAGE_UP;
}

}  // namespace

KeyAction wish_of(const InputEvent& event, const Workspace& workspace, const TypedNumber& typed) {
  if (event.kind == InputEvent::Kind::Button) return {};
  if (event.kind == InputEvent::Kind::Character) return event.character == '?' ? wish(Action::Help) : KeyAction{};
  if (event.action == GLFW_RELEASE || (event.action == GLFW_REPEAT && !repeats(event.key))) return {};
  if (workspace.state().clock && (event.key == GLFW_KEY_RIGHT || event.key == GLFW_KEY_LEFT))
    return wish(clock_step(event.mods, event.key == GLFW_KEY_RIGHT ? 1 : -1));
  if (event.key == GLFW_KEY_RIGHT) return wish(session::Move{unit_of(event.mods, workspace), 1});
  if (event.key == GLFW_KEY_LEFT) return wish(session::Move{unit_of(event.mods, workspace), -1});
  if (event.mods & GLFW_MOD_CONTROL) return with_control(event, workspace);
  return event.mods & (GLFW_MOD_ALT | GLFW_MOD_SUPER) ? KeyAction{} : plain(event, workspace, typed);
}

void TypedNumber::note(const InputEvent& event, double now) {
  if (!is_digit(event) || event.action != GLFW_PRESS) return;
  constexpr double kTogether = 1;
  tens_ = tens_ == 0 && now - typed_ < kTogether ? 10 * ones_ : 0;
  ones_ = event.key - GLFW_KEY_0;
  typed_ = now;
}

InputEvent event_of(const ui::KeyPress& press) {
  InputEvent event;
  event.action = GLFW_PRESS;
  if (press.ctrl) event.mods |= GLFW_MOD_CONTROL;
  if (press.shift) event.mods |= GLFW_MOD_SHIFT;
  if (press.key.size() == 1) {
    event.key = press.key[0];  // GLFW's codes of letters are their capitals.
    event.name = static_cast<char>(std::tolower(press.key[0]));
  } else if (press.key[0] == 'F') {
    event.key = GLFW_KEY_F1 - 1 + std::stoi(std::string(press.key.substr(1)));
  } else {
    event.key = press.key == "Space" ? GLFW_KEY_SPACE : press.key == "Enter" ? GLFW_KEY_ENTER : GLFW_KEY_ESCAPE;
  }
  return event;
}

bool belongs_to_widget(const InputEvent& event, const KeyClaims& claims) {
  const bool is_key = event.kind == InputEvent::Kind::Key, control = event.mods & GLFW_MOD_CONTROL;
  const bool sideways = is_key && (event.key == GLFW_KEY_LEFT || event.key == GLFW_KEY_RIGHT);
  const bool to_end = is_key && (event.key == GLFW_KEY_HOME || event.key == GLFW_KEY_END);
  if (claims.arrows && (sideways || to_end) && event.mods == 0) return true;
  if (!claims.text && !claims.menu && !claims.editor) return false;
  if (is_key && event.key >= GLFW_KEY_F1 && event.key <= GLFW_KEY_F12) return false;
  if (!claims.text) return !control && event.key != GLFW_KEY_ESCAPE;
  const bool of_editor = event.name == "s" || event.name == "z" || event.name == "y";  // With Ctrl: run, undo, redo.
  return !control || sideways || of_editor;
}

bool is_digit(const InputEvent& event) {
  return is_plain_key(event) && event.key >= GLFW_KEY_0 && event.key <= GLFW_KEY_9;
}

char letter_of(const InputEvent& event) { return is_plain_key(event) && event.name.size() == 1 ? event.name[0] : '\0'; }

}  // namespace tilescope::window
