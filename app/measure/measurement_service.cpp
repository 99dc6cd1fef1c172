#include "measure/measurement_service.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/file.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;

void add(store::Shipped shipped, FigureContent& content) {
  std::move(shipped.measurements.begin(), shipped.measurements.end(), std::back_inserter(content.figures));
  content.problems.insert(content.problems.end(), shipped.problems.begin(), shipped.problems.end());
}

void add_devices(const fs::path& file, FigureContent& content) {
  if (file.empty()) return;
  Result<std::vector<arch::Device>> devices = arch::load_devices(file);
  if (devices)
    content.devices = std::move(*devices);
  else
    content.problems.insert(content.problems.end(), devices.errors().begin(), devices.errors().end());
}

/// The earlier measurements of this machine.
void add_store(const fs::path& file, FigureContent& content) {
  Result<std::vector<store::Measurement>> figures = store::Store(file).all();
  if (figures)
    std::move(figures->begin(), figures->end(), std::back_inserter(content.figures));
  else
    content.problems.insert(content.problems.end(), figures.errors().begin(), figures.errors().end());
}

FigureContent read_all(const FigureFiles& files) {
  FigureContent content;
  if (!files.recordings.empty()) add(store::load_recordings(files.recordings), content);
  if (!files.published.empty()) add(store::load_published(files.published), content);
  add_devices(files.devices, content);
  add_store(files.store, content);
  return content;
}

// Of the GPU for a frame of the window at 1600 x 900, measured on an H200: 170 a second took 15 % from a kernel.
constexpr double kSecondsOfFrame = 1e-3;

/// So many frames fell among its samples that their median may be 0.5 % too long: into more than a quarter of them, if
/// each fell into two.
bool is_disturbed(size_t frames, const store::Measurement& measurement) {
  const double samples = measurement.samples;
  const double cublas = measurement.reference ? measurement.reference->seconds.median : 0;
  const double seconds = samples * (measurement.seconds.median + cublas);
  const auto drawn = static_cast<double>(frames);
  return 8 * drawn > samples && drawn * kSecondsOfFrame > 0.005 * seconds;
}

/// The agent's description of itself and its GPU.
State look_at(Measurer& measurer, const std::atomic<bool>& cancel) {
  const Result<protocol::DeviceFacts> device = measurer.device(&cancel);
  if (!device) return {State::Agent::Missing, device.errors().front().message, "", {}};
  const Result<protocol::AgentFacts> facts = measurer.connect(&cancel);
  if (!facts) return {State::Agent::Missing, facts.errors().front().message, "", {}};
  return {State::Agent::Ready,
          Message("{}, driver {}, CUDA {}", device->name, facts->driver, facts->cuda),
          device->name,
          {}};
}

}  // namespace

FigureFiles default_figure_files() {
  const fs::path assets = data_folder() / "assets";
  return {assets / "recordings", assets / "published.toml", assets / "devices.toml", store::default_store_file()};
}

MeasurementService::MeasurementService(FigureFiles files, std::function<void()> woken)
    : woken_(std::move(woken)), store_(files.store), worker_(woken_) {
  worker_.append([this, files = std::move(files)](const Worker::Turn& turn) {
    turn.deliver([this, content = std::make_shared<FigureContent>(read_all(files))] {
      content_ = std::move(*content);
      recorded_on_ = newest_device(store::Provenance::Recorded);
      loading_ = false;
      ++version_;
    });
  });
}

std::string MeasurementService::newest_device(store::Provenance provenance) const {
  const store::Measurement* newest = nullptr;
  for (const store::Measurement& figure : content_.figures)
    if (figure.provenance == provenance && (!newest || figure.date > newest->date)) newest = &figure;
  return newest ? newest->subject.device : "";
}

std::string MeasurementService::measured_on() const {
  return state_.device.empty() ? newest_device(store::Provenance::Measured) : state_.device;
}

void MeasurementService::connect(Settings settings, run::RunCache& runs) {
  measurer_ = std::make_unique<Measurer>(std::move(settings), runs, store_);
  state_.agent = State::Agent::Starting;
  state_.sentence = Message("Starting the agent.");
  worker_.append([this](const Worker::Turn& turn) { look(turn); });
}

bool MeasurementService::poll() {
  bool changed = worker_.poll();
  if (cpu_timing_.is_made()) {
    cpu_ = cpu_timing_.take();
    ++version_;
    changed = true;
  }
  start_next();
  return changed;
}

int64_t MeasurementService::size(const std::string& extents) const {
  constexpr int64_t kByDefault = 4096;
  const auto chosen = sizes_.find(extents);
  return chosen == sizes_.end() ? kByDefault : chosen->second;
}

void MeasurementService::measure_cpu() {
  if (measuring_cpu()) return;
  const auto time = [this, n = size()] { return measure::measure_cpu({n, n, n}, cpu_cancel_); };
  cpu_timing_ = Async<std::vector<store::CpuProduct>>(time, woken_);
}

void MeasurementService::measure(Job job) {
  if (!measurer_) return;
  drop(Reason::Fill);
  drop(Reason::Shown);
  failure_ = {};
  job.options = live_options();
  add(Reason::Shown, std::move(job));
}

void MeasurementService::fill(std::vector<Job> jobs) {
  drop(Reason::Fill);
  for (Job& job : jobs) {
    job.options = live_options();
    add(Reason::Fill, std::move(job));
  }
}

void MeasurementService::measure_all(const kernel::Catalogue& catalogue) {
  if (!measurer_ || batch_.running()) return;
  failure_ = {};
  batch_ = {0, catalogue.kernels.size()};
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    Job job;
    job.request.kernel = kernel;
    job.request.size = {size(), size(), size()};
    job.again = true;
    add(Reason::Stage, std::move(job));
  }
}

void MeasurementService::cancel() {
  waiting_.clear();
  batch_ = {};
  end_running();
}

void MeasurementService::add(Reason reason, Job job) {
  const auto later = [](Reason wanted, const Waiting& other) { return wanted < other.reason; };
  waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), reason, later), {reason, std::move(job)});
  start_next();
}

void MeasurementService::drop(Reason reason) {
  std::erase_if(waiting_, [&](const Waiting& each) { return each.reason == reason; });
  if (running_ == reason) end_running();
}

void MeasurementService::end_running() {
  worker_.poll();  // It may have ended by itself.
  if (!running_) return;
  worker_.cancel();
  running_.reset();
  state_.running.reset();
}

bool MeasurementService::next_can_start() const {
  if (waiting_.empty() || running_ || !measurer_ || state_.agent == State::Agent::Starting) return false;
  return waiting_.front().reason != Reason::Fill || can_measure();
}

void MeasurementService::start_next() {
  if (!next_can_start()) return;
  running_ = waiting_.front().reason;
  state_.running = Progress();
  worker_.append([this, next = std::move(waiting_.front()), ready = can_measure()](const Worker::Turn& turn) {
    serve(next, ready, turn);
  });
  waiting_.pop_front();
}

void MeasurementService::look(const Worker::Turn& turn) {
  turn.deliver([this, seen = look_at(*measurer_, turn.cancel())] {
    const std::optional<Progress> running = state_.running;
    state_ = seen;
    state_.running = running;
  });
}

void MeasurementService::serve(const Waiting& wanted, bool ready, const Worker::Turn& turn) {
  using protocol::Phase;
  Phase phase = Phase::Starting;
  Watch watch;
  watch.cancel = &turn.cancel();
  watch.progress = [&](const Progress& now) {
    if (now.phase == Phase::Sampling && phase != now.phase) frames_ = 0;
    phase = now.phase;
    turn.deliver([this, now] { state_.running = now; });
  };
  watch.disturbed = [this](const store::Measurement& measurement) { return is_disturbed(frames_, measurement); };
  const Result<Measured> measured = measurer_->measure(wanted.job, watch);
  if ((!measured || !ready) && !turn.cancel()) look(turn);  // There may be a GPU now, or none any more.
  turn.deliver([this, reason = wanted.reason, kernel = wanted.job.request.kernel.name, measured] {
    take(reason, kernel, measured);
  });
}

void MeasurementService::take(Reason reason, const std::string& kernel, const Result<Measured>& measured) {
  running_.reset();
  state_.running.reset();
  if (reason == Reason::Stage) ++batch_.done;
  if (measured) {
    failure_ = {};
    add_new(measured->notes, content_.problems);
    keep(*measured, reason != Reason::Fill);
  } else if (reason == Reason::Stage && state_.agent == State::Agent::Missing) {  // state() says why.
    drop(Reason::Stage);
    batch_ = {};
  } else if (reason != Reason::Fill) {
    failure_ = Message("{}: {}", kernel, sentence_of(measured.errors().front()));
  }
}

void MeasurementService::keep(const Measured& measured, bool asked_for) {
  const store::Measurement& measurement = measured.measurement;
  const auto known = [&](const store::Measurement& other) {
    return other.provenance == measurement.provenance && other.date == measurement.date &&
           other.subject == measurement.subject;
  };
  const auto found = measured.from_store ? std::find_if(content_.figures.begin(), content_.figures.end(), known)
                                         : content_.figures.end();
  const auto index = static_cast<uint32_t>(found - content_.figures.begin());
  if (found == content_.figures.end()) content_.figures.push_back(measurement);
  ++version_;
  if (!asked_for) return;
  std::erase(history_, index);
  history_.push_back(index);
}

}  // namespace tilescope::measure
