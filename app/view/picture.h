#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "arch/arch.h"
#include "session/target.h"
#include "trace/event.h"

/// Pictures as plain records: no GL, no ImGui, no colours. Units are pixels of the picture at scale 1, x to the right
/// and y down; whoever draws chooses the place on the screen and the scale.
namespace tilescope::view {

/// The kind of a thing; the theme gives it a colour. The arrays and the kinds of instruction keep one ink in every
/// view.
enum class Ink : uint8_t {
  Window,  ///< Behind everything.
  Panel,   ///< A panel's ground.
  Raised,  ///< A field or button on a panel.
  Line,    ///< Hairlines and grids.
  Faint,   ///< Text of little importance.
  Text,
  Strong,  ///< Headings.
  Accent,  ///< The cursor.
  Hover,   ///< The target under the mouse, in every view.
  Good,
  Warning,
  Bad,
  ArrayA,
  ArrayB,
  ArrayC,
  ArrayOther,
  LoadGlobal,
  AsyncCopy,
  StoreShared,
  LoadShared,
  Multiply,
  Barrier,
  StoreGlobal,
  OtherStep,
  Keyword,
  Literal,    ///< Of program text.
  Magnitude,  ///< A colour of the magnitude map (viridis) at Colour::value.
  OnDark,
  OnLight,  ///< Text on coloured cells: white and near black, in every theme.
  Warp,     ///< The hue of the warp whose number is Colour::value: one of kWarpHues, in turn.
  Bank,     ///< A hue at Colour::value of the circle of hues: a bank of shared memory.
};

struct Colour {
  Ink ink = Ink::Text;
  float strength = 1;  ///< Opacity, 0 to 1.
  float value = 0;     ///< Of Magnitude: 0 to 1. Of Warp: its number. Of Bank: 0 to 1.
  bool operator==(const Colour&) const = default;
};

/// The ink of text on a cell of that magnitude.
inline Ink on_magnitude(float value) { return value < 0.5f ? Ink::OnDark : Ink::OnLight; }
/// Lanes are distinguished by their place on the magnitude map.
inline Colour lane_colour(uint32_t lane, float strength = 1) {
  return {Ink::Magnitude, strength, static_cast<float>(lane) / (trace::kLanes - 1)};
}
/// The colour of text on a cell in the lane's colour.
inline Colour on_lane(uint32_t lane) { return {on_magnitude(lane_colour(lane).value)}; }
constexpr size_t kWarpHues = 8;
/// Warps are distinguished by hue; text on them is OnLight.
inline Colour warp_colour(uint32_t warp, float strength = 1) { return {Ink::Warp, strength, static_cast<float>(warp)}; }
/// Banks of shared memory are distinguished by hue, neighbours only slightly; text on them is OnLight.
inline Colour bank_colour(uint32_t bank, float strength = 1) {
  return {Ink::Bank, strength, static_cast<float>(bank) / arch::kBanks};
}
constexpr float kLeastWords = 11;  ///< The smallest size of words and numbers, in pixels.

struct Point {
  float x = 0, y = 0;
};

struct Box {
  float x = 0, y = 0, width = 0, height = 0;
  float right() const { return x + width; }
  float bottom() const { return y + height; }
  Point centre() const { return {x + width / 2, y + height / 2}; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
};

constexpr Colour kNoColour{Ink::Panel, 0};

/// A rectangle; kNoColour if it is not filled or has no outline.
struct Rectangle {
  Box box;
  Colour fill = kNoColour;
  Colour stroke = kNoColour;
  float stroke_width = 1;
  float rounding = 0;
};

/// A line through the points. Dashed: 4 on, 4 off.
struct Polyline {
  std::vector<Point> points;
  Colour colour{Ink::Line};
  float width = 1;
  bool dashed = false;
};

enum class Font : uint8_t { Text, Bold, Mono };
enum class Align : uint8_t { Begin, Centre, End };

struct Label {
  Point at;
  std::string text;
  Colour colour{Ink::Text};
  Font font = Font::Text;
  float size = 14;                  ///< Height of a line of text.
  Align horizontal = Align::Begin;  ///< Where `at` is in the text.
  Align vertical = Align::Begin;
};

/// A grid of cells of one size, row by row. Drawn by the GPU from a texture of the colours, one texel per cell.
struct Cells {
  Box box;  ///< Of all cells together.
  uint32_t rows = 0, columns = 0;
  float gap = 0;                ///< Pixels between neighbours; 0 if cells are too small.
  std::vector<Colour> colours;  ///< rows * columns
};

using Shape = std::variant<Rectangle, Polyline, Label, Cells>;

/// A place that reacts to the mouse. Later ones are above earlier ones.
struct HitArea {
  Box box;
  session::Target target;
};

/// Many places that react to the mouse: a grid of an array's elements on the screen.
struct HitCells {
  Box box;
  uint32_t rows = 0, columns = 0;  ///< Shown.
  Space space = Space::None;
  std::string array;
  uint64_t first_row = 0, first_column = 0;  ///< Of the array's element in the upper left cell.
  uint64_t stride = 0;                       ///< The array's columns.
  bool transposed = false;                   ///< Drawn with the array's rows across.
};

/// A new number at every call, never 0.
uint64_t next_serial();

struct Picture {
  float width = 0, height = 0;
  uint64_t serial = next_serial();  ///< Identifies the contents: a copy has the same, another picture another.
  std::vector<Shape> shapes;        ///< In the order in which they are painted.
  std::vector<HitArea> hot;
  std::vector<HitCells> hot_cells;

  void add(Shape shape);
  void add(Box box, session::Target target) { hot.push_back({box, std::move(target)}); }
};

/// The target under a point: of the last HitArea that contains it, else the element of the last HitCells, else None.
session::Target target_at(const Picture& picture, Point point);

/// Width in pixels of a line of text; the drawer knows the fonts.
class TextMeasure {
 public:
  virtual ~TextMeasure() = default;
  virtual float width(const std::string& text, Font font, float size) const = 0;
  /// A new number when widths may have changed.
  virtual uint64_t version() const { return 0; }
};

/// For tests and for files: every character is 0.55 (Mono: 0.6) of the size wide.
class PlainMeasure final : public TextMeasure {
 public:
  float width(const std::string& text, Font font, float size) const override;
};

/// The part of a text that fits in that many pixels, with "…" at its end if cut; empty if not even that fits.
std::string shortened(const TextMeasure& measure, const std::string& text, Font font, float size, float room);
/// The text in lines no wider than the room, except unbreakable parts.
std::vector<std::string> wrapped(const TextMeasure& measure, const std::string& text, Font font, float size,
                                 float room);

/// The surface for a picture.
struct Canvas {
  float width = 0, height = 0;
  const TextMeasure* measure = nullptr;  ///< Never null.
  float text = 14;                       ///< Height of a line of running text; a presentation's is larger.
};

}  // namespace tilescope::view
