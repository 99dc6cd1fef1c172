#include "view/picture.h"

#include <algorithm>
#include <atomic>

#include "base/line_break.h"

namespace tilescope::view {

uint64_t next_serial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// Not in the header: inlined, GCC 12 warns of members of the variant that are never read.
void Picture::add(Shape shape) { shapes.push_back(std::move(shape)); }

session::Target target_at(const Picture& picture, Point point) {
  for (auto hot = picture.hot.rbegin(); hot != picture.hot.rend(); ++hot)
    if (hot->box.contains(point)) return hot->target;
  for (auto cells = picture.hot_cells.rbegin(); cells != picture.hot_cells.rend(); ++cells) {
    if (!cells->box.contains(point) || cells->rows == 0 || cells->columns == 0) continue;
    const auto part = [](float offset, float extent, uint32_t count) {
      return std::min(static_cast<uint64_t>(offset / extent * static_cast<float>(count)), uint64_t{count} - 1);
    };
    const uint64_t down = part(point.y - cells->box.y, cells->box.height, cells->rows);
    const uint64_t across = part(point.x - cells->box.x, cells->box.width, cells->columns);
    const uint64_t row = cells->first_row + (cells->transposed ? across : down);
    const uint64_t column = cells->first_column + (cells->transposed ? down : across);
    return {session::Target::Kind::Element, cells->space, cells->array, row * cells->stride + column, 0};
  }
  return {};
}

float PlainMeasure::width(const std::string& text, Font font, float size) const {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<float>(characters) * size * (font == Font::Mono ? 0.6f : 0.55f);
}

std::string shortened(const TextMeasure& measure, const std::string& text, Font font, float size, float room) {
  if (measure.width(text, font, size) <= room) return text;
  std::string part = text;
  while (!part.empty() && measure.width(part + "…", font, size) > room) {
    while ((part.back() & 0xc0) == 0x80) part.pop_back();  // The rest of a character.
    part.pop_back();
  }
  part.erase(part.find_last_not_of(' ') + 1);
  return part.empty() ? part : part + "…";
}

std::vector<std::string> wrapped(const TextMeasure& measure, const std::string& text, Font font, float size,
                                 float room) {
  const auto without_end_blank = [](const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1); };
  std::vector<std::string> lines{""};
  for (const std::string& piece : pieces_of(text)) {
    const std::string longer = lines.back() + piece;
    if (!lines.back().empty() && measure.width(without_end_blank(longer), font, size) > room)
      lines.push_back(piece);
    else
      lines.back() = longer;
  }
  for (std::string& line : lines) line = without_end_blank(line);
  return lines;
}

}  // namespace tilescope::view
