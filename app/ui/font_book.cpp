#include "ui/font_book.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/font_metrics.h"

namespace tilescope::ui {
namespace {

constexpr float kSmallest = 6, kLargest = 128;
constexpr size_t kMostSizes = 40;

// Whether ImGui's character type can hold it. Debian's has 16 bits.
bool fits(char32_t character) { return character <= 0xffff && (character < 0xd800 || character > 0xdfff); }

float pixels(int half_pixels) { return static_cast<float>(half_pixels) / 2; }

}  // namespace

FontBook::FontBook(FontFiles files) : files_(std::move(files)) {}

const FontFile& FontBook::file(view::Font font) const {
  if (font == view::Font::Mono) return files_.mono;
  return font == view::Font::Bold ? files_.bold : files_.text;
}

const FontFile& FontBook::chinese(view::Font font) const {
  return font == view::Font::Bold && !files_.chinese_bold.path.empty() ? files_.chinese_bold : files_.chinese;
}

float FontBook::height_of(const FontFile& file, float size) {
  if (file.path.empty()) return size;
  auto known =
      std::find_if(ratios_.begin(), ratios_.end(), [&](const auto& entry) { return entry.first == file.path; });
  if (known == ratios_.end()) known = ratios_.insert(known, {file.path, height_by_em(file.path, file.face)});
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
  if (wanted_.size() < kMostSizes && wanted_.insert(key).second) ask();
  const Entry* entry = nearest(key);
  if (entry && entry->key == key) return entry->face;
  return {entry ? entry->face.font : nullptr, height_of(file(font), pixels(key.second))};
}

void FontBook::ask() { outdated_ = asked_ = true; }

void FontBook::forget_sizes() {
  wanted_.clear();
  ask();
}

void FontBook::forget_characters() {
  characters_.clear();
  ask();
}

void FontBook::need(char32_t character) {
  if (fits(character) && character >= 0x20 && !is_always_held(character) && characters_.insert(character).second) ask();
}

void FontBook::need(std::string_view text) {
  for (size_t at = 0; at < text.size();) need(next_character(text, at));
}

FontBook::Work FontBook::take_order() {
  outdated_ = false;
  if (wanted_.empty()) wanted_.insert({view::Font::Text, 28});
  Work work;
  work.order.symbols = files_.symbols;
  set_ranges(work.order, characters_);
  for (const Key& key : wanted_) {
    const float size = pixels(key.second);
    const auto height = [&](const FontFile& font) { return std::round(height_of(font, size)); };
    const FontFile &own = file(key.first), &cjk = chinese(key.first);
    work.order.fonts.push_back({own, size, cjk, height(own), height(files_.symbols), height(cjk)});
    work.entries.push_back({key, {}});
  }
  return work;
}

void FontBook::fill(Work& work, ImFontAtlas& atlas) {
  const std::vector<Face> faces = fill_atlas(atlas, work.order);
  for (size_t i = 0; i < faces.size(); ++i) work.entries[i].face = faces[i];
}

void FontBook::build() {
  making_ = {};
  Work work = take_order();
  ImGui::GetIO().Fonts->Clear();
  fill(work, *ImGui::GetIO().Fonts);
  ++version_;
  entries_ = std::move(work.entries);
  order_ = std::move(work.order);
}

bool FontBook::build_aside(const std::function<void()>& woken) {
  if (made()) {
    put_in_place(making_.take());
    return true;
  }
  // A new scale requests its sizes panel by panel: one atlas is made for all, once a frame requests nothing new.
  const bool is_settled = !std::exchange(asked_, false);
  if (!outdated_ || building() || !is_settled) return false;
  making_ = Async<Work>(
      [work = take_order()]() mutable {
        work.atlas.reset(IM_NEW(ImFontAtlas)());
        fill(work, *work.atlas);
        return std::move(work);
      },
      woken);
  return false;
}

void FontBook::put_in_place(Work work) {
  ++version_;
  // The context owns its atlas and takes over this one.
  IM_DELETE(std::exchange(ImGui::GetIO().Fonts, work.atlas.release()));
  entries_ = std::move(work.entries);
  order_ = std::move(work.order);
}

}  // namespace tilescope::ui
