#include "ui/font_atlas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/line_break.h"

namespace tilescope::ui {
namespace {

constexpr std::pair<char32_t, char32_t> kAlways[] = {
    {0x20, 0x7e},     {0xa0, 0xff},     {0x2010, 0x2026}, {0x2030, 0x203a}, {0x2070, 0x208e},
    {0x2190, 0x2194}, {0x21b5, 0x21b5}, {0x2212, 0x2212}, {0x2248, 0x2248}, {0x2260, 0x2265},
    {0x25a0, 0x25cf}, {0x2713, 0x2717}, {0x394, 0x394},   {0x3a3, 0x3a3},   {0x3b1, 0x3c9}};

void append(std::vector<ImWchar>& ranges, char32_t first, char32_t last) {
  ranges.push_back(static_cast<ImWchar>(first));
  ranges.push_back(static_cast<ImWchar>(last));
}

bool is_there(const FontFile& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file.path, ignored);
}

ImFont* add(ImFontAtlas& atlas, const FontFile& file, float height, const std::vector<ImWchar>& ranges,
            ImFontConfig config) {
  config.FontNo = file.face;
  config.GlyphRanges = ranges.data();
  return atlas.AddFontFromFileTTF(file.path.c_str(), height, &config);
}

Face add_face(ImFontAtlas& atlas, const AtlasOrder& order, const FontOrder& font) {
  Face face;
  face.height = font.height;
  ImFontConfig config;
  config.OversampleH = font.height < 24 ? 3 : 2;
  if (is_there(font.file)) face.font = add(atlas, font.file, face.height, order.ranges, config);
  if (!face.font) {
    ImFontConfig own;
    own.SizePixels = face.height = std::round(font.size);
    face.font = atlas.AddFontDefault(&own);
  }
  config.MergeMode = true;
  if (is_there(order.symbols)) add(atlas, order.symbols, font.symbols_height, order.ranges, config);
  config.OversampleH = 1;  // A thousand characters at each size.
  const bool chinese = order.chinese_ranges.size() > 1 && is_there(font.chinese);
  if (chinese) add(atlas, font.chinese, font.chinese_height, order.chinese_ranges, config);
  return face;
}

}  // namespace

bool is_always_held(char32_t character) {
  return std::any_of(std::begin(kAlways), std::end(kAlways),
                     [&](const auto& range) { return character >= range.first && character <= range.second; });
}

void set_ranges(AtlasOrder& order, const std::set<char32_t>& characters) {
  order.ranges.clear();
  order.chinese_ranges.clear();
  for (const auto& [first, last] : kAlways) append(order.ranges, first, last);
  for (const char32_t character : characters)
    append(is_cjk(character) ? order.chinese_ranges : order.ranges, character, character);
  order.ranges.push_back(0);
  order.chinese_ranges.push_back(0);
}

std::vector<Face> fill_atlas(ImFontAtlas& atlas, const AtlasOrder& order) {
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  std::vector<Face> faces;
  for (const FontOrder& font : order.fonts) faces.push_back(add_face(atlas, order, font));
  atlas.Build();
  atlas.ClearInputData();  // A copy of each file for each size.
  return faces;
}

}  // namespace tilescope::ui
