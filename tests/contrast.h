#pragma once

#include <algorithm>
#include <cmath>

#include "draw/palette.h"

namespace tilescope::draw {

/// Relative luminance by WCAG 2.1.
inline double luminance(Rgba colour) {
  const auto channel = [&](int shift) {
    const double value = (colour >> shift & 0xff) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(16);
}

/// Contrast ratio by WCAG 2.1.
inline double contrast(Rgba a, Rgba b) {
  const double low = std::min(luminance(a), luminance(b)), high = std::max(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

}  // namespace tilescope::draw
