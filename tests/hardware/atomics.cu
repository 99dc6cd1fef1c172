// What atomics on L2 take, all SMs busy, in clocks of the SM:
//   atomics > h200_atomics.csv
// random: each lane adds to a word of its own choice of so many; rows: a warp to 32 words side by side, a line of its
// choice of those. A row is the clocks of the whole GPU for each request of a warp, and the distinct sectors and the
// distinct words of a request, on average.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "check.h"

namespace {

constexpr unsigned kRounds = 32, kBlocks = 132 * 8, kThreads = 256;

__host__ __device__ unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}
__host__ __device__ unsigned word_of(bool random, unsigned thread, unsigned round, unsigned words) {
  if (random) return mixed(thread * kRounds + round) & (words - 1);
  return mixed(thread / 32 * kRounds + round) * 32 & (words - 1) | thread % 32;
}

template <class T, bool returns>
__global__ void add(T* sums, bool random, unsigned words, T* sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = 0;
  for (unsigned i = 0; i < kRounds; ++i) {
    const T old = atomicAdd(&sums[word_of(random, thread, i, words)], T(1));
    if constexpr (returns) sum += old;
  }
  if (returns) sink[thread] = sum;
}

template <class T, bool returns>
void rows(const char* type, T* sums, T* sink, double hz) {
  for (const bool random : {true, false})
    for (unsigned words = random ? 1 : 32; words <= 1u << 20; words *= words < 1024 ? 2 : 8) {
      std::vector<double> each;
      cudaEvent_t begin, end;
      CHECK(cudaEventCreate(&begin));
      CHECK(cudaEventCreate(&end));
      for (int i = 0; i < 5; ++i) {
        CHECK(cudaEventRecord(begin));
        add<T, returns><<<kBlocks, kThreads>>>(sums, random, words, sink);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        each.push_back(milliseconds * 1e-3 * hz / (double{kBlocks} * kThreads / 32 * kRounds));
      }
      std::sort(each.begin(), each.end());
      double sectors = 0, distinct = 0, most = 0;
      constexpr unsigned kSample = 512;
      for (unsigned warp = 0; warp < kSample; ++warp) {
        std::set<unsigned> s;
        std::multiset<unsigned> w;
        for (unsigned lane = 0; lane < 32; ++lane) {
          const unsigned word = word_of(random, warp * 32 + lane, 0, words);
          s.insert(word / 8), w.insert(word);
        }
        size_t same = 0;
        for (const unsigned word : w) same = std::max(same, w.count(word));
        sectors += s.size(), distinct += std::set<unsigned>(w.begin(), w.end()).size(), most += same;
      }
      std::printf("%s,%s,%s,%u,%.3f,%.2f,%.2f,%.2f\n", type, returns ? "returns" : "none", random ? "random" : "rows",
                  words, each[2], sectors / kSample, distinct / kSample, most / kSample);
    }
}

}  // namespace

int main() {
  void *sums = nullptr, *sink = nullptr;
  CHECK(cudaMalloc(&sums, 4 << 20));
  CHECK(cudaMemset(sums, 0, 4 << 20));
  CHECK(cudaMalloc(&sink, kBlocks * kThreads * 4));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  std::printf("type,old_value,pattern,words,clocks_of_the_gpu,sectors,distinct_words,most_of_a_word\n");
  rows<float, false>("f32", static_cast<float*>(sums), static_cast<float*>(sink), khz * 1e3);
  rows<unsigned, false>("u32", static_cast<unsigned*>(sums), static_cast<unsigned*>(sink), khz * 1e3);
  rows<unsigned, true>("u32", static_cast<unsigned*>(sums), static_cast<unsigned*>(sink), khz * 1e3);
  return 0;
}
