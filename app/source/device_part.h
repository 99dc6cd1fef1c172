#pragma once

#include <string>
#include <vector>

#include "source/headers.h"
#include "source/outline.h"

namespace tilescope::source {

/// An #include whose header is neither CUDA's nor beside the file.
struct LeftOut {
  std::string header;
  int line = 0;
  bool operator==(const LeftOut&) const = default;
};

/// What the compiler is given of a program.
struct DevicePart {
  std::string text;           ///< As long as the original, with blanks where host code stood: lines keep their numbers.
  std::vector<File> headers;  ///< Likewise the author's own headers.
  std::vector<LeftOut> left_out;  ///< Of the first text.
};

/// Leaves out of a text and its headers what only the host needs: functions without __global__ or __device__, types and
/// variables that no device code names, includes of host libraries, and kernels other than `entry` where one is named.
/// What device code mentions stays, host or not, so that the compiler can say what is wrong with it. A text without
/// host code comes back as it is.
DevicePart device_part(const std::string& text, const std::vector<File>& headers, const std::string& entry);

}  // namespace tilescope::source
