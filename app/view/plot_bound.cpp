#include "view/plot_bound.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using analysis::Resource;
using store::Measurement;
using store::Provenance;

constexpr float kNameGap = 8, kValueGap = 6;

/// A field of RFC 4180, in quotes.
std::string field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

class BoundPainter {
 public:
  BoundPainter(const PlotData& data, const Canvas& canvas)
      : data_(data), painter_(canvas), device_(bound_device(data)) {}

  Plot make() {
    const session::CountedWork* counted = find_counted(data_, data_.shown, data_.params);
    if (!counted || !device_) {
      painter_.sentence(tr("The bound appears when the kernel has been counted at this size."));
      return std::move(painter_.plot);
    }
    bound_ = analysis::bound(*device_, counted->work);
    for (const Provenance provenance : {Provenance::Measured, Provenance::Recorded})
      figures_.push_back(find_figure(data_, provenance, data_.shown, data_.params, data_.size));
    draw_summary(*counted);
    lay_out();
    draw_axis();
    for (size_t i = 0; i < analysis::kResources; ++i) draw_resource(static_cast<Resource>(i));
    draw_times();
    painter_.plot.csv = table();
    return std::move(painter_.plot);
  }

 private:
  /// Measured where it was, else recorded; null without either.
  const Measurement* figure() const { return figures_[0] ? figures_[0] : figures_[1]; }

  std::string summary() const {
    const std::string resource = tr(to_string(bound_.limiting)), least = with_unit(bound_.seconds, "s");
    const Measurement* taken = figure();
    if (!taken) return tr_format("{} binds: at least {} on {}", resource, least, device_->name);
    return tr_format("{} binds: at least {} on {}, {:.0f} % of the {} {}", resource, least, device_->name,
                     100 * bound_.seconds / taken->seconds.median, provenance_text(taken->provenance),
                     with_unit(taken->seconds.median, "s"));
  }

  void draw_summary(const session::CountedWork& counted) {
    const float room = painter_.canvas().width;
    painter_.label({0, painter_.line() / 2}, painter_.shortened(summary(), room, Font::Bold), {Ink::Strong},
                   Align::Begin, Align::Centre, Font::Bold);
    const std::string about = tr_format("bound of {}³, counted on one of {} blocks", data_.size, counted.blocks);
    painter_.label({0, painter_.line() * 1.5f}, painter_.shortened(about, room), {Ink::Faint});
  }

  void lay_out() {
    float names = 0;
    for (size_t i = 0; i < analysis::kResources; ++i)
      names = std::max(names, painter_.width(tr(to_string(static_cast<Resource>(i))), Font::Bold));
    double longest = bound_.seconds;
    for (const Measurement* each : figures_)
      if (each) longest = std::max(longest, each->seconds.median);
    const float top = painter_.line() * 3.2f, bottom = painter_.canvas().height - painter_.line() - 2;
    area_ = plot_area(names + kNameGap, top, painter_.canvas().width - painter_.width("00.0 ms  100 %") - 2 * kValueGap,
                      bottom);
    unit_ = unit_for(longest, "s");
    axis_ = {AxisScale::Linear, 0, longest > 0 ? longest : 1, area_.x, area_.right()};
    pitch_ = area_.height / analysis::kResources;
  }

  void draw_axis() {
    painter_.x_axis(axis_, area_, unit_, "");
    painter_.label({area_.x - kNameGap, area_.bottom() + painter_.text_size() * 0.8f}, unit_.name, {Ink::Faint},
                   Align::End);
  }

  void draw_resource(Resource resource) {
    const analysis::ResourceTime& time = bound_.time(resource);
    const bool binds = resource == bound_.limiting;
    const float top = area_.y + pitch_ * static_cast<float>(resource), height = std::min(22.0f, pitch_ * 0.62f);
    const float middle = top + pitch_ / 2;
    const std::string name = tr(to_string(resource));
    painter_.label({area_.x - kNameGap, middle}, name, {binds ? Ink::Accent : Ink::Text}, Align::End, Align::Centre,
                   binds ? Font::Bold : Font::Text);
    const float end = time.seconds ? axis_.at(*time.seconds) : area_.x;
    if (time.seconds)
      painter_.plot.picture.add(Rectangle{{area_.x, middle - height / 2, std::max(1.0f, end - area_.x), height},
                                          {Ink::Text, binds ? 0.5f : 0.22f},
                                          {Ink::Text, binds ? 1 : 0.6f}});
    painter_.label({painter_.canvas().width, middle}, value_text(time), {binds ? Ink::Strong : Ink::Text}, Align::End);
    painter_.spot({{0, top, painter_.canvas().width, pitch_}, name, lines_of(time), {}});
  }

  std::string value_text(const analysis::ResourceTime& time) const {
    if (!time.seconds) return tr_format("not known for {}", device_->name);
    const std::string text = with_unit(*time.seconds, "s");
    return figure() ? fmt::format("{}  {:.0f} %", text, 100 * *time.seconds / figure()->seconds.median) : text;
  }

  std::vector<std::string> lines_of(const analysis::ResourceTime& time) const {
    std::vector<std::string> lines{time.formula};
    lines.push_back(tr_format("bound on {}, each resource at its peak and all overlapped perfectly", device_->name));
    return lines;
  }

  /// How long it took, as lines through all bars, named above.
  void draw_times() {
    std::vector<LegendEntry> entries;
    for (const Measurement* each : figures_) {
      if (!each) continue;
      const SeriesLook look = look_of(each->provenance);
      const float x = axis_.at(each->seconds.median);
      painter_.plot.picture.add(Polyline{{{x, area_.y - 4}, {x, area_.bottom()}}, {look.ink}, 2});
      painter_.marker({x, area_.y - 4}, look.marker, {look.ink}, 8);
      painter_.spot(
          {{x - 6, area_.y - 12, 12, area_.height + 12}, params_text(each->subject.params), figure_lines(*each), {}});
      entries.push_back({look, provenance_text(each->provenance),
                         fmt::format("{}: {}", source_text({each}), with_unit(each->seconds.median, "s"))});
    }
    const std::string none = tr_format("No recording of this configuration at {}³.", data_.size);
    if (entries.empty()) painter_.label({0, painter_.line() * 2.5f}, none, {Ink::Faint});
    painter_.legend(entries, {0, painter_.line() * 2}, painter_.canvas().width);
  }

  std::string table() const {
    std::string text = "device,resource,seconds,formula\n";
    for (size_t i = 0; i < analysis::kResources; ++i) {
      const auto resource = static_cast<Resource>(i);
      const analysis::ResourceTime& time = bound_.time(resource);
      text += fmt::format("{},{},{},{}\n", field(device_->name), field(std::string(to_string(resource))),
                          time.seconds ? fmt::format("{:.6g}", *time.seconds) : "", field(time.formula));
    }
    return text;
  }

  const PlotData& data_;
  PlotPainter painter_;
  const arch::Device* device_;
  analysis::Bound bound_;
  std::vector<const Measurement*> figures_;
  Box area_;
  float pitch_ = 0;
  Unit unit_;
  Axis axis_;
};

}  // namespace

Plot bound_plot(const PlotData& data, const Canvas& canvas) { return BoundPainter(data, canvas).make(); }

}  // namespace tilescope::view
