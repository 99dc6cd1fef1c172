/// Functions called by nvcc's generated code: registering device code, launching kernels.
#include <algorithm>
#include <cstring>

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

struct CallConfiguration {
  Dim grid, block;
  size_t shared_bytes;
  void* stream;
};
thread_local std::vector<CallConfiguration> configurations;

/// `cluster`: the launch's, or 0 blocks for the kernel's own.
int launch_on(const void* handle, Dim grid, Dim block, void** arguments, size_t shared_bytes, void* stream,
              bool cooperative, Dim cluster = {0, 0, 0}) {
  return answer([&](Runtime& runtime) {
    PreparedLaunch launch;
    if (const int problem = runtime.prepare(handle, grid, block, arguments, shared_bytes, cooperative, launch))
      return problem;
    const uint32_t blocks[] = {cluster.x, cluster.y, cluster.z};
    std::copy_n(blocks, 3, launch.request.cluster);
    return runtime.enqueue(stream, [&runtime, launch] { return runtime.launch(launch); });
  });
}

std::string_view fat_binary_of(const FatBinaryWrapper& wrapper) {
  constexpr int kWrapperMagic = 0x466243b1;
  if (wrapper.magic != kWrapperMagic || !wrapper.data) return {};
  // Magic (4 bytes), version (2), bytes of this header (2), bytes of what follows (8).
  uint16_t header_bytes = 0;
  uint64_t rest = 0;
  std::memcpy(&header_bytes, static_cast<const char*>(wrapper.data) + 6, sizeof header_bytes);
  std::memcpy(&rest, static_cast<const char*>(wrapper.data) + 8, sizeof rest);
  return {static_cast<const char*>(wrapper.data), header_bytes + rest};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const auto& fat_binary = *static_cast<const FatBinaryWrapper*>(wrapper);
  return reinterpret_cast<void**>(runtime.add_binary(fat_binary_of(fat_binary)));
}

extern "C" __attribute__((visibility("default"))) void __cudaRegisterFatBinaryEnd(void**) {}
extern "C" __attribute__((visibility("default"))) void __cudaUnregisterFatBinary(void**) {}

extern "C" __attribute__((visibility("default"))) char __cudaInitModule(void** binary) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.place_managed(reinterpret_cast<const Binary*>(binary));
  return 1;
}

extern "C" __attribute__((visibility("default"))) void __cudaRegisterFunction(void** binary, const char* host, char*,
                                                                              const char* name, int, void*, void*,
                                                                              void*, void*, int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.add_kernel(host, reinterpret_cast<const Binary*>(binary), name);
}

extern "C" __attribute__((visibility("default"))) void __cudaRegisterVar(void** binary, char* host, char*,
                                                                         const char* name, int, size_t bytes, int,
                                                                         int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.add_variable(host, {reinterpret_cast<const Binary*>(binary), name, nullptr, 0, bytes});
}

extern "C" __attribute__((visibility("default"))) void __cudaRegisterManagedVar(void** binary, void** host, char*,
                                                                                const char* name, int, size_t bytes,
                                                                                int, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.add_variable(host, {reinterpret_cast<const Binary*>(binary), name, host, 0, bytes});
}

extern "C" __attribute__((visibility("default"))) unsigned __cudaPushCallConfiguration(Dim grid, Dim block,
                                                                                       size_t shared_bytes,
                                                                                       void* stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  Runtime::get().launch_site = __builtin_return_address(0);
  return 0;
}

CUDART_API __cudaPopCallConfiguration(Dim* grid, Dim* block, size_t* shared_bytes, void** stream) {
  if (configurations.empty()) return wire::InvalidConfiguration;
  const CallConfiguration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *stream = last.stream;
  return wire::Success;
}

CUDART_API __cudaGetKernel(const void** kernel, const void* host) {
  // Called once, before the first launch: earlier errors must not make it fail.
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  *kernel = runtime.kernel(host);
  return *kernel ? wire::Success : wire::InvalidDeviceFunction;
}

CUDART_API cudaGetKernel(const void** kernel, const void* host) { return __cudaGetKernel(kernel, host); }

CUDART_API cudaGetFuncBySymbol(const void** function, const void* host) { return __cudaGetKernel(function, host); }

CUDART_API __cudaLaunchKernel(const void* kernel, Dim grid, Dim block, void** arguments, size_t shared_bytes,
                              void* stream) {
  return launch_on(kernel, grid, block, arguments, shared_bytes, stream, false);
}

CUDART_API cudaLaunchKernel(const void* host, Dim grid, Dim block, void** arguments, size_t shared_bytes,
                            void* stream) {
  return launch_on(host, grid, block, arguments, shared_bytes, stream, false);
}

CUDART_API cudaLaunchCooperativeKernel(const void* host, Dim grid, Dim block, void** arguments, size_t shared_bytes,
                                       void* stream) {
  return launch_on(host, grid, block, arguments, shared_bytes, stream, true);
}

CUDART_API cudaLaunchKernelExC(const LaunchConfiguration* configuration, const void* host, void** arguments) {
  bool cooperative = false;
  Dim cluster{0, 0, 0};
  for (unsigned i = 0; i < configuration->attribute_count; ++i) {
    const LaunchAttribute& attribute = configuration->attributes[i];
    if (attribute.id == kCooperative) cooperative = attribute.value.cooperative != 0;
    if (attribute.id == kClusterDimension) cluster = attribute.value.cluster;
  }
  return launch_on(host, configuration->grid, configuration->block, arguments, configuration->dynamic_shared_bytes,
                   configuration->stream, cooperative, cluster);
}

CUDART_API cudaFuncGetAttributes(FunctionAttributes* attributes, const void* host) {
  return answer([&](Runtime& runtime) -> int {
    Kernel* kernel = runtime.kernel(host);
    if (!kernel) return wire::InvalidDeviceFunction;
    if (const int problem = runtime.facts_of(*kernel)) return problem;
    const wire::KernelFacts& facts = *kernel->facts;
    *attributes = {};
    attributes->shared_bytes = facts.static_shared_bytes;
    attributes->max_threads = static_cast<int>(facts.max_threads);
    attributes->registers = static_cast<int>(facts.registers);
    attributes->ptx_version = static_cast<int>(facts.ptx_version);
    attributes->binary_version = static_cast<int>(runtime.device.capability);
    attributes->max_dynamic_shared_bytes =
        static_cast<int>(kernel->dynamic_shared_allowed ? kernel->dynamic_shared_allowed
                                                        : runtime.device.shared_per_block - facts.static_shared_bytes);
    attributes->carveout = -1;
    return wire::Success;
  });
}

CUDART_API cudaFuncSetAttribute(const void* host, int attribute, int value) {
  constexpr int kMaxDynamicSharedBytes = 8;
  return answer([&](Runtime& runtime) -> int {
    Kernel* kernel = runtime.kernel(host);
    if (!kernel) return wire::InvalidDeviceFunction;
    if (attribute != kMaxDynamicSharedBytes) return wire::Success;
    if (const int problem = runtime.facts_of(*kernel)) return problem;
    if (value < 0 || uint64_t(value) + kernel->facts->static_shared_bytes > runtime.device.shared_per_block_opt_in)
      return wire::InvalidValue;
    kernel->dynamic_shared_allowed = static_cast<uint64_t>(value);
    return wire::Success;
  });
}

CUDART_API cudaFuncSetCacheConfig(const void*, int) { return wire::Success; }
CUDART_API cudaFuncSetSharedMemConfig(const void*, int) { return wire::Success; }

CUDART_API cudaFuncGetName(const char** name, const void* host) {
  return answer([&](Runtime& runtime) -> int {
    const Kernel* kernel = runtime.kernel(host);
    if (!kernel) return wire::InvalidDeviceFunction;
    *name = kernel->name.c_str();
    return wire::Success;
  });
}

CUDART_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int threads,
                                                                  size_t shared_bytes, unsigned) {
  return answer([&](Runtime& runtime) -> int {
    Kernel* kernel = runtime.kernel(host);
    if (!kernel) return wire::InvalidDeviceFunction;
    if (const int problem = runtime.facts_of(*kernel)) return problem;
    if (threads <= 0) return wire::InvalidValue;
    const wire::OccupancyQuestion question{{kernel->binary->number, static_cast<uint32_t>(kernel->name.size())},
                                           static_cast<uint64_t>(threads),
                                           shared_bytes};
    uint32_t fit = 0;
    if (!runtime.channel.send(wire::Kind::Occupancy, bytes_of(question), kernel->name) ||
        !runtime.channel.receive(&fit, sizeof fit))
      return wire::NoDevice;
    *blocks = static_cast<int>(fit);
    return wire::Success;
  });
}

CUDART_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                         size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, shared_bytes, 0);
}
