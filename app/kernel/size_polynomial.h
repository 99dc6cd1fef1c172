#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope::kernel {

/// Values of the sizes, or their powers in a product, in the order of kSizeNames.
using Sizes = std::array<int64_t, 3>;
inline constexpr std::array<std::string_view, 3> kSizeNames{"K", "M", "N"};

/// What sizes are where nobody says.
inline constexpr Sizes kTypicalSizes{4096, 4096, 4096};

/// A sum of products of the sizes, such as M * N + 2 * N.
struct SizePolynomial {
  std::map<Sizes, int64_t, std::greater<>> factors;  ///< By powers, without zeros; {0, 0, 0} is the constant.

  std::string text() const;
  int64_t at(const Sizes& sizes) const;
  int64_t degree() const;
  /// Without what a margin takes from whole rows: N for N - 2, 3 * M * N for 3 * M * N - N - 1.
  SizePolynomial in_whole_rows() const;
  bool operator==(const SizePolynomial&) const = default;
};

/// The polynomial whose values these are: in N up to N * N * N, in M and K linear. `used`: 0 for a size that does not
/// occur. Nullopt if `value_at` has none or there is no such polynomial.
std::optional<SizePolynomial> polynomial_of(const Sizes& used,
                                            const std::function<std::optional<int64_t>(const Sizes&)>& value_at);

}  // namespace tilescope::kernel
