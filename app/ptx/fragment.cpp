#include "ptx/fragment.h"

#include "ptx/opcode_table.h"

namespace tilescope::ptx {
namespace {

constexpr uint32_t kLanes = 32;

/// Of one element of a lane's fragment, whose elements have that many bytes.
FragmentPlace place_in(SlotKind matrix, const MatrixShape& shape, uint32_t bytes, uint32_t lane, uint32_t index) {
  constexpr uint32_t kDouble = 8;
  if (bytes == kDouble)
    return matrix == SlotKind::Fa   ? place_in_a(lane, index, 0, 1)
           : matrix == SlotKind::Fb ? place_in_b(lane, index, 0, 1)
                                    : place_in_c(lane, index);
  if (shape.m == 8) {
    const SlotKind other = matrix == SlotKind::Fa ? SlotKind::Fb : matrix == SlotKind::Fb ? SlotKind::Fa : matrix;
    const FragmentPlace place = place_in(other, {shape.n, shape.m, shape.k}, bytes, lane, index);
    return {place.column, place.row};
  }
  // Of the tile at (`down`, `right`).
  const auto place = [](const FragmentPlace& in_tile, uint32_t down, uint32_t right) {
    return FragmentPlace{16 * down + in_tile.row, 8 * right + in_tile.column};
  };
  const uint32_t across = shape.n / 8u;
  if (matrix == SlotKind::Fc) {
    const uint32_t tile = index / 4;
    return place(place_in_c(lane, index % 4), tile / across, tile % across);
  }
  // A fragment longer than the matrix repeats its tiles.
  const uint32_t parts = 4 / bytes, word = index / parts, part = index % parts;
  if (matrix == SlotKind::Fa) {
    const uint32_t words = shape.k * bytes / 8, r = word % words;
    return place(place_in_a(lane, r, part, parts), word / words % (shape.m / 16u), 0);
  }
  const uint32_t words = shape.k * bytes / 16, r = word % words;
  return place(place_in_b(lane, r, part, parts), 0, word / words % across);
}

std::vector<FragmentPlace> places_of(SlotKind matrix, const MatrixShape& shape, Type type, uint32_t registers) {
  const uint32_t bytes = size_of(type), count = registers * elements_of_register(type);
  std::vector<FragmentPlace> places;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    for (uint32_t e = 0; e < count; ++e) places.push_back(place_in(matrix, shape, bytes, lane, e));
  return places;
}

}  // namespace

FragmentPlaces fragment_places(const Instruction& i) {
  const auto places = [&](SlotKind matrix, Type type, SlotKind operand) {
    return places_of(matrix, i.shape, type, fragment_registers(i, operand));
  };
  if (class_of(i.op) == OpClass::MatrixMultiply)
    return {places(SlotKind::Fa, i.source_type, SlotKind::Fa), places(SlotKind::Fb, i.factor_type, SlotKind::Fb),
            places(SlotKind::Fc, i.type, SlotKind::Fd)};
  const SlotKind moved = matrix_moved(i.op);
  FragmentPlaces result;
  (moved == SlotKind::Fa   ? result.a
   : moved == SlotKind::Fb ? result.b
                           : result.c) = places(moved, i.type, SlotKind::Fd);
  return result;
}

}  // namespace tilescope::ptx
