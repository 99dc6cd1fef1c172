#pragma once

#include <cstdint>

#include "ptx/opcode_table.h"

namespace tilescope::emulator {

/// A row of A or a column of B, unpacked: at most 16 floating-point elements, then zeros.
struct TensorLine {
  static constexpr uint32_t kMost = 16;
  double values[kMost] = {};
  int16_t exponents[kMost] = {};  ///< Of a subnormal: that of the smallest normal; of zero: far below.
  bool is_finite = true;
};

/// `count` elements of a type, `stride` apart.
TensorLine tensor_line(ptx::Type type, const double* values, uint32_t stride, uint32_t count);

/// c + a b as the tensor cores of an H200 add it: the products are exact; each, and c, is truncated 25 bits below the
/// leading bit of the largest exponent among them, where a product's exponent is the sum of its factors'; then they
/// are added exactly. The result is not yet rounded to `type`, F32 or F16. `sign` is -1 if the products are subtracted;
/// `count` is 4, 8 or 16. Inf and NaN are as in double.
double tensor_sum(const TensorLine& a, const TensorLine& b, uint32_t count, double sign, double c, ptx::Type type);

/// c + a b of doubles, whose products are added one after another, each sum rounded. `stride_a`, `stride_b`: between
/// the elements of a row of A and of a column of B.
double sum_of_doubles(const double* a, uint32_t stride_a, const double* b, uint32_t stride_b, uint32_t count, double c,
                      ptx::Rounding rounding);

/// A sum truncated to F32; infinite from 2^128 on. Zero is positive.
float cut_to_float(double sum);
/// A float that rounds to the same F16 as the sum, except for the sign of zero.
float odd_float(double sum);

/// The element in part `part` of a register. TF32 uses the upper 19 bits of a register; the tensor cores ignore the
/// others.
double fragment_element(ptx::Type type, uint32_t word, uint32_t part);
/// Writes a sum as an element of D: its part of a register. F16 is rounded to nearest, F32 cut off.
void put_sum(ptx::Type type, double sum, uint32_t part, uint32_t& word);

}  // namespace tilescope::emulator
