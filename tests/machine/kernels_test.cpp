// The machine code of every kernel that ships, for sm_90 at every preset: what it leaves in memory against the emulator
// of PTX. Skipped where there is no NVRTC.
#include <atomic>
#include <bit>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "built_compiler.h"
#include "kernel/catalogue.h"
#include "machine/machine.h"
#include "run/launch_clock.h"
#include "run/launch_memory.h"
#include "run/prepare.h"
#include "run/run.h"

namespace tilescope::machine {
namespace {

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

/// Whether a kernel does what it must not, after which nobody says what it computes.
struct FaultSeen : trace::Observer {
  bool any = false;
  void fault(const trace::Fault&) override { any = true; }
};

/// Nothing where the kernel faults.
std::optional<Arrays> by_ptx(const run::Prepared& prepared, const emulator::Launch& launch,
                             emulator::GlobalMemory& memory) {
  FaultSeen seen;
  emulator::RunOptions options;
  options.observer = &seen;
  emulator::Machine machine(prepared.program(), launch, memory);
  if (prepared.runs_together()) {
    const std::vector<trace::Observer*> observers(launch.grid.count(), &seen);
    EXPECT_EQ(machine.run_together(observers, {}).outcome, emulator::Outcome::Finished);
  } else {
    for (uint32_t b = 0; b < launch.grid.count() && !seen.any; ++b)
      if (machine.run_block(b, options) != emulator::Outcome::Finished) seen.any = true;
  }
  if (seen.any) return std::nullopt;
  return arrays_of(memory);
}

/// The fault of one of the blocks, for a message.
std::string fault_of(const std::vector<std::unique_ptr<Block>>& blocks) {
  for (const auto& block : blocks)
    if (const auto& fault = block->fault())
      return fault->what.english() + " at pc " + std::to_string(fault->pc) + " in warp " + std::to_string(fault->warp);
  return "";
}

Arrays by_machine_code(const run::Prepared& prepared, const Program& program, const emulator::Launch& launch,
                       emulator::GlobalMemory& memory) {
  const PreparedLaunch launched(program, launch, prepared.program().parameter_offsets(), memory);
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

/// A kernel of a folder, compiled for an architecture.
struct Case {
  std::string folder, kernel, arch;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.folder << " " << one.kernel << " " << one.arch;
}

class MachineCode : public testing::TestWithParam<Case> {
 protected:
  void compare(const run::Request& request) const {
    const auto prepared = run::prepare(request, nvrtc());
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const auto program = Program::build((*prepared)->build->compiled.cubin, (*prepared)->program().function().name);
    ASSERT_TRUE(program) << to_string(program.errors());
    auto first = run::place_launch(**prepared, 1), second = run::place_launch(**prepared, 1);
    ASSERT_TRUE(first && second);
    const std::optional<Arrays> by_emulator = by_ptx(**prepared, first->launch, first->memory);
    if (!by_emulator) {
      EXPECT_NE(GetParam().folder, "tests/machine/kernels") << "The kernel faults, so that nothing is compared.";
      return;
    }
    const Arrays& expected = *by_emulator;
    const Arrays computed = by_machine_code(**prepared, **program, second->launch, second->memory);
    ASSERT_EQ(expected.size(), computed.size());
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(expected[i] == computed[i])
          << first->memory.allocations()[i].name << ": " << difference(expected[i], computed[i]);
  }
};

TEST_P(MachineCode, ComputesWhatItsPtxComputes) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const auto limits = arch::find_limits(std::string_view(GetParam().arch));
  const std::filesystem::path root = TILESCOPE_SOURCE_DIR;
  for (const kernel::Kernel& kernel : kernel::load_catalogue(root / GetParam().folder).kernels) {
    if (kernel.name != GetParam().kernel) continue;
    run::Request request;
    request.kernel = kernel;
    request.arch = GetParam().arch;
    request.size = run::smallest_size(kernel, request.settings, *limits);
    compare(request);
    if (GetParam().arch != "sm_90") continue;
    for (const auto& preset : kernel.description.presets) {
      SCOPED_TRACE(preset.name);
      request.settings = *kernel::preset_settings(kernel.description, preset.name);
      request.size = run::smallest_size(kernel, request.settings, *limits);
      compare(request);
    }
  }
}

std::vector<Case> cases_of(const std::string& folder, const std::string& architecture) {
  std::vector<Case> cases;
  const auto limits = arch::find_limits(std::string_view(architecture));
  for (const kernel::Kernel& kernel :
       kernel::load_catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / folder).kernels)
    if (kernel::has_instructions(kernel.description, limits->capability))
      cases.push_back({folder, kernel.name, architecture});
  return cases;
}

/// The kernels of the lessons, but for those whose result is open: one reads what its copies have not brought yet, one
/// has races.
std::vector<Case> lesson_cases() {
  std::vector<Case> cases;
  for (const auto& lesson :
       std::filesystem::directory_iterator(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "lessons"))
    if (lesson.is_directory())
      for (Case& one : cases_of("lessons/" + lesson.path().filename().string(), "sm_90")) {
        if (one.kernel != "mend_15" && one.kernel != "mend_20") cases.push_back(std::move(one));
      }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& each) {
  std::string name = each.param.arch + "_" + each.param.folder + "_" + each.param.kernel;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Stages, MachineCode, testing::ValuesIn(cases_of("kernels", "sm_90")), name_of);
INSTANTIATE_TEST_SUITE_P(Stages80, MachineCode, testing::ValuesIn(cases_of("kernels", "sm_80")), name_of);
INSTANTIATE_TEST_SUITE_P(Stages86, MachineCode, testing::ValuesIn(cases_of("kernels", "sm_86")), name_of);
INSTANTIATE_TEST_SUITE_P(Stages89, MachineCode, testing::ValuesIn(cases_of("kernels", "sm_89")), name_of);
INSTANTIATE_TEST_SUITE_P(Stages75, MachineCode, testing::ValuesIn(cases_of("kernels", "sm_75")), name_of);
INSTANTIATE_TEST_SUITE_P(Examples, MachineCode, testing::ValuesIn(cases_of("examples", "sm_90")), name_of);
INSTANTIATE_TEST_SUITE_P(Instructions, MachineCode, testing::ValuesIn(cases_of("tests/machine/kernels", "sm_90")),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Lessons, MachineCode, testing::ValuesIn(lesson_cases()), name_of);

/// A kernel of that folder at the smallest size.
auto prepare(const char* folder, const std::string& name) {
  run::Request request;
  for (const kernel::Kernel& kernel :
       kernel::load_catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / folder).kernels)
    if (kernel.name == name) request.kernel = kernel;
  request.size = run::smallest_size(request.kernel, {}, *arch::find_limits("sm_90"));
  return run::prepare(request, nvrtc());
}

bool accesses_the_same(const Issue& a, const Issue& b) {
  if (a.accesses != b.accesses) return false;
  for (size_t i = 0; i < a.accesses; ++i) {
    const Access &one = a.access[i], &other = b.access[i];
    if (one.space != other.space || one.lanes != other.lanes || one.rank != other.rank) return false;
    for (uint32_t l = 0; l < kLanes; ++l)
      if (one.lanes >> l & 1 && one.addresses[l] != other.addresses[l]) return false;
  }
  return true;
}

class Course : public MachineCode {};

// The block that follows a clock reads arrays without contents where its program needs none.
TEST_P(Course, IsTheSameWhereOnlyWhatItNeedsIsComputed) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const auto prepared = prepare(GetParam().folder.c_str(), GetParam().kernel);
  ASSERT_TRUE(prepared) << to_string(prepared.errors());
  const auto program = Program::build((*prepared)->build->compiled.cubin, (*prepared)->program().function().name);
  ASSERT_TRUE(program) << to_string(program.errors());
  auto full = run::place_launch(**prepared, 1), lean = run::place_launch(**prepared, 1, (*program)->needs_contents());
  ASSERT_TRUE(full && lean);
  const auto offsets = (*prepared)->program().parameter_offsets();
  const PreparedLaunch of_full(**program, full->launch, offsets, full->memory);
  const PreparedLaunch of_lean(**program, lean->launch, offsets, lean->memory);
  const ClusterShape shape{full->launch.grid, (*prepared)->program().cluster()};
  const auto all = blocks_of_cluster(of_full, shape, 0), needed = blocks_of_cluster(of_lean, shape, 0);
  for (const auto& block : all) block->end_polls();
  for (const auto& block : needed) block->follow_clock();
  Issue expected, issue;
  for (bool any = true; any;) {
    any = false;
    for (size_t b = 0; b < all.size(); ++b)
      for (uint32_t w = 0; w < all[b]->warps(); ++w)
        for (int turn = 0; turn < 500 && all[b]->state(w) == WarpState::Ready; ++turn) {
          any = true;
          ASSERT_EQ(needed[b]->state(w), WarpState::Ready);
          for (uint64_t passed = needed[b]->pass(w, 1000); passed > 0; --passed) {
            all[b]->step(w, expected);
            ASSERT_TRUE(expected.flow == Issue::Flow::Next && !expected.awaits_phase && !expected.copies);
            ASSERT_TRUE(expected.accesses == 0 || expected.access[0].space != Space::Global) << expected.pc;
          }
          all[b]->step(w, expected);
          needed[b]->step(w, issue);
          ASSERT_EQ(issue.pc, expected.pc);
          ASSERT_EQ(needed[b]->fault().has_value(), all[b]->fault().has_value()) << issue.pc;
          if (all[b]->fault()) return;
          ASSERT_EQ(issue.executed, expected.executed) << issue.pc;
          ASSERT_EQ(issue.flow, expected.flow) << issue.pc;
          ASSERT_TRUE(accesses_the_same(issue, expected)) << issue.pc;
          for (uint32_t to = issue.copies && issue.copy.to_shared ? issue.copy.blocks : 0; to; to &= to - 1)
            needed[static_cast<size_t>(std::countr_zero(to))]->land(issue.copy);
        }
  }
  for (const auto& block : needed) EXPECT_TRUE(block->done());
}
INSTANTIATE_TEST_SUITE_P(Stages, Course, testing::ValuesIn(cases_of("kernels", "sm_90")), name_of);
INSTANTIATE_TEST_SUITE_P(Examples, Course, testing::ValuesIn(cases_of("examples", "sm_90")), name_of);
INSTANTIATE_TEST_SUITE_P(Instructions, Course, testing::ValuesIn(cases_of("tests/machine/kernels", "sm_90")), name_of);
INSTANTIATE_TEST_SUITE_P(Measured, Course, testing::ValuesIn(cases_of("tests/clock/kernels", "sm_90")), name_of);

TEST(Contents, AreNeededWhereTheyDecideSomething) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  for (const auto& [folder, name, are_needed] : {std::tuple{"kernels", "09_thread_tile_2d", false},
                                                 {"kernels", "17_tma", false},
                                                 {"kernels", "18_producer_warps", false},
                                                 {"tests/clock/kernels", "gather_chain", true},
                                                 {"tests/clock/kernels", "branches", true}}) {
    SCOPED_TRACE(name);
    const auto prepared = prepare(folder, name);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const auto code = run::machine_code(**prepared);
    ASSERT_TRUE(code) << to_string(code.errors());
    EXPECT_EQ(code->program->needs_contents(), are_needed);
    EXPECT_EQ(code->program->changes_contents(), are_needed) << "what nobody needs is not stored";
  }
}

TEST(Waits, AreLoopsThatOnlyReadWhatOthersWrite) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  for (const auto& [name, waits] :
       {std::pair{"waits_for_blocks", true}, {"grid_sync", true}, {"lock_of_lanes", false}}) {
    SCOPED_TRACE(name);
    const auto prepared = prepare("tests/machine/kernels", name);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    const auto program = Program::build((*prepared)->build->compiled.cubin, (*prepared)->program().function().name);
    ASSERT_TRUE(program) << to_string(program.errors());
    EXPECT_EQ((*program)->polls(), waits);
  }
}

TEST(Clocks, LeaveMemoryAsItWas) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  // By stores, atomics and bulk copies.
  for (const char* name : {"01_naive_rows", "19_split_k", "23_bf16_wgmma"}) {
    SCOPED_TRACE(name);
    const auto prepared = prepare("kernels", name);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    auto memory = run::place_launch(**prepared, 1);
    ASSERT_TRUE(memory) << to_string(memory.errors());
    const Arrays before = arrays_of(memory->memory);
    const auto code = run::machine_code(**prepared);
    ASSERT_TRUE(code) << to_string(code.errors());
    const auto clock = run::clock_of(run::launched(**prepared, *memory), *code, (*prepared)->device);
    ASSERT_TRUE(clock) << to_string(clock.errors());
    EXPECT_EQ(clock->time.run.blocks_done, clock->time.blocks);
    EXPECT_TRUE(before == arrays_of(memory->memory));
  }
}

// An H200 sleeps 16.4 us where 10 are asked for.
TEST(Clocks, SleepersTakeTheirTime) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const auto prepared = prepare("tests/machine/kernels", "sleeps");
  ASSERT_TRUE(prepared) << to_string(prepared.errors());
  const auto clock = run::clock_of(**prepared, 1);
  ASSERT_TRUE(clock) << to_string(clock.errors());
  EXPECT_GT(clock->time.seconds, 26e-6);
  EXPECT_LT(clock->time.seconds, 31e-6);
}

TEST(Clocks, EndWhereTheyAreCancelled) {
  if (const auto toolchain = nvrtc().toolchain(); !toolchain) GTEST_SKIP() << to_string(toolchain.errors());
  const std::atomic<bool> cancel = true;
  // A block that is long by itself, and one that is not.
  for (const auto& [folder, name] : {std::pair{"kernels", "09_thread_tile_2d"}, {"tests/machine/kernels", "clocks"}}) {
    SCOPED_TRACE(name);
    const auto prepared = prepare(folder, name);
    ASSERT_TRUE(prepared) << to_string(prepared.errors());
    EXPECT_TRUE(run::clock_of(**prepared, 1));
    const auto clock = run::clock_of(**prepared, 1, {.cancel = &cancel});
    ASSERT_FALSE(clock);
    EXPECT_EQ(to_string(clock.errors()), "error: Cancelled.");
  }
}

}  // namespace
}  // namespace tilescope::machine
