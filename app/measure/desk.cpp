#include "measure/desk.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/file.h"

namespace tilescope::measure {
namespace {
namespace fs = std::filesystem;

/// What the files hold.
struct Content {
  std::vector<store::Measurement> figures;
  std::vector<arch::Device> devices;
  Diagnostics problems;
};

void add(store::Shipped shipped, Content& content) {
  std::move(shipped.measurements.begin(), shipped.measurements.end(), std::back_inserter(content.figures));
  content.problems.insert(content.problems.end(), shipped.problems.begin(), shipped.problems.end());
}

void add_devices(const fs::path& file, Content& content) {
  if (file.empty()) return;
  Result<std::vector<arch::Device>> devices = arch::load_devices(file);
  if (devices)
    content.devices = std::move(*devices);
  else
    content.problems.insert(content.problems.end(), devices.errors().begin(), devices.errors().end());
}

/// What was measured here before; the client makes the file when there is none.
void add_store(const fs::path& file, Content& content) {
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

Content read_all(const DeskFiles& files) {
  Content content;
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

struct Desk::Reading {
  std::mutex mutex;
  std::optional<Content> content;
};

DeskFiles default_desk_files() {
  const fs::path assets = data_folder() / "assets";
  return {assets / "recordings", assets / "published.toml", assets / "devices.toml", store::default_store_file()};
}

Desk::Desk(DeskFiles files, std::function<void()> woken) : reading_(std::make_shared<Reading>()), store_(files.store) {
  reader_ = std::jthread([files = std::move(files), woken = std::move(woken), reading = reading_] {
    Content content = read_all(files);
    {
      const std::scoped_lock lock(reading->mutex);
      reading->content = std::move(content);
    }
    woken();
  });
}

Desk::~Desk() = default;

void Desk::connect(Settings settings, compile::Compiler& compiler) {
  wanted_ = std::move(settings);
  compiler_ = &compiler;
}

bool Desk::loading() const { return reading_ != nullptr; }

bool Desk::busy() const { return client_ && (state_.running != 0 || state_.waiting > 0 || batch_.running()); }

void Desk::take_files() {
  std::optional<Content> content;
  {
    const std::scoped_lock lock(reading_->mutex);
    content = std::move(reading_->content);
  }
  if (!content) return;
  reading_.reset();
  figures_ = std::move(content->figures);
  devices_ = std::move(content->devices);
  problems_ = std::move(content->problems);
  ++version_;
}

bool Desk::poll() {
  const uint64_t before = version_;
  if (reading_) take_files();
  if (!reading_ && wanted_) {
    client_ = std::make_unique<Client>(*std::exchange(wanted_, std::nullopt), *compiler_, store_);
  }
  if (!client_) return version_ != before;
  bool changed = version_ != before;
  for (Outcome& outcome : client_->poll()) changed |= take(std::move(outcome));
  State state = client_->state();
  changed |= !same(state, state_);
  state_ = std::move(state);
  return changed;
}

bool Desk::take(Outcome outcome) {
  if (const auto found = std::find(in_batch_.begin(), in_batch_.end(), outcome.id); found != in_batch_.end()) {
    in_batch_.erase(found);
    ++batch_.done;
  }
  if (outcome.id == live_) live_ = 0;
  if (outcome.result) {
    failure_ = {};
    keep(std::move(*outcome.result), outcome.from_store);
  } else if (!outcome.cancelled) {
    failure_ = Message("{}: {}", outcome.job.kernel.name, sentence_of(outcome.result.errors().front()));
  }
  return true;
}

void Desk::keep(store::Measurement measurement, bool from_store) {
  const auto known = [&](const store::Measurement& other) {
    return other.provenance == measurement.provenance && other.date == measurement.date &&
           other.subject == measurement.subject;
  };
  const auto found = from_store ? std::find_if(figures_.begin(), figures_.end(), known) : figures_.end();
  const auto index = static_cast<uint32_t>(found - figures_.begin());
  if (found == figures_.end()) figures_.push_back(std::move(measurement));
  std::erase(history_, index);
  history_.push_back(index);
  ++version_;
}

void Desk::measure(Job job) {
  if (!client_) return;
  if (live_ != 0) client_->cancel(live_);
  failure_ = {};
  job.options = live_options();
  live_ = client_->submit(std::move(job), true);
}

void Desk::measure_all(const kernel::Catalogue& catalogue) {
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

void Desk::cancel() {
  if (client_) client_->cancel_all();
}

}  // namespace tilescope::measure
