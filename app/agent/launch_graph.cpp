#include "agent/launch_graph.h"

namespace tilescope::agent {

LaunchGraph::LaunchGraph(const Gpu& gpu, size_t times, const std::function<void()>& queue) : gpu_(gpu), times_(times) {
  constexpr const char* kWhat = "recording launches in a CUDA graph";
  const Driver& driver = gpu.driver();
  gpu.check(driver.capture_begin(gpu.stream(), CU_STREAM_CAPTURE_MODE_RELAXED), kWhat);
  for (size_t i = 0; i < times; ++i) queue();
  CUgraph recorded = nullptr;
  gpu.check(driver.capture_end(gpu.stream(), &recorded), kWhat);
  const CUresult result = driver.graph_instantiate(&graph_, recorded, 0);
  driver.graph_destroy(recorded);
  gpu.check(result, kWhat);
}

LaunchGraph::~LaunchGraph() {
  if (graph_ && !gpu_.is_lost()) gpu_.driver().graph_exec_destroy(graph_);
}

void LaunchGraph::launch() const {
  gpu_.check(gpu_.driver().graph_launch(graph_, gpu_.stream()), "launching a CUDA graph");
}

}  // namespace tilescope::agent
