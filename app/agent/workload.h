#pragma once

#include <optional>
#include <vector>

#include "agent/gpu.h"
#include "agent/loaded_kernel.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// One request on the GPU: its kernel and its arrays.
class Workload {
 public:
  /// Loads the cubin, fills the inputs, poisons the outputs. Throws Stopped: BadRequest for inputs that cannot be
  /// filled.
  Workload(Gpu& gpu, const protocol::MeasureRequest& request);

  const protocol::MeasureRequest& request() const { return request_; }
  const std::vector<CUdeviceptr>& data() const { return data_; }  ///< Of the request's arrays.
  void launch() const { kernel_->launch(); }
  /// Restores what the kernel writes as it was before the first launch: NaN, or its input values.
  void reset_outputs();
  /// Writes at `data` what the array of this index holds before the first launch.
  void start(size_t index, CUdeviceptr data);
  /// Writes an input's values: they depend on the array's name and on the request's seed alone.
  void fill(CUdeviceptr data, const protocol::ArrayArgument& array);

 private:
  void place_arrays();
  void start(size_t index);

  Gpu& gpu_;
  const protocol::MeasureRequest& request_;
  uint64_t seed_;
  std::vector<CUdeviceptr> data_;
  std::optional<LoadedKernel> kernel_;
};

/// The driver sets memory by words of four bytes.
constexpr uint64_t whole_words(uint64_t bytes) { return bytes < 4 ? 4 : (bytes + 3) / 4 * 4; }

}  // namespace tilescope::agent
