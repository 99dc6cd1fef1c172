#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vectors/case.h"

namespace tilescope::vectors {

using Cases = std::vector<Case>;
/// One thread's result from its operands, in the order of the inputs.
using LaneFunction = std::function<uint64_t(const uint64_t* operands)>;

/// A case in which every thread computes by itself: thread i reads %a, %b, %c and %e from element i of the inputs,
/// %d starts as kUntouched, the body runs, and %d goes to element i of the output.
struct Lane {
  std::string instruction;  ///< "add.rz.f32"; it also names the entry.
  std::vector<Input> inputs;
  Type output;
  LaneFunction function;
  Tolerance tolerance = {};
  /// The instructions; "@@" means the guard. Empty: the instruction under the guard on %d and all inputs.
  /// %p, %q and %r are predicates, false at first; %t0 to %t7 are 32-bit, %l0 to %l3 64-bit, %h0 to %h3 16-bit
  /// registers.
  std::string body = {};
  /// The output of threads whose guard is false.
  uint64_t skipped = kUntouched;
  /// Added to the entry's name if several cases test one instruction.
  std::string suffix = {};
};
void add_lane(Cases& cases, std::string module, Lane lane);

/// `function` on each half of packed operands.
LaneFunction halves(size_t operands, LaneFunction function);

}  // namespace tilescope::vectors
