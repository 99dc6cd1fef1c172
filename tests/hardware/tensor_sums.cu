// How tensor cores add: random dot products by mma.sync and wgmma, compared with rules for the order and the rounding.
//   nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a -o tensor_sums tensor_sums.cu && ./tensor_sums RULES.csv SUMS.csv
// RULES.csv: for each instruction and kind of numbers how many of the sums each rule misses. SUMS.csv: some of the sums
// as bits, so that other rules can be tried without a GPU.
//
// A rule "fused N of F" adds N products at a time: each product is exact and is cut off F bits below the leading bit of
// the largest exponent among the products that are not zero and C (it is the sum of the factors', whatever their fractions give),
// the sum of what is left is exact, and the result is cut off at FP32's last bit (infinite from 2^128 on), or rounded to
// the nearest of FP16. Zero is positive.
// Such rules are described in: M. Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ CS 7:e330, 2021;
// P. Xie et al., MMA-Sim, arXiv 2511.10909, 2025; F. Khattak, M. Mikaitis, Accurate models of NVIDIA tensor cores,
// arXiv 2512.07004, 2025. "double" adds in double, one product after the other, and rounds once to the nearest.

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

enum Type { TF32, BF16, F16 };

struct Shape {
  const char* name;
  Type type;
  int rows, k;
  bool half_sums;  // C and D are FP16.
};

constexpr Shape kShapes[] = {
    {"mma.m16n8k4.f32.tf32", TF32, 16, 4, false},     {"mma.m16n8k8.f32.tf32", TF32, 16, 8, false},
    {"mma.m16n8k8.f32.bf16", BF16, 16, 8, false},     {"mma.m16n8k16.f32.bf16", BF16, 16, 16, false},
    {"mma.m16n8k8.f32.f16", F16, 16, 8, false},       {"mma.m16n8k16.f32.f16", F16, 16, 16, false},
    {"mma.m16n8k16.f16.f16", F16, 16, 16, true},      {"wgmma.m64n8k8.f32.tf32", TF32, 64, 8, false},
    {"wgmma.m64n8k16.f32.bf16", BF16, 64, 16, false}, {"wgmma.m64n8k16.f32.f16", F16, 64, 16, false},
    {"wgmma.m64n8k16.f16.f16", F16, 64, 16, true},
};
constexpr int kShapeCount = sizeof kShapes / sizeof *kShapes;
constexpr int kColumns = 8;
constexpr int kSums = 1 << 16;   // Of each shape and kind of numbers.
constexpr int kWritten = 400;    // Of these into SUMS.csv.

// Elements are in words of their own. a: rows x k, b: 8 x k (column after column), c and d: rows x 8, of test `blockIdx.x`.

__device__ uint32_t pair(const uint32_t* at) { return at[0] | at[1] << 16; }

template <int kShape>
__global__ void multiply(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  constexpr Shape s = kShapes[kShape];
  a += blockIdx.x * s.rows * s.k, b += blockIdx.x * kColumns * s.k;
  c += blockIdx.x * s.rows * kColumns, d += blockIdx.x * s.rows * kColumns;
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, first = threadIdx.x / 32 * 16;
  uint32_t sum[4];
  for (int e = 0; e < 4; ++e) sum[e] = c[(first + g + e / 2 * 8) * kColumns + 2 * t + e % 2];
  uint32_t half_sum[2] = {sum[0] | sum[1] << 16, sum[2] | sum[3] << 16};
  if constexpr (s.rows == 16) {
    uint32_t fa[4], fb[2];
    const int wide = s.type == TF32 ? 4 : 8;  // Columns of A that a register of each lane covers.
    for (int r = 0; r < 2 * s.k / wide; ++r) {
      const uint32_t* row = a + (g + r % 2 * 8) * s.k + r / 2 * wide;
      fa[r] = s.type == TF32 ? row[t] : pair(row + 2 * t);
    }
    for (int r = 0; r < s.k / wide; ++r)
      fb[r] = s.type == TF32 ? b[g * s.k + r * wide + t] : pair(b + g * s.k + r * wide + 2 * t);
#define MMA(SHAPE, A, B)                                                                                   \
  asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, " A ", " B ", {%0,%1,%2,%3};"                    \
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])                                    \
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]))
    if constexpr (kShape == 0) MMA("m16n8k4.row.col.f32.tf32.tf32.f32", "{%4,%5}", "{%8}");
    if constexpr (kShape == 1) MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "{%4,%5,%6,%7}", "{%8,%9}");
    if constexpr (kShape == 2) MMA("m16n8k8.row.col.f32.bf16.bf16.f32", "{%4,%5}", "{%8}");
    if constexpr (kShape == 3) MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "{%4,%5,%6,%7}", "{%8,%9}");
    if constexpr (kShape == 4) MMA("m16n8k8.row.col.f32.f16.f16.f32", "{%4,%5}", "{%8}");
    if constexpr (kShape == 5) MMA("m16n8k16.row.col.f32.f16.f16.f32", "{%4,%5,%6,%7}", "{%8,%9}");
    if constexpr (kShape == 6)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                   : "+r"(half_sum[0]), "+r"(half_sum[1])
                   : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  } else {
    // Without a swizzle: eight lines of 16 bytes side by side, then the next 16 bytes along k, then the next eight lines.
    __shared__ alignas(128) unsigned char tile_a[64 * 32], tile_b[8 * 32];
    const int bytes = s.type == TF32 ? 4 : 2;
    const auto put = [&](unsigned char* tile, int line, int k, uint32_t word) {
      unsigned char* at = tile + line / 8 * 256 + k * bytes / 16 * 128 + line % 8 * 16 + k * bytes % 16;
      bytes == 4 ? (void)(*(uint32_t*)at = word) : (void)(*(uint16_t*)at = (uint16_t)word);
    };
    for (int i = threadIdx.x; i < 64 * s.k; i += 128) put(tile_a, i / s.k, i % s.k, a[i]);
    for (int i = threadIdx.x; i < 8 * s.k; i += 128) put(tile_b, i / s.k, i % s.k, b[i]);
    const auto described = [](const void* tile) {
      const uint64_t start = (uint32_t)__cvta_generic_to_shared(tile);
      return start >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
    };
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#define WGMMA(SHAPE, MAJOR)                                                                                \
  asm volatile("wgmma.mma_async.sync.aligned." SHAPE " {%0,%1,%2,%3}, %4, %5, 1, 1, 1" MAJOR ";"           \
               : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])                                    \
               : "l"(described(tile_a)), "l"(described(tile_b)))
    if constexpr (kShape == 7) WGMMA("m64n8k8.f32.tf32.tf32", "");
    if constexpr (kShape == 8) WGMMA("m64n8k16.f32.bf16.bf16", ", 0, 0");
    if constexpr (kShape == 9) WGMMA("m64n8k16.f32.f16.f16", ", 0, 0");
    if constexpr (kShape == 10)
      asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, %2, %3, 1, 1, 1, 0, 0;"
                   : "+r"(half_sum[0]), "+r"(half_sum[1])
                   : "l"(described(tile_a)), "l"(described(tile_b)));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  if (s.half_sums)
    for (int e = 0; e < 4; ++e) sum[e] = half_sum[e / 2] >> 16 * (e % 2) & 0xffff;
  for (int e = 0; e < 4; ++e) d[(first + g + e / 2 * 8) * kColumns + 2 * t + e % 2] = sum[e];
}

template <int kShape = 0>
void launch(int shape, int tests, const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* d) {
  if (shape == kShape) {
    multiply<kShape><<<tests, kShapes[kShape].rows * 2>>>(a, b, c, d);
    return;
  }
  if constexpr (kShape + 1 < kShapeCount) launch<kShape + 1>(shape, tests, a, b, c, d);
}

// ---- numbers

double value_of(uint32_t bits, Type type) {
  if (type == F16) return __half2float(__ushort_as_half((unsigned short)bits));
  if (type == BF16) bits <<= 16;
  if (type == TF32) bits &= 0xffffe000u;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

uint32_t element_bits(double value, Type type) {
  if (type == F16) return __half_as_ushort(__float2half_rn((float)value));
  const uint32_t bits = bits_of((float)value);
  return type == BF16 ? bits >> 16 : bits & 0xffffe000u;
}

const char* const kKinds[] = {"uniform", "positive", "exponents", "wide", "cancelling", "low bits", "subnormal", "special"};
constexpr int kKindCount = 8;

class Numbers {
 public:
  Numbers(const Shape& shape, int kind) : s_(shape), kind_(kind), random_(1 + kind) {}

  uint32_t factor() {
    switch (kind_) {
      case 1: return element_bits(uniform(0, 1), s_.type);
      case 2: return element_bits(scaled(-6, 6), s_.type);
      case 3: return element_bits(scaled(s_.type == F16 ? -14 : -40, s_.type == F16 ? 10 : 40), s_.type);
      case 5: return s_.type == TF32 ? bits_of((float)uniform(-1, 1)) | (random_() & 0x1fff) : element_bits(uniform(-1, 1), s_.type);
      case 6: return element_bits(s_.type == F16 ? scaled(-24, -12) : scaled(-70, -56) * (random_() % 8 ? 1 : 0x1p-70), s_.type);
      case 7:
        if (random_() % 16 == 0) return element_bits(special(), s_.type);
        return element_bits(scaled(-3, 3), s_.type);
      default: return element_bits(uniform(-1, 1), s_.type);
    }
  }

  uint32_t addend(double product) {
    double value = uniform(-1, 1);
    switch (kind_) {
      case 1: value = uniform(0, 1); break;
      case 2: value = scaled(-12, 12); break;
      case 3: value = scaled(s_.half_sums ? -24 : -50, s_.half_sums ? 14 : 50); break;
      case 4: value = -product * (1 + uniform(-1, 1) * std::ldexp(1, -(int)(random_() % 26))); break;
      case 6: value = s_.half_sums ? scaled(-24, -12) : scaled(-148, -120); break;
      case 7: value = random_() % 16 == 0 ? special() : scaled(-3, 3); break;
      default: break;
    }
    return s_.half_sums ? element_bits(value, F16) : bits_of((float)value);
  }

 private:
  double uniform(double low, double high) { return low + (high - low) * (random_() >> 11) * 0x1p-53; }
  double scaled(int low, int high) {
    return (random_() % 2 ? 1 : -1) * std::ldexp(uniform(1, 2), low + (int)(random_() % (high - low + 1)));
  }
  double special() {
    const double values[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, s_.type == F16 ? 65504.0 : 3.3e38, s_.type == F16 ? -65504.0 : -3.3e38};
    return values[random_() % 7];
  }
  const Shape& s_;
  int kind_;
  std::mt19937_64 random_;
};

// ---- rules

struct Rule {
  std::string name;
  int fused;     // Products at a time; 0: all in double.
  int bits;      // F.
  bool nearest;  // The result is rounded to the nearest and not cut off.
};

std::vector<Rule> rules_for(const Shape& shape) {
  std::vector<Rule> rules{{"double", 0, 0, true}};
  for (int fused = shape.k; fused >= 4; fused /= 2)
    for (int bits = 23; bits <= 26; ++bits)
      rules.push_back({"fused " + std::to_string(fused) + " of " + std::to_string(bits), fused, bits, shape.half_sums});
  rules.push_back({"fused " + std::to_string(shape.k) + " of 25 to nearest", shape.k, 25, true});
  return rules;
}

// Of a subnormal number that of the smallest normal one; of zero likewise.
int exponent_of(double value, int least) {
  if (value == 0) return least;
  return std::max(std::ilogb(value), least);
}

uint32_t result_bits(double exact, const Rule& rule, const Shape& shape) {
  if (shape.half_sums) {
    // Through odd rounding to FP32's bits, so that the second rounding alone is to the nearest.
    float near = (float)exact;
    if (near != exact) {
      if (std::fabs(near) > std::fabs(exact)) near = std::nextafterf(near, 0);
      near = (float)near;
      uint32_t bits = bits_of(near) | 1;
      std::memcpy(&near, &bits, 4);
    }
    return __half_as_ushort(__hadd(__float2half_rn(near), __float2half_rn(0)));
  }
  float near = (float)exact;
  if (!rule.nearest && std::fabs(exact) < 0x1p128 && std::fabs(near) > std::fabs(exact)) near = std::nextafterf(near, 0);
  return bits_of(near + 0.0f);
}

double number_of_sum(uint32_t bits, const Shape& shape) {
  if (shape.half_sums) return value_of(bits, F16);
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint32_t apply(const Rule& rule, const Shape& shape, const uint32_t* a, const uint32_t* b, uint32_t c) {
  double sum = number_of_sum(c, shape);
  if (rule.fused == 0) {
    for (int k = 0; k < shape.k; ++k) sum += value_of(a[k], shape.type) * value_of(b[k], shape.type);
    return result_bits(sum, rule, shape);
  }
  const int least = shape.type == F16 ? -14 : -126, least_sum = shape.half_sums ? -14 : -126;
  uint32_t bits = c;
  for (int first = 0; first < shape.k; first += rule.fused) {
    sum = number_of_sum(bits, shape);
    double plain = sum;
    int most = exponent_of(sum, least_sum);
    for (int k = first; k < first + rule.fused; ++k) {
      const double fa = value_of(a[k], shape.type), fb = value_of(b[k], shape.type);
      plain += fa * fb;
      if (std::isfinite(fa * fb) && fa * fb != 0) most = std::max(most, exponent_of(fa, least) + exponent_of(fb, least));
    }
    if (!std::isfinite(plain)) {
      bits = result_bits(plain, rule, shape);
      continue;
    }
    const auto cut = [&](double value) { return std::trunc(std::ldexp(value, rule.bits - most)); };
    double whole = cut(sum);
    for (int k = first; k < first + rule.fused; ++k) whole += cut(value_of(a[k], shape.type) * value_of(b[k], shape.type));
    bits = result_bits(std::ldexp(whole, most - rule.bits), rule, shape);
  }
  return bits;
}

bool same(uint32_t got, uint32_t expected, const Shape& shape) {
  return got == expected || (std::isnan(number_of_sum(got, shape)) && std::isnan(number_of_sum(expected, shape)));
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

int main(int argc, char** argv) {
  if (argc != 3) return std::printf("usage: tensor_sums RULES.csv SUMS.csv\n"), 2;
  std::FILE* rules_file = std::fopen(argv[1], "w");
  std::FILE* sums_file = std::fopen(argv[2], "w");
  if (!rules_file || !sums_file) return std::printf("cannot write\n"), 1;
  const bool dry = std::getenv("DRY") != nullptr;
  std::fprintf(rules_file, "instruction,numbers,rule,sums,missed\n");
  std::fprintf(sums_file, "instruction,numbers,a,b,c,d\n");
  for (int shape = 0; shape < kShapeCount; ++shape)
    for (int kind = 0; kind < kKindCount; ++kind) {
      const Shape& s = kShapes[shape];
      const int tests = kSums / (s.rows * kColumns);
      std::vector<uint32_t> a(tests * s.rows * s.k), b(tests * kColumns * s.k), c(kSums), d(kSums);
      Numbers numbers(s, kind);
      for (uint32_t& each : a) each = numbers.factor();
      for (uint32_t& each : b) each = numbers.factor();
      const auto row_of = [&](int i) { return &a[(size_t)(i / kColumns) * s.k]; };
      const auto column_of = [&](int i) { return &b[(size_t)(i / (s.rows * kColumns) * kColumns + i % kColumns) * s.k]; };
      for (int i = 0; i < kSums; ++i) {
        double product = 0;
        for (int k = 0; k < s.k; ++k) product += value_of(row_of(i)[k], s.type) * value_of(column_of(i)[k], s.type);
        c[i] = numbers.addend(product);
      }
      if (!dry) {
        uint32_t *da, *db, *dc, *dd;
        check(cudaMalloc(&da, a.size() * 4), "cudaMalloc"), check(cudaMalloc(&db, b.size() * 4), "cudaMalloc");
        check(cudaMalloc(&dc, c.size() * 4), "cudaMalloc"), check(cudaMalloc(&dd, d.size() * 4), "cudaMalloc");
        cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice), cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(dc, c.data(), c.size() * 4, cudaMemcpyHostToDevice), cudaMemset(dd, 0x55, d.size() * 4);
        launch(shape, tests, da, db, dc, dd);
        check(cudaGetLastError(), s.name), check(cudaDeviceSynchronize(), s.name);
        check(cudaMemcpy(d.data(), dd, d.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
        cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
      } else {
        const Rule rule = rules_for(s)[3];  // As a GPU of this rule would.
        for (int i = 0; i < kSums; ++i) d[i] = apply(rule, s, row_of(i), column_of(i), c[i]);
      }
      const std::vector<Rule> rules = rules_for(s);
      std::vector<int> missed(rules.size());
      std::vector<std::thread> threads;
      for (size_t r = 0; r < rules.size(); ++r)
        threads.emplace_back([&, r] {
          for (int i = 0; i < kSums; ++i) missed[r] += !same(d[i], apply(rules[r], s, row_of(i), column_of(i), c[i]), s);
        });
      for (std::thread& thread : threads) thread.join();
      for (size_t r = 0; r < rules.size(); ++r)
        std::fprintf(rules_file, "%s,%s,%s,%d,%d\n", s.name, kKinds[kind], rules[r].name.c_str(), kSums, missed[r]);
      std::fflush(rules_file);
      for (int i = 0; i < kWritten; ++i) {
        const int at = i * (kSums / kWritten);
        std::fprintf(sums_file, "%s,%s,", s.name, kKinds[kind]);
        for (int k = 0; k < s.k; ++k) std::fprintf(sums_file, "%s%x", k ? " " : "", row_of(at)[k]);
        for (int k = 0; k < s.k; ++k) std::fprintf(sums_file, "%s%x", k ? " " : ",", column_of(at)[k]);
        std::fprintf(sums_file, ",%x,%x\n", c[at], d[at]);
      }
    }
  return std::fclose(rules_file) | std::fclose(sums_file) ? 1 : 0;
}
