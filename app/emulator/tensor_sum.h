#pragma once

#include <cstdint>

#include "ptx/opcode_table.h"

namespace tilescope::emulator {

/// A row of A or a column of B as a tensor core takes it: at most 16 floating-point elements.
struct TensorLine {
  static constexpr uint32_t kMost = 16;
  double values[kMost] = {};
  int16_t exponents[kMost] = {};  ///< Of a subnormal number, and of zero, that of the type's least normal one.
  bool is_finite = true;
};

/// `count` elements of a type, `stride` apart.
TensorLine tensor_line(ptx::Type type, const double* values, uint32_t stride, uint32_t count);

/// c + a b as the tensor cores of an H200 add it: the products are exact; each, and c, is cut off 25 bits below the
/// leading bit of the largest exponent among them, where a product's exponent is the sum of its factors'; what is left
/// is added exactly. The result has yet to be rounded to `type`, F32 or F16. `sign`: -1 where the products are
/// subtracted. Inf and NaN come out as in double.
double tensor_sum(const TensorLine& a, const TensorLine& b, uint32_t count, double sign, double c, ptx::Type type);

/// A sum as F32: what does not fit is cut off, and from 2^128 on it is infinite. Zero is positive.
float cut_to_float(double sum);
/// A sum as a float whose own rounding to F16, to the nearest, is that of the sum, but for the sign of a zero.
float odd_float(double sum);

}  // namespace tilescope::emulator
