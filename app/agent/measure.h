#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "agent/baseline.h"
#include "agent/gpu.h"
#include "agent/reference.h"
#include "agent/workload.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// How the server observes and stops a request.
struct Supervision {
  std::function<void(protocol::Phase phase, size_t samples)> progress;
  std::function<bool()> cancelled;
};

/// Serves measure requests on one GPU; remembers which of cuBLAS's methods was fastest for a size.
class Measuring {
 public:
  Measuring(const Driver& driver, const Cublas& cublas, int device) : gpu_(driver, cublas, device) {}

  /// Checks the kernel's result, then times it beside its baseline. Throws Stopped.
  protocol::MeasureReply measure(const protocol::MeasureRequest& request, const Supervision& watch);

 private:
  using Extents = std::array<uint64_t, 8>;  ///< And types.
  const Reference& reference_for(const Gemm& gemm);
  std::unique_ptr<Baseline> baseline_for(Workload& workload);

  Gpu gpu_;
  std::map<Extents, std::unique_ptr<Reference>> references_;
};

}  // namespace tilescope::agent
