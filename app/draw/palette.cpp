#include "draw/palette.h"

#include <algorithm>
#include <cmath>

namespace tilescope::draw {
namespace {
using view::Ink;

constexpr Rgba rgb(uint32_t hex) { return 0xff000000u | (hex & 0xffu) << 16 | (hex & 0xff00u) | (hex >> 16 & 0xffu); }

void set(Palette& palette, Ink ink, uint32_t hex) { palette.inks[static_cast<size_t>(ink)] = rgb(hex); }

// Okabe and Ito's colours; on a light ground darker ones of the same hue, as the originals are too pale for text.
void set_kinds(Palette& palette, bool dark) {
  set(palette, Ink::ArrayA, dark ? 0xe69f00 : 0x8a5a00);
  set(palette, Ink::ArrayB, dark ? 0x56b4e9 : 0x1069a3);
  set(palette, Ink::ArrayC, dark ? 0x1fb58a : 0x007354);
  set(palette, Ink::ArrayOther, dark ? 0xcc79a7 : 0x9c4a78);
  set(palette, Ink::LoadGlobal, dark ? 0x56b4e9 : 0x3a9fd8);
  set(palette, Ink::AsyncCopy, dark ? 0x3f8fd0 : 0x0072b2);
  set(palette, Ink::StoreShared, 0xcc79a7);
  set(palette, Ink::LoadShared, dark ? 0x009e73 : 0x009e73);
  set(palette, Ink::Multiply, dark ? 0xa78bf0 : 0x7a5fd0);
  set(palette, Ink::Barrier, dark ? 0xe8ebf0 : 0x20242b);
  set(palette, Ink::StoreGlobal, dark ? 0xe69f00 : 0xd08f00);
  set(palette, Ink::OtherStep, dark ? 0x343b46 : 0xd5dae1);
}

// Neither a kind's nor an array's colour: program text uses others.
void set_program_text(Palette& palette, bool dark) {
  set(palette, Ink::Keyword, dark ? 0xaab6ff : 0x4550b5);
  set(palette, Ink::Literal, dark ? 0xd9c79a : 0x75591b);
}

void set_grounds(Palette& palette, const std::array<uint32_t, 7>& hex) {
  const Ink inks[] = {Ink::Window, Ink::Panel, Ink::Raised, Ink::Line, Ink::Faint, Ink::Text, Ink::Strong};
  for (size_t i = 0; i < hex.size(); ++i) set(palette, inks[i], hex[i]);
}

void set_signals(Palette& palette, bool dark) {
  set(palette, Ink::Accent, dark ? 0xf0e442 : 0x806000);
  set(palette, Ink::Hover, dark ? 0xffffff : 0x111111);
  set(palette, Ink::Good, dark ? 0x3ecf9f : 0x00704f);
  set(palette, Ink::Warning, dark ? 0xe69f00 : 0x8f5f00);
  set(palette, Ink::OnDark, 0xffffff);
  set(palette, Ink::OnLight, 0x101317);
  set(palette, Ink::Bad, dark ? 0xff7b4a : 0xb83f00);
}

Palette palette_of(bool dark, const std::array<uint32_t, 7>& grounds) {
  Palette palette;
  palette.dark = dark;
  set_grounds(palette, grounds);
  set_signals(palette, dark);
  set_kinds(palette, dark);
  set_program_text(palette, dark);
  return palette;
}

}  // namespace

Palette dark_palette() {
  return palette_of(true, {0x101317, 0x1a1e25, 0x262d37, 0x333b46, 0x98a2b0, 0xd3d9e1, 0xf7f9fb});
}

Palette light_palette() {
  return palette_of(false, {0xf3f5f7, 0xffffff, 0xe6eaef, 0xc9d0d9, 0x5a6472, 0x2a3039, 0x0c0f13});
}

Palette present_palette(bool dark) {
  return dark ? palette_of(true, {0x000000, 0x0a0c0f, 0x20262e, 0x48525f, 0xb9c2cd, 0xf0f3f6, 0xffffff})
              : palette_of(false, {0xffffff, 0xffffff, 0xe6eaef, 0xaab3be, 0x434c58, 0x111418, 0x000000});
}

// Ten of viridis's 256 colours (Smith and van der Walt, matplotlib 1.5), evenly spaced, interpolated linearly.
Rgba viridis(float value) {
  static constexpr uint32_t stops[] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                       0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
  const float place = std::clamp(value, 0.0f, 1.0f) * 9;
  const auto below = std::min(static_cast<size_t>(place), size_t{8});
  const float part = place - static_cast<float>(below);
  uint32_t mixed = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    const auto a = static_cast<float>(stops[below] >> shift & 0xff),
               b = static_cast<float>(stops[below + 1] >> shift & 0xff);
    mixed |= static_cast<uint32_t>(std::lround(a + (b - a) * part)) << shift;
  }
  return rgb(mixed);
}

Rgba warp_hue(uint32_t warp) {
  static constexpr std::array<uint32_t, view::kWarpHues> hues{0x56b4e9, 0xf0a830, 0x3fc79a, 0xe28fc0,
                                                              0xbfd062, 0x9aa4ff, 0xef7f5a, 0xb9c2cd};
  return rgb(hues[warp % hues.size()]);
}

/// Once around the circle of hues; the lightness goes up and down once, so that opposite hues differ in grey too.
Rgba bank_hue(float value) {
  constexpr float kTurn = 6.2831853f;
  const float angle = kTurn * value;
  const float light = 0.72f + 0.13f * std::cos(angle), wide = 0.25f;
  uint32_t hue = 0;
  for (int channel = 0; channel < 3; ++channel) {
    const float shade = light + wide * std::cos(angle - kTurn * static_cast<float>(channel) / 3);
    hue = hue << 8 | static_cast<uint32_t>(std::lround(std::clamp(shade, 0.0f, 1.0f) * 255));
  }
  return rgb(hue);
}

Rgba Palette::operator()(const view::Colour& colour) const {
  const Rgba solid = colour.ink == Ink::Magnitude ? viridis(colour.value)
                     : colour.ink == Ink::Warp    ? warp_hue(static_cast<uint32_t>(colour.value))
                     : colour.ink == Ink::Bank    ? bank_hue(colour.value)
                                                  : inks[static_cast<size_t>(colour.ink)];
  const auto alpha = static_cast<uint32_t>(std::lround(std::clamp(colour.strength, 0.0f, 1.0f) * 255));
  return (solid & 0x00ffffffu) | alpha << 24;
}

}  // namespace tilescope::draw
