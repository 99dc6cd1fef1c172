#include "view/input_values.h"

#include "run/inputs.h"

namespace tilescope::view {
namespace {

constexpr uint64_t kNoElement = UINT64_MAX;

/// Dense number of an element in the data part of a padded array; kNoElement in the padding.
uint64_t dense_index(const kernel::ArrayShape& array, uint64_t index) {
  uint64_t dense = 0, scale = 1;
  for (size_t i = array.shape.size(); i-- > 0;) {
    const uint64_t place = index % array.shape[i];
    index /= array.shape[i];
    if (place >= array.logical[i]) return kNoElement;
    dense += place * scale;
    scale *= array.logical[i];
  }
  return dense;
}

}  // namespace

const kernel::ArrayShape* shape_of(const run::TracedBlock& traced, const run::TracedArray& array) {
  for (const kernel::ArrayShape& shape : traced.prepared->configuration.arrays)
    if (shape.space == Space::Global && shape.name == array.allocation.name) return &shape;
  return nullptr;
}

std::optional<InputValue> input_value_of(const run::TracedBlock& traced, const run::TracedArray& array,
                                         uint64_t index) {
  const kernel::ArrayShape* shape = shape_of(traced, array);
  if (!shape || shape->role != kernel::Role::Input || shape->element != Element::F32) return std::nullopt;
  const uint64_t dense = dense_index(*shape, index);
  if (dense == kNoElement) return InputValue{0, true};
  return InputValue{run::input_value(traced.request().seed, shape->name, dense), false};
}

}  // namespace tilescope::view
