#include "run/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/input_values.h"
#include "base/turns.h"

namespace tilescope::run {
namespace {
using inputs::stream_of;
using inputs::value_at;

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Truncates; a magnitude below the smallest normal half, 2^-14, becomes zero.
uint16_t half_bits(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = (bits >> 23) & 0xff;
  const uint32_t sign = (bits >> 16) & 0x8000;
  if (exponent < 113) return static_cast<uint16_t>(sign);
  if (exponent > 142) return static_cast<uint16_t>(sign | 0x7c00);
  return static_cast<uint16_t>(sign | ((exponent - 112) << 10) | ((bits >> 13) & 0x3ff));
}

void put_number(std::byte* at, Element element, double value) {
  const auto whole = static_cast<int64_t>(value);
  const auto single = static_cast<float>(value);
  switch (element) {
    case Element::F64: return put(at, value);
    case Element::F32: return put(at, single);
    case Element::F16: return put(at, half_bits(single));
    case Element::BF16: return put(at, static_cast<uint16_t>(std::bit_cast<uint32_t>(single) >> 16));
    default: std::memcpy(at, &whole, size_of(element));
  }
}

void put_element(std::byte* at, Element element, float value) {
  put_number(at, element, is_floating(element) ? value : value * 8);
}

template <class T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

}  // namespace

void put_scalar(std::byte* at, Element element, double value) {
  if (element != Element::F16 && element != Element::BF16) return put_number(at, element, value);
  // Rounded to 11 or 8 significant bits, of which what put_number() truncates is then zero.
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const double scale = std::ldexp(1.0, element == Element::F16 ? 11 : 8);
  put_number(at, element, std::ldexp(std::nearbyint(fraction * scale) / scale, exponent));
}

double number_at(const std::byte* at, Element element) {
  switch (element) {
    case Element::F64: return get<double>(at);
    case Element::F32: return get<float>(at);
    case Element::F16: return half_value(get<uint16_t>(at));
    case Element::BF16: return std::bit_cast<float>(uint32_t{get<uint16_t>(at)} << 16);
    case Element::I8: return get<int8_t>(at);
    case Element::I16: return get<int16_t>(at);
    case Element::U16: return get<uint16_t>(at);
    case Element::I32: return get<int32_t>(at);
    case Element::U32: return get<uint32_t>(at);
    case Element::I64: return static_cast<double>(get<int64_t>(at));
    case Element::U64: return static_cast<double>(get<uint64_t>(at));
    default: return get<uint8_t>(at);
  }
}

float input_value(uint64_t seed, const std::string& name, uint64_t index) {
  return value_at(stream_of(seed, name), index);
}

void fill_array(uint64_t seed, const kernel::ArrayShape& array, std::byte* bytes) {
  if (array.content && !array.initial) {
    const size_t given = std::min<size_t>(array.bytes, array.content->bytes.size());
    std::memcpy(bytes, array.content->bytes.data(), given);
    std::memset(bytes + given, 0, array.bytes - given);
    return;
  }
  const uint64_t stream = stream_of(seed, array.name);
  const uint64_t size = size_of(array.element);
  uint64_t used = size;
  for (const uint64_t extent : array.logical) used *= extent;
  if (used < array.bytes) std::memset(bytes, 0, array.bytes);
  const auto fill = [&](const auto& put_value) {
    for_each_element(array, [&](uint64_t dense, uint64_t allocated) {
      if (dense % 4096 == 0) let_turns_pass();
      put_value(bytes + allocated * size, dense);
    });
  };
  if (array.initial)
    fill([&](std::byte* at, uint64_t) { put_number(at, array.element, *array.initial); });
  else if (array.element == Element::F32)  // As nearly all are.
    fill([&](std::byte* at, uint64_t dense) { put(at, value_at(stream, dense)); });
  else
    fill([&](std::byte* at, uint64_t dense) { put_element(at, array.element, value_at(stream, dense)); });
}

}  // namespace tilescope::run
