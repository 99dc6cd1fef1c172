#include "machine/fault.h"

#include <gtest/gtest.h>

#include "emulator/memory.h"
#include "machine/warp.h"

namespace tilescope::machine {
namespace {

TEST(Fault, SaysWhereItIsAndWhichArrayIsNextToIt) {
  emulator::GlobalMemory memory;
  Allocation of_v, of_w;
  of_v.name = "v";
  of_w.name = "w";
  of_v.bytes = of_w.bytes = 4096;
  const Result<uint64_t> v = memory.allocate(of_v), w = memory.allocate(of_w);
  ASSERT_TRUE(v && w);
  const sass::LineTable sources{{"k.cu", 3}, {"k.cu", 7}};
  const auto text = [&](uint32_t pc, uint64_t address, const sass::LineTable* lines) {
    return to_string(error_of({pc, 2, 0, address, Message("an access outside of every array")}, lines, &memory));
  };
  EXPECT_EQ(text(1, *v + 4096, &sources),
            "error: The machine code stops on line 7: an access outside of every array, next to v. Correct the index "
            "or the array's size first. tilescope check says which thread it is.");
  EXPECT_EQ(text(1, *w + 3 * 4096, &sources),
            "error: The machine code stops on line 7: an access outside of every array. Correct the kernel or its "
            "sizes first. tilescope check says which thread it is.")
      << "far away it may be any array";
  EXPECT_EQ(text(1, 16, nullptr),
            "error: The machine code stops at pc 0x10 of warp 2: an access outside of every array. Correct the kernel "
            "or its sizes first. tilescope check says which thread it is.");
  EXPECT_EQ(text(1, kHeapAddress, &sources),
            "error: The machine code calls malloc or free on line 7, which the driver executes: its clocks are not "
            "known.");
}

}  // namespace
}  // namespace tilescope::machine
