#include "base/memory.h"

#include <array>

#include <fmt/format.h>

namespace tilescope {
namespace {

struct ElementFact {
  std::string_view name;
  uint32_t size;
};
constexpr std::array<ElementFact, 13> kElements{{{"byte", 1},
                                                 {"i8", 1},
                                                 {"u8", 1},
                                                 {"i16", 2},
                                                 {"u16", 2},
                                                 {"i32", 4},
                                                 {"u32", 4},
                                                 {"i64", 8},
                                                 {"u64", 8},
                                                 {"f16", 2},
                                                 {"bf16", 2},
                                                 {"f32", 4},
                                                 {"f64", 8}}};

}  // namespace

std::string_view to_string(Space space) {
  constexpr std::array<std::string_view, 7> names{"none", "global", "shared", "local", "const", "param", "generic"};
  return names[static_cast<size_t>(space)];
}

std::string_view to_string(Element element) { return kElements[static_cast<size_t>(element)].name; }
bool is_floating(Element element) {
  return element == Element::F16 || element == Element::BF16 || element == Element::F32 || element == Element::F64;
}
double unit_roundoff(Element element) {
  switch (element) {
    case Element::F64: return 0x1p-53;
    case Element::F32: return 0x1p-24;
    case Element::F16: return 0x1p-11;
    case Element::BF16: return 0x1p-8;
    default: return 0;
  }
}
double stored_roundoff(Element element) {
  const double roundoff = unit_roundoff(element);
  return roundoff > unit_roundoff(Element::F32) ? roundoff : 0;
}
uint32_t size_of(Element element) { return kElements[static_cast<size_t>(element)].size; }

bool parse_element(std::string_view name, Element& element) {
  for (size_t i = 0; i < kElements.size(); ++i)
    if (kElements[i].name == name) {
      element = static_cast<Element>(i);
      return true;
    }
  return false;
}

uint64_t Allocation::part_bytes() const {
  uint64_t part = size_of(element);
  for (size_t d = 1; d < shape.size(); ++d) part *= shape[d];
  return part;
}

std::string element_name(const Allocation& allocation, uint64_t address) {
  const uint64_t offset = allocation.bytes_before(address);
  if (allocation.shape.empty()) return fmt::format("{}+0x{:x}", allocation.name, offset);
  const uint32_t size = size_of(allocation.element);
  uint64_t index = offset / size;
  std::string subscripts;
  for (size_t d = allocation.shape.size(); d-- > 1;) {
    const uint64_t extent = allocation.shape[d] ? allocation.shape[d] : 1;
    subscripts = fmt::format("[{}]", index % extent) + subscripts;
    index /= extent;
  }
  std::string name = fmt::format("{}[{}]{}", allocation.name, index, subscripts);
  if (offset % size) name += fmt::format("+{}", offset % size);
  return name;
}

Allocation in_elements_of(Allocation array, uint32_t bytes) {
  if (array.element != Element::Byte || array.shape.size() > 1) return array;
  const uint32_t size = bytes == 16 ? 4 : bytes;
  if (size != 2 && size != 4 && size != 8) return array;
  array.element = size == 2 ? Element::U16 : size == 4 ? Element::U32 : Element::U64;
  array.shape = {array.bytes / size};
  return array;
}

std::string to_string(const Dim3& dim) {
  return dim.z <= 1 ? fmt::format("({}, {})", dim.x, dim.y) : fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string position_text(const Dim3& position) {
  return position.z == 0 ? fmt::format("({}, {})", position.x, position.y)
                         : fmt::format("({}, {}, {})", position.x, position.y, position.z);
}

Dim3 position_in(const Dim3& extent, uint64_t index) {
  return {static_cast<uint32_t>(index % extent.x), static_cast<uint32_t>(index / extent.x % extent.y),
          static_cast<uint32_t>(index / extent.x / extent.y)};
}

Dim3 ClusterShape::clusters() const {
  return {(grid.x + cluster.x - 1) / cluster.x, (grid.y + cluster.y - 1) / cluster.y,
          (grid.z + cluster.z - 1) / cluster.z};
}

uint64_t ClusterShape::number_of(uint64_t block) const {
  const Dim3 at = position_in(grid, block), count = clusters();
  return at.x / cluster.x + count.x * (at.y / cluster.y + uint64_t{count.y} * (at.z / cluster.z));
}

uint32_t ClusterShape::rank_of(uint64_t block) const {
  const Dim3 at = position_in(grid, block);
  return at.x % cluster.x + cluster.x * (at.y % cluster.y + cluster.y * (at.z % cluster.z));
}

uint32_t ClusterShape::block_in(uint64_t number, uint32_t rank) const {
  const Dim3 first = position_in(clusters(), number), within = position_in(cluster, rank);
  const uint32_t x = first.x * cluster.x + within.x, y = first.y * cluster.y + within.y,
                 z = first.z * cluster.z + within.z;
  return (z * grid.y + y) * grid.x + x;
}

}  // namespace tilescope
