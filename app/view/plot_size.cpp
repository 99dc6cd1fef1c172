#include "view/plot_size.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr double kLeast = 256, kMost = 16384, kBeside = 1.12;

std::set<int64_t> sizes_of(const PlotData& data, Provenance provenance) {
  std::set<int64_t> sizes;
  for (const Measurement& figure : data.figures)
    if (figure.subject.m == figure.subject.n && figure.subject.n == figure.subject.k &&
        figure.subject.params == data.params && belongs(data, figure, data.shown, provenance))
      sizes.insert(figure.subject.m);
  return sizes;
}

void add_series(const PlotData& data, Provenance provenance, Quantity quantity, LinePlot& plot,
                std::vector<Measurement>& shown) {
  Line ours{look_of(provenance), {}, true, 1}, cublas{cublas_look_of(provenance), {}, true, 0.9f};
  std::vector<const Measurement*> figures;
  for (const int64_t size : sizes_of(data, provenance)) {
    const Measurement* figure = find_figure(data, provenance, data.shown, data.params, size);
    figures.push_back(figure);
    shown.push_back(*figure);
    LinePoint point = point_of(*figure, quantity, static_cast<double>(size));
    point.title = fmt::format("{}³", size);
    point.size = size;
    point.current = size == data.size;
    ours.points.push_back(std::move(point));
    if (figure->reference) cublas.points.push_back(reference_point_of(*figure, quantity, static_cast<double>(size)));
  }
  if (figures.empty()) return;
  plot.legend.push_back({ours.look, provenance_text(provenance), source_text(figures)});
  if (!cublas.points.empty()) plot.legend.push_back({cublas.look, "cuBLAS", ""});
  plot.lines.push_back(std::move(cublas));
  plot.lines.push_back(std::move(ours));
}

}  // namespace

Plot size_plot(const PlotData& data, const Canvas& canvas, Quantity quantity, bool log, const PlotRange& zoom) {
  LinePlot plot;
  std::vector<Measurement> shown;
  plot.x_scale = AxisScale::Log2;
  plot.y_scale = log ? AxisScale::Log10 : AxisScale::Linear;
  plot.x_title = "M = N = K";
  plot.x_range = {kLeast / kBeside, kMost * kBeside};
  plot.y_name = quantity == Quantity::Speed ? "FLOP/s" : "s";
  plot.current = static_cast<double>(data.size);
  plot.nothing = tr("Nothing was measured or recorded of this configuration at any size.");
  plot.zoom = zoom;
  for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured})
    add_series(data, provenance, quantity, plot, shown);
  Plot drawn = draw_lines(plot, canvas);
  drawn.csv = store::to_csv(shown);
  return drawn;
}

}  // namespace tilescope::view
