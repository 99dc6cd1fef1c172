#pragma once

#include <string>
#include <vector>

namespace tilescope::source {

/// A call of a function that CUDA had once.
struct RemovedCall {
  std::string name;     ///< "__shfl_xor"
  std::string instead;  ///< "__shfl_xor_sync(0xffffffff, ...)"
  int line = 0;
};
/// Each once, where it is called first.
std::vector<RemovedCall> removed_calls(const std::string& text);

}  // namespace tilescope::source
