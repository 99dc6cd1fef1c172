#pragma once

#include "ui/font_book.h"
#include "view/picture.h"

namespace tilescope::ui {

/// Measures with the fonts of the window, in unscaled pixels.
class FontMeasure final : public view::TextMeasure {
 public:
  explicit FontMeasure(FontBook& fonts) : fonts_(&fonts) {}
  void set_scale(float scale) { scale_ = scale; }
  float width(const std::string& text, view::Font font, float size) const override;
  uint64_t version() const override { return fonts_->version(); }

 private:
  FontBook* fonts_;
  float scale_ = 1;
};

/// Width on the screen of a line of text in that face.
float width_of(const Face& face, const std::string& text);

}  // namespace tilescope::ui
