/// The device, its properties, and errors.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

constexpr int kVersion = 13000;
constexpr int kWarp = 32;
constexpr int kConstantBytes = 64 << 10;
constexpr size_t kMostPitch = 0x7fffffff;

int as_int(uint64_t value) { return static_cast<int>(std::min<uint64_t>(value, 0x7fffffff)); }

struct ErrorText {
  int number;
  const char *name, *text;
};
constexpr ErrorText kErrors[]{
#define CUDART_ERROR(number, name, text) {number, name, text},
#include "program/errors.def"
#undef CUDART_ERROR
};

const ErrorText* error_text(int number) {
  const auto* at =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const auto& e) { return e.number == number; });
  return at == std::end(kErrors) ? nullptr : at;
}

void fill(const wire::DeviceFacts& device, DeviceProperties& properties) {
  std::memset(&properties, 0, sizeof properties);
  std::memcpy(properties.name, device.name, sizeof device.name);
  std::memcpy(properties.uuid, "tilescope", 9);
  properties.total_global_memory = device.memory_bytes;
  properties.shared_per_block = device.shared_per_block;
  properties.registers_per_block = as_int(device.registers_per_block);
  properties.warp_size = kWarp;
  properties.pitch = kMostPitch;
  properties.threads_per_block = as_int(device.threads_per_block);
  for (int i = 0; i < 3; ++i) {
    properties.max_block[i] = as_int(device.max_block[i]);
    properties.max_grid[i] = as_int(device.max_grid[i]);
  }
  properties.const_memory = kConstantBytes;
  properties.major = as_int(device.capability / 10);
  properties.minor = as_int(device.capability % 10);
  properties.texture_alignment = 512;
  properties.texture_pitch_alignment = 32;
  properties.sms = as_int(device.sms);
  properties.can_map_host_memory = 1;
  properties.surface_alignment = 512;
  properties.concurrent_kernels = 1;
  properties.async_engines = 3;
  properties.unified_addressing = 1;
  properties.memory_bus_width = as_int(device.memory_bus_bits);
  properties.l2_bytes = as_int(device.l2_bytes);
  properties.threads_per_sm = as_int(device.threads_per_sm);
  properties.stream_priorities = 1;
  properties.global_l1 = properties.local_l1 = 1;
  properties.shared_per_sm = device.shared_per_sm;
  properties.registers_per_sm = as_int(device.registers_per_sm);
  properties.managed_memory = 1;
  properties.concurrent_managed_access = 1;
  properties.compute_preemption = 1;
  properties.cooperative_launch = 1;
  properties.shared_per_block_opt_in = device.shared_per_block_opt_in;
  properties.blocks_per_sm = as_int(device.blocks_per_sm);
  properties.shared_reserved_per_block = device.shared_reserved_per_block;
}

/// The value of a cudaDeviceAttr by its number; 0 for anything that the device does not have.
int attribute_of(const wire::DeviceFacts& device, int attribute) {
  switch (attribute) {
    case 1: return as_int(device.threads_per_block);
    case 2:
    case 3:
    case 4: return as_int(device.max_block[attribute - 2]);
    case 5:
    case 6:
    case 7: return as_int(device.max_grid[attribute - 5]);
    case 8: return as_int(device.shared_per_block);
    case 9: return kConstantBytes;
    case 10: return kWarp;
    case 11: return as_int(kMostPitch);
    case 12: return as_int(device.registers_per_block);
    case 13: return as_int(device.clock_khz);
    case 14:
    case 30: return 512;  // Alignment of textures and surfaces.
    case 16: return as_int(device.sms);
    case 36: return as_int(device.memory_clock_khz);
    case 37: return as_int(device.memory_bus_bits);
    case 38: return as_int(device.l2_bytes);
    case 39: return as_int(device.threads_per_sm);
    case 40: return 3;  // Copy engines.
    case 75: return as_int(device.capability / 10);
    case 76: return as_int(device.capability % 10);
    case 81: return as_int(device.shared_per_sm);
    case 82: return as_int(device.registers_per_sm);
    case 97: return as_int(device.shared_per_block_opt_in);
    case 106: return as_int(device.blocks_per_sm);
    case 111: return as_int(device.shared_reserved_per_block);
    case 15:  // Copies beside kernels, mapped host memory, kernels side by side, unified addresses, priorities,
    case 19:  // L1 for global and local memory, managed memory, preemption, cooperative launches.
    case 31:
    case 41:
    case 78:
    case 79:
    case 80:
    case 83:
    case 89:
    case 90:
    case 95: return 1;
    default: return 0;
  }
}

/// The last error of this thread; an error of a kernel is permanent once the program has waited for it.
int error_now() {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  return runtime.sticky() ? runtime.sticky() : last_error();
}

}  // namespace

CUDART_API cudaGetDeviceCount(int* count) {
  return answer([&](Runtime&) -> int {
    *count = 1;
    return wire::Success;
  });
}

CUDART_API cudaGetDevice(int* device) {
  return answer([&](Runtime&) -> int {
    *device = 0;
    return wire::Success;
  });
}

CUDART_API cudaSetDevice(int device) {
  return answer([&](Runtime&) -> int { return device == 0 ? wire::Success : wire::InvalidDevice; });
}
CUDART_API cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
CUDART_API cudaSetDeviceFlags(unsigned) { return wire::Success; }
CUDART_API cudaGetDeviceFlags(unsigned* flags) {
  *flags = 0;
  return wire::Success;
}

CUDART_API cudaChooseDevice(int* device, const DeviceProperties*) { return cudaGetDevice(device); }

CUDART_API cudaGetDeviceProperties(DeviceProperties* properties, int device) {
  return answer([&](Runtime& runtime) -> int {
    if (device != 0) return wire::InvalidDevice;
    fill(runtime.device, *properties);
    return wire::Success;
  });
}

CUDART_API cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return answer([&](Runtime& runtime) -> int {
    if (device != 0) return wire::InvalidDevice;
    *value = attribute_of(runtime.device, attribute);
    return wire::Success;
  });
}

CUDART_API cudaDeviceSynchronize() {
  return answer_waiting([](Runtime& runtime) -> int {
    runtime.host_waits();
    return wire::Success;
  });
}

CUDART_API cudaDeviceReset() {
  return answer_waiting([](Runtime& runtime) -> int {
    runtime.host_waits();
    runtime.memory.free_all();
    return wire::Success;
  });
}

CUDART_API cudaDeviceSetLimit(int, size_t) { return wire::Success; }
CUDART_API cudaDeviceGetLimit(size_t* value, int limit) {
  constexpr size_t kLimits[]{1024, size_t{1} << 20, size_t{8} << 20};  // Stack, printf's buffer, heap, as they start.
  *value = limit >= 0 && limit < 3 ? kLimits[limit] : 0;
  return wire::Success;
}
CUDART_API cudaDeviceSetCacheConfig(int) { return wire::Success; }
CUDART_API cudaDeviceGetCacheConfig(int* configuration) {
  *configuration = 0;
  return wire::Success;
}
CUDART_API cudaDeviceSetSharedMemConfig(int) { return wire::Success; }
CUDART_API cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return wire::Success;
}
CUDART_API cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return wire::Success;
}
CUDART_API cudaDeviceGetPCIBusId(char* text, int length, int) {
  std::snprintf(text, static_cast<size_t>(std::max(length, 0)), "0000:00:00.0");
  return wire::Success;
}

CUDART_API cudaRuntimeGetVersion(int* version) {
  *version = kVersion;
  return wire::Success;
}
CUDART_API cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
CUDART_API cudaProfilerStart() { return wire::Success; }
CUDART_API cudaProfilerStop() { return wire::Success; }
CUDART_API cudaCtxResetPersistingL2Cache() { return wire::Success; }

CUDART_API cudaGetLastError() {
  const int error = error_now();
  last_error() = wire::Success;
  return error;
}
CUDART_API cudaPeekAtLastError() { return error_now(); }

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorName(int error) {
  const ErrorText* known = error_text(error);
  return known ? known->name : "unrecognized error code";
}

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorString(int error) {
  const ErrorText* known = error_text(error);
  return known ? known->text : "unrecognized error code";
}
