#include "view/plot_roofline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr double kBeside = 3;  ///< How much further than the points the x axis goes.

double intensity_of(const session::CountedWork& counted) {
  return counted.work.flops / (static_cast<double>(counted.work.l1_sectors) * arch::kSectorBytes);
}

class RooflinePlot {
 public:
  explicit RooflinePlot(const PlotData& data) : data_(data), device_(bound_device(data)) {}

  LinePlot make() {
    plot_.x_scale = plot_.y_scale = AxisScale::Log10;
    plot_.x_title = "FLOP/B";
    plot_.y_name = "FLOP/s";
    plot_.nothing = tr_format("No stage has both counts and a measurement or a recording at {}³ yet.", data_.size);
    for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured}) add_series(provenance);
    set_range();
    if (device_) add_roofs();
    return std::move(plot_);
  }

  std::vector<Measurement> shown;

 private:
  void add_series(Provenance provenance) {
    Line line{look_of(provenance), {}, false, 1};
    std::vector<const Measurement*> figures;
    for (const PlotStage& stage : data_.stages)
      if (stage.kernel->name != data_.shown.kernel->name)
        add_point(stage, default_params(stage.kernel->description), provenance, line, figures);
    add_point(data_.shown, data_.params, provenance, line, figures);
    if (figures.empty()) return;
    plot_.legend.push_back({line.look, provenance_text(provenance), source_text(figures)});
    plot_.lines.push_back(std::move(line));
  }

  void add_point(const PlotStage& stage, const Params& params, Provenance provenance, Line& line,
                 std::vector<const Measurement*>& figures) {
    const session::CountedWork* counted = find_counted(data_, stage, params);
    const Measurement* figure = find_figure(data_, provenance, stage, params, data_.size);
    if (!counted || !figure || counted->work.l1_sectors == 0) return;
    LinePoint point = point_of(*figure, Quantity::Speed, intensity_of(*counted));
    point.title = fmt::format("{}  {}", stage_name(*stage.kernel), params_text(params));
    point.lines.push_back(
        tr_format("{} FLOP for each byte that global loads and stores ask of L1: {} sectors of 32 "
                  "bytes, counted on one block",
                  significant(point.x), with_unit(static_cast<double>(counted->work.l1_sectors), "")));
    point.go = go_to(data_, stage.kernel->name, params);
    point.current = &stage == &data_.shown;
    point.label = stage.kernel->number > 0 ? std::to_string(stage.kernel->number) : stage.kernel->name;
    line.points.push_back(std::move(point));
    figures.push_back(figure);
    shown.push_back(*figure);
  }

  void set_range() {
    double least = HUGE_VAL, most = 0;
    for (const Line& line : plot_.lines)
      for (const LinePoint& point : line.points) least = std::min(least, point.x), most = std::max(most, point.x);
    if (most > 0) plot_.x_range = {least / kBeside, most * kBeside};
  }

  void add_roofs() {
    if (!plot_.x_range || !device_->sms || !device_->clock_hz || !device_->fma_lanes_per_sm) return;
    const double cycles = device_->sms->value * device_->clock_hz->value;
    const double peak = 2 * cycles * device_->fma_lanes_per_sm->value;
    plot_.roofs.push_back({{{plot_.x_range->first, peak}, {plot_.x_range->second, peak}},
                           tr_format("FMA issue {}", with_unit(peak, "FLOP/s"))});
    plot_.legend.push_back({{Ink::Text, Marker::Frame}, tr_format("bound on {}", device_->name), ""});
    if (device_->l1_bytes_per_clock) add_memory("L1", cycles * device_->l1_bytes_per_clock->value, peak);
    if (device_->l2_bytes_per_s) add_memory("L2", device_->l2_bytes_per_s->value, peak);
    if (device_->dram_bytes_per_s) add_memory("DRAM", device_->dram_bytes_per_s->value, peak, true);
  }

  void add_memory(const char* name, double bytes_per_s, double peak, bool below = false) {
    const double first = plot_.x_range->first, ridge = peak / bytes_per_s;
    if (ridge <= first) return;
    plot_.roofs.push_back({{{first, first * bytes_per_s}, {ridge, peak}}, name, below});
    std::string& text = plot_.legend.back().text;
    text.append(text.empty() ? "" : ", ").append(fmt::format("{} {}", name, with_unit(bytes_per_s, "B/s")));
  }

  const PlotData& data_;
  const arch::Device* device_;
  LinePlot plot_;
};

}  // namespace

Plot roofline_plot(const PlotData& data, const Canvas& canvas, const PlotRange& zoom) {
  RooflinePlot maker(data);
  LinePlot lines = maker.make();
  lines.zoom = zoom;
  Plot plot = draw_lines(lines, canvas);
  plot.csv = store::to_csv(maker.shown);
  return plot;
}

}  // namespace tilescope::view
