#pragma once

#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "view/picture.h"

namespace tilescope::ui {

/// A font of a file; ImGui's own where the path is empty.
struct FontFile {
  std::filesystem::path path;
  int face = 0;  ///< Of a collection.
};

struct FontFiles {
  FontFile text, bold, mono;
  FontFile symbols;  ///< For what the others lack.
  FontFile chinese;  ///< For CJK text. Read when such a text is shown.
};

/// A font at one size.
struct Face {
  ImFont* font = nullptr;  ///< ImGui's current one when null.
  float height = 0;        ///< What to pass to ImGui as size: ascent and descent together.
};

/// The fonts of the window at the sizes and with the characters that were asked for. Sizes are em squares in pixels of
/// the screen, as in CSS. What a frame asks for and the atlas lacks is there in the next frame: until then the nearest
/// size serves. Without a GL context it works too.
class FontBook {
 public:
  explicit FontBook(FontFiles files);

  /// The face nearest to `size`; asks for exactly that one.
  Face at(view::Font font, float size);
  /// Asks for the characters of a UTF-8 text.
  void need(std::string_view text);
  void need(char32_t character);

  /// Forgets which sizes were asked for: the scale of everything changes.
  void forget_sizes();
  /// The atlas lacks something that was asked for.
  bool outdated() const { return outdated_; }
  /// Makes ImGui's atlas of what was asked for. Not between NewFrame and Render; textures must be made anew after it.
  void build();

 private:
  // In half pixels, so that sizes compare exactly.
  using Key = std::pair<view::Font, int>;
  struct Entry {
    Key key;
    Face face;
  };
  const FontFile& file(view::Font font) const;
  float height_of(const FontFile& file, float size);
  ImFont* add(const FontFile& file, float height, bool merged, bool chinese);
  Face make(const Key& key);
  void find_ranges();
  const Entry* nearest(const Key& key) const;

  FontFiles files_;
  std::vector<std::pair<std::filesystem::path, float>> ratios_;  ///< Ascent and descent by em, of each file.
  std::set<Key> wanted_;
  std::set<char32_t> characters_;  ///< Asked for, beyond those that are always there.
  std::vector<Entry> entries_;
  std::vector<ImWchar> ranges_, chinese_ranges_;  ///< Pairs, as ImGui has them; both outlive the atlas.
  bool outdated_ = true;
};

}  // namespace tilescope::ui
