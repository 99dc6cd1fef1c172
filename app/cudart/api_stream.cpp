/// Streams, events and captured graphs. All work is done at once, so nothing ever waits.
#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

/// cudaGraph_t and cudaGraphExec_t: what a stream captured, in order.
using Graph = std::vector<std::function<int()>>;

int create_stream(void** stream, unsigned flags, int priority) {
  return answer([&](Runtime&) -> int {
    *stream = new Stream{flags, priority, nullptr};
    return wire::Success;
  });
}

int call_back(void* stream, std::function<void()> call) {
  return answer([&](Runtime& runtime) {
    return runtime.enqueue(stream, [&runtime, call = std::move(call)]() -> int {
      runtime.memory.lift_guards();  // It comes after what is in the stream.
      call();
      return wire::Success;
    });
  });
}

}  // namespace

CUDART_API cudaStreamCreate(void** stream) { return create_stream(stream, 0, 0); }
CUDART_API cudaStreamCreateWithFlags(void** stream, unsigned flags) { return create_stream(stream, flags, 0); }
CUDART_API cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}

CUDART_API cudaStreamDestroy(void* stream) {
  return answer([&](Runtime&) -> int {
    delete static_cast<Stream*>(stream);
    return wire::Success;
  });
}

CUDART_API cudaStreamSynchronize(void*) {
  return answer_waiting([](Runtime&) -> int { return wire::Success; });
}
CUDART_API cudaStreamQuery(void*) { return cudaStreamSynchronize(nullptr); }
CUDART_API cudaStreamWaitEvent(void*, void*, unsigned) { return wire::Success; }

CUDART_API cudaStreamGetFlags(void* stream, unsigned* flags) {
  return answer([&](Runtime& runtime) -> int {
    *flags = runtime.stream(stream).flags;
    return wire::Success;
  });
}

CUDART_API cudaStreamGetPriority(void* stream, int* priority) {
  return answer([&](Runtime& runtime) -> int {
    *priority = runtime.stream(stream).priority;
    return wire::Success;
  });
}

CUDART_API cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  return call_back(stream, [=] { function(data); });
}

CUDART_API cudaStreamAddCallback(void* stream, void (*function)(void*, int, void*), void* data, unsigned) {
  return call_back(stream, [=] { function(stream, wire::Success, data); });
}

CUDART_API cudaEventCreateWithFlags(void** event, unsigned flags) {
  return answer([&](Runtime&) -> int {
    *event = new Event{flags, false, 0};
    return wire::Success;
  });
}
CUDART_API cudaEventCreate(void** event) { return cudaEventCreateWithFlags(event, 0); }

CUDART_API cudaEventDestroy(void* event) {
  return answer([&](Runtime&) -> int {
    delete static_cast<Event*>(event);
    return wire::Success;
  });
}

CUDART_API cudaEventRecord(void* event, void* stream) {
  return answer([&](Runtime& runtime) -> int {
    if (!event) return wire::InvalidHandle;
    return runtime.enqueue(stream, [&runtime, event]() -> int {
      static_cast<Event*>(event)->recorded = true;
      static_cast<Event*>(event)->at = runtime.clock;
      return wire::Success;
    });
  });
}
CUDART_API cudaEventRecordWithFlags(void* event, void* stream, unsigned) { return cudaEventRecord(event, stream); }

CUDART_API cudaEventSynchronize(void*) { return cudaStreamSynchronize(nullptr); }
CUDART_API cudaEventQuery(void*) { return cudaStreamSynchronize(nullptr); }

CUDART_API cudaEventElapsedTime(float* milliseconds, void* begin, void* end) {
  constexpr unsigned kDisableTiming = 2;
  return answer([&](Runtime&) -> int {
    const auto *first = static_cast<const Event*>(begin), *last = static_cast<const Event*>(end);
    if (!first || !last || !first->recorded || !last->recorded || ((first->flags | last->flags) & kDisableTiming))
      return wire::InvalidHandle;
    *milliseconds = static_cast<float>((last->at - first->at) * 1e3);
    return wire::Success;
  });
}

CUDART_API cudaStreamBeginCapture(void* stream, int) {
  return answer([&](Runtime& runtime) -> int {
    runtime.stream(stream).captured = std::make_unique<Graph>();
    return wire::Success;
  });
}

CUDART_API cudaStreamEndCapture(void* stream, void** graph) {
  return answer([&](Runtime& runtime) -> int {
    *graph = runtime.stream(stream).captured.release();
    return *graph ? wire::Success : wire::InvalidValue;
  });
}

CUDART_API cudaStreamIsCapturing(void* stream, int* status) {
  return answer([&](Runtime& runtime) -> int {
    *status = runtime.stream(stream).captured != nullptr;
    return wire::Success;
  });
}

CUDART_API cudaGraphInstantiate(void** executable, void* graph, unsigned long long) {
  return answer([&](Runtime&) -> int {
    *executable = new Graph(*static_cast<const Graph*>(graph));
    return wire::Success;
  });
}
CUDART_API cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}
CUDART_API cudaGraphUpload(void*, void*) { return wire::Success; }

CUDART_API cudaGraphLaunch(void* executable, void* stream) {
  return answer([&](Runtime& runtime) -> int {
    for (const std::function<int()>& work : *static_cast<const Graph*>(executable))
      if (const int problem = runtime.enqueue(stream, work)) return problem;
    return wire::Success;
  });
}

CUDART_API cudaGraphDestroy(void* graph) {
  return answer([&](Runtime&) -> int {
    delete static_cast<Graph*>(graph);
    return wire::Success;
  });
}
CUDART_API cudaGraphExecDestroy(void* executable) { return cudaGraphDestroy(executable); }
