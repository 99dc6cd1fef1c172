#include "session/register_probe.h"

#include <utility>

#include "session/launch_memory.h"

namespace tilescope::session {

namespace {

/// Instructions of a stretch: their registers take some 4 MB.
constexpr uint32_t kStretch = 4096;

analysis::Moment stretch_of(const analysis::Moment& at) { return {at.warp, at.step / kStretch * kStretch}; }

}  // namespace

Result<std::vector<Registers>> read_registers(const Scene& scene, const analysis::Moment& from, uint32_t count,
                                              const std::atomic<bool>* cancel) {
  Result<LaunchMemory> launch = place_launch(scene.prepared, scene.request.seed);
  if (!launch) return launch.errors();
  emulator::Watch watch{from.warp, from.step, count, {}};
  emulator::RunOptions options;
  options.cancel = cancel;
  options.watch = &watch;
  emulator::Machine(*scene.prepared.program, launch->launch, launch->memory).run_block(scene.block, options);
  if (cancel && cancel->load()) return error("Cancelled.");
  if (watch.issued.empty()) return error("The run does not come to this instruction.");
  return std::move(watch.issued);
}

/// What both threads see, under the mutex.
struct RegisterProbe::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> woken;
  bool ends = false;
  std::optional<Question> wanted;  ///< Not begun yet.
  std::shared_ptr<std::atomic<bool>> cancel = std::make_shared<std::atomic<bool>>(false);
  std::optional<Question> answered;
  std::vector<Registers> registers;  ///< Of `answered`; empty where they cannot be had.
};

RegisterProbe::RegisterProbe(std::function<void()> woken) : shared_(std::make_shared<Shared>()) {
  shared_->woken = std::move(woken);
  worker_ = std::jthread([shared = shared_] { work(shared); });
}

RegisterProbe::~RegisterProbe() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ends = true;
  *shared_->cancel = true;
  shared_->changed.notify_all();
}

void RegisterProbe::work(const std::shared_ptr<Shared>& shared) {
  for (;;) {
    std::unique_lock lock(shared->mutex);
    shared->changed.wait(lock, [&] { return shared->ends || shared->wanted; });
    if (shared->ends) return;
    const Question question = std::move(*shared->wanted);
    shared->wanted.reset();
    const std::shared_ptr<std::atomic<bool>> cancel = shared->cancel;
    lock.unlock();
    Result<std::vector<Registers>> read = read_registers(*question.scene, question.from, kStretch, cancel.get());
    lock.lock();
    if (*cancel) continue;
    shared->answered = question;
    shared->registers = read ? std::move(*read) : std::vector<Registers>{};
    lock.unlock();
    shared->woken();
  }
}

void RegisterProbe::ask(const std::shared_ptr<const Scene>& scene, const analysis::Moment& at) {
  if (asked_ == Question{scene, stretch_of(at)}) return;
  asked_ = {scene, stretch_of(at)};
  answered_ = {};  // Nobody asks for it any more, and it may be large.
  registers_ = {};
  const std::lock_guard lock(shared_->mutex);
  *shared_->cancel = true;
  shared_->cancel = std::make_shared<std::atomic<bool>>(false);
  shared_->wanted = asked_;
  shared_->changed.notify_all();
}

bool RegisterProbe::poll() {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->answered) return false;
  answered_ = std::move(*shared_->answered);
  shared_->answered.reset();
  registers_ = std::exchange(shared_->registers, {});
  return true;
}

const Registers* RegisterProbe::registers(const Scene* scene, const analysis::Moment& at) const {
  if (answered_.scene.get() != scene || !(answered_.from == stretch_of(at))) return nullptr;
  const size_t index = at.step - answered_.from.step;
  return index < registers_.size() ? &registers_[index] : nullptr;
}

}  // namespace tilescope::session
