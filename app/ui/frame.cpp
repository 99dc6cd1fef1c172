#include "ui/frame.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "ui/top_bar.h"

namespace tilescope::ui {
namespace {
using view::Box;
using view::Ink;

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;

constexpr ImGuiWindowFlags kStays = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar, kScrolls = 0;

constexpr float kResourcesWidth = 296, kTimelineWidth = 740;
constexpr float kPad = 14;  ///< Between a panel's edge and its contents.

constexpr float kLeastTimeline = 148;  ///< Its title, rows and controls, with padding.
constexpr float kBareTimeline = 108;   ///< Without its title.
constexpr float kWaysToLegal = 64;     ///< Of the sentences and buttons of an illegal choice.
constexpr float kLeastStage = 240;     ///< With the strip below it.
constexpr float kPlotsPart = 0.53f;    ///< Of the width, if a lesson's step is about them.
constexpr float kLeastText = 200;      ///< Of a program, with its head and padding.
constexpr float kLeastCode = 128;      ///< The same with hardly any room.

/// The panels' places, in pixels of the window. A width of 0: not shown.
struct Layout {
  ParameterParts parts;          ///< Of the panel of the sliders.
  bool plots_on_demand = false;  ///< They are only shown in place of the stage.
  Box question;                  ///< Of a presentation's lesson.
  Box top, lesson, centre, strip, code, parameters, resources, timeline, plots;
};

/// Of the panel of the sliders at that width of the window, with its padding.
float parameters_panel(const Context& context, float width, ParameterParts parts) {
  const float pads = 2 * kPad * context.scale;
  return pads + parameters_height(context, context.workspace->current().kernel().description, width - pads, parts);
}

/// `question`: the height of the question to the class.
Layout lecture_layout(const Context& context, float width, float height, float question) {
  const float scale = context.scale;
  Layout layout;
  layout.parts = {false, false};
  layout.plots_on_demand = true;
  // A question takes its room from anything but the stage.
  const bool asks = question > 0;
  const float bar = 44 * scale, strip = std::min(height * (asks ? 0.2f : 0.22f), 190 * scale);
  // Stage and strip have two thirds of the width and of the height.
  const float time = (asks ? kBareTimeline : kLeastTimeline) * scale, right = width / 3;
  const float asked = asks ? question + 2 * kPad * scale : 0;
  const float body = height - bar - time - asked;
  float sliders = parameters_panel(context, right, layout.parts);
  if (body - sliders < kLeastText * scale)
    sliders = 0;
  else if (!context.workspace->current().legality())
    sliders += kWaysToLegal * scale;
  layout.top = {0, 0, width, bar};
  layout.centre = {0, bar, width - right, body - strip};
  layout.strip = {0, bar + body - strip, width - right, strip};
  layout.code = {width - right, bar, right, body - sliders};
  layout.parameters = {width - right, bar + body - sliders, right, sliders};
  layout.question = {0, bar + body, width, asked};
  layout.timeline = {0, height - time, width, time};
  return layout;
}

/// Windows with fewer pixels than this, as with large type, have no room for plots beside the timeline: they are shown
/// in place of the stage.
bool is_small(const Context& context, float width, float height) {
  return height < 560 * context.scale || width < 1000 * context.scale;
}

/// In windows this low the traced size and block are in the top bar, to make room for program text.
constexpr float kLowWindow = 800, kTinyWindow = 450;

/// The panels of a name in a traced block's `emphasise`. Arrays are marked on the stage instead.
struct Emphasis {
  const char* panel;
  std::initializer_list<const char*> names;
};
constexpr std::initializer_list<const char*> kFigures{"registers", "occupancy", "resources"};
const Emphasis kEmphasis[] = {
    {"stage", {"grid"}},
    {"strip", {"warp", "sectors", "banks", "barriers"}},
    {"code", {"code", "ptx"}},
    {"parameters", {"sliders"}},
    {"timeline", {"timeline", "barriers"}},
    {"resources", kFigures},
    {"plots", {"bound", "counters", "plot", "ladder", "findings", "occupancy", "register banks"}}};

bool is_emphasised(const Context& context, std::string_view panel) {
  const auto is_named = [&](const char* name) {
    return std::find(context.emphasised.begin(), context.emphasised.end(), name) != context.emphasised.end();
  };
  return std::any_of(std::begin(kEmphasis), std::end(kEmphasis), [&](const Emphasis& emphasis) {
    return panel == emphasis.panel && std::any_of(emphasis.names.begin(), emphasis.names.end(), is_named);
  });
}

Layout work_layout(const Context& context, float width, float height) {
  const float scale = context.scale;
  Layout layout;
  layout.parts.sizes = height >= kLowWindow * scale;
  const bool small = layout.plots_on_demand = is_small(context, width, height);
  const float bar = 44 * scale, most = std::min(620 * scale, small ? width * 0.33f : width);
  const float right = std::min(std::max(width * 0.29f, 360 * scale), most);
  const bool timeline = context.is_on_show("timeline"), figures = context.is_on_show("plots");
  const bool lesson = context.workspace->state().in_lesson() || has_open_form(*context.workspace);
  // A lesson in a window of large type: the stage needs every pixel.
  const float least = lesson && height < kTinyWindow * scale ? kBareTimeline : kLeastTimeline;
  const float wanted = small ? least * scale : std::clamp(height * 0.3f, 200 * scale, 360 * scale);
  const float bottom = timeline || figures ? wanted : 0;
  // The sliders get the height they need, up to a good half; the program text gets the rest.
  const float body = height - bar - bottom;
  const float most_sliders = lesson && height < kTinyWindow * scale ? body - kLeastCode * scale : body * 0.58f;
  const float sliders = std::min(most_sliders, parameters_panel(context, right, layout.parts));
  const float code = context.is_on_show("sliders") ? body - sliders : body;
  // A low window has width instead of height for a lesson's question.
  const float part = height < kLowWindow * scale ? 0.28f : 0.24f;
  const float left = lesson ? std::clamp(width * part, std::min(300 * scale, width * 0.3f), 460 * scale) : 0;
  const bool has_strip = body >= kLeastStage * scale && context.is_on_show("strip");
  const float strip = has_strip ? std::clamp(height * 0.18f, 124 * scale, 190 * scale) : 0;
  const float rest = width - left;
  float plots = small || !figures ? 0 : !timeline ? rest : lesson ? right : std::max(right, width * 0.35f);
  // The timeline's controls need this much; if that leaves too little, the resources are a tab of the plots.
  const float resources =
      plots > 0 && rest - plots - kResourcesWidth * scale >= kTimelineWidth * scale ? kResourcesWidth * scale : 0;
  // The subject of the step gets the width, if there is little.
  const bool about_plots = is_emphasised(context, "plots") && !is_emphasised(context, "timeline");
  if (lesson && plots > 0 && timeline && about_plots) plots = std::max(plots, rest * kPlotsPart);
  // With one more tab they need more width.
  if (plots > 0 && !lesson && resources == 0) plots = std::max(right, width * 0.37f);
  layout.top = {0, 0, width, bar};
  // A page needs the height more than the timeline the width.
  layout.lesson = {0, bar, left, height - bar};
  layout.centre = {left, bar, width - left - right, body - strip};
  layout.strip = {left, bar + body - strip, width - left - right, strip};
  layout.code = {width - right, bar, right, code};
  layout.parameters = {width - right, bar + code, right, body - code};
  layout.timeline = {left, height - bottom, rest - plots - resources, bottom};
  layout.resources = {width - plots - resources, height - bottom, resources, bottom};
  layout.plots = {width - plots, height - bottom, plots, bottom};
  return layout;
}

/// The plots in place of the stage and the strip. In a lecture with everything that the figures depend on.
void enlarge_plots(const Context& context, Layout& layout, bool lecture) {
  layout.timeline.width += layout.plots.width;
  layout.resources.x += layout.plots.width;
  layout.plots = {layout.centre.x, layout.centre.y, layout.centre.width, layout.centre.height + layout.strip.height};
  layout.centre = layout.strip = {};
  if (!lecture) return;
  layout.parts = {};
  const float right = layout.code.height + layout.parameters.height;
  layout.parameters.height = std::min(parameters_panel(context, layout.code.width, layout.parts), right * 0.7f);
  layout.code.height = right - layout.parameters.height;
  layout.parameters.y = layout.code.bottom();
}

/// The clock in place of the stage, which takes its own; in a lecture it takes that, too.
void enlarge_clock(Layout& layout, bool lecture, float height) {
  const Box small = layout.timeline;
  layout.timeline = layout.centre;
  layout.timeline.height += layout.strip.height;
  layout.strip = {};
  layout.centre = lecture ? Box{} : small;
  if (!lecture) return;
  layout.timeline.height += small.height;
  layout.code.height += small.height;
  layout.parameters.y += small.height;
  layout.question.y = height - layout.question.height;
}

/// A panel with its background and a hairline at its left and upper edge; the upper one is twice as thick and in Accent
/// if the lesson's scene is about the panel.
template <class Show>
void panel(const Context& context, const char* name, const Box& box, Ink ground, float padding, Show show,
           ImGuiWindowFlags flags = kStays) {
  if (box.width <= 0 || box.height <= 0) return;
  const draw::Palette& palette = *context.palette;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool emphasised = is_emphasised(context, name);
  const float edge = emphasised ? 2 * context.scale : 1;
  if (context.grounds) context.grounds->push_back({box, ground});
  list.AddRectFilled({box.x, box.y}, {box.right(), box.y + edge}, palette({emphasised ? Ink::Accent : Ink::Line}));
  list.AddRectFilled({box.x, box.y}, {box.x + 1, box.bottom()}, palette({Ink::Line}));
  ImGui::SetCursorScreenPos({box.x + padding, box.y + padding});
  const Child child(name, {box.width - 2 * padding, box.height - 2 * padding}, false, flags);
  if (child) show();
}

/// Side by side if two experiments are compared.
template <class Show>
void for_each_experiment(const Context& context, const char* name, const Box& box, Ink ground, float padding,
                         Show show) {
  const int count = context.workspace->experiments();
  const float width = box.width / static_cast<float>(count);
  for (int i = 0; i < count; ++i) {
    const PushedId id(i);
    panel(context, name, {box.x + width * static_cast<float>(i), box.y, width, box.height}, ground, padding,
          [&] { show(i); });
  }
}

/// A lesson begins with only the source; without one the PTX is shown, too.
void follow_opening(bool open, FrameState& kept) {
  if (open == kept.lesson_open) return;
  kept.lesson_open = open;
  kept.codes[0].tab = open ? CodeState::kSource : CodeState::kBoth;
  kept.code_tab.reset();
}

/// A new step of a lesson shows the subject of its scene; the PTX until a step is about something else.
void follow_lesson(const Context& context, FrameState& kept, bool resources_are_a_tab) {
  const session::State& state = context.workspace->state();
  std::string place = fmt::format("{} {} {}", state.lesson, state.lesson_step, state.exploring);
  if (place == kept.place) return;
  kept.place = std::move(place);
  follow_opening(state.in_lesson(), kept);
  choose_emphasised(kept.plots, context.emphasised, resources_are_a_tab);
  const bool in_place = !context.is_on_show("stage");
  if (in_place || kept.plots_in_place) kept.plots.large = in_place;
  kept.plots_in_place = in_place;
  const auto is_about = [&](const char* name) {
    return std::find(context.emphasised.begin(), context.emphasised.end(), name) != context.emphasised.end();
  };
  kept.stages[0].banks = !state.in_lesson() || is_about("banks");
  kept.strips[0].shows_warps = is_about("barriers") || state.order != session::WarpOrder::InStep;
  int& tab = kept.codes[0].tab;
  const bool ptx = is_about("ptx");
  if (!ptx && kept.code_tab) tab = *kept.code_tab;
  if (!ptx) return kept.code_tab.reset();
  if (!kept.code_tab) kept.code_tab = tab;
  tab = CodeState::kPtx;
}

/// The findings come to the front when a kernel's run turns from right to wrong. A lesson's own scene says itself what
/// is in front.
void follow_verdict(const Context& context, const view::FindingList* findings, FrameState& kept) {
  if (!findings) return kept.right.clear();
  const session::Experiment& shown = context.workspace->current();
  const std::string& kernel = shown.traced()->request().kernel.name;
  const bool in_lesson = context.workspace->state().in_lesson() && !shows_other_scene(context);
  if (findings->wrong && kept.right == kernel && !in_lesson) kept.plots.tab = PlotTab::Findings;
  if (findings->wrong)
    kept.right.clear();
  else if (shown.progress() == session::Progress::Idle)
    kept.right = kernel;
}

/// In their place, or in place of the stage where they have none.
void open_findings(const Layout& layout, PlotsState& plots) {
  const bool in_front = plots.tab == PlotTab::Findings && layout.plots.width > 0;
  plots.tab = PlotTab::Findings;
  if (layout.plots.width <= 0)
    plots.large = true;
  else if (plots.large && in_front)
    plots.large = false;
}

/// With the facts covered and emphasised by the open step of a lesson.
Context in_lesson(const Context& context) {
  Context result = context;
  result.hidden = hidden_now(context);
  result.picks_line = picks_line_now(context);
  result.emphasised = emphasised_now(context);
  result.panels = panels_now(context);
  return result;
}

}  // namespace

FrameState::FrameState() { lecture.tab = CodeState::kSource; }

bool takes_arrows_now(const FrameState& kept) {
  return kept.parameters[0].takes_arrows || kept.parameters[1].takes_arrows;
}

bool edits_now(const FrameState& kept) { return kept.codes[0].editor.open || kept.codes[1].editor.open; }

void show_frame(const Context& outer, FrameState& kept) {
  const Context context = in_lesson(outer);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const session::State& state = context.workspace->state();
  Layout layout = state.present
                      ? lecture_layout(context, size.x, size.y, question_to_class_height(context, kept.lesson))
                      : work_layout(context, size.x, size.y);
  follow_lesson(context, kept, layout.resources.width <= 0);
  if (kept.plots.large) enlarge_plots(context, layout, state.present);
  if (state.clock && !kept.plots.large && layout.timeline.width > 0) enlarge_clock(layout, state.present, size.y);
  for (ParametersState& parameters : kept.parameters) parameters.takes_arrows = false;
  const int chosen = context.workspace->chosen();
  const auto of_chosen = static_cast<size_t>(chosen);
  const float pad = kPad * context.scale;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  const PushedStyle no_padding(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
  const Window window("frame", kFixed);
  const view::FindingList* findings = findings_now(context, chosen, kept.plots.findings);
  follow_verdict(context, findings, kept);
  if (std::exchange(kept.wants_next_finding, false) && findings) {
    if (layout.plots.width > 0) kept.plots.tab = PlotTab::Findings;
    go_to_next_finding(context, *findings, kept.plots.findings);
  }
  bool opens_findings = false;
  const TopBarSwitches switches{findings, &opens_findings,
                                !state.present && !layout.parts.sizes ? &kept.parameters[of_chosen] : nullptr,
                                layout.plots_on_demand ? &kept.plots.large : nullptr};
  if (kept.doors.open) return show_doors(context, kept.doors);
  panel(context, "top", layout.top, Ink::Panel, 8 * context.scale, [&] { show_top_bar(context, switches); });
  if (opens_findings) open_findings(layout, kept.plots);
  if (!has_open_form(*context.workspace)) kept.form.kernel.clear();
  panel(context, "lesson", layout.lesson, Ink::Panel, pad, [&] {
    if (has_open_form(*context.workspace))
      show_launch_form(context, kept.form);
    else
      show_lesson(context, kept.lesson);
  });
  for_each_experiment(context, "stage", layout.centre, Ink::Window, 0,
                      [&](int index) { show_stage(context, index, kept.stages[static_cast<size_t>(index)]); });
  for_each_experiment(context, "strip", layout.strip, Ink::Window, pad,
                      [&](int index) { show_strip(context, index, kept.strips[static_cast<size_t>(index)]); });
  panel(context, "code", layout.code, Ink::Panel, pad,
        [&] { show_code(context, chosen, state.present ? kept.lecture : kept.codes[of_chosen]); });
  panel(
      context, "parameters", layout.parameters, Ink::Panel, pad,
      [&] { show_parameters(context, chosen, kept.parameters[of_chosen], layout.parts); }, kScrolls);
  panel(context, "question", layout.question, Ink::Raised, pad, [&] { show_question_to_class(context, kept.lesson); });
  panel(context, "timeline", layout.timeline, Ink::Panel, pad, [&] { show_timeline(context, 0, kept.timeline); });
  panel(
      context, "resources", layout.resources, Ink::Panel, pad,
      [&] {
        show_text(context, tr("Resources"), Ink::Strong, context.fonts.bold);
        if (show_resources(context, chosen, kept.resources[of_chosen])) kept.plots.tab = PlotTab::Sm;
      },
      kScrolls);
  follow_with_measurements(context, chosen, kept.plots);
  panel(context, "plots", layout.plots, Ink::Panel, 10 * context.scale, [&] {
    const auto show_figures = [&] {
      if (show_resources(context, chosen, kept.resources[of_chosen])) kept.plots.tab = PlotTab::Sm;
    };
    show_plots(context, chosen, kept.plots, layout.resources.width > 0 ? std::function<void()>() : show_figures);
  });
  if (!state.clock || !kept.timeline.clock.hovered) show_tooltip(context, kept.tooltip);
}

}  // namespace tilescope::ui
