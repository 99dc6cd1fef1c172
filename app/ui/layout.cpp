#include "ui/layout.h"

#include <algorithm>
#include <initializer_list>

#include <imgui.h>

#include "ui/editor.h"
#include "ui/launch_form.h"
#include "ui/parameters.h"

namespace tilescope::ui {
namespace {
using session::Room;
using view::Box;

constexpr float kBar = 44;
constexpr float kResourcesWidth = 312, kTimelineWidth = 720;
constexpr float kLeastTimeline = 148;                    ///< Its title, rows and controls, with padding.
constexpr float kBareTimeline = 108;                     ///< Without its title.
constexpr float kLeastStage = 240;                       ///< With the strip below it.
constexpr float kPlotsPart = 0.53f;                      ///< Of the width, if a lesson's step is about them.
constexpr float kTwelveLines = 316;                      ///< Of a program, with its head and padding.
constexpr float kLeastCode = 128;                        ///< The same with hardly any room.
constexpr float kLeastSliders = 96, kFourSliders = 208;  ///< The second: four rows, and what stands below them.
constexpr float kGrip = 8;                               ///< Of a divider.

/// A presentation gives the stage and the strip at least this part of the window; what is shown beside them has the
/// rest, or is not shown where that is too little.
constexpr float kSubject = 0.61f, kSubjectBesideTwo = 0.45f;
constexpr float kPresentedRight = 0.3f, kLeastPresentedRight = 0.18f;
constexpr float kMostQuestion = 0.6f;  ///< None of its choices may be out of sight, even in the largest type.
constexpr float kMostCaption = 0.28f;
constexpr float kLeastPresentedStage = 150, kLeastPresentedStrip = 84;  ///< Where they have less, no strip is shown.
constexpr float kLeastPresentedWidth = 440;                             ///< Of the strip.

/// In windows this low the traced size and block are in the top bar, to make room for program text.
constexpr float kLowWindow = 800, kTinyWindow = 450;

/// Of the panel of the sliders at that width of the window, with its padding; of both where two are compared.
float parameters_panel(const Context& context, float width, bool sizes) {
  const float pads = 2 * kPad * context.scale;
  const session::Workspace& workspace = *context.workspace;
  float height = pads;
  for (int i = 0; i < workspace.experiments(); ++i) {
    height += parameters_height(context, workspace.experiment(i).kernel().description, width - pads, sizes);
    if (workspace.experiments() > 1) height += 2 * ImGui::GetTextLineHeightWithSpacing();
  }
  return height;
}

/// The user's part of a length, or the window's own choice, within limits. The upper limit wins.
float share(float part, float whole, float own, float least, float most) {
  return std::min(std::max(part > 0 ? part * whole : own, least), std::max(0.0f, most));
}

/// Only the stage and the strip, and what the user has asked for beside them.
Layout lecture_layout(const Context& context, float width, float height, float question) {
  const Room& room = context.workspace->state().room;
  const float scale = context.scale;
  Layout layout;
  layout.plots_on_demand = true;
  const bool code = room.presented.contains("code"), sliders = room.presented.contains("parameters"),
             timeline = room.presented.contains("timeline") && !context.workspace->state().clock;
  const float bar = context.on_paper ? 0 : kBar * scale;
  const float asked = question > 0 ? std::min(question + 2 * kPad * scale, height * kMostQuestion) : 0;
  const bool beside = code || sliders;
  const float subject = beside && timeline ? kSubjectBesideTwo : kSubject, free = height - bar - asked;
  float time = timeline ? std::clamp(free - height * subject, kBareTimeline * scale, kLeastTimeline * scale) : 0;
  if (beside) time = std::min(time, kBareTimeline * scale);
  if (free - time < height * subject) time = 0;
  float right = beside ? width * std::min(kPresentedRight, 1 - subject * height / (free - time)) : 0;
  if (right < width * kLeastPresentedRight) right = 0;
  const float body = height - bar - time - asked;
  const float own = std::clamp(body * 0.26f, kLeastPresentedStrip * scale, 190 * scale);
  const bool has_strip = body - own >= kLeastPresentedStage * scale && width - right >= kLeastPresentedWidth * scale;
  const float strip = has_strip ? own : 0;
  float below = 0;
  if (sliders && right > 0)
    below = code ? std::min(parameters_panel(context, right, layout.sizes) + 64 * scale, body * 0.5f) : body;
  layout.top = {0, 0, bar > 0 ? width : 0, bar};
  layout.centre = {0, bar, width - right, body - strip};
  layout.strip = {0, bar + body - strip, strip > 0 ? width - right : 0, strip};
  layout.code = {width - right, bar, code ? right : 0, body - below};
  layout.parameters = {width - right, code ? bar + body - below : bar, sliders ? right : 0, below};
  layout.question = {0, bar + body, asked > 0 ? width : 0, asked};
  layout.timeline = {0, height - time, time > 0 ? width : 0, time};
  return layout;
}

/// Windows with fewer pixels than this, as with large type, have no room for plots beside the timeline: they are shown
/// in place of the stage.
bool is_small(const Context& context, float width, float height) {
  return height < 560 * context.scale || width < 1000 * context.scale;
}

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

/// The lines between panels that both are there.
void add_dividers(const Context& context, Layout& layout, float width, float height) {
  const float grip = kGrip * context.scale, bar = layout.top.height;
  const Box &lesson = layout.lesson, &stage = layout.centre, &strip = layout.strip, &code = layout.code,
            &sliders = layout.parameters;
  const float bottom = std::max({stage.bottom(), strip.bottom(), code.bottom(), sliders.bottom()});
  const auto add = [&](const char* name, Box box, bool upright, float origin, float extent, float Room::*part) {
    layout.dividers.push_back({name, box, upright, origin, extent, part});
  };
  if (lesson.width > 0)
    add("divider lesson", {lesson.right() - grip, bar, grip, lesson.height}, true, 0, width, &Room::lesson);
  if (code.width > 0) add("divider right", {code.x, bar, grip, bottom - bar}, true, width, -width, &Room::right);
  if (strip.width > 0)
    add("divider strip", {strip.x, strip.y, strip.width, grip}, false, strip.bottom(), -height, &Room::strip);
  if (code.width > 0 && sliders.width > 0)
    add("divider code", {code.x + grip, code.bottom() - grip / 2, code.width - grip, grip}, false, bar, bottom - bar,
        &Room::code);
  if (layout.timeline.width > 0 || layout.plots.width > 0)
    add("divider bottom", {lesson.right(), bottom, width - lesson.right(), grip}, false, height, -height,
        &Room::bottom);
  if (layout.timeline.width > 0 && layout.resources.width > 0)
    add("divider resources", {layout.resources.x, layout.resources.y + grip, grip, layout.resources.height - grip},
        true, layout.resources.right(), -width, &Room::resources);
  if (layout.timeline.width > 0 && layout.plots.width > 0)
    add("divider plots", {layout.plots.x, layout.plots.y + grip, grip, layout.plots.height - grip}, true, width, -width,
        &Room::plots);
}

/// `lacking`: what the sliders lack, which the program text gives them.
Layout work_layout(const Context& context, float width, float height, float lacking) {
  const Room& room = context.workspace->state().room;
  const float scale = context.scale;
  Layout layout;
  layout.sizes = height >= kLowWindow * scale;
  const bool small = layout.plots_on_demand = is_small(context, width, height);
  const float bar = kBar * scale;
  const bool timeline = context.is_on_show("timeline"), figures = context.is_on_show("plots");
  const bool lesson = context.workspace->state().in_lesson() || has_open_form(*context.workspace);
  // A low window has width instead of height for a lesson's question.
  const float part = height < kLowWindow * scale ? 0.28f : 0.24f;
  const float own_left = std::clamp(width * part, std::min(300 * scale, width * 0.3f), 460 * scale);
  const float left = lesson ? share(room.lesson, width, own_left, width * 0.12f, width * 0.5f) : 0;
  const float own_right =
      std::min(std::max(width * 0.29f, 360 * scale), std::min(620 * scale, small ? width * 0.33f : width));
  const float right = share(room.right, width, own_right, width * 0.15f, width * 0.8f - left);
  // A lesson in a window of large type: the stage needs every pixel.
  const float least = lesson && height < kTinyWindow * scale ? kBareTimeline : kLeastTimeline;
  const float lowest = small ? least * scale : 200 * scale;
  float own_bottom = lowest;
  if (!small && height >= kLowWindow * scale) {
    // It leaves the sliders what they lack.
    const float needed = context.is_on_show("sliders") ? parameters_panel(context, right, layout.sizes) : 0;
    own_bottom =
        std::max(lowest, std::min({height * 0.28f, 360 * scale, height - bar - kTwelveLines * scale - needed}));
  }
  const float bottom = !timeline && !figures ? 0
                                             : share(room.bottom, height, own_bottom, kBareTimeline * scale,
                                                     height - bar - std::min(200 * scale, height * 0.4f));
  // The sliders get the height they need; the program text gets the rest, and twelve lines before they do.
  const float body = height - bar - bottom;
  const float least_code = std::min(kTwelveLines * scale, std::max(body * 0.42f, body - kFourSliders * scale));
  const float sliders =
      context.is_on_show("sliders") ? std::min(parameters_panel(context, right, layout.sizes), body - least_code) : 0;
  const float own_code = sliders > 0 ? share(room.code, body, body - sliders, kLeastCode * scale,
                                             body - std::min(sliders, kLeastSliders * scale))
                                     : body;
  const float code = std::max(std::min(own_code, kLeastCode * scale), own_code - lacking);
  const bool has_strip = body >= kLeastStage * scale && context.is_on_show("strip");
  const float strip = has_strip ? share(room.strip, height, std::clamp(height * 0.18f, 124 * scale, 190 * scale),
                                        80 * scale, body - 100 * scale)
                                : 0;
  const float rest = width - left;
  float plots = small || !figures ? 0 : !timeline ? rest : lesson ? right : std::max(right, width * 0.35f);
  // The timeline's controls need this much; if that leaves too little, the resources are a tab of the plots.
  float resources =
      plots > 0 && rest - plots - kResourcesWidth * scale >= kTimelineWidth * scale ? kResourcesWidth * scale : 0;
  // The subject of the step gets the width, if there is little.
  const bool about_plots = is_emphasised(context, "plots") && !is_emphasised(context, "timeline");
  if (lesson && plots > 0 && timeline && about_plots) plots = std::max(plots, rest * kPlotsPart);
  // With one more tab they need more width.
  if (plots > 0 && !lesson && resources == 0) plots = std::max(right, width * 0.37f);
  if (plots > 0 && timeline) plots = share(room.plots, width, plots, 200 * scale, rest - resources - 200 * scale);
  if (resources > 0) resources = share(room.resources, width, resources, 150 * scale, rest - plots - 200 * scale);
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
  for (Box Layout::*box : {&Layout::strip, &Layout::parameters, &Layout::timeline, &Layout::plots})
    if ((layout.*box).height <= 0) layout.*box = {};
  add_dividers(context, layout, width, height);
  return layout;
}

/// The plots in place of the stage and the strip.
void enlarge_plots(Layout& layout) {
  layout.timeline.width += layout.plots.width;
  layout.resources.x += layout.plots.width;
  layout.plots = {layout.centre.x, layout.centre.y, layout.centre.width, layout.centre.height + layout.strip.height};
  layout.centre = layout.strip = {};
}

/// The clock in place of the stage, which takes its own; in a presentation it is only shown alone.
void enlarge_clock(Layout& layout, bool lecture) {
  const Box small = layout.timeline;
  layout.timeline = layout.centre;
  layout.timeline.height += layout.strip.height;
  layout.strip = {};
  layout.centre = lecture ? Box{} : small;
}

/// One panel below the top bar; a presentation keeps its question.
Layout only(const Layout& layout, Box Layout::*panel, float width, float height) {
  Layout result;
  result.sizes = layout.sizes;
  result.plots_on_demand = layout.plots_on_demand;
  result.top = layout.top;
  if (layout.question.height > 0) result.question = {0, height - layout.question.height, width, layout.question.height};
  result.*panel = {0, layout.top.bottom(), width, height - layout.top.height - result.question.height};
  return result;
}

}  // namespace

const std::vector<LargePanel>& large_panels() {
  static const std::vector<LargePanel> panels{{"stage", &Layout::centre},  {"strip", &Layout::strip},
                                              {"code", &Layout::code},     {"timeline", &Layout::timeline},
                                              {"plots", &Layout::plots},   {"parameters", &Layout::parameters},
                                              {"lesson", &Layout::lesson}, {"resources", &Layout::resources}};
  return panels;
}

namespace {

Layout panels_in(const Context& context, float width, float height, const LayoutWishes& wishes) {
  const session::State& state = context.workspace->state();
  Layout layout = state.present ? lecture_layout(context, width, height, wishes.question)
                                : work_layout(context, width, height, wishes.sliders);
  const bool lesson = state.in_lesson() || has_open_form(*context.workspace);
  for (const LargePanel& panel : large_panels())
    if (panel.name == state.room.enlarged && (lesson || panel.box != &Layout::lesson))
      return only(layout, panel.box, width, height);
  const bool clock = state.clock && !wishes.large_plots && (state.present || layout.timeline.width > 0);
  if (!wishes.large_plots && !clock) return layout;
  layout.dividers.clear();
  if (wishes.large_plots)
    enlarge_plots(layout);
  else
    enlarge_clock(layout, state.present);
  return layout;
}

}  // namespace

Layout make_layout(const Context& context, float width, float height, const LayoutWishes& wishes) {
  const float caption = std::min(wishes.caption, height * kMostCaption);
  Layout layout = panels_in(context, width, height - caption, wishes);
  if (caption > 0) layout.caption = {0, height - caption, width, caption};
  return layout;
}

bool is_emphasised(const Context& context, std::string_view panel) {
  const auto is_named = [&](const char* name) {
    return std::find(context.emphasised.begin(), context.emphasised.end(), name) != context.emphasised.end();
  };
  return std::any_of(std::begin(kEmphasis), std::end(kEmphasis), [&](const Emphasis& emphasis) {
    return panel == emphasis.panel && std::any_of(emphasis.names.begin(), emphasis.names.end(), is_named);
  });
}

}  // namespace tilescope::ui
