#include "window/gl_window.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "draw/gl.h"

namespace tilescope::window {
namespace {

constexpr int kSmallestWidth = 640, kSmallestHeight = 400;  // Below this size panels overlap.

std::string last_error;

void note_error(int, const char* description) { last_error = description; }

Diagnostic no_display() {
  return error(
      fmt::format("There is no display to open the window on ({}). Start it from a desktop session, with "
                  "ssh -X, or under xvfb-run; tilescope play works in a terminal.",
                  last_error));
}

Diagnostic no_opengl() {
  return error(
      fmt::format("The display offers no OpenGL 3.3 ({}). Update the graphics driver, or set "
                  "LIBGL_ALWAYS_SOFTWARE=1; tilescope play works in a terminal.",
                  last_error));
}

void set_hints(bool visible) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tilescope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "tilescope");
}

/// No larger than what the screen leaves free, if it is known.
void fit_to_screen(int& width, int& height) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (!monitor) return;
  int x = 0, y = 0, most_width = 0, most_height = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &most_width, &most_height);
  if (most_width > 0) width = std::min(width, most_width);
  if (most_height > 0) height = std::min(height, most_height);
}

GLFWwindow* create(int width, int height, bool visible) {
  set_hints(visible);
  if (visible) fit_to_screen(width, height);
  GLFWwindow* window = glfwCreateWindow(width, height, "Tilescope", nullptr, nullptr);
  if (window) return window;
  // Some drivers have no robust contexts.
  glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_NO_ROBUSTNESS);
  return glfwCreateWindow(width, height, "Tilescope", nullptr, nullptr);
}

}  // namespace

Result<std::unique_ptr<GlWindow>> GlWindow::open(int width, int height, bool visible) {
  glfwSetErrorCallback(note_error);
  if (!glfwInit()) return no_display();
  std::unique_ptr<GlWindow> window(new GlWindow);
  const Result<std::monostate> made = window->make(width, height, visible);
  if (!made) return made.errors();
  return window;
}

Result<std::monostate> GlWindow::make(int width, int height, bool visible) {
  handle_ = create(width, height, visible);
  if (!handle_) return no_opengl();
  if (visible) glfwSetWindowSizeLimits(handle_, kSmallestWidth, kSmallestHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(handle_);
  if (!draw::load_gl(glfwGetProcAddress)) {
    last_error = "its functions cannot be loaded";
    return no_opengl();
  }
  reset_status_ = nullptr;
  if (glfwExtensionSupported("GL_ARB_robustness"))
    reset_status_ = reinterpret_cast<unsigned (*)()>(glfwGetProcAddress("glGetGraphicsResetStatusARB"));
  const auto* vendor = reinterpret_cast<const char*>(glGetString(GL_VENDOR));
  on_nvidia_ = vendor && std::string_view(vendor).starts_with("NVIDIA");
  glfwSwapInterval(visible ? 1 : 0);
  return std::monostate{};
}

Result<std::monostate> GlWindow::reopen() {
  const bool visible = glfwGetWindowAttrib(handle_, GLFW_VISIBLE);
  set_fullscreen(false);
  int x = 0, y = 0, width = 0, height = 0;
  glfwGetWindowPos(handle_, &x, &y);
  glfwGetWindowSize(handle_, &width, &height);
  glfwDestroyWindow(handle_);
  const Result<std::monostate> made = make(width, height, visible);
  if (made) glfwSetWindowPos(handle_, x, y);
  return made;
}

GlWindow::~GlWindow() {
  if (handle_) glfwDestroyWindow(handle_);
  glfwTerminate();
}

float GlWindow::content_scale() const {
  float x = 1, y = 1;
  int width = 0, height = 0, pixels_wide = 0, pixels_high = 0;
  glfwGetWindowContentScale(handle_, &x, &y);
  glfwGetWindowSize(handle_, &width, &height);
  glfwGetFramebufferSize(handle_, &pixels_wide, &pixels_high);
  // If the framebuffer has more pixels than the window has points, that much is already scaled.
  return width > 0 && pixels_wide > 0 ? x * static_cast<float>(width) / static_cast<float>(pixels_wide) : x;
}

bool GlWindow::is_lost() const { return reset_status_ && reset_status_() != GL_NO_ERROR; }

void GlWindow::set_fullscreen(bool on) {
  if (on == (glfwGetWindowMonitor(handle_) != nullptr)) return;
  if (!on) return glfwSetWindowMonitor(handle_, nullptr, x_, y_, width_, height_, 0);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  if (!mode) return;
  glfwGetWindowPos(handle_, &x_, &y_);
  glfwGetWindowSize(handle_, &width_, &height_);
  glfwSetWindowMonitor(handle_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

}  // namespace tilescope::window
