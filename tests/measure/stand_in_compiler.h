#pragma once

#include <filesystem>

#include "built_compiler.h"
#include "compile/compile.h"
#include "run/run_cache.h"

namespace tilescope::measure {

/// Kernels are measured as machine code; that of the stand-in for NVRTC (compile/fake_nvrtc.cpp) is good enough for the
/// stand-in for the agent.
inline compile::Settings stand_in_compiler() {
  compile::Settings settings = built_settings();
  settings.library = TILESCOPE_BINARY_DIR "/tests/libfake_nvrtc.so";
  settings.cache_folder = TILESCOPE_BINARY_DIR "/no-compile-cache";
  return settings;
}

inline run::RunCache& runs() {
  static compile::Compiler compiler(stand_in_compiler());
  static run::RunCache shared(compiler);
  return shared;
}

}  // namespace tilescope::measure
