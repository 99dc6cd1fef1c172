// The processor time of a slider's step, of all threads, when its compilation is cached: the front end alone, and all
// until the checkers are done; and how long after its picture the predicted time at 4096 comes.
#include <array>
#include <chrono>
#include <optional>
#include <thread>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "run/counted_work.h"
#include "session/workspace.h"

namespace tilescope::session {
namespace {

compile::Compiler& compiler() {
  static compile::Compiler instance;
  return instance;
}

/// The two values between which the slider moves.
constexpr std::array<int64_t, 2> kValues{8, 16};

run::Request request_at(size_t step) {
  static const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  run::Request request;
  request.kernel = *kernel::find_kernel(catalogue, "09_thread_tile_2d");
  request.size = {128, 128, 32};
  request.settings["BK"] = std::to_string(kValues[step % 2]);
  return request;
}

/// Configuration, cache of compilations, parser, verifier, control flow, merges.
void front_end(benchmark::State& state) {
  size_t step = 0;
  for (auto _ : state) benchmark::DoNotOptimize(run::prepare(request_at(++step), compiler()));
}
BENCHMARK(front_end)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void wait(Workspace& workspace, bool all) {
  const auto& shown = workspace.experiment(0);
  const auto before = shown.traced();
  while (workspace.poll(), all ? shown.progress() != Progress::Idle : shown.traced() == before)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// From the slider until the picture can be drawn; with `all` until nothing is left to do.
void step_of_slider(benchmark::State& state, bool all) {
  run::RunCache runs(compiler(), run::window_limits());
  Workspace workspace(runs);
  State start;
  start.inputs.kernel = "09_thread_tile_2d";
  start.inputs.size = {128, 128, 32};
  workspace.apply(LoadState{start});
  wait(workspace, true);
  size_t step = 0;
  for (auto _ : state) {
    workspace.apply(SetParameter{"BK", kValues[++step % 2]});
    wait(workspace, all);
    if (all) continue;
    state.PauseTiming();
    wait(workspace, true);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // Otherwise the next step would wait for a later one.
    state.ResumeTiming();
  }
}
run::Request at_4096(const std::string& kernel, const std::string& name, int64_t value) {
  static const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  run::Request request;
  request.kernel = *kernel::find_kernel(catalogue, kernel);
  request.settings[name] = std::to_string(value);
  request.size = {4096, 4096, 4096};
  return request;
}

/// From the picture until the prediction; 0 if that comes first. As in the window: both requested at once.
void prediction_behind_picture(benchmark::State& state, const std::string& kernel, const std::string& parameter,
                               std::array<int64_t, 2> values) {
  using Clock = std::chrono::steady_clock;
  run::RunCache runs(compiler(), run::window_limits());
  Workspace workspace(runs);
  State start;
  start.inputs.kernel = kernel;
  start.inputs.size = {128, 128, 32};
  workspace.apply(LoadState{start});
  wait(workspace, true);
  for (const int64_t value : values) (void)run::prepare(at_4096(kernel, parameter, value), compiler());
  size_t step = 0;
  for (auto _ : state) {
    run::WorkCounter counter(runs, [] {});  // A new counter has no cached counts.
    const int64_t value = values[++step % 2];
    const auto before = workspace.experiment(0).traced();
    workspace.apply(SetParameter{parameter, value});
    counter.want({at_4096(kernel, parameter, value)});
    std::optional<Clock::time_point> picture, predicted;
    while (!picture || !predicted) {
      workspace.poll(), counter.poll();
      if (!picture && workspace.experiment(0).traced() != before) picture = Clock::now();
      if (!predicted && !counter.counted().empty()) predicted = Clock::now();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    state.SetIterationTime(std::max(0.0, std::chrono::duration<double>(*predicted - *picture).count()));
    wait(workspace, true);
  }
}
BENCHMARK_CAPTURE(prediction_behind_picture, thread_tile, "09_thread_tile_2d", "BK", std::array<int64_t, 2>{8, 16})
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction_behind_picture, warp_tile, "11_warp_tile", "BK", std::array<int64_t, 2>{8, 16})
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction_behind_picture, shared_tile, "04_shared_tile", "TILE", std::array<int64_t, 2>{16, 32})
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step_of_slider, to_picture, false)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step_of_slider, to_rest, true)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope::session
