#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "ptx/control_flow.h"
#include "ptx/module.h"

namespace {

using namespace tilescope;

/// A kernel of 20,000 lines: the inner loop of a thread-tile kernel, written out.
std::string long_kernel() {
  constexpr int kLines = 20'000;
  std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"gemm.cu\"\n.visible .entry gemm(.param .u64 a)\n{\n"
      ".reg .pred %p<16>;\n.reg .f32 %f<9000>;\n.reg .b32 %r<9000>;\n.reg .b64 %rd<9000>;\n";
  for (int i = 0, line = 10; line < kLines; ++i, line += 8) {
    const int n = i % 8000;
    text += fmt::format("\t.loc\t1 {} 13\n", 20 + i % 60);
    text += fmt::format("\tld.shared.v4.f32 \t{{%f{}, %f{}, %f{}, %f{}}}, [%r{}+{}];\n", n, n + 1, n + 2, n + 3, n % 7,
                        16 * n);
    for (int k = 0; k < 3; ++k)
      text += fmt::format("\tfma.rn.f32 \t%f{}, %f{}, %f{}, %f{};\n", n + 5 + k, n + k, n + 3, n + 4);
    text += fmt::format("\tadd.s64 \t%rd{}, %rd{}, {};\n\tmul.wide.s32 \t%rd{}, %r{}, 4;\n", n + 1, n, 4 * n, n + 2, n);
    text += fmt::format("\tsetp.lt.s32 \t%p{}, %r{}, 128;\n", n % 16, n);
  }
  return text + "\tret;\n}\n";
}

void parse_20000_lines(benchmark::State& state) {
  const std::string text = long_kernel();
  for (auto _ : state) benchmark::DoNotOptimize(ptx::parse(text, "gemm.ptx"));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parse_20000_lines)->Unit(benchmark::kMillisecond);

void flatten_20000_lines(benchmark::State& state) {
  const auto module = ptx::parse(long_kernel(), "gemm.ptx");
  for (auto _ : state) {
    const auto flat = ptx::flatten(*module, "gemm");
    benchmark::DoNotOptimize(ptx::control_flow(*flat));
  }
}
BENCHMARK(flatten_20000_lines)->Unit(benchmark::kMillisecond);

}  // namespace
