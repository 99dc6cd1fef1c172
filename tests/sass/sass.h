#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tilescope::sass {

/// One machine instruction that moves data, synchronises or multiplies. Others are not listed, nor are loads whose
/// value is discarded.
struct Instruction {
  uint32_t offset = 0;  ///< In bytes from the kernel's start; instructions are 16 bytes.
  std::string
      mnemonic;  ///< With its width where that is not 32 bits: "LDS", "LDS.128", "LDG.64", "STS.U8", "BAR", "FFMA".
};

struct Kernel {
  std::string name;
  uint32_t instructions = 0;  ///< Of all kinds.
  std::vector<Instruction> listed;
};

/// How many instructions of a kernel carry each mnemonic.
using Summary = std::map<std::string, uint32_t>;
Summary summarise(const Kernel& kernel);

/// The kernels of a cubin for sm_70 to sm_90. An error says why it is not one.
Result<std::vector<Kernel>> read_cubin(std::string_view cubin);

}  // namespace tilescope::sass
