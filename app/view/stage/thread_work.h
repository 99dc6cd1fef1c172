#pragma once

#include <vector>

#include "view/lane_uses.h"

namespace tilescope::view {

/// A factor of a product: where the register's value was loaded from, and what global element that was before.
struct Factor {
  const run::TracedArray* array = nullptr;  ///< Null: computed, not loaded.
  uint64_t index = 0;
  const run::TracedArray* input = nullptr;  ///< Of a shared element: the array in global memory it was filled from.
  uint64_t input_index = 0;
};

/// One multiply-add of a thread.
struct Product {
  uint32_t step = 0;
  int32_t sum = -1;
  Factor a, b;  ///< The factors from the side of A and of B.
};

/// The thread's products that belong together: the n-th of every sum, n being how many the sum nearest to the cursor
/// has had since sums were last stored. An outer product where a thread owns a tile of C. A first product of what was
/// never loaded, of the zeros that a pipeline begins with, is shown and does not count.
struct ThreadWork {
  std::vector<SumElement> sums;   ///< Those of this tile of C that the thread stores.
  uint32_t number = 0;            ///< n, from 0.
  uint32_t total = 0;             ///< Products that each sum has in the end.
  std::vector<Product> products;  ///< In order of their steps; without inputs of factors but for the current one.
  int current = -1;         ///< The one at the cursor, else the last before it in `products`; -1 before the first.
  bool at_cursor = false;   ///< The cursor stands on it.
  bool of_zeros = false;    ///< These are products of nothing loaded.
  bool gives_away = false;  ///< The thread stores sums to shared memory.
  size_t tensor_sums = 0;   ///< Sums in the thread's registers to which tensor cores add.

  /// Sums of `products` that other threads store to C; 0 where it is not known which are whose.
  size_t sums_for_others() const;
  /// Different elements that `products` multiply; 0 where one of them is not known.
  size_t values() const;
};
ThreadWork thread_work(const run::TracedBlock& scene, const analysis::StepRef& cursor, uint32_t lane);

}  // namespace tilescope::view
