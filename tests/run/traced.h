#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "analysis/data_flow.h"
#include "emulator/emulator.h"
#include "trace/instruction_log.h"
#include "trace/trace.h"

/// A run block of hand-written PTX, for cases that no kernel of the catalogue has.
namespace tilescope::analysis {

/// What a trace needs of a run.
struct Both : trace::Observer {
  trace::Recorder* recorder = nullptr;
  trace::InstructionLog* log = nullptr;
  void straight_line(const trace::Step& first, uint32_t count) override { log->straight_line(first, count); }
  void block_begin(uint32_t block) override { recorder->block_begin(block); }
  void block_end(uint32_t block) override { recorder->block_end(block); }
  void access(const trace::Access& event) override { recorder->access(event); }
  void sync(const trace::Sync& event) override { recorder->sync(event); }
  void bulk_copy(const trace::BulkCopy& event) override { recorder->bulk_copy(event); }
  void landed(const trace::Landing& event) override { recorder->landed(event); }
};

/// One block of 64 threads over `in`, 256 floats. Of a thread %r0 is the number, %rd1 the address of its float and %r1
/// that of its four bytes of the shared array s, 256 floats too; `columns` a row in both.
struct Traced {
  explicit Traced(const std::string& body, uint64_t columns = 256) {
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
        ".shared .align 16 .b8 s[1024];\n.reg .pred %p<2>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n"
        "mov.u32 %r0, %tid.x;\nld.param.u64 %rd0, [in];\nmul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd1, %rd0, %rd1;\n"
        "shl.b32 %r2, %r0, 2;\nmov.u32 %r1, s;\nadd.s32 %r1, %r1, %r2;\n" +
        body + "ret;\n}\n";
    const Result<ptx::Module> module = ptx::parse(text, "test.ptx");
    if (!module) throw std::runtime_error(to_string(module.errors()));
    program = *emulator::Program::build(*module, "k");
    Allocation in;
    in.name = "in";
    in.bytes = 1024;
    in.element = Element::F32;
    in.shape = {256 / columns, columns};
    base = *memory.allocate(in, 0);
    emulator::Launch launch{{1, 1, 1}, {64, 1, 1}, 0, std::vector<uint8_t>(8)};
    std::memcpy(launch.parameters.data(), &base, 8);
    std::vector<Allocation> shared = program->shared_arrays();
    shared.at(0).element = Element::F32;
    shared.at(0).shape = in.shape;
    trace::Recorder recorder({"k", launch.grid, launch.block, memory.allocations(), std::move(shared)});
    Both both;
    both.recorder = &recorder;
    both.log = &log;
    emulator::RunOptions options;
    options.observer = &both;
    EXPECT_EQ(emulator::Machine(*program, launch, memory).run_block(0, options), emulator::Outcome::Finished);
    trace.emplace(recorder.take());
    timeline.emplace(program->function(), *trace, log);
    flow.emplace(program->function(), *trace, *timeline);
  }

  /// The warp's n-th instruction of a kind, from 0.
  StepRef find(uint32_t warp, StepKind kind, int n = 0) const {
    for (uint32_t step = 0; step < timeline->steps(warp); ++step)
      if (timeline->kind({warp, step}) == kind && n-- == 0) return {warp, step};
    ADD_FAILURE() << "there is no such instruction";
    return {};
  }
  /// Which float of `in` a value was loaded from; -1 for none.
  int64_t element(const std::optional<LoadedFrom>& from) const {
    return from ? static_cast<int64_t>(from->address - base) / 4 : -1;
  }

  std::shared_ptr<const emulator::Program> program;
  emulator::GlobalMemory memory;
  uint64_t base = 0;
  trace::InstructionLog log;
  std::optional<trace::Trace> trace;
  std::optional<Timeline> timeline;
  std::optional<DataFlow> flow;
};

}  // namespace tilescope::analysis
