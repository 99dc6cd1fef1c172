#include "draw/palette.h"

#include <vector>

#include <gtest/gtest.h>

#include "contrast.h"

namespace tilescope::draw {
namespace {
using view::Ink;

std::vector<Palette> themes() {
  return {dark_palette(), light_palette(), present_palette(true), present_palette(false)};
}

TEST(Palette, EveryTextInkIsReadableOnEveryGround) {
  const auto texts = {Ink::Faint,  Ink::Text,   Ink::Strong,     Ink::Good,    Ink::Warning, Ink::Bad,   Ink::ArrayA,
                      Ink::ArrayB, Ink::ArrayC, Ink::ArrayOther, Ink::Keyword, Ink::Literal, Ink::Accent};
  int theme = 0;
  for (const Palette& palette : themes()) {
    for (const Ink text : texts)
      for (const Ink ground : {Ink::Window, Ink::Panel, Ink::Raised})
        EXPECT_GE(contrast(palette({text}), palette({ground})), 4.5)
            << "theme " << theme << ", ink " << static_cast<int>(text) << " on " << static_cast<int>(ground);
    ++theme;
  }
}

TEST(Palette, StrengthIsOpacityAndMagnitudesAreViridis) {
  const Palette palette = dark_palette();
  EXPECT_EQ(palette({Ink::ArrayA, 1}), 0xff009fe6u);
  EXPECT_EQ(palette({Ink::ArrayA, 0.5f}), 0x80009fe6u);
  EXPECT_EQ(palette({Ink::Magnitude, 1, 0}), 0xff540144u);
  EXPECT_EQ(palette({Ink::Magnitude, 1, 1}), 0xff25e7fdu);
  EXPECT_EQ(palette({Ink::Magnitude, 1, 7}), viridis(1));
}

TEST(Palette, EveryWarpHasAHueThatItsNumberCanBeReadOn) {
  for (const Palette& palette : themes())
    for (uint32_t warp = 0; warp < 32; ++warp) {
      const Rgba hue = palette(view::warp_colour(warp));
      EXPECT_GE(contrast(hue, palette({Ink::OnLight})), 4.5) << warp;
      for (uint32_t other = warp + 1; other < warp + view::kWarpHues; ++other)
        EXPECT_NE(hue, palette(view::warp_colour(other))) << warp << " and " << other;
      EXPECT_EQ(hue, palette(view::warp_colour(warp + view::kWarpHues)));
    }
}

}  // namespace
}  // namespace tilescope::draw
