#pragma once

#include <functional>

#include "agent/gpu.h"

namespace tilescope::agent {

/// Work queued repeatedly as one CUDA graph: launches follow one another without the host.
class LaunchGraph {
 public:
  /// Calls `queue` that many times and records what it puts into the stream. Throws Stopped.
  LaunchGraph(const Gpu& gpu, size_t times, const std::function<void()>& queue);
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  /// Puts all of it into the stream.
  void launch() const;
  double times() const { return static_cast<double>(times_); }

 private:
  const Gpu& gpu_;
  size_t times_;
  CUgraphExec graph_ = nullptr;
};

}  // namespace tilescope::agent
