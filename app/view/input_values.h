#pragma once

#include <cstdint>
#include <optional>

#include "kernel/configuration.h"
#include "run/traced_block.h"

namespace tilescope::view {

/// The description of an array in global memory; null if there is none.
const kernel::ArrayShape* shape_of(const run::TracedBlock& traced, const run::TracedArray& array);

struct InputValue {
  /// Padding is beyond the data, where there are zeros.
  enum class From : uint8_t { Seed, Description, Program, Padding };
  float value = 0;
  From from = From::Seed;
};
/// An element of an input of f32 as the launch begins; nullopt for other elements.
std::optional<InputValue> input_value_of(const run::TracedBlock& traced, const run::TracedArray& array, uint64_t index);

}  // namespace tilescope::view
