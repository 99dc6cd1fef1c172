#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudart/memory.h"
#include "cudart/order.h"

namespace tilescope::cudart {

/// A fat binary that nvcc's start-up code registered.
struct Binary {
  uint32_t number = 0;
  std::string_view bytes;
};

/// A __global__ function. A cudaKernel_t points to one.
struct Kernel {
  const Binary* binary = nullptr;
  std::string name;  ///< In PTX.
  std::optional<wire::KernelFacts> facts;
  uint64_t dynamic_shared_allowed = 0;  ///< By cudaFuncSetAttribute; 0: the default.
};

/// A __device__, __constant__ or __managed__ variable.
struct Variable {
  const Binary* binary = nullptr;
  std::string name;
  void** managed = nullptr;  ///< Where the program keeps the address of a managed variable; else null.
  uint64_t address = 0, bytes = 0;
};

/// A launch with its parameters read.
struct PreparedLaunch {
  Kernel* kernel = nullptr;
  wire::LaunchRequest request;
  std::string parameters;
};

/// cudaGraph_t and cudaGraphExec_t: what a stream captured, in order.
struct Graph {
  std::vector<std::function<int()>> work;
  Ended launched;  ///< When its last launch has ended.
};

/// cudaStream_t
struct Stream {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<Graph> captured;  ///< While it is captured, with the streams that joined it.
  StreamOrder order;
};

/// cudaEvent_t
struct Event {
  unsigned flags = 0;
  bool recorded = false;
  Ended before;                   ///< The work before it.
  std::weak_ptr<Graph> captured;  ///< If it was recorded in a stream that is captured.
};

/// Set by the calls of nvcc --default-stream per-thread.
extern "C" char tilescope_default_stream_is_of_the_thread;

/// The whole state of the stand-in. Work is done at once, so streams are always idle; `order` has what CUDA promises.
class Runtime {
 public:
  static Runtime& get();

  std::recursive_mutex mutex;
  Channel channel;
  std::string reason;  ///< Why the call at hand fails, for the user.
  Memory memory{channel, reason};
  std::set<const void*> registered;  ///< Of the host, by cudaHostRegister.
  wire::DeviceFacts device;

  /// Connects, once; a cudaError_t.
  int connect();

  Binary* add_binary(std::string_view bytes);
  void add_kernel(const void* host, const Binary* binary, const char* name);
  void add_variable(const void* host, Variable variable);
  /// Of a host function or a cudaKernel_t; or null.
  Kernel* kernel(const void* handle);
  /// With its facts filled in; a cudaError_t.
  int facts_of(Kernel& kernel);
  /// With its place filled in; or null.
  Variable* variable(const void* host);
  /// Gives the program the addresses of a binary's managed variables.
  void place_managed(const Binary* binary);

  int prepare(const void* handle, Dim grid, Dim block, void** arguments, size_t dynamic_shared_bytes, bool cooperative,
              PreparedLaunch& launch);
  int launch(const PreparedLaunch& launch);
  /// The error of a kernel, once the program waits for it; prints the kernels' output.
  int wait();
  int sticky() const { return sticky_; }
  /// Where the program called the function of this library at hand: a line "module\toffset" each, innermost first.
  static std::string places_of_call();
  /// After a fault at the address: if the host uses an array that a kernel may be using, tells `tilescope run` and lets
  /// it. False if it is another fault.
  bool allow_early_use(const void* address);
  /// Tells `tilescope run` that the call at hand returned this error, unless it is that of a kernel before.
  void tell_failed(int error);
  /// Where the <<<>>> is whose launch comes next; null if unknown.
  const void* launch_site = nullptr;
  /// Does `work` now, or, if the stream is captured, when its graph is launched.
  int enqueue(void* stream, std::function<int()> work);
  Stream& stream(void* handle);
  Stream* add_stream(unsigned flags, int priority);
  void remove_stream(Stream* stream);
  /// The stream of the work that is being done.
  Stream& stream_at_work() { return *at_work_; }
  /// The work that is being done takes so long: a launch as predicted, a copy as measured.
  void takes(double seconds, Engine engine, double share = 1);
  /// What the copy at work used is guarded, if faults are ours to explain.
  void guard_copied();
  /// The streams that joined the capture are captured no more.
  void end_capture(const Graph* graph);
  /// The host has waited for the stream's work so far, for these, for everything.
  void host_waits(Stream& stream);
  void host_waits(const Ended& ended);
  void host_waits();

 private:
  int send_binaries();
  /// Tells `tilescope run` what work was done, after what, and what it used.
  void tell_work(const StreamOrder& stream, const Ended& before);
  std::string why_refused(const PreparedLaunch& launch) const;

  int connected_ = -1;  ///< The error of connect(); -1 before.
  std::vector<std::unique_ptr<Binary>> binaries_;
  size_t binaries_sent_ = 0;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;  ///< By host function.
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, Variable> variables_;
  Stream default_stream_;
  Order order_{default_stream_.order};
  Timetable timetable_;
  std::set<Stream*> streams_;
  Stream* at_work_ = &default_stream_;
  bool launched_ = false;  ///< By the work that is being done.
  std::string printed_;
  int pending_ = 0, sticky_ = 0;
};

/// The last error of this thread.
int& last_error();

/// Runs a call of the program under the lock: an earlier error first, then `call`; records the error.
int answer(const std::function<int(Runtime&)>& call);
/// The same for a call that waits for earlier launches.
int answer_waiting(const std::function<int(Runtime&)>& call);

/// Report a call that is not supported, and one that the CPU computed without a trace.
int not_answered(const char* name);

}  // namespace tilescope::cudart
