#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/memory.h"
#include "base/precision.h"
#include "base/result.h"
#include "base/tensor_map.h"
#include "statistics/statistics.h"

/// The messages between the app and the agent: JSON-RPC 2.0 (jsonrpc.org) in frames with a Content-Length.
namespace tilescope::protocol {

constexpr int kVersion = 4;

/// A GPU as its driver describes it.
struct DeviceFacts {
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;
  uint32_t capability = 0;  ///< 90
  uint32_t sms = 0;
  double clock_hz = 0;          ///< Highest SM clock.
  double dram_bytes_per_s = 0;  ///< Bus width times memory clock times two; 0 if the driver does not report it.
  uint64_t memory_bytes = 0;
  uint64_t l2_bytes = 0;
};

/// The agent's description of itself when it starts.
struct AgentFacts {
  int protocol = 0;
  std::string build;   ///< Tilescope's version.
  std::string cuda;    ///< Of the headers it was built with: "13.0".
  std::string driver;  ///< "580.159.04"; empty without one.
  std::string cublas;  ///< "13.0.0"; empty without it.
  std::vector<DeviceFacts> devices;
  std::string problem;  ///< What is missing for measuring and what to do; empty if nothing is.
};

/// What a measurement is at. The agent says the second row of itself, in its heartbeats.
enum class Phase : uint8_t {
  Starting,
  Compiling,
  Restarting,
  Verifying,
  Sampling,
  ReadingCounters,
};
/// "sampling": in English, and in the list of words.
const char* to_string(Phase phase);
std::optional<Phase> parse_phase(std::string_view text);

/// How to measure. The names are those of nvbench's options.
struct MeasureOptions {
  statistics::StoppingRule stop;
  /// Samples are windows of back-to-back launches in a CUDA graph without flushing the L2 cache, each window after a
  /// pause; else single launches with a flushed cache.
  bool hot = false;
  double throttle_threshold = 0.75;  ///< Samples whose SM clock is below this part of the highest are dropped.
  double launch_limit = 10;          ///< Seconds that a single launch may take.
  uint64_t seed = 0;                 ///< Of the inputs; 0: a new one each time.
};

/// An array argument: row-major; the part outside `logical` is zeros.
struct ArrayArgument {
  std::string name;
  Element element = Element::F32;
  bool is_input = false, is_output = false;
  uint64_t bytes = 0;
  std::vector<uint64_t> shape, logical;
  std::optional<double> initial = {};  ///< The initial value of all elements.
};

/// One argument, in the kernel's order.
struct Argument {
  int array = -1;  ///< Index into LaunchRequest::arrays; -1: a scalar.
  Element element = Element::I32;
  int64_t integer = 0;
  double real = 0;
  std::optional<TensorMap> tensor = {};  ///< A tensor map of `array`, whose address the agent fills in.
};

/// A kernel ready to launch.
struct KernelLaunch {
  std::string cubin;  ///< The bytes.
  std::string entry;  ///< Its name in the cubin.
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  ///< Blocks wait for one another: all must be on the GPU at once.
  std::vector<Argument> arguments;
};

/// A kernel to check and to time.
struct MeasureRequest {
  int device = 0;
  KernelLaunch kernel;
  /// Writes what the kernel must write, from the same arrays: the kernel is timed beside a copy of as many bytes as its
  /// arrays have. Nullopt: the kernel is C = alpha A B + beta C, row-major, and is checked by and timed beside cuBLAS.
  std::optional<KernelLaunch> reference;
  std::vector<ArrayArgument> arrays;
  int64_t m = 0, n = 0, k = 0;
  double alpha = 1, beta = 0;
  Precision precision = Precision::Fp32;  ///< Of the kernel, and of cuBLAS beside it.
  MeasureOptions options;
  std::vector<std::string> counters = {};  ///< Hardware counters to read after the samples; names of Nsight Compute.
};

/// The kernel and its reference, one directly after the other.
struct SamplePair {
  double ours = 0, reference = 0;  ///< Seconds; the reference is cuBLAS or the copy.
  double clock_hz = 0;             ///< The lower SM clock of the two; 0: not known.
  bool throttled = false;
};

/// The value of one hardware counter for a launch.
struct CounterValue {
  std::string name;  ///< "smsp__inst_executed.sum"
  double value = 0;
  bool operator==(const CounterValue&) const = default;
};

struct MeasureReply {
  std::string reference;  ///< Which of cuBLAS's methods it was, or "copy of the same bytes".
  std::vector<SamplePair> samples;
  bool is_noisy = false;
  double worst_ratio = 0;                   ///< Largest error in units of its own element's bound.
  std::vector<CounterValue> counters = {};  ///< Those of the request's that the GPU has, in its order.
  std::string no_counters = {};             ///< Why none could be read; empty if they were, or none was requested.
};

/// Why a request has no reply. The numbers are JSON-RPC's codes.
enum class Failure : int {
  BadRequest = -32602,
  NoGpu = -32001,
  Launch = -32002,   ///< The kernel could not be loaded or launched.
  Wrong = -32003,    ///< Its result differs from cuBLAS's by more than rounding explains.
  Fault = -32004,    ///< It faulted; the agent ends after saying so.
  Endless = -32005,  ///< It did not end in time; the agent ends after saying so.
  Memory = -32006,   ///< The GPU has not enough memory.
  Cancelled = -32800,
};

struct ReplyError {
  Failure failure = Failure::BadRequest;
  std::string message;  ///< A sentence for the user.
};

nlohmann::ordered_json to_json(const AgentFacts& facts);
nlohmann::ordered_json to_json(const MeasureRequest& request);
nlohmann::ordered_json to_json(const MeasureReply& reply);
/// The inverses. Errors name the field that is missing or of the wrong type.
Result<AgentFacts> agent_facts(const nlohmann::ordered_json& json);
Result<MeasureRequest> measure_request(const nlohmann::ordered_json& json);
Result<MeasureReply> measure_reply(const nlohmann::ordered_json& json);

}  // namespace tilescope::protocol
