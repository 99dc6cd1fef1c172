#pragma once

#include <cstdint>
#include <string>

#include "base/memory.h"
#include "kernel/configuration.h"

namespace tilescope::run {

/// Element `index` of the array called `name`: uniform in [-1, 1), the same for one seed on every machine.
float input_value(uint64_t seed, const std::string& name, uint64_t index);

/// Writes the values of input_value() into the data part of an array of `array.bytes` bytes, converted to its element
/// type (integers: whole numbers from -8 to 8), and zeros into the rest. Instead the array's initial values, if the
/// description gives start with.
void fill_array(uint64_t seed, const kernel::ArrayShape& array, std::byte* bytes);

/// Stores a number as an element: rounded to the nearest, ties to even, as the host's conversions do.
void put_scalar(std::byte* at, Element element, double value);

/// The number that an element of memory holds.
double number_at(const std::byte* at, Element element);

/// Calls `visit(dense index, allocated index)` for each element of the data part, in order.
template <class Visit>
void for_each_element(const kernel::ArrayShape& array, Visit visit) {
  const uint64_t width = array.shape.empty() ? 1 : array.shape.back();
  const uint64_t used = array.logical.empty() ? 1 : array.logical.back();
  uint64_t rows = 1;
  for (size_t i = 0; i + 1 < array.logical.size(); ++i) rows *= array.logical[i];
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t rest = row, allocated_row = 0, stride = 1;
    for (size_t i = array.logical.size(); i > 1; --i) {
      allocated_row += rest % array.logical[i - 2] * stride;
      rest /= array.logical[i - 2];
      stride *= array.shape[i - 2];
    }
    for (uint64_t column = 0; column < used; ++column) visit(row * used + column, allocated_row * width + column);
  }
}

}  // namespace tilescope::run
