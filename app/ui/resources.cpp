#include "ui/resources.h"

#include <imgui.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using session::Experiment;
using view::Ink;
using view::ResourceRow;

std::vector<ResourceRow> rows_of(const Experiment& experiment) {
  if (!experiment.scene()) return {};
  const session::Report* counted = experiment.counted() ? &experiment.counted()->report : nullptr;
  return view::resource_rows(experiment.scene()->report, counted);
}

void refresh(const Experiment& experiment, ResourcesKept& kept) {
  const bool same_scene = is_of(kept.scene, experiment.scene());
  if (same_scene && is_of(kept.counted, experiment.counted())) return;
  if (!same_scene) kept.before = std::move(kept.rows);
  kept.scene = experiment.scene();
  kept.counted = experiment.counted();
  kept.rows = rows_of(experiment);
}

void show_detail(const Context& context, const std::string& detail) {
  if (!ImGui::IsItemHovered() || detail.empty()) return;
  const Tooltip tooltip;
  ImGui::PushTextWrapPos(380 * context.scale);
  show_text(context, detail, Ink::Text);
  ImGui::PopTextWrapPos();
}

/// The name at the left, the value and what it was at the right; one below the other where both do not fit.
void show_row(const Context& context, const ResourceRow& row, bool compares) {
  const Group group;
  const std::string old = row.before.empty() ? ""
                          : compares         ? tr_format(", other {}", row.before)
                                             : tr_format(", was {}", row.before);
  const float width = text_width(context, row.value, context.fonts.mono) + text_width(context, old);
  show_text(context, row.caption, Ink::Faint);
  const float left = ImGui::GetItemRectSize().x, room = ImGui::GetContentRegionMax().x;
  if (left + width + 10 * context.scale < room) ImGui::SameLine();
  ImGui::SetCursorPosX(room - width);
  show_text(context, row.value, old.empty() ? Ink::Strong : Ink::Accent, context.fonts.mono);
  if (old.empty()) return;
  ImGui::SameLine(0, 0);
  show_text(context, old, Ink::Faint);
}

}  // namespace

void show_resources(const Context& context, int experiment, ResourcesKept& kept) {
  const session::Workspace& workspace = *context.workspace;
  refresh(workspace.experiment(experiment), kept);
  const bool compares = workspace.experiments() == 2;
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 4 * context.scale));
  const auto rows = view::uncovered(
      view::with_before(kept.rows, compares ? rows_of(workspace.experiment(1 - experiment)) : kept.before),
      context.cover);
  for (const ResourceRow& row : rows) {
    show_row(context, row, compares);
    context.note_widget("figure " + row.name);
    show_detail(context, row.detail);
  }
}

}  // namespace tilescope::ui
