#pragma once

#include "compile/compile.h"

namespace tilescope {

/// With the worker process of this build, and without nvcc: tests are of what NVRTC and the PTX that ships give.
inline compile::Settings built_settings(compile::Choice choice = {}) {
  compile::Settings settings;
  settings.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
  settings.choice = choice;
  settings.nvcc = "/nonexistent";
  return settings;
}

/// The first compiler that there is.
inline compile::Compiler& built_compiler() {
  static compile::Compiler compiler(built_settings());
  return compiler;
}

/// NVRTC alone.
inline compile::Compiler& nvrtc() {
  static compile::Compiler compiler(built_settings(compile::Choice::Nvrtc));
  return compiler;
}

}  // namespace tilescope
