#include "ui/frame.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "base/turns.h"
#include "base/words.h"
#include "draw/palette.h"
#include "ui/dimmed.h"
#include "ui/layout.h"
#include "ui/scoped.h"
#include "ui/text.h"
#include "ui/top_bar.h"
#include "view/plots/plot_data.h"

namespace tilescope::ui {
namespace {
using view::Box;
using view::Ink;

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;

constexpr ImGuiWindowFlags kStays = ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar, kScrolls = 0;

constexpr float kTitle = 34;  ///< The height of a panel's title, for a double click.

session::SetRoom enlarge(session::Room room, const char* name) {
  room.enlarged = room.enlarged == name ? "" : name;
  return {std::move(room)};
}

/// A double click on a panel's title, beside its buttons, lets it fill the window, and another one ends that.
void take_double_click(const Context& context, const char* name, const Box& box) {
  if (!ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const bool on_title = Box{box.x, box.y, box.width, kTitle * context.scale}.contains({mouse.x, mouse.y});
  if (!on_title || ImGui::IsAnyItemHovered()) return;
  for (const LargePanel& panel : large_panels())
    if (std::string_view(panel.name) == name) context.send(enlarge(context.workspace->state().room, panel.name));
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
  let_turns_pass();
  if (child) show();
  take_double_click(context, name, box);
}

float caption_height(const Context& context, const std::string& words, float width) {
  if (words.empty()) return 0;
  const PushedFont font(context.fonts.bold);
  return ImGui::CalcTextSize(words.c_str(), nullptr, false, width - 2 * kPad * context.scale).y +
         1.5f * kPad * context.scale;
}

/// Dragged, a line between panels moves; a double click gives it back to the window's own choice.
void show_divider(const Context& context, const Divider& divider) {
  ImGui::SetCursorScreenPos({divider.box.x, divider.box.y});
  ImGui::InvisibleButton(divider.name, {divider.box.width, divider.box.height});
  context.note_place(divider.name);
  const bool held = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (!held && !hovered) return;
  ImGui::SetMouseCursor(divider.upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const float thick = 2 * context.scale;
  const Box& box = divider.box;
  const float x = box.x + (box.width - thick) / 2, y = box.y + (box.height - thick) / 2;
  const ImVec2 from = divider.upright ? ImVec2(x, box.y) : ImVec2(box.x, y);
  const ImVec2 to = divider.upright ? ImVec2(x + thick, box.bottom()) : ImVec2(box.right(), y + thick);
  ImGui::GetForegroundDrawList()->AddRectFilled(from, to, (*context.palette)({held ? Ink::Accent : Ink::Faint}));
  session::Room room = context.workspace->state().room;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    room.*divider.part = 0;
  } else if (held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) {
    const float mouse = divider.upright ? ImGui::GetMousePos().x : ImGui::GetMousePos().y;
    room.*divider.part = std::clamp((mouse - divider.origin) / divider.extent, 0.02f, 0.98f);
  } else {
    return;
  }
  context.send(session::SetRoom{std::move(room)});
}

/// Side by side if two experiments are compared. `pointed`: becomes the one whose panel is under the mouse.
template <class Show>
void for_each_experiment(const Context& context, const char* name, const Box& box, Ink ground, float padding,
                         int& pointed, Show show) {
  const int count = context.workspace->experiments();
  const float width = box.width / static_cast<float>(count);
  for (int i = 0; i < count; ++i) {
    const PushedId id(i);
    const Box part{box.x + width * static_cast<float>(i), box.y, width, box.height};
    panel(context, name, part, ground, padding, [&] {
      show(i);
      if (ImGui::IsWindowHovered()) pointed = i;
    });
    // The sliders that are in sight and the program text are of the one with the frame.
    if (count > 1 && i == context.workspace->chosen() && part.height > 0)
      ImGui::GetWindowDrawList()->AddRect({part.x + 1, part.y + 1}, {part.right() - 1, part.bottom() - 1},
                                          (*context.palette)({Ink::Accent, 0.7f}), 0, 0, 2 * context.scale);
  }
}

/// A lesson begins with only the source; without one the PTX is shown, too.
void follow_opening(bool open, FrameState& kept) {
  if (open == kept.lesson_open) return;
  kept.lesson_open = open;
  kept.codes[0].tab = open ? CodeState::kSource : CodeState::kBoth;
  kept.code_tab.reset();
}

/// A new step of a lesson shows the subject of its scene; the PTX until a step is about something else. Returns whether
/// there is a new one.
bool follow_lesson(const Context& context, FrameState& kept, bool resources_are_a_tab) {
  const session::State& state = context.workspace->state();
  std::string place = fmt::format("{} {} {}", state.lesson, state.lesson_step, state.exploring);
  if (place == kept.place) {
    // The picture that explains an answer may be another plot.
    if (!context.emphasised.empty() && context.emphasised != kept.emphasised)
      choose_emphasised(kept.plots, context.emphasised, resources_are_a_tab);
    if (!context.emphasised.empty()) kept.emphasised = context.emphasised;
    return false;
  }
  const bool opens = !kept.place.empty() && state.in_lesson() && !kept.lesson_open;
  kept.place = std::move(place);
  kept.keyboard.turn_page();
  kept.emphasised = context.emphasised;
  follow_opening(state.in_lesson(), kept);
  choose_emphasised(kept.plots, context.emphasised, resources_are_a_tab);
  const bool in_place = !context.is_on_show("stage");
  if (in_place || kept.plots_in_place || opens) kept.plots.large = in_place;
  kept.plots_in_place = in_place;
  const auto is_about = [&](const char* name) {
    return std::find(context.emphasised.begin(), context.emphasised.end(), name) != context.emphasised.end();
  };
  kept.stages[0].banks = !state.in_lesson() || is_about("banks");
  kept.strips[0].shows_warps = is_about("barriers") || state.order != session::WarpOrder::InStep;
  int& tab = kept.codes[0].tab;
  const bool ptx = is_about("ptx");
  if (!ptx && kept.code_tab) tab = *kept.code_tab;
  if (ptx && !kept.code_tab) kept.code_tab = tab;
  if (ptx) tab = CodeState::kPtx;
  if (!ptx) kept.code_tab.reset();
  return true;
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

/// What a key asked for beside a presentation's stage and has no room there: that is said, and it is not asked for.
void refuse_without_room(const Context& context, const Layout& layout, FrameState& kept) {
  const session::State& state = context.workspace->state();
  session::Room room = state.room;
  const auto before = std::exchange(kept.presented, room.presented);
  if (!before || !state.present || !room.enlarged.empty() || kept.plots.large || state.clock) return;
  for (const LargePanel& panel : large_panels()) {
    if (before->contains(panel.name) || (layout.*panel.box).width > 0 || room.presented.erase(panel.name) == 0)
      continue;
    kept.said = tr("There is no room for that beside the stage; Ctrl − makes some.");
    if (panel.box != &Layout::parameters)
      kept.said += " " + tr_format("{} shows it alone.", panel.box == &Layout::timeline ? "F7" : "F4");
  }
  if (room.presented.size() < state.room.presented.size()) context.send(session::SetRoom{std::move(room)});
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

/// The sliders of one experiment, under its name where two are compared. A change of one's makes it the chosen one; if
/// it is chosen elsewhere, its sliders come into sight.
void show_sliders_of(const Context& context, int index, bool sizes, FrameState& frame) {
  const session::Workspace& workspace = *context.workspace;
  ParametersState& kept = frame.parameters[static_cast<size_t>(index)];
  PlotsState& plots = frame.plots;
  if (workspace.experiments() < 2) {
    frame.sliders_of.clear();
    return show_parameters(context, index, kept, sizes, &plots);
  }
  const PushedId id(index);
  const std::string mine = fmt::format("{} {}", index, workspace.experiment(index).kernel().name);
  std::vector<Command> commands;
  Context own = context;
  own.commands = &commands;
  if (index > 0) ImGui::Separator();
  const std::string side = tr(side_word(index));
  show_text(context, fmt::format("{}  {}", side, view::stage_name(workspace.experiment(index).kernel())),
            index == workspace.chosen() ? Ink::Accent : Ink::Text, context.fonts.bold);
  if (index == workspace.chosen() && std::exchange(frame.sliders_of, mine) != mine) ImGui::SetScrollHereY(0);
  show_parameters(own, index, kept, sizes, &plots);
  if (!commands.empty() && index != workspace.chosen()) {
    frame.sliders_of = mine;  // They stay under the mouse.
    context.send(session::ChooseExperiment{index});
  }
  for (Command& command : commands) context.send(std::move(command));
}

/// Why nothing runs, and what would, is seen whole; no slider moves while it is held.
void note_lack(const Context& context, FrameState& kept) {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
  bool refused = false;
  for (int i = 0; i < context.workspace->experiments(); ++i)
    refused = refused || !context.workspace->experiment(i).legality() ||
              context.workspace->experiment(i).fitting_k() > 0 ||
              refuses_number(context, i, kept.parameters[static_cast<size_t>(i)]);
  const float lack = ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y - ImGui::GetWindowHeight();
  const float before = std::exchange(kept.sliders_lack, refused ? std::max(0.0f, kept.sliders_lack + lack) : 0);
  if (context.moving && before != kept.sliders_lack) *context.moving = true;
}

}  // namespace

FrameState::FrameState() { lecture.tab = CodeState::kSource; }

bool takes_arrows_now(const FrameState& kept) {
  return kept.parameters[0].takes_arrows || kept.parameters[1].takes_arrows;
}

bool edits_now(const FrameState& kept) { return kept.codes[0].editor.open || kept.codes[1].editor.open; }

void show_frame(const Context& outer, FrameState& kept) {
  Context context = in_lesson(outer);
  context.keyboard = &kept.keyboard;
  kept.keyboard.begin_frame();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const session::State& state = context.workspace->state();
  LayoutWishes wishes;
  if (state.present && !context.on_paper) wishes.question = question_to_class_height(context, kept.lesson);
  wishes.large_plots = kept.plots.large;
  wishes.sliders = kept.sliders_lack;
  wishes.caption = caption_height(context, kept.caption, size.x);
  Layout layout = make_layout(context, size.x, size.y, wishes);
  if (follow_lesson(context, kept, layout.resources.width <= 0) && wishes.large_plots != kept.plots.large) {
    wishes.large_plots = kept.plots.large;
    layout = make_layout(context, size.x, size.y, wishes);
  }
  refuse_without_room(context, layout, kept);
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
                                !state.present && !layout.sizes ? &kept.parameters[of_chosen] : nullptr,
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
  kept.lesson.wants_check = false;
  int pointed = chosen;
  for_each_experiment(context, "stage", layout.centre, Ink::Window, 0, pointed,
                      [&](int index) { show_stage(context, index, kept.stages[static_cast<size_t>(index)]); });
  for_each_experiment(context, "strip", layout.strip, Ink::Window, pad, pointed, [&](int index) {
    show_strip(context, index, kept.strips[static_cast<size_t>(index)]);
    dim_earlier_result(context, index, ImGui::GetWindowPos(), 0, Ink::Window);
  });
  panel(context, "code", layout.code, Ink::Panel, pad,
        [&] { show_code(context, chosen, state.present ? kept.lecture : kept.codes[of_chosen]); });
  panel(
      context, "parameters", layout.parameters, Ink::Panel, pad,
      [&] {
        for (int i = 0; i < context.workspace->experiments(); ++i) show_sliders_of(context, i, layout.sizes, kept);
        note_lack(context, kept);
      },
      kScrolls);
  panel(context, "question", layout.question, Ink::Raised, pad, [&] { show_question_to_class(context, kept.lesson); });
  panel(context, "caption", layout.caption, Ink::Raised, pad * 0.75f, [&] {
    show_wrapped(context, kept.caption, Ink::Strong, context.fonts.bold);
    context.note_place("caption");
  });
  panel(context, "timeline", layout.timeline, Ink::Panel, pad, [&] { show_timeline(context, chosen, kept.timeline); });
  panel(
      context, "resources", layout.resources, Ink::Panel, pad,
      [&] {
        show_text(context, tr("Resources"), Ink::Strong, context.fonts.bold);
        const ImVec2 figures = ImGui::GetCursorScreenPos();
        if (show_resources(context, chosen, kept.resources[of_chosen])) kept.plots.tab = PlotTab::Sm;
        dim_earlier_result(context, chosen, figures);
      },
      kScrolls);
  follow_with_measurements(context, chosen, kept.plots);
  panel(context, "plots", layout.plots, Ink::Panel, 10 * context.scale, [&] {
    const auto show_figures = [&] {
      if (show_resources(context, chosen, kept.resources[of_chosen])) kept.plots.tab = PlotTab::Sm;
    };
    show_plots(context, chosen, kept.plots, layout.resources.width > 0 ? std::function<void()>() : show_figures);
  });
  for (const Divider& divider : layout.dividers) show_divider(context, divider);
  if (!state.clock || !kept.timeline.clock.is_hovered()) show_tooltip(context, kept.tooltip, pointed);
  show_finder(context, kept.finder, kept.plots);
  if (std::exchange(kept.plots.asked_for, false) && layout.plots.width <= 0) kept.plots.large = true;
}

}  // namespace tilescope::ui
