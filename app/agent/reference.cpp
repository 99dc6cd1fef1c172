#include "agent/reference.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace tilescope::agent {
namespace {

constexpr int kMostProposals = 8;
constexpr int kRepeats = 3;
constexpr double kCublasLimit = 60;         // Seconds for one of cuBLAS's own kernels.
constexpr double kNotWorthMore = 1.3;  // A first run this much slower than the best is not repeated.

// cuBLAS is column-major, where a row-major matrix is its transpose: C^T = B^T A^T.
template <class T>
T* pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace

void run_gemm_ex(const Gpu& gpu, const Gemm& g) {
  const cublasStatus_t status = gpu.cublas().gemm(
      gpu.blas(), CUBLAS_OP_N, CUBLAS_OP_N, static_cast<int>(g.n), static_cast<int>(g.m), static_cast<int>(g.k),
      &g.alpha, pointer<const void>(g.b), g.input, static_cast<int>(g.b_stride), pointer<const void>(g.a), g.input,
      static_cast<int>(g.a_stride), &g.beta, pointer<void>(g.c), g.output, static_cast<int>(g.n), g.compute,
      CUBLAS_GEMM_DEFAULT);
  gpu.check(status, "cublasGemmEx");
}

Reference::Reference(Gpu& gpu, const Gemm& gemm) : gpu_(gpu) {
  ask_heuristic(gemm);
  double best_time = best_time_of(0, gemm, std::numeric_limits<double>::infinity());
  for (size_t way = 1; way <= proposals_.size(); ++way) {
    const double time = try_proposal(way, gemm, best_time);
    if (time >= best_time) continue;
    best_time = time;
    best_ = way;
  }
}

double Reference::best_time_of(size_t way, const Gemm& gemm, double to_beat) {
  time_way(way, gemm);  // Warms it up.
  double time = time_way(way, gemm);
  for (int i = 1; i < kRepeats && time < kNotWorthMore * to_beat; ++i) time = std::min(time, time_way(way, gemm));
  return time;
}

// A proposal of the heuristic may still be refused when it is run: then infinity.
double Reference::try_proposal(size_t way, const Gemm& gemm, double to_beat) {
  try {
    return best_time_of(way, gemm, to_beat);
  } catch (const Stopped&) {
    if (gpu_.is_lost()) throw;
    return std::numeric_limits<double>::infinity();
  }
}

Reference::~Reference() {
  const Cublas& cublas = gpu_.cublas();
  for (cublasLtMatrixLayout_t layout : {a_, b_, c_})
    if (layout) cublas.lt_layout_destroy(layout);
  if (product_) cublas.lt_desc_destroy(product_);
}

void Reference::ask_heuristic(const Gemm& g) {
  const Cublas& cublas = gpu_.cublas();
  constexpr const char* kWhat = "asking cuBLASLt's heuristic";
  gpu_.check(cublas.lt_desc_create(&product_, g.compute, CUDA_R_32F), kWhat);
  gpu_.check(cublas.lt_layout_create(&b_, g.input, g.n, g.k, static_cast<int64_t>(g.b_stride)), kWhat);
  gpu_.check(cublas.lt_layout_create(&a_, g.input, g.k, g.m, static_cast<int64_t>(g.a_stride)), kWhat);
  gpu_.check(cublas.lt_layout_create(&c_, g.output, g.n, g.m, static_cast<int64_t>(g.n)), kWhat);
  cublasLtMatmulPreference_t preference = nullptr;
  gpu_.check(cublas.lt_preference_create(&preference), kWhat);
  const size_t workspace = Gpu::kWorkspaceBytes;
  cublas.lt_preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
  proposals_.resize(kMostProposals);
  int count = 0;
  const cublasStatus_t status = cublas.lt_heuristic(gpu_.blas_lt(), product_, b_, a_, c_, c_, preference,
                                                    kMostProposals, proposals_.data(), &count);
  cublas.lt_preference_destroy(preference);
  // Without a proposal cublasGemmEx is the reference.
  proposals_.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<size_t>(count) : 0);
}

void Reference::run_way(size_t way, const Gemm& g) const {
  if (way == 0) return run_gemm_ex(gpu_, g);
  const cublasStatus_t status = gpu_.cublas().lt_matmul(
      gpu_.blas_lt(), product_, &g.alpha, pointer<const void>(g.b), b_, pointer<const void>(g.a), a_, &g.beta,
      pointer<const void>(g.c), c_, pointer<void>(g.c), c_, &proposals_[way - 1].algo, pointer<void>(gpu_.workspace()),
      Gpu::kWorkspaceBytes, gpu_.stream());
  gpu_.check(status, "cublasLtMatmul");
}

double Reference::time_way(size_t way, const Gemm& gemm) {
  gpu_.flush_l2();
  gpu_.mark_start(0);
  run_way(way, gemm);
  gpu_.mark_end(0);
  gpu_.wait(kCublasLimit);
  return gpu_.seconds_between(0, 0);
}

std::string Reference::name() const {
  return best_ == 0 ? "cublasGemmEx" : fmt::format("cublasLt heuristic {}", best_);
}

}  // namespace tilescope::agent
