#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::nvrtc_child {

/// Limits this process: address space, processor time, no core file. False when the system refuses.
bool limit_resources(uint64_t memory_bytes, uint64_t cpu_seconds);

enum class Access { Read, Run, Write };  ///< Each includes reading.

/// A folder and what may be done with the files below it.
struct Grant {
  std::string folder;
  Access access = Access::Read;
};

/// From here on no file can be opened but as the grants say, where the kernel has Landlock
/// (Linux 5.13, https://docs.kernel.org/userspace-api/landlock.html). Elsewhere nothing changes: the request's
/// directives were checked before, this is the second lock. True when it holds.
bool forbid_files(const std::vector<Grant>& grants);

}  // namespace tilescope::nvrtc_child
