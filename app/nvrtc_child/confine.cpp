#include "nvrtc_child/confine.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tilescope::nvrtc_child {
namespace {

bool limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard) {
  const rlimit both{soft, hard};
  return setrlimit(resource, &both) == 0;
}

}  // namespace

bool limit_resources(uint64_t memory_bytes, uint64_t cpu_seconds) {
  // At the soft limit of processor time comes SIGXCPU, which tells the parent why; at the hard one SIGKILL.
  return limit(RLIMIT_AS, memory_bytes, memory_bytes) && limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1) &&
         limit(RLIMIT_CORE, 0, 0);
}

#if __has_include(<linux/landlock.h>)
bool forbid_files(const std::vector<std::string>& readable_folders) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // All rights of the first version.
  const long rules = syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0) return false;
  for (const std::string& folder : readable_folders) {
    landlock_path_beneath_attr readable{};
    readable.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    readable.parent_fd = open(folder.c_str(), O_PATH | O_CLOEXEC);
    if (readable.parent_fd < 0) continue;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &readable, 0);
    close(readable.parent_fd);
  }
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}
#else
bool forbid_files(const std::vector<std::string>&) { return false; }
#endif

}  // namespace tilescope::nvrtc_child
