#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "kernel/open_file.h"
#include "program/launch.h"

namespace tilescope::program {

/// A launch as it was before it ran, to be viewed later.
struct CapturedLaunch {
  struct Argument {
    std::vector<uint8_t> bytes;                           ///< As passed.
    std::shared_ptr<const kernel::ArrayContent> content;  ///< From its target to the end of the allocation; or null.
  };
  std::string kernel;  ///< "sgemm<64>"
  std::string file;    ///< The CUDA source; empty if the PTX does not name it.
  Dim3 grid, block;
  uint64_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

/// Captures one launch after another. Contents that have not changed in between are kept once.
class Captor {
 public:
  CapturedLaunch capture(const LoadedKernel& kernel, const LaunchShape& shape, DeviceMemory& memory);
  uint64_t bytes() const { return bytes_; }  ///< Of all contents captured so far.

 private:
  std::shared_ptr<const kernel::ArrayContent> content_at(DeviceMemory& memory, uint64_t address);

  struct Known {
    uint64_t contents = 0;  ///< As DeviceMemory numbers them.
    std::shared_ptr<const kernel::ArrayContent> content;
  };
  std::map<uint64_t, Known> known_;  ///< The last of each address.
  uint64_t bytes_ = 0;
};

/// The launch as a kernel of its source, with the form filled in as it was launched: arrays named after the kernel's
/// parameters, as large as they were allocated and holding what they held; scalars, block and grid as passed. Variables
/// of the module are as the source has them. Errors: the source is not known or has changed.
Result<kernel::Opened> open_launch(const CapturedLaunch& launch);

}  // namespace tilescope::program
