#include "view/input_values.h"

#include <cstring>

#include "run/inputs.h"

namespace tilescope::view {
namespace {
using From = InputValue::From;

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

std::optional<InputValue> content_value(const kernel::ArrayShape& array, uint64_t index) {
  float value = 0;
  const auto& bytes = array.content->bytes;
  if (index >= bytes.size() / sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return InputValue{value, From::Program};
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
  if (shape->content && !shape->initial) return content_value(*shape, index);
  const uint64_t dense = dense_index(*shape, index);
  if (dense == kNoElement) return InputValue{0, From::Padding};
  if (shape->initial) return InputValue{static_cast<float>(*shape->initial), From::Description};
  return InputValue{run::input_value(traced.request().seed, shape->name, dense), From::Seed};
}

}  // namespace tilescope::view
