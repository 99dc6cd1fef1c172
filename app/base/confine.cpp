#include "base/confine.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tilescope {
namespace {

bool limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard) {
  const rlimit both{soft, hard};
  return setrlimit(resource, &both) == 0;
}

}  // namespace

bool limit_resources(uint64_t memory_bytes, uint64_t cpu_seconds) {
  // The soft limit of processor time sends SIGXCPU, which tells the parent the reason; the hard one sends SIGKILL.
  return limit(RLIMIT_AS, memory_bytes, memory_bytes) && limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1) &&
         limit(RLIMIT_CORE, 0, 0);
}

#if __has_include(<linux/landlock.h>)
namespace {

constexpr uint64_t kAllRights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // Of the first version.

uint64_t rights_of(Access access) {
  constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  switch (access) {
    case Access::Read: return kRead;
    case Access::Run: return kRead | LANDLOCK_ACCESS_FS_EXECUTE;
    case Access::Write:
      return kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;
  }
  return 0;
}

}  // namespace

bool forbid_files(const std::vector<Grant>& grants) {
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kAllRights;
  const long rules = syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
  if (rules < 0) return false;
  for (const Grant& grant : grants) {
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = rights_of(grant.access);
    beneath.parent_fd = open(grant.folder.c_str(), O_PATH | O_CLOEXEC);
    if (beneath.parent_fd < 0) continue;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    close(beneath.parent_fd);
  }
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

bool can_forbid_files() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}
#else
bool forbid_files(const std::vector<Grant>&) { return false; }

bool can_forbid_files() { return false; }
#endif

}  // namespace tilescope
