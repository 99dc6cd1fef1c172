#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/report.h"
#include "session/clock_run.h"
#include "session/hidden_facts.h"

namespace tilescope::view {

/// The subject of a figure, and so which questions it answers.
enum class Figure : uint8_t { Resource, Count, Bound, Clock };

/// One figure of a kernel.
struct ResourceRow {
  std::string name;    ///< "registers per thread": in English, the row's identity.
  std::string value;   ///< "94"
  std::string before;  ///< The earlier value, or the other experiment's, without the unit of both; empty if equal.
  std::string detail;  ///< The figure's source, in a sentence.
  Figure figure = Figure::Resource;
  std::string caption = {};  ///< The name in the reader's language.
};

/// Threads, registers, shared memory, spills, occupancy, words and products of a kernel, and its bound. `traced` is the
/// report of the traced block; `counted` that of the same request over the whole grid, or null: then words and
/// products are those of the traced block and there is no bound. All figures are those of wording::to_json().
std::vector<ResourceRow> resource_rows(const run::Report& traced, const run::Report* counted);

/// What the simulated SM says of the caches: hit rates of L1 and L2, what L1 asks for again because it had evicted it,
/// and bytes from DRAM. The details say which arrays and lines ask. None for a kernel that reads no global memory.
std::vector<ResourceRow> cache_rows(const session::ClockRun& run);

/// The rows of `now`, each with the value in `before` if that differs; not with another device's bound.
std::vector<ResourceRow> with_before(std::vector<ResourceRow> now, const std::vector<ResourceRow>& before);

/// The rows without the figures of an open question, and without names and details that reveal them.
std::vector<ResourceRow> redacted(std::vector<ResourceRow> rows, const session::HiddenFacts& hidden);

}  // namespace tilescope::view
