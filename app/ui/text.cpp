#include "ui/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/line_break.h"
#include "base/text.h"
#include "base/words.h"
#include "draw/palette.h"
#include "ui/font_book.h"
#include "ui/scoped.h"

namespace tilescope::ui {
bool has_cjk(std::string_view text) {
  for (size_t at = 0; at < text.size();)
    if (is_cjk(next_character(text, at))) return true;
  return false;
}

ImU32 ink(const Context& context, view::Ink which, float strength) { return (*context.palette)({which, strength, 0}); }

void show_text(const Context& context, const std::string& text, view::Ink which, ImFont* font) {
  const PushedFont pushed(font ? font : context.fonts.text);
  const PushedColour colour(ImGuiCol_Text, ink(context, which));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
}

void show_wrapped(const Context& context, const std::string& text, view::Ink which, ImFont* font) {
  const PushedFont pushed(font ? font : context.fonts.text);
  const Wrapped wrapped;
  show_text(context, with_breaks(text, ImGui::GetContentRegionAvail().x), which, font);
}

namespace {

/// Whether a sign at which ImGui would end a line is within a word: "7.9e-05", "mended_10.cu".
bool has_sign_in_word(const std::string& text) {
  for (size_t at = text.find_first_of(".,;!?\""); at != text.npos; at = text.find_first_of(".,;!?\"", at + 1))
    if (at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\n') return true;
  return false;
}

float width_without_blanks(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str(), text.c_str() + text.find_last_not_of(' ') + 1).x;
}

}  // namespace

std::string with_breaks(const std::string& text, float room) {
  if (!has_cjk(text) && !has_sign_in_word(text)) return text;
  std::string broken;
  float used = 0;
  for (const std::string& piece : pieces_of(text)) {
    const float width = ImGui::CalcTextSize(piece.c_str()).x;
    if (used > 0 && used + width_without_blanks(piece) > room) {
      broken += '\n';
      used = 0;
    }
    broken += piece;
    used += width;
  }
  return broken;
}

std::string settings_text(const session::Workspace& workspace, int experiment) {
  const session::Experiment &mine = workspace.experiment(experiment), &other = workspace.experiment(1 - experiment);
  std::string text;
  if (!mine.legality() || !other.legality()) return text;
  const auto& theirs = other.legality()->parameters;
  for (const auto& parameter : mine.legality()->parameters)
    if (std::find(theirs.begin(), theirs.end(), parameter) == theirs.end())
      text.append(fmt::format("  {} = {}", parameter.first, parameter.second));
  return text;
}

std::string side_text(const session::Workspace& workspace, int experiment) {
  const session::Experiment &mine = workspace.experiment(experiment), &other = workspace.experiment(1 - experiment);
  const std::string title = tr(std::string_view(mine.kernel().description.title));
  const bool alike = mine.inputs().kernel == other.inputs().kernel && settings_text(workspace, experiment).empty();
  return alike ? fmt::format("{}  {}", tr(side_word(experiment)), title) : title;
}

const char* side_word(int experiment) { return experiment == 0 ? tr_later("Left") : tr_later("Right"); }

float text_width(const Context& context, const std::string& text, ImFont* font) {
  const PushedFont pushed(font ? font : context.fonts.text);
  return ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
}

std::string shortened(const Context& context, const std::string& text, float room) {
  std::string part = text;
  while (!part.empty() && text_width(context, part + (part.size() < text.size() ? "…" : "")) > room) do {
      part.pop_back();
    } while (!part.empty() && (static_cast<unsigned char>(text[part.size()]) & 0xC0) == 0x80);
  return part.size() < text.size() ? part + "…" : part;
}

void draw_warning(ImDrawList& list, ImVec2 at, float size, ImU32 colour) {
  list.AddTriangleFilled({at.x, at.y + size}, {at.x + size, at.y + size}, {at.x + size / 2, at.y}, colour);
}

void show_mark(const Context& context, bool good, view::Ink disc) {
  const float line = ImGui::GetTextLineHeight(), size = 9 * context.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + (line - size) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (good)
    list.AddCircleFilled({at.x + size / 2, top + size / 2}, size / 2, ink(context, disc));
  else
    draw_warning(list, {at.x, top}, size, ink(context, view::Ink::Bad));
  ImGui::Dummy({size, line});
  ImGui::SameLine(0, 7 * context.scale);
}

void draw_verdict(const Context& context, ImVec2 at, bool right) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float size = (right ? 9 : 7) * context.scale, thick = 1.8f * context.scale;
  const float middle = at.y + ImGui::GetTextLineHeight() / 2;
  const ImVec2 corner{at.x + size * 0.38f, middle + size * 0.4f};
  const auto line = [&](ImVec2 from, ImVec2 to) {
    list.AddLine(from, to, ink(context, right ? view::Ink::Good : view::Ink::Warning), thick);
  };
  if (right) {
    line({at.x, middle}, corner);
    line(corner, {at.x + size, middle - size * 0.5f});
  } else {
    line({at.x, middle - size / 2}, {at.x + size, middle + size / 2});
    line({at.x, middle + size / 2}, {at.x + size, middle - size / 2});
  }
}

void next(const Context& context, float gap) { ImGui::SameLine(0, gap * context.scale); }

void need_characters(const Context& context, const std::string& text) {
  if (context.pictures && context.pictures->fonts) context.pictures->fonts->need(text);
}

}  // namespace tilescope::ui
