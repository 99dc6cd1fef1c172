#include "window/system.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tilescope::window {
namespace {
namespace fs = std::filesystem;

std::atomic<bool> asked_to_end = false;

void ask_for_end(int) { asked_to_end.store(true, std::memory_order_relaxed); }

// By default glibc raises its mmap threshold up to 32 MB, and the heap keeps the memory of old traces.
void keep_heap_small() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 18);
  mallopt(M_ARENA_MAX, 2);
#endif
}

}  // namespace

void set_up_process() {
  keep_heap_small();
  std::signal(SIGINT, ask_for_end);
  std::signal(SIGTERM, ask_for_end);
}

bool end_was_asked() { return asked_to_end; }

// Freed scenes and probes leave holes in the heap, which glibc keeps.
void give_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void run_turns(std::function<bool()> turn) {
  while (turn()) continue;
}

bool is_loaded() { return true; }

bool still_runs(const std::string& process) {
  std::error_code none;
  const fs::path other = fs::read_symlink("/proc/" + process + "/exe", none);
  return !none && other == fs::read_symlink("/proc/self/exe", none);
}

std::string page_address() {
  const char* address = std::getenv("TILESCOPE_PAGE");
  return address ? address : "";
}

std::string environment_language() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string locale = value, language = locale.substr(0, locale.find_first_of("_.@"));
    return language == "C" || language == "POSIX" ? "en" : language;
  }
  return "en";
}

}  // namespace tilescope::window
