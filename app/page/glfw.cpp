// As much of GLFW as the window uses, over the page: one window, which is the page's canvas. Key codes and characters
// are what the user's keyboard says, not where its keys lie.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include <GLFW/glfw3.h>
#include <emscripten.h>
#include <emscripten/html5.h>

#include "base/web/page.h"

struct GLFWwindow {
  GLFWkeyfun key = nullptr;
  GLFWcharfun character = nullptr;
  GLFWmousebuttonfun button = nullptr;
  GLFWscrollfun scroll = nullptr;
  GLFWwindowfocusfun focus = nullptr;
  GLFWcursorenterfun enter = nullptr;
  GLFWcursorposfun position = nullptr;
  GLFWframebuffersizefun size = nullptr;
  GLFWwindowcontentscalefun content_scale = nullptr;
  GLFWwindowrefreshfun refresh = nullptr;
  GLFWdropfun drop = nullptr;
  void* user = nullptr;
  double x = -1e9, y = -1e9;  ///< Of the mouse.
  bool buttons[GLFW_MOUSE_BUTTON_LAST + 1] = {};
  bool focused = true, fullscreen = false;
  std::string key_name;  ///< Of the key whose event is handled.
};
struct GLFWmonitor {};
struct GLFWcursor {
  const char* css;
};

namespace {

GLFWwindow window;
GLFWmonitor monitor;
EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = 0;
bool context_restored = false;
std::string pasted;

template <class Function>
Function exchange(Function& callback, Function next) {
  const Function before = callback;
  callback = next;
  return before;
}

void press(const PageEvent& event) {
  window.buttons[event.code] = event.action == GLFW_PRESS;
  if (window.button) window.button(&window, event.code, event.action, event.mods);
}

void handle(const PageEvent& event) {
  if (event.kind == PageEvent::Button || event.kind == PageEvent::Move || event.kind == PageEvent::Scroll) {
    window.x = event.x;
    window.y = event.y;
  }
  switch (event.kind) {
    case PageEvent::Key:
      window.key_name = event.text;
      if (window.key) window.key(&window, event.code, 0, event.action, event.mods);
      break;
    case PageEvent::Character:
      if (window.character) window.character(&window, static_cast<unsigned>(event.code));
      break;
    case PageEvent::Button: press(event); break;
    case PageEvent::Move:
      if (window.position) window.position(&window, event.x, event.y);
      break;
    case PageEvent::Scroll:
      if (window.scroll) window.scroll(&window, 0, event.action / 1000.0);
      break;
    case PageEvent::Focus:
      window.focused = event.action != 0;
      if (window.focus) window.focus(&window, event.action);
      break;
    case PageEvent::Enter:
      if (!event.action) window.x = window.y = -1e9;
      if (window.enter) window.enter(&window, event.action);
      break;
    case PageEvent::Resize:
      if (window.size) window.size(&window, page_width(), page_height());
      break;
    case PageEvent::Drop: {
      const char* path = event.text;
      if (window.drop) window.drop(&window, 1, &path);
      break;
    }
    case PageEvent::ContextRestored:
      context_restored = true;
      if (window.refresh) window.refresh(&window);
      break;
    default: break;
  }
}

/// True when there were any.
bool take_events() {
  PageEvent event;
  bool any = false;
  for (; page_take_event(&event); any = true) handle(event);
  return any;
}

/// As glGetGraphicsResetStatusARB: whether all that was in the context is gone. Said once it can be made anew.
unsigned reset_status() { return context_restored ? 1 : 0; }

}  // namespace

extern "C" {

int glfwInit() { return GLFW_TRUE; }
void glfwTerminate() {}
GLFWerrorfun glfwSetErrorCallback(GLFWerrorfun) { return nullptr; }
void glfwDefaultWindowHints() {}
void glfwWindowHint(int, int) {}
void glfwWindowHintString(int, const char*) {}

GLFWwindow* glfwCreateWindow(int, int, const char*, GLFWmonitor*, GLFWwindow*) {
  EmscriptenWebGLContextAttributes wanted;
  emscripten_webgl_init_context_attributes(&wanted);
  wanted.majorVersion = 2;  // The page has made it, with what else is wanted.
  context = emscripten_webgl_create_context("#canvas", &wanted);
  context_restored = false;
  return context > 0 ? &window : nullptr;
}
void glfwDestroyWindow(GLFWwindow*) { emscripten_webgl_destroy_context(context); }
void glfwMakeContextCurrent(GLFWwindow*) { emscripten_webgl_make_context_current(context); }
int glfwExtensionSupported(const char* name) { return std::strcmp(name, "GL_ARB_robustness") == 0; }
GLFWglproc glfwGetProcAddress(const char* name) {
  return std::strcmp(name, "glGetGraphicsResetStatusARB") == 0 ? reinterpret_cast<GLFWglproc>(reset_status) : nullptr;
}
void glfwSwapBuffers(GLFWwindow*) { page_show(); }
void glfwSwapInterval(int) {}

int glfwWindowShouldClose(GLFWwindow*) { return GLFW_FALSE; }
void glfwSetWindowSizeLimits(GLFWwindow*, int, int, int, int) {}
void glfwGetWindowPos(GLFWwindow*, int* x, int* y) { *x = *y = 0; }
void glfwSetWindowPos(GLFWwindow*, int, int) {}
void glfwGetWindowSize(GLFWwindow*, int* width, int* height) {
  *width = page_width();
  *height = page_height();
}
void glfwGetFramebufferSize(GLFWwindow*, int* width, int* height) { glfwGetWindowSize(&window, width, height); }
void glfwGetWindowContentScale(GLFWwindow*, float* x, float* y) { *x = *y = static_cast<float>(page_density()); }
int glfwGetWindowAttrib(GLFWwindow*, int which) {
  return which == GLFW_VISIBLE || (which == GLFW_FOCUSED && window.focused);
}
void glfwSetWindowUserPointer(GLFWwindow*, void* user) { window.user = user; }
void* glfwGetWindowUserPointer(GLFWwindow*) { return window.user; }

GLFWmonitor* glfwGetPrimaryMonitor() { return &monitor; }
const GLFWvidmode* glfwGetVideoMode(GLFWmonitor*) {
  static GLFWvidmode mode{};
  mode.width = page_width();
  mode.height = page_height();
  return &mode;
}
void glfwGetMonitorWorkarea(GLFWmonitor*, int* x, int* y, int* width, int* height) {
  *x = *y = 0;
  glfwGetWindowSize(&window, width, height);
}
// Whoever leaves the whole screen by the browser's own key stays where they are.
GLFWmonitor* glfwGetWindowMonitor(GLFWwindow*) { return window.fullscreen ? &monitor : nullptr; }
void glfwSetWindowMonitor(GLFWwindow*, GLFWmonitor* on, int, int, int, int, int) {
  window.fullscreen = on != nullptr;
  page_set_fullscreen(window.fullscreen);
}
GLFWmonitorfun glfwSetMonitorCallback(GLFWmonitorfun) { return nullptr; }

void glfwPollEvents() {
  take_events();
  page_ask_for_turn(0);
}
// Nothing waits here: the page's next turn comes after that time. After an event there may be more to draw than now.
void glfwWaitEventsTimeout(double seconds) { page_ask_for_turn(take_events() ? 0 : seconds); }
void glfwPostEmptyEvent() { page_ask_for_turn(0); }

GLFWkeyfun glfwSetKeyCallback(GLFWwindow*, GLFWkeyfun next) { return exchange(window.key, next); }
GLFWcharfun glfwSetCharCallback(GLFWwindow*, GLFWcharfun next) { return exchange(window.character, next); }
GLFWmousebuttonfun glfwSetMouseButtonCallback(GLFWwindow*, GLFWmousebuttonfun next) {
  return exchange(window.button, next);
}
GLFWscrollfun glfwSetScrollCallback(GLFWwindow*, GLFWscrollfun next) { return exchange(window.scroll, next); }
GLFWwindowfocusfun glfwSetWindowFocusCallback(GLFWwindow*, GLFWwindowfocusfun next) {
  return exchange(window.focus, next);
}
GLFWcursorenterfun glfwSetCursorEnterCallback(GLFWwindow*, GLFWcursorenterfun next) {
  return exchange(window.enter, next);
}
GLFWcursorposfun glfwSetCursorPosCallback(GLFWwindow*, GLFWcursorposfun next) {
  return exchange(window.position, next);
}
GLFWframebuffersizefun glfwSetFramebufferSizeCallback(GLFWwindow*, GLFWframebuffersizefun next) {
  return exchange(window.size, next);
}
GLFWwindowcontentscalefun glfwSetWindowContentScaleCallback(GLFWwindow*, GLFWwindowcontentscalefun next) {
  return exchange(window.content_scale, next);
}
GLFWwindowrefreshfun glfwSetWindowRefreshCallback(GLFWwindow*, GLFWwindowrefreshfun next) {
  return exchange(window.refresh, next);
}
GLFWdropfun glfwSetDropCallback(GLFWwindow*, GLFWdropfun next) { return exchange(window.drop, next); }

const char* glfwGetKeyName(int, int) { return window.key_name.empty() ? nullptr : window.key_name.c_str(); }
int glfwGetKey(GLFWwindow*, int) { return GLFW_RELEASE; }
int glfwGetMouseButton(GLFWwindow*, int button) { return window.buttons[button]; }
void glfwGetCursorPos(GLFWwindow*, double* x, double* y) {
  *x = window.x;
  *y = window.y;
}
void glfwSetCursorPos(GLFWwindow*, double, double) {}
int glfwGetInputMode(GLFWwindow*, int) { return GLFW_CURSOR_NORMAL; }
void glfwSetInputMode(GLFWwindow*, int, int) {}
const float* glfwGetJoystickAxes(int, int* count) { return *count = 0, nullptr; }
const unsigned char* glfwGetJoystickButtons(int, int* count) { return *count = 0, nullptr; }
double glfwGetTime() { return emscripten_get_now() / 1000; }

GLFWcursor* glfwCreateStandardCursor(int shape) {
  switch (shape) {
    case GLFW_IBEAM_CURSOR: return new GLFWcursor{"text"};
    case GLFW_VRESIZE_CURSOR: return new GLFWcursor{"ns-resize"};
    case GLFW_HRESIZE_CURSOR: return new GLFWcursor{"ew-resize"};
    case GLFW_HAND_CURSOR: return new GLFWcursor{"pointer"};
    default: return new GLFWcursor{"default"};
  }
}
void glfwDestroyCursor(GLFWcursor* cursor) { delete cursor; }
void glfwSetCursor(GLFWwindow*, GLFWcursor* cursor) { page_set_cursor(cursor ? cursor->css : "default"); }

void glfwSetClipboardString(GLFWwindow*, const char* text) { page_copy(text); }
const char* glfwGetClipboardString(GLFWwindow*) {
  char* text = page_clipboard();
  pasted = text;
  std::free(text);
  return pasted.c_str();
}

}  // extern "C"
