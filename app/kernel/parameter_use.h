#pragma once

#include <string>

#include "source/program.h"

namespace tilescope::kernel {

/// How a kernel's body uses the array of a pointer parameter, as far as the text shows.
struct PointerUse {
  bool is_written = false;
  bool is_read = false;
  bool is_added_to = false;  ///< By += or atomicAdd: it needs an initial value.
  bool is_single = false;    ///< Only *p, p[0] or atomicAdd(p, ...).
};
PointerUse use_of(const source::Kernel& kernel, const std::string& pointer);

/// Whether the body has the word, a `for` or `threadIdx.y` for instance: a member counts with its object.
bool mentions(const source::Kernel& kernel, const std::string& word, const std::string& member = "");

/// Whether the body multiplies by this value, as in an index of two dimensions: i * n + j.
bool multiplies_by(const source::Kernel& kernel, const std::string& value);

/// Whether the body sets `variable` to `value` where it declares it: lda = M.
bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value);

}  // namespace tilescope::kernel
