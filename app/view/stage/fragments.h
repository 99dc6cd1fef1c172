#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/focus.h"

namespace tilescope::view {

/// A place of elements in an array, as far as known.
struct FragmentSource {
  const run::TracedArray* array = nullptr;  ///< Null: not known.
  run::Region region;
  bool transposed = false;  ///< The matrix's rows are the array's columns.
};

/// A matrix in the lanes' registers, or in shared memory.
struct FragmentMatrix {
  enum class Role : uint8_t { A, B, D, Rows } role = Role::A;
  uint32_t rows = 0, columns = 0;
  /// The lane that holds each element, row by row; empty if the matrix is in shared memory.
  std::vector<uint32_t> lanes;
  uint32_t registers = 0;                    ///< Of each lane.
  uint32_t word_rows = 1, word_columns = 1;  ///< Neighbouring elements in one register, down and across.
  FragmentSource source;                     ///< Where its elements were loaded from; for D where they are stored.
  run::Side side = run::Side::None;          ///< Of A and B: the input of the values, as far as known.
  FragmentSource input;                      ///< For a shared array: the elements of the input that it was filled from.
  /// Role::Rows, a matrix of ldmatrix or stmatrix: the lane that gives the address of each row, and its first element's
  /// place.
  std::vector<uint32_t> row_lanes;
  std::vector<FragmentSource> row_sources;
};

/// The operands of the matrix instruction at a moment.
struct Fragments {
  enum class Kind : uint8_t { None, Product, WideProduct, Load, Store } kind = Kind::None;
  std::string opcode;                    ///< "mma.sync", "wmma.mma", "wgmma", "ldmatrix.x4.trans"
  std::string shape;                     ///< "m16n8k8"
  std::string type;                      ///< Of A and B: "tf32"
  bool transposed = false;               ///< ldmatrix, stmatrix with .trans.
  std::vector<FragmentMatrix> matrices;  ///< A, B and D; or up to four of 8 x 8.
};

/// Whether the instruction there is mma.sync, wmma.mma, wgmma, ldmatrix or stmatrix.
bool has_fragments(const run::TracedBlock& traced, const analysis::StepRef& at);

/// By the emulator's layouts (ptx/fragment.h); the sources of values by analysis::DataFlow.
Fragments fragments_at(const Focus& focus);

}  // namespace tilescope::view
