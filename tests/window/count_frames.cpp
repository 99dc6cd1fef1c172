#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

/// Preloaded: appends how many frames were shown in each second to the file that TILESCOPE_FRAMES names.
struct GLFWwindow;

extern "C" void glfwSwapBuffers(GLFWwindow* window) {
  using Clock = std::chrono::steady_clock;
  static const auto real = reinterpret_cast<void (*)(GLFWwindow*)>(dlsym(RTLD_NEXT, "glfwSwapBuffers"));
  static std::FILE* const file = std::fopen(std::getenv("TILESCOPE_FRAMES"), "a");
  static Clock::time_point second = Clock::now();
  static int frames = 0;
  real(window);
  ++frames;
  const double passed = std::chrono::duration<double>(Clock::now() - second).count();
  if (passed < 1 || !file) return;
  std::fprintf(file, "%.1f\n", frames / passed);
  std::fflush(file);
  second = Clock::now();
  frames = 0;
}
