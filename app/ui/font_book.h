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
  FontFile symbols;                ///< For characters missing in the others.
  FontFile chinese, chinese_bold;  ///< For CJK text; read when such a text is shown. Bold may be absent.
};

/// The fonts of the window at the requested sizes and with the requested characters. Sizes are em squares in screen
/// pixels, as in CSS. Anything that the atlas lacks is there after the next build: until then the nearest size is used.
/// Works without a GL context, too.
class FontBook {
 public:
  explicit FontBook(FontFiles files);

  /// The face nearest to `size`; requests exactly that one.
  Face at(view::Font font, float size);
  /// Requests the characters of a UTF-8 text.
  void need(std::string_view text);
  void need(char32_t character);

  /// Drops the requested sizes: the scale of everything changes.
  void forget_sizes();
  /// Drops the requested characters: the language changes.
  void forget_characters();
  /// A new number for each atlas: widths of texts may have changed.
  uint64_t version() const { return version_; }
  /// Whether the atlas lacks something requested.
  bool outdated() const { return outdated_ || building(); }

  /// Makes ImGui's atlas from the requests. Not between NewFrame and Render; textures must be remade after it.
  void build();
  /// The same on another thread, as Chinese at all sizes takes 0.2 to 0.4 s. Call it once a frame: true if it has
  /// just installed a new atlas. `woken` is called on that thread when an atlas is ready. ImGui's context must
  /// outlive the work.
  bool build_aside(const std::function<void()>& woken);
  /// Whether the other thread is working, or its atlas is not installed yet.
  bool building() const { return making_.is_pending(); }
  /// Whether the other thread's atlas is ready to be installed.
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
    std::unique_ptr<ImFontAtlas, DeleteAtlas> atlas;  ///< Made by another thread.
  };

  const FontFile& file(view::Font font) const;
  const FontFile& chinese(view::Font font) const;
  float height_of(const FontFile& file, float size);
  const Entry* nearest(const Key& key) const;
  void ask();
  Work take_order();
  static void fill(Work& work, ImFontAtlas& atlas);
  void put_in_place(Work work);

  FontFiles files_;
  std::vector<std::pair<std::filesystem::path, float>> ratios_;  ///< Ascent and descent by em, of each file.
  std::set<Key> wanted_;
  std::set<char32_t> characters_;  ///< Requested, beyond the fixed ones.
  std::vector<Entry> entries_;
  AtlasOrder order_;  ///< Of the installed atlas.
  Async<Work> making_;
  bool outdated_ = true, asked_ = false;
  uint64_t version_ = 0;
};

}  // namespace tilescope::ui
