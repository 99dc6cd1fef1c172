#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// Limits this process: address space, processor time, no core file. False if the system refuses.
bool limit_resources(uint64_t memory_bytes, uint64_t cpu_seconds);

enum class Access { Read, Run, Write };  ///< Each includes reading.

/// A folder and the access allowed to the files below it.
struct Grant {
  std::string folder;
  Access access = Access::Read;
};

/// From now on files can be opened only as granted, if the kernel has Landlock (Linux 5.13,
/// https://docs.kernel.org/userspace-api/landlock.html). Otherwise nothing changes: the request's directives were
/// checked before, and this is a second line of defence. True if it is active.
bool forbid_files(const std::vector<Grant>& grants);

/// Whether the kernel of the system can forbid files.
bool can_forbid_files();

}  // namespace tilescope
