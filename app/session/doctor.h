#pragma once

#include <string>
#include <vector>

#include "compile/compile.h"

namespace tilescope::session {

enum class Health { Good, Limited, Missing };

/// A component that Tilescope uses, whether it is here, and what that means.
struct Requirement {
  std::string name;  ///< "NVRTC"
  Health health = Health::Good;
  std::string found;  ///< "13.0, /usr/local/cuda/lib64/libnvrtc.so.13"; or why there is none.
  std::string means;  ///< One sentence.
};

/// Looks at this machine through files, the dynamic loader and other programs; changes nothing but a test file in the
/// cache folder. Takes at most a few seconds.
std::vector<Requirement> examine_machine(compile::Compiler& compiler, const std::atomic<bool>* cancel = nullptr);

}  // namespace tilescope::session
