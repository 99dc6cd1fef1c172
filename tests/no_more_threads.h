#pragma once

#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

/// From here on the system gives this process no thread, which ends it where it still does. For the child of a death
/// test: RLIMIT_NPROC does not bind root, so the child becomes nobody.
inline void no_more_threads() {
  constexpr uid_t kNobody = 65534;
  if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) std::perror("setuid");
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_NPROC, &none) != 0) std::perror("setrlimit");
  try {
    std::thread([] {}).join();
  } catch (const std::system_error&) {
    return;
  }
  std::fputs("There is still a thread.\n", stderr);
  std::_Exit(99);
}
