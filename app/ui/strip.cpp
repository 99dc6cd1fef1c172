#include "ui/strip.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "base/words.h"
#include "draw/palette.h"
#include "ui/picture_view.h"
#include "ui/scoped.h"
#include "ui/tabs.h"
#include "ui/text.h"
#include "ui/window_words.h"
#include "view/code/code_rows.h"
#include "view/register_words.h"
#include "view/strip/strip_picture.h"
#include "view/strip/warps_picture.h"
#include "view/words.h"

namespace tilescope::ui {
namespace {
using view::Ink;

/// Least sizes in pixels. Too narrow for text beside the picture: text above it; too low for that: text only.
constexpr float kLeastWords = 150, kLeastPicture = 240, kLeastHeight = 58, kBetweenLines = 3;

void paragraph(const Context& context, const std::string& words, Ink ink, ImFont* font) {
  if (!words.empty()) show_wrapped(context, words, ink, font);
}

float height_of(const std::string& words) {
  const float room = ImGui::GetContentRegionAvail().x;
  return ImGui::CalcTextSize(with_breaks(words, room).c_str(), nullptr, false, room).y;
}

/// Whether that many words have room below the rest.
bool fits_below(const std::string& words) { return height_of(words) <= ImGui::GetContentRegionAvail().y; }

/// Where the last clause begins, with the sign before it; npos where there is but one.
size_t last_clause(const std::string& words) {
  size_t last = std::string::npos;
  for (const char* sign : {"; ", ": ", "；", "："})
    if (const size_t at = words.rfind(sign); at != std::string::npos && (last == std::string::npos || at > last))
      last = at;
  return last;
}

/// The sentence without the last clauses that have no room below the rest; with "…" at its end if even the first has
/// none.
std::string fitting_below(const std::string& words) {
  if (fits_below(words)) return words;
  std::string part = words;
  for (size_t end = last_clause(part); end != std::string::npos; end = last_clause(part)) {
    part.resize(end);
    if (fits_below(part)) return part;
  }
  while (!part.empty() && !fits_below(part + "…")) do {
      part.pop_back();
    } while (!part.empty() && (static_cast<unsigned char>(words[part.size()]) & 0xC0) == 0x80);
  return part.empty() ? part : part + "…";
}

/// What one lane loads or stores, if there is room. For other instructions the picture says it.
void show_value(const Context& context, const view::Focus& focus) {
  if (!focus.traced->timeline.access(focus.cursor) || focus.hidden.access()) return;
  const std::string words = view::register_words(focus, focus.lit_lane());
  const PushedFont mono(context.fonts.mono);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // ImGui's own wrapping breaks numbers at their points.
  const auto rows = view::wrapped_code(tr_format("lane {}: {}", focus.lit_lane(), words),
                                       static_cast<int>(room.x / ImGui::CalcTextSize("0").x));
  if (words.empty() || static_cast<float>(rows.size()) * ImGui::GetTextLineHeightWithSpacing() > room.y) return;
  const std::string name = words.substr(0, words.find(' '));
  for (const std::string& row : rows) {
    paragraph(context, row, Ink::Text, context.fonts.mono);
    explain_word(context, name.c_str());
  }
}

/// Whether the text has room at the right of the last item.
bool fits_beside(const Context& context, const std::string& words) {
  const PushedFont font(context.fonts.mono);
  const float end = ImGui::GetItemRectMax().x + 10 * context.scale + ImGui::CalcTextSize(words.c_str()).x;
  return !words.empty() && end < ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
}

/// The panel's name, and, if warps may be apart, the choice between the lanes of one and all warps.
void show_name(const Context& context, const view::Focus& focus, StripState& kept) {
  static const std::vector<Tab> views{Tab(tr_later("lanes")), Tab(tr_later("warps"))};
  const bool choice = may_leave_step(focus.traced->timeline);
  const float gap = 14 * context.scale, tabs = choice ? gap + tabs_width(context, views) : 0;
  if (text_width(context, tr("Strip"), context.fonts.bold) + tabs <= ImGui::GetContentRegionAvail().x) {
    show_text(context, tr("Strip"), Ink::Strong, context.fonts.bold);
    if (choice) ImGui::SameLine(0, gap);
  }
  if (!choice) return;
  if (const int chosen = show_tabs(context, "strip", views, kept.shows_warps); chosen >= 0)
    kept.shows_warps = chosen == 1;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - 6 * context.scale);  // The tabs' line needs no room below it.
}

/// The instruction or what it accesses, after the last item if there is room.
void show_part(const Context& context, const std::string& part) {
  if (fits_beside(context, part)) ImGui::SameLine(0, 10 * context.scale);
  paragraph(context, part, Ink::Strong, context.fonts.mono);
}

/// Whether what is accessed has room and leaves enough for the sentence.
bool has_room_for(const Context& context, const view::InstructionWords& words) {
  float elements = 0;
  if (!fits_beside(context, words.elements)) {
    const PushedFont font(context.fonts.mono);
    elements = height_of(words.elements) + ImGui::GetStyle().ItemSpacing.y;
  }
  return elements + height_of(words.sentence) <= ImGui::GetContentRegionAvail().y;
}

/// The opcode without its last modifiers if a line has no room for them; the program text has all of it.
std::string fitting_opcode(const Context& context, const std::string& opcode) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (text_width(context, opcode, context.fonts.mono) <= room) return opcode;
  std::string part = opcode;
  while (part.find('.') != part.npos && text_width(context, part + "…", context.fonts.mono) > room)
    part.resize(part.rfind('.'));
  return part + "…";
}

/// In two lines.
void show_short_words(const Context& context, const view::Focus& focus, const view::InstructionWords& words,
                      StripState& kept) {
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2{8 * context.scale, kBetweenLines * context.scale});
  show_name(context, focus, kept);
  show_part(context, fitting_opcode(context, words.opcode));
  explain_word(context, words.opcode.c_str());
  show_part(context, words.elements);
  show_text(context, shortened(context, words.sentence, ImGui::GetContentRegionAvail().x), Ink::Text);
}

void show_words(const Context& context, const view::Focus& focus, const view::InstructionWords& words, float width,
                StripState& kept) {
  const Child child("words", {width, 0});
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2{8 * context.scale, 4 * context.scale});
  show_name(context, focus, kept);
  show_part(context, fitting_opcode(context, words.opcode));
  explain_word(context, words.opcode.c_str());
  // The stage and the picture say what is accessed, too.
  if (has_room_for(context, words)) show_part(context, words.elements);
  paragraph(context, fitting_below(words.sentence), Ink::Text, context.fonts.text);
  if (fits_below(words.lanes)) paragraph(context, words.lanes, Ink::Text, context.fonts.text);
  if (!words.merging.empty()) {
    const std::string all = tr_format("{} (those are drawn dim)", words.merging);
    const std::string& fitting = fits_below(all) ? all : words.merging;
    if (fits_below(fitting)) paragraph(context, fitting, Ink::Faint, context.fonts.text);
  }
  show_value(context, focus);
}

/// The name of the order, for the warp at the cursor.
std::string order_text(session::WarpOrder order, uint32_t warp) {
  switch (order) {
    case session::WarpOrder::InStep: return tr("in step");
    case session::WarpOrder::Ahead: return tr_format("warp {} ahead", warp);
    case session::WarpOrder::Behind: return tr_format("warp {} behind", warp);
  }
  return {};
}

void show_orders(const Context& context, const view::Focus& focus) {
  using session::WarpOrder;
  for (const WarpOrder order : {WarpOrder::InStep, WarpOrder::Ahead, WarpOrder::Behind}) {
    if (order != WarpOrder::InStep) ImGui::SameLine(0, 6 * context.scale);
    const std::string words = order_text(order, focus.cursor.warp);
    if (show_named_chip(context, "warps " + std::string(to_string(order)), words, focus.order == order))
      context.send(session::SetWarpOrder{order});
  }
}

/// The warps between two barriers: the choice of their order, their picture, and a sentence about it.
void show_warps(const Context& context, int experiment, const view::Focus& focus, StripState& kept) {
  const PushedStyle spacing(ImGuiStyleVar_ItemSpacing, ImVec2{8 * context.scale, kBetweenLines * context.scale});
  show_name(context, focus, kept);
  ImGui::SameLine(0, 24 * context.scale);
  show_orders(context, focus);
  const view::WarpsWords words = view::warps_words(focus);
  const Ink ink = words.wrong ? Ink::Bad : Ink::Text;
  const float gap = 16 * context.scale;
  const float end = ImGui::GetItemRectMax().x + gap + text_width(context, words.sentence);
  const bool beside = end < ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x;
  if (beside) {
    ImGui::SameLine(0, gap);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + 4 * context.scale);
    show_text(context, words.sentence, ink);
  }
  const float line = beside ? 0 : ImGui::GetTextLineHeightWithSpacing();
  const view::Canvas canvas = canvas_here(context, 0, (ImGui::GetContentRegionAvail().y - line) / context.scale);
  const WarpsKey key{{context.workspace->experiment(experiment).traced(), focus.cursor, focus.hidden},
                     focus.order,
                     focus.lit(),
                     CanvasKey(canvas)};
  const view::Picture& picture = kept.warps.get(key, [&] { return view::warps_picture(focus, canvas); });
  const PictureEvents events = show_picture(context, experiment == 0 ? "warps" : "warps 2", picture);
  if (!beside) show_text(context, shortened(context, words.sentence, ImGui::GetContentRegionAvail().x), ink);
  const uint32_t warp = events.target.warp;
  if (!events.clicked || events.target.kind != session::Target::Kind::Warp) return;
  if (focus.traced->timeline.steps(warp) == 0) return;
  const uint32_t executed = view::warp_places(focus).executed[warp];
  context.send(session::GoTo{{warp, executed == 0 ? 0 : executed - 1}});
}

}  // namespace

void show_strip(const Context& context, int experiment, StripState& kept) {
  const view::Focus focus = focus_of(context, experiment);
  if (!focus.traced || focus.traced->timeline.steps(focus.cursor.warp) == 0) return;
  if (kept.shows_warps && may_leave_step(focus.traced->timeline)) return show_warps(context, experiment, focus, kept);
  const StripWordsKey instruction{context.workspace->experiment(experiment).traced(), focus.cursor, focus.hidden,
                                  view::strip_space(focus)};
  const view::InstructionWords& words = kept.words.get(instruction, [&] {
    return view::redacted(view::words_at(*focus.traced, focus.cursor, instruction.space), focus.hidden);
  });
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float least = kLeastWords * context.scale,
              lines = 2 * (ImGui::GetTextLineHeight() + kBetweenLines * context.scale);
  if (room.x > least + kLeastPicture * context.scale) {
    show_words(context, focus, words, std::clamp(room.x * 0.28f, least, 320 * context.scale), kept);
    ImGui::SameLine(0, 12 * context.scale);
  } else if (room.y > lines + kLeastHeight * context.scale) {
    show_short_words(context, focus, words, kept);
  } else {
    view::InstructionWords alone = words;
    if (focus.hidden.access()) alone.sentence = view::covered_access_text(focus.hidden);
    return show_words(context, focus, alone, room.x, kept);
  }
  const view::Canvas canvas = canvas_here(context);
  const StripKey key{instruction, focus.lit(), focus.lane, focus.registers != nullptr, CanvasKey(canvas)};
  const view::Picture& picture = kept.picture.get(key, [&] { return view::strip_picture(focus, canvas); });
  const PictureEvents events = show_picture(context, experiment == 0 ? "strip" : "strip 2", picture);
  if (!events.clicked) return;
  if (events.target.kind == session::Target::Kind::Lane)
    context.send(session::ChooseLane{static_cast<uint32_t>(events.target.index)});
  context.send(session::Pin{events.target});
}

}  // namespace tilescope::ui
