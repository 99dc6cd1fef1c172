// The machine code of every kernel that ships, at every preset: what it leaves in memory against the emulator of PTX.
// Skipped where there is no NVRTC.
#include <cstring>

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
  for (uint32_t b = 0; b < launch.grid.count(); ++b) EXPECT_EQ(machine.run_block(b, {}), emulator::Outcome::Finished);
  return arrays_of(memory);
}

Arrays by_machine_code(const Program& program, const emulator::Launch& launch, emulator::GlobalMemory& memory) {
  const Launch launched(program, launch, memory);
  for (uint64_t b = 0; b < launch.grid.count(); ++b) {
    Block block(launched, b);
    const Outcome outcome = run_block(block, 100'000'000);
    EXPECT_EQ(outcome, Outcome::Finished)
        << (block.fault() ? block.fault()->what : "") << " at " << (block.fault() ? block.fault()->pc * 16 : 0)
        << " address " << (block.fault() ? block.fault()->address : 0);
    if (outcome != Outcome::Finished) break;
  }
  return arrays_of(memory);
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
      const Arrays computed = by_machine_code(**program, second->launch, second->memory);
      ASSERT_EQ(expected.size(), computed.size());
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(expected[i] == computed[i]) << first->memory.allocations()[i].name;
    }
  }
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  // Without tensor cores and bulk copies.
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels").kernels)
    if (kernel.name < "17") names.push_back(kernel.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Kernels, MachineCode, testing::ValuesIn(kernel_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace tilescope::machine
