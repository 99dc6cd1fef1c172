#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "view/code/code_lines.h"
#include "view/code/code_names.h"
#include "view/tooltip/tooltip_parts.h"
#include "view/words.h"

namespace tilescope::view {
namespace {

const run::Report& counts_of(const Focus& focus) { return result_of(focus).report; }

void add_costs(TooltipText& text, const Focus& focus, uint64_t warp_instructions, const analysis::PcCounts& memory) {
  if (focus.hidden.figures()) return text.lines.push_back(covered_text(focus.hidden.asked_in(session::Fact::Totals)));
  text.lines.push_back(tr_format("{} over {}", plural(warp_instructions, "{} warp instruction", "{} warp instructions"),
                                 counted_where(counts_of(focus))));
  for (const AccessCost& cost : access_costs(memory)) text.lines.push_back(to_sentence(cost));
  if (memory.barriers > 0) text.lines.push_back(tr_format("warps arrive {} times", grouped(memory.barriers)));
}

/// What the name under the mouse is, above what is said of its line.
TooltipText with_name(const session::Target& target, std::vector<std::string> words, TooltipText line) {
  if (words.empty()) return line;
  words.push_back(fmt::format("{}: {}", line.title, line.lines.front()));
  words.insert(words.end(), line.lines.begin() + 1, line.lines.end());
  return {target.array, Ink::Strong, std::move(words)};
}

}  // namespace

TooltipText line_tooltip(const session::Target& target, const Focus& focus) {
  TooltipText text{tr_format("line {}", target.index), Ink::Strong, {}};
  for (const run::LineCounts& line : counts_of(focus).counts.lines)
    if (static_cast<uint64_t>(line.line) == target.index) add_costs(text, focus, line.warp_instructions, line.memory);
  if (text.lines.empty()) text.lines.push_back(tr("no instruction of its own"));
  return with_name(target, cuda_name_words(target.array, *focus.traced), std::move(text));
}

TooltipText ptx_tooltip(const session::Target& target, const Focus& focus) {
  const run::RunResult& traced = result_of(focus);
  TooltipText text{tr_format("PTX line {}", target.index), Ink::Strong, {}};
  const run::Counts& counts = traced.report.counts;
  const auto warps = counts.ptx_lines.find(static_cast<int>(std::min<uint64_t>(target.index, INT32_MAX)));
  analysis::PcCounts memory;
  int line = 0;
  for (uint32_t pc = 0; pc < traced.function().instructions.size(); ++pc) {
    if (static_cast<uint64_t>(traced.instruction(pc).line) != target.index) continue;
    line = traced.facts.line_of(pc);
    if (pc < counts.pcs.size()) memory.merge(counts.pcs[pc]);
  }
  if (line > 0) text.lines.push_back(tr_format("of CUDA line {}", line));
  if (warps != counts.ptx_lines.end()) add_costs(text, focus, warps->second, memory);
  if (text.lines.empty()) text.lines.push_back(tr("no instruction on this line"));
  return with_name(target, ptx_name_words(target.array, focus.traced->function()), std::move(text));
}

TooltipText parameter_tooltip(const session::Target& target, const Focus& focus) {
  const kernel::Parameter* parameter = focus.traced->request().kernel.description.parameter(target.array);
  if (!parameter) return {};
  TooltipText text{parameter->name, Ink::Strong, {tr(std::string_view(parameter->about))}};
  if (parameter->is_range)
    text.lines.push_back(tr_format("{} to {}, default {}", parameter->values.front(), parameter->values.back(),
                                   parameter->default_value));
  else
    text.lines.push_back(
        tr_format("one of {}; default {}", fmt::join(parameter->values, ", "), parameter->default_value));
  return text;
}

}  // namespace tilescope::view
