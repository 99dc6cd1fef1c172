#include "session/workspace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/file.h"
#include "base/words.h"
#include "compile/compile.h"
#include "kernel/model.h"
#include "kernel/open_file.h"
#include "session/clock_place.h"

namespace tilescope::session {
namespace {
using analysis::Phase;
using analysis::StepKind;
using analysis::StepRef;
using analysis::Timeline;
using analysis::Unit;

constexpr float kSmallestUi = 0.5f, kLargestUi = 4;
constexpr int kMovesAFrame = 100'000;
constexpr int kLooksUntilGone = 2;
constexpr size_t kMostUndone = 200, kMostOpened = 12;
constexpr std::chrono::seconds kOneDrag{1};  // Between the values that a dragged slider takes.

/// Whose sizes are one: matrix products, which are compared, have no name; of other kernels each is its own problem.
std::string problem_of(const kernel::Kernel& kernel) {
  return kernel::used_extents(kernel.description).size() == 3 ? "" : kernel.name;
}

/// How many instructions of the kind come before `at` in its phase.
uint32_t ordinal_in_phase(const Timeline& timeline, const StepRef& at, StepKind kind) {
  uint32_t count = 0;
  for (uint32_t step = timeline.phase(at).begin; step < at.step; ++step)
    count += timeline.kind({at.warp, step}) == kind;
  return count;
}

/// The instruction of that kind with that ordinal, or the last of the kind; nullopt if the phase has none.
std::optional<uint32_t> find_in_phase(const Timeline& timeline, uint32_t warp, const Phase& phase, StepKind kind,
                                      uint32_t ordinal) {
  std::optional<uint32_t> found;
  for (uint32_t step = phase.begin; step < phase.end; ++step) {
    if (timeline.kind({warp, step}) != kind) continue;
    found = step;
    if (ordinal-- == 0) break;
  }
  return found;
}

/// The same, where a copy to shared memory does what a load does.
std::optional<uint32_t> find_like(const Timeline& timeline, uint32_t warp, const Phase& phase, StepKind kind,
                                  uint32_t ordinal) {
  const std::optional<uint32_t> found = find_in_phase(timeline, warp, phase, kind, ordinal);
  if (!found && kind == StepKind::LoadGlobal) return find_in_phase(timeline, warp, phase, StepKind::AsyncCopy, ordinal);
  if (!found && kind == StepKind::AsyncCopy) return find_in_phase(timeline, warp, phase, StepKind::LoadGlobal, ordinal);
  return found;
}

/// Which one of the phases of its kind in its k-tile, from 0.
size_t number_in_tile(const Timeline& timeline, uint32_t warp, const Phase& phase) {
  const int32_t tile = timeline.tile({warp, phase.begin});
  size_t number = 0;
  for (const Phase& each : timeline.phases(warp))
    number += each.kind == phase.kind && each.begin < phase.begin && timeline.tile({warp, each.begin}) == tile;
  return number;
}

/// Of that kind: in that k-tile or the last one before it that has any, with that number or the last there; null if
/// there is none.
const Phase* find_phase(const Timeline& timeline, uint32_t warp, analysis::PhaseKind kind, int32_t tile,
                        size_t number) {
  const Phase* best = nullptr;
  int32_t of_best = 0;
  for (const Phase& candidate : timeline.phases(warp)) {
    if (candidate.kind != kind) continue;
    const int32_t its = timeline.tile({warp, candidate.begin});
    if (best && (its > tile || (its == of_best && number_in_tile(timeline, warp, candidate) > number))) continue;
    best = &candidate;
    of_best = its;
  }
  return best;
}

StepRef first_access(const Timeline& timeline, uint32_t warp) {
  return timeline.move(timeline.first(warp), Unit::Access, 1);
}

/// The first step of a warp that shows something: an access to data, or a multiplication of its main loop.
StepRef opening_step(const Timeline& timeline, uint32_t warp) {
  for (const Phase& phase : timeline.phases(warp))
    for (uint32_t step = phase.begin; step < phase.end; ++step) {
      const StepKind kind = timeline.kind({warp, step});
      const bool multiplies = kind == StepKind::Multiply && phase.kind == analysis::PhaseKind::Compute;
      if (multiplies || kind == StepKind::LoadGlobal || kind == StepKind::AsyncCopy || kind == StepKind::LoadShared)
        return {warp, step};
    }
  return first_access(timeline, warp);
}

bool multiplies(const Timeline& timeline, uint32_t warp) {
  for (const Phase& phase : timeline.phases(warp))
    for (uint32_t step = phase.begin; phase.kind == analysis::PhaseKind::Compute && step < phase.end; ++step)
      if (timeline.kind({warp, step}) == StepKind::Multiply) return true;
  return false;
}

/// The warp on which a traced block opens: the wanted one, or, if that never multiplies, like one that copies, the
/// first that does.
uint32_t opening_warp(const Timeline& timeline, uint32_t wanted) {
  if (multiplies(timeline, wanted)) return wanted;
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp)
    if (multiplies(timeline, warp)) return warp;
  return wanted;
}

StepRef clamped(const Timeline& timeline, StepRef at) {
  at.warp = std::min(at.warp, timeline.warps() == 0 ? 0 : timeline.warps() - 1);
  if (timeline.warps() == 0 || timeline.steps(at.warp) == 0) return {};
  at.step = std::min(at.step, timeline.steps(at.warp) - 1);
  return at;
}

/// The warp's next instruction on that line after `at`, from the start again if there is none; `at` itself if the
/// warp never gets there. Instructions that do more than arithmetic on indices come first, then those of functions that
/// are called there.
StepRef next_on_line(const run::TracedBlock& traced, const StepRef& at, int line) {
  const Timeline& timeline = traced.timeline;
  const uint32_t steps = timeline.steps(at.warp);
  std::optional<StepRef> called, other;
  for (uint32_t i = 1; i <= steps; ++i) {
    const StepRef candidate{at.warp, (at.step + i) % steps};
    const uint32_t pc = timeline.pc(candidate);
    const bool does_more = timeline.kind(candidate) != StepKind::Other;
    if (traced.facts.line_of(pc) == line) {
      if (does_more) return candidate;
      if (!other) other = candidate;
    } else if (traced.facts.caller_of(pc) == line && does_more && !called) {
      called = candidate;
    }
  }
  return called ? *called : other.value_or(at);
}

}  // namespace

std::string_view to_string(Scale scale) {
  switch (scale) {
    case Scale::Grid: return "grid";
    case Scale::Block: return "block";
    case Scale::Warp: return "warp";
    case Scale::Thread: return "thread";
  }
  return {};
}

std::string_view to_string(WarpOrder order) {
  switch (order) {
    case WarpOrder::InStep: return "in step";
    case WarpOrder::Ahead: return "ahead";
    case WarpOrder::Behind: return "behind";
  }
  return {};
}

std::string_view to_string(Theme theme) { return theme == Theme::Dark ? "dark" : "light"; }

StepRef same_place(const Timeline& from, const StepRef& at, const Timeline& to) {
  StepRef result = clamped(to, at);
  if (at.warp >= from.warps() || at.step >= from.steps(at.warp) || to.warps() == 0 || to.steps(result.warp) == 0)
    return result;
  if (multiplies(from, at.warp)) result.warp = opening_warp(to, result.warp);
  const Phase& phase = from.phase(at);
  const Phase* best = find_phase(to, result.warp, phase.kind, from.tile(at), number_in_tile(from, at.warp, phase));
  result.step = best ? best->begin : 0;
  if (!best) return result;
  // What the other does not do, it does not wait for: it is where it was at what both do.
  for (uint32_t step = at.step;; --step) {
    const StepKind kind = from.kind({at.warp, step});
    if (kind != StepKind::Other || step == at.step) {
      const uint32_t ordinal = ordinal_in_phase(from, {at.warp, step}, kind);
      if (const auto like = find_like(to, result.warp, *best, kind, ordinal)) {
        result.step = *like;
        break;
      }
    }
    if (step == phase.begin) break;
  }
  return result;
}

/// Executes each command.
struct Workspace::Apply {
  Workspace& w;

  void operator()(const ChooseKernel& c) {
    w.keep_size();
    w.inputs().kernel = c.name;
    w.inputs().settings.clear();
    w.inputs().source = w.edited_text(c.name);
    w.take_size();
    w.pinned_ = {};
    w.state_.order = WarpOrder::InStep;
    w.what_if_ = {};
    w.show_inputs();
  }
  void operator()(const SetParameter& c) {
    for (const auto& [name, value] : c.with) w.inputs().settings[name] = std::to_string(value);
    w.inputs().settings[c.name] = std::to_string(c.value);
    w.show_inputs();
  }
  void operator()(const UsePreset& c) {
    if (const auto settings = kernel::preset_settings(w.current().kernel().description, c.name))
      w.inputs().settings = *settings;
    w.show_inputs();
  }
  void operator()(const SetSize& c) {
    w.inputs().size = c.size;
    w.show_inputs();
  }
  void operator()(const SetBlock& c) {
    w.inputs().block_x = c.x;
    w.inputs().block_y = c.y;
    w.inputs().block_z = c.z;
    w.show_inputs();
  }
  void operator()(const Move& c) {
    w.playing_ = false;
    for (int i = 0; i < std::min(std::abs(c.count), kMovesAFrame); ++i) w.move(c.unit, c.count > 0 ? 1 : -1);
  }
  void operator()(const GoTo& c) {
    if (w.timeline()) w.state_.cursor = clamped(*w.timeline(), c.moment);
  }
  void operator()(const GoToStart&) {
    w.playing_ = false;
    w.state_.cursor.step = 0;
  }
  void operator()(const GoToEnd&) {
    w.playing_ = false;
    if (w.timeline()) w.state_.cursor = w.timeline()->last(w.cursor(0).warp);
  }
  void operator()(const MoveWarp& c) {
    const Timeline* timeline = w.timeline();
    if (!timeline) return;
    const StepRef at = w.cursor(0);
    const uint32_t slot = timeline->slot(at);
    int left = std::abs(c.count);
    for (int64_t warp = at.warp; left > 0;) {
      warp += c.count > 0 ? 1 : -1;
      if (warp < 0 || warp >= timeline->warps()) return;
      const auto number = static_cast<uint32_t>(warp);
      if (timeline->steps(number) == 0) continue;
      w.state_.cursor = {number, timeline->step_at_or_before(number, slot)};
      --left;
    }
  }
  void operator()(const GoToLine& c) {
    if (!w.timeline()) return;
    const run::TracedBlock& traced = *w.first_->traced();
    w.state_.cursor = next_on_line(traced, w.cursor(0), run::line_with_instructions(traced, c.line));
  }
  void operator()(const ChooseLane& c) { w.state_.lane = std::min(c.lane, trace::kLanes - 1); }
  void operator()(const SetUnit& c) { w.state_.unit = c.unit; }
  void operator()(const Play& c) {
    const Timeline* timeline = w.timeline();
    if (c.on && timeline && w.cursor(0) == timeline->last(w.cursor(0).warp)) w.state_.cursor.step = 0;
    w.playing_ = c.on && timeline;
    w.owed_ = 0;
  }
  void operator()(const SetSpeed& c) { w.state_.speed = std::clamp(c.units_per_second, kSlowest, kFastest); }
  void operator()(const SetScale& c) {
    w.state_.scale = c.scale;
    (*this)(SetView{});
  }
  void operator()(const SetWarpOrder& c) { w.state_.order = c.order; }
  void operator()(const SetView& c) {
    w.state_.zoom = c.zoom;
    w.state_.pan_x = c.pan_x;
    w.state_.pan_y = c.pan_y;
  }
  void operator()(const Pin& c) { w.pinned_ = c.target; }
  void operator()(const ToggleBreakpoint& c) {
    if (w.state_.breakpoints.erase(c.line) == 0) w.state_.breakpoints.insert(c.line);
  }
  void operator()(const EditSource& c) {
    const kernel::Kernel* const original = w.find(w.inputs().kernel);
    if (original) (*this)(KeepEdit{original->name, c.edit});
    w.inputs().source = c.edit.text;
    if (original && original->source == c.edit.text) w.inputs().source.reset();
    w.show_inputs();
  }
  void operator()(const KeepEdit& c) {
    if (c.edit.text == c.edit.from)
      w.state_.edited.erase(c.kernel);
    else
      w.state_.edited[c.kernel] = c.edit;
    w.follow_edit(c.kernel);
  }
  void operator()(const Undo&) { w.exchange(w.undo_, w.redo_); }
  void operator()(const Redo&) { w.exchange(w.redo_, w.undo_); }
  void operator()(const RestoreSource&) {
    w.state_.edited.erase(w.inputs().kernel);
    w.follow_edit(w.inputs().kernel);
    w.inputs().source.reset();
    w.show_inputs();
  }
  void operator()(const SetTheme& c) { w.state_.theme = c.theme; }
  void operator()(const SetLanguage& c) { w.state_.language = c.language; }
  void operator()(const SetUiScale& c) { w.state_.ui_scale = std::clamp(c.scale, kSmallestUi, kLargestUi); }
  void operator()(const SetPresent& c) { w.state_.present = c.on; }
  void operator()(const SetStill& c) { w.state_.still = c.on; }
  void operator()(const SetRoom& c) { w.state_.room = c.room; }
  void operator()(const SetCompare& c) {
    if (c.on == w.state_.compared.has_value()) return;
    w.chosen_ = c.on ? 1 : 0;
    w.state_.compared = c.on ? std::optional(w.state_.inputs) : std::nullopt;
    w.show_inputs();
  }
  void operator()(const ChooseExperiment& c) { w.chosen_ = std::clamp(c.index, 0, w.experiments() - 1); }
  void operator()(const ChooseLesson& c) {
    w.state_.lesson = c.slug;
    w.state_.lesson_step = c.step;
    w.state_.exploring = false;
    w.state_.room.enlarged.clear();
  }
  void operator()(const SetExploring& c) {
    if (c.on == w.state_.exploring) return;
    if (c.on) w.lesson_ = w.state_;
    const bool returns = !c.on && w.remembers_lesson();
    w.state_.exploring = c.on;
    if (c.on) return (*this)(SetArch{w.state_.explored_arch, w.state_.explored_device});
    if (!returns) return;
    const State& then = *w.lesson_;
    w.state_.inputs = then.inputs;
    w.state_.compared = then.compared;
    w.state_.arch = then.arch;
    w.state_.device = then.device;
    w.state_.lane = then.lane;
    w.state_.order = then.order;
    w.state_.scale = then.scale;
    w.state_.zoom = then.zoom;
    w.state_.pan_x = then.pan_x;
    w.state_.pan_y = then.pan_y;
    w.playing_ = false;
    w.pinned_ = {};
    w.returning_ = then.cursor;
    w.show_inputs();
    if (!w.first_->stale()) w.go_to_returning();
  }
  void operator()(const ShowScene& c) {
    w.state_.inputs = c.inputs;
    w.state_.compared.reset();
    w.state_.arch = c.arch;
    w.state_.device.clear();
    w.state_.lane = std::min(c.lane, trace::kLanes - 1);
    w.state_.order = c.order;
    w.state_.clock = c.clock;
    w.what_if_ = {};
    w.what_if_.resident = c.resident;
    (*this)(SetScale{c.scale});
    w.playing_ = false;
    w.pinned_ = {};
    w.show_inputs();
    w.awaited_ = c;
    w.returning_.reset();
    if (!w.first_->stale()) w.go_to_awaited();
  }
  void operator()(const SetArch& c) {
    w.state_.arch = w.state_.explored_arch = c.arch;
    w.state_.device = w.state_.explored_device = c.device;
    w.show_inputs();
  }
  void operator()(const SetCompiler& c) {
    w.state_.compiler = c.compiler;
    w.show_inputs();
  }
  void operator()(const FindCompilers&) { w.find_compilers(); }
  void operator()(const ShowClock& c) {
    w.state_.clock = c.on;
    w.playing_ = false;
  }
  void operator()(const MoveClock& c) {
    const auto& run = w.clock(0).run();
    w.playing_ = false;
    if (run)
      w.go_to_clock(c.issues ? moved_by_issues(run->recording, w.clock_place_, c.count)
                             : moved(run->recording, w.clock_place_, c.count));
  }
  void operator()(const GoToClock& c) { w.go_to_clock(c.place); }
  void operator()(const SetWhatIf& c) { w.what_if_ = c.what_if; }
  void operator()(const FillForm& c) { w.describe(c.form); }
  void operator()(const ShowForm& c) {
    if (OpenForm* const form = w.form_now()) form->on = c.on;
  }
  void operator()(const LoadState& c) {
    std::map<std::string, Edit> edited = std::move(w.state_.edited);
    std::vector<std::string> opened = std::move(w.state_.opened);
    std::map<std::string, kernel::LaunchForm> forms = std::move(w.state_.forms);
    w.state_ = c.state;
    w.state_.opened = std::move(opened);
    forms.merge(w.state_.forms);  // Those on show stay.
    w.state_.forms = std::move(forms);
    w.state_.edited.merge(edited);  // What was edited before stays, unless the state has another text.
    w.lesson_.reset();
    (*this)(SetUiScale{c.state.ui_scale});
    (*this)(SetSpeed{c.state.speed});
    w.chosen_ = 0;
    w.playing_ = false;
    w.pinned_ = {};
    w.awaited_.reset();
    w.returning_.reset();
    if (w.state_.cursor != StepRef{}) w.returning_ = w.state_.cursor;
    w.show_inputs();
    if (w.returning_ && !w.first_->stale()) w.go_to_returning();
  }
};

Workspace::Workspace(run::RunCache& runs, std::function<void()> wake)
    : catalogue_(kernel::load_catalogue(data_folder() / "kernels")),
      known_(catalogue_),
      runs_(&runs),
      wake_(std::move(wake)) {
  first_ = std::make_unique<Experiment>(known_, *runs_, wake_);
  for (std::unique_ptr<ClockProbe>& clock : clocks_) clock = std::make_unique<ClockProbe>(wake_);
}

void Workspace::add_kernels(const std::vector<kernel::Kernel>& kernels) {
  for (const kernel::Kernel& kernel : kernels) {
    const auto same = [&](const kernel::Kernel& known) { return known.name == kernel.name; };
    if (std::none_of(known_.kernels.begin(), known_.kernels.end(), same)) known_.kernels.push_back(kernel);
  }
}

void Workspace::add(kernel::Opened opened) {
  kernel::Kernel& kernel = opened.kernel;
  kernel::set_apart(kernel, catalogue_);
  std::erase_if(known_.kernels, [&](const kernel::Kernel& known) { return known.name == kernel.name; });
  forms_.erase(kernel.name);
  if (opened.form)
    forms_[kernel.name] = {kernel.name, std::move(*opened.form),     std::move(opened.entries), {},
                           true,        std::move(opened.references)};
  std::string path = kernel::full_path(kernel);
  std::erase(state_.opened, path);
  state_.opened.insert(state_.opened.begin(), std::move(path));
  if (state_.opened.size() > kMostOpened) state_.opened.pop_back();
  known_.kernels.push_back(std::move(kernel));
}

std::vector<std::string> Workspace::opened() const {
  std::vector<std::string> names;
  for (const std::string& path : state_.opened) {
    const auto is_it = [&](const kernel::Kernel& kernel) { return kernel::full_path(kernel) == path; };
    const auto found = std::find_if(known_.kernels.rbegin(), known_.kernels.rend(), is_it);
    if (found != known_.kernels.rend()) names.push_back(found->name);
  }
  return names;
}

void Workspace::open(kernel::Opened opened) {
  kernel::set_apart(opened.kernel, catalogue_);
  keep_size();
  State state = state_;
  state.compared.reset();
  state.inputs = Inputs();
  state.inputs.kernel = opened.kernel.name;
  state.inputs.size = kernel::default_size(opened.kernel.description);
  state.inputs.source = edited_text(opened.kernel.name);
  add(std::move(opened));
  apply(LoadState{std::move(state)});
}

const OpenForm* Workspace::form() const {
  const auto found = forms_.find(current().inputs().kernel);
  return found == forms_.end() ? nullptr : &found->second;
}

OpenForm* Workspace::form_now() { return const_cast<OpenForm*>(std::as_const(*this).form()); }

/// The form's kernel gets the description of its fields; the last valid one stays while they are not valid.
void Workspace::describe(kernel::LaunchForm form) {
  OpenForm* const open = form_now();
  if (!open) return;
  open->form = std::move(form);
  for (kernel::Kernel& kernel : known_.kernels)
    if (kernel.name == open->kernel) open->problems = kernel::describe_by(kernel, open->form);
  if (!open->problems.empty()) return (chosen_ == 1 ? *second_ : *first_).refuse(open->problems);
  state_.forms[open->kernel] = open->form;
  show_inputs();
}

const kernel::Kernel* Workspace::find(const std::string& kernel) const {
  const auto found = std::ranges::find(known_.kernels, kernel, &kernel::Kernel::name);
  return found == known_.kernels.end() ? nullptr : &*found;
}

bool Workspace::knows(const std::string& kernel) const { return find(kernel) != nullptr; }

const Timeline* Workspace::timeline() const {
  const std::shared_ptr<const run::TracedBlock>& traced = first_->traced();
  return traced && traced->timeline.warps() > 0 ? &traced->timeline : nullptr;
}

// A loaded state has the cursor of a block that is not there yet: in the block still shown it is moved to a place that
// exists.
StepRef Workspace::cursor(int index) const {
  if (!timeline()) return state_.cursor;
  if (index == 0) return clamped(*timeline(), state_.cursor);
  const std::shared_ptr<const run::TracedBlock>& traced = second_->traced();
  return traced ? same_place(*timeline(), state_.cursor, traced->timeline) : StepRef{};
}

void Workspace::keep_size() {
  if (const kernel::Kernel* const kernel = find(inputs().kernel)) sizes_[problem_of(*kernel)] = inputs().size;
}

// A size that the newly chosen kernel does not support is replaced by the default.
void Workspace::take_size() {
  const kernel::Kernel* const kernel = find(inputs().kernel);
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(state_.arch));
  if (!kernel || !limits) return;
  const std::string problem = problem_of(*kernel);
  const kernel::Size by_default = problem.empty() ? Inputs().size : kernel::default_size(kernel->description);
  const auto kept = sizes_.find(problem);
  kernel::Size& size = inputs().size = kept == sizes_.end() ? by_default : kept->second;
  kernel::Model model(kernel->description, run::configuration_limits(*limits));
  model.set("M", size.m);
  model.set("N", size.n);
  model.set("K", size.k);
  if (model.broken() > 0) size = by_default;
}

void Workspace::apply(const Command& command) {
  Shown before = shown();
  const StepRef cursor = state_.cursor;
  const ClockPlace place = clock_place_;
  std::visit(Apply{*this}, command);
  remember(command, std::move(before));
  if (!state_.in_lesson()) {
    state_.explored_arch = state_.arch;
    state_.explored_device = state_.device;
  }
  if (!(state_.cursor == cursor) && place == clock_place_) follow_cursor();
  look();
}

std::optional<Diagnostic> Workspace::no_clock() const {
  const std::shared_ptr<const run::TracedBlock>& traced = first_->traced();
  if (!traced) return std::nullopt;
  if (traced->prepared->build->compiled.cubin.empty())
    return error(Message("Clocks are those of machine code, and this kernel was compiled without: it needs NVRTC."));
  const Diagnostics problems = clocks_[0]->problems_of(*traced);
  if (problems.empty()) return std::nullopt;
  const Message why = Message("This launch cannot be simulated clock by clock: {}", problems.front().message);
  // Its advice is a command; the window has a panel that says the same.
  return error(problems.front().advice.empty() ? why : Message("{} The Findings panel names the threads.", why));
}

/// Has the SM of what is on show simulated.
void Workspace::look_at_clock() {
  if (!state_.clock) return;
  for (int i = 0; i < experiments(); ++i)
    if (const auto& traced = experiment(i).traced(); traced && !experiment(i).stale())
      clocks_[static_cast<size_t>(i)]->ask(*traced, what_if_);
}

/// A new recording opens where the cursor's instruction is, or where the rate is steady.
bool Workspace::poll_clock() {
  const std::shared_ptr<const ClockRun> before = clocks_[0]->run();
  bool changed = clocks_[0]->poll();
  changed |= clocks_[1]->poll();
  const auto& run = clocks_[0]->run();
  if (!run || run == before) return changed;
  const run::PreparedPointer launch = first_->traced() ? first_->traced()->prepared : nullptr;
  // Only a what-if was changed: the block and its warp stay.
  const bool fits = placed_launch_ && placed_launch_ == launch && before && !(before->what_if == run->what_if) &&
                    clock_place_.slot < run->recording.slots.size() && clock_place_.clock < run->recording.clocks;
  if (!fits) {
    clock_place_ = opening_place(run->recording);
    placed_launch_ = clocks_[0]->simulating() ? nullptr : launch;
  }
  follow_cursor();
  return true;
}

/// The clock goes where the cursor's instruction is issued.
void Workspace::follow_cursor() {
  const auto& run = clocks_[0]->run();
  if (!state_.clock || !run || !timeline() || clocks_[0]->simulating()) return;
  if (const auto place = place_of(*run, *first_->traced(), cursor(0), clock_place_)) clock_place_ = *place;
}

/// The cursor goes to the instruction that the warp there issues, or waits to.
void Workspace::go_to_clock(const ClockPlace& place) {
  const auto& run = clocks_[0]->run();
  if (!run || place.slot >= run->recording.slots.size()) return;
  clock_place_ = moved(run->recording, place, 0);
  if (!timeline() || clocks_[0]->simulating()) return;
  if (const auto step = step_of(*run, *first_->traced(), clock_place_)) state_.cursor = clamped(*timeline(), *step);
}

// The values of a dragged slider are one change.
void Workspace::remember(const Command& command, Shown before) {
  if (std::holds_alternative<Undo>(command) || std::holds_alternative<Redo>(command)) return;
  if (std::holds_alternative<LoadState>(command)) {
    undo_.clear();
    redo_.clear();
    return;
  }
  if (before == shown()) return;
  const auto* parameter = std::get_if<SetParameter>(&command);
  const bool of_what_if = std::holds_alternative<SetWhatIf>(command) &&
                          (before.what_if.dram != what_if_.dram || before.what_if.resident != what_if_.resident);
  const std::string dragged = parameter ? parameter->name : of_what_if ? "what if" : "";
  const auto now = std::chrono::steady_clock::now();
  const bool goes_on = !dragged.empty() && dragged == dragged_ && now - changed_ < kOneDrag && !undo_.empty();
  dragged_ = dragged;
  changed_ = now;
  redo_.clear();
  if (goes_on) return;
  undo_.push_back(std::move(before));
  if (undo_.size() > kMostUndone) undo_.erase(undo_.begin());
}

/// Shows the last of `from`, and puts what is on screen into `to`.
void Workspace::exchange(std::vector<Shown>& from, std::vector<Shown>& to) {
  if (from.empty()) return;
  to.push_back(shown());
  Shown wanted = std::move(from.back());
  from.pop_back();
  state_.inputs = std::move(wanted.inputs);
  state_.compared = std::move(wanted.compared);
  state_.arch = std::move(wanted.arch);
  state_.device = std::move(wanted.device);
  what_if_ = wanted.what_if;
  dragged_.clear();
  for (const Inputs* each : {&state_.inputs, state_.compared ? &*state_.compared : nullptr})
    if (const kernel::Kernel* const kernel = each && each->source ? find(each->kernel) : nullptr) {
      const Edit* const edit = edit_of(each->kernel);
      Apply{*this}(KeepEdit{each->kernel, {*each->source, edit ? edit->from : kernel->source}});
    }
  show_inputs();
}

bool Workspace::remembers_lesson() const {
  return lesson_ && lesson_->lesson == state_.lesson && lesson_->lesson_step == state_.lesson_step;
}

const Edit* Workspace::edit_of(const std::string& kernel) const {
  const auto found = state_.edited.find(kernel);
  return found == state_.edited.end() ? nullptr : &found->second;
}

bool Workspace::is_newer_than(const Edit& edit, const std::string& kernel) const {
  const kernel::Kernel* const file = find(kernel);
  return file && !edit.from.empty() && file->source != edit.from && file->source != edit.text;
}

std::optional<std::string> Workspace::edited_text(const std::string& kernel) const {
  const Edit* const edit = edit_of(kernel);
  return edit ? std::optional(edit->text) : std::nullopt;
}

void Workspace::keep_copies_in(std::filesystem::path folder, std::filesystem::file_time_type since) {
  copies_ = std::move(folder);
  copies_since_ = since;
}

std::filesystem::path Workspace::file_to_edit(const std::string& kernel) const {
  const kernel::Kernel* const shown = find(kernel);
  if (!shown || shown->is_users) return shown ? shown->file : std::filesystem::path();
  return copies_.empty() ? copies_ : copies_ / shown->file.filename();
}

Result<std::monostate> Workspace::write_copy(const std::string& kernel) {
  const kernel::Kernel* const original = find(kernel);
  if (!original || original->is_users) return std::monostate{};
  const std::filesystem::path copy = file_to_edit(kernel);
  const std::string text = edited_text(kernel).value_or(original->source);
  // Another editor would ask about a file that is written again.
  if (const Result<std::string> there = read_file(copy); there && *there == text) return std::monostate{};
  std::error_code problem;
  std::filesystem::create_directories(copies_, problem);
  const Result<std::monostate> written = write_file(copy, text);
  if (written) watched_[copy] = {std::filesystem::last_write_time(copy, problem), 0};
  return written;
}

/// A copy that is there has what the user edits here.
void Workspace::follow_edit(const std::string& kernel) {
  std::error_code problem;
  if (std::filesystem::exists(file_to_edit(kernel), problem)) (void)write_copy(kernel);
}

/// What another editor saved in a copy is the user's edit.
bool Workspace::take_copies() {
  bool changed = false;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(copies_, none)) {
    const auto kernel = std::ranges::find_if(known_.kernels, [&](const kernel::Kernel& each) {
      return !each.is_users && each.file.filename() == entry.path().filename();
    });
    if (kernel == known_.kernels.end() || !has_changed(entry.path())) continue;
    const Result<std::string> text = read_file(entry.path(), compile::kMaxSourceBytes);
    if (!text || *text == edited_text(kernel->name).value_or(kernel->source)) continue;
    const Edit edit{*text, kernel->source};
    apply(inputs().kernel == kernel->name ? Command(EditSource{edit}) : Command(KeepEdit{kernel->name, edit}));
    changed = true;
  }
  return changed;
}

/// Requests the registers at the cursor. While playing, nobody could read them.
void Workspace::look() {
  look_at_clock();
  if (playing_ || !timeline()) return;
  first_->look_at(cursor(0));
  if (second_) second_->look_at(cursor(1));
}

void Workspace::show_inputs() {
  if (state_.compared && !second_) second_ = std::make_unique<Experiment>(known_, *runs_, wake_);
  if (!state_.compared) {
    second_.reset();
    chosen_ = 0;
  }
  first_->set(state_.inputs, state_.arch, state_.compiler, state_.device);
  if (second_) second_->set(*state_.compared, state_.arch, state_.compiler, state_.device);
}

void Workspace::find_compilers() {
  if (compilers_ || finding_.is_pending()) return;
  const auto find = [&compiler = runs_->compiler()] {
    const auto name = [](const Result<compile::Toolchain>& found) {
      return found ? found->compiler + " " + found->version : std::string();
    };
    return Compilers{name(compiler.toolchain()), name(compiler.nvcc()), name(compiler.clang())};
  };
  finding_ = Async<Compilers>(find, wake_);
}

bool Workspace::poll() {
  const std::shared_ptr<const run::TracedBlock> before = first_->traced();
  bool changed = first_->poll();
  if (second_) changed |= second_->poll();
  if (finding_.is_made()) {
    compilers_ = finding_.take();
    changed = true;
  }
  if (first_->traced() != before) carry_cursor(before);
  changed |= poll_clock();
  if (changed) look();
  return changed;
}

void Workspace::go_to_awaited() {
  if (!timeline()) return;
  const ShowScene wanted = *awaited_;
  awaited_.reset();
  state_.cursor = clamped(*timeline(), {wanted.warp, 0});
  const std::optional<StepRef> found =
      run::find_moment(*first_->traced(), wanted.line, wanted.occurrence, state_.cursor.warp, wanted.array);
  state_.cursor = found ? *found : first_access(*timeline(), state_.cursor.warp);
}

void Workspace::go_to_returning() {
  if (!timeline()) return;
  state_.cursor = clamped(*timeline(), *returning_);
  returning_.reset();
}

void Workspace::carry_cursor(const std::shared_ptr<const run::TracedBlock>& before) {
  if (!timeline()) return;
  if (awaited_) return go_to_awaited();
  if (returning_) return go_to_returning();
  const StepRef at = state_.cursor;
  if (!before) {
    state_.cursor =
        at == StepRef{} ? opening_step(*timeline(), opening_warp(*timeline(), 0)) : clamped(*timeline(), at);
    return;
  }
  state_.cursor = same_place(before->timeline, at, *timeline());
  // The first and the last instruction of another kernel are no place in this one.
  const bool at_end = at.step == 0 || (at.warp < before->timeline.warps() && at == before->timeline.last(at.warp));
  if (at_end && before->request().kernel.name != first_->traced()->request().kernel.name)
    state_.cursor = opening_step(*timeline(), state_.cursor.warp);
}

bool Workspace::move(Unit unit, int direction) {
  if (!timeline()) return false;
  const StepRef before = state_.cursor = clamped(*timeline(), state_.cursor);
  state_.cursor = timeline()->move(before, unit, direction);
  return state_.cursor != before;
}

// `to` becomes the first instruction on the way of a line with a breakpoint.
bool Workspace::stops_at_breakpoint(const StepRef& from, StepRef& to) const {
  if (state_.breakpoints.empty()) return false;
  int line_before = first_->traced()->facts.line_of(timeline()->pc(from));
  for (StepRef at{from.warp, from.step + 1}; at.step <= to.step; ++at.step) {
    const int line = first_->traced()->facts.line_of(timeline()->pc(at));
    if (line != line_before && state_.breakpoints.contains(line)) {
      to = at;
      return true;
    }
    line_before = line;
  }
  return false;
}

bool Workspace::advance(double seconds) {
  if (!playing_ || !timeline()) return false;
  owed_ += seconds * state_.speed;
  if (state_.clock) return advance_clock();
  const StepRef start = state_.cursor;
  for (; owed_ >= 1 && playing_; --owed_) {
    const StepRef before = state_.cursor;
    if (!move(state_.unit, 1) || stops_at_breakpoint(before, state_.cursor)) playing_ = false;
  }
  look();
  return state_.cursor != start || !playing_;
}

bool Workspace::advance_clock() {
  const ClockPlace before = clock_place_;
  const double whole = std::floor(owed_);
  owed_ -= whole;
  const auto& run = clocks_[0]->run();
  if (run) go_to_clock(moved(run->recording, before, static_cast<int64_t>(whole)));
  if (whole > 0 && clock_place_ == before) playing_ = false;
  return !(clock_place_ == before) || !playing_;
}

/// A missing file counts as changed at the second check: many editors write another file and rename it.
bool Workspace::has_changed(const std::filesystem::path& file) {
  std::error_code problem;
  const auto time = std::filesystem::last_write_time(file, problem);
  const auto known = watched_.find(file);
  if (known == watched_.end()) {
    if (!problem) watched_[file] = {time, 0};
    return !problem && file.parent_path() == copies_ && time > copies_since_;
  }
  Watched& watched = known->second;
  if (problem) return ++watched.missing == kLooksUntilGone;
  const bool changed = watched.time != time || watched.missing >= kLooksUntilGone;
  watched = {time, 0};
  return changed;
}

/// Every experiment that shows the file's own text has its newest one, or says why not.
bool Workspace::reload(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, compile::kMaxSourceBytes);
  bool changed = false;
  for (int i = 0; i < experiments(); ++i) {
    Experiment& each = i == 0 ? *first_ : *second_;
    if (each.kernel().file != file) continue;
    if (!text) {
      if (each.edited()) continue;
      each.refuse({error(Message("{} The earlier version is still shown. Save a kernel of at most {} KiB there.",
                                 text.errors().front().message, compile::kMaxSourceBytes >> 10))});
      changed = true;
      continue;
    }
    const auto known = std::ranges::find(known_.kernels, each.kernel().name, &kernel::Kernel::name);
    if (known == known_.kernels.end()) continue;
    changed |= each.refused() || known->source != *text;
    known->source = *text;
    Inputs& inputs = i == 0 ? state_.inputs : *state_.compared;
    if (inputs.source != *text) continue;
    inputs.source.reset();
    state_.edited.erase(known->name);
  }
  if (changed && text) show_inputs();
  return changed;
}

bool Workspace::watch_files() {
  const std::filesystem::path first = first_->kernel().file;
  const std::filesystem::path second = second_ ? second_->kernel().file : first;
  bool changed = has_changed(first) && reload(first);
  if (second != first && has_changed(second)) changed |= reload(second);
  return take_copies() || changed;
}

}  // namespace tilescope::session
