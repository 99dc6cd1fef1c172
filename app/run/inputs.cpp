#include "run/inputs.h"

#include <bit>
#include <cstring>

namespace tilescope::run {
namespace {

// SplitMix64's finaliser (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t stream_of(uint64_t seed, const std::string& name) {
  uint64_t key = mixed(seed);
  for (const char c : name) key = mixed(key ^ static_cast<unsigned char>(c));
  return key;
}

float value_at(uint64_t stream, uint64_t index) {
  return static_cast<float>(mixed(stream ^ index) >> 40) * 0x1p-23F - 1;
}

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
  return static_cast<uint16_t>(sign | ((exponent - 112) << 10) | ((bits >> 13) & 0x3ff));
}

void put_element(std::byte* at, Element element, float value) {
  const auto whole = static_cast<int64_t>(value * 8);
  switch (element) {
    case Element::F64: return put(at, double{value});
    case Element::F32: return put(at, value);
    case Element::F16: return put(at, half_bits(value));
    case Element::BF16: return put(at, static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16));
    default: std::memcpy(at, &whole, size_of(element));
  }
}

}  // namespace

float input_value(uint64_t seed, const std::string& name, uint64_t index) {
  return value_at(stream_of(seed, name), index);
}

std::vector<float> input_matrix(uint64_t seed, const kernel::ArrayShape& array) {
  uint64_t count = 1;
  for (const uint64_t extent : array.logical) count *= extent;
  const uint64_t stream = stream_of(seed, array.name);
  std::vector<float> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = value_at(stream, i);
  return values;
}

void fill_array(uint64_t seed, const kernel::ArrayShape& array, std::byte* bytes) {
  std::memset(bytes, 0, array.bytes);
  const uint64_t stream = stream_of(seed, array.name);
  const uint64_t size = size_of(array.element);
  for_each_element(array, [&](uint64_t dense, uint64_t allocated) {
    put_element(bytes + allocated * size, array.element, value_at(stream, dense));
  });
}

}  // namespace tilescope::run
