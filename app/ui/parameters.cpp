#include "ui/parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "base/process.h"
#include "base/words.h"
#include "lesson/expression.h"
#include "run/prepare.h"
#include "ui/keyboard_focus.h"
#include "ui/launch_form.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "ui/window_words.h"

namespace tilescope::ui {
namespace {
using session::Target;
using view::Ink;
using view::Slider;

constexpr float kRow = 25, kKnob = 7, kBesideName = 10, kBetweenColumns = 22, kLeastBetween = 10;
constexpr float kLeastTrack = 20;    ///< A slider's, in two columns.
constexpr size_t kMostInColumn = 3;  ///< More sliders than this are in two columns if there is room.
constexpr float kLegalityPad = 8;

const view::ParameterPanel& panel_now(const Context& context, int experiment, ParametersState& kept) {
  const session::Experiment& of = context.workspace->experiment(experiment);
  const std::string& arch = context.workspace->state().arch;
  const bool has_run = of.traced() != nullptr;
  const bool refused = of.progress() == session::Progress::Failed && of.legality() && !of.inputs().source;
  return kept.panel.get({of.inputs(), arch, of.kernel().description.text, has_run, refused}, [&] {
    const Result<arch::Limits> limits = arch::find_limits(std::string_view(arch));
    if (!limits) return view::ParameterPanel{};
    const auto& shipped = kept.shipped.get({of.inputs().kernel, arch, has_run}, [&] {
      return starts_programs() || !has_run ? std::nullopt : std::optional(of.shipped(of.kernel()));
    });
    view::ParameterPanel panel = view::parameter_panel(of.kernel().description, of.inputs(),
                                                       run::configuration_limits(*limits), of.legality(), shipped);
    if (!refused) return panel;
    if (auto way = view::nearest_shipped(of.kernel().description, of.inputs(), of.shipped(of.kernel())))
      panel.legality = {.sentences = {tr("Nothing is compiled for these values. The nearest that is:")},
                        .ways = {std::move(*way)}};
    return panel;
  });
}

// ---- sliders

/// The places of a slider's values, evenly spaced.
struct Track {
  ImVec2 from;
  float width = 0;
  size_t values = 1;
  float x(size_t index) const {
    return values < 2 ? from.x + width / 2
                      : from.x + width * static_cast<float>(index) / static_cast<float>(values - 1);
  }
  size_t nearest(float at) const {
    const float part = std::clamp((at - from.x) / std::max(1.0f, width), 0.0f, 1.0f);
    return static_cast<size_t>(std::lround(part * static_cast<float>(values - 1)));
  }
};

void draw_track(const Context& context, const Slider& slider, const Track& track, bool held) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float thick = 3 * context.scale, y = track.from.y, knob = track.x(slider.index);
  const bool legal = !slider.wrong;
  const auto line = [&](float from, float to, ImU32 colour) {
    list.AddRectFilled({from, y - thick / 2}, {to, y + thick / 2}, colour, thick / 2);
  };
  line(track.from.x, track.from.x + track.width, ink(context, Ink::Line));
  line(track.from.x, knob, ink(context, legal ? Ink::LoadGlobal : Ink::Bad));
  for (size_t i = 0; i < slider.values.size(); ++i)
    if (slider.legal[i])
      list.AddRectFilled({track.x(i) - context.scale, y + 6 * context.scale},
                         {track.x(i) + context.scale, y + 10 * context.scale}, ink(context, Ink::Faint));
  const float radius = (held ? kKnob + 1 : kKnob) * context.scale;
  if (legal)
    list.AddCircleFilled({knob, y}, radius, ink(context, Ink::Strong));
  else
    draw_warning(list, {knob - radius, y - radius}, 2 * radius, ink(context, Ink::Bad));
}

/// Whether the knob may go there.
bool is_offered(const Slider& slider, size_t index) { return slider.shipped.empty() || slider.legal[index]; }

/// The offered place that is nearest; that of the knob if there is none.
size_t nearest_offered(const Slider& slider, size_t index) {
  for (size_t away = 0; away < slider.values.size(); ++away) {
    if (index >= away && is_offered(slider, index - away)) return index - away;
    if (index + away < slider.values.size() && is_offered(slider, index + away)) return index + away;
  }
  return slider.index;
}

void choose(const Context& context, const Slider& slider, size_t index) {
  if (index == slider.index && slider.values[index] == slider.value) return;
  session::SetParameter command{slider.name, slider.values[index]};
  if (!slider.shipped.empty()) command.with = slider.shipped[index];
  context.send(std::move(command));
}

/// To the next offered place that way.
void step(const Context& context, const Slider& slider, int by) {
  for (int to = static_cast<int>(slider.index) + by; to >= 0 && to < static_cast<int>(slider.values.size()); to += by)
    if (is_offered(slider, static_cast<size_t>(to))) return choose(context, slider, static_cast<size_t>(to));
}

void take_arrows(const Context& context, const Slider& slider) {
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
  if (pressed(ImGuiKey_LeftArrow)) step(context, slider, -1);
  if (pressed(ImGuiKey_RightArrow)) step(context, slider, 1);
  if (pressed(ImGuiKey_Home)) choose(context, slider, nearest_offered(slider, 0));
  if (pressed(ImGuiKey_End)) choose(context, slider, nearest_offered(slider, slider.values.size() - 1));
}

/// The width of the widest name.
float widest(const Context& context, const std::vector<std::string>& names) {
  float width = 0;
  for (const std::string& name : names) width = std::max(width, text_width(context, name, context.fonts.mono));
  return width;
}

/// For the widget map: the knob's place for each value.
void note_values(const Context& context, const Slider& slider, const Track& track) {
  if (!context.widgets) return;
  const float half = 2 * context.scale;
  for (size_t i = 0; i < slider.values.size(); ++i)
    context.widgets->push_back({fmt::format("parameter {} {}", slider.name, slider.values[i]),
                                {track.x(i) - half, track.from.y - half, 2 * half, 2 * half}});
}

/// The layout of sliders: down one column, then down a second one, if any. All tracks have one length, after the
/// longest name of their column.
struct SliderLayout {
  size_t rows = 0;
  float names[2] = {0, 0};
  float value = 0, track = 0, between = 0;
  float column(size_t number) const { return number == 0 ? 0 : names[0] + track + value + between; }
};

SliderLayout slider_layout(const Context& context, const std::vector<std::string>& names, size_t columns, float width,
                           float between) {
  SliderLayout layout{(names.size() + columns - 1) / columns, {}, 0, 0, between * context.scale};
  layout.value = widest(context, {"000"}) + kBesideName * context.scale;
  const auto middle = names.begin() + static_cast<std::ptrdiff_t>(layout.rows);
  layout.names[0] = widest(context, {names.begin(), middle}) + kBesideName * context.scale;
  layout.names[1] = widest(context, {middle, names.end()}) + kBesideName * context.scale;
  const float second = columns == 1 ? 0 : layout.names[1] + layout.value + layout.between;
  layout.track = (width - layout.names[0] - layout.value - second) / static_cast<float>(columns);
  return layout;
}

SliderLayout slider_layout(const Context& context, const std::vector<std::string>& names, float width) {
  if (names.size() > kMostInColumn)
    for (const float between : {kBetweenColumns, kLeastBetween}) {
      const SliderLayout two = slider_layout(context, names, 2, width, between);
      if (two.track >= (kLeastTrack + 2 * kKnob) * context.scale) return two;
    }
  return slider_layout(context, names, 1, width, kBetweenColumns);
}

bool is_mouse_moving() {
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  return moved.x != 0 || moved.y != 0;
}

void show_slider(const Context& context, const Slider& slider, const SliderLayout& layout, size_t column,
                 ParametersState& kept) {
  const PushedId id(slider.name.c_str());
  const float scale = context.scale, row = kRow * scale, knob = kKnob * scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float names = layout.names[column], width = names + layout.track + layout.value;
  const float text_y = at.y + (row - ImGui::GetTextLineHeight()) / 2;
  const Track track{{at.x + names + knob, at.y + row / 2}, layout.track - 2 * knob, slider.values.size()};
  ImGui::SetCursorScreenPos({track.from.x - knob, at.y});
  ImGui::InvisibleButton("track", {std::max(1.0f, track.width + 2 * knob), row});
  if (context.keyboard && std::exchange(kept.wants_keyboard, false)) context.keyboard->take(ImGui::GetItemID());
  context.note_widget("parameter " + slider.name);
  note_values(context, slider, track);
  const bool held = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (held && ImGui::IsMouseDown(ImGuiMouseButton_Left))
    choose(context, slider, nearest_offered(slider, track.nearest(ImGui::GetMousePos().x)));
  if (ImGui::IsItemClicked()) kept.focused = slider.name;
  if (kept.focused == slider.name) kept.under_mouse = hovered || (kept.under_mouse && !is_mouse_moving());
  const bool has_arrows = (kept.under_mouse && kept.focused == slider.name) ||
                          (context.keyboard && context.keyboard->is_on(ImGui::GetItemID()));
  kept.takes_arrows |= has_arrows;
  if (has_arrows && !held) take_arrows(context, slider);
  draw_track(context, slider, track, held || hovered);

  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool lit = context.hover == Target{Target::Kind::Parameter, Space::None, slider.name, 0, 0};
  const PushedFont mono(context.fonts.mono);
  list.AddText({at.x, text_y}, ink(context, lit ? Ink::Strong : Ink::Text), slider.name.c_str());
  const std::string value = fmt::format("{}", slider.value);
  list.AddText({at.x + width - ImGui::CalcTextSize(value.c_str()).x, text_y}, ink(context, Ink::Strong), value.c_str());
  if (ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) && context.hover_next &&
      ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + row}))
    *context.hover_next = {Target::Kind::Parameter, Space::None, slider.name, 0, 0};
}

/// Down the first column, then down the second.
void show_sliders(const Context& context, const std::vector<Slider>& sliders, ParametersState& kept) {
  std::vector<std::string> names;
  for (const Slider& slider : sliders) names.push_back(slider.name);
  const SliderLayout layout = slider_layout(context, names, ImGui::GetContentRegionAvail().x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (size_t i = 0; i < sliders.size(); ++i) {
    const auto row = static_cast<float>(i % layout.rows);
    const size_t column = i / layout.rows;
    ImGui::SetCursorScreenPos({at.x + layout.column(column), at.y + row * kRow * context.scale});
    show_slider(context, sliders[i], layout, column, kept);
  }
  ImGui::SetCursorScreenPos({at.x, at.y + static_cast<float>(layout.rows) * kRow * context.scale});
}

// ---- size and block

/// After Return the field is left if its number was taken; else what is typed next is for it, and is no shortcut.
void leave_or_stay(const Context& context, int experiment, ImGuiID field, ParametersState& kept) {
  kept.returned.clear();
  if (ImGui::GetActiveID() != field) return;
  if (!kept.refused.empty() || !context.workspace->experiment(experiment).legality())
    return ImGui::GetInputTextState(field)->SelectAll();
  kept.typing.clear();
  ImGui::ClearActiveID();
}

/// A field for a whole number after its name, given in English; the value, or why there is none, once entered, or left
/// by Tab, which ImGui 1.86 does not report. `index`: of kept.typed. `width`: at least.
std::optional<Result<int64_t>> show_number(const Context& context, int experiment, const char* name, int64_t value,
                                           size_t index, ParametersState& kept, float width) {
  std::string &typed = kept.typed[index], &typing = kept.typing;
  const PushedId id(name);
  ImGui::AlignTextToFramePadding();
  show_text(context, tr(name), Ink::Faint);
  ImGui::SameLine(0, 5 * context.scale);
  const PushedFont mono(context.fonts.mono);
  const std::string shown = fmt::format("{}", value);
  const ImGuiID field = ImGui::GetID("##number");
  if (kept.returned == name) leave_or_stay(context, experiment, field, kept);
  const bool left = typing == name && ImGui::GetActiveID() != field;
  if (ImGui::GetActiveID() != field && !left) typed = shown;
  const float text = std::max(ImGui::CalcTextSize(shown.c_str()).x, ImGui::CalcTextSize(typed.c_str()).x);
  ImGui::SetNextItemWidth(std::max(width, text + 2 * ImGui::GetStyle().FramePadding.x));
  // All of it is in view; ImGui keeps how far it had scrolled while the field was narrower.
  if (ImGuiInputTextState* state = ImGui::GetInputTextState(field)) state->ScrollX = 0;
  const HiddenKey enter(ImGuiKey_Enter), other_enter(ImGuiKey_KeyPadEnter);
  ImGui::InputText("##number", &typed, ImGuiInputTextFlags_AutoSelectAll);
  context.note_widget(fmt::format("size {}", name));
  const bool returned = ImGui::IsItemActive() && (enter.is_pressed() || other_enter.is_pressed());
  if (returned) kept.returned = name;
  const bool ended = returned || ImGui::IsItemDeactivatedAfterEdit();
  if (ImGui::GetActiveID() == field)
    typing = name;
  else if (typing == name)
    typing.clear();
  if ((!ended && !left) || (typed == shown && !returned)) return std::nullopt;
  return whole_number(typed);
}

/// Whether a number was entered that is another one; what is none is refused with a sentence.
bool takes(const std::optional<Result<int64_t>>& entered, int64_t value, const Context& context, int experiment,
           ParametersState& kept) {
  if (!entered) return false;
  kept.refused.clear();
  kept.refused_at = context.workspace->experiment(experiment).inputs();
  if (!*entered) kept.refused = text_of(entered->errors().front());
  return *entered && **entered != value;
}

void show_size(const Context& context, int experiment, const view::ParameterPanel& panel, ParametersState& kept) {
  kernel::Size size = panel.size;
  const std::pair<const char*, int64_t*> extents[] = {{"M", &size.m}, {"N", &size.n}, {"K", &size.k}};
  for (size_t i = 0; i < 3; ++i) {
    if (panel.extents.find(extents[i].first) == std::string::npos) continue;
    const auto entered =
        show_number(context, experiment, extents[i].first, *extents[i].second, i, kept, 54 * context.scale);
    ImGui::SameLine(0, 10 * context.scale);
    if (!takes(entered, *extents[i].second, context, experiment, kept)) continue;
    *extents[i].second = **entered;
    context.send(session::SetSize{size});
  }
}

/// Powers of two, and one more: sizes that tiles divide and sizes that they do not.
void show_size_menu(const Context& context) {
  const Popup popup("sizes", show_chip(context, tr_later("sizes")), context.scale);
  if (!popup) return;
  for (int64_t power = 64; power <= 1024; power *= 2)
    for (const int64_t value : {power, power + 1}) {
      if (value != power) ImGui::SameLine();
      if (show_chip(context, fmt::format("{}", value))) {
        context.send(session::SetSize{{value, value, std::min<int64_t>(value, 64) + value - power}});
        ImGui::CloseCurrentPopup();
      }
    }
}

void show_block(const Context& context, int experiment, const view::ParameterPanel& panel, ParametersState& kept) {
  constexpr std::array<const char*, 3> kNames{tr_later("block x"), "y", "z"};
  const std::array<uint32_t, 3> extents{panel.grid.x, panel.grid.y, panel.grid.z};
  std::array<uint32_t, 3> block = panel.block;
  const size_t dimensions = panel.grid.z > 1 ? 3 : panel.grid.y > 1 ? 2 : 1;
  for (size_t d = 0; d < dimensions; ++d) {
    if (d > 0) ImGui::SameLine(0, 10 * context.scale);
    const auto entered = show_number(context, experiment, kNames[d], block[d], 3 + d, kept, 40 * context.scale);
    if (takes(entered, block[d], context, experiment, kept))
      block[d] = static_cast<uint32_t>(std::clamp<int64_t>(**entered, 0, int64_t{extents[d]} - 1));
  }
  if (block != panel.block) context.send(session::SetBlock{block[0], block[1], block[2]});
  if (!panel.legality.legal || context.hidden.has(session::Fact::Resources)) return;
  ImGui::SameLine(0, 8 * context.scale);
  ImGui::AlignTextToFramePadding();
  show_text(context,
            dimensions == 3   ? tr_format("of {} × {} × {}", panel.grid.x, panel.grid.y, panel.grid.z)
            : dimensions == 2 ? tr_format("of {} × {}", panel.grid.x, panel.grid.y)
                              : tr_format("of {}", panel.grid.x),
            Ink::Faint);
}

/// The way back to the form of a kernel without a description.
void show_form_chip(const Context& context) {
  const session::OpenForm* form = context.workspace->form();
  if (!form || form->on) return;
  ImGui::SameLine(0, 10 * context.scale);
  if (show_chip(context, tr_later("Launch"))) context.send(session::ShowForm{});
}

// ---- presets and legality

/// The preset that is on, in a chip that opens the menu of all: what each is, and how fast it was recorded.
void show_presets(const Context& context, int experiment, const view::ParameterPanel& panel, PlotsState* plots) {
  if (panel.presets.empty()) return;
  const auto on = std::find_if(panel.presets.begin(), panel.presets.end(), [](const auto& each) { return each.on; });
  const float arrow = 22 * context.scale;
  const std::string title = on == panel.presets.end() ? tr("Presets") : on->words;
  const float room = ImGui::GetContentRegionAvail().x - chip_size(context, "").x - arrow;
  const bool clicked = show_named_chip(context, "presets", shortened(context, title, room) + "  \u25be");
  const Popup popup("all presets", clicked, context.scale);
  if (!popup) return;
  for (const view::PresetChoice& preset : panel.presets) {
    const std::string speed = plots ? recorded_speed(context, experiment, *plots, preset.params) : "";
    if (ImGui::MenuItem(fmt::format("{}###{}", preset.words, preset.name).c_str(), speed.c_str(), preset.on))
      context.send(session::UsePreset{preset.name});
    context.note_widget("preset " + preset.name);
  }
}

void show_ways(const Context& context, const std::vector<view::LegalWay>& ways) {
  for (size_t i = 0; i < ways.size(); ++i) {
    const std::string words = tr_format("Use {}", ways[i].label);
    if (i > 0) flow(context, words);
    if (!show_named_chip(context, "Use " + ways[i].label, words, i == 0)) continue;
    for (const session::Command& command : ways[i].commands) context.send(command);
  }
}

void show_legality(const Context& context, const view::Legality& legality) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float pad = kLegalityPad * context.scale, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos({at.x + pad, at.y + pad});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - 2 * pad);
  {
    const Group group;
    for (const std::string& sentence : legality.sentences) {
      show_mark(context, legality.legal);
      const float room = at.x + width - pad - ImGui::GetCursorScreenPos().x;
      const bool is_covered = legality.legal && context.hidden.has(session::Fact::Resources);
      // The sliders would move under the mouse if this had more lines at some values.
      const bool is_brief = legality.legal && text_width(context, sentence) > room;
      show_text(context, is_covered ? tr("legal") : is_brief ? legality.brief : sentence, Ink::Text);
      if (legality.legal) explain_word(context, "legal");
    }
    show_ways(context, legality.ways);
  }
  context.note_place("legality");
  ImGui::PopTextWrapPos();
  const float bottom = ImGui::GetItemRectMax().y + pad;
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(at, {at.x + width, bottom}, ink(context, Ink::Raised, 0.7f), 6 * context.scale);
  list.ChannelsMerge();
  ImGui::SetCursorScreenPos({at.x, bottom});
  ImGui::Dummy({width, 0});
}

/// A legal choice may still be too large to trace.
view::Legality legality_of(const session::Experiment& experiment, const view::ParameterPanel& panel) {
  const int64_t k = experiment.fitting_k();
  if (k == 0) return panel.legality;
  const session::SetSize fits{{panel.size.m, panel.size.n, k}};
  return {.sentences = {tr_format("K = {} makes the trace too large.", panel.size.k)},
          .ways = {{fmt::format("K = {}", k), {fits}}}};
}

}  // namespace

Result<int64_t> whole_number(const std::string& typed) {
  const Result<double> number = lesson::parse_number(typed);
  if (!number) return number.errors();
  constexpr double kExact = 1LL << 53;
  if (std::floor(*number) != *number || std::abs(*number) > kExact)
    return error(Message("{} is not a whole number below 2^53.", typed));
  return static_cast<int64_t>(*number);
}

void show_parameters(const Context& context, int experiment, ParametersState& kept, bool sizes, PlotsState* plots) {
  const view::ParameterPanel& panel = panel_now(context, experiment, kept);
  const PushedId id(experiment);
  show_sliders(context, panel.sliders, kept);
  ImGui::Dummy({0, 0});
  // An open form shows errors at its own fields.
  const session::Experiment& of = context.workspace->experiment(experiment);
  const bool judged = !has_open_form(*context.workspace) || of.fitting_k() != 0;
  show_presets(context, experiment, panel, plots);
  if (sizes) show_sizes_and_block(context, experiment, kept);
  // Below all controls: however long it is, they stay under the mouse.
  if (judged) show_legality(context, legality_of(of, panel));
}

float parameters_height(const Context& context, const kernel::Description& kernel, float width, bool sizes) {
  std::vector<std::string> names;
  for (const kernel::Parameter& parameter : kernel.parameters) names.push_back(parameter.name);
  const float gap = ImGui::GetStyle().ItemSpacing.y, line = ImGui::GetTextLineHeight();
  const float legality = has_open_form(*context.workspace) ? 0 : line + 2 * kLegalityPad * context.scale;
  const float presets = kernel.presets.empty() ? 0 : chip_size(context, "0").y + gap;
  return static_cast<float>(slider_layout(context, names, width).rows) * kRow * context.scale + gap + legality + gap +
         presets + (sizes ? 2 * (ImGui::GetFrameHeight() + gap) : 0);
}

bool refuses_number(const Context& context, int experiment, const ParametersState& kept) {
  return !kept.refused.empty() && kept.refused_at == context.workspace->experiment(experiment).inputs();
}

void show_sizes_and_block(const Context& context, int experiment, ParametersState& kept) {
  const view::ParameterPanel& panel = panel_now(context, experiment, kept);
  if (!panel.extents.empty()) {
    show_size(context, experiment, panel, kept);
    show_size_menu(context);
  }
  show_block(context, experiment, panel, kept);
  show_form_chip(context);
  if (!refuses_number(context, experiment, kept)) return;
  show_wrapped(context, kept.refused, Ink::Warning);
  context.note_place("refused number");
}

}  // namespace tilescope::ui
