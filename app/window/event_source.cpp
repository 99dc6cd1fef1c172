#include "window/event_source.h"

#include <algorithm>
#include <cfloat>
#include <iterator>
#include <utility>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

namespace tilescope::window {
namespace {

// The backend takes the modifiers that are down now; queued input was pressed with others.
void set_modifiers(const std::vector<InputEvent>& frame) {
  ImGuiIO& io = ImGui::GetIO();
  for (const InputEvent& event : frame) {
    if (!event.is_press()) continue;
    io.KeyCtrl = (event.mods & GLFW_MOD_CONTROL) != 0;
    io.KeyShift = (event.mods & GLFW_MOD_SHIFT) != 0;
    io.KeyAlt = (event.mods & GLFW_MOD_ALT) != 0;
    io.KeySuper = (event.mods & GLFW_MOD_SUPER) != 0;
  }
}

/// Keys for what the mouse points at: the sliders' and the steps', the pen's and the spotlight's.
bool goes_with_the_mouse(int key) {
  return (key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER) || (key >= GLFW_KEY_RIGHT && key <= GLFW_KEY_UP) ||
         key == GLFW_KEY_SPACE || key == GLFW_KEY_D || key == GLFW_KEY_O;
}

}  // namespace

struct EventSource::Callbacks {
  static EventSource& of(GLFWwindow* window) {
    auto* source = static_cast<EventSource*>(glfwGetWindowUserPointer(window));
    source->changed_ = true;
    return *source;
  }

  static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    InputEvent event;
    event.key = key;
    event.scancode = scancode;
    event.action = action;
    event.mods = mods;
    if (const char* name = glfwGetKeyName(key, scancode)) event.name = name;
    of(window).queue_.push(std::move(event));
  }
  static void character(GLFWwindow* window, unsigned character) {
    InputEvent event;
    event.kind = InputEvent::Kind::Character;
    event.character = character;
    of(window).queue_.push(std::move(event));
  }
  static void button(GLFWwindow* window, int button, int action, int mods) {
    double x = 0, y = 0;
    glfwGetCursorPos(window, &x, &y);
    InputEvent event;
    event.kind = InputEvent::Kind::Button;
    event.key = button;
    event.action = action;
    event.mods = mods;
    event.x = static_cast<float>(x);
    event.y = static_cast<float>(y);
    of(window).queue_.push(std::move(event));
  }
  static void scroll(GLFWwindow* window, double x, double y) {
    of(window);
    ImGui_ImplGlfw_ScrollCallback(window, x, y);
  }
  static void focus(GLFWwindow* window, int focused) {
    of(window);
    ImGui_ImplGlfw_WindowFocusCallback(window, focused);
  }
  static void enter(GLFWwindow* window, int entered) {
    of(window);
    ImGui_ImplGlfw_CursorEnterCallback(window, entered);
  }
  static void position(GLFWwindow* window, double, double) { of(window).mouse_rests_ = false; }
  static void size(GLFWwindow* window, int, int) { of(window); }
  static void content_scale(GLFWwindow* window, float, float) { of(window); }
  static void refresh(GLFWwindow* window) { of(window); }

  static void drop(GLFWwindow* window, int count, const char** paths) {
    of(window).dropped_.assign(paths, paths + count);
  }

  static void install(GLFWwindow* window) {
    glfwSetKeyCallback(window, key);
    glfwSetCharCallback(window, character);
    glfwSetMouseButtonCallback(window, button);
    glfwSetScrollCallback(window, scroll);
    glfwSetWindowFocusCallback(window, focus);
    glfwSetCursorEnterCallback(window, enter);
    glfwSetCursorPosCallback(window, position);
    glfwSetFramebufferSizeCallback(window, size);
    glfwSetWindowContentScaleCallback(window, content_scale);
    glfwSetWindowRefreshCallback(window, refresh);
    glfwSetDropCallback(window, drop);
    glfwSetMonitorCallback(ImGui_ImplGlfw_MonitorCallback);
  }
};

EventSource::EventSource(GLFWwindow* window) : window_(window) {
  ImGui_ImplGlfw_InitForOpenGL(window, false);
  glfwSetWindowUserPointer(window, this);
  Callbacks::install(window);
}

EventSource::~EventSource() {
  glfwSetMonitorCallback(nullptr);
  ImGui_ImplGlfw_Shutdown();
}

void EventSource::press(InputEvent key) {
  queue_.push(key);
  key.action = GLFW_RELEASE;
  queue_.push(std::move(key));
}

bool EventSource::take_changed() { return std::exchange(changed_, false); }

void EventSource::hand_over(const InputEvent& event) {
  switch (event.kind) {
    case InputEvent::Kind::Character: return;  // Only if no key took it.
    case InputEvent::Kind::Key:
      if (event.action == GLFW_PRESS && !goes_with_the_mouse(event.key)) mouse_rests_ = true;
      return ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
    case InputEvent::Kind::Button:
      mouse_rests_ = false;
      if (event.key >= 0 && event.key < 3) buttons_[event.key] = event.action == GLFW_PRESS;
  }
}

// The backend takes the mouse's place now; a queued button was pressed somewhere else.
void EventSource::set_mouse(const std::vector<InputEvent>& frame) {
  ImGuiIO& io = ImGui::GetIO();
  std::copy(std::begin(buttons_), std::end(buttons_), io.MouseDown);
  if (mouse_rests_) io.MousePos = {-FLT_MAX, -FLT_MAX};
  for (const InputEvent& event : frame)
    if (event.kind == InputEvent::Kind::Button) io.MousePos = {event.x, event.y};
}

std::vector<InputEvent> EventSource::new_frame() {
  const std::vector<InputEvent> frame = queue_.take_frame();
  for (const InputEvent& event : frame) hand_over(event);
  ImGui_ImplGlfw_NewFrame();
  set_mouse(frame);
  set_modifiers(frame);
  return frame;
}

}  // namespace tilescope::window
