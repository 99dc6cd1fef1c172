#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/cublas.h"
#include "agent/cuda_driver.h"
#include "protocol/messages.h"

namespace tilescope::agent {

/// What ends a request early. Thrown and caught inside the agent alone.
struct Stopped {
  protocol::ReplyError why;
};
/// Throws.
[[noreturn]] void stop(protocol::Failure failure, std::string message);

/// Whether the GPU can still be used after such a failure: a fault poisons the context, an endless kernel never ends.
bool is_final(protocol::Failure failure);

/// Two clocks of one SM, as helpers.cu writes them.
struct Stamp {
  uint64_t sm = 0, clock = 0, nanoseconds = 0;
};

/// What the comparison on the GPU found, as helpers.cu writes it.
struct DeviceComparison {
  uint64_t wrong = 0;
  uint64_t first_wrong = ~uint64_t{0};
  uint32_t worst_ratio_bits = 0;
};

/// One GPU with everything that measuring on it needs: context, stream, events, the agent's own kernels, cuBLAS.
/// All calls queue work on one stream unless they say that they wait. They throw Stopped.
class Gpu {
 public:
  Gpu(const Driver& driver, const Cublas& cublas, int index);

  const Driver& driver() const { return driver_; }
  const Cublas& cublas() const { return cublas_; }
  int index() const { return index_; }
  CUcontext context() const { return context_; }
  CUstream stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_; }
  cublasLtHandle_t blas_lt() const { return blas_lt_; }
  CUdeviceptr workspace() const { return workspace_; }
  static constexpr size_t kWorkspaceBytes = size_t{64} << 20;
  double highest_clock_hz() const { return highest_clock_hz_; }

  /// Memory under a name; the next request for this name gets the same, if it is large enough.
  CUdeviceptr buffer(const std::string& name, uint64_t bytes);

  /// A matrix of f32, f16 or bf16.
  void fill(CUdeviceptr data, const protocol::ArrayArgument& array, uint64_t seed);
  /// Every four bytes.
  void set(CUdeviceptr data, uint32_t word, uint64_t bytes);
  /// All ones: NaN in every floating-point type.
  void poison(CUdeviceptr data, uint64_t bytes) { set(data, ~0U, bytes); }
  /// Absolute values of that many bytes of f32, f16 or bf16.
  void magnitude(CUdeviceptr out, CUdeviceptr in, uint64_t bytes, Element element);
  /// C against an f32 `reference`: an element may be off by `factor` times its magnitude and `stored` times its
  /// reference. Waits.
  DeviceComparison compare(CUdeviceptr c, Element element, uint64_t stride, CUdeviceptr reference,
                           CUdeviceptr magnitude, uint64_t m, uint64_t n, double factor, double stored);
  /// The driver's form of a tensor map of the array at `data`. Throws where the GPU or its driver has none, or refuses
  /// this one.
  CUtensorMap encode(const TensorMap& map, CUdeviceptr data) const;
  /// Writes more than the L2 cache holds.
  void flush_l2();
  /// Waits for that long.
  void idle(double seconds);

  /// Marks a place in the stream: events and clocks. `which` is below kMarks.
  static constexpr size_t kMarks = 4;
  void mark_start(size_t which);
  void mark_end(size_t which);
  /// Waits until all queued work is done, at most `seconds`. Throws Fault if a kernel faulted, Endless if the time
  /// is up.
  void wait(double seconds);
  /// A kernel faulted or did not end: further calls of the driver may fail or wait forever.
  bool is_lost() const { return is_lost_; }
  /// Seconds between a start and the end after it; only after wait().
  double seconds_between(size_t start, size_t end);
  /// The SM clock between them; 0 if the two did not run on one SM.
  double clock_between(size_t start, size_t end);

  /// Throws when `result` is an error. `what` is what was tried: "allocating 64 MiB".
  void check(CUresult result, const char* what) const;
  void check(cublasStatus_t status, const char* what) const;

 private:
  [[noreturn]] void lose(protocol::Failure failure, std::string message);
  void create_stream();
  void load_helpers();
  CUfunction helper(const char* name);
  void run_helper(CUfunction function, uint64_t elements, void** arguments);
  void stamp(size_t which);

  const Driver& driver_;
  const Cublas& cublas_;
  int index_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule helpers_ = nullptr;
  CUfunction fill_ = nullptr, magnitude_ = nullptr, compare_ = nullptr, stamp_ = nullptr, idle_ = nullptr;
  CUevent done_ = nullptr;
  std::vector<CUevent> events_;
  CUdeviceptr stamps_ = 0, comparison_ = 0, workspace_ = 0, flush_ = 0;
  uint64_t flush_bytes_ = 0;
  double highest_clock_hz_ = 0;
  bool is_lost_ = false;
  cublasHandle_t blas_ = nullptr;
  cublasLtHandle_t blas_lt_ = nullptr;

  struct Buffer {
    CUdeviceptr data = 0;
    uint64_t bytes = 0;
  };
  std::map<std::string, Buffer> buffers_;
};

/// Every GPU of the driver.
std::vector<protocol::DeviceFacts> list_devices(const Driver& driver);

}  // namespace tilescope::agent
