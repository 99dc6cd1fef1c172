#pragma once

#include <cstdint>
#include <vector>

#include "base/tensor_map.h"
#include "trace/event.h"

namespace tilescope::emulator {

/// Fill outside the tensor with CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN, for every two bytes; as an H200 does for f32.
constexpr uint16_t kFilledNan = 0x7ff7;

/// The pieces of a box whose first element is `corner`, row by row in the order of shared memory from `shared` on.
/// `global` is kNowhere for what lies outside the tensor.
std::vector<trace::BulkCopy::Piece> box_pieces(const TensorMap& map, const std::vector<int64_t>& corner,
                                               uint64_t shared);

/// To nearest, ties to even: not documented, measured on an H200 (tests/hardware/results/h200_tma_boxes.txt).
uint32_t tf32_bits(uint32_t bits);

}  // namespace tilescope::emulator
