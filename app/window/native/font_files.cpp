#include "window/font_files.h"

#include <memory>
#include <string>

#include <fontconfig/fontconfig.h>

namespace tilescope::window {
namespace {

struct FontWish {
  const char* family;
  int weight = FC_WEIGHT_REGULAR;
  char32_t character = 0;  ///< A required character; 0: any.
};

using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;

Pattern pattern_of(const FontWish& wish) {
  Pattern pattern(FcPatternCreate(), FcPatternDestroy);
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(wish.family));
  FcPatternAddInteger(pattern.get(), FC_WEIGHT, wish.weight);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  if (wish.character != 0) {
    FcCharSet* characters = FcCharSetCreate();
    FcCharSetAddChar(characters, wish.character);
    FcPatternAddCharSet(pattern.get(), FC_CHARSET, characters);
    FcCharSetDestroy(characters);
  }
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  return pattern;
}

bool has(FcPattern* font, char32_t character) {
  FcCharSet* characters = nullptr;
  return character == 0 || (FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) == FcResultMatch &&
                            FcCharSetHasChar(characters, character));
}

ui::FontFile find(const FontWish& wish) {
  FcResult result = FcResultNoMatch;
  const Pattern font(FcFontMatch(nullptr, pattern_of(wish).get(), &result), FcPatternDestroy);
  FcChar8* path = nullptr;
  if (!font || !has(font.get(), wish.character) || FcPatternGetString(font.get(), FC_FILE, 0, &path) != FcResultMatch)
    return {};
  ui::FontFile file{reinterpret_cast<const char*>(path), 0};
  FcPatternGetInteger(font.get(), FC_INDEX, 0, &file.face);
  file.face &= 0xffff;  // The upper half numbers instances of variable fonts.
  return file;
}

}  // namespace

ui::FontFiles find_fonts() {
  if (!FcInit()) return {};
  ui::FontFiles files;
  files.text = find({"Inter"});
  files.bold = find({"Inter", FC_WEIGHT_DEMIBOLD});
  files.mono = find({"JetBrains Mono"});
  files.symbols = find({"DejaVu Sans", FC_WEIGHT_REGULAR, 0x25c6});
  files.chinese = find({"Noto Sans CJK SC", FC_WEIGHT_REGULAR, 0x77e9});
  files.chinese_bold = find({"Noto Sans CJK SC", FC_WEIGHT_BOLD, 0x77e9});
  return files;
}

}  // namespace tilescope::window
