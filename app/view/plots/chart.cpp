#include "view/plots/chart.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "store/store.h"
#include "view/label_placer.h"

namespace tilescope::view {
namespace {

constexpr float kSwatch = 9, kSwatchGap = 6, kKindGap = 5, kEntryGap = 18;
constexpr float kTickGap = 14;                ///< Between labels of one axis.
constexpr float kNameGap = 8, kValueGap = 6;  ///< Between a row's name and its bar, and after the bar.
constexpr float kMostBar = 26;
constexpr double kAboveRoofs = 2;     ///< Room for a roof's name, as a factor of the y axis.
constexpr float kLeastColumn = 1.3f;  ///< Of the height of text.
constexpr float kWideColumn = 1.9f;   ///< The same; from here on text may be larger.
constexpr float kBetweenValues = 2;   ///< Pixels; above columns.
constexpr float kLowColumns = 9;      ///< Lines of text; in less there is no room for a second line of legend.
constexpr size_t kFewestColumns = 5;
constexpr float kBesideLines = 36;        ///< Between lines and the x axis's title: half a tick's label.
constexpr float kPoint = 7, kReach = 11;  ///< Size of a point; how far from it the mouse finds it.
constexpr float kBand = 13, kBandStrength = 0.3f;
constexpr float kHollowFill = 0.18f, kHollowFrame = 2.5f;
constexpr int kScaleSteps = 48;

std::vector<Point> circle(Point centre, float radius) {
  constexpr int kCorners = 16;
  std::vector<Point> points;
  for (int i = 0; i <= kCorners; ++i) {
    const float angle = 6.2831853f * static_cast<float>(i) / kCorners;
    points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return points;
}

Box between(float left, float top, float right, float bottom) {
  return {left, top, std::max(1.0f, right - left), std::max(1.0f, bottom - top)};
}

Axis limited(Axis axis, const std::optional<std::pair<double, double>>& range) {
  if (range && range->first < range->second) axis.low = range->first, axis.high = range->second;
  return axis;
}

/// Draws in the sizes that all charts share.
class Brush {
 public:
  explicit Brush(const Canvas& canvas)
      : width(canvas.width), height(canvas.height), text(std::round(canvas.text * 0.9f)), measure_(*canvas.measure) {
    plot.picture.width = width;
    plot.picture.height = height;
  }

  float line() const { return text * 1.25f; }
  float width_of(const std::string& words, Font font = Font::Text) const { return measure_.width(words, font, text); }
  const TextMeasure& measure() const { return measure_; }
  void add(Shape shape) { plot.picture.add(std::move(shape)); }
  void line_through(Point from, Point to, Colour colour, float thick = 1) { add(Polyline{{from, to}, colour, thick}); }

  Label label_at(Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
                 Font font = Font::Text) const {
    return {at, words, colour, font, text, horizontal, Align::Centre};
  }
  void label(Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
             Font font = Font::Text) {
    if (!words.empty()) add(label_at(at, words, colour, horizontal, font));
  }
  /// As much of the words as fits.
  void label_in(float room, Point at, const std::string& words, Colour colour, Align horizontal = Align::Begin,
                Font font = Font::Text) {
    label(at, shortened(measure_, words, font, text, room), colour, horizontal, font);
  }

  std::vector<std::string> wrapped(const std::string& words, float room) const {
    return view::wrapped(measure_, words, Font::Text, text, room);
  }

  void spot(PlotSpot spot, const Box& box) {
    if (spot.title.empty()) return;
    spot.box = box;
    plot.spots.push_back(std::move(spot));
  }

  void marker(Point at, Marker marker, Colour colour, float size) {
    const float half = size / 2, reach = half * 1.2f;
    const Box box{at.x - half, at.y - half, size, size};
    switch (marker) {
      case Marker::Disc: return add(Rectangle{box, colour, kNoColour, 1, half});
      case Marker::Square: return add(Rectangle{box, colour});
      case Marker::Frame: return add(Rectangle{box, kNoColour, colour});
      case Marker::Ring: return add(Polyline{circle(at, half), colour, 1.5f});
      case Marker::Triangle:
        return add(Polyline{
            {{at.x, at.y - reach}, {at.x + reach, at.y + half}, {at.x - reach, at.y + half}, {at.x, at.y - reach}},
            colour,
            1.5f});
      case Marker::Tick: return line_through({at.x, at.y - half}, {at.x, at.y + half}, colour, 2);
      case Marker::Diamond: {
        const Point top{at.x, at.y - reach};
        return add(
            Polyline{{top, {at.x + reach, at.y}, {at.x, at.y + reach}, {at.x - reach, at.y}, top}, colour, 1.5f});
      }
    }
  }

  /// A spread along an axis as a bar with caps; nothing if it would be no longer than its mark.
  void whisker(Point from, Point to, Colour colour) {
    if (std::max(std::abs(to.x - from.x), std::abs(to.y - from.y)) < 2.5f) return;
    const Point cap = from.x == to.x ? Point{3, 0} : Point{0, 3};
    line_through(from, to, colour, 1.5f);
    for (const Point at : {from, to})
      line_through({at.x - cap.x, at.y - cap.y}, {at.x + cap.x, at.y + cap.y}, colour, 1.5f);
  }

  static const std::string& text_of(const LegendEntry& entry, bool brief) {
    return brief && !entry.short_text.empty() ? entry.short_text : entry.text;
  }
  float width_of(const LegendEntry& entry, bool brief) const {
    const std::string& words = text_of(entry, brief);
    return kSwatch + kSwatchGap + width_of(entry.kind) + (words.empty() ? 0 : kKindGap + width_of(words));
  }
  /// Lines of entries from the upper left corner on; returns their height.
  float legend(const std::vector<LegendEntry>& entries, Point corner, float room, bool brief = false,
               bool measure_only = false) {
    float x = 0, y = 0;
    for (const LegendEntry& entry : entries) {
      const float wide = width_of(entry, brief);
      if (x > 0 && x + wide > room) x = 0, y += line();
      const Point at{corner.x + x, corner.y + y + line() / 2};
      x += wide + kEntryGap;
      if (measure_only) continue;
      marker({at.x + kSwatch / 2, at.y}, entry.look.marker, {entry.look.ink}, kSwatch - 1);
      label({at.x + kSwatch + kSwatchGap, at.y}, entry.kind, {entry.look.ink});
      const float left = at.x + kSwatch + kSwatchGap + width_of(entry.kind) + kKindGap;
      label_in(corner.x + room - left + 1, {left, at.y}, text_of(entry, brief), {Ink::Text});
    }
    return entries.empty() ? 0 : y + line();
  }

  /// Ticks under the area with hairlines through it.
  void x_ticks(const Axis& axis, const Box& area, double unit, const std::vector<double>& values, LabelPlacer& placer) {
    const auto room = [&](const std::string& words) { return width_of(words) + kTickGap; };
    const float y = area.bottom() + text * 0.8f;
    for (const Tick& tick : values.empty() ? ticks(axis, unit, room) : ticks_at(axis, values, room)) {
      const float x = axis.at(tick.value), half = width_of(tick.text) / 2;
      line_through({x, area.y}, {x, area.bottom()}, {Ink::Line});
      placer.place({{label_at({std::max(x, half), y}, tick.text, {Ink::Faint}, Align::Centre)}}, plot.picture);
    }
  }

  float width, height, text;
  Plot plot;

 private:
  const TextMeasure& measure_;
};

void draw_sentence(Brush& brush, const std::string& text) {
  const std::vector<std::string> lines = brush.wrapped(text, brush.width - 16);
  float y = (brush.height - brush.line() * static_cast<float>(lines.size() - 1)) / 2;
  for (const std::string& line : lines) {
    brush.label({brush.width / 2, y}, line, {Ink::Faint}, Align::Centre);
    y += brush.line();
  }
}

// --- Rows. ---

double end_of(const ChartRow& row) {
  double end = 0;
  for (const Bar& bar : row.bars) end = std::max({end, bar.value, bar.high});
  for (const Mark& mark : row.marks) end = std::max(end, mark.value);
  return end;
}

double largest(const ChartRows& content) {
  double most = 0;
  for (const ChartRow& row : content.rows) most = std::max(most, end_of(row));
  for (const Rule& rule : content.rules) most = std::max(most, rule.value);
  return most;
}

Font font_of(const ChartRow& row) { return row.current ? Font::Bold : Font::Text; }

class RowsPainter {
 public:
  RowsPainter(Brush& brush, const Chart& chart, ChartRows content)
      : brush_(brush), chart_(chart), content_(std::move(content)), unit_(unit_for(largest(content_), chart.x.unit)) {}

  /// Whether the rows are as high as their text. Comes before draw().
  bool fits() {
    choose_layout();
    return pitch_ >= brush_.text;
  }

  void draw() {
    draw_axis();
    draw_heading();
    brush_.text = std::clamp(pitch_, std::min(brush_.text, 9.0f), brush_.text);
    for (size_t i = 0; i < content_.rows.size(); ++i)
      draw_row(content_.rows[i], area_.y + static_cast<float>(i) * pitch_);
    for (const Rule& rule : content_.rules) draw_rule(rule);
  }

 private:
  /// The legend's place: in the upper right corner, which is free if the first bars are short, or above all rows. Bare:
  /// only the first entries of heading and legend.
  struct Layout {
    bool brief = false, in_corner = false, bare = false;
  };

  std::vector<LegendEntry> legend() const {
    if (!layout_.bare || chart_.legend.empty()) return chart_.legend;
    return {chart_.legend.front()};
  }
  size_t heading_lines() const { return std::min(chart_.heading.size(), layout_.bare ? 1 : chart_.heading.size()); }

  void choose_layout() {
    for (const Layout& layout : {Layout{false, true}, {false, false}, {true, true}, {true, false}, {true, false, true}})
      if (lay_out(layout) && pitch_ >= brush_.text) return;
  }

  /// False if the layout is impossible.
  bool lay_out(const Layout& layout) {
    if (layout.in_corner && !chart_.heading.empty()) return false;
    layout_ = layout;
    float names = 0, words = 0;
    for (const ChartRow& row : content_.rows) {
      names = std::max(names, brush_.width_of(row.name, font_of(row)));
      words = std::max(words, brush_.width_of(row.words));
    }
    const float left = std::min(names, brush_.width * 0.36f) + kNameGap;
    float room = brush_.width - left - words - 2 * kValueGap;
    if (!content_.words_at_edge) room = room_for_bars(left);
    float top = brush_.line() * static_cast<float>(heading_lines()) + (content_.rules.empty() ? 0 : kNameGap);
    if (!layout.in_corner) top += brush_.legend(legend(), {}, brush_.width, layout.brief, true);
    area_ = between(left, top, left + room, brush_.height - brush_.line() - 2);
    pitch_ = area_.height / static_cast<float>(std::max<size_t>(content_.rows.size(), 1));
    const double most = largest(content_);
    axis_ = {AxisScale::Linear, 0, most > 0 ? most : 1, area_.x, area_.right()};
    return !layout.in_corner || is_free(legend_box());
  }

  /// The longest bar with which every row's words fit on the canvas.
  float room_for_bars(float left) const {
    const double most = largest(content_);
    float room = brush_.width - left - kValueGap;
    for (const ChartRow& row : content_.rows)
      if (const double end = end_of(row); end > 0)
        room = std::min(
            room, (brush_.width - left - kValueGap - brush_.width_of(row.words)) * static_cast<float>(most / end));
    return room;
  }

  Box legend_box() const {
    float wide = 0;
    for (const LegendEntry& entry : chart_.legend) wide = std::max(wide, brush_.width_of(entry, layout_.brief));
    return {brush_.width - wide, 1, wide, brush_.line() * static_cast<float>(chart_.legend.size())};
  }

  /// Whether no bar, nor the words after it, comes near the box.
  bool is_free(const Box& box) const {
    LabelPlacer placer({0, 0, brush_.width, brush_.height}, brush_.measure());
    for (size_t i = 0; i < content_.rows.size(); ++i) {
      const ChartRow& row = content_.rows[i];
      const float end = axis_.at(end_of(row)) + kValueGap + brush_.width_of(row.words);
      placer.take({0, area_.y + static_cast<float>(i) * pitch_, end + 2 * kValueGap, pitch_});
    }
    return placer.is_free(box);
  }

  void draw_axis() {
    LabelPlacer placer({0, 0, brush_.width, brush_.height}, brush_.measure());
    brush_.x_ticks(axis_, area_, unit_.factor, {}, placer);
    const bool both = !unit_.name.empty() && !chart_.x.title.empty();
    const std::string name = unit_.name + (both ? ", " : "") + chart_.x.title;
    const auto all =
        ticks(axis_, unit_.factor, [&](const std::string& words) { return brush_.width_of(words) + kTickGap; });
    const float first = all.empty() ? 0 : brush_.width_of(all.front().text) / 2 + 3;
    const float x = area_.x - std::max(kNameGap, first);
    brush_.label({x, area_.bottom() + brush_.text * 0.8f}, name, {Ink::Faint}, Align::End);
  }

  void draw_heading() {
    float y = brush_.line() / 2;
    for (size_t i = 0; i < heading_lines(); ++i) {
      const bool first = i == 0;
      brush_.label_in(brush_.width, {0, y}, chart_.heading[i], {first ? Ink::Strong : Ink::Faint}, Align::Begin,
                      first ? Font::Bold : Font::Text);
      y += brush_.line();
    }
    Box box = legend_box();
    if (!layout_.in_corner) box = {0, y - brush_.line() / 2, brush_.width, 0};
    // On its own background, over the axis's hairlines.
    if (layout_.in_corner)
      brush_.add(Rectangle{{box.x - kValueGap, box.y, box.width + kValueGap, box.height}, {Ink::Panel}});
    brush_.legend(legend(), {box.x, box.y}, box.width, layout_.brief);
  }

  void draw_row(const ChartRow& row, float top) {
    const float middle = top + pitch_ / 2;
    brush_.label_in(area_.x - kNameGap, {area_.x - kNameGap, middle}, row.name, {row.current ? Ink::Accent : Ink::Text},
                    Align::End, font_of(row));
    brush_.spot(row.spot, {0, top, brush_.width, pitch_});
    for (const Mark& mark : row.marks)
      if (mark.marker == Marker::Tick)
        brush_.marker({axis_.at(mark.value), middle}, mark.marker, mark.colour, pitch_ - 2);
    draw_bars(row, top);
    for (const Mark& mark : row.marks) {
      if (mark.marker == Marker::Tick) continue;
      const float x = axis_.at(mark.value), size = std::min(9.0f, pitch_ * 0.6f);
      brush_.marker({x, middle}, mark.marker, mark.colour, size);
      brush_.spot(mark.spot, {x - size, top, 2 * size, pitch_});
    }
    if (content_.words_at_edge) return brush_.label({brush_.width, middle}, row.words, {row.ink}, Align::End);
    brush_.label({axis_.at(end_of(row)) + kValueGap, middle}, row.words, {row.ink});
  }

  /// One bar fills most of the row; of two the second is thinner and under the first.
  void draw_bars(const ChartRow& row, float top) {
    const bool both = std::any_of(row.bars.begin(), row.bars.end(), [](const Bar& bar) { return bar.second; });
    const float first = std::min(std::round(pitch_ * (both ? 0.5f : 0.7f)), kMostBar);
    const float second = std::clamp(std::round(pitch_ * 0.22f), 2.0f, kMostBar / 2);
    const float y = top + (pitch_ - first - (both ? second : 0)) / 2;
    for (const Bar& bar : row.bars) {
      const Box box{area_.x, bar.second ? y + first : y, std::max(1.0f, axis_.at(bar.value) - area_.x),
                    bar.second ? second : first};
      brush_.add(Rectangle{box, bar.fill, bar.stroke});
      const float middle = box.centre().y;
      if (bar.low > 0) brush_.whisker({axis_.at(bar.low), middle}, {axis_.at(bar.high), middle}, {Ink::Strong});
      brush_.spot(bar.spot, {box.x, box.y, std::max(box.width, 6.0f), box.height});
    }
  }

  void draw_rule(const Rule& rule) {
    const float x = axis_.at(rule.value), top = area_.y - kNameGap / 2;
    brush_.line_through({x, top}, {x, area_.bottom()}, {rule.look.ink}, 2);
    brush_.marker({x, top}, rule.look.marker, {rule.look.ink}, 8);
    brush_.spot(rule.spot, {x - kValueGap, top - kNameGap, 2 * kValueGap, area_.bottom() - top + kNameGap});
  }

  Brush& brush_;
  const Chart& chart_;
  ChartRows content_;
  Unit unit_;
  Layout layout_;
  Box area_;
  Axis axis_;
  float pitch_ = 0;
};

// --- Columns: rows upright, if there is no height for rows. ---

class ColumnsPainter {
 public:
  ColumnsPainter(Brush& brush, const Chart& chart, ChartRows content)
      : brush_(brush), chart_(chart), content_(std::move(content)) {
    // The words are few if columns are wide.
    if (brush_.width / static_cast<float>(content_.rows.size()) > kWideColumn * brush_.text)
      brush_.text = std::round(brush_.text / 0.9f);
    while (brush_.height < kLowColumns * brush_.line() && legend_.size() > 1 && legend_height() > brush_.line() * 1.5f)
      legend_.pop_back();
  }

  void draw() {
    lay_out();
    while (pitch_ < brush_.text * kLeastColumn && content_.rows.size() > kFewestColumns) {
      drop_farthest();
      lay_out();
    }
    draw_current();
    const float level = axis_.at(end_of(content_.rows.back()));
    brush_.line_through({0, level}, {brush_.width, level}, {Ink::Line}, 1.5f);
    const std::vector<bool> valued = values_with_room();
    for (size_t i = 0; i < content_.rows.size(); ++i) {
      draw_column(content_.rows[i], columns_[i].left, columns_[i].width);
      if (valued[i]) brush_.add(value_label(i));
    }
  }

 private:
  float legend_height() { return brush_.legend(legend_, {}, brush_.width, true, true); }

  /// A column whose name is a word, not a number, is as wide as the word.
  void lay_out() {
    const auto is_word = [](const std::string& name) {
      return std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c); });
    };
    const float even = brush_.width / static_cast<float>(content_.rows.size());
    float room = brush_.width;
    size_t narrow = 0;
    columns_.assign(content_.rows.size(), {});
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& name = content_.rows[i].short_name;
      if (is_word(name)) columns_[i].width = std::max(even, brush_.width_of(name) + kValueGap);
      room -= columns_[i].width;
      narrow += columns_[i].width == 0;
    }
    pitch_ = narrow == 0 ? even : room / static_cast<float>(narrow);
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].width == 0) columns_[i].width = pitch_;
      if (i > 0) columns_[i].left = columns_[i - 1].left + columns_[i - 1].width;
    }
    const float top = legend_height() + 2.2f * brush_.line(), bottom = brush_.height - brush_.line();
    const double most = largest(content_);
    axis_ = {AxisScale::Linear, 0, most > 0 ? most : 1, std::max(bottom, top + 1), top};
  }

  void drop_farthest() {
    auto& rows = content_.rows;
    const auto current = std::find_if(rows.begin(), rows.end(), [](const ChartRow& row) { return row.current; });
    const bool from_the_left = current - rows.begin() > rows.end() - 2 - current;
    rows.erase(from_the_left ? rows.begin() : rows.end() - 2);
  }

  void draw_current() {
    const float y = brush_.legend(legend_, {}, brush_.width, true) + brush_.line() / 2;
    const auto current =
        std::find_if(content_.rows.begin(), content_.rows.end(), [](const ChartRow& row) { return row.current; });
    float x = 0;
    if (current != content_.rows.end()) {
      const float words = brush_.width_of(current->words) + kTickGap;
      brush_.label_in(brush_.width - words, {0, y}, current->name, {Ink::Accent}, Align::Begin, Font::Bold);
      x = std::min(brush_.width_of(current->name, Font::Bold), brush_.width - words) + kNameGap;
      brush_.label({x, y}, current->words, {current->ink});
      x += words;
    }
    for (const std::string& unit : {fmt::format("{}, {}", content_.words_unit, chart_.x.title), content_.words_unit})
      if (x + brush_.width_of(unit) <= brush_.width)
        return brush_.label({brush_.width, y}, unit, {Ink::Faint}, Align::End);
  }

  void draw_column(const ChartRow& row, float left, float width) {
    const float middle = left + width / 2, bottom = axis_.begin;
    brush_.spot(row.spot, {left, axis_.end - brush_.line(), width, brush_.height - axis_.end + brush_.line()});
    draw_bars(row, middle, std::min(pitch_ * 0.7f, 1.5f * kMostBar));
    for (const Mark& mark : row.marks) {
      const float y = axis_.at(mark.value), size = std::min(9.0f, pitch_ * 0.4f);
      if (mark.marker == Marker::Tick)
        brush_.line_through({middle - pitch_ * 0.42f, y}, {middle + pitch_ * 0.42f, y}, mark.colour, 2);
      else
        brush_.marker({middle, y}, mark.marker, mark.colour, size);
      brush_.spot(mark.spot, {middle - size, y - size, 2 * size, 2 * size});
    }
    const Colour ink{row.current ? Ink::Accent : row.ink};
    brush_.label({middle, bottom + brush_.line() / 2}, row.short_name, ink, Align::Centre, font_of(row));
  }

  /// Above its column.
  Label value_label(size_t column) const {
    const ChartRow& row = content_.rows[column];
    const Point at{columns_[column].left + columns_[column].width / 2, axis_.at(end_of(row)) - brush_.text * 0.65f};
    return brush_.label_at(at, row.short_words, {row.current ? Ink::Accent : row.ink}, Align::Centre, font_of(row));
  }

  /// Columns whose values do not touch another's: the current one first, then the highest.
  std::vector<bool> values_with_room() const {
    std::vector<size_t> order(content_.rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const ChartRow &first = content_.rows[a], &second = content_.rows[b];
      return std::pair(!first.current, -end_of(first)) < std::pair(!second.current, -end_of(second));
    });
    LabelPlacer placer({0, 0, brush_.width, brush_.height}, brush_.measure());
    std::vector<bool> placed(order.size());
    for (const size_t i : order) {
      const Box box = box_of(value_label(i), brush_.measure());
      placed[i] = !content_.rows[i].short_words.empty() && placer.is_free(box);
      if (placed[i]) placer.take({box.x - kBetweenValues, box.y, box.width + 2 * kBetweenValues, box.height});
    }
    return placed;
  }

  /// Of two the second is thinner and at the right of the first.
  void draw_bars(const ChartRow& row, float middle, float width) {
    const bool both = std::any_of(row.bars.begin(), row.bars.end(), [](const Bar& bar) { return bar.second; });
    const float first = both ? width * 0.7f : width, left = middle - width / 2;
    for (const Bar& bar : row.bars) {
      const float top = axis_.at(bar.value), x = bar.second ? left + first : left;
      const Box box{x, top, bar.second ? width - first : first, std::max(1.0f, axis_.begin - top)};
      brush_.add(Rectangle{box, bar.fill, bar.stroke});
      brush_.spot(bar.spot, box);
    }
  }

  Brush& brush_;
  const Chart& chart_;
  std::vector<LegendEntry> legend_ = chart_.legend;  ///< In a low chart only as much as fits in a line.
  ChartRows content_;
  Axis axis_;  ///< Of the height.
  struct Extent {
    float left = 0, width = 0;
  };
  std::vector<Extent> columns_;  ///< By row.
  float pitch_ = 0;              ///< Of those whose name is a number.
};

void draw_rows_or_columns(Brush& brush, const Chart& chart, const ChartRows& content) {
  RowsPainter rows(brush, chart, content);
  if (rows.fits() || content.rows.front().short_name.empty())
    rows.draw();
  else
    ColumnsPainter(brush, chart, content).draw();
}

// --- Lines. ---

class LinesPainter {
 public:
  LinesPainter(Brush& brush, const Chart& chart, const ChartLines& content, const PlotRange& zoom)
      : brush_(brush),
        chart_(chart),
        content_(content),
        zoom_(zoom),
        placer_({0, 0, brush.width, brush.height}, brush.measure()) {}

  void draw() {
    lay_out();
    if (content_.current && x_.shows(*content_.current)) {
      const float x = x_.at(*content_.current);
      brush_.line_through({x, area_.y}, {x, area_.bottom()}, {Ink::Accent, 0.7f}, 1.5f);
    }
    for (const Column& column : content_.columns) draw_column(column);
    for (const Roof& roof : content_.roofs) draw_roof(roof);
    for (const Series& series : content_.series) join(series);
    for (const Series& series : content_.series) draw_points(series);
    // Text stays in the area or at its right.
    placer_.take({0, 0, area_.x, brush_.height});
    placer_.take({0, 0, brush_.width, area_.y});
    for (const Roof& roof : content_.roofs) name_roof(roof);
    for (const Series& series : content_.series)
      for (const ChartPoint& point : series.points) name_point(point);
    brush_.plot.x = x_;
    brush_.plot.y = y_;
  }

 private:
  Axis axis_around(const ChartAxis& axis, bool of_x) const {
    std::vector<double> values;
    for (const Series& series : content_.series)
      for (const ChartPoint& point : series.points)
        of_x ? values.push_back(point.x) : (void)values.insert(values.end(), {point.low, point.y, point.high});
    for (const Roof& roof : content_.roofs)
      for (const auto& [x, y] : roof.ends) values.push_back(of_x ? x : y * kAboveRoofs);
    return limited(limited(around(axis.scale, values), axis.range), of_x ? zoom_.x : zoom_.y);
  }

  void lay_out() {
    y_ = axis_around(chart_.y, false);
    x_ = axis_around(chart_.x, true);
    const Unit unit = unit_for(y_.high, chart_.y.unit);
    // The legend begins at the right of the y axis's title.
    brush_.label({0, brush_.line() / 2}, unit.name, {Ink::Faint});
    const float title = brush_.width_of(unit.name) + 16;
    const float legend = brush_.legend(chart_.legend, {title, 0}, brush_.width - title);
    y_.begin = brush_.height - brush_.line() - 2;
    y_.end = std::max(brush_.line(), legend) + 6;
    const auto all = ticks(y_, unit.factor, [&](const std::string&) { return brush_.line() * 1.2f; });
    float widest = 0;
    for (const Tick& tick : all) widest = std::max(widest, brush_.width_of(tick.text));
    area_ = between(widest + kNameGap, y_.end, brush_.width - brush_.width_of(chart_.x.title) - kBesideLines, y_.begin);
    x_.begin = area_.x, x_.end = area_.right();
    for (const Tick& tick : all) {
      const float y = y_.at(tick.value);
      brush_.line_through({area_.x, y}, {area_.right(), y}, {Ink::Line});
      brush_.label({area_.x - kNameGap, y}, tick.text, {Ink::Faint}, Align::End);
    }
    const float below = area_.bottom() + brush_.text * 0.8f;
    brush_.label({brush_.width, below}, chart_.x.title, {Ink::Text}, Align::End);
    const float left = brush_.width - brush_.width_of(chart_.x.title) - kTickGap / 2;
    placer_.take({left, area_.bottom(), brush_.width - left, brush_.height});
    brush_.x_ticks(x_, area_, 1, chart_.x.ticks, placer_);
  }

  Point place(double x, double y) const { return {x_.at(x), y_.at(y)}; }
  bool shows(const ChartPoint& point) const { return x_.shows(point.x) && y_.shows(point.y); }

  void draw_column(const Column& column) {
    if (!x_.shows(column.value)) return;
    const float x = x_.at(column.value), y = area_.bottom();
    brush_.spot(column.spot, {x - 12, area_.y, 24, brush_.height - area_.y});
    for (const float down : {-4.0f, 4.0f})
      if (column.crossed) brush_.line_through({x - 4, y + down}, {x + 4, y - down}, {Ink::Warning}, 1.5f);
  }

  /// The part of the straight line (on the axes' scales) inside the area.
  void draw_roof(const Roof& roof) {
    Point from = place(roof.ends[0].first, roof.ends[0].second), to = place(roof.ends[1].first, roof.ends[1].second);
    if (!clip(from, to)) return;
    brush_.line_through(from, to, {Ink::Text, 0.8f}, 1.5f);
    if (is_level(from, to)) placer_.take({from.x, from.y - 1, to.x - from.x, 2});
  }

  /// The name of a level roof is at its end, above or below; of another along it, above its left end if there is room.
  void name_roof(const Roof& roof) {
    Point from = place(roof.ends[0].first, roof.ends[0].second), to = place(roof.ends[1].first, roof.ends[1].second);
    if (!clip(from, to)) return;
    const float wide = brush_.width_of(roof.name);
    const auto named = [&](float x, float top) {
      return LabelPlacer::Group{brush_.label_at({x, top + brush_.text / 2}, roof.name, {Ink::Faint})};
    };
    if (is_level(from, to)) {
      const float left = from.x + 6, right = to.x - 6 - wide, below = from.y + 3, above = from.y - brush_.text - 3;
      placer_.place({named(left, below), named(left, above), named(right, below), named(right, above)},
                    brush_.plot.picture);
      return;
    }
    const float slope = (to.y - from.y) / std::max(1.0f, to.x - from.x);
    std::vector<LabelPlacer::Group> candidates;
    for (const float part : {0.0f, 0.15f, 0.3f, 0.45f, 0.6f, 0.75f}) {
      const float left = from.x + 6 + part * (to.x - from.x), y = from.y + (left - from.x) * slope;
      if (left + wide > area_.right()) break;
      candidates.push_back(named(left, y + std::min(wide, to.x - left) * slope - brush_.text - 3));
      if (y + 3 + brush_.text < area_.bottom()) candidates.push_back(named(left, y + 3));
    }
    placer_.place(candidates, brush_.plot.picture);
  }

  static bool is_level(const Point& from, const Point& to) { return std::abs(from.y - to.y) < 1; }

  bool clip(Point& from, Point& to) const {
    const auto cut = [&](Point& end, const Point& other) {
      const auto move = [&](float part) { end = {end.x + (other.x - end.x) * part, end.y + (other.y - end.y) * part}; };
      if (end.x < area_.x && other.x > area_.x) move((area_.x - end.x) / (other.x - end.x));
      if (end.x > area_.right() && other.x < area_.right()) move((area_.right() - end.x) / (other.x - end.x));
      if (end.y < area_.y && other.y > area_.y) move((area_.y - end.y) / (other.y - end.y));
      if (end.y > area_.bottom() && other.y < area_.bottom()) move((area_.bottom() - end.y) / (other.y - end.y));
    };
    cut(from, to);
    cut(to, from);
    const Box with_slack{area_.x - 1, area_.y - 1, area_.width + 2.01f, area_.height + 2.01f};
    return with_slack.contains(from) && with_slack.contains(to);
  }

  void join(const Series& series) {
    for (size_t i = 1; series.joined && i < series.points.size(); ++i) {
      Point from = place(series.points[i - 1].x, series.points[i - 1].y);
      Point to = place(series.points[i].x, series.points[i].y);
      if (clip(from, to)) brush_.line_through(from, to, {series.look.ink, 0.6f * series.strength}, 1.5f);
    }
  }

  void draw_points(const Series& series) {
    const Colour colour{series.look.ink, series.strength};
    for (const ChartPoint& point : series.points) {
      if (!shows(point)) continue;
      const Point at = place(point.x, point.y);
      const float low = y_.at(std::max(point.low, y_.low)), high = y_.at(std::min(point.high, y_.high));
      if (series.banded)
        brush_.add(Rectangle{between(at.x - kBand / 2, high, at.x + kBand / 2, low), {series.look.ink, kBandStrength}});
      else
        brush_.whisker({at.x, low}, {at.x, high}, colour);
      brush_.marker(at, series.look.marker, colour, point.current ? kPoint + 3 : kPoint);
      if (point.current) brush_.marker(at, Marker::Ring, {Ink::Accent}, kPoint + 8);
      placer_.take({at.x - kPoint / 2, at.y - kPoint / 2, kPoint, kPoint});
      brush_.spot(point.spot, {at.x - kReach, at.y - kReach, 2 * kReach, 2 * kReach});
    }
  }

  /// Beside the point, on the side where there is room.
  void name_point(const ChartPoint& point) {
    if (point.label.empty() || !shows(point)) return;
    const Point at = place(point.x, point.y);
    const float tall = brush_.text / 2, off = point.current ? 11 : 7;
    std::vector<LabelPlacer::Group> candidates;
    const auto propose = [&](float x, float y, Align align) {
      candidates.push_back(
          {brush_.label_at({at.x + x, at.y + y}, point.label, {point.current ? Ink::Accent : Ink::Text}, align,
                           point.current ? Font::Bold : Font::Text)});
    };
    propose(off, 0, Align::Begin), propose(-off, 0, Align::End);
    propose(0, -tall - off, Align::Centre), propose(0, tall + off, Align::Centre);
    propose(off, -tall - 3, Align::Begin), propose(off, tall + 3, Align::Begin);
    propose(-off, -tall - 3, Align::End), propose(-off, tall + 3, Align::End);
    placer_.place(candidates, brush_.plot.picture);
  }

  Brush& brush_;
  const Chart& chart_;
  const ChartLines& content_;
  const PlotRange& zoom_;
  LabelPlacer placer_;
  Axis x_, y_;
  Box area_;
};

// --- A grid of cells. ---

/// Lines from the lower left to the upper right, cut at the box.
void hatch(Brush& brush, const Box& box) {
  constexpr float kHatchApart = 7;
  for (float at = kHatchApart; at < box.width + box.height; at += kHatchApart) {
    const float down = std::min(at, box.height), along = std::min(at, box.width);
    brush.line_through({box.x + at - down, box.y + down}, {box.x + along, box.y + at - along}, {Ink::Line});
  }
}

/// The colours with their figures, and what the other cells mean.
void draw_scale(Brush& brush, const CellGrid& grid, Point corner, float height, const std::string& low,
                const std::string& high) {
  const float line = brush.line(), bar = std::max(20.0f, height - 3.4f * line);
  for (int i = 0; i < kScaleSteps; ++i) {
    const float part = (static_cast<float>(i) + 0.5f) / kScaleSteps, step = bar / kScaleSteps;
    brush.add(Rectangle{{corner.x, corner.y + bar - step * static_cast<float>(i + 1), 10, step + 0.5f},
                        {Ink::Magnitude, 1, part}});
  }
  brush.label({corner.x + 16, corner.y + line * 0.4f}, high, {Ink::Text});
  brush.label({corner.x + 16, corner.y + bar - line * 0.4f}, low, {Ink::Text});
  Box key{corner.x, corner.y + bar + line * 0.9f - 5, 10, 10};
  hatch(brush, key);
  for (const std::string& words : {grid.hatched, grid.empty}) {
    brush.add(Rectangle{key, kNoColour, {Ink::Line}});
    brush.label({key.right() + 6, key.centre().y}, words, {Ink::Faint});
    key.y += line;
  }
}

void draw_cells(Brush& brush, const Chart& chart, const CellGrid& grid) {
  double low = HUGE_VAL, high = 0;
  for (const ChartCell& cell : grid.cells)
    if (cell.value) low = std::min(low, *cell.value), high = std::max(high, *cell.value);
  const Unit unit = unit_for(high, grid.unit);
  const std::string high_text = fmt::format("{} {}", significant(high / unit.factor), unit.name);
  float names = brush.width_of(grid.up);
  for (const std::string& name : grid.rows) names = std::max(names, brush.width_of(name));
  const float keys = std::max({brush.width_of(high_text), brush.width_of(grid.hatched), brush.width_of(grid.empty)});
  const bool brief = brush.height < kLowColumns * brush.line();
  const float room = brush.width - names - 10, legend = brush.legend(chart.legend, {}, room, brief, true);
  const Box area =
      between(names + 10, std::max(brush.line(), legend) + 2, brush.width - keys - 28, brush.height - brush.line());
  const float width = area.width / static_cast<float>(grid.columns.size());
  const float height = area.height / static_cast<float>(grid.rows.size());

  const float below = area.bottom() + brush.text * 0.75f;
  brush.label({area.x - 8, brush.line() / 2}, grid.up, {Ink::Text}, Align::End, Font::Bold);
  brush.label({area.right() + 10, below}, grid.across, {Ink::Text}, Align::Begin, Font::Bold);
  brush.legend(chart.legend, {area.x, 0}, room, brief);
  for (size_t i = 0; i < grid.rows.size(); ++i)
    brush.label({area.x - 8, area.bottom() - height * (static_cast<float>(i) + 0.5f)}, grid.rows[i], {Ink::Text},
                Align::End);
  for (size_t i = 0; i < grid.columns.size(); ++i)
    brush.label({area.x + width * (static_cast<float>(i) + 0.5f), below}, grid.columns[i], {Ink::Text}, Align::Centre);

  const auto box_of_cell = [&](size_t i) {
    return Box{area.x + width * static_cast<float>(i % grid.columns.size()),
               area.bottom() - height * static_cast<float>(i / grid.columns.size() + 1), width, height};
  };
  for (size_t i = 0; i < grid.cells.size(); ++i) {
    const ChartCell& cell = grid.cells[i];
    const Box whole = box_of_cell(i);
    const Box box{whole.x + 1, whole.y + 1, whole.width - 2, whole.height - 2};
    brush.spot(cell.spot, whole);
    if (cell.hatched) hatch(brush, box);
    if (!cell.hatched && !cell.value) brush.add(Rectangle{box, kNoColour, {Ink::Line}});
    if (!cell.value) continue;
    const float part = high > low ? static_cast<float>((*cell.value - low) / (high - low)) : 1.0f;
    if (cell.hollow) {
      constexpr float kIn = kHollowFrame / 2;
      const Box inner{box.x + kIn, box.y + kIn, box.width - 2 * kIn, box.height - 2 * kIn};
      brush.add(Rectangle{inner, {Ink::Magnitude, kHollowFill, part}, {Ink::Magnitude, 1, part}, kHollowFrame});
    } else {
      brush.add(Rectangle{box, {Ink::Magnitude, 1, part}});
    }
    const std::string text = significant(*cell.value / unit.factor);
    if (brush.width_of(text) + 6 <= box.width && brush.text <= box.height)
      brush.label(box.centre(), text, {cell.hollow ? Ink::Text : on_magnitude(part)}, Align::Centre);
  }
  for (size_t i = 0; i < grid.cells.size(); ++i) {
    if (!grid.cells[i].current) continue;
    // Light on dark: one of the two is visible on any colour.
    brush.add(Rectangle{box_of_cell(i), kNoColour, {Ink::OnLight}, 5});
    brush.add(Rectangle{box_of_cell(i), kNoColour, {Ink::OnDark}, 2});
  }
  draw_scale(brush, grid, {area.right() + 10, area.y}, area.height, significant(low / unit.factor), high_text);
}

}  // namespace

const PlotSpot* spot_at(const Plot& plot, Point point) {
  const auto distance = [&](const Box& box) { return std::hypot(box.centre().x - point.x, box.centre().y - point.y); };
  const PlotSpot* nearest = nullptr;
  for (const PlotSpot& spot : plot.spots)
    if (spot.box.contains(point) && (!nearest || distance(spot.box) <= distance(nearest->box))) nearest = &spot;
  return nearest;
}

Unit unit_of(const std::vector<ChartRow>& rows, std::string_view unit) { return unit_for(largest({rows}), unit); }

Plot draw(const Chart& chart, const Canvas& canvas, const PlotRange& zoom) {
  Brush brush(canvas);
  const auto* rows = std::get_if<ChartRows>(&chart.content);
  const auto* lines = std::get_if<ChartLines>(&chart.content);
  const auto* grid = std::get_if<CellGrid>(&chart.content);
  const auto has_points = [](const Series& series) { return !series.points.empty(); };
  if (rows && !rows->rows.empty())
    draw_rows_or_columns(brush, chart, *rows);
  else if (lines && std::any_of(lines->series.begin(), lines->series.end(), has_points))
    LinesPainter(brush, chart, *lines, zoom).draw();
  else if (grid && !grid->cells.empty())
    draw_cells(brush, chart, *grid);
  else
    draw_sentence(brush, chart.nothing);
  if (!chart.figures.empty()) brush.plot.csv = store::to_csv(chart.figures);
  return std::move(brush.plot);
}

}  // namespace tilescope::view
