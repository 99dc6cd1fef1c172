#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// How far a kernel's body reaches into the array of a pointer parameter.
struct IndexReach {
  int64_t elements = 0;     ///< One more than the greatest index that is known.
  int64_t columns = 1;      ///< The constant or parameter by which an index multiplies: i * columns + j.
  bool is_whole = false;    ///< All its indices are known.
  bool is_shifted = false;  ///< One of them is a sum: i + 1.
};

/// What a kernel's variables can be at each place, by its conditions, its loops and what it sets them to.
class IndexRanges {
 public:
  /// `names`: the values of its scalar parameters and templates. `given`: the ranges of other names, "threadIdx.x" for
  /// instance, of an array that of its elements. Kernel and names must live as long.
  IndexRanges(const source::Kernel& kernel, const source::Names& names, std::map<std::string, source::Range> given);
  ~IndexRanges();

  /// Nothing where no index of the array is known.
  std::optional<IndexReach> reach_of(const std::string& pointer) const;

  /// How often a loop over a filter runs that the parameter bounds: it adds its variable to the thread's place in an
  /// index, as for (int j = 0; j < k; ++j) sum += w[j] * x[i + j]. Nothing where there is none.
  std::optional<int64_t> filter_turns(const std::string& parameter) const;

  /// The greatest bound of variables that the body sets from a member, as of blockIdx's x.
  std::optional<int64_t> greatest_from(const std::string& word, const std::string& member) const;

 private:
  struct Facts;
  struct Loop;
  const source::Kernel& kernel_;
  std::unique_ptr<const Facts> facts_;
};

/// Whether the body sets `variable` to `value` where it declares it: lda = M.
bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value);

}  // namespace tilescope::kernel
