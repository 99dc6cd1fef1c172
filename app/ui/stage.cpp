#include "ui/stage.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "ui/editor.h"
#include "ui/launch_form.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "view/stage/fragments.h"
#include "view/stage/fragments_picture.h"
#include "view/stage/stage_frame.h"
#include "view/stage/stage_picture.h"
#include "view/stage/thread_picture.h"

namespace tilescope::ui {
namespace {
using session::Scale;
using session::Target;
using view::Ink;

constexpr float kEyeSpeed = 9;   // Parts of the remaining way that the eye travels in a second.
constexpr float kCalmSteps = 2;  // Per second; when playing faster, animations are faster, too.
constexpr float kHeader = 34;
constexpr float kMostZoom = 60, kWheelStep = 1.2f;

/// The level moves towards the scale's, a little each frame.
float travel(const Context& context, float from, float to) {
  const float haste = context.workspace->playing() ? std::max(1.0f, context.workspace->state().speed / kCalmSteps) : 1;
  if (from < 0 || std::abs(to - from) < 0.01f || context.workspace->state().still) return to;
  if (context.moving) *context.moving = true;
  return from + (to - from) * (1 - std::exp(-ImGui::GetIO().DeltaTime * kEyeSpeed * haste));
}

/// From near the arrays have other places in each phase, and during a copy for each copy: they move there.
void follow_cursor(const Context& context, const view::Focus& focus, const Identity<run::TracedBlock>& traced,
                   StageState& kept) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  const bool same_traced = kept.traced == traced && timeline.steps(focus.cursor.warp) > 0;
  if (!same_traced) {
    kept.traced = traced;
    kept.before = focus.cursor;
    kept.moved = 1;
    kept.slice = -1;
  } else if (!(kept.cursor == focus.cursor)) {
    const analysis::Phase &from = timeline.phase(kept.cursor), &to = timeline.phase(focus.cursor);
    const bool stays = from.begin == to.begin && to.kind != analysis::PhaseKind::Load;
    kept.before = kept.cursor;
    kept.moved = stays || kept.level < 1.5f ? 1.0f : 0.0f;
  }
  kept.cursor = focus.cursor;
  kept.moved = travel(context, kept.moved, 1);
}

/// Without its first parts if there is no room for all, or empty.
std::string fitting(const Context& context, std::string crumbs, float room) {
  const std::string separator = "› ";
  while (text_width(context, crumbs) > room) {
    const size_t end = crumbs.find(separator);
    if (end == std::string::npos) return {};
    crumbs.erase(0, end + separator.size());
  }
  return crumbs;
}

/// That the clocks mark another block than the one that is traced, if there is room to say so.
std::string block_in_clocks(const Context& context, const view::Focus& focus, float room) {
  const session::Workspace& workspace = *context.workspace;
  const auto& run = workspace.clock(0).run();
  if (!workspace.state().clock || !run) return {};
  const session::ClockPlace& place = workspace.clock_place();
  const clock::Recording::Resident* marked = run->recording.resident_at(place.slot, place.clock);
  if (!marked || marked->block == focus.traced->block) return {};
  for (const std::string& words : {tr_format("the clocks show block {}, at the same instruction", marked->block),
                                   tr_format("clocks: block {}", marked->block)})
    if (text_width(context, words) <= room) return words;
  return {};
}

/// Whether the stage can colour what the cursor's instruction accesses by bank.
bool has_banks(const Context& context, const view::Focus& focus) {
  const Scale scale = context.workspace->state().scale;
  return focus.traced && (scale == Scale::Block || scale == Scale::Warp) && !focus.hidden.access() &&
         focus.order == session::WarpOrder::InStep && focus.traced->timeline.steps(focus.cursor.warp) > 0 &&
         view::shared_access(*focus.traced, focus.cursor);
}

/// Of the shown array with the most slices; null if none has any.
const run::TracedArray* sliced_array(const view::Focus& focus) {
  const run::TracedArray* found = nullptr;
  if (!focus.traced) return found;
  for (const run::TracedArray& array : focus.traced->accesses.arrays())
    if (array.allocation.space == Space::Global && view::slices_of(array) > (found ? view::slices_of(*found) : 1))
      found = &array;
  return found;
}

std::string slice_text(const view::Focus& focus, const run::TracedArray& array, int slice) {
  return tr_format("slice {} of {}", view::slice_shown(focus, array, slice) + 1, view::slices_of(array));
}

/// A click opens the list of slices.
void show_slices(const Context& context, const std::string& name, const view::Focus& focus,
                 const run::TracedArray& array, StageState& kept) {
  const bool clicked = show_named_chip(context, name, slice_text(focus, array, kept.slice));
  const Popup popup(name.c_str(), clicked, context.scale);
  if (!popup) return;
  const uint64_t slices = std::min<uint64_t>(view::slices_of(array), 1024);
  for (uint64_t i = 0; i < slices; ++i) {
    const auto slice = static_cast<int>(i);
    if (ImGui::MenuItem(slice_text(focus, array, slice).c_str(), nullptr,
                        i == view::slice_shown(focus, array, kept.slice)))
      kept.slice = slice;
    context.note_widget(fmt::format("{} {}", name, i + 1));
  }
}

/// Whether there is a choice between lanes and arrays: at a matrix instruction, from near.
bool has_fragments(const Context& context, const view::Focus& focus) {
  return focus.traced && context.workspace->state().scale == Scale::Warp &&
         !focus.hidden.has(session::Fact::Accesses) && view::has_fragments(*focus.traced, focus.cursor);
}

/// Chips that choose what the stage shows, from the right to the left. Returns where they begin.
float show_chips(const Context& context, int experiment, const view::Focus& focus, float right, float y,
                 StageState& kept) {
  struct Chip {
    const char *id, *second_id, *name;
    bool* on;
  };
  std::vector<Chip> chips;
  const bool fragments = has_fragments(context, focus);
  if (has_banks(context, focus) && !(fragments && kept.fragments))
    chips.push_back({"banks", "second banks", tr_later("banks"), &kept.banks});
  if (fragments) chips.push_back({"fragments", "second fragments", tr_later("fragments"), &kept.fragments});
  for (const Chip& chip : chips) {
    right -= chip_size(context, chip.name).x;
    ImGui::SetCursorScreenPos({right, y});
    if (show_named_chip(context, experiment == 0 ? chip.id : chip.second_id, tr(chip.name), *chip.on))
      *chip.on = !*chip.on;
    right -= 20 * context.scale;
  }
  return right;
}

void show_header(const Context& context, int experiment, const view::Focus& focus, StageState& kept) {
  const draw::Palette& palette = *context.palette;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float margin = 20 * context.scale, y = 12 * context.scale;
  std::string side, settings;
  if (context.workspace->experiments() == 2) {
    side = side_text(*context.workspace, experiment);
    settings = settings_text(*context.workspace, experiment);
  }
  static const std::vector<Tab> scales{Tab(tr_later("grid")), Tab(tr_later("block")), Tab(tr_later("warp")),
                                       Tab(tr_later("thread"))};
  const float right = ImGui::GetContentRegionAvail().x, tabs = right - margin - tabs_width(context, scales);
  float chips = show_chips(context, experiment, focus, at.x + tabs - margin, at.y + y - 4 * context.scale, kept) - at.x;
  const run::TracedArray* sliced = context.workspace->state().scale == Scale::Thread ? nullptr : sliced_array(focus);
  if (sliced) {
    chips -= chip_size(context, slice_text(focus, *sliced, kept.slice)).x;
    ImGui::SetCursorScreenPos({at.x + chips, at.y + y - 4 * context.scale});
    show_slices(context, experiment == 0 ? "slice" : "second slice", focus, *sliced, kept);
    chips -= margin;
  }
  const float room = chips - margin;
  const bool is_long = !settings.empty() && text_width(context, side + settings) > room;
  if (!is_long) side += std::exchange(settings, "");
  const std::string words = !side.empty()  ? shortened(context, side, room)
                            : focus.traced ? fitting(context, view::breadcrumb(focus), room)
                                           : "";
  ImGui::GetWindowDrawList()->AddText({at.x + margin, at.y + y}, palette({side.empty() ? Ink::Faint : Ink::Strong}),
                                      words.c_str());
  if (const float begin = text_width(context, words + "   "); side.empty() && focus.traced)
    ImGui::GetWindowDrawList()->AddText({at.x + margin + begin, at.y + y}, palette({Ink::Text}),
                                        block_in_clocks(context, focus, room - begin).c_str());
  const float line = is_long ? ImGui::GetTextLineHeightWithSpacing() : 0;
  if (is_long)
    ImGui::GetWindowDrawList()->AddText(
        {at.x + margin, at.y + y + line}, palette({Ink::Text}),
        shortened(context, settings.substr(settings.find_first_not_of(' ')), right - 2 * margin).c_str());
  // On paper the picture says it.
  ImGui::SetCursorScreenPos({at.x + tabs, at.y + y});
  const int chosen = context.on_paper ? -1
                                      : show_tabs(context, experiment == 0 ? "scale" : "second scale", scales,
                                                  static_cast<int>(context.workspace->state().scale));
  if (chosen >= 0) context.send(session::SetScale{static_cast<Scale>(chosen)});
  ImGui::SetCursorScreenPos({at.x, at.y + kHeader * context.scale + line});
}

view::Picture make_picture(const view::Focus& focus, const view::Canvas& canvas, const StageKey& key) {
  if (key.scale == Scale::Thread) return view::thread_picture(focus, canvas);
  if (key.fragments) return view::fragments_picture(focus, canvas);
  return view::stage_picture(focus, canvas,
                             {key.level, key.zoom, key.pan_x, key.pan_y, key.banks, key.moved, key.before, key.slice});
}

void zoom_about_mouse(const Context& context, const PictureEvents& events, const StageKey& key) {
  session::SetView view{key.zoom * std::pow(kWheelStep, events.wheel), key.pan_x, key.pan_y};
  view.zoom = std::min(std::max(view.zoom, 1.0f), kMostZoom);
  const float part = view.zoom / key.zoom;
  const float x = events.mouse.x / key.canvas.width - 0.5f, y = events.mouse.y / key.canvas.height - 0.5f;
  view.pan_x = view.zoom <= 1 ? 0 : x - (x - key.pan_x) * part;
  view.pan_y = view.zoom <= 1 ? 0 : y - (y - key.pan_y) * part;
  context.send(view);
}

session::Scale closer(Scale scale) { return static_cast<Scale>(std::min(static_cast<int>(scale) + 1, 3)); }

void handle(const Context& context, const view::Focus& focus, const PictureEvents& events, const StageKey& key) {
  if (events.wheel != 0 && key.scale != Scale::Thread && !key.fragments) zoom_about_mouse(context, events, key);
  if (events.dragged && key.zoom > 1)
    context.send(session::SetView{key.zoom, key.pan_x + events.drag.x / key.canvas.width,
                                  key.pan_y + events.drag.y / key.canvas.height});
  if (events.double_clicked) context.send(session::SetScale{closer(key.scale)});
  if (!events.clicked) return;
  const Target& target = events.target;
  if (target.kind == Target::Kind::Block) {
    const Dim3 block = position_in(focus.traced->report.grid, target.index);
    context.send(session::SetBlock{block.x, block.y, block.z});
  } else if (target.kind == Target::Kind::Lane) {
    context.send(session::ChooseLane{static_cast<uint32_t>(target.index)});
  } else if (target.kind == Target::Kind::Warp && focus.traced->timeline.steps(target.warp) > 0) {
    const analysis::Timeline& timeline = focus.traced->timeline;
    const uint32_t step = timeline.step_at_or_before(target.warp, timeline.slot(focus.cursor));
    return context.send(session::GoTo{{target.warp, step}});
  }
  context.send(session::Pin{target == context.workspace->pinned() ? Target{} : target});
}

/// The picture is of earlier inputs: it stays dimmed, with a note.
void mark_stale(const Context& context, const session::Experiment& experiment, ImVec2 from, ImVec2 to) {
  const draw::Palette& palette = *context.palette;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, to, palette({Ink::Window, 0.55f}));
  const bool failed = experiment.progress() == session::Progress::Failed;
  const char* words = tr(failed ? "The last result that worked" : "Running the new parameters");
  const ImVec2 size = ImGui::CalcTextSize(words);
  // Where the arrays' names are not.
  const float x = from.x + 32 * context.scale, y = from.y + 10 * context.scale, pad = 8 * context.scale;
  list.AddRectFilled({x - pad * 1.5f, y - pad / 2}, {x + size.x + pad * 1.5f, y + size.y + pad / 2},
                     palette({Ink::Raised}), size.y);
  list.AddText({x, y}, palette({failed ? Ink::Warning : Ink::Text}), words);
}

void show_waiting(const Context& context, const session::Experiment& experiment) {
  const bool failed = experiment.progress() == session::Progress::Failed;
  const std::string words = !failed || experiment.problems().empty() ? tr("Compiling and running the kernel")
                            : lists_problems(experiment) || has_open_form(*context.workspace)
                                ? tr("There is no trace yet.")
                                : text_of(experiment.problems().front());
  const ImVec2 room = ImGui::GetContentRegionAvail(), at = ImGui::GetCursorScreenPos();
  const float wrap = room.x * 0.8f;
  const ImVec2 size = ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap);
  ImGui::GetWindowDrawList()->AddText(nullptr, 0, {at.x + (room.x - size.x) / 2, at.y + (room.y - size.y) / 2},
                                      (*context.palette)({Ink::Faint}), words.c_str(), nullptr, wrap);
}

}  // namespace

void show_stage(const Context& context, int experiment, StageState& kept) {
  const view::Focus focus = focus_of(context, experiment);
  show_header(context, experiment, focus, kept);
  const session::Experiment& shown = context.workspace->experiment(experiment);
  if (!focus.traced || focus.traced->timeline.warps() == 0) return show_waiting(context, shown);
  const session::State& state = context.workspace->state();
  kept.level = travel(context, kept.level, view::level_of(state.scale, focus));
  follow_cursor(context, focus, shown.traced(), kept);
  const view::Canvas canvas = canvas_here(context);
  const bool fragments = kept.fragments && kept.level >= 1.5f && has_fragments(context, focus);
  const StageKey key{
      shown.traced(), shown.counted(),  focus.cursor,       focus.lane,  focus.lit(), focus.order,
      focus.hidden,   focus.emphasised, focus.tells_of_sms, state.scale, kept.level,  state.zoom,
      state.pan_x,    state.pan_y,      CanvasKey(canvas),  kept.banks,  fragments,   focus.registers != nullptr,
      kept.moved,     kept.before,      kept.slice};
  const view::Picture& picture = kept.picture.get(key, [&] { return make_picture(focus, canvas, key); });
  const ImVec2 from = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  handle(context, focus, show_picture(context, experiment == 0 ? "stage" : "second stage", picture), key);
  if (shown.stale()) mark_stale(context, shown, from, {from.x + room.x, from.y + room.y});
}

}  // namespace tilescope::ui
