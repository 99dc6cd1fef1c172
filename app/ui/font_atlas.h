#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include <imgui.h>

namespace tilescope::ui {

/// A font of a file; ImGui's own if the path is empty.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< Of a collection.
};

/// A font at one size.
struct Face {
  ImFont* font = nullptr;  ///< ImGui's current one if null.
  float height = 0;        ///< What to pass to ImGui as size: ascent and descent together.
};

/// One size of a font. Heights are ascent and descent together, in whole pixels, as ImGui expects them.
struct FontOrder {
  FontFile file;
  float size = 0;         ///< The em square, in pixels.
  FontFile chinese = {};  ///< For CJK text, of the same weight.
  float height = 0, symbols_height = 0, chinese_height = 0;
};

/// The requested contents of an atlas.
struct AtlasOrder {
  FontFile symbols;
  std::vector<FontOrder> fonts;
  std::vector<ImWchar> ranges, chinese_ranges;  ///< Pairs and a 0, as in ImGui; both outlive the atlas.
};

/// Whether every atlas has the character: Latin with accents, punctuation, and the interface's symbols.
bool is_always_held(char32_t character);

/// The ranges of an order: the fixed ones, and `characters`.
void set_ranges(AtlasOrder& order, const std::set<char32_t>& characters);

/// Fills an empty atlas, with a face for each of the order's fonts. A missing file is replaced by ImGui's own font. Of
/// ImGui's context it changes only the count of allocations, shown in ImGui's metrics: any thread may fill an atlas
/// that is not in use.
std::vector<Face> fill_atlas(ImFontAtlas& atlas, const AtlasOrder& order);

}  // namespace tilescope::ui
