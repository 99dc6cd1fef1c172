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

/// What was measured here before; the client makes the file when there is none.
void add_store(const fs::path& file, FigureContent& content) {
  std::error_code none;
  if (file.empty() || !fs::exists(file, none)) return;
  const Result<store::Opened> opened = store::open_store(file);
  Result<std::vector<store::Measurement>> figures =
      opened ? opened->store.query({}) : Result<std::vector<store::Measurement>>(opened.errors());
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

bool same(const State& a, const State& b) {
  return a.agent == b.agent && a.sentence == b.sentence && a.device == b.device && a.running == b.running &&
         a.phase == b.phase && a.samples == b.samples && a.waiting == b.waiting;
}

}  // namespace

FigureFiles default_figure_files() {
  const fs::path assets = data_folder() / "assets";
  return {assets / "recordings", assets / "published.toml", assets / "devices.toml", store::default_store_file()};
}

MeasurementService::MeasurementService(FigureFiles files, std::function<void()> woken)
    : woken_(std::move(woken)), reading_([files] { return read_all(files); }, woken_), store_(std::move(files.store)) {}

void MeasurementService::connect(Settings settings, compile::Compiler& compiler) {
  wanted_ = std::move(settings);
  compiler_ = &compiler;
}

bool MeasurementService::busy() const {
  return client_ &&
         (state_.running != 0 || state_.waiting > 0 || batch_.running() || (can_measure() && !fill_.empty()));
}

bool MeasurementService::poll() {
  const uint64_t before = version_;
  if (reading_.is_made()) {
    content_ = reading_.take();
    ++version_;
  }
  if (cpu_timing_.is_made()) {
    cpu_ = cpu_timing_.take();
    ++version_;
  }
  if (!loading() && wanted_)
    client_ = std::make_unique<Client>(*std::exchange(wanted_, std::nullopt), *compiler_, store_);
  if (!client_) return version_ != before;
  bool changed = version_ != before;
  for (Outcome& outcome : client_->poll()) changed |= take(std::move(outcome));
  fill_next();
  State state = client_->state();
  changed |= !same(state, state_);
  state_ = std::move(state);
  return changed;
}

void MeasurementService::measure_cpu() {
  if (measuring_cpu()) return;
  const auto time = [this, size = kernel::Size{size_, size_, size_}] {
    return measure::measure_cpu(size, cpu_cancel_);
  };
  cpu_timing_ = Async<std::vector<store::CpuProduct>>(time, woken_);
}

bool MeasurementService::take(Outcome outcome) {
  if (const auto found = std::find(in_batch_.begin(), in_batch_.end(), outcome.id); found != in_batch_.end()) {
    in_batch_.erase(found);
    ++batch_.done;
  }
  const bool fills = outcome.id == filling_;
  if (fills) filling_ = 0;
  if (outcome.id == live_) live_ = 0;
  if (outcome.result) {
    failure_ = {};
    keep(std::move(*outcome.result), outcome.from_store, !fills);
  } else if (!outcome.cancelled && !fills) {
    failure_ = Message("{}: {}", outcome.job.kernel.name, sentence_of(outcome.result.errors().front()));
  }
  return true;
}

void MeasurementService::keep(store::Measurement measurement, bool from_store, bool asked_for) {
  const auto known = [&](const store::Measurement& other) {
    return other.provenance == measurement.provenance && other.date == measurement.date &&
           other.subject == measurement.subject;
  };
  const auto found =
      from_store ? std::find_if(content_.figures.begin(), content_.figures.end(), known) : content_.figures.end();
  const auto index = static_cast<uint32_t>(found - content_.figures.begin());
  if (found == content_.figures.end()) content_.figures.push_back(std::move(measurement));
  ++version_;
  if (!asked_for) return;
  std::erase(history_, index);
  history_.push_back(index);
}

void MeasurementService::measure(Job job) {
  if (!client_) return;
  drop_fill();
  if (live_ != 0) client_->cancel(live_);
  failure_ = {};
  job.options = live_options();
  live_ = client_->submit(std::move(job), true);
}

void MeasurementService::fill(std::vector<Job> jobs) {
  drop_fill();
  fill_.assign(std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
}

void MeasurementService::drop_fill() {
  fill_.clear();
  if (filling_ != 0) client_->cancel(filling_);
  filling_ = 0;
}

void MeasurementService::fill_next() {
  if (fill_.empty() || filling_ != 0 || live_ != 0 || batch_.running() || !can_measure()) return;
  Job job = std::move(fill_.front());
  fill_.pop_front();
  job.options = live_options();
  filling_ = client_->submit(std::move(job));
}

void MeasurementService::measure_all(const kernel::Catalogue& catalogue) {
  if (!client_ || batch_.running()) return;
  failure_ = {};
  for (const kernel::Kernel& kernel : catalogue.kernels) {
    Job job;
    job.kernel = kernel;
    job.size = {size_, size_, size_};
    job.again = true;
    in_batch_.push_back(client_->submit(std::move(job)));
  }
  batch_ = {0, in_batch_.size()};
}

void MeasurementService::cancel() {
  fill_.clear();
  if (client_) client_->cancel_all();
}

}  // namespace tilescope::measure
