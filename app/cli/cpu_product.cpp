#include "cli/cpu_product.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/console.h"

namespace tilescope::cli {
namespace {

constexpr int64_t kMostOfPlainLoops = 512, kMostOfOpenBlas = 2048;
constexpr size_t kRuns = 3;

struct Matrices {
  explicit Matrices(const kernel::Size& size)
      : a(static_cast<size_t>(size.m * size.k), 0.5f),
        b(static_cast<size_t>(size.k * size.n), 0.25f),
        c(static_cast<size_t>(size.m * size.n)) {}
  std::vector<float> a, b, c;
};

/// C = A * B, row-major, as a textbook writes it.
void plain_loops(const kernel::Size& size, Matrices& matrices) {
  const auto m = static_cast<size_t>(size.m), n = static_cast<size_t>(size.n), k = static_cast<size_t>(size.k);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (size_t l = 0; l < k; ++l) sum += matrices.a[i * k + l] * matrices.b[l * n + j];
      matrices.c[i * n + j] = sum;
    }
}

/// cblas_sgemm of OpenBLAS, which is looked for when it is wanted; null where it is not installed. The library stays
/// loaded: its threads do not survive being unloaded.
using CblasSgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
CblasSgemm find_openblas() {
  for (const char* name : {"libopenblas.so.0", "libopenblas.so"})
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
      if (void* symbol = ::dlsym(library, "cblas_sgemm")) return reinterpret_cast<CblasSgemm>(symbol);
  return nullptr;
}

kernel::Size at_most(const kernel::Size& size, int64_t most) {
  return {std::min(size.m, most), std::min(size.n, most), std::min(size.k, most)};
}

/// The median of a few runs. Nothing after Ctrl+C.
double seconds_of(const std::function<void()>& multiply) {
  using Clock = std::chrono::steady_clock;
  std::array<double, kRuns> seconds{};
  for (double& each : seconds) {
    if (interrupted()) return 0;
    const auto begin = Clock::now();
    multiply();
    each = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRuns / 2];
}

}  // namespace

double CpuProduct::gflops() const {
  return 2e-9 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k) / seconds;
}

std::vector<CpuProduct> measure_cpu(const kernel::Size& size) {
  CpuProduct plain{"plain loops", 1, at_most(size, kMostOfPlainLoops), 0};
  Matrices matrices(plain.size);
  plain.seconds = seconds_of([&] { plain_loops(plain.size, matrices); });
  std::vector<CpuProduct> products{plain};
  if (const CblasSgemm multiply = find_openblas()) {
    constexpr int kRowMajor = 101, kNoTranspose = 111;  // Of the CBLAS interface.
    CpuProduct blas{"OpenBLAS", std::max(1U, std::thread::hardware_concurrency()), at_most(size, kMostOfOpenBlas), 0};
    Matrices all(blas.size);
    const int m = static_cast<int>(blas.size.m), n = static_cast<int>(blas.size.n), k = static_cast<int>(blas.size.k);
    blas.seconds = seconds_of([&] {
      multiply(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1, all.a.data(), k, all.b.data(), n, 0, all.c.data(), n);
    });
    products.push_back(blas);
  }
  std::erase_if(products, [](const CpuProduct& product) { return product.seconds == 0; });
  return products;
}

std::vector<std::string> cpu_row(const CpuProduct& product) {
  return {"CPU, " + product.name,
          fmt::format("{} x {} x {} on {} thread{}", product.size.m, product.size.n, product.size.k, product.threads,
                      product.threads == 1 ? "" : "s"),
          fmt::format("{:.3f}", 1e3 * product.seconds), fmt::format("{:.1f}", product.gflops())};
}

nlohmann::ordered_json to_json(const CpuProduct& product) {
  return {{"name", product.name}, {"threads", product.threads}, {"m", product.size.m},        {"n", product.size.n},
          {"k", product.size.k},  {"seconds", product.seconds}, {"gflops", product.gflops()}, {"source", "measured"}};
}

}  // namespace tilescope::cli
