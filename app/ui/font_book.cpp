#include "ui/font_book.h"

#include <algorithm>
#include <cmath>

#include <ft2build.h>
#include <imgui.h>
#include FT_FREETYPE_H

#include "ui/imgui_version.h"
#include "view/line_break.h"

namespace tilescope::ui {
namespace {

constexpr float kSmallest = 6, kLargest = 128;
constexpr size_t kMostSizes = 40;

// Latin with accents, punctuation, and the signs that the interface uses; other characters come on demand.
constexpr std::pair<char32_t, char32_t> kAlways[] = {
    {0x20, 0x7e},     {0xa0, 0xff},     {0x2010, 0x2026}, {0x2030, 0x203a}, {0x2070, 0x208e},
    {0x2190, 0x2194}, {0x21b5, 0x21b5}, {0x2212, 0x2212}, {0x2248, 0x2248}, {0x2260, 0x2265},
    {0x25a0, 0x25cf}, {0x2713, 0x2717}, {0x394, 0x394},   {0x3a3, 0x3a3},   {0x3b1, 0x3c9}};

bool is_always(char32_t character) {
  return std::any_of(std::begin(kAlways), std::end(kAlways),
                     [&](const auto& range) { return character >= range.first && character <= range.second; });
}

// Whether ImGui's character type can hold it. Debian's has 16 bits.
bool fits(char32_t character) { return character <= 0xffff && (character < 0xd800 || character > 0xdfff); }

/// Ascent and descent by em; 1 when the file cannot be read.
float ratio_of(const FontFile& file) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) return 1;
  FT_Face face = nullptr;
  float ratio = 1;
  if (FT_New_Face(library, file.path.c_str(), file.face, &face) == 0) {
    if (face->units_per_EM > 0)
      ratio = static_cast<float>(face->ascender - face->descender) / static_cast<float>(face->units_per_EM);
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return ratio;
}

void append(std::vector<ImWchar>& ranges, char32_t first, char32_t last) {
  ranges.push_back(static_cast<ImWchar>(first));
  ranges.push_back(static_cast<ImWchar>(last));
}

}  // namespace

FontBook::FontBook(FontFiles files) : files_(std::move(files)) {}

const FontFile& FontBook::file(view::Font font) const {
  if (font == view::Font::Mono) return files_.mono;
  return font == view::Font::Bold ? files_.bold : files_.text;
}

float FontBook::height_of(const FontFile& file, float size) {
  if (file.path.empty()) return size;
  auto known =
      std::find_if(ratios_.begin(), ratios_.end(), [&](const auto& entry) { return entry.first == file.path; });
  if (known == ratios_.end()) known = ratios_.insert(known, {file.path, ratio_of(file)});
  return size * known->second;
}

const FontBook::Entry* FontBook::nearest(const Key& key) const {
  const Entry* best = nullptr;
  const auto distance = [&](const Entry& entry) { return std::abs(entry.key.second - key.second); };
  for (const Entry& entry : entries_)
    if (entry.key.first == key.first && (!best || distance(entry) < distance(*best))) best = &entry;
  return best;
}

Face FontBook::at(view::Font font, float size) {
  const Key key{font, static_cast<int>(std::lround(std::clamp(size, kSmallest, kLargest) * 2))};
  if (wanted_.size() < kMostSizes && wanted_.insert(key).second) outdated_ = true;
  const Entry* entry = nearest(key);
  if (entry && entry->key == key) return entry->face;
  return {entry ? entry->face.font : nullptr, height_of(file(font), static_cast<float>(key.second) / 2)};
}

void FontBook::forget_sizes() {
  wanted_.clear();
  outdated_ = true;
}

void FontBook::need(char32_t character) {
  if (fits(character) && character >= 0x20 && !is_always(character) && characters_.insert(character).second)
    outdated_ = true;
}

void FontBook::need(std::string_view text) {
  for (size_t at = 0; at < text.size();) need(view::next_character(text, at));
}

void FontBook::find_ranges() {
  ranges_.clear();
  chinese_ranges_.clear();
  for (const auto& [first, last] : kAlways) append(ranges_, first, last);
  for (const char32_t character : characters_)
    append(view::is_cjk(character) ? chinese_ranges_ : ranges_, character, character);
  ranges_.push_back(0);
  chinese_ranges_.push_back(0);
}

ImFont* FontBook::add(const FontFile& file, float height, bool merged, bool chinese) {
  ImFontConfig config;
  config.MergeMode = merged;
  config.FontNo = file.face;
  config.OversampleH = chinese ? 1 : height < 24 ? 3 : 2;  // Chinese has a thousand characters at each size.
  config.GlyphRanges = chinese ? chinese_ranges_.data() : ranges_.data();
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.path.c_str(), height, &config);
}

Face FontBook::make(const Key& key) {
  const FontFile& own = file(key.first);
  const float size = static_cast<float>(key.second) / 2;
  const auto height = [&](const FontFile& font) { return std::round(height_of(font, size)); };
  std::error_code ignored;
  const auto is_there = [&](const FontFile& font) { return std::filesystem::is_regular_file(font.path, ignored); };
  Face face;
  face.height = height(own);
  if (is_there(own)) face.font = add(own, face.height, false, false);
  if (!face.font) {
    ImFontConfig config;
    config.SizePixels = face.height = std::round(size);
    face.font = ImGui::GetIO().Fonts->AddFontDefault(&config);
  }
  if (is_there(files_.symbols)) add(files_.symbols, height(files_.symbols), true, false);
  if (chinese_ranges_.size() > 1 && is_there(files_.chinese)) add(files_.chinese, height(files_.chinese), true, true);
  return face;
}

void FontBook::build() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  find_ranges();
  entries_.clear();
  if (wanted_.empty()) wanted_.insert({view::Font::Text, 28});
  for (const Key& key : wanted_) entries_.push_back({key, make(key)});
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
  atlas.ClearInputData();  // A copy of each file for each size.
#endif
  outdated_ = false;
}

}  // namespace tilescope::ui
