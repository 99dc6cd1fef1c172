#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "emulator/emulator.h"
#include "emulator/memory.h"
#include "vectors/case.h"

namespace tilescope::vectors {
namespace {

using emulator::GlobalMemory;

/// A buffer of a case in the emulator's memory.
struct Buffer {
  uint64_t address = 0;
  int allocation = -1;
};

Buffer place(GlobalMemory& memory, const std::string& name, Type type, const std::vector<uint64_t>& values) {
  const auto size = static_cast<uint64_t>(width(type) / 8);
  if (values.empty()) return {};
  Allocation allocation;
  allocation.name = name;
  allocation.bytes = values.size() * size;
  const Result<uint64_t> address = memory.allocate(std::move(allocation), 0xA5);
  if (!address) return {};
  const int index = memory.find(*address, 1);
  std::byte* bytes = memory.bytes(index).data();
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(bytes + i * size, &values[i], size);
  return {*address, index};
}

std::vector<uint64_t> read(GlobalMemory& memory, Buffer buffer, Type type, size_t count) {
  const auto size = static_cast<size_t>(width(type) / 8);
  std::vector<uint64_t> values(count);
  for (size_t i = 0; i < count; ++i) std::memcpy(&values[i], memory.bytes(buffer.allocation).data() + i * size, size);
  return values;
}

/// The errors and faults of running a case; empty if it finished.
struct Ran {
  std::string trouble;
  std::vector<uint64_t> output;
};

struct FaultNames : trace::Observer {
  std::string text;
  void fault(const trace::Fault& fault) override {
    if (text.size() < 200) text += fmt::format(" fault {} at pc {} {}", int(fault.kind), fault.at.pc, fault.detail);
  }
};

Ran run(const ptx::Module& module, const Case& test, const Vectors& vectors) {
  const auto program = emulator::Program::build(module, test.entry);
  if (!program) return {to_string(program.errors()), {}};
  GlobalMemory memory;
  std::vector<uint64_t> parameters(6, 0);
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    parameters[i] = place(memory, fmt::format("in{}", i), test.inputs[i].type, vectors.inputs[i]).address;
  }
  parameters[4] = place(memory, "guard", Type::U32, vectors.guard).address;
  const std::vector<uint64_t> start(test.output_count(), untouched(test.output));
  const Buffer out = place(memory, "out", test.output, start);
  parameters[5] = out.address;
  if (const auto placed = emulator::place_module_variables(**program, memory); !placed)
    return {to_string(placed.errors()), {}};

  emulator::Launch launch;
  launch.grid = test.grid;
  launch.block = test.block;
  launch.parameters.resize(parameters.size() * sizeof(uint64_t));
  std::memcpy(launch.parameters.data(), parameters.data(), launch.parameters.size());
  FaultNames faults;
  emulator::Machine machine(**program, launch, memory);
  for (uint32_t block = 0; block < test.grid.count(); ++block) {
    const emulator::Outcome outcome = machine.run_block(block, {.observer = &faults, .step_budget = 100000});
    if (outcome != emulator::Outcome::Finished) return {fmt::format("outcome {}{}", int(outcome), faults.text), {}};
  }
  return {faults.text, read(memory, out, test.output, test.output_count())};
}

/// The first elements that differ, with the operands of the thread where there is one element a thread.
std::string differences(const Case& test, const Vectors& vectors, const std::vector<uint64_t>& actual) {
  const std::vector<uint64_t> wanted = expected(test, vectors);
  std::string text;
  int shown = 0, wrong = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (matches(test, wanted[i], actual[i])) continue;
    ++wrong;
    if (++shown > 3) continue;
    text += fmt::format("\n  [{}]", i);
    for (const auto& input : vectors.inputs) {
      if (input.size() == wanted.size()) text += fmt::format(" {:#x}", input[i]);
    }
    text += fmt::format(" gives {:#x}, must be {:#x}", actual[i], wanted[i]);
  }
  return wrong == 0 ? "" : fmt::format("{} of {} wrong{}", wrong, wanted.size(), text);
}

class Instruction : public testing::TestWithParam<std::string> {};

TEST_P(Instruction, DoesWhatTheDocumentSays) {
  const Result<ptx::Module> module = ptx::parse(module_text(GetParam()), GetParam() + ".ptx");
  ASSERT_TRUE(module) << to_string(module.errors());
  for (const Case& test : all_cases()) {
    if (test.module != GetParam()) continue;
    const Vectors vectors = generate(test);
    const Ran result = run(*module, test, vectors);
    if (!result.trouble.empty()) {
      ADD_FAILURE() << test.entry << ": " << result.trouble;
      continue;
    }
    const std::string wrong = differences(test, vectors, result.output);
    EXPECT_EQ(wrong, "") << test.entry << " (" << test.instruction << ")";
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, Instruction, testing::ValuesIn(all_modules()),
                         [](const auto& test) { return test.param; });

constexpr std::string_view kMnemonics[] = {
#define PTX_OP(id, mnemonic, ...) mnemonic,
#include "ptx/opcode.def"
#undef PTX_OP
};

TEST(Vectors, EveryOpcodeStandsInOne) {
  std::string text;
  for (const std::string& module : all_modules()) text += module_text(module);
  for (const std::string_view mnemonic : kMnemonics) {
    if (mnemonic == "trap" || mnemonic == "brkpt") continue;  // They end the run.
    // A warp's, not a lane's: matrix_test.cpp, wmma_test.cpp.
    if (mnemonic == "mma.sync" || mnemonic.starts_with("wmma.")) continue;
    // Of one thread for all or of four warps, and of compute capability 9.0: the stages and defects of tests/corpus.
    if (mnemonic.starts_with("cp.async.bulk") || mnemonic.starts_with("wgmma.") || mnemonic == "setmaxnreg") continue;
    // Of the blocks of a cluster: cluster_test.cpp.
    if (mnemonic == "mapa" || mnemonic == "getctarank" || mnemonic.starts_with("barrier.cluster.")) continue;
    const bool found = std::any_of(std::begin(".; "), std::end(".; ") - 1, [&](char end) {
      return text.find(fmt::format(" {}{}", mnemonic, end)) != std::string::npos;
    });
    EXPECT_TRUE(found) << mnemonic;
  }
}

TEST(Vectors, EveryEntryIsNamedOnce) {
  std::map<std::string, int> names;
  for (const Case& test : all_cases()) ++names[test.module + "/" + test.entry];
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
}

TEST(Vectors, AreTheSameEveryTime) {
  const Case& test = all_cases().front();
  EXPECT_EQ(generate(test).inputs, generate(test).inputs);
}

TEST(Vectors, ToleranceBlursNoSkippedThread) {
  Case test;
  test.output = Type::F32;
  test.tolerance = {Tolerance::Kind::Ulps, 2};
  EXPECT_TRUE(matches(test, 0x3f800000, 0x3f800002));
  EXPECT_FALSE(matches(test, 0x3f800000, 0x3f800003));
  EXPECT_FALSE(matches(test, untouched(Type::F32), untouched(Type::F32) + 1));
  EXPECT_TRUE(matches(test, 0x7fffffff, 0xffc00000));
  EXPECT_FALSE(matches(test, 0x7f800000, 0x7f7fffff));
}

}  // namespace
}  // namespace tilescope::vectors
