#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "kernel/open_file.h"
#include "session/clock_probe.h"
#include "session/command.h"
#include "session/experiment.h"

namespace tilescope::session {

/// The moment of `to` that corresponds to `at` in `from`: the same k-tile, phase and kind of instruction, as far as
/// there is one.
analysis::StepRef same_place(const analysis::Timeline& from, const analysis::StepRef& at, const analysis::Timeline& to);

/// The form, filled in by the user, of a kernel whose file has no description.
struct OpenForm {
  std::string kernel;
  kernel::LaunchForm form;
  std::vector<std::string> entries;          ///< The kernels of the file.
  Diagnostics problems;                      ///< Why the fields are not a valid description.
  bool on = true;                            ///< On show.
  std::vector<std::string> references = {};  ///< Kernels that it can be compared with.
};

/// The compilers of this machine, "NVRTC 13.0", "nvcc 13.0" and "clang 16"; empty if there is none.
struct Compilers {
  std::string nvrtc, nvcc, clang;
};

/// Everything behind the window: the state, one or two experiments, the cursor. No GL, no ImGui; for one thread.
class Workspace {
 public:
  /// `wake` is called from other threads when poll() has something to take over.
  explicit Workspace(
      run::RunCache& runs, std::function<void()> wake = [] {});

  /// The kernels to choose from.
  const kernel::Catalogue& catalogue() const { return catalogue_; }
  /// Adds kernels that inputs may name, such as those of lessons. Known names are skipped.
  void add_kernels(const std::vector<kernel::Kernel>& kernels);
  /// Lets inputs name a kernel of the user, in place of the one opened from that file before.
  void add(kernel::Opened opened);
  /// Shows a kernel of the user's file, in place of the one opened from that file before; with its form if the file has
  /// no description.
  void open(kernel::Opened opened);
  /// The form of the shown kernel, or null.
  const OpenForm* form() const;
  /// The names of the kernels of the user's files that were opened, the last one first.
  std::vector<std::string> opened() const;
  /// A kernel that inputs may name, from its file, without the user's changes; or null.
  const kernel::Kernel* find(const std::string& kernel) const;
  /// What the user made of that kernel's text; or null.
  const Edit* edit_of(const std::string& kernel) const;
  /// Its text.
  std::optional<std::string> edited_text(const std::string& kernel) const;
  /// Kernels that ship are edited elsewhere as copies in this folder. What was saved in one after `since` is taken
  /// over.
  void keep_copies_in(std::filesystem::path folder, std::filesystem::file_time_type since);
  /// The file of a kernel for another editor: the user's own, or a copy, which write_copy() makes. Empty: there is
  /// none.
  std::filesystem::path file_to_edit(const std::string& kernel) const;
  /// Writes the kernel's text, with the user's changes, to its copy; nothing to a file of the user's own.
  Result<std::monostate> write_copy(const std::string& kernel);
  /// Whether the kernel's file has another text than the edit was made from, and than the edit itself.
  bool is_newer_than(const Edit& edit, const std::string& kernel) const;
  /// Whether inputs may name this kernel.
  bool knows(const std::string& kernel) const;
  const State& state() const { return state_; }
  /// Null until they are found; see FindCompilers.
  const Compilers* compilers() const { return compilers_ ? &*compilers_ : nullptr; }
  bool playing() const { return playing_; }
  /// Whether SetExploring leads back to the run that was on screen in the lesson.
  bool remembers_lesson() const;
  const Target& pinned() const { return pinned_; }

  /// One, or two that are compared.
  int experiments() const { return second_ ? 2 : 1; }
  const Experiment& experiment(int index) const { return index == 0 ? *first_ : *second_; }
  /// The one that sliders and the right column belong to.
  int chosen() const { return chosen_; }
  const Experiment& current() const { return experiment(chosen_); }
  /// The cursor in an experiment's block: the corresponding place in both. Only if it has a timeline.
  analysis::StepRef cursor(int index) const;

  /// What simulates an experiment's SM; it does so only while the clock is on show.
  const ClockProbe& clock(int index) const { return *clocks_[static_cast<size_t>(index)]; }
  /// Where the cursor is in the first experiment's recording.
  const ClockPlace& clock_place() const { return clock_place_; }
  /// Why there can be no clock of what is on show; nullopt: there can, as far as is known.
  std::optional<Diagnostic> no_clock() const;
  const WhatIf& what_if() const { return what_if_; }

  /// Executes a command. Commands that make no sense now (a step without a traced block) do nothing.
  void apply(const Command& command);
  /// Takes over finished work; true if the shown state has changed.
  bool poll();
  /// Reloads kernels whose file, or copy, has been changed by another program; true if one has. An edit stays on show:
  /// see is_newer_than(). Reads a file's time, so call it a few times a second at most.
  bool watch_files();
  /// Moves a playing cursor; true if it moved. `seconds` since the last call.
  bool advance(double seconds);

 private:
  // One method per command, by its type; std::visit picks.
  struct Apply;
  const analysis::Timeline* timeline() const;
  Inputs& inputs() { return chosen_ == 1 && state_.compared ? *state_.compared : state_.inputs; }
  /// What Undo brings back.
  struct Shown {
    Inputs inputs;
    std::optional<Inputs> compared;
    std::string arch, device;
    WhatIf what_if;
    bool operator==(const Shown&) const = default;
  };
  Shown shown() const { return {state_.inputs, state_.compared, state_.arch, state_.device, what_if_}; }
  void remember(const Command& command, Shown before);
  void exchange(std::vector<Shown>& from, std::vector<Shown>& to);
  void show_inputs();
  void keep_size();
  void take_size();
  void find_compilers();
  void go_to_awaited();
  void go_to_returning();
  void look();
  void look_at_clock();
  bool poll_clock();
  bool advance_clock();
  void follow_cursor();
  void go_to_clock(const ClockPlace& place);
  void carry_cursor(const std::shared_ptr<const run::TracedBlock>& before);
  bool move(analysis::Unit unit, int direction);
  bool stops_at_breakpoint(const analysis::StepRef& from, analysis::StepRef& to) const;
  void follow_edit(const std::string& kernel);
  bool take_copies();
  bool has_changed(const std::filesystem::path& file);
  bool reload(const std::filesystem::path& file);
  OpenForm* form_now();
  void describe(kernel::LaunchForm form);

  kernel::Catalogue catalogue_, known_;
  run::RunCache* runs_;
  std::function<void()> wake_;
  State state_;
  std::unique_ptr<Experiment> first_, second_;
  std::array<std::unique_ptr<ClockProbe>, 2> clocks_;
  ClockPlace clock_place_;
  /// The launch whose clocks that place is in; null while only the run without the what-ifs is there.
  run::PreparedPointer placed_launch_;
  WhatIf what_if_;
  int chosen_ = 0;
  bool playing_ = false;
  std::optional<ShowScene> awaited_;            ///< Its run is not ready; then the cursor goes to its place.
  std::optional<analysis::StepRef> returning_;  ///< Likewise, in the lesson's run.
  std::vector<Shown> undo_, redo_;
  std::string dragged_;                            ///< The slider of the last command, if it was one's.
  std::chrono::steady_clock::time_point changed_;  ///< When that was.
  std::optional<State> lesson_;                    ///< When the lesson was put aside.
  double owed_ = 0;                                ///< Units that playing still owes.
  /// What is known of a kernel's file.
  struct Watched {
    std::filesystem::file_time_type time;  ///< Of the text that was read last.
    int missing = 0;                       ///< Consecutive checks that did not find it.
  };
  std::map<std::filesystem::path, Watched> watched_;
  std::filesystem::path copies_;
  std::filesystem::file_time_type copies_since_;
  Target pinned_;
  std::map<std::string, OpenForm> forms_;      ///< By their kernels.
  std::map<std::string, kernel::Size> sizes_;  ///< That problems had last; see problem_of().
  std::optional<Compilers> compilers_;
  Async<Compilers> finding_;
};

}  // namespace tilescope::session
