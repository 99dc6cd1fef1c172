#include "draw/palette.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "contrast.h"
#include "view/timeline/clock_picture.h"

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

/// What is seen of a colour on that ground.
std::array<double, 3> seen(Rgba colour, Rgba ground) {
  std::array<double, 3> mixed;
  for (int i = 0; i < 3; ++i) {
    const auto channel = [&](Rgba of) { return static_cast<double>(of >> (8 * i) & 0xff); };
    mixed[static_cast<size_t>(i)] = channel(ground) + (channel(colour) - channel(ground)) * (colour >> 24) / 255.0;
  }
  return mixed;
}

TEST(Palette, ReasonsOfWaitingCanBeToldApartAndFromWhatIssues) {
  using clock::Stall;
  session::ClockRun run;
  run.recording.clocks = 1;
  run.stalls.fill(1);
  for (const Stall like : {Stall::Membar, Stall::Misc}) run.stalls[static_cast<size_t>(like)] = 0;
  const view::PlainMeasure measure;
  std::vector<view::ClockLegendEntry> reasons = view::clock_layout(run, {2000, 500, &measure}, {}).legend;
  std::erase_if(reasons, [](const view::ClockLegendEntry& entry) { return !entry.reason; });
  ASSERT_EQ(reasons.size(), clock::kStalls - 3);
  for (const Ink issues : {Ink::Faint, Ink::LoadGlobal, Ink::AsyncCopy, Ink::StoreShared, Ink::LoadShared,
                           Ink::Multiply, Ink::Barrier, Ink::StoreGlobal})
    reasons.push_back({{}, "instructions", {issues}, {}, {}});
  for (const Palette& palette : themes())
    for (size_t i = 0; i < reasons.size(); ++i)
      for (size_t j = 0; j < i && reasons[j].reason; ++j) {
        const auto a = seen(palette(reasons[i].colour), palette({Ink::Panel})),
                   b = seen(palette(reasons[j].colour), palette({Ink::Panel}));
        const double apart = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        EXPECT_GE(apart, 38) << reasons[i].word << " and " << reasons[j].word;
      }
}

}  // namespace
}  // namespace tilescope::draw
