// Checks of measuring that need a GPU; see tests/hardware/README.md.
//   measure_checks faults  [pairs]    faulting and endless kernels, a good one after each
//   measure_checks repeat  [repeats] [csv]  one configuration again and again: medians, false "faster", missed
//                                           slowdowns; every measurement into the file
//   measure_checks latency [requests] from a request to its measurement

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "measure/measurer.h"

using namespace tilescope;
using std::chrono::steady_clock;

namespace {

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

kernel::Kernel stage(const char* name) {
  Result<kernel::Kernel> found = kernel::find_kernel(kernel::load_catalogue(data_folder() / "kernels"), name);
  if (found) return std::move(*found);
  fmt::print(stderr, "{}\n", to_string(found.errors()));
  std::exit(2);
}

measure::Job job_for(kernel::Kernel kernel, int64_t size, double min_time) {
  measure::Job job{run::Request{std::move(kernel), {}, {size, size, size}}, {}, true};
  job.options.stop.min_time = min_time;
  job.options.stop.timeout = 3;
  job.options.launch_limit = 1;
  return job;
}

/// Stage 02 with a line put before its result is stored.
kernel::Kernel broken(const std::string& line) {
  kernel::Kernel result = stage("02");
  const size_t brace = result.source.find('{', result.source.find("__global__"));
  result.source.insert(brace + 1, line);
  return result;
}

const std::vector<std::pair<const char*, std::string>>& faults() {
  static const std::vector<std::pair<const char*, std::string>> all{
      {"illegal address", "C[1ull << 40] = 1;"},
      {"misaligned address", "*(float *)((char *)C + 1) = 1;"},
      {"trap", "asm volatile(\"trap;\");"},
      {"shared address out of range", "extern __shared__ float s[]; s[1 << 28] = C[0];"},
      {"endless loop", "asm volatile(\"{ again: bra again; }\");"},
  };
  return all;
}

int check_faults(int pairs) {
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  measure::Measurer measurer({}, runs);
  const measure::Job good = job_for(stage("02"), 256, 0.001);
  int wrong = 0;
  double slowest = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto& [name, line] = faults()[static_cast<size_t>(i) % faults().size()];
    const auto start = steady_clock::now();
    const Result<measure::Measured> bad = measurer.measure(job_for(broken(line), 256, 0.001));
    const double bad_seconds = seconds_since(start);
    const Result<measure::Measured> after = measurer.measure(good);
    const double good_seconds = seconds_since(start) - bad_seconds;
    slowest = std::max(slowest, good_seconds);
    const bool fine = !bad && after;
    if (!fine) ++wrong;
    if (!fine || i < static_cast<int>(faults().size()))
      fmt::print("{}: {} ({:.1f} s); after it: {} ({:.1f} s)\n", name,
                 bad ? "measured!" : bad.errors().front().message.text(), bad_seconds,
                 after ? "good" : after.errors().front().message.text(), good_seconds);
    std::fflush(stdout);
  }
  fmt::print("faults: {} of {} pairs as they must be; the good one after {:.1f} s at most\n", pairs - wrong, pairs,
             slowest);
  return wrong != 0;
}

std::vector<store::Measurement> repeat(measure::Measurer& measurer, const measure::Job& job, int times) {
  std::vector<store::Measurement> all;
  for (int i = 0; i < times; ++i) {
    Result<measure::Measured> m = measurer.measure(job);
    if (m)
      all.push_back(std::move(m->measurement));
    else
      fmt::print("{}\n", to_string(m.errors()));
  }
  return all;
}

store::Measurement slowed(store::Measurement m, double factor) {
  for (double* time : {&m.seconds.low, &m.seconds.median, &m.seconds.high}) *time *= factor;
  for (double* speed : {&m.reference->relative.low, &m.reference->relative.median, &m.reference->relative.high})
    *speed /= factor;
  return m;
}

void report_repeats(const char* name, int64_t size, const std::vector<store::Measurement>& all) {
  std::vector<double> medians, relatives, clocks;
  int faster = 0, missed = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    medians.push_back(all[i].seconds.median);
    relatives.push_back(all[i].reference->relative.median);
    clocks.push_back(all[i].clock_mhz);
    if (i == 0) continue;
    if (compare(all[i], all[i - 1]) != statistics::Comparison::Ambiguous) ++faster;
    if (compare(slowed(all[i], 1.05), all[i - 1]) != statistics::Comparison::Slower) ++missed;
  }
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  const auto [least, most] = std::minmax_element(relatives.begin(), relatives.end());
  fmt::print(
      "repeat {} at {}: {} runs; medians {:.6g} to {:.6g} s, {:.2f} % apart; of cuBLAS {:.2f} to {:.2f} %; clock "
      "{:.0f} MHz; called faster or slower {} of {}; 5 % slowdown missed {} of {}; {} noisy\n",
      name, size, all.size(), *low, *high, 100 * (*high / *low - 1), 100 * *least, 100 * *most,
      statistics::quartiles(clocks).median, faster, all.size() - 1, missed, all.size() - 1,
      std::count_if(all.begin(), all.end(), [](const auto& m) { return m.is_noisy; }));
  std::fflush(stdout);
}

int check_repeats(int times, const char* csv) {
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  measure::Measurer measurer({}, runs);
  std::vector<store::Measurement> every;
  for (const auto& [name, size, min_time] :
       {std::tuple{"10", 2048, 0.05}, {"10", 4096, 0.1}, {"06", 1024, 0.05}, {"11", 512, 0.02}}) {
    const std::vector<store::Measurement> all = repeat(measurer, job_for(stage(name), size, min_time), times);
    if (all.empty()) return 1;
    report_repeats(name, size, all);
    every.insert(every.end(), all.begin(), all.end());
  }
  return csv && !write_file(csv, store::to_csv(every)) ? 1 : 0;
}

double time_request(measure::Measurer& measurer, const measure::Job& job) {
  const auto start = steady_clock::now();
  const Result<measure::Measured> measured = measurer.measure(job);
  if (!measured) fmt::print("{}\n", to_string(measured.errors()));
  return seconds_since(start);
}

/// Milliseconds of a request with another text, and of `count` whose machine code is there.
void report_latency(measure::Measurer& measurer, const char* name, int count) {
  measure::Job job{run::Request{stage(name), {}, {4096, 4096, 4096}}, measure::live_options(), true};
  job.request.kernel.source += fmt::format("// {}\n", steady_clock::now().time_since_epoch().count());
  const double first = 1e3 * time_request(measurer, job);
  std::vector<double> compiled;
  for (int i = 0; i < count; ++i) compiled.push_back(1e3 * time_request(measurer, job));
  std::sort(compiled.begin(), compiled.end());
  fmt::print("latency of {} at 4096: {:.0f} ms with its compile; then {:.0f} ms, at most {:.0f} ms of {}\n", name,
             first, compiled[compiled.size() / 2], compiled.back(), count);
}

int check_latency(int count) {
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  const auto start = steady_clock::now();
  measure::Measurer measurer({}, runs);
  const Result<protocol::DeviceFacts> device = measurer.device();
  fmt::print("agent ready after {:.2f} s: {}\n", seconds_since(start),
             device ? device->name : to_string(device.errors()));
  report_latency(measurer, "10", 1);  // The agent's first request starts cuBLAS.
  for (const char* name : {"08", "09", "10", "11"}) report_latency(measurer, name, count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "faults") return check_faults(count > 0 ? count : 50);
  if (what == "repeat") return check_repeats(count > 0 ? count : 201, argc > 3 ? argv[3] : nullptr);
  if (what == "latency") return check_latency(count > 0 ? count : 30);
  fmt::print(stderr, "usage: measure_checks faults|repeat|latency [count]\n");
  return 2;
}
