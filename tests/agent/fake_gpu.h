#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "agent/cublas.h"
#include "agent/cuda_driver.h"

namespace tilescope::agent {

/// What stands in for a GPU with its driver and cuBLAS: nothing runs, every call that matters is written down.
struct FakeGpu {
  std::vector<std::string> calls;   ///< "launch", "capture_begin", ...
  std::vector<size_t> allocations;  ///< Bytes.
  std::set<CUdeviceptr> released;
  size_t memory = size_t{1} << 40;  ///< The largest allocation that succeeds.
  CUresult state = CUDA_SUCCESS;    ///< Of the work that is waited for.
  CUresult instantiated = CUDA_SUCCESS;
  int capability = 90;

  size_t count(const std::string& call) const {
    return static_cast<size_t>(std::count(calls.begin(), calls.end(), call));
  }
};

/// The one that the functions below write to.
inline FakeGpu*& current_gpu() {
  static FakeGpu* gpu = nullptr;
  return gpu;
}

inline CUresult said(const char* call) {
  current_gpu()->calls.emplace_back(call);
  return CUDA_SUCCESS;
}

/// A function of any signature that succeeds.
template <class Return, class... Arguments>
void succeed(Return (*&function)(Arguments...)) {
  function = [](Arguments...) { return Return{}; };
}

inline Driver fake_driver() {
  Driver driver;
#define TILESCOPE_SUCCEED(member, symbol, declaration) succeed(driver.member);
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_SUCCEED)
#undef TILESCOPE_SUCCEED
  driver.error_string = [](CUresult, const char** text) { return *text = "it failed", CUDA_SUCCESS; };
  driver.error_name = [](CUresult, const char** name) { return *name = "FAKE", CUDA_SUCCESS; };
  driver.device_attribute = [](int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? current_gpu()->capability / 10 : 1 << 20;
    return CUDA_SUCCESS;
  };
  driver.allocate = [](CUdeviceptr* data, size_t bytes) {
    FakeGpu& gpu = *current_gpu();
    if (bytes > gpu.memory) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu.allocations.push_back(bytes);
    *data = 4096 * gpu.allocations.size();
    return CUDA_SUCCESS;
  };
  driver.release = [](CUdeviceptr data) { return current_gpu()->released.insert(data), CUDA_SUCCESS; };
  driver.event_query = [](CUevent) { return current_gpu()->state; };
  driver.launch = [](CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**,
                     void**) { return said("launch"); };
  driver.capture_begin = [](CUstream, CUstreamCaptureMode) { return said("capture_begin"); };
  driver.capture_end = [](CUstream, CUgraph*) { return said("capture_end"); };
  driver.graph_instantiate = [](CUgraphExec* graph, CUgraph, unsigned long long) {
    *graph = reinterpret_cast<CUgraphExec>(1);
    return said("graph_instantiate"), current_gpu()->instantiated;
  };
  driver.graph_destroy = [](CUgraph) { return said("graph_destroy"); };
  driver.graph_launch = [](CUgraphExec, CUstream) { return said("graph_launch"); };
  driver.graph_exec_destroy = [](CUgraphExec) { return said("graph_exec_destroy"); };
  return driver;
}

inline Cublas fake_cublas() {
  Cublas cublas;
#define TILESCOPE_SUCCEED(member, symbol, declaration) succeed(cublas.member);
  TILESCOPE_CUBLAS_FUNCTIONS(TILESCOPE_SUCCEED)
  TILESCOPE_CUBLASLT_FUNCTIONS(TILESCOPE_SUCCEED)
#undef TILESCOPE_SUCCEED
  succeed(cublas.gemm);
  return cublas;
}

}  // namespace tilescope::agent
