#include "ui/doors.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <imgui.h>

#include "base/process.h"
#include "base/words.h"
#include "draw/palette.h"
#include "ui/scoped.h"
#include "ui/text.h"

namespace tilescope::ui {
namespace {
using view::Ink;

struct Door {
  const char *name, *title, *words;
};
constexpr std::array<Door, 3> kAll{
    {{"door course", tr_later("Take the course"),
      tr_later("Lessons lead from the naive kernel to one as fast as cuBLAS, and on to other problems. Each asks "
               "before it shows.")},
     {"door explore", tr_later("Explore the kernels"),
      tr_later("Twenty-five kernels with all panels: change tiles and sizes, step through the run.")},
     {"door own", tr_later("Open my program"),
      tr_later("A .cu file of yours, run and checked as it is. Its launch is proposed, and you correct it.")}}};

/// A card as large as the box, with its number; true if clicked. The mouse chooses where it moves.
bool show_door(const Context& context, int number, ImVec2 size, int& chosen) {
  const Door& door = kAll[static_cast<size_t>(number)];
  const draw::Palette& palette = *context.palette;
  const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + size.x, at.y + size.y};
  const bool clicked = ImGui::InvisibleButton(door.name, size);
  context.note_widget(door.name);
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (ImGui::IsItemHovered() && (moved.x != 0 || moved.y != 0)) chosen = number;
  const bool lit = chosen == number;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float round = 10 * context.scale, pad = 24 * context.scale;
  list.AddRectFilled(at, end, palette({lit ? Ink::Raised : Ink::Panel}), round);
  list.AddRect(at, end, palette({lit ? Ink::Accent : Ink::Line}), round, 0, (lit ? 2.0f : 1.0f) * context.scale);
  ImGui::SetCursorScreenPos({at.x + pad, at.y + pad});
  const Child inside(fmt::format("inside {}", door.name).c_str(), {size.x - 2 * pad, size.y - 2 * pad}, false,
                     ImGuiWindowFlags_NoInputs);
  show_text(context, fmt::format("{}", number + 1), Ink::Accent, context.fonts.title);
  show_wrapped(context, tr(door.title), Ink::Strong, context.fonts.title);
  show_wrapped(context, tr(door.words), Ink::Text);
  return clicked;
}

}  // namespace

int door_count() { return static_cast<int>(kAll.size()) - (starts_programs() ? 0 : 1); }

std::vector<Command> commands_of_door(int door) {
  if (door == 0) return {};
  if (door == 1) return {session::SetExploring{true}};
  return {session::SetExploring{true}, FileCommand{AskForFile{}}};
}

void show_doors(const Context& context, DoorsState& kept) {
  const int doors = door_count();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float scale = context.scale, gap = 24 * scale, margin = 48 * scale;
  const float width = std::min(1200 * scale, display.x - 2 * margin);
  const bool beside = width >= 640 * scale;
  const float card = beside ? (width - static_cast<float>(doors - 1) * gap) / static_cast<float>(doors) : width;
  const float height =
      beside ? std::min(190 * scale, display.y * 0.5f) : (display.y - 180 * scale) / static_cast<float>(doors) - gap;
  const float left = (display.x - width) / 2;
  const float top = beside ? std::max(140 * scale, (display.y - height) / 2) : 130 * scale;
  ImGui::SetCursorScreenPos({left, top - 100 * scale});
  show_text(context, "Tilescope", Ink::Strong, context.fonts.title);
  ImGui::SetCursorScreenPos({left, top - 60 * scale});
  show_wrapped(context,
               tr("What a CUDA kernel does, thread by thread: every picture and number comes from running it."),
               Ink::Text);
  for (int i = 0; i < doors; ++i) {
    const auto number = static_cast<float>(i);
    ImGui::SetCursorScreenPos(beside ? ImVec2{left + number * (card + gap), top}
                                     : ImVec2{left, top + number * (height + gap)});
    if (!show_door(context, i, {card, height}, kept.chosen)) continue;
    kept.open = false;
    for (Command& command : commands_of_door(i)) context.send(std::move(command));
  }
  ImGui::SetCursorScreenPos({left, beside ? top + height + gap : display.y - 40 * scale});
  show_wrapped(context,
               tr("Press a number, or choose with the arrows and press Enter. You can change at any time: “Lesson” and "
                  "“Explore” stay at the top of the window."),
               Ink::Faint);
}

}  // namespace tilescope::ui
