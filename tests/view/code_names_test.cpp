#include "view/code/code_names.h"

#include <set>

#include <gmock/gmock.h>

#include "ptx/opcode_table.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PtxName, AnOpcodeIsSaidWithItsModifiers) {
  const auto traced = traced_of("01");
  EXPECT_THAT(ptx_name_words("ld.global.v2.f32", traced->function()),
              ElementsAre("Loads a value from memory into a register.", ".global: in global memory",
                          ".v2: two values side by side", ".f32: a float of 32 bits"));
  EXPECT_THAT(ptx_name_words("bar.sync 0", traced->function()),
              ElementsAre("A barrier: no thread goes on before all have come."));
  EXPECT_THAT(ptx_name_words("param_0", traced->function()), IsEmpty());
  EXPECT_THAT(ptx_name_words("", traced->function()), IsEmpty());
}

TEST(PtxName, ARegisterHasItsBitsAndASpecialOneItsNameInCuda) {
  const auto traced = traced_of("01");
  EXPECT_EQ(ptx_name_words("%tid.x", traced->function()).front(), "threadIdx: the thread's place in its block.");
  for (const ptx::Register& reg : traced->function().registers)
    EXPECT_THAT(ptx_name_words(reg.name, traced->function()), testing::Not(IsEmpty())) << reg.name;
  EXPECT_THAT(ptx_name_words("%f9999", traced->function()), IsEmpty());
}

TEST(PtxName, EveryOpcodeOfTheCatalogueIsExplained) {
  std::set<std::string> unexplained;
  for (const auto& traced : every_traced())
    for (const ptx::Instruction& instruction : traced->function().instructions)
      if (ptx_name_words(ptx::mnemonic(instruction.op), traced->function()).empty())
        unexplained.emplace(ptx::mnemonic(instruction.op));
  EXPECT_THAT(unexplained, IsEmpty());
}

TEST(CudaName, AParameterHasItsValueAndAMacroItsText) {
  const auto traced = traced_of("09");
  const std::vector<std::string> words = cuda_name_words("BM", *traced);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].substr(0, 5), "BM = ");
  EXPECT_THAT(cuda_name_words("NUM_THREADS", *traced), ElementsAre("NUM_THREADS ((BM / TM) * (BN / TN))"));
  EXPECT_THAT(cuda_name_words("NUM", *traced), IsEmpty());
  EXPECT_THAT(cuda_name_words("threadRow", *traced), IsEmpty());
}

TEST(CudaName, AMacroOfAnInstructionSaysWhatThatDoes) {
  const auto traced = traced_of_lesson("18-hopper/box.cu", {16, 16, 32}, {});
  EXPECT_THAT(cuda_name_words("COPY_BOX", *traced),
              ElementsAre("COPY_BOX(to, map, col, row, barrier): cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                          "mbarrier::complete_tx::bytes",
                          "One thread asks for a whole tile, which is copied while the threads go on."));
  const std::vector<std::string> wait = cuda_name_words("WAIT", *traced);
  ASSERT_EQ(wait.size(), 3u);
  EXPECT_EQ(wait[0],
            "Waits until the phase of this parity, 0 for the first, 1 for the second, 0 for the third, has ended.");
  EXPECT_EQ(wait[2], "Asks whether a phase of an mbarrier has ended.");
}

}  // namespace
}  // namespace tilescope::view
