#include "ui/launch_list.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "ui/scoped.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using session::LaunchLine;
using session::LaunchList;
using view::Ink;

constexpr size_t kRowsInSight = 5;
constexpr float kRowPad = 6;

std::string outcome_of(const LaunchLine& line) {
  if (line.stopped) return tr("stopped");
  if (line.findings == 1) return tr("1 finding");
  return line.findings ? tr_format("{} findings", line.findings) : std::string();
}

std::string figures_of(const LaunchLine& line) {
  std::string text = fmt::format("{} × {}", to_string(line.grid), to_string(line.block));
  if (line.sectors) text += tr_format(" · {:.1f} sectors / request", *line.sectors);
  if (line.seconds) text += tr_format(" · {:.3g} us", *line.seconds * 1e6);
  if (!line.kept) text += tr(" · data not kept");
  return text;
}

/// Two lines: the kernel with its outcome, then its shape with its figures.
void show_row(const Context& context, size_t index, float height) {
  const LaunchList& list = *context.launches;
  const LaunchLine& line = list.lines[index];
  const PushedId id(static_cast<int>(index));
  const float pad = kRowPad * context.scale, width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorPos(), on_screen = ImGui::GetCursorScreenPos();
  const ImVec2 end{on_screen.x + width, on_screen.y + height};
  const bool shown = list.shown == index;
  const bool hovered = line.kept && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(on_screen, end);
  ImDrawList& drawn = *ImGui::GetWindowDrawList();
  if (shown || hovered) drawn.AddRectFilled(on_screen, end, ink(context, shown ? Ink::Raised : Ink::Window), pad);
  if (shown)
    drawn.AddRectFilled(on_screen, {on_screen.x + 3 * context.scale, end.y}, ink(context, Ink::Accent), pad);

  const std::string outcome = outcome_of(line);
  const float right = at.x + width - pad, outcome_width = text_width(context, outcome);
  const float second = at.y + pad / 2 + ImGui::GetTextLineHeight();
  ImGui::SetCursorPos({at.x + 2 * pad, at.y + pad / 2});
  const std::string name = fmt::format("{}  {}", index + 1, line.kernel);
  show_text(context, shortened(context, name, right - outcome_width - at.x - 4 * pad),
            line.kept ? Ink::Strong : Ink::Faint);
  if (!outcome.empty()) {
    ImGui::SetCursorPos({right - outcome_width, at.y + pad / 2});
    show_text(context, outcome, Ink::Bad);
  }
  ImGui::SetCursorPos({at.x + 2 * pad, second});
  show_text(context, shortened(context, figures_of(line), width - 3 * pad), Ink::Faint);
  ImGui::SetCursorPos(at);
  if (ImGui::InvisibleButton("launch", {width, height}) && line.kept && !shown) context.send(OpenLaunch{index});
  context.note_widget(fmt::format("launch {}", index + 1));
}

}  // namespace

void show_launch_list(const Context& context) {
  const LaunchList& list = *context.launches;
  show_wrapped(context,
               list.lines.size() == 1
                   ? tr_format("The launch of {}, with its data.", list.program)
                   : tr_format("{} launches of {}. A click opens one, with its data.", list.lines.size(), list.program),
               Ink::Faint);
  const float height = 2 * ImGui::GetTextLineHeight() + kRowPad * context.scale;
  const PushedStyle tight(ImGuiStyleVar_ItemSpacing, ImVec2{0, 0});
  const Child rows("launches", {0, height * static_cast<float>(std::min(list.lines.size(), kRowsInSight))});
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(list.lines.size()), height);
  while (clipper.Step())
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
      show_row(context, static_cast<size_t>(row), height);
}

}  // namespace tilescope::ui
