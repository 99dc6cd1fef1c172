#include "window/event_source.h"

#include <utility>

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include "ui/imgui_version.h"

namespace tilescope::window {

struct EventSource::Callbacks {
  static EventSource& of(GLFWwindow* window) {
    auto* source = static_cast<EventSource*>(glfwGetWindowUserPointer(window));
    source->changed_ = true;
    return *source;
  }

  static void key(GLFWwindow* window, int key, int scancode, int action, int mods) {
    InputEvent event{false, key, scancode, action, mods, 0, {}};
    if (const char* name = glfwGetKeyName(key, scancode)) event.name = name;
    of(window).keys_.push(std::move(event));
  }
  static void character(GLFWwindow* window, unsigned character) {
    InputEvent event;
    event.is_character = true;
    event.character = character;
    of(window).keys_.push(std::move(event));
  }
  static void button(GLFWwindow* window, int button, int action, int mods) {
    of(window);
    ImGui_ImplGlfw_MouseButtonCallback(window, button, action, mods);
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
  static void position(GLFWwindow* window, [[maybe_unused]] double x, [[maybe_unused]] double y) {
    of(window);
#if IMGUI_VERSION_NUM >= 18700
    ImGui_ImplGlfw_CursorPosCallback(window, x, y);
#endif
  }
  static void size(GLFWwindow* window, int, int) { of(window); }
  static void content_scale(GLFWwindow* window, float, float) { of(window); }
  static void refresh(GLFWwindow* window) { of(window); }

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

bool EventSource::take_changed() { return std::exchange(changed_, false); }

std::vector<InputEvent> EventSource::take_keys() {
  std::vector<InputEvent> frame = keys_.take_frame();
  for (const InputEvent& event : frame) {
    if (event.is_character)
      ImGui_ImplGlfw_CharCallback(window_, event.character);
    else
      ImGui_ImplGlfw_KeyCallback(window_, event.key, event.scancode, event.action, event.mods);
  }
  return frame;
}

}  // namespace tilescope::window
