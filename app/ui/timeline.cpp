#include "ui/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "ui/dimmed.h"
#include "ui/explain.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
using analysis::StepKind;
using view::Ink;

constexpr float kControlHeight = 32, kLeastRows = 40;
constexpr float kTitled = 100;  ///< Below this height the rows have no title.
/// Widths from which the controls have room for all their words, and for most.
constexpr float kRoomyTransport = 840, kCompactTransport = 740, kTightTransport = 640;
constexpr float kSwatch = 10, kSwatchGap = 5, kLegendGap = 14;

// --- The title line. ---

struct LegendEntry {
  std::string_view word;  ///< In English.
  Ink colour{};
  float height = 1;  ///< Of the swatch, by its width.
};
struct KindInk {
  StepKind kind;
  Ink colour;
};
/// Other is the background for these.
constexpr std::array<KindInk, 7> kKindInks{{{StepKind::LoadGlobal, Ink::LoadGlobal},
                                            {StepKind::AsyncCopy, Ink::AsyncCopy},
                                            {StepKind::StoreShared, Ink::StoreShared},
                                            {StepKind::Barrier, Ink::Barrier},
                                            {StepKind::LoadShared, Ink::LoadShared},
                                            {StepKind::Multiply, Ink::Multiply},
                                            {StepKind::StoreGlobal, Ink::StoreGlobal}}};

/// The kinds that the kernel has, and the bars below the rows.
std::vector<LegendEntry> legend_of(const view::TimelineContent& content) {
  std::vector<LegendEntry> legend;
  for (const KindInk& each : kKindInks) {
    if (!content.runs.occurs[static_cast<size_t>(each.kind)]) continue;
    legend.push_back({to_string(each.kind), each.colour});
    if (each.kind == StepKind::AsyncCopy && !content.copies.empty())
      legend.push_back({tr_later("copies in flight"), each.colour, 0.3f});
  }
  if (!content.products.empty()) legend.push_back({tr_later("products in flight"), Ink::Multiply, 0.3f});
  return legend;
}

float entry_width(const Context& context, const LegendEntry& entry) {
  return text_width(context, tr(entry.word)) + (kSwatch + kSwatchGap) * context.scale;
}

float legend_width(const Context& context, const std::vector<LegendEntry>& legend) {
  float width = 0;
  for (const LegendEntry& entry : legend) width += entry_width(context, entry) + kLegendGap * context.scale;
  return width;
}

void show_legend_entry(const Context& context, const LegendEntry& entry) {
  const float size = kSwatch * context.scale, height = size * entry.height, line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + (line - height) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + size, top + height}, ink(context, entry.colour),
                                            std::min(2.0f, height / 2) * context.scale);
  ImGui::Dummy({size, line});
  ImGui::SameLine(0, kSwatchGap * context.scale);
  show_text(context, tr(entry.word), Ink::Text);
}

/// Of each entry whether it begins a line.
std::vector<bool> legend_lines(const Context& context, const std::vector<LegendEntry>& legend) {
  const float room = ImGui::GetContentRegionAvail().x;
  std::vector<bool> begins;
  float used = 0;
  for (const LegendEntry& entry : legend) {
    const float wide = entry_width(context, entry);
    begins.push_back(used == 0 || used + wide > room + 1);
    used = (begins.back() ? 0 : used) + wide + kLegendGap * context.scale;
  }
  return begins;
}

float legend_height(const Context& context, const std::vector<LegendEntry>& legend) {
  return static_cast<float>(std::ranges::count(legend_lines(context, legend), true)) *
         ImGui::GetTextLineHeightWithSpacing();
}

/// On as many lines as it needs.
void show_legend(const Context& context, const std::vector<LegendEntry>& legend) {
  const std::vector<bool> begins = legend_lines(context, legend);
  for (size_t i = 0; i < legend.size(); ++i) {
    if (!begins[i]) ImGui::SameLine(0, kLegendGap * context.scale);
    show_legend_entry(context, legend[i]);
  }
}

/// Where a warp is: `tile` is -1 in none.
struct Place {
  int32_t tile = -1;
  std::string phase;
  uint32_t step = 0;
};

Place place_of_cursor(const view::Focus& focus) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  return {timeline.tile(focus.cursor), tr(to_string(timeline.phase(focus.cursor).kind)), focus.cursor.step};
}

/// The longest text of all places that the cursor's warp may reach.
Place widest_place(const Context& context, const view::Focus& focus) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  const uint32_t warp = focus.cursor.warp;
  Place widest{static_cast<int32_t>(timeline.tiles(warp).size()) - 1, "", timeline.steps(warp) - 1};
  using enum analysis::PhaseKind;
  for (const analysis::PhaseKind kind : {Load, Sync, Compute, Store})
    if (const std::string word = tr(to_string(kind)); text_width(context, word) > text_width(context, widest.phase))
      widest.phase = word;
  return widest;
}

/// From the most words to the fewest.
std::array<std::string, 3> place_texts(const view::Focus& focus, const Place& place) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  const uint32_t warp = focus.cursor.warp;
  const auto& [tile, phase, at] = place;
  std::string tiles;
  if (tile >= 0)
    tiles =
        tr_format("{} {} of {}", tr(view::tile_word(focus.traced->accesses)), tile + 1, timeline.tiles(warp).size()) +
        " · ";
  const std::string step = instruction_text(focus, {warp, at});
  return {fmt::format("{}{} · {}", tiles, phase, tr_format("{} of warp {}", step, warp)),
          fmt::format("{}{} · {}", tiles, phase, step), tiles + step};
}

/// Above the controls, in pixels.
float room_for_rows(const Context& context) {
  return ImGui::GetContentRegionAvail().y - kControlHeight * context.scale - ImGui::GetStyle().ItemSpacing.y;
}

constexpr float kTitleGap = 20;

std::vector<Tab> switch_tabs() { return {Tab(tr_later("instructions")), Tab(tr_later("clocks"))}; }

/// Of two that are compared the one with the frame is on show.
std::string panel_name(const Context& context) {
  const session::Workspace& workspace = *context.workspace;
  if (workspace.experiments() < 2 || workspace.state().clock) return tr("Timeline");
  return fmt::format("{}  {}", tr("Timeline"), workspace.chosen() == 0 ? tr("Left") : tr("Right"));
}

/// The cursor is in the instructions of the left of two.
void go_to(const Context& context, const view::Focus& focus, const analysis::StepRef& to) {
  const std::shared_ptr<const run::TracedBlock>& first = context.workspace->experiment(0).traced();
  if (!first) return;
  context.send(session::GoTo{
      focus.traced == first.get() ? to : session::same_place(focus.traced->timeline, to, first->timeline)});
}

float switch_width(const Context& context) {
  return text_width(context, panel_name(context), context.fonts.bold) + kTitleGap * context.scale +
         tabs_width(context, switch_tabs());
}

/// The panel's name, and what it shows.
void show_switch(const Context& context) {
  const bool on = context.workspace->state().clock;
  const std::optional<Diagnostic> problem = context.workspace->no_clock();
  show_text(context, panel_name(context), Ink::Strong, context.fonts.bold);
  ImGui::SameLine(0, kTitleGap * context.scale);
  const int chosen = show_tabs(context, "timeline", switch_tabs(), on ? 1 : 0);
  if (ImGui::IsItemHovered()) {
    const Tooltip tooltip;
    const std::string words =
        problem ? text_of(*problem) : tr("What the warps of an SM do clock by clock, and what they wait for (key C)");
    ImGui::PushTextWrapPos(380 * context.scale);
    show_text(context, words, Ink::Text);
    ImGui::PopTextWrapPos();
  }
  const bool wanted = chosen == 1;
  if (chosen >= 0 && wanted != on && !(wanted && problem)) context.send(session::ShowClock{wanted});
}

/// The legend is at the right of the title if both always have room, so that nothing moves when stepping; else under it
/// if the rows leave room.
void show_title(const Context& context, const view::Focus& focus, const std::vector<LegendEntry>& legend) {
  const auto places = place_texts(focus, place_of_cursor(focus)),
             widest = place_texts(focus, widest_place(context, focus));
  const float room = ImGui::GetContentRegionAvail().x, gap = kTitleGap * context.scale;
  const float title = switch_width(context), wide = legend_width(context, legend);
  show_switch(context);
  ImGui::SameLine(0, gap);
  for (size_t i = 0; i < places.size(); ++i) {
    if (title + text_width(context, widest[i]) + wide + 2 * gap > room) continue;
    show_text(context, places[i], Ink::Text);
    ImGui::SameLine(room - wide + kLegendGap * context.scale);
    return show_legend(context, legend);
  }
  const auto fits = [&](const std::string& place) { return title + text_width(context, place) + gap < room; };
  const auto longest = std::find_if(widest.begin(), widest.end(), fits) - widest.begin();
  show_text(context, longest < std::ssize(places) ? places[static_cast<size_t>(longest)] : "", Ink::Text);
  if (room_for_rows(context) - legend_height(context, legend) > kLeastRows * context.scale)
    show_legend(context, legend);
}

// --- The rows. ---

/// Searches another part of the traced block for the highlighted target, once it has been the same for two frames.
void keep_marks(const Context& context, const view::Focus& focus, bool new_traced, TimelineState& kept) {
  view::TimelineMarks& marks = kept.marks;
  const session::Target& lit = focus.lit();
  if (new_traced || marks.target != lit) {
    const bool rests = kept.lit == lit;
    marks = {.target = rests ? lit : session::Target{}, .complete = !rests};
    kept.lit = lit;
    if (!rests && context.moving) *context.moving = true;
  }
  if (marks.complete) return;
  view::add_marks(*focus.traced, marks);
  if (!marks.complete && context.moving) *context.moving = true;
}

/// The view stays where it is in another run of the same kernel and sizes, and follows the cursor when that moves.
void keep_view(const view::Focus& focus, bool new_traced, TimelineState& kept) {
  const analysis::Timeline& timeline = focus.traced->timeline;
  if (timeline.slots() != kept.slots) kept.view = {};
  if (new_traced || !(kept.cursor == focus.cursor))
    kept.view = view::following(kept.view, timeline.slots(), timeline.slot(focus.cursor));
  kept.slots = timeline.slots();
  kept.cursor = focus.cursor;
}

/// Rows, and flags for the checkers' findings if they are ready.
const view::TimelineContent& content_of(const session::Experiment& shown, const TimelineSource& source,
                                        TimelineState& kept) {
  return kept.content.get(source, [&] {
    const run::RunResult& judged =
        shown.checked() ? static_cast<const run::RunResult&>(*shown.checked()) : *shown.traced();
    return view::timeline_content(*shown.traced(), judged.report.findings);
  });
}

void scrub(const Context& context, const view::Focus& focus, const view::TimelineLayout& layout, float x) {
  const uint32_t warp = focus.cursor.warp;
  const analysis::StepRef to{warp, focus.traced->timeline.step_at_or_before(warp, layout.slot_at(x))};
  if (!(to == focus.cursor)) go_to(context, focus, to);
}

void pan(TimelineState& kept, const view::TimelineLayout& layout, uint32_t slots, float pixels) {
  kept.drag_rest += pixels * static_cast<float>(layout.slots) / layout.plot.width;
  const float whole = std::trunc(kept.drag_rest);
  kept.drag_rest -= whole;
  kept.view = view::panned(kept.view, slots, -static_cast<int64_t>(whole));
}

void hover_step(const Context& context, const analysis::StepRef& at) {
  if (!context.hover_next) return;
  session::Target target;
  target.kind = session::Target::Kind::Step;
  target.warp = at.warp;
  target.index = at.step;
  *context.hover_next = target;
}

void answer(const Context& context, const view::Focus& focus, const view::TimelineLayout& layout,
            const PictureEvents& events, TimelineState& kept) {
  const uint32_t slots = focus.traced->timeline.slots();
  const bool on_ruler = events.mouse.y < layout.plot.y;
  const auto under = view::moment_at(focus, layout, events.mouse);
  if (events.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    kept.scrubbing = on_ruler;
    kept.drag_rest = 0;
  }
  if (events.hovered && !events.target && under) hover_step(context, *under);
  if (events.dragged && !kept.scrubbing) pan(kept, layout, slots, events.drag.x);
  if ((events.dragged || events.clicked) && kept.scrubbing) scrub(context, focus, layout, events.mouse.x);
  if (events.clicked && !kept.scrubbing && under) go_to(context, focus, *under);
  if (events.clicked && !under && events.target.kind == session::Target::Kind::Warp) {
    const uint32_t warp = events.target.warp, slot = focus.traced->timeline.slot(focus.cursor);
    if (focus.traced->timeline.steps(warp) > 0)
      go_to(context, focus, {warp, focus.traced->timeline.step_at_or_before(warp, slot)});
  }
  if (events.wheel != 0) {
    const float place = (events.mouse.x - layout.plot.x) / layout.plot.width;
    kept.view = view::zoomed(kept.view, slots, std::pow(0.8f, events.wheel), std::clamp(place, 0.0f, 1.0f));
  }
}

void show_rows(const Context& context, const view::Focus& focus, const TimelineSource& source,
               const view::TimelineContent& content, float height, TimelineState& kept) {
  const view::Canvas canvas = canvas_here(context, 0, height);
  const TimelineKey key{source,
                        focus.cursor,
                        focus.lit(),
                        kept.marks.target,
                        kept.marks.marks.size(),
                        focus.order,
                        focus.hidden.has(session::Fact::Findings),
                        kept.view,
                        CanvasKey(canvas)};
  const view::Picture& picture =
      kept.picture.get(key, [&] { return view::timeline_picture(focus, canvas, kept.view, content, kept.marks); });
  const view::TimelineLayout layout = view::timeline_layout(focus, canvas, kept.view);
  answer(context, focus, layout, show_picture(context, "timeline", picture), kept);
}

// --- The transport controls. ---

enum class Icon { ToStart, Back, Play, Pause, Forward, ToEnd };

/// Icons are shapes: no font has to have them.
class IconPainter {
 public:
  IconPainter(ImVec2 centre, float size, ImU32 colour) : centre_(centre), size_(size), colour_(colour) {}

  void draw(Icon icon) const {
    switch (icon) {
      case Icon::ToStart: return bar(-1), triangle(0.15f, -1);
      case Icon::Back: return chevron(-1);
      case Icon::Play: return triangle(0, 1);
      case Icon::Forward: return chevron(1);
      case Icon::Pause: return bar(-0.45f), bar(0.45f);
      case Icon::ToEnd: return triangle(-0.15f, 1), bar(1);
    }
  }

 private:
  void triangle(float shift, float direction) const {
    const float x = centre_.x + shift * size_, half = size_ * 0.8f * direction;
    ImGui::GetWindowDrawList()->AddTriangleFilled({x - half, centre_.y - size_}, {x - half, centre_.y + size_},
                                                  {x + half, centre_.y}, colour_);
  }
  void chevron(float direction) const {
    const float half = size_ * 0.45f * direction;
    const ImVec2 points[] = {
        {centre_.x - half, centre_.y - size_}, {centre_.x + half, centre_.y}, {centre_.x - half, centre_.y + size_}};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (int i = 0; i < 2; ++i) list.AddLine(points[i], points[i + 1], colour_, size_ * 0.38f);
  }
  void bar(float shift) const {
    const float x = centre_.x + shift * size_, half = size_ * 0.2f;
    ImGui::GetWindowDrawList()->AddRectFilled({x - half, centre_.y - size_}, {x + half, centre_.y + size_}, colour_);
  }

  ImVec2 centre_;
  float size_;
  ImU32 colour_;
};

/// A button with an icon and perhaps a word beside it.
bool icon_button(const Context& context, const char* name, Icon icon, float wide, const char* word = nullptr,
                 bool on = false) {
  const float scale = context.scale, height = kControlHeight * scale, icon_size = 6.5f * scale;
  const float words = word ? ImGui::CalcTextSize(word).x + 8 * scale : 0;
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{(word ? 40.0f : wide) * scale + words, height};
  const bool pressed = ImGui::InvisibleButton(name, size);
  context.note_widget(name);
  explain(context, name);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, ink(context, on ? Ink::Accent : Ink::Raised, on ? 0.18f : 1), 5 * scale);
  if (hovered) list.AddRect(at, end, ink(context, Ink::Faint), 5 * scale);
  const ImU32 colour = ink(context, on ? Ink::Accent : Ink::Strong);
  const float middle = at.y + height / 2, x = word ? at.x + 18 * scale : at.x + size.x / 2;
  IconPainter({x, middle}, icon_size, colour).draw(icon);
  if (word) list.AddText({x + 16 * scale, middle - ImGui::GetTextLineHeight() / 2}, colour, word);
  return pressed;
}

void show_buttons(const Context& context, bool words, bool tight) {
  const float wide = tight ? 36 : 46;
  const analysis::Unit unit = context.workspace->state().unit;
  const bool playing = context.workspace->playing(), clock = context.workspace->state().clock;
  const auto step = [&](int count) {
    clock ? context.send(session::MoveClock{count}) : context.send(session::Move{unit, count});
  };
  if (icon_button(context, "step to start", Icon::ToStart, wide)) context.send(session::GoToStart{});
  next(context, 8);
  if (icon_button(context, "step back", Icon::Back, wide)) step(-1);
  next(context, 8);
  if (icon_button(context, "play", playing ? Icon::Pause : Icon::Play, wide,
                  words ? tr(playing ? "pause" : "play") : nullptr, playing))
    context.send(session::Play{!playing});
  next(context, 8);
  if (icon_button(context, "step forward", Icon::Forward, wide)) step(1);
  next(context, 8);
  if (icon_button(context, "step to end", Icon::ToEnd, wide)) context.send(session::GoToEnd{});
}

/// Text in the middle of the row of controls.
void row_text(const Context& context, const char* words) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(words);
  const float height = kControlHeight * context.scale;
  ImGui::GetWindowDrawList()->AddText({at.x, at.y + (height - size.y) / 2}, ink(context, Ink::Text), words);
  ImGui::Dummy({size.x, height});
}

std::string speed_text(float speed) {
  return speed < 10 ? tr_format("speed: {:.1f} per second", speed) : tr_format("speed: {:.0f} per second", speed);
}

void show_speed(const Context& context, bool compact, bool tight) {
  const float scale = context.scale, speed = context.workspace->state().speed,
              range = std::log(session::kFastest / session::kSlowest);
  if (!compact) row_text(context, tr("speed"));
  if (!compact) next(context, 8);
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{(tight     ? 56
                                                       : compact ? 80
                                                                 : 120) *
                                                          scale,
                                                      kControlHeight * scale};
  ImGui::InvisibleButton("speed", size);
  context.note_widget("speed");
  const float knob = 7 * scale, left = at.x + knob, width = size.x - 2 * knob, y = at.y + size.y / 2;
  if (ImGui::IsItemActive()) {
    const float part = std::clamp((ImGui::GetMousePos().x - left) / width, 0.0f, 1.0f);
    context.send(session::SetSpeed{session::kSlowest * std::exp(part * range)});
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    const Tooltip tooltip;
    ImGui::TextUnformatted(speed_text(speed).c_str());
  }
  const float x = left + width * std::clamp(std::log(speed / session::kSlowest) / range, 0.0f, 1.0f);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({left, y - 2 * scale}, {left + width, y + 2 * scale}, ink(context, Ink::Line), 2 * scale);
  list.AddRectFilled({left, y - 2 * scale}, {x, y + 2 * scale}, ink(context, Ink::Faint), 2 * scale);
  list.AddCircleFilled({x, y}, knob, ink(context, Ink::Strong), 24);
}

/// The visible name of a unit: a pass through the loop is called as in this kernel.
std::string unit_text(const Context& context, analysis::Unit unit) {
  const auto& traced = context.workspace->experiment(0).traced();
  if (unit == analysis::Unit::Tile && traced) return tr(view::tile_word(traced->accesses));
  return tr(to_string(unit));
}

void show_unit(const Context& context, analysis::Unit unit) {
  const std::string name(to_string(unit)), shown = unit_text(context, unit);
  const bool chosen = context.workspace->state().unit == unit;
  const float scale = context.scale, height = kControlHeight * scale;
  const ImVec2 words = ImGui::CalcTextSize(shown.c_str()), at = ImGui::GetCursorScreenPos();
  const ImVec2 size{words.x + 12 * scale, height};
  if (ImGui::InvisibleButton(name.c_str(), size)) context.send(session::SetUnit{unit});
  context.note_widget("step by " + name);
  explain(context, "step by " + name);
  const Ink colour = chosen || ImGui::IsItemHovered() ? Ink::Strong : Ink::Faint;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float x = at.x + 6 * scale, bottom = at.y + (height + words.y) / 2;
  list.AddText({x, bottom - words.y}, ink(context, colour), shown.c_str());
  if (chosen) list.AddRectFilled({x, bottom + 3 * scale}, {x + words.x, bottom + 5 * scale}, ink(context, Ink::Accent));
}

void show_units(const Context& context, bool words) {
  if (words) row_text(context, tr("step by"));
  for (const analysis::Unit unit : analysis::kUnits) {
    if (words || unit != analysis::Unit::Instruction) next(context, 4);
    show_unit(context, unit);
  }
}

/// Only the chosen unit; a click opens the others.
void show_unit_menu(const Context& context) {
  const analysis::Unit chosen = context.workspace->state().unit;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (kControlHeight * context.scale - chip_size(context, "0").y) / 2);
  const bool clicked = show_named_chip(context, std::string(to_string(chosen)) + "##unit", unit_text(context, chosen));
  const Popup popup("units", clicked, context.scale);
  if (!popup) return;
  for (const analysis::Unit unit : analysis::kUnits) {
    const std::string name(to_string(unit));
    if (ImGui::MenuItem(unit_text(context, unit).c_str(), nullptr, unit == chosen))
      context.send(session::SetUnit{unit});
    context.note_widget("step by " + name);
  }
}

void show_transport(const Context& context) {
  if (context.on_paper) return;
  const PushedFont font(context.fonts.text);
  const float room = ImGui::GetContentRegionAvail().x / context.scale;
  const bool compact = room < kRoomyTransport, words = room >= kCompactTransport;
  const bool tight = room < kTightTransport;
  show_buttons(context, words, tight);
  next(context, compact ? 12 : 24);
  show_speed(context, compact, tight);
  next(context, compact ? 12 : 20);
  if (context.workspace->state().clock) return row_text(context, tr("step by clock"));
  tight ? show_unit_menu(context) : show_units(context, words);
}

/// The clock in place of the rows.
void show_clock_panel(const Context& context, TimelineState& kept) {
  constexpr float kLeastBesideWhatIfs = 240;  ///< What the picture keeps; where it has less, the what-ifs give way.
  const float scale = context.scale, room = ImGui::GetContentRegionAvail().x;
  show_switch(context);
  // Two that are compared have a title each.
  const bool has_two = context.workspace->experiments() == 2;
  for (const std::string& words : clock_texts(context, 0))
    if (!has_two && !words.empty() && switch_width(context) + kTitleGap * scale + text_width(context, words) <= room) {
      ImGui::SameLine(0, kTitleGap * scale);
      show_text(context, words, Ink::Text);
      break;
    }
  const float line = std::max(ImGui::GetFrameHeight(), chip_size(context, "0").y) + ImGui::GetStyle().ItemSpacing.y;
  const float what_ifs = static_cast<float>(kept.what_if_lines) * line, height = room_for_rows(context);
  const bool has_what_ifs = !context.on_paper && (height - what_ifs) / scale >= kLeastBesideWhatIfs;
  show_clock(context, std::max(kLeastRows, (has_what_ifs ? height - what_ifs : height) / scale), kept.clock);
  if (has_what_ifs) {
    const float from = ImGui::GetCursorPosY();
    show_what_ifs(context);
    const int lines = std::max(1, static_cast<int>(std::lround((ImGui::GetCursorPosY() - from) / line)));
    if (std::exchange(kept.what_if_lines, lines) != lines && context.moving) *context.moving = true;
  }
  show_transport(context);
}

}  // namespace

void show_timeline(const Context& context, int experiment, TimelineState& kept) {
  const view::Focus focus = focus_of(context, experiment);
  if (!focus.traced || focus.traced->timeline.steps(focus.cursor.warp) == 0)
    return show_text(context, tr("The timeline appears when the first run is done."), Ink::Faint);
  if (context.workspace->state().clock) return show_clock_panel(context, kept);
  const session::Experiment& shown = context.workspace->experiment(experiment);
  const TimelineSource source{shown.traced(), shown.checked()};
  const bool new_traced = !(kept.traced == source.traced);
  kept.traced = source.traced;
  const view::TimelineContent& content = content_of(shown, source, kept);
  keep_marks(context, focus, new_traced, kept);
  keep_view(focus, new_traced, kept);
  if (ImGui::GetContentRegionAvail().y >= kTitled * context.scale) show_title(context, focus, legend_of(content));
  const float height = room_for_rows(context);
  const ImVec2 rows = ImGui::GetCursorScreenPos();
  show_rows(context, focus, source, content, std::max(kLeastRows, height / context.scale), kept);
  dim_earlier_result(context, experiment, rows, ImGui::GetCursorScreenPos().y);
  show_transport(context);
}

}  // namespace tilescope::ui
