#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tilescope::program {

/// One image of a fat binary, as nvcc and fatbinary put them together.
struct Image {
  enum class Kind : uint8_t { Ptx, Cubin };
  Kind kind = Kind::Ptx;
  uint32_t capability = 0;  ///< 90 for sm_90 or compute_90
  std::string bytes;        ///< Uncompressed. PTX without its closing zero.
};

/// The images in the order of the file. The format is not documented by NVIDIA: a container of magic 0xba55ed50 with
/// entries, each with a header (kind, size, capability, flags) and a payload that is plain or compressed with LZ4 or
/// zstd. Errors: not a fat binary; cut short; a payload that does not decompress. Never crashes, whatever the bytes.
Result<std::vector<Image>> read_fat_binary(std::string_view bytes);

/// The PTX that a device of `capability` compiles: of the highest capability not above it; or null.
const Image* ptx_for(const std::vector<Image>& images, uint32_t capability);

/// Registers a thread of each kernel of a cubin, by the name in PTX: EIATTR_REGCOUNT in its section .nv.info.
/// Empty without such a section.
std::map<std::string, uint32_t> registers_of(std::string_view cubin);

}  // namespace tilescope::program
