#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "view/plots/chart_painters.h"

namespace tilescope::view {
namespace {

constexpr float kLeastColumn = 1.3f;  ///< Of the height of text.
constexpr float kWideColumn = 1.9f;   ///< The same; from here on text may be larger.
constexpr float kBetweenWords = 5;    ///< Pixels; above and below columns.
constexpr size_t kFewestColumns = 5;

class ColumnsPainter {
 public:
  ColumnsPainter(Brush& brush, const Chart& chart, ChartRows content)
      : brush_(brush), chart_(chart), content_(std::move(content)) {
    // The words are few if columns are wide.
    if (brush_.width / static_cast<float>(content_.rows.size()) > kWideColumn * brush_.text)
      brush_.text = std::round(brush_.text / 0.9f);
    while (brush_.height < kLowChart * brush_.line() && legend_.size() > 1 && legend_height() > brush_.line() * 1.5f)
      legend_.pop_back();
  }

  void draw() {
    lay_out();
    while (pitch_ < brush_.text * kLeastColumn && content_.rows.size() > kFewestColumns) {
      drop_farthest();
      lay_out();
    }
    say_what_is_dropped();
    draw_current();
    const float level = axis_.at(end_of(content_.rows.back()));
    brush_.line_through({last_group(), level}, {brush_.width, level}, {Ink::Line}, 1.5f);
    for (size_t i = 1; i < content_.rows.size(); ++i)
      if (const float x = columns_[i].left; content_.rows[i - 1].ends_group)
        brush_.line_through({x, axis_.end - brush_.line()}, {x, brush_.height}, {Ink::Line}, 1.5f);
    for (size_t i = 0; i < content_.rows.size(); ++i)
      draw_column(content_.rows[i], columns_[i].left, columns_[i].width);
    add_with_room([&](size_t i) { return value_labels(i); });
    add_with_room([&](size_t i) { return std::vector{name_label(i)}; });
  }

 private:
  /// Where the columns that the last one is for begin.
  float last_group() const {
    size_t first = content_.rows.size() - 1;
    while (first > 0 && !content_.rows[first - 1].ends_group) --first;
    return columns_[first].left;
  }

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
      if (is_word(name)) columns_[i].width = std::max(even, brush_.width_of(name) + 2 * kBetweenWords);
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
    const auto row = from_the_left ? rows.begin() : rows.end() - 2;
    if (!row->ends_group) (from_the_left ? dropped_before_ : dropped_behind_).push_back(row->short_name);
    rows.erase(row);
  }

  /// "1–5": what there is no room for here; empty if there is room for all.
  std::string dropped() const {
    std::vector<std::string> ranges;
    if (!dropped_before_.empty()) ranges.push_back(range_text(dropped_before_.front(), dropped_before_.back()));
    if (!dropped_behind_.empty()) ranges.push_back(range_text(dropped_behind_.back(), dropped_behind_.front()));
    return fmt::format("{}", fmt::join(ranges, ", "));
  }
  static std::string range_text(const std::string& first, const std::string& last) {
    return first == last ? first : fmt::format("{}–{}", first, last);
  }

  /// It matters more than what the legend ends with.
  void say_what_is_dropped() {
    const std::string stages = dropped();
    if (stages.empty()) return;
    const float height = legend_height();
    legend_.push_back({{Ink::Faint, Marker::None}, stages, tr("in the large plot")});
    while (legend_height() > height && legend_.size() > 2) legend_.erase(legend_.end() - 2);
    lay_out();
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

  float bar_width() const { return std::min(pitch_ * 0.7f, 1.5f * kMostBar); }
  float mark_size() const { return std::min(9.0f, pitch_ * 0.4f); }
  /// Its middle; the axis's numbers stay free.
  float mark_at(const Mark& mark) const { return std::min(axis_.at(mark.value), axis_.begin - mark_size() / 2); }

  void draw_column(const ChartRow& row, float left, float width) {
    const float middle = left + width / 2;
    brush_.spot(row.spot, {left, axis_.end - brush_.line(), width, brush_.height - axis_.end + brush_.line()});
    draw_bars(row, middle, bar_width());
    for (const Mark& mark : row.marks) {
      const float size = mark_size(), y = mark_at(mark);
      if (mark.marker == Marker::Tick)
        brush_.line_through({middle - pitch_ * 0.42f, y}, {middle + pitch_ * 0.42f, y}, mark.colour, 2);
      else
        brush_.marker({middle, y}, mark.marker, mark.colour, size);
      brush_.spot(mark.spot, {middle - size, y - size, 2 * size, 2 * size});
    }
  }

  /// Below its column.
  Label name_label(size_t column) const {
    const ChartRow& row = content_.rows[column];
    const Point at{columns_[column].left + columns_[column].width / 2, axis_.begin + brush_.line() / 2};
    return brush_.label_at(at, row.short_name, {row.current ? Ink::Accent : row.ink}, Align::Centre, font_of(row));
  }

  /// Above its column and its marks, or at the top within it.
  std::vector<Label> value_labels(size_t column) const {
    const ChartRow& row = content_.rows[column];
    if (row.short_words.empty()) return {};
    const float top = axis_.at(end_of(row)), line = brush_.text * 0.65f,
                x = columns_[column].left + columns_[column].width / 2;
    float above = top;
    for (const Mark& mark : row.marks)
      if (mark.marker != Marker::Tick) above = std::min(above, mark_at(mark) - mark_size() / 2);
    const auto label_at = [&](float y) {
      return brush_.label_at({x, y}, row.short_words, {row.current ? Ink::Accent : row.ink}, Align::Centre,
                             font_of(row));
    };
    std::vector<Label> labels{label_at(above - line)};
    if (top + 2 * line < axis_.begin && brush_.width_of(row.short_words, font_of(row)) < bar_width())
      labels.push_back(label_at(top + line));
    return labels;
  }

  /// The first of its labels that does not touch another column's: the current column's first, then the highest's.
  template <class LabelsOf>
  void add_with_room(LabelsOf labels_of) {
    std::vector<size_t> order(content_.rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const ChartRow &first = content_.rows[a], &second = content_.rows[b];
      return std::pair(!first.current, -end_of(first)) < std::pair(!second.current, -end_of(second));
    });
    LabelPlacer placer({-1, -1, brush_.width + 2, brush_.height + 2}, brush_.measure());
    for (const size_t i : order)
      for (const Label& label : labels_of(i)) {
        const Box box = box_of(label, brush_.measure());
        if (!placer.is_free(box)) continue;
        placer.take({box.x - kBetweenWords, box.y, box.width + 2 * kBetweenWords, box.height});
        brush_.add(label);
        break;
      }
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
  std::vector<Extent> columns_;                               ///< By row.
  std::vector<std::string> dropped_before_, dropped_behind_;  ///< Short names of rows without room, as they went.
  float pitch_ = 0;                                           ///< Of those whose name is a number.
};

}  // namespace

void draw_columns(Brush& brush, const Chart& chart, const ChartRows& content) {
  ColumnsPainter(brush, chart, content).draw();
}

}  // namespace tilescope::view
