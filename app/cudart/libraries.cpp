#include "cudart/libraries.h"

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

extern "C" __attribute__((visibility("default"))) void* tilescopeHostAddress(const void* pointer, size_t bytes,
                                                                             int writes) {
  void* place = nullptr;
  answer([&](Runtime& runtime) -> int {
    place = runtime.memory.here(pointer, bytes);
    if (place && writes) runtime.memory.tell_written(pointer, bytes);
    return wire::Success;
  });
  return place;
}

extern "C" __attribute__((visibility("default"))) void tilescopeUntraced(const char* call) {
  answer([&](Runtime& runtime) -> int {
    return runtime.channel.send(wire::Kind::Untraced, call) ? wire::Success : wire::NoDevice;
  });
}

extern "C" __attribute__((visibility("default"))) void tilescopeUnknown(const char* call) { not_answered(call); }
