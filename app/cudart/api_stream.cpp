/// Streams, events and captured graphs. All work is done at once, so nothing ever waits.
#include <utility>

#include "cudart/api.h"
#include "cudart/runtime.h"

using namespace tilescope::cudart;

namespace {

int create_stream(void** stream, unsigned flags, int priority) {
  return answer([&](Runtime& runtime) -> int {
    *stream = runtime.add_stream(flags, priority);
    return wire::Success;
  });
}

int call_back(void* stream, std::function<void()> call) {
  return answer([&](Runtime& runtime) {
    return runtime.enqueue(stream, [&runtime, call = std::move(call)]() -> int {
      runtime.memory.lift_guards_of_kernels();  // It comes after what is in the stream.
      runtime.host_waits(runtime.stream_at_work());
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
  return answer([&](Runtime& runtime) -> int {
    runtime.remove_stream(static_cast<Stream*>(stream));
    return wire::Success;
  });
}

CUDART_API cudaStreamSynchronize(void* stream) {
  return answer_waiting([&](Runtime& runtime) -> int {
    runtime.host_waits(runtime.stream(stream));
    return wire::Success;
  });
}
CUDART_API cudaStreamQuery(void* stream) { return cudaStreamSynchronize(stream); }

CUDART_API cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  return answer([&](Runtime& runtime) -> int {
    if (!event) return wire::InvalidHandle;
    const auto* before = static_cast<const Event*>(event);
    Stream& waiting = runtime.stream(stream);
    if (const std::shared_ptr<Graph> captured = before->captured.lock()) waiting.captured = captured;
    if (waiting.captured) return wire::Success;  // The graph keeps the order of the calls.
    return runtime.enqueue(stream, [&]() -> int {
      Order::wait(waiting.order, before->before);
      return wire::Success;
    });
  });
}

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
    *event = new Event{flags, false, {}, {}};
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
    auto& recorded = *static_cast<Event*>(event);
    recorded.captured = runtime.stream(stream).captured;
    if (runtime.stream(stream).captured) return wire::Success;  // It only says what the graph's other streams wait for.
    return runtime.enqueue(stream, [&]() -> int {
      recorded.recorded = true;
      recorded.before = runtime.stream(stream).order.ended;
      return wire::Success;
    });
  });
}
CUDART_API cudaEventRecordWithFlags(void* event, void* stream, unsigned) { return cudaEventRecord(event, stream); }

CUDART_API cudaEventSynchronize(void* event) {
  return answer_waiting([&](Runtime& runtime) -> int {
    if (event) runtime.host_waits(static_cast<const Event*>(event)->before);
    return wire::Success;
  });
}
CUDART_API cudaEventQuery(void* event) { return cudaEventSynchronize(event); }

CUDART_API cudaEventElapsedTime(float* milliseconds, void* begin, void* end) {
  constexpr unsigned kDisableTiming = 2;
  return answer([&](Runtime& runtime) -> int {
    const auto *first = static_cast<const Event*>(begin), *last = static_cast<const Event*>(end);
    if (!first || !last || !first->recorded || !last->recorded || ((first->flags | last->flags) & kDisableTiming))
      return wire::InvalidHandle;
    runtime.host_waits(last->before);  // Else there would be no time.
    *milliseconds = static_cast<float>((last->before.at - first->before.at) * 1e3);
    return wire::Success;
  });
}

CUDART_API cudaStreamBeginCapture(void* stream, int) {
  return answer([&](Runtime& runtime) -> int {
    runtime.stream(stream).captured = std::make_shared<Graph>();
    return wire::Success;
  });
}

CUDART_API cudaStreamEndCapture(void* stream, void** graph) {
  return answer([&](Runtime& runtime) -> int {
    const std::shared_ptr<Graph> captured = std::exchange(runtime.stream(stream).captured, nullptr);
    *graph = captured ? new Graph(*captured) : nullptr;
    if (captured) runtime.end_capture(captured.get());
    return captured ? wire::Success : wire::InvalidValue;
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
    auto& graph = *static_cast<Graph*>(executable);
    StreamOrder& order = runtime.stream(stream).order;
    Order::wait(order, graph.launched);
    for (const std::function<int()>& work : graph.work)
      if (const int problem = runtime.enqueue(stream, work)) return problem;
    graph.launched = order.ended;
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
