#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <imgui.h>
#include <imgui_internal.h>

/// ImGui's draw data holds no texts, but a quad for each character with the place of its glyph in the atlas: texts are
/// read from those.
namespace tilescope::ui {

/// A line of text.
struct DrawnText {
  std::string window;  ///< ImGui's name, "frame/code_1A2B3C4D/source_5E6F7081".
  std::string text;
  float x = 0, y = 0;  ///< Of its first character's pen.
  float line = 0;      ///< Its height.
};

/// Gives ImGui's own font an empty glyph for each character of the texts that it lacks, so that TextReader can read
/// them without a font that has them. Before the atlas is made.
inline void add_empty_glyphs(const std::vector<std::string>& texts) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  ImFont* font = atlas.AddFontDefault();
  std::set<unsigned> characters;
  for (const std::string& text : texts)
    for (const char *at = text.data(), *end = at + text.size(); at < end;) {
      unsigned character = 0;
      at += std::max(1, ImTextCharFromUtf8(&character, at, end));
      if (character >= 0x100 && character <= 0xffff) characters.insert(character);
    }
  for (const unsigned character : characters)
    atlas.AddCustomRectFontGlyph(font, static_cast<ImWchar>(character), 12, 12, 13);
}

/// Reads what a frame has drawn in ImGui's own font.
class TextReader {
 public:
  TextReader() { find_glyphs(); }

  std::vector<DrawnText> read(const ImDrawData& data) {
    texts_.clear();
    for (int i = 0; i < data.CmdListsCount; ++i) read(*data.CmdLists[i]);
    return std::move(texts_);
  }

 private:
  struct Quad {
    ImVec2 from, to, uv_from, uv_to;
  };

  void find_glyphs() {
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
      for (const ImFontGlyph& glyph : font->Glyphs) glyphs_.push_back(glyph);
    for (const ImFontGlyph& glyph : glyphs_)
      if (glyph.Codepoint == ' ') space_ = glyph.AdvanceX;
  }

  /// The character whose place in the atlas contains the quad's: characters at the edge are cut.
  const ImFontGlyph* glyph_of(const Quad& quad) const {
    constexpr float kSlack = 1e-5f;
    if (quad.uv_to.x - quad.uv_from.x < kSlack) return nullptr;
    for (const ImFontGlyph& glyph : glyphs_)
      if (glyph.Visible && quad.uv_from.x >= glyph.U0 - kSlack && quad.uv_to.x <= glyph.U1 + kSlack &&
          quad.uv_from.y >= glyph.V0 - kSlack && quad.uv_to.y <= glyph.V1 + kSlack)
        return &glyph;
    return nullptr;
  }

  void read(const ImDrawList& list) {
    begins_ = true;
    for (const ImDrawCmd& command : list.CmdBuffer)
      for (unsigned at = 0; !command.UserCallback && at + 6 <= command.ElemCount;) {
        const std::optional<Quad> quad = quad_at(list, command, at);
        if (quad) add(list, *quad);
        at += quad ? 6 : 3;
      }
  }

  /// Two triangles that ImGui makes of a rectangle.
  static std::optional<Quad> quad_at(const ImDrawList& list, const ImDrawCmd& command, unsigned at) {
    const ImDrawIdx* const index = &list.IdxBuffer[static_cast<int>(command.IdxOffset + at)];
    const ImDrawIdx first = index[0];
    if (index[1] != first + 1 || index[2] != first + 2 || index[3] != first || index[4] != first + 2 ||
        index[5] != first + 3)
      return std::nullopt;
    const ImDrawVert* const vertex = &list.VtxBuffer[static_cast<int>(command.VtxOffset + first)];
    return Quad{vertex[0].pos, vertex[2].pos, vertex[0].uv, vertex[2].uv};
  }

  void add(const ImDrawList& list, const Quad& quad) {
    const ImFontGlyph* const glyph = glyph_of(quad);
    if (!glyph) return;
    const float part = (quad.uv_to.x - quad.uv_from.x) / (glyph->U1 - glyph->U0);
    const float scale = (quad.to.x - quad.from.x) / (part * (glyph->X1 - glyph->X0));
    const float cut = (quad.uv_from.x - glyph->U0) / (glyph->U1 - glyph->U0) * (glyph->X1 - glyph->X0);
    const float cut_above = (quad.uv_from.y - glyph->V0) / (glyph->V1 - glyph->V0) * (glyph->Y1 - glyph->Y0);
    const float x = quad.from.x - (glyph->X0 + cut) * scale, y = quad.from.y - (glyph->Y0 + cut_above) * scale;
    const float spaces = (x - pen_) / (space_ * scale);
    const bool goes_on = !begins_ && std::fabs(y - texts_.back().y) < 0.6f && spaces > -0.2f && spaces < 2.5f;
    if (!goes_on) texts_.push_back({list._OwnerName ? list._OwnerName : "", "", x, y, kLineHeight * scale});
    if (goes_on) texts_.back().text.append(static_cast<size_t>(std::lround(std::max(0.0f, spaces))), ' ');
    append(static_cast<char32_t>(glyph->Codepoint));
    pen_ = x + glyph->AdvanceX * scale;
    begins_ = false;
  }

  /// In UTF-8; ImGui's characters are of 16 bits.
  void append(char32_t character) {
    std::string& text = texts_.back().text;
    const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (character < 0x80) return put(character);
    if (character < 0x800) {
      put(0xc0 | character >> 6);
    } else {
      put(0xe0 | character >> 12);
      put(0x80 | (character >> 6 & 0x3f));
    }
    put(0x80 | (character & 0x3f));
  }

  static constexpr float kLineHeight = 13;  ///< Of ImGui's own font.
  std::vector<ImFontGlyph> glyphs_;
  float space_ = 0, pen_ = 0;
  bool begins_ = true;  ///< No text of the list was seen yet.
  std::vector<DrawnText> texts_;
};

}  // namespace tilescope::ui
