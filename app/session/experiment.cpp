#include "session/experiment.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/number.h"
#include "base/words.h"
#include "run/growth.h"

namespace tilescope::session {
namespace {
using Clock = Worker::Clock;

// A dragged slider gives many inputs: inputs in quick succession wait until it has been still.
constexpr std::chrono::milliseconds kFast{250};
constexpr std::chrono::milliseconds kDebounce{60};

}  // namespace

struct Experiment::Job {
  run::Request request;
  kernel::Configuration configuration;
  run::BlockPosition block;
};

Experiment::Experiment(const kernel::Catalogue& catalogue, run::RunCache& runs, std::function<void()> woken)
    : catalogue_(&catalogue),
      runs_(&runs),
      legality_(error(Message("No kernel is chosen."))),
      probe_(woken),
      worker_(std::move(woken), [this](const Message& why) { fail({error(why)}, 0); }) {}

// On the worker's thread: everything comes back through delivered results. `this` is used in these alone.
void Experiment::run(const Job& job, run::RunCache& runs, const Worker::Turn& turn) {
  const auto give_up = [&](Diagnostics problems, int64_t fitting_k = 0) {
    turn.deliver([this, problems = std::move(problems), fitting_k] { fail(problems, fitting_k); });
  };
  const Result<run::PreparedPointer> prepared = runs.prepare(job.request, &turn.cancel(), job.configuration);
  if (!prepared) return give_up(prepared.errors());
  if (const auto fitting_k = run::fitting_k(**prepared, runs.compiler(), runs.control(&turn.cancel())))
    return give_up(
        {error(Message("The trace of a block with K = {} would be too large. Choose a smaller K, such as {}.",
                       job.request.size.k, *fitting_k))},
        *fitting_k);
  const auto traced = runs.trace_block(*prepared, job.block, &turn.cancel());
  if (!traced) return give_up(traced.errors());
  if (const auto problem = run::why_cut_off((*traced)->report)) return give_up({*problem});
  turn.deliver([this, traced = *traced] { take_traced(traced); });
  const auto counted = runs.count_grid(*prepared, &turn.cancel());
  turn.deliver([this, counted] {
    if (counted)
      counted_ = *counted;
    else
      count_problems_ = counted.errors();
    progress_ = Progress::Checking;
  });
  if (turn.cancel()) return;
  const auto checked = runs.check_blocks(*prepared, job.block, &turn.cancel());
  turn.deliver([this, checked] {
    if (checked)
      checked_ = *checked;
    else
      check_problems_ = checked.errors();
    progress_ = Progress::Idle;
  });
}

void Experiment::take_traced(std::shared_ptr<const run::TracedBlock> traced) {
  traced_ = std::move(traced);
  counted_.reset();
  checked_.reset();
  count_problems_.clear();
  check_problems_.clear();
  progress_ = Progress::Counting;
}

void Experiment::fail(Diagnostics problems, int64_t fitting_k) {
  problems_ = std::move(problems);
  fitting_k_ = fitting_k;
  progress_ = Progress::Failed;
}

void Experiment::set(const Inputs& inputs, const std::string& arch, compile::Choice compiler,
                     const std::string& device) {
  const bool same =
      traced_ && !refused_ && inputs == inputs_ && arch == arch_ && compiler == compiler_ && device == device_;
  inputs_ = inputs;
  Result<kernel::Kernel> found = find_kernel();
  // A file of the user may have been opened again, or have another description.
  if (same && found && found->source == kernel_.source && found->description.text == kernel_.description.text) return;
  refused_ = false;
  arch_ = arch;
  device_ = device;
  compiler_ = compiler;
  problems_.clear();
  start(std::move(found));
}

Result<kernel::Kernel> Experiment::find_kernel() const {
  Result<kernel::Kernel> found = kernel::find_kernel(*catalogue_, inputs_.kernel);
  if (found && inputs_.source) found->source = *inputs_.source;
  return found;
}

void Experiment::refuse(const Diagnostics& problems) {
  drop_work();
  refused_ = true;
  progress_ = Progress::Failed;
  problems_ = problems;
}

void Experiment::drop_work() {
  fitting_k_ = 0;
  worker_.cancel();
}

void Experiment::start(Result<kernel::Kernel> found) {
  drop_work();
  if (!found) {
    legality_ = found.errors();
    return fail(found.errors(), 0);
  }
  kernel_ = std::move(*found);
  run::Request request;
  request.kernel = kernel_;
  request.settings = inputs_.settings;
  request.size = inputs_.size;
  request.arch = arch_;
  request.device = device_;
  request.compiler = compiler_;
  legality_ = run::configure(request);
  if (!legality_) return fail(legality_.errors(), 0);
  progress_ = Progress::Tracing;
  const Clock::time_point now = Clock::now(), begins = now < asked_ + kFast ? now + kDebounce : now;
  asked_ = now;
  const run::BlockPosition block{std::min(inputs_.block_x, legality_->grid.x - 1),
                                 std::min(inputs_.block_y, legality_->grid.y - 1),
                                 std::min(inputs_.block_z, legality_->grid.z - 1)};
  const auto job = std::make_shared<const Job>(Job{std::move(request), *legality_, block});
  worker_.replace([this, job, runs = runs_](const Worker::Turn& turn) { run(*job, *runs, turn); }, begins);
}

std::vector<std::map<std::string, int64_t>> Experiment::shipped(const kernel::Kernel& kernel) const {
  compile::Request request;
  request.file_name = kernel.file.string();
  request.arch = kernel::compiled_arch(kernel.description, arch_);
  std::vector<std::map<std::string, int64_t>> all;
  for (const std::vector<compile::Macro>& macros : runs_->compiler().shipped(request)) {
    all.emplace_back();
    for (const compile::Macro& macro : macros)
      if (const auto value = whole_number_of(macro.value)) all.back()[macro.name] = static_cast<int64_t>(*value);
  }
  return all;
}

void Experiment::look_at(const analysis::StepRef& at) {
  if (traced_) probe_.ask(traced_, at);
}

bool Experiment::poll() {
  const bool read = probe_.poll();
  return worker_.poll() || read;
}

}  // namespace tilescope::session
