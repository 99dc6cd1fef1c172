#!/usr/bin/env python3
"""Writes a CUDA program that times the kernels of lessons 19 to 21; see README.md.

    lessons.py > lessons.cu

Each kernel is checked against the reference in its own file and timed with cold caches. The program prints rows of
assets/recordings; the kernel `copy` is the measure of the others: it moves the bytes of a matrix once each way.
"""

import hashlib
import pathlib
import re
import sys
import tomllib

LESSONS = pathlib.Path(__file__).resolve().parent.parent.parent / "lessons"
# What is timed: a file, the values of its parameters, and sizes M = N.
SQUARES = [1024, 2048, 4096, 8192, 16384]
PLAN = [
    ("19-transpose/copy", [{}], SQUARES),
    ("19-transpose/transpose_naive", [{}, {"SWAPPED": 1}], SQUARES),
    ("19-transpose/transpose_tile", [{"PAD": pad, "PER_THREAD": each} for pad in (0, 1) for each in (1, 2, 4)], SQUARES),
    ("19-transpose/transpose_swizzled", [{}], SQUARES),
    ("20-reduction/sum_atomic", [{}], SQUARES[:4]),
    ("20-reduction/sum_neighbours", [{}], SQUARES[:4]),
    ("20-reduction/sum_strided", [{}], SQUARES[:4]),
    ("20-reduction/sum_halves", [{}], SQUARES[:4]),
    ("20-reduction/sum_first_adds", [{"PER_THREAD": each} for each in (2, 8)], SQUARES[:4]),
    ("20-reduction/sum_shuffles", [{"PER_THREAD": each} for each in (4, 16)], SQUARES[:4]),
    ("20-reduction/sum_grid", [{"BLOCKS": blocks} for blocks in (132, 264, 528, 1056)], SQUARES[:4]),
    ("21-attention/softmax_passes", [{}], SQUARES),
    ("21-attention/softmax_online", [{}], SQUARES),
    ("21-attention/softmax_kept", [{"PER_LANE": 32}], [1024]),
    ("21-attention/attention_scores", [{"D": 64, "ROWS": rows} for rows in (32, 64)], [1024, 2048, 4096, 8192]),
    ("21-attention/flash", [{"D": 64, "ROWS": rows} for rows in (32, 64)], [1024, 2048, 4096, 8192]),
]

HEAD = r"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t problem = (call);                                                    \
    if (problem != cudaSuccess) {                                                          \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(problem));        \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

constexpr long ceil_div(long a, long b) { return (a + b - 1) / b; }

__global__ void fill(float *to, long count, unsigned seed) {
  const long step = static_cast<long>(gridDim.x) * blockDim.x;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < count; i += step) {
    unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
    x ^= x >> 16, x *= 2246822519u, x ^= x >> 13;
    to[i] = static_cast<float>(x) / 2147483648.0f - 1.0f;
  }
}

struct Array {
  long count;
  bool input, zero;
  float *data = nullptr, *expected = nullptr;
};

struct Row {
  const char *kernel, *hash, *params;
  long m;
  double low, median, high, noise;
  size_t samples;
};

const char *driver_text, *date_text;
char *scratch;
constexpr size_t kScratch = size_t{256} << 20;  // Larger than the L2 cache: it throws out what is there.

template <class Launch, class Expect>
Row timed(const char *kernel, const char *hash, const char *params, long m, std::vector<Array> arrays, Launch launch,
          Expect expect) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    Array &array = arrays[i];
    CHECK(cudaMalloc(&array.data, array.count * 4));
    if (array.input) {
      fill<<<1024, 256>>>(array.data, array.count, static_cast<unsigned>(i) * 97 + 1);
      continue;
    }
    CHECK(cudaMalloc(&array.expected, array.count * 4));
    CHECK(cudaMemset(array.data, array.zero ? 0 : 0xff, array.count * 4));
    CHECK(cudaMemset(array.expected, 0, array.count * 4));
  }
  launch(arrays);
  expect(arrays);
  CHECK(cudaDeviceSynchronize());
  for (const Array &array : arrays) {
    if (array.input) continue;
    std::vector<float> got(array.count), wanted(array.count);
    CHECK(cudaMemcpy(got.data(), array.data, array.count * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(wanted.data(), array.expected, array.count * 4, cudaMemcpyDeviceToHost));
    double squares = 0, worst = 0;
    for (const float value : wanted) squares += static_cast<double>(value) * value;
    const double typical = std::sqrt(squares / array.count);
    for (long i = 0; i < array.count; ++i) {
      const double off = std::fabs(static_cast<double>(got[i]) - wanted[i]);
      worst = std::isnan(off) ? INFINITY : std::max(worst, off);
    }
    if (!(worst <= 2e-3 * std::max(typical, 1e-6)) && !(array.zero && worst <= 1e-6 * arrays[0].count)) {
      std::fprintf(stderr, "%s %s at %ld is wrong: off by %g, typical %g\n", kernel, params, m, worst, typical);
      std::exit(1);
    }
  }
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> seconds;
  double spent = 0;
  while (seconds.size() < 11 || (spent < 0.1 && seconds.size() < 401)) {
    for (const Array &array : arrays)
      if (array.zero) CHECK(cudaMemsetAsync(array.data, 0, array.count * 4));
    CHECK(cudaMemsetAsync(scratch, static_cast<int>(seconds.size()), kScratch));
    CHECK(cudaEventRecord(begin));
    launch(arrays);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    seconds.push_back(1e-3 * ms);
    spent += 1e-3 * ms;
  }
  CHECK(cudaGetLastError());
  for (const Array &array : arrays) {
    CHECK(cudaFree(array.data));
    if (array.expected) CHECK(cudaFree(array.expected));
  }
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double part) { return seconds[static_cast<size_t>(part * (seconds.size() - 1))]; };
  double mean = 0, squares = 0;
  for (const double each : seconds) mean += each / seconds.size();
  for (const double each : seconds) squares += (each - mean) * (each - mean) / seconds.size();
  return {kernel, hash, params, m, at(0.25), at(0.5), at(0.75), std::sqrt(squares) / mean, seconds.size()};
}

void print(const Row &row) {
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  int runtime = 0;
  CHECK(cudaRuntimeGetVersion(&runtime));
  const double flop = 2.0 * row.m * row.m * row.m;
  std::printf("%s,%s,%d.%d,%s,%s,%s,%s,%ld,%ld,%ld,fp32,0,0,%g,%g,%g,%g,,,,,,,,%g,%d,%zu,0\n", device.name, driver_text,
              runtime / 1000, runtime % 1000 / 10, date_text, row.kernel, row.hash, row.params, row.m, row.m, row.m,
              row.low, row.median, row.high, flop / row.median * 1e-9, row.noise, row.noise > 0.02, row.samples);
  std::fflush(stdout);
}
"""


def parameter_values(description, given):
    """Values of all parameters, in the order of the description."""
    return {name: given.get(name, entry["default"]) for name, entry in description.get("parameters", {}).items()}


def extents(expressions):
    texts = [f"static_cast<unsigned>({text})" for text in map(str, expressions)]
    return f"dim3({', '.join(texts)})"


def argument(name, description):
    if isinstance(name, dict):
        return f"static_cast<int>({name['value']})"
    if name in description["arrays"]:
        index = [n for n, a in description["arrays"].items() if a.get("space") != "shared"].index(name)
        return f"EACH({index})"
    return f"static_cast<int>({name})"


def run_of(number, path, given, sizes):
    source = path.with_suffix(".cu")
    description = tomllib.loads(path.with_suffix(".toml").read_text())
    values = parameter_values(description, given)
    arrays = {n: a for n, a in description["arrays"].items() if a.get("space") != "shared"}
    reference = description["reference"]
    reference = {"entry": reference} if isinstance(reference, str) else reference
    launch = description["launch"]
    lines = [f"namespace run{number} {{"]
    lines += [f"#define {name} {value}" for name, value in values.items()]
    lines += [f'#include "{source}"', "", "void run(long M) {", "  const long N = M;"]
    lines.append("  std::vector<Array> arrays;")
    for entry in arrays.values():
        count = " * ".join(f"static_cast<long>({extent})" for extent in entry["shape"])
        is_input, is_zero = entry["role"] == "input", "initial" in entry
        lines.append(f"  arrays.push_back({{{count}, {str(is_input).lower()}, {str(is_zero).lower()}}});")
    calls = [argument(name, description) for name in description["arguments"]]
    ours = ", ".join(call.replace("EACH(", "a[").replace(")", "].data") if "EACH" in call else call for call in calls)
    theirs = ", ".join(
        re.sub(r"EACH\((\d+)\)", lambda m: f"(a[{m[1]}].input ? a[{m[1]}].data : a[{m[1]}].expected)", call)
        for call in calls
    )
    block, grid = reference.get("block", launch["block"]), reference.get("grid", launch["grid"])
    params = " ".join(f"{name}={value}" for name, value in values.items())
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    lines += [
        f'  print(timed("{path.name}", "{digest}", "{params}", M, arrays,',
        f"      [&](auto &a) {{ {description['entry']}<<<{extents(launch['grid'])}, {extents(launch['block'])}>>>({ours}); }},",
        f"      [&](auto &a) {{ {reference['entry']}<<<{extents(grid)}, {extents(block)}>>>({theirs}); }}));",
        "}",
    ]
    lines += [f"#undef {name}" for name in values]
    lines += ["#undef PLACE", "}", ""]
    calls = [f"  run{number}::run({size});" for size in sizes]
    return lines, calls


def main():
    lines, calls, number = [HEAD], [], 0
    for name, settings, sizes in PLAN:
        for given in settings:
            run, sized = run_of(number, LESSONS / name, given, sizes)
            lines += run
            calls += sized
            number += 1
    lines += ["int main(int count, char **words) {", "  if (count != 3) {"]
    lines += ['    std::fprintf(stderr, "Usage: %s DRIVER DATE\\n", words[0]);', "    return 2;", "  }"]
    lines += ["  driver_text = words[1], date_text = words[2];", "  CHECK(cudaMalloc(&scratch, kScratch));"]
    columns = "device,driver,toolkit,date,kernel,kernel_hash,params,m,n,k,math,hot,clock_mhz,seconds_low,seconds,seconds_high,gflops,"
    columns += "cublas,cublas_seconds_low,cublas_seconds,cublas_seconds_high,relative_low,relative,relative_high,noise,noisy,samples,dropped"
    lines.append(f'  std::puts("{columns}");')
    lines += calls + ["}"]
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
