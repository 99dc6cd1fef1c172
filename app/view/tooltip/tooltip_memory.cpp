#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "analysis/access_rules.h"
#include "base/words.h"
#include "view/access_words.h"
#include "view/code/code_lines.h"
#include "view/tooltip/tooltip_parts.h"
#include "view/words.h"
#include "wording/finding.h"

namespace tilescope::view {
namespace {
using run::TracedBlock;

constexpr size_t kMostWords = 4;

std::string use_text(const analysis::SectorUse& use) {
  const std::string lanes = lanes_text(use.lanes);
  const int bytes = std::popcount(use.bytes_used);
  return std::popcount(use.lanes) == 1
             ? tr_format("now: {} uses {} of its {} bytes", lanes, bytes, analysis::kSectorBytes)
             : tr_format("now: {} use {} of its {} bytes", lanes, bytes, analysis::kSectorBytes);
}

void add_bank_words(TooltipText& text, const TracedBlock& traced, const WarpAccess& access, uint64_t bank) {
  size_t words = 0;
  for (const analysis::BankWord& word : access.banks().words)
    if (word.bank == bank && ++words <= kMostWords)
      text.lines.push_back(tr_format("wavefront {}: {} for {}", word.wavefront + 1,
                                     wording::element_at(traced.facts, Space::Shared, word.word * analysis::kBankBytes),
                                     lanes_text(word.lanes)));
  if (words > kMostWords) text.lines.push_back(plural(words - kMostWords, "and {} more word", "and {} more words"));
  if (words == 0) text.lines.push_back(tr("idle in this access"));
}

}  // namespace

TooltipText sector_tooltip(const session::Target& target, const Focus& focus) {
  const run::TracedBlock& traced = *focus.traced;
  const uint64_t begin = target.index, end = begin + analysis::kSectorBytes;
  TooltipText text{tr_format("sector 0x{:x}", begin), Ink::Strong, {}};
  if (const run::TracedArray* array = traced.accesses.find(Space::Global, begin)) {
    const uint64_t last = std::min(end, array->allocation.base + array->allocation.bytes) - 1;
    text.ink = array_ink(*array);
    text.lines.push_back(
        tr_format("{} to {}", name_of(*array, array->index_of(begin)), name_of(*array, array->index_of(last))));
  }
  if (focus.hidden.access()) return text;
  for (const WarpAccess& access : accesses_at(traced, focus.cursor)) {
    if (access.space != Space::Global) continue;
    for (const analysis::SectorUse& use : access.sectors())
      if (use.address == begin) text.lines.push_back(use_text(use));
  }
  return text;
}

TooltipText bank_tooltip(const session::Target& target, const Focus& focus) {
  if (target.index >= analysis::kBanks) return {};
  const run::TracedBlock& traced = *focus.traced;
  TooltipText text{tr_format("bank {}", target.index),
                   Ink::Strong,
                   {tr_format("{} bytes per wavefront, one of {} banks", analysis::kBankBytes, analysis::kBanks)}};
  if (focus.hidden.access()) return text;
  for (const WarpAccess& access : accesses_at(traced, focus.cursor))
    if (access.space == Space::Shared) add_bank_words(text, traced, access, target.index);
  return text;
}

}  // namespace tilescope::view
