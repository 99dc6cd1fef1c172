// What atomics on L2 take, all SMs busy, in clocks of the SM:
//   atomics > h200_atomics.csv
// random: each lane's word is its own choice of so many; rows: a warp's are 32 words side by side, a line of its choice
// of those; in turn: the same, one line after the other; one: only one lane of each warp has a word, of its choice of
// those; threes: each lane adds to three words side by side, one after the other, and chooses anew; runs: eight lanes side by side have the same word, of their choice. cold: L2 has none of
// them before. A row is the clocks of the whole GPU for each request of a warp, and the distinct sectors and the distinct
// words of a request, on average.
#include <algorithm>
#include <cstdio>
#include <cstdint>
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
enum class Pattern { Random, Rows, One, InTurn, Threes, Runs };
constexpr const char* kPatterns[] = {"random", "rows", "one", "in turn", "threes", "runs"};

__host__ __device__ unsigned word_of(Pattern pattern, unsigned thread, unsigned round, unsigned words) {
  const auto chosen = [&](unsigned number, unsigned of) { return unsigned(uint64_t{mixed(number)} * of >> 32); };
  if (pattern == Pattern::Random) return chosen(thread * kRounds + round, words);
  if (pattern == Pattern::Threes) return chosen(thread * kRounds + round / 3, words / 3) * 3 + round % 3;
  if (pattern == Pattern::Runs) return chosen(thread / 8 * kRounds + round, words);
  if (pattern == Pattern::One) return chosen(thread / 32 * kRounds + round, words);
  const unsigned rows = words / 32;
  return (pattern == Pattern::InTurn ? (thread / 32 + round) % rows : chosen(thread / 32 * kRounds + round, rows)) * 32 + thread % 32;
}

enum class Op { Add, Min, Or, Exchange, Swap };

template <Op op, class T>
__device__ T apply(T* word, unsigned i) {
  if constexpr (op == Op::Add) return atomicAdd(word, T(1));
  if constexpr (op == Op::Min) return atomicMin(word, T(i));
  if constexpr (op == Op::Or) return atomicOr(word, T(i));
  if constexpr (op == Op::Exchange) return atomicExch(word, T(i));
  if constexpr (op == Op::Swap) return atomicCAS(word, T(0), T(i + 1));
}

template <Op op, class T, bool returns>
__global__ void update(T* values, Pattern pattern, unsigned words, unsigned rounds, T* sink) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (pattern == Pattern::One && thread % 32 != 0) return;
  T sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    const T old = apply<op>(&values[word_of(pattern, thread, i, words)], i);
    if constexpr (returns) sum += old;
  }
  if (returns) sink[thread] = sum;
}

__global__ void read_all(const uint4* other, size_t count, unsigned* sink) {
  unsigned sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum ^= other[i].x;
  if (sum == 1) *sink = sum;
}

struct Buffers {
  void *values, *sink;
  uint4* other;
  double hz;
};

constexpr size_t kValues = size_t{16} << 20, kOther = size_t{256} << 20;

template <Op op, class T, bool returns>
void row(const char* name, Pattern pattern, unsigned words, bool cold, const Buffers& buffers) {
  std::vector<double> each;
  const unsigned rounds = cold ? 1 : kRounds;
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 5; ++i) {
    if (op == Op::Swap) CHECK(cudaMemset(buffers.values, 0, kValues));
    if (cold || op == Op::Swap)
      read_all<<<1056, 256>>>(buffers.other, (cold ? kOther : 1024) / sizeof(uint4), static_cast<unsigned*>(buffers.sink));
    CHECK(cudaEventRecord(begin));
    update<op, T, returns><<<kBlocks, kThreads>>>(static_cast<T*>(buffers.values), pattern, words, rounds, static_cast<T*>(buffers.sink));
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    each.push_back(milliseconds * 1e-3 * buffers.hz / (double{kBlocks} * kThreads / 32 * rounds));
  }
  std::sort(each.begin(), each.end());
  double sectors = 0, distinct = 0, most = 0;
  constexpr unsigned kSample = 512;
  for (unsigned warp = 0; warp < kSample; ++warp) {
    std::set<unsigned> s;
    std::multiset<unsigned> w;
    for (unsigned lane = 0; lane < (pattern == Pattern::One ? 1 : 32); ++lane) {
      const unsigned word = word_of(pattern, warp * 32 + lane, 0, words);
      s.insert(word * sizeof(T) / 32), w.insert(word);
    }
    size_t same = 0;
    for (const unsigned word : w) same = std::max(same, w.count(word));
    sectors += s.size(), distinct += std::set<unsigned>(w.begin(), w.end()).size(), most += same;
  }
  std::printf("%s,%s,%s,%u,%s,%.3f,%.2f,%.2f,%.2f\n", name, returns ? "returns" : "none",
              kPatterns[static_cast<int>(pattern)], words, cold ? "cold" : "warm", each[2], sectors / kSample,
              distinct / kSample, most / kSample);
}

template <Op op, class T, bool returns>
void rows(const char* name, const Buffers& buffers) {
  for (const Pattern pattern : {Pattern::Random, Pattern::Rows, Pattern::InTurn, Pattern::One, Pattern::Runs})
    for (unsigned words = pattern == Pattern::Rows || pattern == Pattern::InTurn ? 32 : 1; words <= 1u << 20; words *= words < 1024 ? 2 : 8)
      row<op, T, returns>(name, pattern, words, false, buffers);
  for (unsigned words = 1536; words <= 1u << 18; words = words % 3 ? words / 2 * 3 : words / 3 * 4)
    for (const Pattern pattern : {Pattern::Random, Pattern::Rows, Pattern::Threes, Pattern::Runs})
      if (pattern == Pattern::Threes || pattern == Pattern::Runs || (words != 8192 && words != 65536)) row<op, T, returns>(name, pattern, words, false, buffers);
  for (const Pattern pattern : {Pattern::Random, Pattern::Rows})
    row<op, T, returns>(name, pattern, 1u << 20, true, buffers);
}

}  // namespace

int main() {
  Buffers buffers{};
  CHECK(cudaMalloc(&buffers.values, kValues));
  CHECK(cudaMemset(buffers.values, 0, kValues));
  CHECK(cudaMalloc(&buffers.other, kOther));
  CHECK(cudaMemset(buffers.other, 0, kOther));
  CHECK(cudaMalloc(&buffers.sink, kBlocks * kThreads * 8));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  buffers.hz = khz * 1e3;
  std::printf("type,old_value,pattern,words,l2,clocks_of_the_gpu,sectors,distinct_words,most_of_a_word\n");
  rows<Op::Add, float, false>("f32", buffers);
  rows<Op::Add, unsigned, false>("u32", buffers);
  rows<Op::Add, unsigned, true>("u32", buffers);
  rows<Op::Min, unsigned, false>("u32 min", buffers);
  rows<Op::Or, unsigned, false>("u32 or", buffers);
  rows<Op::Exchange, unsigned, true>("u32 exchange", buffers);
  rows<Op::Swap, unsigned, true>("u32 compare and swap", buffers);
  rows<Op::Swap, unsigned long long, true>("u64 compare and swap", buffers);
  rows<Op::Add, double, false>("f64", buffers);
  rows<Op::Add, unsigned long long, false>("u64", buffers);
  return 0;
}
