#include "session/register_probe.h"

#include "session/launch_memory.h"

namespace tilescope::session {

Result<Registers> read_registers(const Scene& scene, const analysis::Moment& at, const std::atomic<bool>* cancel) {
  Result<LaunchMemory> launch = place_launch(scene.prepared, scene.request.seed);
  if (!launch) return launch.errors();
  Registers watch;
  watch.warp = at.warp;
  watch.step = at.step;
  emulator::RunOptions options;
  options.cancel = cancel;
  options.watch = &watch;
  emulator::Machine(*scene.prepared.program, launch->launch, launch->memory).run_block(scene.block, options);
  if (watch.reached) return watch;
  return error(cancel && cancel->load() ? "Cancelled." : "The run does not come to this instruction.");
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
  std::optional<Registers> registers;  ///< Of `answered`; none where they cannot be had.
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
    const Result<Registers> watch = read_registers(*question.scene, question.at, cancel.get());
    lock.lock();
    if (*cancel) continue;
    shared->answered = question;
    shared->registers = watch ? std::optional(*watch) : std::nullopt;
    lock.unlock();
    shared->woken();
  }
}

void RegisterProbe::ask(const std::shared_ptr<const Scene>& scene, const analysis::Moment& at) {
  if (asked_ == Question{scene, at}) return;
  asked_ = {scene, at};
  if (answered_.scene != scene) {  // Nobody asks for it any more, and it may be large.
    answered_ = {};
    registers_.reset();
  }
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
  registers_ = std::exchange(shared_->registers, std::nullopt);
  return true;
}

const Registers* RegisterProbe::registers(const Scene* scene, const analysis::Moment& at) const {
  return registers_ && answered_.scene.get() == scene && answered_.at == at ? &*registers_ : nullptr;
}

}  // namespace tilescope::session
