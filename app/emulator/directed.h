#pragma once

#include <cstdint>

#include "ptx/module.h"

/// Arithmetic of float and double with one rounding toward zero, down or up (.rz, .rm, .rp; anything else rounds to the
/// nearest, ties to even), computed from whole numbers: the processor's own mode of rounding is neither read nor set,
/// and a browser has none. What IEEE 754 says of infinities, NaN and the sign of a zero holds.
namespace tilescope::emulator::directed {

template <class T>
T add(T a, T b, ptx::Rounding rounding);
template <class T>
T multiply(T a, T b, ptx::Rounding rounding);
/// a * b + c
template <class T>
T multiply_add(T a, T b, T c, ptx::Rounding rounding);
template <class T>
T divide(T a, T b, ptx::Rounding rounding);
template <class T>
T square_root(T a, ptx::Rounding rounding);

/// The number as a float or a double.
template <class T>
T from_double(double value, ptx::Rounding rounding);
template <class T>
T from_integer(uint64_t magnitude, bool negative, ptx::Rounding rounding);

}  // namespace tilescope::emulator::directed
