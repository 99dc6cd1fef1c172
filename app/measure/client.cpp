#include "measure/client.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/words.h"
#include "store/store.h"

namespace tilescope::measure {
namespace {

struct Waiting {
  uint64_t id = 0;
  Job job;
};

Outcome cancelled_outcome(Waiting waiting) {
  return {waiting.id, std::move(waiting.job), error("Cancelled."), true, false};
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

Message describe(const protocol::AgentFacts& facts, const std::string& device) {
  return Message("{}, driver {}, CUDA {}", device, facts.driver, facts.cuda);
}

}  // namespace

/// What the caller's threads and the one inside share; all of it under the mutex but the measurer, which is the
/// thread's own.
struct Client::Core {
  Settings settings;
  compile::Compiler& compiler;
  std::filesystem::path store_file;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Waiting> waiting;
  std::vector<Outcome> outcomes;
  State state;
  uint64_t last_id = 0;
  size_t frames = 0;  ///< That the caller drew since the samples began.
  std::atomic<bool> cancel_running = false;
  bool stopping = false;
  std::jthread thread;

  Core(Settings the_settings, compile::Compiler& the_compiler, std::filesystem::path file)
      : settings(std::move(the_settings)), compiler(the_compiler), store_file(std::move(file)) {
    state.sentence = Message("Starting the agent.");
  }

  void set_agent(State::Agent agent, Message sentence, std::string device = {}) {
    const std::lock_guard lock(mutex);
    state.agent = agent;
    state.sentence = std::move(sentence);
    if (!device.empty()) state.device = std::move(device);
  }

  void connect(Measurer& measurer) {
    const Result<protocol::AgentFacts> facts = measurer.connect(&cancel_running);
    if (!facts) return set_agent(State::Agent::Missing, facts.errors().front().message);
    const auto index = static_cast<size_t>(settings.device);
    if (!facts->problem.empty() || index >= facts->devices.size())
      return set_agent(State::Agent::Missing,
                       facts->problem.empty() ? Message("The agent has no such GPU.") : Message(facts->problem));
    const std::string& device = facts->devices[index].name;
    set_agent(State::Agent::Ready, describe(*facts, device), device);
  }

  std::optional<store::Store> open_store() {
    if (store_file.empty()) return std::nullopt;
    Result<store::Opened> opened = store::open_store(store_file);
    if (!opened) return std::nullopt;
    return std::move(opened->store);
  }

  /// Nothing when the client is to end.
  std::optional<Waiting> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stopping || !waiting.empty(); });
    if (stopping) return std::nullopt;
    Waiting first = std::move(waiting.front());
    waiting.pop_front();
    cancel_running = false;
    state.running = first.id;
    state.phase = tr_later("starting");
    state.samples = 0;
    return first;
  }

  void show(const Progress& progress) {
    const std::lock_guard lock(mutex);
    if (progress.phase == "sampling" && state.phase != "sampling") frames = 0;
    state.phase = progress.phase;
    state.samples = progress.samples;
    if (progress.phase == "restarting") {
      state.agent = State::Agent::Waiting;
      state.sentence = Message("The agent ended and is being started again.");
    } else if (progress.phase == "sampling") {
      state.agent = State::Agent::Ready;
    }
  }

  void run() {
    Measurer measurer(settings, compiler);
    std::optional<store::Store> store = open_store();
    connect(measurer);
    while (std::optional<Waiting> item = next()) {
      Outcome outcome = serve(measurer, store ? &*store : nullptr, std::move(*item));
      const bool failed = !outcome.result && !outcome.cancelled;
      finish(std::move(outcome));
      if (failed || state_agent() != State::Agent::Ready) connect(measurer);
    }
  }

  State::Agent state_agent() const {
    const std::lock_guard lock(mutex);
    return state.agent;
  }

  Outcome serve(Measurer& measurer, store::Store* store, Waiting item) {
    const auto progress = [this](const Progress& now) { show(now); };
    const auto disturbed = [this](const store::Measurement& measurement) {
      const std::lock_guard lock(mutex);
      return is_disturbed(frames, measurement);
    };
    const Result<Measured> measured = measure_once(measurer, store, item.job, &cancel_running, progress, disturbed);
    if (measured) return {item.id, std::move(item.job), measured->measurement, false, measured->from_store};
    return {item.id, std::move(item.job), measured.errors(), cancel_running.load(), false};
  }

  void finish(Outcome outcome) {
    const std::lock_guard lock(mutex);
    state.running = 0;
    outcomes.push_back(std::move(outcome));
  }
};

Client::Client(Settings settings, compile::Compiler& compiler, std::filesystem::path store_file)
    : core_(std::make_unique<Core>(std::move(settings), compiler, std::move(store_file))) {
  core_->thread = std::jthread([core = core_.get()] { core->run(); });
}

Client::~Client() {
  {
    const std::lock_guard lock(core_->mutex);
    core_->stopping = true;
    core_->cancel_running = true;
  }
  core_->changed.notify_one();
}

uint64_t Client::submit(Job job, bool urgent) {
  const std::lock_guard lock(core_->mutex);
  const uint64_t id = ++core_->last_id;
  Waiting item{id, std::move(job)};
  if (urgent)
    core_->waiting.push_front(std::move(item));
  else
    core_->waiting.push_back(std::move(item));
  core_->changed.notify_one();
  return id;
}

std::vector<Outcome> Client::poll() {
  const std::lock_guard lock(core_->mutex);
  return std::exchange(core_->outcomes, {});
}

State Client::state() const {
  const std::lock_guard lock(core_->mutex);
  State state = core_->state;
  state.waiting = core_->waiting.size();
  return state;
}

void Client::note_frame() {
  const std::lock_guard lock(core_->mutex);
  if (core_->state.phase == "sampling") ++core_->frames;
}

void Client::cancel(uint64_t id) {
  const std::lock_guard lock(core_->mutex);
  if (core_->state.running == id && id != 0) core_->cancel_running = true;
  const auto found =
      std::find_if(core_->waiting.begin(), core_->waiting.end(), [&](const Waiting& item) { return item.id == id; });
  if (found == core_->waiting.end()) return;
  core_->outcomes.push_back(cancelled_outcome(std::move(*found)));
  core_->waiting.erase(found);
}

void Client::cancel_all() {
  const std::lock_guard lock(core_->mutex);
  if (core_->state.running != 0) core_->cancel_running = true;
  for (Waiting& item : core_->waiting) core_->outcomes.push_back(cancelled_outcome(std::move(item)));
  core_->waiting.clear();
}

}  // namespace tilescope::measure
