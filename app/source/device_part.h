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

/// The part of a program that the compiler gets.
struct DevicePart {
  std::string text;           ///< As long as the original, with blanks in place of host code: lines keep their numbers.
  std::vector<File> headers;  ///< Likewise the author's own headers. "../" of a name is "up/" here and in the texts: no
                              ///< compiler is to leave its folder.
  std::vector<LeftOut> left_out;  ///< Of the first text.
};

/// Leaves out of a text and its headers what only the host needs: functions without __global__ or __device__, types and
/// variables that no device code names, includes of host libraries, and kernels other than `entry` if one is named.
/// Anything that device code mentions stays, host or not, so that the compiler can report errors in it, and so does
/// what is no whole declaration, such as a stray word. Of a text without host functions and host headers only other
/// kernels than `entry` are left out.
DevicePart device_part(const std::string& text, const std::vector<File>& headers, const std::string& entry);

}  // namespace tilescope::source
