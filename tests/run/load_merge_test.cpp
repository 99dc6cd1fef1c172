// The load merge against what ptxas did, for every preset of every kernel; skipped where there is no NVRTC.
#include "analysis/load_merge.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "built_compiler.h"
#include "emulator/emulator.h"
#include "kernel/catalogue.h"
#include "run/prepare.h"
#include "run/run.h"
#include "sass/cubin.h"
#include "sass/decode.h"

namespace tilescope::run {
namespace {

/// How many instructions have each mnemonic, with its width where that is not 32 bits: "LDS", "STS.64".
using Summary = std::map<std::string, uint32_t>;

/// The shared accesses of the kernel in the plan, by ptxas's name for each width.
Summary planned(const emulator::Program& program, const std::string& prefix) {
  const auto plan = analysis::plan_load_merge(program.module(), program.function(), program.shared_arrays());
  const ptx::Op op = prefix == "LDS" ? ptx::Op::Ld : ptx::Op::St;
  Summary summary;
  for (size_t pc = 0; pc < plan.roles.size(); ++pc) {
    const ptx::Instruction& instruction = program.function().instructions[pc];
    if (instruction.op != op || instruction.space != Space::Shared) continue;
    auto roles = plan.roles[pc];
    if (roles.empty()) roles = {analysis::MergeRole{}};
    for (const analysis::MergeRole& role : roles) {
      uint32_t bytes = ptx::size_of(instruction.type) * instruction.vector;
      if (!role.as_written()) bytes = plan.accesses[role.access].bytes;
      if (role.as_written() || role.leads) ++summary[prefix + (bytes == 16 ? ".128" : bytes == 8 ? ".64" : "")];
    }
  }
  return summary;
}

Summary in_cubin(const compile::Output& compiled, const std::string& entry, const std::string& prefix) {
  Summary summary;
  const auto code =
      sass::decode_kernel(sass::kernel_code(compiled.cubin, entry), sass::architecture_of(compiled.cubin));
  EXPECT_TRUE(code) << to_string(code.errors());
  if (!code) return summary;
  const sass::Opcode wanted = prefix == "LDS" ? sass::Opcode::LDS : sass::Opcode::STS;
  for (const sass::Instruction& in : *code) {
    if (in.opcode != wanted) continue;
    // From sm_80 on ptxas puts loads of shared memory into no register in front of cp.async.
    if (prefix == "LDS" && in.d.index == sass::kZeroRegister) continue;
    const uint8_t size = in[sass::Field::Size];
    ++summary[prefix + (size == 6 ? ".128" : size == 5 ? ".64" : "")];
  }
  return summary;
}

/// Loops that are written out more often hold each access as many times more.
Summary repeated(Summary summary, const Summary& like) {
  if (summary.empty() || like.empty()) return summary;
  const uint32_t times = like.begin()->second / summary.begin()->second;
  for (auto& [mnemonic, count] : summary) count *= times;
  return summary;
}

class PtxasMerges : public testing::TestWithParam<const char*> {};

TEST_P(PtxasMerges, AsThePlanSaysInEveryPreset) {
  compile::Compiler& compiler = built_compiler();
  if (const auto toolchain = compiler.toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const auto limits = arch::find_limits(std::string_view(GetParam()));
  ASSERT_TRUE(limits);
  for (const kernel::Kernel& kernel : kernel::load_catalogue(TILESCOPE_SOURCE_DIR "/kernels").kernels) {
    if (!kernel::has_instructions(kernel.description, limits->capability)) continue;
    for (const auto& preset : kernel.description.presets) {
      SCOPED_TRACE(kernel.name + " " + preset.name);
      Request request;
      request.kernel = kernel;
      const auto preset_values = kernel::preset_settings(kernel.description, preset.name);
      ASSERT_TRUE(preset_values);
      request.settings = *preset_values;
      request.arch = GetParam();
      request.size = smallest_size(kernel, request.settings, *limits);
      const auto prepared = prepare(request, compiler);
      ASSERT_TRUE(prepared) << to_string(prepared.errors());
      for (const std::string prefix : {"LDS", "STS"}) {
        const auto made = in_cubin((*prepared)->build->compiled, (*prepared)->program().function().name, prefix);
        EXPECT_EQ(repeated(planned((*prepared)->program(), prefix), made), made);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, PtxasMerges, testing::Values("sm_75", "sm_80", "sm_86", "sm_89", "sm_90"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tilescope::run
