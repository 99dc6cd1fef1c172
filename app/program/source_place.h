#pragma once

#include <string>
#include <vector>

namespace tilescope::program {

/// The line of a program's source that an instruction belongs to.
struct SourcePlace {
  std::string file;  ///< Its last component; empty if unknown.
  int line = 0;
};

/// The innermost of the places, each "module\toffset", that is in the program's own source: not in the CUDA Toolkit's
/// headers or the code that nvcc generates. Needs binutils (addr2line) and a program with debug information (nvcc -g).
SourcePlace own_place(const std::vector<std::string>& places);

}  // namespace tilescope::program
