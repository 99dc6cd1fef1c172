#pragma once

#include <vector>

#include "agent/gpu.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// A kernel on the GPU with its arguments.
class LoadedKernel {
 public:
  /// `data`: of the request's arrays. Throws Stopped where the driver cannot load it.
  LoadedKernel(Gpu& gpu, const protocol::KernelLaunch& launch, const std::vector<CUdeviceptr>& data);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  void launch() const;

 private:
  Gpu& gpu_;
  const protocol::KernelLaunch& launch_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  std::vector<std::vector<std::byte>> values_;  ///< Of the arguments.
  mutable std::vector<void*> arguments_;
};

}  // namespace tilescope::agent
