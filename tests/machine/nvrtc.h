#pragma once

#include "compile/compile.h"

namespace tilescope {

/// NVRTC, as the tests' own child process runs it.
inline compile::Compiler& nvrtc() {
  static compile::Compiler compiler([] {
    compile::Settings settings;
    settings.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
    settings.choice = compile::Choice::Nvrtc;
    return settings;
  }());
  return compiler;
}

}  // namespace tilescope
