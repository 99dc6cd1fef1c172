// The machine code of every kernel that ships, at every preset: what it leaves in memory against the emulator of PTX.
// Skipped where there is no NVRTC.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/catalogue.h"
#include "machine/machine.h"
#include "run/launch_memory.h"
#include "run/prepare.h"
#include "run/run.h"

namespace tilescope::machine {
namespace {

compile::Compiler& nvrtc() {
  static compile::Compiler compiler([] {
    compile::Settings settings;
    settings.program = TILESCOPE_BINARY_DIR "/bin/tilescope-nvrtc";
    settings.choice = compile::Choice::Nvrtc;
    return settings;
  }());
  return compiler;
}

/// What a launch leaves in each array, after all blocks ran one after another.
using Arrays = std::vector<std::vector<std::byte>>;
Arrays arrays_of(const emulator::GlobalMemory& memory) {
  Arrays all;
  for (size_t i = 0; i < memory.allocations().size(); ++i) {
    const auto bytes = memory.bytes(static_cast<int>(i));
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

Arrays by_ptx(const run::Prepared& prepared, const emulator::Launch& launch, emulator::GlobalMemory& memory) {
  emulator::Machine machine(prepared.program(), launch, memory);
  if (prepared.runs_together()) {
    const std::vector<trace::Observer*> nobody(launch.grid.count(), nullptr);
    EXPECT_EQ(machine.run_together(nobody, {}).outcome, emulator::Outcome::Finished);
    return arrays_of(memory);
  }
  for (uint32_t b = 0; b < launch.grid.count(); ++b) EXPECT_EQ(machine.run_block(b, {}), emulator::Outcome::Finished);
  return arrays_of(memory);
}

/// The fault of one of the blocks, for a message.
std::string fault_of(const std::vector<std::unique_ptr<Block>>& blocks) {
  for (const auto& block : blocks)
    if (const auto& fault = block->fault())
      return fault->what + " at pc " + std::to_string(fault->pc) + " in warp " + std::to_string(fault->warp);
  return "";
}

Arrays by_machine_code(const run::Prepared& prepared, const Program& program, const emulator::Launch& launch,
                       emulator::GlobalMemory& memory) {
  const Launch launched(program, launch, prepared.program().parameter_offsets(), memory);
  const ClusterShape shape{launch.grid, prepared.program().cluster()};
  const uint64_t at_once = prepared.is_cooperative() ? launch.grid.count() : shape.cluster.count();
  for (uint64_t first = 0; first < launch.grid.count(); first += at_once) {
    std::vector<std::unique_ptr<Block>> blocks;
    std::vector<Block*> together;
    for (uint64_t i = 0; i < at_once; ++i) {
      const uint64_t index = prepared.is_cooperative() ? i : shape.block_in(first / at_once, static_cast<uint32_t>(i));
      blocks.push_back(std::make_unique<Block>(launched, index));
      together.push_back(blocks.back().get());
    }
    if (shape.cluster.count() > 1) Block::form_cluster(together);
    const Outcome outcome = run_blocks(together, 100'000'000);
    EXPECT_EQ(outcome, Outcome::Finished) << fault_of(blocks);
    if (outcome != Outcome::Finished) break;
  }
  return arrays_of(memory);
}

/// How many words of 32 bits differ, and the first of them.
std::string difference(const std::vector<std::byte>& expected, const std::vector<std::byte>& computed) {
  size_t count = 0, first = 0;
  for (size_t at = expected.size() / 4; at-- > 0;)
    if (std::memcmp(&expected[at * 4], &computed[at * 4], 4) != 0) ++count, first = at;
  float want = 0, have = 0;
  std::memcpy(&want, &expected[first * 4], 4);
  std::memcpy(&have, &computed[first * 4], 4);
  return std::to_string(count) + " of " + std::to_string(expected.size() / 4) + " words, the first at " +
         std::to_string(first) + ", " + std::to_string(have) + " and not " + std::to_string(want);
}

class MachineCode : public testing::TestWithParam<std::string> {};

TEST_P(MachineCode, ComputesWhatItsPtxComputes) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const kernel::Catalogue catalogue = kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels");
  const auto limits = arch::find_limits(std::string_view("sm_90"));
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    if (kernel.name != GetParam()) continue;
    for (const auto& preset : kernel.description.presets) {
      SCOPED_TRACE(preset.name);
      run::Request request;
      request.kernel = kernel;
      request.settings = *kernel::preset_settings(kernel.description, preset.name);
      request.size = run::smallest_size(kernel, request.settings, *limits);
      const auto prepared = run::prepare(request, nvrtc());
      ASSERT_TRUE(prepared) << to_string(prepared.errors());
      const auto program = Program::build((*prepared)->build->compiled.cubin, (*prepared)->program().function().name);
      ASSERT_TRUE(program) << to_string(program.errors());
      auto first = run::place_launch(**prepared, 1), second = run::place_launch(**prepared, 1);
      ASSERT_TRUE(first && second);
      const Arrays expected = by_ptx(**prepared, first->launch, first->memory);
      const Arrays computed = by_machine_code(**prepared, **program, second->launch, second->memory);
      ASSERT_EQ(expected.size(), computed.size());
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(expected[i] == computed[i])
            << first->memory.allocations()[i].name << ": " << difference(expected[i], computed[i]);
    }
  }
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels").kernels)
    names.push_back(kernel.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Kernels, MachineCode, testing::ValuesIn(kernel_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace tilescope::machine
