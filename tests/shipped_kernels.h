#pragma once

#include "kernel/catalogue.h"

namespace tilescope {

/// The kernels that ship.
inline const kernel::Catalogue& shipped_kernels() {
  static const kernel::Catalogue all = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  return all;
}

}  // namespace tilescope
