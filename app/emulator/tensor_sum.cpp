#include "emulator/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "emulator/directed.h"

namespace tilescope::emulator {
namespace {

constexpr int kKeptBits = 25;  // tests/emulator/data/h200_tensor_sums.csv
constexpr int kBias = 1023;
constexpr int16_t kOfZero = -8192;  // A product of zero is below all others.

int exponent_of(double value, int least) {
  const auto exponent = static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff);
  return std::max(exponent - kBias, least);
}

int least_exponent(ptx::Type type) { return type == ptx::Type::F16 ? -14 : -126; }

/// 2 to the power of this.
double power(int exponent) { return std::bit_cast<double>(static_cast<uint64_t>(exponent + kBias) << 52); }

}  // namespace

TensorLine tensor_line(ptx::Type type, const double* values, uint32_t stride, uint32_t count) {
  TensorLine line;
  const int least = least_exponent(type);
  for (uint32_t i = 0; i < count; ++i) {
    const double value = values[size_t{i} * stride];
    line.values[i] = value;
    line.exponents[i] = value == 0 ? kOfZero : static_cast<int16_t>(exponent_of(value, least));
    line.is_finite = line.is_finite && std::isfinite(value);
  }
  return line;
}

namespace {

/// Of finite numbers. The number of elements is a constant so that the compiler unrolls.
template <uint32_t kCount>
double cut_sum(const TensorLine& a, const TensorLine& b, double sign, double c, ptx::Type type) {
  auto most = static_cast<int16_t>(exponent_of(c, least_exponent(type)));
  for (uint32_t i = 0; i < kCount; ++i) most = std::max(most, static_cast<int16_t>(a.exponents[i] + b.exponents[i]));
  const double scale = power(kKeptBits - most);
  // Each product is below 2^27, so eight of them fit.
  int32_t halves[2] = {};
  for (uint32_t half = 0; half < 2; ++half)
    for (uint32_t i = half * kCount / 2; i < (half + 1) * kCount / 2; ++i)
      halves[half] += static_cast<int32_t>(a.values[i] * b.values[i] * (sign * scale));
  const int64_t sum = static_cast<int64_t>(c * scale) + halves[0] + halves[1];
  return static_cast<double>(sum) * power(most - kKeptBits);
}

}  // namespace

double tensor_sum(const TensorLine& a, const TensorLine& b, uint32_t count, double sign, double c, ptx::Type type) {
  if (!a.is_finite || !b.is_finite || !std::isfinite(c)) {
    for (uint32_t i = 0; i < count; ++i) c += sign * a.values[i] * b.values[i];
    return c;
  }
  if (count == 4) return cut_sum<4>(a, b, sign, c, type);
  return count == 8 ? cut_sum<8>(a, b, sign, c, type) : cut_sum<16>(a, b, sign, c, type);
}

double sum_of_doubles(const double* a, uint32_t stride_a, const double* b, uint32_t stride_b, uint32_t count, double c,
                      ptx::Rounding rounding) {
  const bool to_nearest = rounding == ptx::Rounding::Rn || rounding == ptx::Rounding::None;
  for (uint32_t k = 0; k < count; ++k)
    c = to_nearest ? std::fma(a[k * stride_a], b[k * stride_b], c)
                   : directed::multiply_add(a[k * stride_a], b[k * stride_b], c, rounding);
  return c;
}

float cut_to_float(double sum) {
  if (std::abs(sum) >= 0x1p128) return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(sum));
  const auto near = static_cast<float>(sum);
  if (std::abs(static_cast<double>(near)) > std::abs(sum))
    return std::bit_cast<float>(std::bit_cast<uint32_t>(near) - 1) + 0.0f;
  return near + 0.0f;
}

float odd_float(double sum) {
  const float cut = cut_to_float(sum);
  if (std::isnan(sum) || static_cast<double>(cut) == sum) return cut;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(cut) | 1);
}

}  // namespace tilescope::emulator
