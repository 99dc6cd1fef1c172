#include "ui/strip.h"

#include <algorithm>

#include <imgui.h>

#include "draw/palette.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "view/access_words.h"
#include "view/strip_picture.h"

namespace tilescope::ui {
namespace {
using view::Ink;

void paragraph(const Context& context, const std::string& words, Ink ink, ImFont* font) {
  if (words.empty()) return;
  const PushedFont pushed(font);
  const PushedColour colour(ImGuiCol_Text, (*context.palette)({ink}));
  const Wrapped wrapped;
  ImGui::TextUnformatted(words.c_str());
}

/// Left out where it would be cut off below.
void last_paragraph(const Context& context, const std::string& words, Ink ink) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (words.empty() || ImGui::CalcTextSize(words.c_str(), nullptr, false, room.x).y > room.y) return;
  paragraph(context, words, ink, context.fonts.text);
}

/// Whether the text has room at the right of the last item.
bool fits_beside(const Context& context, const std::string& words) {
  const PushedFont font(context.fonts.mono);
  const float end = ImGui::GetItemRectMax().x + 10 * context.scale + ImGui::CalcTextSize(words.c_str()).x;
  return !words.empty() && end < ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
}

void show_words(const Context& context, const view::Focus& focus, float width) {
  const view::InstructionWords words = view::uncovered(view::words_at(*focus.scene, focus.cursor), focus.cover);
  const Child child("words", {width, 0}, false, ImGuiWindowFlags_NoScrollbar);
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2{8 * context.scale, 4 * context.scale});
  paragraph(context, words.opcode, Ink::Strong, context.fonts.bold);
  if (fits_beside(context, words.elements)) ImGui::SameLine(0, 10 * context.scale);
  paragraph(context, words.elements, Ink::Strong, context.fonts.mono);
  paragraph(context, words.sentence, Ink::Text, context.fonts.text);
  paragraph(context, words.lanes, Ink::Text, context.fonts.text);
  if (!words.merging.empty()) last_paragraph(context, words.merging + " (theirs are dim)", Ink::Faint);
}

}  // namespace

void show_strip(const Context& context, int experiment) {
  const view::Focus focus = focus_of(context, experiment);
  if (!focus.scene || focus.scene->timeline->steps(focus.cursor.warp) == 0) return;
  show_words(context, focus,
             std::clamp(ImGui::GetContentRegionAvail().x * 0.28f, 150 * context.scale, 320 * context.scale));
  ImGui::SameLine(0, 12 * context.scale);
  const view::Canvas canvas = canvas_here(context);
  const PictureEvents events =
      show_picture(context, experiment == 0 ? "strip" : "strip 2", view::strip_picture(focus, canvas));
  if (!events.clicked) return;
  if (events.target.kind == session::Target::Kind::Lane)
    context.send(session::ChooseLane{static_cast<uint32_t>(events.target.index)});
  context.send(session::Pin{events.target});
}

}  // namespace tilescope::ui
