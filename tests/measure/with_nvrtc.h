#pragma once

#include "compile/compile.h"

namespace tilescope::measure {

inline compile::Compiler& compiler() {
  static compile::Compiler shared;
  return shared;
}

/// Kernels are measured as machine code.
inline bool has_nvrtc() {
  static const bool has = static_cast<bool>(compiler().toolchain());
  return has;
}

}  // namespace tilescope::measure
