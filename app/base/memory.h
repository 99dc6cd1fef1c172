#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A PTX state space that an instruction can address. `Generic` is resolved to one of the others when it runs.
enum class Space : uint8_t { None, Global, Shared, Local, Const, Param, Generic };
std::string_view to_string(Space space);

/// The type of an array's elements, in the order of the table in memory.cpp.
enum class Element : uint8_t { Byte, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };
/// "f32", "u8", ...; the words that a kernel's description uses.
std::string_view to_string(Element element);
bool is_floating(Element element);  ///< f16, bf16, f32 or f64.
/// Half the distance from 1 to the next number: 2^-53 for f64, 2^-24 for f32, 2^-11 for f16, 2^-8 for bf16; 0 for whole
/// numbers.
double unit_roundoff(Element element);
/// The error that storing adds to a result in f32: the unit roundoff of a coarser element, else 0.
double stored_roundoff(Element element);
/// Bytes of an element.
uint32_t size_of(Element element);
/// The element called `name`; false if there is none.
bool parse_element(std::string_view name, Element& element);

/// A named range of memory: an argument's buffer, a module variable, or one __shared__ array.
struct Allocation {
  std::string name;  ///< "A", "As", ...
  Space space = Space::Global;
  uint64_t base = 0;   ///< Device address; for Shared the offset in the block's window.
  uint64_t bytes = 0;  ///< Exact extent; an access past it is out of bounds.
  Element element = Element::Byte;
  std::vector<uint64_t> shape;  ///< Row-major, outermost first; may be empty.
  /// Bytes from one index of the first extent to the next, if other data is between; else 0.
  uint64_t pitch = 0;

  /// Whether the byte belongs to one of its elements.
  bool contains(uint64_t address) const {
    return address >= base && address - base < bytes && (pitch == 0 || (address - base) % pitch < part_bytes());
  }
  /// Bytes of one index of the first extent.
  uint64_t part_bytes() const;
  /// How many bytes of its elements are before the address.
  uint64_t bytes_before(uint64_t address) const {
    const uint64_t offset = address - base;
    return pitch == 0 ? offset : offset / pitch * part_bytes() + offset % pitch;
  }
};

/// "A[5][12]", with "+2" bytes if the address is inside an element; "A+0x40" without a shape. The row index exceeds the
/// shape's first extent if the address does.
std::string element_name(const Allocation& allocation, uint64_t address);

/// An array of bytes, as arrays without a description are, as an array of elements of an access of `bytes` (of four
/// bytes if that is 16); others unchanged.
Allocation in_elements_of(Allocation array, uint32_t bytes);

/// Three extents of a launch.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};
/// Extents: "(x, y)", or "(x, y, z)" if z is more than 1.
std::string to_string(const Dim3& dim);
/// The position of a thread or a block: "(x, y)", or "(x, y, z)" if z is more than 0.
std::string position_text(const Dim3& position);
/// The position whose linear number, x fastest, is `index`.
Dim3 position_in(const Dim3& extent, uint64_t index);

/// A grid and the clusters of its blocks. Blocks, clusters and the blocks of a cluster (their ranks) are numbered x
/// fastest.
struct ClusterShape {
  Dim3 grid, cluster;  ///< In blocks.
  uint64_t number_of(uint64_t block) const;
  uint32_t rank_of(uint64_t block) const;
  uint32_t block_in(uint64_t number, uint32_t rank) const;

 private:
  Dim3 clusters() const;
};

}  // namespace tilescope
