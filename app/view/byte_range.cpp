#include "view/byte_range.h"

namespace tilescope::view {
using session::Target;

ByteRange bytes_of_element(const run::TracedBlock& traced, const Target& target) {
  if (target.kind != Target::Kind::Element) return {};
  const run::TracedArray* array = traced.accesses.find(target.space, target.array);
  if (!array) return {};
  const uint64_t begin = array->address_of(target.index);
  return {target.space, begin, begin + size_of(array->allocation.element)};
}

}  // namespace tilescope::view
