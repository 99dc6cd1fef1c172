#include "measure/cpu_product.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include <dlfcn.h>

namespace tilescope::measure {
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

/// cblas_sgemm of OpenBLAS, looked up at the first call; null if it is not installed. The library stays loaded: its
/// threads do not survive unloading.
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

/// The median of a few runs; 0 if cancelled.
double seconds_of(const std::function<void()>& multiply, const std::atomic<bool>& cancel) {
  using Clock = std::chrono::steady_clock;
  std::array<double, kRuns> seconds{};
  for (double& each : seconds) {
    if (cancel) return 0;
    const auto begin = Clock::now();
    multiply();
    each = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kRuns / 2];
}

}  // namespace

std::vector<store::CpuProduct> measure_cpu(const kernel::Size& size, const std::atomic<bool>& cancel) {
  const kernel::Size part = at_most(size, kMostOfPlainLoops);
  store::CpuProduct plain{"plain loops", 1, part.m, part.n, part.k, 0};
  Matrices matrices(part);
  plain.seconds = seconds_of([&] { plain_loops(part, matrices); }, cancel);
  std::vector<store::CpuProduct> products{plain};
  if (const CblasSgemm multiply = find_openblas()) {
    constexpr int kRowMajor = 101, kNoTranspose = 111;  // Of the CBLAS interface.
    const kernel::Size most = at_most(size, kMostOfOpenBlas);
    store::CpuProduct blas{"OpenBLAS", std::max(1U, std::thread::hardware_concurrency()), most.m, most.n, most.k, 0};
    Matrices all(most);
    const int m = static_cast<int>(most.m), n = static_cast<int>(most.n), k = static_cast<int>(most.k);
    blas.seconds = seconds_of(
        [&] {
          multiply(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1, all.a.data(), k, all.b.data(), n, 0, all.c.data(),
                   n);
        },
        cancel);
    products.push_back(blas);
  }
  std::erase_if(products, [](const store::CpuProduct& product) { return product.seconds == 0; });
  return products;
}

}  // namespace tilescope::measure
