#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include <imgui.h>

namespace tilescope::ui {

/// A font of a file; ImGui's own where the path is empty.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< Of a collection.
};

/// A font at one size.
struct Face {
  ImFont* font = nullptr;  ///< ImGui's current one when null.
  float height = 0;        ///< What to pass to ImGui as size: ascent and descent together.
};

/// One size of a font: what it is made of. Heights are ascent and descent together, in whole pixels, as ImGui takes
/// them.
struct FontOrder {
  FontFile file;
  float size = 0;  ///< The em square, in pixels.
  float height = 0, symbols_height = 0, chinese_height = 0;
};

/// What an atlas shall hold.
struct AtlasOrder {
  FontFile symbols, chinese;
  std::vector<FontOrder> fonts;
  std::vector<ImWchar> ranges, chinese_ranges;  ///< Pairs and a 0, as ImGui has them; both outlive the atlas.
};

/// Whether every atlas holds the character: Latin with accents, punctuation, and the signs that the interface uses.
bool is_always_held(char32_t character);

/// The ranges of an order: what is always held, and `characters`.
void set_ranges(AtlasOrder& order, const std::set<char32_t>& characters);

/// Ascent and descent by em; 1 when the file cannot be read.
float height_by_em(const FontFile& file);

/// Fills an empty atlas; a face for each of the order's fonts. A file that is not there leaves ImGui's own font in its
/// place. Of ImGui's context it touches the count of allocations alone, which ImGui's own metrics show: any thread may
/// fill an atlas that is not in use.
std::vector<Face> fill_atlas(ImFontAtlas& atlas, const AtlasOrder& order);

}  // namespace tilescope::ui
