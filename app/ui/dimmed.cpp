#include "ui/dimmed.h"

#include "draw/palette.h"
#include "ui/scoped.h"

namespace tilescope::ui {

void dim_earlier_result(const Context& context, int experiment, ImVec2 from, float up_to, view::Ink ground) {
  const session::Experiment& shown = context.workspace->experiment(experiment);
  if (!shown.traced() || shown.progress() != session::Progress::Failed) return;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize(), before = ImGui::GetCursorScreenPos();
  const ImVec2 to{at.x + size.x, up_to > 0 ? up_to : at.y + size.y};
  ImGui::SetCursorScreenPos(from);
  {
    // A window of its own is above those in the panel.
    const Child veil("dimmed", {to.x - from.x, to.y - from.y}, false,
                     ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground);
    ImGui::GetWindowDrawList()->AddRectFilled(from, to, (*context.palette)({ground, 0.55f}));
  }
  context.note_place("dimmed");
  ImGui::SetCursorScreenPos(before);
}

}  // namespace tilescope::ui
