#pragma once

#include <cstdint>
#include <vector>

#include "ptx/module.h"

/// Which lane of a warp holds which element of a small matrix (PTX ISA, "Matrix Fragments for mma.m16n8k*", "Register
/// Fragments for wgmma.mma_async.m64nNk*" and "ldmatrix"). A register of 32 bits holds `parts` elements: 4 of 8 bits, 2
/// of 16, or one; one of 64 bits holds a double. The eight rows of m8n8k4 are the first of 16. The emulator executes by
/// these functions and pictures draw by them.
namespace tilescope::ptx {

constexpr uint32_t kRowsOfWarp = 16;   ///< Of A and D, in mma.sync and in wgmma.
constexpr uint32_t kWarpsOfGroup = 4;  ///< Warps that execute a wgmma together: 4 i to 4 i + 3.

struct FragmentPlace {
  uint32_t row = 0, column = 0;
  bool operator==(const FragmentPlace&) const = default;
};

/// Of A, 16 rows of k: for mma.sync, and for the 16 rows of each of a wgmma's four warps.
constexpr FragmentPlace place_in_a(uint32_t lane, uint32_t reg, uint32_t part, uint32_t parts) {
  return {lane / 4 + 8 * (reg % 2), parts * (lane % 4 + 4 * (reg / 2)) + part};
}

/// Of B, k rows of 8 columns.
constexpr FragmentPlace place_in_b(uint32_t lane, uint32_t reg, uint32_t part, uint32_t parts) {
  return {parts * (lane % 4 + 4 * reg) + part, lane / 4};
}

/// Of C and D, 16 rows: element number e of the lane's fragment. mma.sync has 8 columns and e below 4; wgmma has N, and
/// the rows are those of the warp.
constexpr FragmentPlace place_in_c(uint32_t lane, uint32_t e) {
  return {lane / 4 + 8 * (e / 2 % 2), 8 * (e / 4) + 2 * (lane % 4) + e % 2};
}

/// Of one of the 8 x 8 matrices of 16-bit elements of ldmatrix and stmatrix: its register in the lane has both parts.
constexpr FragmentPlace place_in_matrix(uint32_t lane, uint32_t part, bool transposed) {
  const FragmentPlace place{lane / 4, 2 * (lane % 4) + part};
  return transposed ? FragmentPlace{place.column, place.row} : place;
}

/// The elements of a warp's fragments of A, B and C (and D): lane by lane, and in a lane register by register. For a
/// load or store of one matrix the others are empty. A fragment longer than its matrix repeats elements.
struct FragmentPlaces {
  std::vector<FragmentPlace> a, b, c;
};

/// Of an mma or wmma instruction. PTX does not define wmma's; here they are those of compute capability 8.0 and newer:
/// tiles of m16n8 one after another, and for m8n32 those of the transposed product.
FragmentPlaces fragment_places(const Instruction& instruction);

}  // namespace tilescope::ptx
