// How fast kernels are emulated: `items_per_second` are thread instructions.

#include <benchmark/benchmark.h>

#include <optional>

#include "analysis/counter.h"
#include "base/file.h"
#include "kernel/catalogue.h"
#include "run/launch_memory.h"
#include "run/run.h"
#include "trace/trace.h"

namespace tilescope {
namespace {

run::Request request_of(const char* kernel, kernel::Size size) {
  run::Request request;
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  request.kernel = *kernel::find_kernel(catalogue, kernel);
  request.size = size;
  return request;
}

// A kernel ready to launch. Ends the benchmark with the error otherwise.
struct Ready {
  Ready(benchmark::State& state, const run::Request& request) {
    compile::Compiler compiler;
    Result<run::PreparedPointer> result = run::prepare(request, compiler);
    if (result)
      prepared = std::move(*result);
    else
      state.SkipWithError(to_string(result.errors()).c_str());
    if (!prepared) return;
    Result<run::LaunchMemory> placed = run::place_launch(*prepared, 1);
    if (placed)
      launch.emplace(std::move(*placed));
    else
      state.SkipWithError(to_string(placed.errors()).c_str());
  }
  run::PreparedPointer prepared;
  std::optional<run::LaunchMemory> launch;
};

uint64_t thread_instructions(const emulator::Counts& counts) {
  uint64_t sum = 0;
  for (uint64_t threads : counts.thread_executions) sum += threads;
  return sum;
}

enum class Watch { Nobody, Counter, Recorder };

void run_blocks(benchmark::State& state, Ready& ready, Watch watch) {
  emulator::Machine machine(ready.prepared->program(), ready.launch->launch, ready.launch->memory);
  const size_t instructions = ready.prepared->program().function().instructions.size();
  uint64_t before = 0;
  for (auto _ : state) {
    analysis::Counter counter(instructions);
    trace::Recorder recorder(trace::Header{});
    emulator::RunOptions options;
    if (watch == Watch::Counter) options.observer = &counter;
    if (watch == Watch::Recorder) options.observer = &recorder;
    machine.run_block(0, options);
    const uint64_t now = thread_instructions(machine.counts());
    state.SetItemsProcessed(state.items_processed() + static_cast<int64_t>(now - before));
    before = now;
  }
}

void thread_tile_2d(benchmark::State& state, Watch watch) {
  Ready ready(state, request_of("09", {256, 256, state.range(0)}));
  if (ready.launch) run_blocks(state, ready, watch);
}
BENCHMARK_CAPTURE(thread_tile_2d, alone, Watch::Nobody)->Arg(1024);
BENCHMARK_CAPTURE(thread_tile_2d, counted, Watch::Counter)->Arg(1024);
BENCHMARK_CAPTURE(thread_tile_2d, recorded, Watch::Recorder)->Arg(1024);
BENCHMARK_CAPTURE(thread_tile_2d, recorded, Watch::Recorder)->Arg(64)->Unit(benchmark::kMillisecond);

// Everything: prepare from the compile cache, run 512 x 512 x 512, count and verify.
void naive_512_counted_and_verified(benchmark::State& state) {
  const run::Request request = request_of("01", {512, 512, 512});
  compile::Compiler compiler;
  for (auto _ : state) {
    const Result<run::Report> report = run::make_report(request, compiler);
    if (!report || report->has_finding()) return state.SkipWithError("the run failed");
  }
}
BENCHMARK(naive_512_counted_and_verified)->Unit(benchmark::kSecond)->UseRealTime();

}  // namespace
}  // namespace tilescope
