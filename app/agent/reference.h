#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/gpu.h"

namespace tilescope::agent {

/// A product in row-major order: C (m x n, dense) = alpha A B + beta C.
struct Gemm {
  uint64_t m = 0, n = 0, k = 0;
  uint64_t a_stride = 0, b_stride = 0;
  cudaDataType input = CUDA_R_32F, output = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;  ///< Or CUBLAS_COMPUTE_32F_FAST_TF32.
  float alpha = 1, beta = 0;
  CUdeviceptr a = 0, b = 0, c = 0;
};

/// cublasGemmEx with the product's types; sums are FP32.
void run_gemm_ex(const Gpu& gpu, const Gemm& gemm);

/// The fastest of cuBLAS's methods for one product: cublasGemmEx, and what cuBLASLt's heuristic proposes.
class Reference {
 public:
  /// Times the ways once and keeps the fastest. Waits.
  Reference(Gpu& gpu, const Gemm& gemm);
  ~Reference();
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  /// Of the same extents, strides and types as the one it was made for.
  void run(const Gemm& gemm) const { run_way(best_, gemm); }
  /// "cublasGemmEx", "cublasLt heuristic 2"
  std::string name() const;

 private:
  void ask_heuristic(const Gemm& gemm);
  void run_way(size_t way, const Gemm& gemm) const;
  double best_time_of(size_t way, const Gemm& gemm, double to_beat);
  double try_proposal(size_t way, const Gemm& gemm, double to_beat);
  double time_way(size_t way, const Gemm& gemm);

  Gpu& gpu_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> proposals_;
  size_t best_ = 0;  ///< 0: cublasGemmEx; i: proposal i.
};

}  // namespace tilescope::agent
