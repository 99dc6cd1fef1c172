#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace tilescope::session {

/// What a question of a lesson may be about, by kind.
enum class Fact : uint8_t {
  Counts,     ///< Sectors, wavefronts, conflicts, requests, words, instructions, active lanes.
  Totals,     ///< The same, except those of the request at the cursor: figures of lines and of the run.
  Accesses,   ///< Which elements the lanes access, and which blocks compute what.
  Resources,  ///< Threads, registers, shared memory, occupancy, and how many blocks there are.
  Speed,      ///< Bounds, and measured times.
  Findings,   ///< Of the checkers, and whether the result is right.
  Defect,     ///< What is unusual about the kernel: the question is which line has it.
};
constexpr std::array kAllFacts{Fact::Counts, Fact::Totals,   Fact::Accesses, Fact::Resources,
                               Fact::Speed,  Fact::Findings, Fact::Defect};

/// The facts that open questions of a lesson are about: panels and pictures do not show them before the answer.
class HiddenFacts {
 public:
  constexpr HiddenFacts() = default;
  constexpr HiddenFacts(std::initializer_list<Fact> facts) {
    for (const Fact fact : facts) add(fact);
  }

  constexpr bool has(Fact fact) const { return step_of(fact).has_value(); }
  /// The step, from 1, of the nearest later question about it; 0 if only the open step's own does.
  constexpr int asked_in(Fact fact) const { return step_of(fact).value_or(0); }
  /// Whether one warp's access is hidden: its size or its place.
  constexpr bool access() const { return has(Fact::Counts) || has(Fact::Accesses); }
  /// Whether the figures of lines and of the whole run are hidden.
  constexpr bool figures() const { return has(Fact::Counts) || has(Fact::Totals); }

  /// `step` as asked_in() returns it. What is hidden already stays with the question that hides it.
  constexpr void add(Fact fact, int step = 0) {
    if (!has(fact)) steps_[static_cast<size_t>(fact)] = step;
  }
  constexpr void remove(Fact fact) { steps_[static_cast<size_t>(fact)].reset(); }
  bool operator==(const HiddenFacts&) const = default;

 private:
  constexpr const std::optional<int>& step_of(Fact fact) const { return steps_[static_cast<size_t>(fact)]; }

  std::array<std::optional<int>, kAllFacts.size()> steps_;  ///< By fact; empty where it is not hidden.
};

}  // namespace tilescope::session
