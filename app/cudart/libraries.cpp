#include "cudart/libraries.h"

#include <utility>
#include <vector>

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

thread_local std::vector<wire::UsedRange> uses;

}  // namespace

extern "C" __attribute__((visibility("default"))) void tilescopeUses(const void* pointer, size_t bytes, int writes) {
  uses.push_back({reinterpret_cast<uint64_t>(pointer), bytes, writes != 0, 0});
}

extern "C" __attribute__((visibility("default"))) void* tilescopeHostAddress(const void* pointer, size_t bytes,
                                                                             int writes) {
  void* place = nullptr;
  answer([&](Runtime& runtime) -> int {
    runtime.memory.lift_guards_of(pointer);  // It is work of the device.
    place = runtime.memory.here(pointer, bytes);
    if (place && writes) runtime.memory.tell_written(pointer, bytes);
    return wire::Success;
  });
  return place;
}

extern "C" __attribute__((visibility("default"))) void tilescopeUntraced(const char* call, void* stream) {
  answer([&](Runtime& runtime) -> int {
    // What comes before and after it has its order by it.
    runtime.enqueue(stream, [&runtime, used = std::exchange(uses, {})] {
      runtime.memory.use(used);
      return 0;
    });
    return runtime.channel.send(wire::Kind::Untraced, call) ? wire::Success : wire::NoDevice;
  });
}

extern "C" __attribute__((visibility("default"))) void tilescopeUnknown(const char* call) { not_answered(call); }
