// How long after the others the last SM ends, and how much longer a launch takes than its blocks:
//   ncu --csv --clock-control none --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max ./ends
//   > h200_ends.txt ends summary < h200_ends.txt > h200_ends.csv
// Sums and copies of so many floats, in loops by blocks that all start at once, or one element a thread.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr unsigned kSms = 132, kRuns = 4;

struct BlockEnds {
  unsigned long long begin, end;  ///< Of the GPU's clock, in ns.
  unsigned sm;
};

__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ void note(BlockEnds* ends, unsigned long long begin) {
  __syncthreads();
  if (threadIdx.x > 0) return;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  ends[blockIdx.x] = {begin, now(), sm};
}

__global__ void sum_in_loop(const float* in, float* out, unsigned n, BlockEnds* ends) {
  const auto begin = now();
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  if (sum == 1) out[0] = sum;
  note(ends, begin);
}
__global__ void copy_in_loop(const float* in, float* out, unsigned n, BlockEnds* ends) {
  const auto begin = now();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
  note(ends, begin);
}
__global__ void copy(const float* in, float* out, unsigned n, BlockEnds* ends) {
  const auto begin = now();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
  note(ends, begin);
}
__global__ void sum_of_four(const float* in, float* out, unsigned n, BlockEnds* ends) {
  const auto begin = now();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = i < n ? in[i] + in[i + n] + in[i + 2 * n] + in[i + 3 * n] : 0;
  if (sum == 1) out[0] = sum;
  note(ends, begin);
}

float *in, *out;
BlockEnds* ends;

void print(const char* name, void (*kernel)(const float*, float*, unsigned, BlockEnds*), unsigned n, unsigned blocks,
           unsigned threads) {
  for (unsigned run = 0; run < kRuns; ++run) {
    kernel<<<blocks, threads>>>(in, out, n, ends);
    std::vector<BlockEnds> each(blocks);
    CHECK(cudaMemcpy(each.data(), ends, blocks * sizeof(BlockEnds), cudaMemcpyDeviceToHost));
    unsigned long long begin = ~0ull, end = 0;
    std::vector<unsigned long long> of_sm(kSms, 0);
    for (const BlockEnds& block : each) {
      begin = std::min(begin, block.begin);
      end = std::max(end, block.end);
      of_sm[block.sm] = std::max(of_sm[block.sm], block.end);
    }
    double sum = 0;
    for (const unsigned long long sm : of_sm) sum += static_cast<double>(sm - begin);
    printf("%s,%u,%u,%u,%llu,%.0f\n", name, n, blocks, threads, end - begin, sum / kSms);
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// What the profiler and the program have printed, put together: medians.
void summarise() {
  std::vector<std::map<std::string, double>> launches;
  std::vector<std::pair<std::string, std::vector<double>>> rows;
  std::string line, last_id;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> parts;
    if (line[0] == '"') {
      std::istringstream in_line(line);
      for (std::string part; std::getline(in_line, part, '"');)
        if (part != ",") parts.push_back(part);
      // The first is empty; then ID, ..., metric, unit, value.
      if (parts.size() < 4 || parts[1] == "ID") continue;
      if (parts[1] != last_id) launches.emplace_back();
      last_id = parts[1];
      std::string value = parts.back();
      value.erase(std::remove(value.begin(), value.end(), ','), value.end());
      launches.back()[parts[parts.size() - 3]] = std::stod(value) * (parts[parts.size() - 2] == "us" ? 1000 : 1);
    } else if (std::count(line.begin(), line.end(), ',') == 5) {
      std::istringstream in_line(line);
      for (std::string part; std::getline(in_line, part, ',');) parts.push_back(part);
      rows.push_back(
          {parts[0] + ',' + parts[1] + ',' + parts[2] + ',' + parts[3], {std::stod(parts[4]), std::stod(parts[5])}});
    }
  }
  printf(
      "kernel,floats,blocks,threads,ncu_time_ns,first_start_to_last_end_ns,mean_end_of_sms_ns,cycles_active_avg,cycles_"
      "active_max\n");
  for (size_t first = 0; first + kRuns <= std::min(rows.size(), launches.size()); first += kRuns) {
    const auto of = [&](auto value) {
      std::vector<double> values;
      for (size_t i = first; i < first + kRuns; ++i) values.push_back(value(i));
      return median(values);
    };
    printf("%s,%.0f,%.0f,%.0f,%.0f,%.0f\n", rows[first].first.c_str(),
           of([&](size_t i) { return launches[i]["gpu__time_duration.sum"]; }),
           of([&](size_t i) { return rows[i].second[0]; }), of([&](size_t i) { return rows[i].second[1]; }),
           of([&](size_t i) { return launches[i]["sm__cycles_active.avg"]; }),
           of([&](size_t i) { return launches[i]["sm__cycles_active.max"]; }));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "summary") == 0) return summarise(), 0;
  CHECK(cudaMalloc(&in, size_t{256} << 20));
  CHECK(cudaMalloc(&out, size_t{256} << 20));
  CHECK(cudaMalloc(&ends, sizeof(BlockEnds) << 16));
  CHECK(cudaMemset(in, 0, size_t{256} << 20));
  for (const unsigned n : {1u << 18, 1u << 20, 1u << 22}) {
    for (const unsigned threads : {128u, 1024u}) print("sum_in_loop", sum_in_loop, n, kSms, threads);
    for (const unsigned blocks : {2 * kSms, 4 * kSms}) print("sum_in_loop", sum_in_loop, n, blocks, 256);
    print("copy_in_loop", copy_in_loop, n, 4 * kSms, 256);
    print("copy", copy, n, n / 256, 256);
    print("sum_of_four", sum_of_four, n, n / 256, 256);
  }
  return 0;
}
