#include "base/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

constexpr uint64_t kLargestExtent = uint64_t{1} << 32;
constexpr uint64_t kLargestStride = uint64_t{1} << 40;
constexpr uint64_t kLargestBox = 256;
constexpr uint64_t kLargestStep = 8;
constexpr size_t kStridesAt = 56;

template <class T>
size_t put(std::byte* bytes, size_t at, uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(bytes + at, &narrow, sizeof narrow);
  return at + sizeof narrow;
}
template <class T>
uint64_t take(const std::byte* bytes, size_t& at) {
  T value;
  std::memcpy(&value, bytes + at, sizeof value);
  at += sizeof value;
  return value;
}

}  // namespace

uint32_t span_of(Swizzle swizzle) { return swizzle == Swizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle); }

uint64_t swizzled(Swizzle swizzle, uint64_t address) {
  if (swizzle == Swizzle::None) return address;
  const uint64_t pieces = span_of(swizzle) / 16 - 1;
  return address ^ ((address >> 7 & pieces) << 4);
}

uint64_t TensorMap::row_pitch() const { return std::max<uint64_t>(box[0] * stride[0], span_of(swizzle)); }

uint64_t TensorMap::shared_bytes() const {
  const uint64_t row = box[0] * stride[0];
  return box_bytes() / row * row_pitch() - (row_pitch() - row);
}

uint64_t TensorMap::box_bytes() const {
  uint64_t bytes = size_of(element) * box[0];
  for (size_t d = 1; d < dimensions; ++d) bytes *= rows(d);
  return bytes;
}

// An extent of 2^32 is stored as 0.
std::array<std::byte, TensorMap::kBytes> pack(const TensorMap& map) {
  std::array<std::byte, TensorMap::kBytes> bytes{};
  size_t at = put<uint32_t>(bytes.data(), 0, kTensorMapMark);
  at = put<uint8_t>(bytes.data(), at, static_cast<uint8_t>(map.element));
  at = put<uint8_t>(bytes.data(), at, (map.rounds_to_tf32 ? 1u : 0u) | (map.fills_with_nan ? 2u : 0u));
  at = put<uint8_t>(bytes.data(), at, map.dimensions);
  at = put<uint8_t>(bytes.data(), at, static_cast<uint8_t>(map.swizzle));
  at = put<uint64_t>(bytes.data(), at, map.address);
  for (const uint64_t extent : map.extent) at = put<uint32_t>(bytes.data(), at, extent);
  for (const uint64_t extent : map.box) at = put<uint16_t>(bytes.data(), at, extent);
  for (const uint64_t step : map.step) at = put<uint8_t>(bytes.data(), at, step);
  at = kStridesAt;
  for (size_t d = 1; d < TensorMap::kMostDimensions; ++d) at = put<uint64_t>(bytes.data(), at, map.stride[d]);
  return bytes;
}

std::optional<TensorMap> unpack_tensor_map(const std::byte* bytes) {
  size_t at = 0;
  if (take<uint32_t>(bytes, at) != kTensorMapMark) return std::nullopt;
  TensorMap map;
  map.element = static_cast<Element>(take<uint8_t>(bytes, at));
  const uint64_t flags = take<uint8_t>(bytes, at);
  map.rounds_to_tf32 = flags & 1;
  map.fills_with_nan = flags & 2;
  map.dimensions = static_cast<uint8_t>(take<uint8_t>(bytes, at));
  map.swizzle = static_cast<Swizzle>(take<uint8_t>(bytes, at));
  map.address = take<uint64_t>(bytes, at);
  for (uint64_t& extent : map.extent)
    if (extent = take<uint32_t>(bytes, at); extent == 0) extent = kLargestExtent;
  for (uint64_t& extent : map.box) extent = take<uint16_t>(bytes, at);
  for (uint64_t& step : map.step) step = take<uint8_t>(bytes, at);
  at = kStridesAt;
  map.stride[0] = size_of(map.element);
  for (size_t d = 1; d < TensorMap::kMostDimensions; ++d) map.stride[d] = take<uint64_t>(bytes, at);
  return map;
}

Message problem_of(const TensorMap& map, std::string_view name) {
  const uint64_t row = map.box[0] * size_of(map.element);
  if (map.address % 16 != 0)
    return Message("The tensor map {} begins at an address that is not a multiple of 16 bytes.", name);
  for (size_t d = 0; d < map.dimensions; ++d) {
    if (map.extent[d] == 0 || map.extent[d] > kLargestExtent)
      return Message("The tensor map {} has an extent of {}; each must be 1 to 2^32.", name, map.extent[d]);
    if (map.box[d] == 0 || map.box[d] > kLargestBox)
      return Message("The box of the tensor map {} has an extent of {}; each must be 1 to {}.", name, map.box[d],
                     kLargestBox);
    if (map.step[d] == 0 || map.step[d] > kLargestStep || (d == 0 && map.step[d] != 1))
      return Message(
          "The tensor map {} has an element stride of {}; 1 to {} is allowed, and 1 in the innermost "
          "dimension.",
          name, map.step[d], kLargestStep);
    if (d > 0 && (map.stride[d] % 16 != 0 || map.stride[d] >= kLargestStride))
      return Message("The tensor map {} has a stride of {} bytes; TMA takes multiples of 16 bytes below 2^40.", name,
                     map.stride[d]);
  }
  if (row % 16 != 0)
    return Message("The box of the tensor map {} has rows of {} bytes; TMA takes multiples of 16.", name, row);
  if (const uint32_t span = span_of(map.swizzle); span != 0 && row > span)
    return Message("The box of the tensor map {} has rows of {} bytes; with this swizzle they have {} at most.", name,
                   row, span);
  return {};
}

}  // namespace tilescope
