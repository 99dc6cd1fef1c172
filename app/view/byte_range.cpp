#include "view/byte_range.h"

namespace tilescope::view {
using session::Target;

ByteRange bytes_of_element(const run::TracedBlock& scene, const Target& target) {
  if (target.kind != Target::Kind::Element) return {};
  const auto bytes_of = [&](const Allocation& array) {
    const uint64_t size = size_of(array.element), begin = array.base + target.index * size;
    return ByteRange{target.space, begin, begin + size};
  };
  for (const auto& global : scene.facts.global)
    if (target.space == Space::Global && global.allocation.name == target.array) return bytes_of(global.allocation);
  for (const Allocation& array : scene.facts.shared)
    if (target.space == Space::Shared && array.name == target.array) return bytes_of(array);
  return {};
}

}  // namespace tilescope::view
