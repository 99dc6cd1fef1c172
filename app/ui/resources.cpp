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

constexpr float kLeastColumn = 190;

using ClockPointer = std::shared_ptr<const session::ClockRun>;

/// The experiment's simulated SM, while the clocks are on show.
ClockPointer clock_of(const session::Workspace& workspace, int experiment) {
  return workspace.state().clock ? workspace.clock(experiment).run() : nullptr;
}

std::vector<ResourceRow> rows_of(const Experiment& experiment, const ClockPointer& clock) {
  if (!experiment.traced()) return {};
  const run::Report* counted = experiment.counted() ? &experiment.counted()->report : nullptr;
  std::vector<ResourceRow> rows = view::resource_rows(experiment.traced()->report, counted);
  if (clock)
    for (ResourceRow& row : view::cache_rows(*clock)) rows.push_back(std::move(row));
  return rows;
}

ResourcesKey resources_key(const Experiment& experiment, const ClockPointer& clock) {
  return {experiment.traced(), experiment.counted(), clock};
}

const ResourcesState::Figures& figures_now(const Experiment& experiment, const ClockPointer& clock,
                                           ResourcesState& kept) {
  return kept.figures.get(resources_key(experiment, clock), [&] {
    const ResourcesState::Figures& last = kept.figures.last();
    const std::string kernel = experiment.traced() ? experiment.traced()->request().kernel.name : "";
    const auto& before = last.traced == experiment.traced() ? last.before : last.rows;
    return ResourcesState::Figures{rows_of(experiment, clock), experiment.traced(),
                                   last.kernel == kernel ? before : std::vector<ResourceRow>(), kernel};
  });
}

/// The values to compare with: the other experiment's, else the earlier ones.
const std::vector<ResourceRow>& rows_beside(const session::Workspace& workspace, int experiment, ResourcesState& kept) {
  if (workspace.experiments() < 2) return kept.figures.last().before;
  const Experiment& other = workspace.experiment(1 - experiment);
  const ClockPointer clock = clock_of(workspace, 1 - experiment);
  return kept.other.get(resources_key(other, clock), [&] { return rows_of(other, clock); });
}

/// `opens`: a click shows more.
void show_detail(const Context& context, const std::string& detail, bool opens) {
  if (!ImGui::IsItemHovered() || detail.empty()) return;
  if (opens) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const Tooltip tooltip;
  ImGui::PushTextWrapPos(380 * context.scale);
  show_text(context, detail, Ink::Text);
  ImGui::PopTextWrapPos();
}

/// The last line of a text wrapped in `room`.
float last_line_width(const Context& context, const std::string& text, float room) {
  const char *begin = text.c_str(), *end = begin + text.size();
  for (;;) {
    const char* next =
        ImGui::GetFont()->CalcWordWrapPositionA(ImGui::GetFontSize() / ImGui::GetFont()->FontSize, begin, end, room);
    if (next >= end || next == begin) return text_width(context, std::string(begin, end));
    begin = *next == ' ' ? next + 1 : next;
  }
}

/// The name at the left, the value and the earlier one at the right of its last line; below it if both do not fit.
void show_row(const Context& context, const ResourceRow& row, bool compares) {
  const Group group;
  const std::string old = row.before.empty() ? ""
                          : compares         ? tr_format(", other {}", row.before)
                                             : tr_format(", was {}", row.before);
  const float width = text_width(context, row.value, context.fonts.mono) + text_width(context, old);
  const float right = ImGui::GetContentRegionMax().x, room = right - ImGui::GetCursorPosX();
  ImGui::PushTextWrapPos(right);
  show_text(context, row.caption, Ink::Faint);
  ImGui::PopTextWrapPos();
  if (last_line_width(context, row.caption, room) + width + 10 * context.scale < room)
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetTextLineHeightWithSpacing());
  ImGui::SetCursorPosX(right - width);
  show_text(context, row.value, old.empty() ? Ink::Strong : Ink::Accent, context.fonts.mono);
  if (old.empty()) return;
  ImGui::SameLine(0, 0);
  show_text(context, old, Ink::Faint);
}

}  // namespace

bool show_resources(const Context& context, int experiment, ResourcesState& kept) {
  const session::Workspace& workspace = *context.workspace;
  const std::vector<ResourceRow>& now =
      figures_now(workspace.experiment(experiment), clock_of(workspace, experiment), kept).rows;
  const bool compares = workspace.experiments() == 2;
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2(8 * context.scale, 0));  // Eleven lines in a low panel.
  const auto rows = view::redacted(view::with_before(now, rows_beside(workspace, experiment, kept)), context.hidden);
  bool occupancy = false;
  const auto show = [&](const ResourceRow& row) {
    show_row(context, row, compares);
    context.note_place("figure " + row.name);
    const bool opens = row.name.starts_with("occupancy");
    show_detail(context, row.detail, opens);
    occupancy |= opens && ImGui::IsItemClicked();
  };
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool is_low = static_cast<float>(rows.size()) * ImGui::GetTextLineHeight() > room.y;
  const size_t columns = is_low && room.x > 2 * kLeastColumn * context.scale ? 2 : 1;
  const size_t each = (rows.size() + columns - 1) / columns;
  const PushedStyle between(ImGuiStyleVar_CellPadding, ImVec2(columns > 1 ? 8 * context.scale : 0, 0));
  if (!rows.empty() && ImGui::BeginTable("figures", static_cast<int>(columns))) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % each == 0) ImGui::TableNextColumn();
      show(rows[i]);
    }
    ImGui::EndTable();
  }
  return occupancy;
}

}  // namespace tilescope::ui
