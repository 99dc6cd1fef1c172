#include "lesson/runs.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace tilescope::lesson {
namespace {

using TracedPointer = std::shared_ptr<const run::TracedBlock>;

run::Request request_of(const Scene& scene) {
  run::Request request;
  request.kernel = *scene.kernel;
  request.settings = scene.settings;
  request.size = scene.size;
  request.arch = scene.arch;
  if (scene.seed) request.seed = *scene.seed;
  return request;
}

std::string key_of(const Scene& scene) {
  return fmt::format("{},{} {} {}", scene.block_x, scene.block_y, scene.check, run::key_of(request_of(scene)));
}

/// The array that each instruction accesses in some traced blocks, by pc. Only the first active lane is looked at: the
/// lanes of one access lie in one array in every kernel of a lesson.
class ArrayOfPc {
 public:
  explicit ArrayOfPc(size_t instructions) : global_(instructions), shared_(instructions) {}

  void note(const run::TracedBlock& traced) {
    for (size_t i = 0; i < traced.trace.size(); ++i)
      if (traced.trace.kind(i) == trace::RecordKind::Access && traced.trace.active(i) != 0) note(traced, i);
  }
  /// Empty where no access was seen, or accesses to several arrays.
  std::string name(Space space, size_t pc) const {
    return (space == Space::Shared ? shared_ : global_)[pc].value_or("");
  }
  /// Whether every counted instruction was seen in a trace.
  bool covers(const std::vector<analysis::PcCounts>& pcs) const {
    for (size_t pc = 0; pc < pcs.size(); ++pc) {
      const analysis::PcCounts& of = pcs[pc];
      const bool global = of.global_load.requests + of.global_store.requests + of.global_atomic.requests > 0;
      const bool shared = of.shared_load.requests + of.shared_store.requests + of.shared_atomic.requests > 0;
      if ((global && !global_[pc]) || (shared && !shared_[pc])) return false;
    }
    return true;
  }

 private:
  void note(const run::TracedBlock& traced, size_t i) {
    const trace::Trace& trace = traced.trace;
    const Space space = trace.space(i);
    if (space != Space::Global && space != Space::Shared) return;
    uint64_t addresses[trace::kLanes];
    trace.addresses(i, addresses);
    const Allocation* array = traced.facts.array_at(space, addresses[__builtin_ctz(trace.active(i))]);
    if (!array) return;
    std::optional<std::string>& name = (space == Space::Shared ? shared_ : global_)[trace.step(i).pc];
    name = !name || *name == array->name ? array->name : "";
  }

  std::vector<std::optional<std::string>> global_, shared_;  ///< nullopt: no access seen. Empty: several arrays.
};

/// The sides of an instruction's counts that belong to one space.
analysis::PcCounts side_of(const analysis::PcCounts& counts, Space space) {
  analysis::PcCounts side;
  if (space == Space::Shared) {
    side.shared_load = counts.shared_load;
    side.shared_store = counts.shared_store;
    side.shared_load_merged = counts.shared_load_merged;
    side.shared_store_merged = counts.shared_store_merged;
    side.shared_atomic = counts.shared_atomic;
  } else {
    side.global_load = counts.global_load;
    side.global_store = counts.global_store;
    side.global_atomic = counts.global_atomic;
  }
  return side;
}

std::map<std::string, analysis::PcCounts> by_array(const run::Report& report, const ArrayOfPc& arrays) {
  std::map<std::string, analysis::PcCounts> result;
  for (size_t pc = 0; pc < report.counts.pcs.size(); ++pc)
    for (const Space space : {Space::Global, Space::Shared})
      if (const std::string name = arrays.name(space, pc); !name.empty())
        result[name].merge(side_of(report.counts.pcs[pc], space));
  return result;
}

/// Of the whole grid, with checkers if the scene wants them.
Result<std::shared_ptr<const run::RunResult>> run_grid(const run::PreparedPointer& prepared, bool check,
                                                       run::RunCache& runs, const std::atomic<bool>* cancel) {
  const auto as_result = [](const auto& made) -> Result<std::shared_ptr<const run::RunResult>> {
    if (!made) return made.errors();
    return std::shared_ptr<const run::RunResult>(*made);
  };
  return check ? as_result(runs.check_blocks(prepared, std::nullopt, cancel))
               : as_result(runs.count_grid(prepared, cancel));
}

}  // namespace

Result<SceneRun> run_scene(const Scene& scene, run::RunCache& runs, const std::atomic<bool>* cancel) {
  const Result<run::PreparedPointer> prepared = runs.prepare(request_of(scene), cancel);
  if (!prepared) return prepared.errors();
  const auto grid = run_grid(*prepared, scene.check, runs, cancel);
  if (!grid) return grid.errors();
  const Result<TracedPointer> traced = runs.trace_block(*prepared, {scene.block_x, scene.block_y}, cancel);
  if (!traced) return traced.errors();
  const run::Report& report = (*grid)->report;
  ArrayOfPc arrays(report.counts.pcs.size());
  arrays.note(**traced);
  // Instructions that only run inside or at the edge are found in the first or the last block.
  for (const run::BlockPosition& block : {run::BlockPosition{0, 0}, {report.grid.x - 1, report.grid.y - 1}}) {
    if (arrays.covers(report.counts.pcs)) break;
    const Result<TracedPointer> other = runs.trace_block(*prepared, block, cancel);
    if (!other) return other.errors();
    arrays.note(**other);
  }
  return SceneRun{*grid, *traced, by_array(report, arrays)};
}

Result<std::shared_ptr<const SceneRun>> Runs::run(const Scene& scene) {
  const std::string key = key_of(scene);
  const auto known = std::find_if(done_.begin(), done_.end(), [&](const Done& done) { return done.key == key; });
  if (known != done_.end()) {
    done_.splice(done_.begin(), done_, known);
    known->used = true;
    return known->run;
  }
  Result<SceneRun> run = run_scene(scene, *runs_, cancel_);
  if (!run) return run.errors();
  done_.push_front({key, std::make_shared<const SceneRun>(std::move(*run))});
  if (done_.size() > kMostKept) done_.pop_back();
  return done_.front().run;
}

void Runs::note_unused() {
  for (Done& done : done_) done.used = false;
}

void Runs::forget_unused() {
  std::erase_if(done_, [](const Done& done) { return !done.used; });
}

}  // namespace tilescope::lesson
