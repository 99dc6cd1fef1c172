#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "base/async.h"
#include "ui/font_atlas.h"
#include "view/picture.h"

namespace tilescope::ui {

struct FontFiles {
  FontFile text, bold, mono;
  FontFile symbols;  ///< For what the others lack.
  FontFile chinese;  ///< For CJK text. Read when such a text is shown.
};

/// The fonts of the window at the sizes and with the characters that were asked for. Sizes are em squares in pixels of
/// the screen, as in CSS. What a frame asks for and the atlas lacks is there after the next build: until then the
/// nearest size serves. Without a GL context it works too.
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
  /// Forgets which characters were asked for: the language changes.
  void forget_characters();
  /// Another number for each atlas: texts may have other widths.
  uint64_t version() const { return version_; }
  /// The atlas lacks something that was asked for.
  bool outdated() const { return outdated_ || building(); }

  /// Makes ImGui's atlas of what was asked for. Not between NewFrame and Render; textures must be made anew after it.
  void build();
  /// The same on another thread, as Chinese at all sizes takes 0.2 to 0.4 s. Call it once a frame: true where it has
  /// just put a new atlas in place. `woken` is called on that thread when an atlas is made. ImGui's context must
  /// outlive the work.
  bool build_aside(const std::function<void()>& woken);
  /// The other thread is at work, or its atlas not yet in place.
  bool building() const { return making_.is_pending(); }
  /// The other thread's atlas waits to be put in place.
  bool made() const { return making_.is_made(); }

 private:
  // In half pixels, so that sizes compare exactly.
  using Key = std::pair<view::Font, int>;
  struct Entry {
    Key key;
    Face face;
  };
  struct DeleteAtlas {
    void operator()(ImFontAtlas* atlas) const { IM_DELETE(atlas); }
  };
  struct Work {
    AtlasOrder order;
    std::vector<Entry> entries;
    std::unique_ptr<ImFontAtlas, DeleteAtlas> atlas;  ///< Where another thread makes it.
  };

  const FontFile& file(view::Font font) const;
  float height_of(const FontFile& file, float size);
  const Entry* nearest(const Key& key) const;
  void ask();
  Work take_order();
  static void fill(Work& work, ImFontAtlas& atlas);
  void put_in_place(Work work);

  FontFiles files_;
  std::vector<std::pair<std::filesystem::path, float>> ratios_;  ///< Ascent and descent by em, of each file.
  std::set<Key> wanted_;
  std::set<char32_t> characters_;  ///< Asked for, beyond those that are always there.
  std::vector<Entry> entries_;
  AtlasOrder order_;  ///< Of the atlas in place.
  Async<Work> making_;
  bool outdated_ = true, asked_ = false;
  uint64_t version_ = 0;
};

}  // namespace tilescope::ui
