#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/memory.h"
#include "base/message.h"

namespace tilescope {

/// How 16-byte pieces of a box are permuted in shared memory: in each group of eight rows of the span, by the bits of
/// the address above it (CUDA Driver API, CUtensorMapSwizzle).
enum class Swizzle : uint8_t { None, Span32, Span64, Span128 };
/// Bytes of a row: 32, 64 or 128; 0 for none.
uint32_t span_of(Swizzle swizzle);
/// Where the byte at shared address `address` of an unswizzled layout goes: bits 4 to 6, or fewer, xor bits 7 to 9.
uint64_t swizzled(Swizzle swizzle, uint64_t address);

/// A tensor in global memory and the box of it that TMA copies, as in cuTensorMapEncodeTiled: without interleaving,
/// dimensions innermost first.
struct TensorMap {
  static constexpr size_t kMostDimensions = 5;
  static constexpr size_t kBytes = 128;  ///< Of a CUtensorMap.
  using Extents = std::array<uint64_t, kMostDimensions>;

  Element element = Element::F32;
  bool rounds_to_tf32 = false;  ///< CU_TENSOR_MAP_DATA_TYPE_TFLOAT32: F32 is rounded on the way into shared memory.
  bool fills_with_nan = false;  ///< Outside of the tensor NaNs are copied instead of zeros.
  uint8_t dimensions = 1;
  Swizzle swizzle = Swizzle::None;
  uint64_t address = 0;  ///< Of the first element.
  Extents extent{1, 1, 1, 1, 1};
  Extents stride{};  ///< In bytes; stride[0] is the element's size.
  Extents box{1, 1, 1, 1, 1};
  Extents step{1, 1, 1, 1, 1};  ///< From an element of the box to the next, in elements of the tensor.

  /// Elements of a dimension of the box in shared memory.
  uint64_t rows(size_t dimension) const { return (box[dimension] + step[dimension] - 1) / step[dimension]; }
  /// Bytes that a copy of the box moves, and completes on its mbarrier.
  uint64_t box_bytes() const;
  /// From a row of the box to the next in shared memory: the swizzle's span if the row is shorter, as measured on an
  /// H200 (tests/hardware/results/h200_tma_boxes.txt). Bytes between are not written.
  uint64_t row_pitch() const;
  /// Bytes of shared memory from the first of the box to its last.
  uint64_t shared_bytes() const;
  bool operator==(const TensorMap&) const = default;
};

/// The 128 bytes of a CUtensorMap when Tilescope executes a kernel. The format is our own, as NVIDIA's is not
/// documented. It begins with kTensorMapMark, little-endian; then, a byte each: the element (as Element counts), bit 0
/// rounds_to_tf32 and bit 1 fills_with_nan, the dimensions, the swizzle; the address in 8 bytes; five extents of 4
/// bytes, five box extents of 2, five steps of 1; from byte 56 on the four outer strides of 8 bytes.
constexpr uint32_t kTensorMapMark = 0x4d545354;  // "TSTM"
std::array<std::byte, TensorMap::kBytes> pack(const TensorMap& map);
/// Nullopt if the bytes do not begin with the mark.
std::optional<TensorMap> unpack_tensor_map(const std::byte* bytes);

/// Why cuTensorMapEncodeTiled refuses the map `name` (CUDA Driver API, "Tensor Map Object Management"); empty if it
/// takes it.
Message problem_of(const TensorMap& map, std::string_view name);

}  // namespace tilescope
