#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/arch.h"
#include "base/async.h"
#include "measure/client.h"
#include "measure/cpu_product.h"

namespace tilescope::measure {

/// Where the figures lie that a window shows. Empty paths hold none.
struct FigureFiles {
  std::filesystem::path recordings, published, devices, store;
};
/// Those that ship, and the user's store.
FigureFiles default_figure_files();

/// What they hold.
struct FigureContent {
  std::vector<store::Measurement> figures;
  std::vector<arch::Device> devices;
  Diagnostics problems;  ///< Files that could not be read.
};

/// How far a measurement of all stages is.
struct Batch {
  size_t done = 0, total = 0;
  bool running() const { return done < total; }
};

/// Everything that a window knows of speeds: recorded, published and measured before, and what a GPU measures while it
/// is open. Files are read on a thread of its own; no call waits. All methods belong to one thread.
class MeasurementService {
 public:
  /// `woken` is called from another thread when the files are read.
  MeasurementService(FigureFiles files, std::function<void()> woken);
  ~MeasurementService() { cpu_cancel_ = true; }

  /// Starts the agent once the files are read. `compiler` must outlive it.
  void connect(Settings settings, compile::Compiler& compiler);
  /// Takes over what was read and measured; true when anything changed.
  bool poll();

  bool loading() const { return reading_.is_pending(); }
  /// Something is under way whose end is worth a frame soon.
  bool busy() const;

  /// All of them; new ones are appended.
  const std::vector<store::Measurement>& figures() const { return content_.figures; }
  /// Indices of those that were measured, or found in the store, because they were on show; the newest last.
  const std::vector<uint32_t>& history() const { return history_; }
  /// Another number whenever figures(), history() or cpu() are others.
  uint64_t version() const { return version_; }
  const std::vector<arch::Device>& devices() const { return content_.devices; }
  /// Files that could not be read.
  const Diagnostics& problems() const { return content_.problems; }

  /// What the client says of itself; an empty sentence without a client.
  const State& state() const { return state_; }
  /// A GPU is there to measure on.
  bool can_measure() const { return client_ && state_.agent == State::Agent::Ready; }
  /// Why the last measurement came to nothing; empty after one that did not.
  const Message& failure() const { return failure_; }

  /// Measures what is on show before all else. One that was asked for before and has not begun is dropped.
  void measure(Job job);
  /// Measures these one after another whenever nothing else is asked for, in place of those that were left of the last
  /// call; measure() drops them. One that comes to nothing is passed over.
  void fill(std::vector<Job> jobs);
  /// Samples are being taken: what else the GPU does now disturbs them.
  bool sampling() const { return state_.running != 0 && state_.phase == "sampling"; }
  /// A frame was drawn on the GPU that is measured; see Client::note_frame().
  void note_frame() {
    if (client_) client_->note_frame();
  }
  /// Measures every kernel of the catalogue with its default parameters at size(), those known from before too.
  void measure_all(const kernel::Catalogue& catalogue);
  const Batch& batch() const { return batch_; }
  /// Measures on this machine's CPU, on a thread of its own, what of size() takes a second or so; see measure_cpu().
  void measure_cpu();
  bool measuring_cpu() const { return cpu_timing_.is_pending(); }
  /// What it took the last time; empty before.
  const std::vector<store::CpuProduct>& cpu() const { return cpu_; }
  /// Gives up all that waits and runs.
  void cancel();

  /// M = N = K that is measured, not what is traced.
  int64_t size() const { return size_; }
  void set_size(int64_t size) { size_ = size; }

 private:
  bool take(Outcome outcome);
  void fill_next();
  void drop_fill();
  void keep(store::Measurement measurement, bool from_store, bool asked_for);

  std::function<void()> woken_;
  std::atomic<bool> cpu_cancel_ = false;
  Async<std::vector<store::CpuProduct>> cpu_timing_;
  std::vector<store::CpuProduct> cpu_;
  Async<FigureContent> reading_;
  FigureContent content_;
  std::vector<uint32_t> history_;
  uint64_t version_ = 0;
  std::filesystem::path store_;
  std::optional<Settings> wanted_;
  compile::Compiler* compiler_ = nullptr;
  std::unique_ptr<Client> client_;
  State state_;
  Message failure_;
  uint64_t live_ = 0;  ///< Id of the measurement of what is on show; 0: none.
  std::deque<Job> fill_;
  uint64_t filling_ = 0;  ///< Id of the one of fill_ that was submitted; 0: none.
  std::vector<uint64_t> in_batch_;
  Batch batch_;
  int64_t size_ = 4096;
};

}  // namespace tilescope::measure
