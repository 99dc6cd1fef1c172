#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"

namespace tilescope::run {

/// The precision in which the kernel adds its products, from its PTX: BF16 or F16 if it has such arithmetic, else F32.
Element arithmetic_of(const std::string& ptx);
/// The part of an element that products of TF32 ignore, 2^-10 of it, if the PTX has any: tensor cores take ten bits
/// after the leading one and ignore the rest (PTX ISA, "Alternate Floating-Point Data Formats"); else 0.
double taken_roundoff(const std::string& ptx);

/// C = alpha*A*B + beta*C0 with row-major A (m x k), B (k x n), C and C0 (m x n).
struct Product {
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  const float* c0 = nullptr;          ///< What C held before; may be null if beta is 0.
  Element arithmetic = Element::F32;  ///< As arithmetic_of().
  double stored = 0;                  ///< As stored_roundoff() of C's type.
  double taken = 0;                   ///< The rounding of A's and B's elements in products; 0: none.
};

/// An element whose error exceeds what rounding can explain.
struct WrongElement {
  std::string array = "C";
  std::vector<int64_t> index;  ///< Row-major, as the source would write it.
  double expected = 0, got = 0, bound = 0;
  bool written = true;  ///< False: no thread wrote the element, and `got` means nothing.
};

/// "C[2][5]"
std::string name_of(const WrongElement& element);
/// "1.5 ± 1.0e-04": the expected value and its bound; without one where it must be equal.
std::string expected_of(const WrongElement& element);

/// The error of the result, in double precision.
struct Verification {
  std::string arrays = "C";  ///< What was compared; several with commas.
  std::string reference;     ///< The reference kernel; empty: the definition of the matrix product.
  uint64_t elements = 0;     ///< That were compared.
  uint64_t wrong = 0;        ///< That exceed their bound; NaN does.
  double max_error = 0;      ///< Largest |C - reference|; infinite if some compared element is not finite.
  double bound = 0;          ///< Largest elementwise bound.
  double worst_ratio = 0;    ///< Largest error in units of its own element's bound: at most 1 if all are right.
  std::optional<WrongElement> first_wrong;  ///< Of the first array the lowest index.
  /// By array a flag for each element up to the last wrong one, by the elements' row-major numbers.
  std::map<std::string, std::vector<bool>> wrong_elements;
};

/// Adds a compared element; `number`: its row-major number in the array.
void add_element(Verification& result, const WrongElement& element, uint64_t number);
/// Adds the result of another part; of two arrays `into` has the first.
void merge(Verification& into, const Verification& other);

/// Compares C with the product. An element's bound is gamma_n (|alpha| |A||B| + |beta||C0|) with n = k + 4,
/// gamma_n = n u / (1 - n u) and u = 2^-24: the forward error of an inner product in any order of summation
/// (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1) and the three operations after.
/// Where the arithmetic itself is f16 or bf16 that bound would let everything pass; there it is the probabilistic one,
/// sqrt(n) u in place of n u (N. J. Higham, T. Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J.
/// Sci. Comput. 41, 2019, with lambda = 1), u = 2^-11 or 2^-8. A C of f16 or bf16 is rounded once more, when it is
/// stored. Where a product takes A and B rounded to `taken` = v, (2 v + v^2) |alpha| |A||B| is added (P. Blanchard, N.
/// J. Higham, F. Lopez, T. Mary, S. Pranesh, Mixed Precision Block Fused Multiply-Add, SIAM J. Sci. Comput. 42, 2020,
/// section 3). `written` has one flag per element, row-major: only those are compared; empty means all. At most
/// `threads` threads. Stops early when `cancel` becomes true: the result is then meaningless.
Verification verify(const Product& product, const float* c, const std::vector<uint8_t>& written, unsigned threads,
                    const std::atomic<bool>* cancel = nullptr);

}  // namespace tilescope::run
