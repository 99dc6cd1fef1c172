// What the window does between an event and its frame: a traced block from a request whose compilation is cached, and
// the pictures of the heaviest scenes, remade as for a moved cursor.
#include <fstream>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "kernel/catalogue.h"
#include "run/traced_block.h"
#include "view/stage/stage_picture.h"
#include "view/stage/thread_picture.h"
#include "view/strip/strip_picture.h"
#include "view/timeline/timeline_picture.h"

namespace tilescope::view {
namespace {
using analysis::StepKind;
using run::TracedBlock;

run::Request request_for(const char* kernel, int64_t size, int64_t k) {
  run::Request request;
  request.kernel = *kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), kernel);
  request.size = {size, size, k};
  return request;
}

compile::Compiler& compiler() {
  static compile::Compiler instance;
  return instance;
}

std::shared_ptr<const TracedBlock> trace_block(const run::Request& request) {
  return *run::trace_block(*run::prepare(request, compiler()), {0, 0});
}

/// The 2-D thread tile over 128 k-tiles: 159,000 records, 111,000 slots.
const TracedBlock& heavy() {
  static const std::shared_ptr<const TracedBlock> traced = trace_block(request_for("9", 256, 1024));
  return *traced;
}

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096;
}

const PlainMeasure kMeasure;
const Canvas kStage{820, 430, &kMeasure, 14};

/// A focus on the kind's steps, one after another.
class Walk {
 public:
  explicit Walk(StepKind kind) : kind_(kind) {
    focus_.traced = &heavy();
    focus_.cursor = {2, heavy().timeline.steps(2) / 2};
  }
  const Focus& next() {
    do focus_.cursor.step = (focus_.cursor.step + 1) % heavy().timeline.steps(2);
    while (heavy().timeline.kind(focus_.cursor) != kind_);
    return focus_;
  }

 private:
  Focus focus_;
  StepKind kind_;
};

void stage(benchmark::State& state, StepKind kind, float level) {
  Walk walk(kind);
  for (auto _ : state) benchmark::DoNotOptimize(stage_picture(walk.next(), kStage, {level, 1, 0, 0}));
}
BENCHMARK_CAPTURE(stage, block_load_global, StepKind::LoadGlobal, 1.0f)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, block_load_shared, StepKind::LoadShared, 1.0f)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, block_multiply, StepKind::Multiply, 1.0f)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, warp_load_shared, StepKind::LoadShared, 2.0f)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, warp_multiply, StepKind::Multiply, 2.0f)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, grid, StepKind::LoadGlobal, 0.0f)->Unit(benchmark::kMillisecond);

void thread(benchmark::State& state) {
  Walk walk(StepKind::Multiply);
  for (auto _ : state) benchmark::DoNotOptimize(thread_picture(walk.next(), kStage));
}
BENCHMARK(thread)->Unit(benchmark::kMillisecond);

void strip(benchmark::State& state, StepKind kind) {
  Walk walk(kind);
  const Canvas canvas{700, 125, &kMeasure, 14};
  for (auto _ : state) benchmark::DoNotOptimize(strip_picture(walk.next(), canvas));
}
BENCHMARK_CAPTURE(strip, global, StepKind::LoadGlobal)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(strip, shared, StepKind::LoadShared)->Unit(benchmark::kMillisecond);

/// The work of one frame for the marks in the timeline while the mouse rests on something; the first part of the
/// search.
void marks(benchmark::State& state, const session::Target& target) {
  for (auto _ : state) {
    TimelineMarks marks{.target = target};
    add_marks(heavy(), marks);
    benchmark::DoNotOptimize(marks);
  }
}
using Kind = session::Target::Kind;
BENCHMARK_CAPTURE(marks, of_a_shared_element, {Kind::Element, Space::Shared, "As", 100, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(marks, of_a_global_element, {Kind::Element, Space::Global, "B", 100, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(marks, of_a_line, {Kind::SourceLine, Space::None, "", 54, 0})->Unit(benchmark::kMillisecond);
void all_marks(benchmark::State& state, const session::Target& target) {
  for (auto _ : state) {
    TimelineMarks marks{.target = target};
    while (!marks.complete) add_marks(heavy(), marks);
    benchmark::DoNotOptimize(marks);
  }
}
BENCHMARK_CAPTURE(all_marks, of_a_shared_element, {Kind::Element, Space::Shared, "As", 100, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_marks, of_a_line, {Kind::SourceLine, Space::None, "", 54, 0})->Unit(benchmark::kMillisecond);

/// From a request to a traced block that can be shown; compiled before.
void traced(benchmark::State& state, const char* kernel, int64_t size, int64_t k) {
  const run::Request request = request_for(kernel, size, k);
  for (auto _ : state) benchmark::DoNotOptimize(trace_block(request));
}
BENCHMARK_CAPTURE(traced, default_2d_tile, "9", 256, 64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(traced, heavy_2d_tile, "9", 256, 1024)->Unit(benchmark::kMillisecond);

/// Resident memory of the process with a traced block of a million records.
void million_records(benchmark::State& state) {
  const run::Request request = request_for("9", 256, 6720);
  for (auto _ : state) {
    const auto traced = trace_block(request);
    state.counters["records"] = static_cast<double>(traced->trace.size());
    state.counters["resident_MB"] = static_cast<double>(resident_bytes()) / 1e6;
  }
}
BENCHMARK(million_records)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace tilescope::view
