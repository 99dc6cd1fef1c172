/// Memory and copies.
#include <chrono>

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

/// What copies from there to there.
Engine engine_of(const void* target, const void* source) {
  if (Memory::is_on_device(target) == Memory::is_on_device(source)) return Engine::Sms;
  return Memory::is_on_device(target) ? Engine::ToDevice : Engine::FromDevice;
}

/// Does a copy on the stream, which takes the device as long as it took. `waits`: the host does.
int copy_on(void* stream, bool waits, Engine engine, std::function<int(Runtime&)> copy) {
  const auto timed = [=, copy = std::move(copy)](Runtime& runtime) {
    const int error = runtime.enqueue(stream, [&runtime, waits, engine, copy] {
      const auto begin = std::chrono::steady_clock::now();
      const int problem = copy(runtime);
      runtime.takes(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), engine);
      if (!waits) runtime.guard_copied();
      return problem;
    });
    if (waits) runtime.host_waits(runtime.stream(stream));
    return error;
  };
  return waits ? answer_waiting(timed) : answer(timed);
}

/// A copy to memory that is not pinned has ended when the call returns.
int wait_for_pageable(const void* target, void* stream) {
  if (Memory::is_on_device(target)) return wire::Success;
  return answer([=](Runtime& runtime) -> int {
    if (runtime.stream(stream).captured) return wire::Success;
    runtime.memory.lift_guards_of_kernels();
    runtime.host_waits(runtime.stream(stream));
    return wire::Success;
  });
}

int allocate(void** pointer, size_t bytes, wire::Memory kind) {
  return answer([&](Runtime& runtime) -> int {
    if (!pointer) return wire::InvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return wire::Success;
    runtime.host_waits();  // Work before and after it does not overlap.
    *pointer = runtime.memory.allocate(bytes, kind);
    return *pointer ? wire::Success : wire::OutOfMemory;
  });
}

int release(void* pointer, bool host) {
  return answer_waiting([&](Runtime& runtime) -> int {
    runtime.host_waits();
    return !pointer || runtime.memory.free(pointer, host) ? wire::Success : wire::InvalidValue;
  });
}

constexpr size_t kPitch = 512;

int copy_3d(const Copy3D& copy, void* stream, bool waits) {
  if (copy.source_array || copy.target_array) return not_answered("cudaMemcpy3D with a cudaArray");
  const Engine engine = engine_of(copy.target.pointer, copy.source.pointer);
  return copy_on(stream, waits, engine, [copy](Runtime& runtime) -> int {
    const auto corner = [](const PitchedPointer& memory, const Extent& at, size_t z) {
      return static_cast<char*>(memory.pointer) + ((at.depth + z) * memory.height + at.height) * memory.pitch +
             at.width;
    };
    for (size_t z = 0; z < copy.extent.depth; ++z)
      if (const int problem = runtime.memory.copy_2d(corner(copy.target, copy.target_position, z), copy.target.pitch,
                                                     corner(copy.source, copy.source_position, z), copy.source.pitch,
                                                     copy.extent.width, copy.extent.height, copy.kind))
        return problem;
    return wire::Success;
  });
}

int set_2d(Runtime& runtime, void* target, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    if (const int problem = runtime.memory.set(static_cast<char*>(target) + row * pitch, value, width)) return problem;
  return wire::Success;
}

/// `inside`: from a variable to the host; else the other way.
int copy_variable(const void* symbol, void* other, size_t bytes, size_t offset, int kind, bool from_variable,
                  void* stream, bool waits) {
  const Engine engine = Memory::is_on_device(other) ? Engine::Sms
                        : from_variable             ? Engine::FromDevice
                                                    : Engine::ToDevice;
  return copy_on(stream, waits, engine, [=](Runtime& runtime) -> int {
    const Variable* variable = runtime.variable(symbol);
    if (!variable) return wire::InvalidSymbol;
    if (offset > variable->bytes || bytes > variable->bytes - offset) return wire::InvalidValue;
    auto* place = reinterpret_cast<char*>(variable->address) + offset;
    return from_variable ? runtime.memory.copy(other, place, bytes, kind)
                         : runtime.memory.copy(place, other, bytes, kind);
  });
}

}  // namespace

CUDART_API cudaMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes, wire::Memory::Device); }
CUDART_API cudaMallocAsync(void** pointer, size_t bytes, void*) { return cudaMalloc(pointer, bytes); }
CUDART_API cudaMallocHost(void** pointer, size_t bytes) { return allocate(pointer, bytes, wire::Memory::Host); }
CUDART_API cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return cudaMallocHost(pointer, bytes); }
CUDART_API cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, wire::Memory::Managed);
}

CUDART_API cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return cudaMalloc(pointer, *pitch * height);
}

CUDART_API cudaMalloc3D(PitchedPointer* pitched, Extent extent) {
  pitched->width = extent.width;
  pitched->height = extent.height;
  return cudaMallocPitch(&pitched->pointer, &pitched->pitch, extent.width, extent.height * extent.depth);
}

CUDART_API cudaFree(void* pointer) { return release(pointer, false); }
CUDART_API cudaFreeAsync(void* pointer, void*) { return cudaFree(pointer); }
CUDART_API cudaFreeHost(void* pointer) { return release(pointer, true); }

CUDART_API cudaHostRegister(void* host, size_t bytes, unsigned) {
  return answer([&](Runtime& runtime) -> int {
    if (!host || bytes == 0) return wire::InvalidValue;
    return runtime.registered.insert(host).second ? wire::Success : wire::AlreadyRegistered;
  });
}

CUDART_API cudaHostUnregister(void* host) {
  return answer_waiting([&](Runtime& runtime) -> int {
    runtime.host_waits();
    return runtime.registered.erase(host) > 0 ? wire::Success : wire::NotRegistered;
  });
}

CUDART_API cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return answer([&](Runtime& runtime) -> int {
    if (runtime.registered.contains(host)) return not_answered("cudaHostGetDevicePointer of registered memory");
    if (!runtime.memory.find(host)) return wire::InvalidValue;
    *device = host;
    return wire::Success;
  });
}

CUDART_API cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 0;
  return wire::Success;
}

CUDART_API cudaMemGetInfo(size_t* left, size_t* total) {
  return answer([&](Runtime& runtime) -> int {
    *left = runtime.memory.left();
    *total = runtime.memory.limit();
    return wire::Success;
  });
}

CUDART_API cudaMemcpy(void* target, const void* source, size_t bytes, int kind) {
  return copy_on(nullptr, true, engine_of(target, source),
                 [=](Runtime& runtime) { return runtime.memory.copy(target, source, bytes, kind); });
}

CUDART_API cudaMemcpyAsync(void* target, const void* source, size_t bytes, int kind, void* stream) {
  const int error = copy_on(stream, false, engine_of(target, source),
                            [=](Runtime& runtime) { return runtime.memory.copy(target, source, bytes, kind); });
  return error ? error : wait_for_pageable(target, stream);
}

CUDART_API cudaMemcpyPeer(void* target, int, const void* source, int, size_t bytes) {
  return cudaMemcpy(target, source, bytes, DeviceToDevice);
}

CUDART_API cudaMemcpyPeerAsync(void* target, int, const void* source, int, size_t bytes, void* stream) {
  return cudaMemcpyAsync(target, source, bytes, DeviceToDevice, stream);
}

CUDART_API cudaMemcpy2D(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                        size_t height, int kind) {
  return copy_on(nullptr, true, engine_of(target, source), [=](Runtime& runtime) {
    return runtime.memory.copy_2d(target, target_pitch, source, source_pitch, width, height, kind);
  });
}

CUDART_API cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch, size_t width,
                             size_t height, int kind, void* stream) {
  const int error = copy_on(stream, false, engine_of(target, source), [=](Runtime& runtime) {
    return runtime.memory.copy_2d(target, target_pitch, source, source_pitch, width, height, kind);
  });
  return error ? error : wait_for_pageable(target, stream);
}

CUDART_API cudaMemcpy3D(const Copy3D* copy) { return copy_3d(*copy, nullptr, true); }
CUDART_API cudaMemcpy3DAsync(const Copy3D* copy, void* stream) {
  const int error = copy_3d(*copy, stream, false);
  return error ? error : wait_for_pageable(copy->target.pointer, stream);
}

CUDART_API cudaMemset(void* target, int value, size_t bytes) {
  return copy_on(nullptr, false, Engine::Sms,
                 [=](Runtime& runtime) { return runtime.memory.set(target, value, bytes); });
}

CUDART_API cudaMemsetAsync(void* target, int value, size_t bytes, void* stream) {
  return copy_on(stream, false, Engine::Sms,
                 [=](Runtime& runtime) { return runtime.memory.set(target, value, bytes); });
}

CUDART_API cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  return copy_on(nullptr, false, Engine::Sms,
                 [=](Runtime& runtime) { return set_2d(runtime, target, pitch, value, width, height); });
}

CUDART_API cudaMemset2DAsync(void* target, size_t pitch, int value, size_t width, size_t height, void* stream) {
  return copy_on(stream, false, Engine::Sms,
                 [=](Runtime& runtime) { return set_2d(runtime, target, pitch, value, width, height); });
}

CUDART_API cudaMemset3D(PitchedPointer memory, int value, Extent extent) {
  return cudaMemset2D(memory.pointer, memory.pitch, value, extent.width, extent.height * extent.depth);
}

CUDART_API cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, int kind) {
  return copy_variable(symbol, const_cast<void*>(source), bytes, offset, kind, false, nullptr, true);
}

CUDART_API cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset, int kind,
                                   void* stream) {
  return copy_variable(symbol, const_cast<void*>(source), bytes, offset, kind, false, stream, false);
}

CUDART_API cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, int kind) {
  return copy_variable(symbol, target, bytes, offset, kind, true, nullptr, true);
}

CUDART_API cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset, int kind,
                                     void* stream) {
  const int error = copy_variable(symbol, target, bytes, offset, kind, true, stream, false);
  return error ? error : wait_for_pageable(target, stream);
}

CUDART_API cudaGetSymbolAddress(void** address, const void* symbol) {
  return answer([&](Runtime& runtime) -> int {
    const Variable* variable = runtime.variable(symbol);
    if (!variable) return wire::InvalidSymbol;
    *address = reinterpret_cast<void*>(variable->address);
    return wire::Success;
  });
}

CUDART_API cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return answer([&](Runtime& runtime) -> int {
    const Variable* variable = runtime.variable(symbol);
    if (!variable) return wire::InvalidSymbol;
    *bytes = variable->bytes;
    return wire::Success;
  });
}

CUDART_API cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return answer([&](Runtime& runtime) -> int {
    *attributes = {};
    auto* plain = const_cast<void*>(pointer);
    const Memory::Block* block = runtime.memory.find(pointer);
    attributes->device = block ? 0 : -2;
    attributes->type = !block ? 0 : block->kind == wire::Memory::Host ? 1 : block->kind == wire::Memory::Device ? 2 : 3;
    attributes->device_pointer = block ? plain : nullptr;
    attributes->host_pointer = block && block->kind == wire::Memory::Device ? nullptr : plain;
    return wire::Success;
  });
}

CUDART_API cudaMemPrefetchAsync(const void*, size_t, uint64_t, unsigned, void*) { return wire::Success; }
CUDART_API cudaMemAdvise(const void*, size_t, int, uint64_t) { return wire::Success; }
CUDART_API cudaStreamAttachMemAsync(void*, void*, size_t, unsigned) { return wire::Success; }
