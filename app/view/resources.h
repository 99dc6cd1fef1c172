#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/report.h"
#include "session/hidden_facts.h"

namespace tilescope::view {

/// What a figure is about, and so which questions it answers.
enum class Figure : uint8_t { Resource, Count, Bound };

/// One figure of a kernel.
struct ResourceRow {
  std::string name;    ///< "registers per thread": in English, by which others know the row.
  std::string value;   ///< "94"
  std::string before;  ///< What it was before, or is in the other experiment; empty when it is the same.
  std::string detail;  ///< Where the figure comes from, in a sentence.
  Figure figure = Figure::Resource;
  std::string caption = {};  ///< The name in the reader's language.
};

/// Threads, registers, shared memory, spills, occupancy, words and products of a kernel, and its bound. `traced` is the
/// report of the scene; `counted` that of the same request over the whole grid, null before there is one: then words
/// and products are those of the traced block and there is no bound. All figures are those of wording::to_json().
std::vector<ResourceRow> resource_rows(const run::Report& traced, const run::Report* counted);

/// The rows of `now`, each with what `before` has for it where that differs; not with another device's bound.
std::vector<ResourceRow> with_before(std::vector<ResourceRow> now, const std::vector<ResourceRow>& before);

/// The rows without the figures that an open question asks for, nor what names and details tell of them.
std::vector<ResourceRow> redacted(std::vector<ResourceRow> rows, const session::HiddenFacts& hidden);

}  // namespace tilescope::view
