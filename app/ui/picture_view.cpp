#include "ui/picture_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "ui/picture_painter.h"
#include "ui/scoped.h"
#include "ui/text_measure.h"
#include "view/stage/stage_picture.h"
#include "view/timeline/clock_words.h"

namespace tilescope::ui {
namespace {

view::Point in_picture(const Context& context, ImVec2 at, ImVec2 origin) {
  return {(at.x - origin.x) / context.scale, (at.y - origin.y) / context.scale};
}

void read_buttons(const Context& context, PictureEvents& events) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDragMaxDistanceSqr[0] > io.MouseDragThreshold * io.MouseDragThreshold;
  events.double_clicked = events.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  events.clicked = ImGui::IsItemDeactivated() && events.hovered && !moved && !events.double_clicked;
  events.dragged = ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (events.dragged) events.drag = {io.MouseDelta.x / context.scale, io.MouseDelta.y / context.scale};
  if (events.hovered) events.wheel = io.MouseWheel;
}

PictureEvents read_events(const Context& context, const view::Picture& picture, ImVec2 origin) {
  PictureEvents events;
  events.hovered = ImGui::IsItemHovered();
  events.mouse = in_picture(context, ImGui::GetMousePos(), origin);
  read_buttons(context, events);
  if (events.hovered) events.target = view::target_at(picture, events.mouse);
  if (events.target && context.hover_next) *context.hover_next = events.target;
  return events;
}

void offer_files(const Context& context, const char* id, const view::Picture& picture) {
  const PushedStyle padding(ImGuiStyleVar_WindowPadding, ImVec2{10 * context.scale, 8 * context.scale});
  if (!ImGui::BeginPopupContextItem(id)) return;
  const auto offer = [&](const char* text, bool svg) {
    if (ImGui::MenuItem(text)) context.send(SavePicture{id, picture, svg, {}});
    context.note_widget(svg ? "save as SVG" : "save as PNG");
  };
  offer(tr("Save as PNG"), false);
  offer(tr("Save as SVG"), true);
  ImGui::EndPopup();
}

/// For the widget map: lanes, and grids of elements by the element in the upper left cell and how many there are.
void note_targets(const Context& context, const char* id, const view::Picture& picture, ImVec2 origin) {
  if (!context.widgets) return;
  const auto note = [&](std::string name, const view::Box& box) {
    const float s = context.scale;
    context.widgets->push_back(
        {std::move(name), {origin.x + box.x * s, origin.y + box.y * s, box.width * s, box.height * s}});
  };
  for (const view::HitArea& hot : picture.hot)
    if (hot.target.kind == session::Target::Kind::Lane) note(fmt::format("{} lane {}", id, hot.target.index), hot.box);
  for (const view::HitCells& cells : picture.hot_cells)
    note(fmt::format("{} {}[{}][{}] {} x {}{}", id, cells.array, cells.first_row, cells.first_column, cells.rows,
                     cells.columns, cells.transposed ? " across" : ""),
         cells.box);
}

}  // namespace

PictureEvents show_picture(const Context& context, const char* id, const view::Picture& picture) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(1.0f, picture.width * context.scale), std::max(1.0f, picture.height * context.scale)};
  ImGui::InvisibleButton(id, size);
  context.note_place(id);
  note_targets(context, id, picture, origin);
  const PictureEvents events = read_events(context, picture, origin);
  if (context.pictures) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(origin, {origin.x + size.x, origin.y + size.y}, true);
    PicturePainter(list, origin, context.scale, *context.palette, *context.pictures->fonts, *context.pictures->cells)
        .paint(picture);
    list.PopClipRect();
    if (context.pictures->shown) context.pictures->shown->push_back({id, picture});
  }
  offer_files(context, id, picture);
  return events;
}

view::Canvas canvas_here(const Context& context, float width, float height) {
  static const view::PlainMeasure plain;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  view::Canvas canvas;
  canvas.width = width > 0 ? width : room.x / context.scale;
  canvas.height = height > 0 ? height : room.y / context.scale;
  canvas.measure = context.pictures && context.pictures->measure ? context.pictures->measure : &plain;
  return canvas;
}

std::string picture_caption(const session::Workspace& workspace, std::string_view name) {
  const std::shared_ptr<const run::TracedBlock>& traced = workspace.current().traced();
  if (!traced) return {};
  view::Focus focus;
  focus.traced = traced.get();
  focus.cursor = workspace.cursor(workspace.chosen());
  const kernel::Kernel& kernel = traced->request().kernel;
  const std::string number = kernel.number > 0 ? fmt::format("{}  ", kernel.number) : "";
  const auto& clock = workspace.clock(0).run();
  const std::string place = name == "clock" && clock ? view::clock_tooltip(*clock, "", workspace.clock_place()).title
                                                     : view::breadcrumb(focus);
  return fmt::format("{}{}   {}   {}", number, tr(std::string_view(kernel.description.title)),
                     kernel::short_size_text(traced->report.extents, traced->report.size), place);
}

view::Picture with_caption(view::Picture picture, const session::Workspace& workspace, std::string_view name,
                           const view::TextMeasure& measure) {
  const std::string text = picture_caption(workspace, name);
  if (text.empty()) return picture;
  constexpr float kText = 14, kLine = 26;
  picture.add(view::Label{{kText / 2, picture.height + kLine / 2},
                          view::shortened(measure, text, view::Font::Text, kText, picture.width - kText),
                          {view::Ink::Text},
                          view::Font::Text,
                          kText,
                          view::Align::Begin,
                          view::Align::Centre});
  picture.height += kLine;
  picture.serial = view::next_serial();
  return picture;
}

}  // namespace tilescope::ui
