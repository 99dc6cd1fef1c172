#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "base/words.h"
#include "view/access_words.h"
#include "view/tooltip/tooltip_parts.h"
#include "view/words.h"
#include "wording/finding.h"

namespace tilescope::view {
namespace {
using analysis::StepRef;
using run::TracedBlock;

bool exists(const TracedBlock& traced, const StepRef& at) {
  return at.warp < traced.timeline.warps() && at.step < traced.timeline.steps(at.warp);
}

/// The warp's current instruction at the cursor's moment.
std::optional<StepRef> now_of(const Focus& focus, uint32_t warp) {
  if (warp == focus.cursor.warp) return focus.cursor;
  if (warp >= focus.traced->timeline.warps()) return std::nullopt;
  const auto step = focus.traced->timeline.step_in(warp, focus.traced->timeline.slot(focus.cursor));
  return step ? std::optional(StepRef{warp, *step}) : std::nullopt;
}

/// The PTX of an instruction, with the kernel's arguments by their names in the source.
std::string instruction_text(const TracedBlock& traced, uint32_t pc) {
  std::string text(trimmed(ptx::print(*traced.facts.module, traced.function(), traced.instruction(pc))));
  if (text.ends_with(';')) text.pop_back();
  const std::string parameter = traced.function().name + "_param_";
  const size_t begin = text.find(parameter);
  if (begin == std::string::npos) return text;
  const size_t end = std::min(text.find_first_not_of("0123456789", begin + parameter.size()), text.size());
  const auto number = static_cast<size_t>(std::atoi(text.c_str() + begin + parameter.size()));
  const auto& arguments = traced.prepared->configuration.arguments;
  return number < arguments.size() ? text.replace(begin, end - begin, arguments[number].name) : text;
}

/// "Bs[3][40], Bs[3][41], Bs[3][42], Bs[3][43] and 2 more"
std::string elements_text(const std::vector<LaneUse>& of_lane, LaneUse::How how) {
  constexpr size_t kMost = 4;
  std::vector<std::string> names;
  size_t count = 0;
  for (const LaneUse& touch : of_lane)
    if (touch.how == how && ++count <= kMost) names.push_back(name_of(*touch.array, touch.index));
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return count > kMost ? tr_format("{} and {} more", text, count - kMost) : text;
}

/// "reads Bs[3][40] and Bs[3][41]"
std::string touched_text(LaneUse::How how, const std::string& elements) {
  switch (how) {
    case LaneUse::How::Reads: return tr_format("reads {}", elements);
    case LaneUse::How::Writes: return tr_format("writes {}", elements);
    case LaneUse::How::Uses: return tr_format("multiplies {}", elements);
    case LaneUse::How::Adds: return tr_format("adds to {}", elements);
  }
  return {};
}

void add_lane_now(TooltipText& text, const Focus& focus, uint32_t warp, uint32_t lane) {
  const std::optional<StepRef> now = now_of(focus, warp);
  if (!now || !exists(*focus.traced, *now)) return text.lines.push_back(tr("waits or has ended"));
  text.lines.push_back(tr_format("at {}", instruction_text(*focus.traced, focus.traced->timeline.pc(*now))));
  if (focus.hidden.has(session::Fact::Accesses)) return;
  std::vector<LaneUse> of_lane = lane_uses(*focus.traced, *now);
  std::erase_if(of_lane, [&](const LaneUse& touch) { return touch.lane != lane; });
  if ((focus.traced->timeline.active(*now) >> lane & 1) == 0)
    return text.lines.push_back(tr("takes no part in this instruction"));
  for (const LaneUse::How how : kHows)
    if (const std::string elements = elements_text(of_lane, how); !elements.empty())
      text.lines.push_back(touched_text(how, elements));
}

void add_step(TooltipText& text, const Focus& focus, const StepRef& at) {
  const TracedBlock& traced = *focus.traced;
  const analysis::Timeline& timeline = traced.timeline;
  const uint32_t pc = timeline.pc(at);
  text.lines.push_back(instruction_text(traced, pc));
  std::vector<std::string> place;
  if (timeline.kind(at) != analysis::StepKind::Other) place.emplace_back(tr(to_string(timeline.kind(at))));
  if (const int line = traced.facts.line_of(pc)) place.push_back(tr_format("line {}", line));
  if (timeline.tile(at) >= 0)
    place.push_back(fmt::format("{} {}", tr(tile_word(traced.accesses)), timeline.tile(at) + 1));
  if (!place.empty()) text.lines.push_back(fmt::format("{}", fmt::join(place, ", ")));
  const InstructionWords words = redacted(words_at(traced, at), focus.hidden);
  for (const std::string& line : {words.elements, words.sentence, words.merging, words.lanes})
    if (!line.empty()) text.lines.push_back(line);
}

}  // namespace

TooltipText lane_tooltip(const session::Target& target, const Focus& focus) {
  const run::TracedBlock& traced = *focus.traced;
  const auto lane = static_cast<uint32_t>(target.index);
  if (target.index >= trace::kLanes || target.warp * trace::kLanes + lane >= traced.facts.threads()) return {};
  TooltipText text{tr_format("lane {} of warp {}", lane, target.warp), Ink::Strong, {}};
  text.lines.push_back(wording::describe_with_block(traced.facts.thread_at(traced.block, target.warp, lane)));
  add_lane_now(text, focus, target.warp, lane);
  return text;
}

TooltipText step_tooltip(const session::Target& target, const Focus& focus) {
  const analysis::StepRef at{target.warp, static_cast<uint32_t>(target.index)};
  if (!exists(*focus.traced, at)) return {};
  TooltipText text{tr_format("warp {}, {}", at.warp, instruction_text(focus, at)), Ink::Strong, {}};
  add_step(text, focus, at);
  return text;
}

TooltipText warp_tooltip(const session::Target& target, const Focus& focus) {
  const run::TracedBlock& traced = *focus.traced;
  if (target.warp >= traced.facts.warps()) return {};
  const uint32_t first = target.warp * trace::kLanes,
                 last = std::min(first + trace::kLanes, traced.facts.threads()) - 1;
  TooltipText text{tr_format("warp {}", target.warp),
                   Ink::Strong,
                   {tr_format("threads {} to {} of {}", first, last, block_name(traced, traced.block))}};
  const std::optional<analysis::StepRef> now = now_of(focus, target.warp);
  if (now && exists(traced, *now))
    add_step(text, focus, *now);
  else
    text.lines.push_back(tr("waits or has ended"));
  return text;
}

TooltipText block_tooltip(const session::Target& target, const Focus& focus) {
  const run::RunResult& traced = result_of(focus);
  if (target.index >= traced.report.grid.count()) return {};
  const auto block = static_cast<uint32_t>(target.index);
  TooltipText text{block_name(traced, block), Ink::Strong, {}};
  if (!focus.hidden.has(session::Fact::Resources))
    text.lines.push_back(tr_format("one of {}, {} each", plural(traced.report.grid.count(), "{} block", "{} blocks"),
                                   plural(traced.report.block.count(), "{} thread", "{} threads")));
  for (const analysis::StoreRegion& stores : traced.stores)
    if (stores.block == block && !stores.region.empty() && !focus.hidden.has(session::Fact::Accesses))
      text.lines.push_back(
          tr_format("computes {}", traced.facts.global[stores.array].allocation.name + region_text(stores.region)));
  if (block == focus.traced->block) text.lines.push_back(tr("this is the block that is traced"));
  return text;
}

}  // namespace tilescope::view
