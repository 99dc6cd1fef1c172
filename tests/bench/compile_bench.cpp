// What a warm compile takes besides NVRTC itself, and what one from the cache takes. Needs NVRTC.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "base/file.h"
#include "compile/compile.h"

namespace tilescope::compile {
namespace {

using std::chrono::steady_clock;

Request request(int salt) {
  Request request;
  const auto source = read_file(data_folder() / "kernels/09_thread_tile_2d.cu");
  if (source) request.source = *source;
  request.file_name = "09_thread_tile_2d.cu";
  for (const char* macro : {"BM=128", "BN=128", "BK=8", "TM=8", "TN=8"}) request.macros.push_back(parse_macro(macro));
  request.macros.push_back({"SALT", std::to_string(salt)});
  return request;
}

// NVRTC's own time is taken where it runs; the rest is the process, the messages, the cache.
void warm_compile(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope-bench";
  Settings settings;
  settings.cache_folder = folder;
  Compiler compiler(settings);
  double nvrtc_seconds = 0;
  int salt = 0;
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto start = steady_clock::now();
    const auto output = compiler.compile(request(++salt));
    const double seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
    if (!output) return state.SkipWithError(to_string(output.errors()).c_str());
    nvrtc_seconds += output->compile_seconds;
    state.SetIterationTime(seconds - output->compile_seconds);
  }
  state.counters["nvrtc_ms"] = 1e3 * nvrtc_seconds / static_cast<double>(state.iterations());
  std::filesystem::remove_all(folder);
}
BENCHMARK(warm_compile)->Name("warm compile, besides NVRTC")->UseManualTime()->Iterations(20)->Unit(benchmark::kMillisecond);

void from_cache(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "tilescope-bench";
  Settings settings;
  settings.cache_folder = folder;
  Compiler compiler(settings);
  (void)compiler.compile(request(0));
  for (auto _ : state) benchmark::DoNotOptimize(compiler.compile(request(0)));
  std::filesystem::remove_all(folder);
}
BENCHMARK(from_cache)->Name("from the cache")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope::compile
