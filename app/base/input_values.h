#pragma once

#include <cstdint>
#include <string_view>

/// What arrays are filled with: the same values on the CPU, on a GPU (agent/helpers.cu includes this) and on every
/// machine.
namespace tilescope::inputs {

/// SplitMix64's finaliser (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
constexpr uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Selects the values of one array, by the seed and the array's name.
constexpr uint64_t stream_of(uint64_t seed, std::string_view name) {
  uint64_t key = mixed(seed);
  for (const char c : name) key = mixed(key ^ static_cast<unsigned char>(c));
  return key;
}

/// Element `index` of such a stream: uniform in [-1, 1).
constexpr float value_at(uint64_t stream, uint64_t index) {
  return static_cast<float>(mixed(stream ^ index) >> 40) * 0x1p-23F - 1;
}

}  // namespace tilescope::inputs
