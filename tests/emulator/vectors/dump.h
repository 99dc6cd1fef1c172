#pragma once

#include <filesystem>

#include "base/result.h"

namespace tilescope::vectors {

/// Writes every case to a folder: one MODULE.ptx each, vectors.json, and vectors.bin with the arrays.
///
/// vectors.json is an array of objects: `module` (the .ptx file), `entry`, `instruction`, `grid` and `block` (three
/// extents), `inputs` (each `type`, `count`, `offset` in vectors.bin), `guard` and `output` likewise, and `tolerance`
/// (`kind`, `amount`). A kernel's six parameters are the addresses of in0 to in3, guard and out. The output buffer
/// starts as 0xA5 bytes; what `output` points to in vectors.bin is what it must hold afterwards.
Result<std::monostate> dump(const std::filesystem::path& folder);

}  // namespace tilescope::vectors
