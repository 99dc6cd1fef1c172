#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

/// Preloaded: appends each turn of the window's loop that took more than 50 ms, from one poll of events to the next, to
/// the file named by TILESCOPE_TURNS: seconds since the start, the turn's duration and the processor time of that
/// thread, both in milliseconds. During a turn the window does not answer.
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point start = Clock::now();
Clock::time_point turn_began = start;
double processor_began = 0;

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void end_turn() {
  static std::FILE* const file = std::fopen(std::getenv("TILESCOPE_TURNS"), "a");
  const Clock::time_point now = Clock::now();
  const double taken = std::chrono::duration<double, std::milli>(now - turn_began).count();
  if (taken <= 50 || !file) return;
  std::fprintf(file, "%8.1f s: %5.0f ms, %5.0f ms of the processor\n",
               std::chrono::duration<double>(turn_began - start).count(), taken, processor_ms() - processor_began);
  std::fflush(file);
}

void begin_turn() {
  turn_began = Clock::now();
  processor_began = processor_ms();
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void glfwPollEvents() {
  static const auto poll = real<void (*)()>("glfwPollEvents");
  end_turn();
  poll();
  begin_turn();
}

extern "C" void glfwWaitEventsTimeout(double seconds) {
  static const auto wait = real<void (*)(double)>("glfwWaitEventsTimeout");
  end_turn();
  wait(seconds);
  begin_turn();
}
