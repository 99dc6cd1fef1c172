#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/arch.h"
#include "base/async.h"
#include "base/worker.h"
#include "kernel/catalogue.h"
#include "measure/cpu_product.h"
#include "measure/measurer.h"

namespace tilescope::measure {

/// The files of the figures that a window shows. Empty paths have none.
struct FigureFiles {
  std::filesystem::path recordings, published, devices, store;
};
/// Those that ship, and the user's store.
FigureFiles default_figure_files();

/// Their contents.
struct FigureContent {
  std::vector<store::Measurement> figures;
  std::vector<arch::Device> devices;
  Diagnostics problems;
};

/// How far a measurement of all stages is.
struct Batch {
  size_t done = 0, total = 0;
  bool running() const { return done < total; }
};

/// The state of the agent and its GPU, for a status line.
struct State {
  /// None: measuring is not wanted; Missing: there is no agent to start, or it has no GPU.
  enum class Agent { None, Starting, Ready, Missing };
  Agent agent = Agent::None;
  Message sentence;                 ///< "NVIDIA H200, driver 580.159.04, CUDA 13.0"; or what is wrong and what to do.
  std::string device;               ///< Name of the GPU; empty until the agent is ready.
  std::optional<Progress> running;  ///< Of the running measurement.
  bool operator==(const State&) const = default;
};

/// All speeds that a window shows: recorded, published, measured before, and measured on a GPU while it is open.
/// Another thread reads the files and then measures, one job after another; no call waits. All methods are called from
/// one thread.
class MeasurementService {
 public:
  /// `woken` is called from another thread when poll() has something to take over.
  MeasurementService(FigureFiles files, std::function<void()> woken);
  ~MeasurementService() { cpu_cancel_ = true; }

  /// Starts the agent once the files are read. `runs` must outlive it.
  void connect(Settings settings, run::RunCache& runs);
  /// Takes over figures read and measured; true if anything changed.
  bool poll();

  bool loading() const { return loading_; }
  /// Whether something is running whose end should be shown soon.
  bool busy() const { return running_ || next_can_start(); }

  /// All of them; new ones are appended.
  const std::vector<store::Measurement>& figures() const { return content_.figures; }
  /// Indices of those measured, or found in the store, because they were shown; the newest last.
  const std::vector<uint32_t>& history() const { return history_; }
  /// A new number whenever figures(), history() or cpu() change.
  uint64_t version() const { return version_; }
  /// The device of the newest recording, and of what is measured here: the agent's, else of the newest measurement.
  /// Empty if there is none.
  const std::string& recorded_on() const { return recorded_on_; }
  std::string measured_on() const;
  const std::vector<arch::Device>& devices() const { return content_.devices; }
  /// Files that could not be read, and what the store says: that it is damaged, that nothing could be kept. Each
  /// sentence once.
  const Diagnostics& problems() const { return content_.problems; }

  const State& state() const { return state_; }
  /// Whether there is a GPU to measure on.
  bool can_measure() const { return state_.agent == State::Agent::Ready; }
  /// Why the last measurement failed; empty after a successful one.
  const Message& failure() const { return failure_; }

  /// Measures the shown configuration before all else. An earlier request is dropped.
  void measure(Job job);
  /// Measures these one after another whenever nothing else is requested, instead of the rest of the last call;
  /// measure() drops them. Failed ones are skipped.
  void fill(std::vector<Job> jobs);
  /// Whether samples are being taken: other work of the GPU disturbs them.
  bool sampling() const { return state_.running && state_.running->phase == protocol::Phase::Sampling; }
  /// Reports a frame drawn on the measured GPU. A measurement with too many of them is repeated.
  void note_frame() {
    if (sampling()) ++frames_;
  }
  /// Measures every kernel of the catalogue with its default parameters at size(), including known ones.
  void measure_all(const kernel::Catalogue& catalogue);
  const Batch& batch() const { return batch_; }
  /// Measures on this machine's CPU, on another thread, a part of size() that takes a second or so; see measure_cpu().
  void measure_cpu();
  bool measuring_cpu() const { return cpu_timing_.is_pending(); }
  /// The last result; empty before.
  const std::vector<store::CpuProduct>& cpu() const { return cpu_; }
  /// Cancels everything that waits or runs.
  void cancel();

  /// The measured M, N and K, not the traced ones, of kernels that use these; of one alone its square root.
  int64_t size(const std::string& extents = "MNK") const;
  void set_size(int64_t size, const std::string& extents = "MNK") { sizes_[extents] = size; }

 private:
  /// Why something is measured, the most urgent first.
  enum class Reason : uint8_t { Shown, Stage, Fill };
  struct Waiting {
    Reason reason;
    Job job;
  };

  void add(Reason reason, Job job);
  void drop(Reason reason);
  void end_running();
  bool next_can_start() const;
  void start_next();
  void take(Reason reason, const std::string& kernel, const Result<Measured>& measured);
  std::string newest_device(store::Provenance provenance) const;
  void keep(const Measured& measured, bool asked_for);
  // On the worker's thread.
  void look(const Worker::Turn& turn);
  void serve(const Waiting& wanted, bool ready, const Worker::Turn& turn);

  std::function<void()> woken_;
  std::atomic<bool> cpu_cancel_ = false;
  Async<std::vector<store::CpuProduct>> cpu_timing_;
  std::vector<store::CpuProduct> cpu_;
  bool loading_ = true;
  FigureContent content_;
  std::string recorded_on_;  ///< Nothing that is recorded comes later.
  std::vector<uint32_t> history_;
  uint64_t version_ = 0;
  std::filesystem::path store_;
  State state_;
  Message failure_;
  std::deque<Waiting> waiting_;    ///< The most urgent first.
  std::optional<Reason> running_;  ///< Of the worker's job.
  Batch batch_;
  std::map<std::string, int64_t> sizes_;  ///< By kernel::used_extents().
  std::atomic<size_t> frames_ = 0;        ///< Drawn by the caller since the samples began.
  std::unique_ptr<Measurer> measurer_;    ///< For the worker's thread alone; null before connect().
  Worker worker_;
};

}  // namespace tilescope::measure
