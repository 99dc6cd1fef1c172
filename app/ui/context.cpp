#include "ui/context.h"

#include <algorithm>

#include <imgui.h>

#include "ui/keyboard_focus.h"

namespace tilescope::ui {

void Context::note_widget(const std::string& name) const {
  if (keyboard) keyboard->note(*this);
  note_place(name);
}

void Context::note_place(const std::string& name) const {
  if (!widgets) return;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  widgets->push_back({name, {from.x, from.y, to.x - from.x, to.y - from.y}});
}

bool Context::is_on_show(std::string_view panel) const {
  return panels.empty() || std::find(panels.begin(), panels.end(), panel) != panels.end();
}

bool may_leave_step(const analysis::Timeline& timeline) {
  return timeline.warps() > 1 && timeline.free_between_barriers();
}

view::Focus focus_of(const Context& context, int experiment) {
  const session::Workspace& workspace = *context.workspace;
  view::Focus focus;
  const auto& traced = workspace.experiment(experiment).traced();
  if (!traced) return focus;
  focus.traced = traced.get();
  focus.counted = workspace.experiment(experiment).counted().get();
  focus.cursor = workspace.cursor(experiment);
  focus.lane = workspace.state().lane;
  focus.registers = workspace.experiment(experiment).registers(focus.cursor);
  focus.hover = context.hover;
  focus.pinned = workspace.pinned();
  if (may_leave_step(traced->timeline)) focus.order = workspace.state().order;
  focus.hidden = context.hidden;
  focus.tells_of_sms = context.is_on_show("plots");
  if (experiment == 0) focus.emphasised = context.emphasised;
  return focus;
}

}  // namespace tilescope::ui
