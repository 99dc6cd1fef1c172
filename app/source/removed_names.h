#pragma once

#include <string>
#include <vector>

#include "base/message.h"

namespace tilescope::source {

/// A name that CUDA had once.
struct RemovedName {
  std::string name;     ///< "__shfl_xor"
  std::string instead;  ///< "__shfl_xor_sync(0xffffffff, ...)"
  int line = 0;
  Message sentence() const;
};
/// The functions of device code that a text calls, each once, where it is called first.
std::vector<RemovedName> removed_functions(const std::string& text);
/// Likewise the members of cudaDeviceProp.
std::vector<RemovedName> removed_members(const std::string& text);

}  // namespace tilescope::source
