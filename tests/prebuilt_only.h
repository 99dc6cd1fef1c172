#pragma once

#include "compile/compile.h"

namespace tilescope {

/// A compiler without NVRTC, nvcc, clang and a cache: tests use the PTX that ships, the same on every machine.
inline compile::Settings prebuilt_only() {
  compile::Settings settings;
  settings.library = "/nonexistent";
  settings.nvcc = "/nonexistent";
  settings.clang = "/nonexistent";
  settings.cache_folder = TILESCOPE_BINARY_DIR "/no-compile-cache";
  settings.prebuilt_folder = TILESCOPE_SOURCE_DIR "/assets/prebuilt";
  return settings;
}

inline compile::Compiler& prebuilt_compiler() {
  static compile::Compiler compiler(prebuilt_only());
  return compiler;
}

}  // namespace tilescope
