#pragma once

#include <cstddef>
#include <cstdint>

/// The types of the CUDA runtime 13 as a program built by nvcc passes them: the layouts of driver_types.h under our own
/// names, so that building the stand-in needs no toolkit. tests/program compares them with the toolkit's.
namespace tilescope::cudart {

struct Dim {
  unsigned x, y, z;
};

/// cudaExtent, cudaPos
struct Extent {
  size_t width, height, depth;
};

/// cudaPitchedPtr
struct PitchedPointer {
  void* pointer;
  size_t pitch, width, height;
};

/// cudaMemcpy3DParms
struct Copy3D {
  void* source_array;
  Extent source_position;
  PitchedPointer source;
  void* target_array;
  Extent target_position;
  PitchedPointer target;
  Extent extent;
  int kind;
};

/// cudaMemcpyKind
enum CopyKind : int { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, AnyDirection };

/// cudaPointerAttributes
struct PointerAttributes {
  int type;  ///< 0 unregistered, 1 host, 2 device, 3 managed
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

/// cudaFuncAttributes
struct FunctionAttributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes, carveout;
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
  int reserved[16];
};

/// cudaLaunchAttribute
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int cooperative;
    Dim cluster;
  } value;
};
enum LaunchAttributeId : int { kCooperative = 2, kClusterDimension = 4 };

/// cudaLaunchConfig_t
struct LaunchConfiguration {
  Dim grid, block;
  size_t dynamic_shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The argument of __cudaRegisterFatBinary: fatbinary_section.h.
struct FatBinaryWrapper {
  int magic, version;
  const void* data;
  void* prelinked;
};

/// cudaDeviceProp
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_mask;
  size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  size_t pitch;
  int threads_per_block, max_block[3], max_grid[3];
  size_t const_memory;
  int major, minor;
  size_t texture_alignment, texture_pitch_alignment;
  int sms, integrated, can_map_host_memory;
  int textures_and_surfaces[39];  ///< maxTexture1D to maxSurfaceCubemapLayered: not supported.
  size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
  int memory_bus_width, l2_bytes, persisting_l2_bytes, threads_per_sm, stream_priorities, global_l1, local_l1;
  size_t shared_per_sm;
  int registers_per_sm, managed_memory, multi_gpu_board, multi_gpu_group, host_atomics, pageable_access,
      concurrent_managed_access, compute_preemption, host_pointer_for_registered, cooperative_launch;
  size_t shared_per_block_opt_in;
  int pageable_uses_host_tables, managed_from_host, blocks_per_sm, access_policy_bytes;
  size_t shared_reserved_per_block;
  int host_register, sparse_arrays, read_only_host_register, timeline_semaphores, memory_pools, direct_rdma;
  unsigned direct_rdma_flush;
  int direct_rdma_ordering;
  unsigned pool_handle_types;
  int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps, host_numa;
  unsigned gpu_pci_device, gpu_pci_subsystem;
  int host_numa_ipc;
  int reserved[56];
};

}  // namespace tilescope::cudart
