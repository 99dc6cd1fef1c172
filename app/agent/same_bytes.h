#pragma once

#include <vector>

#include "agent/baseline.h"
#include "agent/workload.h"

namespace tilescope::agent {

/// A reference kernel, which says what must come out, and a copy of the bytes of all arrays to be timed beside: half of
/// them are read and half written.
class SameBytes : public Baseline {
 public:
  /// The request must have a reference. Throws Stopped: BadRequest for outputs that are not of f32.
  SameBytes(Gpu& gpu, Workload& workload);

  void compute_expected() override;
  /// An element may be off by 2^-9 of the largest of its array.
  double verify() const override;
  bool accumulates() const override;
  std::string choose() override { return "copy of the same bytes"; }
  void run() const override;

 private:
  /// An array that the kernel writes.
  struct Output {
    size_t index = 0;  ///< Among the request's arrays.
    CUdeviceptr expected = 0, magnitude = 0;
  };

  Gpu& gpu_;
  Workload& workload_;
  const protocol::MeasureRequest& request_;
  std::vector<Output> outputs_;
  CUdeviceptr from_ = 0, to_ = 0;
  uint64_t copied_ = 0;  ///< Bytes.
};

}  // namespace tilescope::agent
