#pragma once

#include <cuda.h>

#include <string>

#include "base/result.h"

namespace tilescope::agent {

// Member, symbol in libcuda, and the declaration whose type it has. Symbols are named outright: the header's macros may
// name versions that older drivers do not have.
#define TILESCOPE_DRIVER_FUNCTIONS(X)                                    \
  X(init, "cuInit", cuInit)                                              \
  X(driver_version, "cuDriverGetVersion", cuDriverGetVersion)            \
  X(error_name, "cuGetErrorName", cuGetErrorName)                        \
  X(error_string, "cuGetErrorString", cuGetErrorString)                  \
  X(device_count, "cuDeviceGetCount", cuDeviceGetCount)                  \
  X(device_get, "cuDeviceGet", cuDeviceGet)                              \
  X(device_name, "cuDeviceGetName", cuDeviceGetName)                     \
  X(device_uuid, "cuDeviceGetUuid", cuDeviceGetUuid)                     \
  X(device_attribute, "cuDeviceGetAttribute", cuDeviceGetAttribute)      \
  X(device_memory, "cuDeviceTotalMem_v2", cuDeviceTotalMem)              \
  X(context_retain, "cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain) \
  X(context_set, "cuCtxSetCurrent", cuCtxSetCurrent)                     \
  X(context_limit, "cuCtxSetLimit", cuCtxSetLimit)                       \
  X(module_load, "cuModuleLoadData", cuModuleLoadData)                   \
  X(module_unload, "cuModuleUnload", cuModuleUnload)                     \
  X(module_function, "cuModuleGetFunction", cuModuleGetFunction)         \
  X(function_set, "cuFuncSetAttribute", cuFuncSetAttribute)              \
  X(launch, "cuLaunchKernel", cuLaunchKernel)                            \
  X(launch_cooperative, "cuLaunchCooperativeKernel", cuLaunchCooperativeKernel) \
  X(allocate, "cuMemAlloc_v2", cuMemAlloc)                               \
  X(release, "cuMemFree_v2", cuMemFree)                                  \
  X(set_words, "cuMemsetD32Async", cuMemsetD32Async)                     \
  X(copy, "cuMemcpyDtoDAsync_v2", cuMemcpyDtoDAsync)                     \
  X(copy_out, "cuMemcpyDtoH_v2", cuMemcpyDtoH)                           \
  X(stream_create, "cuStreamCreate", cuStreamCreate)                     \
  X(capture_begin, "cuStreamBeginCapture_v2", cuStreamBeginCapture)      \
  X(capture_end, "cuStreamEndCapture", cuStreamEndCapture)               \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags) \
  X(graph_launch, "cuGraphLaunch", cuGraphLaunch)                        \
  X(graph_destroy, "cuGraphDestroy", cuGraphDestroy)                     \
  X(graph_exec_destroy, "cuGraphExecDestroy", cuGraphExecDestroy)        \
  X(event_create, "cuEventCreate", cuEventCreate)                        \
  X(event_record, "cuEventRecord", cuEventRecord)                        \
  X(event_query, "cuEventQuery", cuEventQuery)                           \
  X(event_elapsed, "cuEventElapsedTime", cuEventElapsedTime)

/// The CUDA driver, opened when the agent runs: it starts on machines that have none.
struct Driver {
#define TILESCOPE_MEMBER(member, symbol, declaration) decltype(&::declaration) member = nullptr;
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER
  /// Null before CUDA 12.0.
  decltype(&::cuTensorMapEncodeTiled) encode_tensor_map = nullptr;

  /// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
  std::string explain(CUresult result) const;
};

/// Opens libcuda and initialises it. The error says what is missing.
Result<Driver> load_driver();

/// "580.159.04", from NVML; else the CUDA version that the driver supports, "CUDA 13.0".
std::string driver_version(const Driver& driver);

}  // namespace tilescope::agent
