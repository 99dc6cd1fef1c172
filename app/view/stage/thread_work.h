#pragma once

#include <optional>
#include <vector>

#include "view/lane_uses.h"

namespace tilescope::view {

/// A factor of a product: where the register's value was loaded from, and the original global element.
struct Factor {
  const run::TracedArray* array = nullptr;  ///< Null: computed, not loaded.
  uint64_t index = 0;
  const run::TracedArray* input =
      nullptr;  ///< For a shared element: the array in global memory that it was filled from.
  uint64_t input_index = 0;
};

/// One multiply-add of a thread.
struct Product {
  uint32_t step = 0;
  int32_t sum = -1;
  Factor a, b;  ///< The factors from the side of A and of B.
};

/// The thread's products that belong together: the n-th of every sum, n being how many the sum nearest to the cursor
/// has had since sums were last stored. An outer product if a thread owns a tile of C. A first product of the
/// zeros with which a pipeline begins is shown but does not count.
struct ThreadWork {
  std::vector<SumElement> sums;   ///< Those of this tile of C that the thread stores.
  uint32_t number = 0;            ///< n, from 0.
  uint32_t total = 0;             ///< The final number of products of each sum.
  std::vector<Product> products;  ///< In order of their steps; only the current one has inputs of factors.
  int current = -1;             ///< The one at the cursor, else the last before it in `products`; -1 before the first.
  bool at_cursor = false;       ///< The cursor is on it.
  bool of_zeros = false;        ///< These are not products of loaded values.
  bool gives_away = false;      ///< The thread stores sums to shared memory.
  size_t tensor_sums = 0;       ///< Sums in the thread's registers to which tensor cores add.
  std::vector<Factor> waiting;  ///< Loaded from global memory, and to be stored to shared memory after the cursor.

  /// Sums of `products` that other threads store to C; 0 if unknown.
  size_t sums_for_others() const;
  /// Different elements that `products` multiply; 0 if one of them is unknown.
  size_t values() const;
};
ThreadWork thread_work(const run::TracedBlock& traced, const analysis::StepRef& cursor, uint32_t lane);

/// The value of a factor at a step, where it is an element of an input of f32 or was copied from one.
std::optional<float> value_of(const run::TracedBlock& traced, const analysis::StepRef& at, Factor factor);

}  // namespace tilescope::view
