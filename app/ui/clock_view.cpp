#include "ui/clock_view.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <imgui.h>

#include "base/text.h"
#include "base/words.h"
#include "lesson/answer.h"
#include "ui/dimmed.h"
#include "ui/explain.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "ui/tooltip.h"
#include "view/timeline/clock_words.h"

namespace tilescope::ui {
namespace {
using session::ClockPlace;
using session::ClockRun;
using session::WhatIf;
using view::Ink;

/// The view stays where it is while a what-if changes the run, and follows the cursor when that moves.
void keep_view(const ClockRun& run, const std::shared_ptr<const ClockRun>& shared, const ClockPlace& cursor,
               ClockState& kept) {
  const bool is_new = !(kept.run == Identity<ClockRun>(shared));
  if (is_new && kept.clocks == 0) kept.view = view::opening_view(run.recording, cursor);
  if (is_new || !(kept.cursor == cursor)) kept.view = view::following(kept.view, run.recording, cursor.clock);
  kept.run = Identity<ClockRun>(shared);
  kept.clocks = run.recording.clocks;
  kept.cursor = cursor;
}

void answer(const Context& context, int experiment, const ClockRun& run, const view::ClockLayout& layout,
            const PictureEvents& events, ClockState& kept) {
  const std::optional<ClockPlace> under = events.hovered ? layout.place_at(events.mouse) : std::optional<ClockPlace>();
  const bool on_ruler = events.mouse.y < layout.plot.y;
  const ClockPlace cursor = context.workspace->clock_place();
  if (events.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    kept.scrubbing = on_ruler;
    kept.drag_rest = 0;
  }
  if (events.dragged && !kept.scrubbing) {
    kept.drag_rest += events.drag.x * static_cast<float>(layout.shown) / layout.plot.width;
    const float whole = std::trunc(kept.drag_rest);
    kept.drag_rest -= whole;
    kept.view = view::panned(kept.view, run.recording, -static_cast<int64_t>(whole));
  }
  if ((events.dragged || events.clicked) && kept.scrubbing)
    context.send(session::GoToClock{{cursor.slot, layout.clock_at(events.mouse.x)}});
  // The cursor is in the first; in the other one it is only at that clock.
  if (events.clicked && !kept.scrubbing && under)
    context.send(session::GoToClock{{experiment == 0 ? under->slot : cursor.slot, under->clock}});
  if (events.wheel != 0) {
    const float part = std::clamp((events.mouse.x - layout.plot.x) / layout.plot.width, 0.0f, 1.0f);
    kept.view = view::zoomed(kept.view, run.recording, std::pow(0.8f, events.wheel), part);
  }
  kept.hovered[static_cast<size_t>(experiment)] = under;
  if (!under) {
    if (const auto reason = events.hovered ? layout.reason_at(events.mouse) : std::nullopt)
      show_tooltip_text(context, view::reason_tooltip(run, *reason));
    else if (const auto unit = events.hovered ? layout.unit_at(events.mouse) : std::nullopt)
      show_tooltip_text(
          context,
          {tr(view::unit_word(run.recording, *unit)), Ink::Strong, {tr(view::unit_meaning(run.recording, *unit))}});
    return;
  }
  const auto& traced = context.workspace->experiment(experiment).traced();
  if (context.hover_next && experiment == 0) {
    // The program text lights the line; the view has a tooltip of its own.
    const auto& row = run.recording.slots[under->slot];
    const auto& stretch = row[run.recording.stretch_at(under->slot, under->clock)];
    if (stretch.state != clock::Recording::kAbsent && run.code[stretch.pc].ptx_line > 0) {
      session::Target target;
      target.kind = session::Target::Kind::PtxLine;
      target.index = run.code[stretch.pc].ptx_line;
      *context.hover_next = target;
    }
  }
  if (!traced || ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  if (const view::TooltipText text = view::clock_tooltip(run, traced->request().kernel.source, *under))
    show_tooltip_text(context, text);
}

/// The warps of one experiment's SM. `other`: the run that is compared with it, or null.
void show_run(const Context& context, int experiment, const std::shared_ptr<const ClockRun>& run,
              const std::shared_ptr<const ClockRun>& other, view::ClockView view, float height, ClockState& kept) {
  const auto at = static_cast<size_t>(experiment);
  ClockPlace cursor = context.workspace->clock_place();
  if (experiment > 0) cursor.slot = view::kNoSlot;
  const view::Canvas canvas = canvas_here(context, 0, height);
  const ClockKey key{run, other, cursor.slot, view, CanvasKey(canvas)};
  const view::Picture& rows =
      kept.rows[at].get(key, [&] { return view::clock_picture(*run, canvas, view, cursor.slot); });
  const view::Picture& picture = kept.picture[at].get({rows.serial, cursor, kept.hovered[at]}, [&] {
    return view::with_places(rows, *run, canvas, view, cursor, kept.hovered[at]);
  });
  const view::ClockLayout layout = view::clock_layout(*run, canvas, view);
  answer(context, experiment, *run, layout, show_picture(context, "clock", picture), kept);
}

/// A slider with its name before it and its value behind it, which alone is shown if there is no other; notes "what if
/// NAME". `words` of a value: all have the same room.
bool slider(const Context& context, const char* name, const char* shown, int low, int high,
            const std::function<std::string(int)>& words, int& value) {
  const std::string widget = std::string("what if ") + name;
  const auto note = [&] {
    context.note_widget(widget);
    explain(context, widget);
  };
  show_text(context, shown, Ink::Faint);
  next(context, 6);
  bool changed = false;
  if (low < high) {
    ImGui::SetNextItemWidth(70 * context.scale);
    changed = ImGui::SliderInt(fmt::format("##{}", name).c_str(), &value, low, high, "");
    note();
    next(context, 6);
  }
  show_text(context, words(value), Ink::Text);
  if (low == high) note();
  float widest = 0;
  for (const int end : {low, high}) widest = std::max(widest, text_width(context, words(end)));
  ImGui::SameLine(0, 0);
  ImGui::Dummy({std::max(0.0f, widest - text_width(context, words(value))), 0});
  return changed;
}

/// The next widget is on the same line if it has room there.
void stay_on_row(const Context& context, float wide) {
  const float gap = 10;
  const float left = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x;
  if (left + (gap + wide) * context.scale <= ImGui::GetContentRegionMax().x) next(context, gap);
}

}  // namespace

std::array<std::string, 3> clock_texts(const Context& context, int experiment) {
  const session::Workspace& workspace = *context.workspace;
  const auto& run = workspace.clock(experiment).run();
  if (!run) return {};
  std::string time = lesson::format_value(run->seconds, "time");
  const auto& plain = workspace.clock(experiment).unchanged();
  const bool changed = !(run->what_if == WhatIf{});
  if (changed && plain)
    time = tr_format("{} with what-ifs, {} without", time, lesson::format_value(plain->seconds, "time"));
  const bool has_hits = run->reads.asked > 0 && !context.hidden.figures();
  const std::string hits = has_hits ? tr_format("L1 hits {:.0f} %", 100 * run->reads.l1_hit_rate()) : "";
  const std::string blocks = plural(run->resident, "{} block", "{} blocks");
  const std::string last = has_hits ? hits + " · " + blocks : blocks;
  if (context.hidden.has(session::Fact::Speed)) return {last, blocks, blocks};
  return {time + " · " + last, time + " · " + blocks, time};
}

void show_clock(const Context& context, float height, ClockState& kept) {
  const session::Workspace& workspace = *context.workspace;
  const std::shared_ptr<const ClockRun>&run = workspace.clock(0).run(), &other = workspace.clock(1).run();
  if (!run) {
    kept.hovered = {};
    const std::optional<Diagnostic> problem = workspace.no_clock();
    show_wrapped(context, problem ? text_of(*problem) : tr("The SM is being simulated."), Ink::Faint);
    ImGui::Dummy({1, std::max(1.0f, height * context.scale - 2 * ImGui::GetTextLineHeightWithSpacing())});
    return;
  }
  const bool compares = workspace.experiments() == 2 && other;
  kept.view.axis = compares ? std::max(run->recording.clocks, other->recording.clocks) : 0;
  keep_view(*run, run, workspace.clock_place(), kept);
  const ImVec2 rows = ImGui::GetCursorScreenPos();
  if (!compares) {
    show_run(context, 0, run, nullptr, kept.view, height, kept);
    return dim_earlier_result(context, 0, rows, ImGui::GetCursorScreenPos().y);
  }
  constexpr float kGap = 10;
  const float title = ImGui::GetTextLineHeightWithSpacing() / context.scale;
  const float each = (height - ImGui::GetStyle().ItemSpacing.y / context.scale) / 2 - title;
  std::array<view::ClockView, 2> views{kept.view, kept.view};
  views[0].other = other.get();
  views[1].other = run.get();
  views[1].lower = true;
  // Both give the legend half of its height; 0 where the rows would have no room.
  const auto layout_in = [&](float room) { return view::clock_layout(*run, canvas_here(context, 0, room), views[0]); };
  const float legend = layout_in(each + layout_in(height).ruler.y / 2).ruler.y;
  views[0].text = views[1].text = layout_in(each - legend / 2).text;
  for (int i = 0; i < 2; ++i) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    show_text(context, side_text(workspace, i) + settings_text(workspace, i), Ink::Strong);
    const float room = ImGui::GetContentRegionMax().x - (ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x);
    for (const std::string& words : clock_texts(context, i))
      if (kGap * context.scale + text_width(context, words) <= room) {
        next(context, kGap);
        show_text(context, words, Ink::Text);
        break;
      }
    const PushedId id(i);
    show_run(context, i, i == 0 ? run : other, i == 0 ? other : run, views[static_cast<size_t>(i)],
             each + (i == 0 ? legend : -legend) / 2, kept);
    dim_earlier_result(context, i, from, ImGui::GetCursorScreenPos().y);
  }
}

void show_what_ifs(const Context& context) {
  const auto run_of = [&](int experiment) {
    const session::ClockProbe& clock = context.workspace->clock(experiment);
    return clock.unchanged() ? clock.unchanged() : clock.run();
  };
  const std::shared_ptr<const ClockRun> run = run_of(0),
                                        other = context.workspace->experiments() == 2 ? run_of(1) : nullptr;
  if (!run) return;
  constexpr int kMostDram = 2000;  // Clocks.
  WhatIf what_if = context.workspace->what_if();
  const WhatIf before = what_if;
  ImGui::AlignTextToFramePadding();
  show_text(context, tr("what if"), before == WhatIf{} ? Ink::Faint : Ink::Warning, context.fonts.bold);
  context.note_widget("what if");
  explain(context, "what if");
  next(context, 10);
  // A launch of few blocks gives an SM fewer than fit.
  const int most = static_cast<int>(std::max({1u, run->resident, other ? other->resident : 0}));
  int resident = what_if.resident > 0 ? std::min(static_cast<int>(what_if.resident), most) : most;
  const auto words_of = [&](const ClockRun& side, int blocks) {
    const uint32_t held = std::min(static_cast<uint32_t>(blocks), side.resident);
    const std::string shown =
        held < side.resident ? tr_format("{} of {}", held, side.resident) : fmt::format("{}", held);
    return side.fitting > side.resident ? tr_format("{} ({} would fit)", shown, side.fitting) : shown;
  };
  const auto words = [&](int blocks) {
    const std::string left = words_of(*run, blocks), right = other ? words_of(*other, blocks) : left;
    return left == right ? left : tr_format("left {}, right {}", left, right);
  };
  if (slider(context, "blocks", tr("blocks"), 1, most, words, resident))
    what_if.resident = resident >= most ? 0 : static_cast<uint32_t>(resident);
  stay_on_row(context, 200);
  int dram = static_cast<int>(what_if.dram.value_or(run->dram));
  const auto clocks_of = [](int clocks) { return tr_format("{} clocks", grouped(static_cast<uint64_t>(clocks))); };
  if (slider(context, "DRAM", tr("DRAM"), 0, kMostDram, clocks_of, dram))
    what_if.dram = static_cast<uint32_t>(std::max(0, dram));
  if (what_if.dram == run->dram && run->what_if == WhatIf{}) what_if.dram.reset();
  const auto chip = [&](const char* word, bool& on) {
    stay_on_row(context, chip_size(context, tr(word)).x / context.scale);
    if (show_chip(context, word, on)) on = !on;
  };
  chip(tr_later("no bank conflicts"), what_if.no_bank_conflicts);
  chip(tr_later("free barriers"), what_if.free_barriers);
  chip(tr_later("no register conflicts"), what_if.no_register_conflicts);
  // It has its room before it is there: nothing moves under the mouse.
  const ImVec2 room = chip_size(context, tr("as it is"));
  stay_on_row(context, room.x / context.scale);
  if (before == WhatIf{})
    ImGui::Dummy(room);
  else if (show_chip(context, tr_later("as it is")))
    what_if = {};
  if (!(what_if == before)) context.send(session::SetWhatIf{what_if});
}

}  // namespace tilescope::ui
