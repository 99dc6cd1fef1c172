#include "machine/fault.h"

#include <algorithm>
#include <limits>

#include "emulator/memory.h"
#include "machine/warp.h"
#include "sass/instruction.h"

namespace tilescope::machine {
namespace {

/// The array next to an address outside of all arrays; null if none is nearer than its own size. Far away it may be
/// any.
const Allocation* nearest(const emulator::GlobalMemory& memory, uint64_t address) {
  const Allocation* found = nullptr;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (const Allocation& array : memory.allocations()) {
    const uint64_t end = array.base + array.bytes;
    const uint64_t away = address >= end ? address - end : array.base - address;
    if (away >= std::min(least, array.bytes)) continue;
    least = away;
    found = &array;
  }
  return found;
}

}  // namespace

Diagnostic error_of(const Fault& fault, const sass::LineTable* sources, const emulator::GlobalMemory* memory) {
  const uint32_t line = sources && fault.pc < sources->size() ? (*sources)[fault.pc].line : 0;
  const Message place = line > 0 ? Message("on line {}", line)
                                 : Message("at pc {:#x} of warp {}", fault.pc * sass::kInstructionBytes, fault.warp);
  if (fault.address == kHeapAddress)
    return error(Message(
        "The machine code calls malloc or free {}, which the driver executes: its clocks are not known.", place));
  const Allocation* array = memory && memory->find(fault.address, 1) < 0 ? nearest(*memory, fault.address) : nullptr;
  Diagnostic problem = error(
      array ? Message("The machine code stops {}: {}, next to {}. Correct the index or the array's size first.", place,
                      fault.what, array->name)
            : Message("The machine code stops {}: {}. Correct the kernel or its sizes first.", place, fault.what));
  problem.advice = Message("tilescope check says which thread it is.");
  return problem;
}

Diagnostic error_of_deadlock() {
  Diagnostic problem = error(Message("The warps of a block wait for one another for ever."));
  problem.advice = Message("tilescope check says at which barrier.");
  return problem;
}

}  // namespace tilescope::machine
