#pragma once

#include <vector>

#include "agent/gpu.h"
#include "agent/reference.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// One request on the GPU: its module, its arrays, and cuBLAS's result for the same inputs.
class Workload {
 public:
  /// Loads the cubin, fills the inputs, poisons C. Throws Stopped: BadRequest for what is not C = alpha A B + beta C with
  /// arrays named A, B and C of the types that the request's precision has.
  Workload(Gpu& gpu, const protocol::MeasureRequest& request);
  ~Workload();
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// The product as cuBLAS is timed with it: on the request's inputs, in its precision, into a buffer of its own.
  const Gemm& gemm() const { return timed_; }
  /// Computes what C must be, with sums in FP32 and A and B as they are, and how far rounding may take it from there.
  void compute_expected();
  /// Restores C as before the first launch: NaN, or its input values.
  void reset_c();
  void launch() const;
  /// Whether C is right; throws Wrong with the first wrong element. Returns the worst ratio of error to bound. Waits.
  double verify() const;
  /// The kernel adds to what C held: only its first launch can be verified.
  bool accumulates() const { return request_.beta != 0 || array("C").initial; }

 private:
  const protocol::ArrayArgument& array(const char* name) const;
  CUdeviceptr data_of(const char* name) const;
  void check_shapes() const;
  void place_arrays();
  void start(size_t index);
  void load();
  void pack_arguments();

  Gpu& gpu_;
  const protocol::MeasureRequest& request_;
  uint64_t seed_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::vector<CUdeviceptr> data_;
  std::vector<std::vector<std::byte>> values_;  ///< Of the arguments.
  mutable std::vector<void*> arguments_;
  Gemm expected_, timed_;
  CUdeviceptr magnitude_ = 0;
};

}  // namespace tilescope::agent
