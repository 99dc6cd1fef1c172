#include "view/plot_ladder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr std::array<Provenance, 2> kBars{Provenance::Measured, Provenance::Recorded};
constexpr float kNameGap = 8, kValueGap = 6;
constexpr float kOtherBars = 0.5f;  ///< Strength of bars of stages that are not shown.
constexpr float kLeastPitch = 0.85f;  ///< Of the height of text: with lower rows there is no axis.
constexpr float kLeastRow = 10;     ///< Pixels.
constexpr size_t kFewestRows = 5;
constexpr size_t kGhosts = 3;       ///< Speeds that the shown stage had before.

struct Row {
  const PlotStage* stage = nullptr;  ///< Null: cuBLAS.
  Params params;
  std::string name;
  bool current = false;
  std::array<const Measurement*, 2> figures{};  ///< By kBars; of cuBLAS the figures in whose runs it was timed.
  std::vector<const Measurement*> published;
  std::optional<double> bound;  ///< GFLOPS
  bool legal = true;
};

double gflops_of(const Row& row, const Measurement& figure) {
  return row.stage ? figure.gflops : reference_gflops(figure);
}

bool has_bar(const Row& row) { return row.figures[0] || row.figures[1]; }

class Rows {
 public:
  explicit Rows(const PlotData& data) : data_(data), device_(bound_device(data)) {}

  std::vector<Row> make() {
    for (const PlotStage& stage : data_.stages) {
      const bool shown = stage.kernel->name == data_.shown.kernel->name;
      const Params defaults = default_params(stage.kernel->description);
      const bool as_shown = shown && stage.hash == data_.shown.hash && defaults == data_.params;
      add(stage, defaults, stage_name(*stage.kernel), as_shown);
      if (shown && !as_shown) add_shown();
    }
    if (std::none_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.current; })) add_shown();
    add_cublas();
    return std::move(rows_);
  }

 private:
  void add(const PlotStage& stage, Params params, std::string name, bool current) {
    Row row{&stage, std::move(params), std::move(name), current, {}, {}, {}, true};
    for (size_t i = 0; i < kBars.size(); ++i)
      row.figures[i] = find_figure(data_, kBars[i], stage, row.params, data_.size);
    if (&stage != &data_.shown) row.published = published(stage.kernel->name);
    const session::CountedWork* counted = find_counted(data_, stage, row.params);
    if (counted && device_ && !has_bar(row)) row.bound = analysis::bound(*device_, counted->work).gflops;
    row.legal = has_bar(row) || is_legal(stage.kernel->description, row.params, data_.size);
    rows_.push_back(std::move(row));
  }

  void add_shown() {
    const std::string changed = changed_params(data_.shown.kernel->description, data_.params);
    const bool in_catalogue =
        !rows_.empty() && rows_.back().stage && rows_.back().stage->kernel->name == data_.shown.kernel->name;
    const std::string own = in_catalogue ? tr("as edited") : stage_name(*data_.shown.kernel);
    add(data_.shown, data_.params, changed.empty() ? own : changed, true);
  }

  /// Timed beside the last stage that has a figure: the fastest, and so the one with the most pairs.
  void add_cublas() {
    Row cublas;
    cublas.name = "cuBLAS";
    for (const Row& row : rows_)
      for (size_t i = 0; i < kBars.size(); ++i)
        if (row.figures[i] && row.figures[i]->reference) cublas.figures[i] = row.figures[i];
    cublas.published = published("cuBLAS");
    rows_.push_back(std::move(cublas));
  }

  std::vector<const Measurement*> published(const std::string& kernel) const {
    std::vector<const Measurement*> found;
    for (const Measurement& figure : data_.figures)
      if (figure.provenance == Provenance::Published && figure.subject.kernel == kernel &&
          figure.subject.m == data_.size)
        found.push_back(&figure);
    return found;
  }

  const PlotData& data_;
  const arch::Device* device_;
  std::vector<Row> rows_;
};

class LadderPainter {
 public:
  LadderPainter(const PlotData& data, const Canvas& canvas) : data_(data), painter_(canvas), rows_(Rows(data).make()) {}

  Plot make() {
    lay_out_all();
    while (pitch_ < kLeastRow && rows_.size() > kFewestRows) {
      keep_nearest(rows_.size() - 1);
      lay_out_all();
    }
    if (has_axis_) draw_axis();
    draw_legend();
    painter_.shrink_text(pitch_);
    draw_rows();
    painter_.plot.csv = store::to_csv(shown_);
    return std::move(painter_.plot);
  }

 private:
  void lay_out_all() {
    lay_out_high();
    if (pitch_ < painter_.text_size() * kLeastPitch && !lay_out_low()) lay_out_high();
  }

  /// Where not all rows have room: cuBLAS and those nearest to the current one.
  void keep_nearest(size_t most) {
    const auto is_current = [](const Row& row) { return row.current; };
    const auto current = std::find_if(rows_.begin(), rows_.end(), is_current) - rows_.begin();
    const auto shown = static_cast<std::ptrdiff_t>(most) - 1, stages = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
    const auto first = std::clamp<std::ptrdiff_t>(current - shown / 2, 0, stages - shown);
    rows_.erase(rows_.begin() + first + shown, rows_.end() - 1);
    rows_.erase(rows_.begin(), rows_.begin() + first);
  }

  /// The upper right corner is free where the first stages are slow.
  void lay_out_high() {
    entries_ = legend_entries(false);
    lay_out(0, true);
    legend_left_ = legend_left("");
    if (legend_left_ >= 0) return;
    lay_out(painter_.legend(entries_, {}, painter_.canvas().width, true), true);
    if (pitch_ >= kLeastRow) return;
    entries_ = legend_entries(true);
    lay_out(painter_.legend(entries_, {}, painter_.canvas().width, true), true);
  }

  /// Every row has its figure, so the rows get the axis's height; the legend names the unit. Not where the legend has no
  /// place for it.
  bool lay_out_low() {
    entries_ = legend_entries(true);
    lay_out(0, false);
    legend_left_ = legend_left(units_text());
    return legend_left_ >= 0;
  }

  std::string units_text() const { return tr_format("{}, % of cuBLAS", unit_.name); }

  /// "NVIDIA H200" is "H200" where there is little room.
  static std::string without_maker(const std::string& device) {
    return device.substr(device.find(' ') == std::string::npos ? 0 : device.find(' ') + 1);
  }

  /// On a ground of its own, over the axis's hairlines.
  void draw_legend() {
    const float left = std::max(legend_left_, 0.0f), room = painter_.canvas().width - left;
    const float top = legend_left_ < 0 ? 0 : 1, height = painter_.legend(entries_, {left, top}, room, true);
    if (legend_left_ >= 0)
      painter_.plot.picture.add(Rectangle{{left - kValueGap, top, room + kValueGap, height}, {Ink::Panel}});
    painter_.legend(entries_, {left, top}, room);
    if (!has_axis_) painter_.label({left, top + height + painter_.line() / 2}, units_text(), {Ink::Faint});
  }

  std::vector<const Measurement*> all(size_t bar) const {
    std::vector<const Measurement*> found;
    for (const Row& row : rows_)
      if (row.figures[bar]) found.push_back(row.figures[bar]);
    return found;
  }

  /// `brief`: with the devices' short names and without dates.
  std::vector<LegendEntry> legend_entries(bool brief) const {
    std::vector<LegendEntry> entries;
    const auto name = [&](const std::string& device) { return brief ? without_maker(device) : device; };
    for (size_t i = 0; i < kBars.size(); ++i)
      if (const auto figures = all(i); !figures.empty())
        entries.push_back({look_of(kBars[i]), provenance_text(kBars[i]),
                           brief ? without_maker(figures.back()->subject.device) : source_text(figures)});
    std::vector<std::string> devices;
    for (const Row& row : rows_)
      for (const Measurement* figure : row.published)
        if (std::find(devices.begin(), devices.end(), figure->subject.device) == devices.end())
          devices.push_back(figure->subject.device);
    for (const std::string& device : devices)
      entries.push_back({look_of(Provenance::Published), provenance_text(Provenance::Published), name(device)});
    const bool bounds = std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.bound.has_value(); });
    if (bounds) entries.push_back({{Ink::Text, Marker::Frame}, tr("bound on"), name(bound_device(data_)->name)});
    return entries;
  }

  double largest() const {
    double most = 0;
    for (const Row& row : rows_) {
      for (const Measurement* figure : row.figures)
        if (figure) most = std::max(most, gflops_of(row, *figure));
      for (const Measurement* figure : row.published) most = std::max(most, figure->gflops);
      most = std::max(most, row.bound.value_or(0));
    }
    return 1e9 * most;
  }

  void lay_out(float top, bool axis) {
    has_axis_ = axis;
    float names = 0;
    for (const Row& row : rows_) names = std::max(names, painter_.width(row.name, font_of(row)));
    names = std::min(names, painter_.canvas().width * 0.36f);
    float values = painter_.width("00.0  100 %");
    for (const Row& row : rows_)
      if (row.bound) values = std::max(values, painter_.width(value_text(row)));
    const float bottom = painter_.canvas().height - (axis ? painter_.line() + 2 : 0);
    area_ = plot_area(names + kNameGap, top, painter_.canvas().width - values - kValueGap, bottom);
    pitch_ = area_.height / static_cast<float>(rows_.size());
    const double most = largest();
    unit_ = unit_for(most, "FLOP/s");
    axis_ = {AxisScale::Linear, 0, most > 0 ? most : 1e12, area_.x, area_.right()};
  }

  static Font font_of(const Row& row) { return row.current ? Font::Bold : Font::Text; }

  /// Where the legend, with these words below it, can begin without covering a bar, or -1.
  float legend_left(const std::string& below) const {
    float wide = below.empty() ? 0 : painter_.width(below);
    for (const LegendEntry& entry : entries_) wide = std::max(wide, painter_.legend_width(entry));
    const float left = painter_.canvas().width - wide;
    const float tall = painter_.line() * static_cast<float>(entries_.size() + (below.empty() ? 0 : 1));
    if (tall <= 0) return left;
    for (size_t i = 0; i < rows_.size() && static_cast<float>(i) * pitch_ < tall; ++i)
      if (end_of(rows_[i]) > left - 12) return -1;
    return left;
  }

  float end_of(const Row& row) const {
    float end = area_.x;
    for (const Measurement* figure : row.figures)
      if (figure) end = std::max(end, x_of(gflops_of(row, *figure)));
    for (const Measurement* figure : row.published) end = std::max(end, x_of(figure->gflops));
    if (row.bound) end = std::max(end, x_of(*row.bound));
    return end + kValueGap + painter_.width(value_text(row));
  }

  float x_of(double gflops) const { return axis_.at(1e9 * gflops); }

  void draw_axis() {
    painter_.x_axis(axis_, area_, unit_, "");
    painter_.label({area_.x - kNameGap, area_.bottom() + painter_.text_size() * 0.8f},
                   fmt::format("{}, {}³", unit_.name, data_.size), {Ink::Faint}, Align::End);
  }

  void draw_rows() {
    for (size_t i = 0; i < rows_.size(); ++i) draw_row(rows_[i], area_.y + static_cast<float>(i) * pitch_);
  }

  void draw_row(const Row& row, float top) {
    const float middle = top + pitch_ / 2;
    const Ink ink = row.current ? Ink::Accent : Ink::Text;
    painter_.label({area_.x - kNameGap, middle}, painter_.shortened(row.name, area_.x - kNameGap, font_of(row)), {ink},
                   Align::End, Align::Centre, font_of(row));
    row_spot(row, top);
    if (row.current) draw_ghosts(top);
    draw_bars(row, top);
    for (const Measurement* figure : row.published) draw_published(*figure, middle);
    if (row.bound) draw_bound(*row.bound, top);
    painter_.label({end_of_marks(row) + kValueGap, middle}, value_text(row),
                   {!has_bar(row) ? Ink::Faint
                    : row.current ? Ink::Strong
                                  : Ink::Text});
  }

  float end_of_marks(const Row& row) const { return end_of(row) - kValueGap - painter_.width(value_text(row)); }

  std::string value_text(const Row& row) const {
    const Measurement* figure = row.figures[0] ? row.figures[0] : row.figures[1];
    if (!row.legal) return tr("not legal at this size");
    if (!figure) return row.stage ? tr("no recording") : "";
    const std::string speed = significant(1e9 * gflops_of(row, *figure) / unit_.factor);
    const std::optional<double> percent = figure->percent_of_cublas();
    return row.stage && percent ? fmt::format("{}  {:.0f} %", speed, *percent) : speed;
  }

  /// One bar fills most of the row; of two the second is thinner and lies under the first.
  void draw_bars(const Row& row, float top) {
    const bool both = row.figures[0] && row.figures[1];
    const float first = std::round(pitch_ * (both ? 0.5f : 0.7f)), second = std::max(2.0f, std::round(pitch_ * 0.22f));
    float y = top + (pitch_ - first - (both ? second : 0)) / 2;
    for (size_t i = 0; i < kBars.size(); ++i) {
      if (!row.figures[i]) continue;
      const float height = both && i == 1 ? second : first;
      draw_bar(row, i, {area_.x, y, 0, height});
      y += height;
    }
  }

  void draw_bar(const Row& row, size_t which, Box box) {
    const Measurement& figure = *row.figures[which];
    box.width = std::max(1.0f, x_of(gflops_of(row, figure)) - box.x);
    const Ink ink = row.stage ? look_of(kBars[which]).ink : cublas_look_of(kBars[which]).ink;
    const bool thin = which == 1 && row.figures[0];
    painter_.plot.picture.add(Rectangle{box, {ink, (row.current ? 1 : kOtherBars) * (thin ? 0.8f : 1)}});
    draw_spread(row, figure, box);
    shown_.push_back(figure);
    if (thin) painter_.spot(spot_of(row, figure, {box.x, box.y, std::max(box.width, 6.0f), box.height}));
  }

  void draw_spread(const Row& row, const Measurement& figure, const Box& box) {
    const statistics::Quartiles& time = row.stage ? figure.seconds : figure.reference->seconds;
    if (!(time.low > 0)) return;
    const double speed = gflops_of(row, figure);
    painter_.whisker_across(axis_, 1e9 * speed * time.median / time.high, 1e9 * speed * time.median / time.low,
                            box.centre().y, {Ink::Strong});
  }

  void draw_bound(double gflops, float top) {
    const float height = std::round(pitch_ * 0.7f);
    painter_.plot.picture.add(Rectangle{
        {area_.x, top + (pitch_ - height) / 2, x_of(gflops) - area_.x, height}, kNoColour, {Ink::Faint, 0.8f}});
  }

  void draw_published(const Measurement& figure, float middle) {
    const Point at{x_of(figure.gflops), middle};
    const float size = std::min(9.0f, pitch_ * 0.6f);
    painter_.marker(at, Marker::Diamond, {look_of(Provenance::Published).ink}, size);
    painter_.spot(
        {{at.x - size, middle - pitch_ / 2, 2 * size, pitch_}, figure.subject.kernel, figure_lines(figure), {}});
    shown_.push_back(figure);
  }

  // How fast the shown stage was with the values that the sliders had before: fading.
  void draw_ghosts(float top) {
    float strength = 0.75f;
    size_t drawn = 0;
    for (size_t i = data_.history.size(); i-- > 0 && drawn < kGhosts;) {
      const Measurement& figure = data_.figures[data_.history[i]];
      if (!belongs(data_, figure, data_.shown, Provenance::Measured) || figure.subject.m != data_.size ||
          figure.subject.params == data_.params)
        continue;
      const float x = x_of(figure.gflops);
      painter_.plot.picture.add(
          Polyline{{{x, top + 1}, {x, top + pitch_ - 1}}, {look_of(Provenance::Measured).ink, strength}, 2});
      strength *= 0.6f;
      ++drawn;
    }
  }

  void row_spot(const Row& row, float top) {
    const Box box{0, top, painter_.canvas().width, pitch_};
    const Measurement* figure = row.figures[0] ? row.figures[0] : row.figures[1];
    if (figure) return painter_.spot(spot_of(row, *figure, box));
    if (row.stage)
      painter_.spot({box, title_of(row), without_figure(row), go_to(data_, row.stage->kernel->name, row.params)});
  }

  std::vector<std::string> without_figure(const Row& row) const {
    std::vector<std::string> lines{
        tr_format("At {}³ nothing was measured or recorded of this configuration.", data_.size)};
    if (row.bound)
      lines.push_back(
          tr_format("bound on {}: {}, counted", bound_device(data_)->name, with_unit(1e9 * *row.bound, "FLOP/s")));
    return lines;
  }

  PlotSpot spot_of(const Row& row, const Measurement& figure, const Box& box) const {
    if (row.stage) return {box, title_of(row), figure_lines(figure), go_to(data_, row.stage->kernel->name, row.params)};
    return {box, "cuBLAS", reference_lines(figure), {}};
  }

  static std::string title_of(const Row& row) {
    const std::string params = params_text(row.params);
    return params.empty() ? stage_name(*row.stage->kernel)
                          : fmt::format("{}  {}", stage_name(*row.stage->kernel), params);
  }

  const PlotData& data_;
  PlotPainter painter_;
  std::vector<Row> rows_;
  std::vector<Measurement> shown_;
  Box area_;
  float pitch_ = 0, legend_left_ = -1;  ///< Below 0: the legend stands above all rows.
  bool has_axis_ = true;
  std::vector<LegendEntry> entries_;
  Unit unit_;
  Axis axis_;
};

}  // namespace

Plot ladder_plot(const PlotData& data, const Canvas& canvas) { return LadderPainter(data, canvas).make(); }

}  // namespace tilescope::view
