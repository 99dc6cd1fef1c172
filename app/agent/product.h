#pragma once

#include <functional>

#include "agent/baseline.h"
#include "agent/reference.h"
#include "agent/workload.h"

namespace tilescope::agent {

/// cuBLAS, for C = alpha A B + beta C.
class Product : public Baseline {
 public:
  /// `reference_for`: the fastest of cuBLAS's methods for a product. Throws Stopped: BadRequest without arrays named A,
  /// B and C of the types that the request's precision has.
  Product(Gpu& gpu, Workload& workload, std::function<const Reference&(const Gemm&)> reference_for);

  /// With sums in FP32 and A and B as they are, and how far rounding may take C from there.
  void compute_expected() override;
  double verify() const override;
  bool accumulates() const override { return request_.beta != 0 || array("C").initial; }
  std::string choose() override;
  void run() const override { reference_->run(timed_); }
  /// As it is timed: on the request's inputs, in its precision, into a buffer of its own.
  const Gemm& gemm() const { return timed_; }

 private:
  const protocol::ArrayArgument& array(const char* name) const;
  CUdeviceptr data_of(const char* name) const;
  void check_shapes() const;

  Gpu& gpu_;
  Workload& workload_;
  const protocol::MeasureRequest& request_;
  std::function<const Reference&(const Gemm&)> reference_for_;
  const Reference* reference_ = nullptr;
  Gemm expected_, timed_;
  CUdeviceptr magnitude_ = 0;
};

}  // namespace tilescope::agent
