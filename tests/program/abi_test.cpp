/// The layouts of app/cudart/abi.h against the toolkit's headers, where there are any.
#include <gtest/gtest.h>

#ifdef TILESCOPE_CUDA_HEADERS
#include <cuda_runtime_api.h>

#include "cudart/abi.h"

namespace tilescope::cudart {
namespace {

#define SAME_PLACE(mine, my_member, theirs, their_member) \
  static_assert(offsetof(mine, my_member) == offsetof(theirs, their_member))

static_assert(sizeof(Dim) == sizeof(dim3) && sizeof(Extent) == sizeof(cudaExtent) && sizeof(Extent) == sizeof(cudaPos));
static_assert(sizeof(PitchedPointer) == sizeof(cudaPitchedPtr));
static_assert(sizeof(Copy3D) == sizeof(cudaMemcpy3DParms));
SAME_PLACE(Copy3D, target, cudaMemcpy3DParms, dstPtr);
SAME_PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
static_assert(sizeof(PointerAttributes) == sizeof(cudaPointerAttributes));
SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
static_assert(sizeof(FunctionAttributes) == sizeof(cudaFuncAttributes));
SAME_PLACE(FunctionAttributes, max_threads, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
static_assert(sizeof(LaunchAttribute) == sizeof(cudaLaunchAttribute));
SAME_PLACE(LaunchAttribute, value, cudaLaunchAttribute, val);
static_assert(sizeof(LaunchConfiguration) == sizeof(cudaLaunchConfig_t));
SAME_PLACE(LaunchConfiguration, attribute_count, cudaLaunchConfig_t, numAttrs);
static_assert(kCooperative == int{cudaLaunchAttributeCooperative});
static_assert(kClusterDimension == int{cudaLaunchAttributeClusterDimension});
#if CUDART_VERSION >= 13000 && CUDART_VERSION < 14000
static_assert(sizeof(DeviceProperties) == sizeof(cudaDeviceProp));
SAME_PLACE(DeviceProperties, total_global_memory, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(DeviceProperties, major, cudaDeviceProp, major);
SAME_PLACE(DeviceProperties, sms, cudaDeviceProp, multiProcessorCount);
SAME_PLACE(DeviceProperties, surface_alignment, cudaDeviceProp, surfaceAlignment);
SAME_PLACE(DeviceProperties, memory_bus_width, cudaDeviceProp, memoryBusWidth);
SAME_PLACE(DeviceProperties, l2_bytes, cudaDeviceProp, l2CacheSize);
SAME_PLACE(DeviceProperties, shared_per_sm, cudaDeviceProp, sharedMemPerMultiprocessor);
SAME_PLACE(DeviceProperties, cooperative_launch, cudaDeviceProp, cooperativeLaunch);
SAME_PLACE(DeviceProperties, shared_per_block_opt_in, cudaDeviceProp, sharedMemPerBlockOptin);
SAME_PLACE(DeviceProperties, blocks_per_sm, cudaDeviceProp, maxBlocksPerMultiProcessor);
SAME_PLACE(DeviceProperties, memory_pools, cudaDeviceProp, memoryPoolsSupported);
SAME_PLACE(DeviceProperties, host_numa_ipc, cudaDeviceProp, hostNumaMultinodeIpcSupported);
#endif

struct Row {
  int number;
  const char *name, *text;
};
constexpr Row kRows[]{
#define CUDART_ERROR(number, name, text) {number, name, text},
#include "program/errors.def"
#undef CUDART_ERROR
};

TEST(Abi, NumbersOfErrorsAreTheToolkits) {
  EXPECT_EQ(kRows[0].number, cudaSuccess);
  const auto number = [](const std::string& name) {
    for (const Row& row : kRows)
      if (row.name == name) return row.number;
    return -1;
  };
  EXPECT_EQ(number("cudaErrorMemoryAllocation"), cudaErrorMemoryAllocation);
  EXPECT_EQ(number("cudaErrorInvalidConfiguration"), cudaErrorInvalidConfiguration);
  EXPECT_EQ(number("cudaErrorInvalidDeviceFunction"), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(number("cudaErrorInvalidPtx"), cudaErrorInvalidPtx);
  EXPECT_EQ(number("cudaErrorIllegalAddress"), cudaErrorIllegalAddress);
  EXPECT_EQ(number("cudaErrorLaunchTimeout"), cudaErrorLaunchTimeout);
  EXPECT_EQ(number("cudaErrorAssert"), cudaErrorAssert);
  EXPECT_EQ(number("cudaErrorCooperativeLaunchTooLarge"), cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(number("cudaErrorNotSupported"), cudaErrorNotSupported);
}

}  // namespace
}  // namespace tilescope::cudart
#else
TEST(Abi, NumbersOfErrorsAreTheToolkits) { GTEST_SKIP() << "there are no headers of the toolkit"; }
#endif
