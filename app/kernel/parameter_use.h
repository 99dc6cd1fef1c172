#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "source/host_expression.h"
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

/// The greatest value of each variable that the body compares with a constant, or sets to a constant or to known
/// variables, by its name; what `names` knows is known.
std::map<std::string, std::string> greatest_values(const source::Kernel& kernel, source::Names names);

/// The greatest of the `values` of variables that the body sets from a member, as of blockIdx's x.
std::optional<int64_t> greatest_from(const source::Kernel& kernel, const std::string& word, const std::string& member,
                                     const std::map<std::string, std::string>& values);

/// How far a kernel's body reaches into the array of a pointer parameter.
struct IndexReach {
  int64_t elements = 0;  ///< One more than the greatest index that `names` gives.
  int64_t columns = 1;   ///< The constant by which an index multiplies: i * columns + j.
};
/// Nothing where `names` gives no index.
std::optional<IndexReach> reach_of(const source::Kernel& kernel, const std::string& pointer,
                                   const source::Names& names);

/// Whether the body sets `variable` to `value` where it declares it: lda = M.
bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value);

}  // namespace tilescope::kernel
