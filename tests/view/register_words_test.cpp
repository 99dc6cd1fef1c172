#include "view/register_words.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/register_probe.h"
#include "view/traced_fixture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using analysis::StepRef;
using emulator::Registers;
using run::TracedBlock;

std::vector<StepRef> moments_of(const TracedBlock& traced, StepKind kind, size_t count) {
  std::vector<StepRef> all, result;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    for (uint32_t step = 0; step < traced.timeline.steps(warp); ++step)
      if (traced.timeline.kind({warp, step}) == kind) all.push_back({warp, step});
  for (size_t i = 0; i < std::min(count, all.size()); ++i) result.push_back(all[i * all.size() / count]);
  return result;
}

float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

float float_at(const TracedBlock& traced, uint64_t address) {
  const emulator::GlobalMemory& memory = traced.launch.memory;
  const int array = memory.find(address, 4);
  EXPECT_GE(array, 0);
  float value = 0;
  const uint64_t base = memory.allocations()[static_cast<size_t>(array)].base;
  std::memcpy(&value, memory.bytes(array).data() + (address - base), 4);
  return value;
}

Registers registers_at(const TracedBlock& traced, const StepRef& at) {
  const auto read = read_registers(traced, at);
  EXPECT_TRUE(read) << traced.report.kernel;
  return read ? read->front() : Registers{};
}

TEST(Registers, ProductsOfEveryKernelAddUp) {
  for (const auto& traced : every_traced())
    for (const StepRef& at : moments_of(*traced, StepKind::Multiply, 4)) {
      const Registers registers = registers_at(*traced, at);
      if (traced->instruction(traced->timeline.pc(at)).op != ptx::Op::Fma || registers.read.size() != 3) continue;
      for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
        EXPECT_EQ(as_float(registers.written.at(0).bits[lane]),
                  std::fma(as_float(registers.read[0].bits[lane]), as_float(registers.read[1].bits[lane]),
                           as_float(registers.read[2].bits[lane])))
            << traced->report.kernel << " step " << at.step << " lane " << lane;
    }
}

TEST(Registers, WhatIsLoadedFromGlobalMemoryIsWhatStandsThere) {
  for (const auto& traced : every_traced())
    for (const StepRef& at : moments_of(*traced, StepKind::LoadGlobal, 4)) {
      const Registers registers = registers_at(*traced, at);
      uint64_t addresses[trace::kLanes];
      const uint32_t record = *traced->timeline.access(at);
      traced->trace.addresses(record, addresses);
      EXPECT_EQ(registers.lanes, traced->trace.active(record));
      for (size_t i = 0; i < registers.written.size(); ++i)
        for (uint32_t rest = registers.lanes; rest; rest &= rest - 1) {
          const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
          EXPECT_EQ(as_float(registers.written[i].bits[lane]), float_at(*traced, addresses[lane] + 4 * i))
              << traced->report.kernel << " step " << at.step << " lane " << lane;
        }
    }
}

TEST(Registers, TheSumThatIsStoredIsTheElementOfC) {
  const auto traced = traced_of("09");
  const StepRef store = moments_of(*traced, StepKind::StoreGlobal, 1).front();
  const Registers registers = registers_at(*traced, store);
  uint64_t addresses[trace::kLanes];
  traced->trace.addresses(*traced->timeline.access(store), addresses);
  EXPECT_EQ(as_float(registers.read.back().bits[7]), float_at(*traced, addresses[7]));
}

TEST(Registers, OfABlockThatWaitsForOthersAreOfARunWithThem) {
  const auto traced = traced_of("20", {256, 512, 128}, "128x256x16-4-8-224-3");
  uint64_t addresses[trace::kLanes];
  StepRef load;  // The last: of a partial sum that another block has written.
  for (uint32_t step = 0; step < traced->timeline.steps(0); ++step)
    if (traced->timeline.kind({0, step}) == StepKind::LoadGlobal && traced->timeline.access({0, step}))
      load.step = step;
  const Registers registers = registers_at(*traced, load);
  traced->trace.addresses(*traced->timeline.access(load), addresses);
  EXPECT_EQ(registers.lanes, traced->trace.active(*traced->timeline.access(load)));
  const ptx::Instruction& instruction = traced->instruction(traced->timeline.pc(load));
  ASSERT_EQ(registers.read.size(), 1u) << "the address";
  EXPECT_EQ(registers.read[0].index, instruction.operands[1].index) << "of this instruction";
  const auto offset = static_cast<uint64_t>(instruction.operands[1].offset);
  EXPECT_EQ(registers.read[0].bits[7] + offset, addresses[7]);
  EXPECT_EQ(as_float(registers.written.at(0).bits[7]), float_at(*traced, addresses[7]));
}

TEST(Registers, AProbeAnswersTheNewestQuestion) {
  const auto traced = traced_of("02");
  std::atomic<bool> woken = false;
  run::RegisterProbe probe([&] { woken = true; });
  const std::vector<StepRef> moments = moments_of(*traced, StepKind::Multiply, 20);
  for (const StepRef& at : moments) probe.ask(traced, at);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!probe.registers(traced.get(), moments.back()) && std::chrono::steady_clock::now() < end) {
    probe.poll();
    std::this_thread::yield();
  }
  const Registers* found = probe.registers(traced.get(), moments.back());
  ASSERT_NE(found, nullptr);
  while (!woken && std::chrono::steady_clock::now() < end) std::this_thread::yield();  // It comes after the answer.
  EXPECT_TRUE(woken);
  const auto same_values = [](const Registers& a, const Registers& b) {
    return a.read.size() == b.read.size() && a.read.at(0).bits == b.read.at(0).bits;
  };
  EXPECT_TRUE(same_values(*found, registers_at(*traced, moments.back())));
  const StepRef before{moments.back().warp, moments.back().step - 7};
  ASSERT_NE(probe.registers(traced.get(), before), nullptr) << "it was read along with it";
  EXPECT_TRUE(same_values(*probe.registers(traced.get(), before), registers_at(*traced, before)));
  EXPECT_EQ(probe.registers(traced.get(), moments.front()), nullptr) << "another warp's";
  EXPECT_EQ(probe.registers(nullptr, moments.back()), nullptr);
}

TEST(RegisterWords, SayValuesAsTheInstructionTakesThem) {
  EXPECT_EQ(value_text(0x3fc00000, ptx::Type::F32), "1.5");
  EXPECT_EQ(value_text(0xffffffff, ptx::Type::S32), "-1");
  EXPECT_EQ(value_text(0xffffffff, ptx::Type::U32), "4294967295");
  EXPECT_EQ(value_text(0xffffffff, ptx::Type::B32), "-1");
  EXPECT_EQ(value_text(7, ptx::Type::B64), "7");
  EXPECT_EQ(value_text(0x7f0012345678, ptx::Type::U64), "0x7f0012345678");
  EXPECT_EQ(value_text(1, ptx::Type::Pred), "true");
  EXPECT_EQ(value_text(0x3c00, ptx::Type::F16), "0x3c00");
}

std::string register_words_at(const TracedBlock& traced, const StepRef& at, uint32_t lane) {
  const Registers registers = registers_at(traced, at);
  Focus focus;
  focus.traced = &traced;
  focus.cursor = at;
  EXPECT_EQ(register_words(focus, lane), "") << "not known yet";
  focus.registers = &registers;
  return register_words(focus, lane);
}

TEST(RegisterWords, SayWhatAnInstructionMadeOfWhat) {
  using testing::MatchesRegex;
  const auto traced = traced_of("09");
  const auto first = [&](StepKind kind) { return register_words_at(*traced, moments_of(*traced, kind, 1).front(), 3); };
  EXPECT_THAT(first(StepKind::Multiply), MatchesRegex("%f[0-9]+ = -?[0-9.]+ × -?[0-9.]+ \\+ 0 = -?[0-9.]+"));
  EXPECT_THAT(first(StepKind::LoadGlobal), MatchesRegex("%f[0-9]+ = -?[0-9.]+"));
  EXPECT_THAT(first(StepKind::StoreShared), MatchesRegex("%f[0-9]+ = -?[0-9.]+"));
  EXPECT_EQ(first(StepKind::Barrier), "");
  EXPECT_THAT(register_words_at(*traced, {0, 0}, 0), MatchesRegex("%rd1 = 0x[0-9a-f]+"));
}

}  // namespace
}  // namespace tilescope::view
