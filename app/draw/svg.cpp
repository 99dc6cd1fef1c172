#include "draw/svg.h"

#include <iterator>

#include <fmt/format.h>

#include "base/text.h"

namespace tilescope::draw {
namespace {
using view::Align;

std::string hex(Rgba colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour & 0xff, colour >> 8 & 0xff, colour >> 16 & 0xff);
}

/// ` fill="#102030" fill-opacity="0.5"`
std::string paint(const char* what, const view::Colour& colour, const Palette& palette) {
  if (colour.strength <= 0) return fmt::format(" {}=\"none\"", what);
  std::string text = fmt::format(" {}=\"{}\"", what, hex(palette(colour)));
  if (colour.strength < 1) fmt::format_to(std::back_inserter(text), " {}-opacity=\"{:.3g}\"", what, colour.strength);
  return text;
}

class Writer {
 public:
  explicit Writer(const Palette& palette) : palette_(palette) {}

  void operator()(const view::Rectangle& shape) {
    if (shape.fill.strength <= 0 && shape.stroke.strength <= 0) return;
    open_rectangle(shape.box);
    if (shape.rounding > 0) add(" rx=\"{:.2f}\"", shape.rounding);
    text_ += paint("fill", shape.fill, palette_);
    if (shape.stroke.strength > 0) {
      text_ += paint("stroke", shape.stroke, palette_);
      add(" stroke-width=\"{:.2f}\"", shape.stroke_width);
    }
    text_ += "/>\n";
  }

  void operator()(const view::Polyline& shape) {
    text_ += "<polyline points=\"";
    for (size_t i = 0; i < shape.points.size(); ++i)
      add("{}{:.2f},{:.2f}", i == 0 ? "" : " ", shape.points[i].x, shape.points[i].y);
    text_ += "\" fill=\"none\"";
    text_ += paint("stroke", shape.colour, palette_);
    add(" stroke-width=\"{:.2f}\"{}/>\n", shape.width, shape.dashed ? " stroke-dasharray=\"4 4\"" : "");
  }

  void operator()(const view::Label& shape) {
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    // From the top, the middle or the bottom of the line to its baseline.
    static constexpr float kBaselines[] = {0.86f, 0.36f, -0.14f};
    const bool mono = shape.font == view::Font::Mono;
    add("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\"", shape.at.x,
        shape.at.y + kBaselines[static_cast<size_t>(shape.vertical)] * shape.size, shape.size);
    add(" font-family=\"{}\"", mono ? "JetBrains Mono, DejaVu Sans Mono, monospace" : "Inter, DejaVu Sans, sans-serif");
    if (shape.font == view::Font::Bold) text_ += " font-weight=\"600\"";
    if (shape.horizontal != Align::Begin) add(" text-anchor=\"{}\"", kAnchors[static_cast<size_t>(shape.horizontal)]);
    text_ += paint("fill", shape.colour, palette_);
    add(" xml:space=\"preserve\">{}</text>\n", markup_escaped(shape.text));
  }

  void operator()(const view::Cells& shape) {
    if (shape.colours.size() != size_t{shape.rows} * shape.columns) return;
    text_ += "<g shape-rendering=\"crispEdges\">\n";
    for (uint32_t row = 0; row < shape.rows; ++row) row_of_cells(shape, row);
    text_ += "</g>\n";
  }

  std::string take() { return std::move(text_); }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }

  void open_rectangle(const view::Box& box) {
    add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", box.x, box.y, box.width, box.height);
  }

  // Without gaps, neighbours of one colour become one rectangle, so a matrix takes few lines.
  void row_of_cells(const view::Cells& shape, uint32_t row) {
    const view::Colour* colours = shape.colours.data() + size_t{row} * shape.columns;
    const float width = shape.box.width / static_cast<float>(shape.columns);
    const float height = shape.box.height / static_cast<float>(shape.rows);
    for (uint32_t begin = 0, end = 0; begin < shape.columns; begin = end) {
      for (end = begin + 1; shape.gap <= 0 && end < shape.columns && colours[end] == colours[begin];) ++end;
      if (colours[begin].strength <= 0) continue;
      open_rectangle({shape.box.x + width * static_cast<float>(begin) + shape.gap / 2,
                      shape.box.y + height * static_cast<float>(row) + shape.gap / 2,
                      width * static_cast<float>(end - begin) - shape.gap, height - shape.gap});
      text_ += paint("fill", colours[begin], palette_);
      text_ += "/>\n";
    }
  }

  const Palette& palette_;
  std::string text_;
};

}  // namespace

std::string to_svg(const view::Picture& picture, const Palette& palette) {
  Writer writer(palette);
  writer(view::Rectangle{{0, 0, picture.width, picture.height}, {view::Ink::Panel}});
  for (const view::Shape& shape : picture.shapes) std::visit(writer, shape);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.2f} {1:.2f}\">\n{2}</svg>\n",
      picture.width, picture.height, writer.take());
}

}  // namespace tilescope::draw
