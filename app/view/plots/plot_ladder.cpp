#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/words.h"
#include "view/plots/plot_predicted.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr std::array<Provenance, 2> kBars{Provenance::Measured, Provenance::Recorded};
constexpr float kOtherBars = 0.5f;  ///< Strength of bars of stages that are not shown.
constexpr size_t kGhosts = 3;       ///< Speeds that the shown stage had before.

struct Rung {
  const PlotStage* stage = nullptr;  ///< Null: cuBLAS.
  Precision precision = Precision::Fp32;
  Params params;
  std::string name;
  bool current = false;
  std::array<const Measurement*, 2> figures{};  ///< By kBars; of cuBLAS the figures in whose runs it was timed.
  std::vector<const Measurement*> published;
  std::optional<double> bound;                  ///< FLOP/s
  std::optional<predict::Predicted> predicted;  ///< If there is no figure.
  bool legal = true;

  /// The figure of its words; null without any.
  const Measurement* figure() const { return figures[0] ? figures[0] : figures[1]; }
  double speed(const Measurement& figure) const { return 1e9 * (stage ? figure.gflops : reference_gflops(figure)); }
};

std::vector<const Measurement*> published_of(const PlotData& data, const std::string& kernel) {
  std::vector<const Measurement*> found;
  for (const Measurement& figure : data.figures)
    if (figure.provenance == Provenance::Published && figure.subject.kernel == kernel && figure.subject.m == data.size)
      found.push_back(&figure);
  return found;
}

Rung rung_of(const PlotData& data, const PlotStage& stage, const Params& params, std::string name, bool current) {
  Rung rung;
  rung.stage = &stage;
  rung.precision = kernel::precision_of(*stage.kernel);
  rung.params = params;
  rung.name = std::move(name);
  rung.current = current;
  for (size_t i = 0; i < kBars.size(); ++i) rung.figures[i] = find_figure(data, kBars[i], stage, params, data.size);
  if (&stage != &data.shown) rung.published = published_of(data, stage.kernel->name);
  const run::CountedWork* counted = find_counted(data, stage, params, data.size);
  const arch::Device* device = bound_device(data);
  if (counted && counted->stands_for_grid && device && !rung.figure())
    rung.bound = 1e9 * analysis::bound(*device, counted->work).gflops;
  if (!rung.figure()) rung.predicted = predicted_of(data, {&stage, params, data.size});
  rung.legal = rung.figure() || is_legal(stage.kernel->description, params, data.size);
  return rung;
}

/// Timed beside the last stage of its precision that has a figure: the fastest, and so the one with the most pairs.
Rung cublas_of(const PlotData& data, const std::vector<Rung>& rungs, Precision precision) {
  Rung cublas;
  cublas.precision = precision;
  cublas.name = precision == Precision::Fp32 ? "cuBLAS" : fmt::format("cuBLAS {}", name_of(precision));
  for (const Rung& rung : rungs)
    for (size_t i = 0; i < kBars.size(); ++i)
      if (rung.precision == precision && rung.figures[i] && rung.figures[i]->reference)
        cublas.figures[i] = rung.figures[i];
  if (precision == Precision::Fp32) cublas.published = published_of(data, "cuBLAS");
  return cublas;
}

/// By precision, FP32 always, and behind the rungs of each the cuBLAS that their percentages are of.
std::vector<Rung> with_cublas(const PlotData& data, const std::vector<Rung>& stages) {
  std::vector<Rung> rungs;
  for (const Precision precision : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
    const size_t before = rungs.size();
    std::ranges::copy_if(stages, std::back_inserter(rungs),
                         [&](const Rung& rung) { return rung.precision == precision; });
    if (precision == Precision::Fp32 || rungs.size() > before) rungs.push_back(cublas_of(data, stages, precision));
  }
  return rungs;
}

std::vector<Rung> rungs_of(const PlotData& data) {
  std::vector<Rung> rungs;
  const kernel::Kernel& shown = *data.shown.kernel;
  const auto add_shown = [&](const std::string& unchanged) {
    const std::string changed = changed_params(shown.description, data.params);
    rungs.push_back(rung_of(data, data.shown, data.params, changed.empty() ? unchanged : changed, true));
  };
  for (const PlotStage& stage : data.stages) {
    // Those of a faster precision would make all others short.
    if (kernel::precision_of(*stage.kernel) > kernel::precision_of(shown)) continue;
    const bool is_shown = stage.kernel->name == shown.name;
    const Params defaults = default_params(stage.kernel->description);
    const bool as_shown = is_shown && stage.hash == data.shown.hash && defaults == data.params;
    rungs.push_back(rung_of(data, stage, defaults, stage_name(*stage.kernel), as_shown));
    if (is_shown && !as_shown) add_shown(tr("as edited"));
  }
  if (data.product && std::none_of(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.current; }))
    add_shown(stage_name(shown));
  return with_cublas(data, rungs);
}

/// The stages that are faster by their precision alone, which the ladder of the shown one leaves out: "21–24".
std::string stages_left_out(const PlotData& data) {
  std::vector<std::string> ranges;
  int first = 0, last = -1;
  const auto end_range = [&] {
    if (last < 0) return;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last));
    last = -1;
  };
  for (const PlotStage& stage : data.stages) {
    const int number = stage.kernel->number;
    if (kernel::precision_of(*stage.kernel) <= kernel::precision_of(*data.shown.kernel) || number == 0) continue;
    if (number != last + 1) end_range(), first = number;
    last = number;
  }
  end_range();
  return fmt::format("{}", fmt::join(ranges, ", "));
}

PlotSpot spot_of(const PlotData& data, const Rung& rung, const Measurement* figure) {
  if (!rung.stage) return figure ? PlotSpot{rung.name, reference_lines(*figure)} : PlotSpot{};
  const std::string params = params_text(rung.params), name = stage_name(*rung.stage->kernel);
  PlotSpot spot{params.empty() ? name : fmt::format("{}  {}", name, params), {}};
  spot.go = go_to(data, rung.stage->kernel->name, rung.params);
  if (rung.name != name)
    spot.lines.push_back(
        tr("With other values than the stage's own, or another text: in little room its bar is named *."));
  if (figure) std::ranges::move(figure_lines(data, *figure), std::back_inserter(spot.lines));
  if (figure) return spot;
  spot.lines.push_back(
      tr_format("At {} nothing was measured or recorded of this configuration.", size_text(data, data.size)));
  if (rung.predicted)
    for (std::string& line : predicted_lines(data, *rung.predicted, rung.params, data.size))
      spot.lines.push_back(std::move(line));
  if (const auto gap = gap_line(data, {rung.stage, rung.params, data.size})) spot.lines.push_back(*gap);
  if (rung.bound)
    spot.lines.push_back(
        tr_format("bound on {}: {}, counted", bound_device(data)->name, with_unit(*rung.bound, "FLOP/s")));
  return spot;
}

Bar bar_of(const PlotData& data, const Rung& rung, size_t which) {
  const Measurement& figure = *rung.figures[which];
  const statistics::Quartiles& time = rung.stage ? figure.seconds : figure.reference->seconds;
  Bar bar;
  bar.value = rung.speed(figure);
  bar.second = which == 1 && rung.figures[0];
  if (time.low > 0) {
    bar.low = bar.value * time.median / time.high;
    bar.high = bar.value * time.median / time.low;
  }
  bar.fill = {(rung.stage ? look_of(kBars[which]) : cublas_look_of(kBars[which])).ink,
              (rung.current ? 1 : kOtherBars) * (bar.second ? 0.8f : 1)};
  if (bar.second) bar.spot = spot_of(data, rung, &figure);
  return bar;
}

Bar predicted_bar(const PlotData& data, const predict::Predicted& predicted) {
  const double flops = amount_of(data, data.params, data.size);
  return {flops / predicted.high, flops / predicted.seconds, flops / predicted.low, kNoColour, {predicted_look().ink}};
}

/// How fast the shown stage was with the values that the sliders had before: fading.
void add_ghosts(const PlotData& data, std::vector<Mark>& marks) {
  float strength = 0.75f;
  size_t added = 0;
  for (size_t i = data.history.size(); i-- > 0 && added < kGhosts;) {
    const Measurement& figure = data.figures[data.history[i]];
    if (!belongs(data, figure, data.shown, Provenance::Measured) || figure.subject.m != data.size ||
        figure.subject.params == data.params)
      continue;
    marks.push_back({1e9 * figure.gflops, Marker::Tick, {look_of(Provenance::Measured).ink, strength}});
    strength *= 0.6f;
    ++added;
  }
}

/// "9"; "9*" with other parameters than its own or another text; "cuBLAS BF16", in slower precisions than that of the
/// stage on show "FP32".
std::string short_name_of(const PlotData& data, const Rung& rung) {
  const bool is_last = rung.precision == kernel::precision_of(*data.shown.kernel);
  if (!rung.stage) return is_last ? rung.name : std::string(name_of(rung.precision));
  const kernel::Kernel& kernel = *rung.stage->kernel;
  const std::string number = kernel.number > 0 ? std::to_string(kernel.number) : "";
  return number + (number.empty() || rung.name != stage_name(kernel) ? "*" : "");
}

/// "81": percent of cuBLAS; 100 for cuBLAS itself.
std::string percent_of(const Rung& rung) {
  if (!rung.figure()) return "–";
  if (!rung.stage) return "100";
  const std::optional<double> percent = rung.figure()->percent_of_reference();
  return percent ? fmt::format("{:.0f}", *percent) : "";
}

ChartRow row_of(const PlotData& data, const Rung& rung) {
  ChartRow row;
  row.name = rung.name;
  row.short_name = short_name_of(data, rung);
  row.short_words = percent_of(rung);
  row.current = rung.current;
  row.ends_group = !rung.stage;
  row.ink = !rung.figure() && !rung.predicted ? Ink::Faint : rung.current ? Ink::Strong : Ink::Text;
  row.spot = spot_of(data, rung, rung.figure());
  if (rung.current) add_ghosts(data, row.marks);
  for (size_t i = 0; i < kBars.size(); ++i)
    if (rung.figures[i]) row.bars.push_back(bar_of(data, rung, i));
  for (const Measurement* figure : rung.published)
    row.marks.push_back({1e9 * figure->gflops,
                         look_of(Provenance::Published).marker,
                         {look_of(Provenance::Published).ink},
                         {figure->subject.kernel, figure_lines(data, *figure)}});
  if (rung.predicted)
    row.bars.push_back(predicted_bar(data, *rung.predicted));
  else if (rung.bound)
    row.bars.push_back({0, *rung.bound, 0, kNoColour, {Ink::Faint, 0.8f}});
  return row;
}

/// This machine's CPU, for as much of the product as it does in a second.
ChartRow cpu_row(const store::CpuProduct& product) {
  ChartRow row;
  row.name = fmt::format("CPU, {}", product.name);
  row.short_name = "CPU";
  row.ink = Ink::Text;
  Bar bar;
  bar.value = 1e9 * product.gflops();
  bar.fill = {look_of(Provenance::Measured).ink, kOtherBars};
  row.bars.push_back(bar);
  row.spot = {row.name,
              {with_unit(bar.value, "FLOP/s"),
               tr_format("{} × {} × {} in {}, threads: {}", product.m, product.n, product.k,
                         with_unit(product.seconds, "s"), product.threads),
               tr("measured on this machine's CPU")}};
  return row;
}

std::string words_of(const PlotData& data, const Rung& rung, const Unit& unit) {
  const Measurement* figure = rung.figure();
  if (!rung.legal) {
    const kernel::Description& description = rung.stage->kernel->description;
    const kernel::Size own = kernel::default_size(description);
    return is_legal(description, rung.params, std::max({own.m, own.n, own.k})) ? tr("not legal at this size")
                                                                               : tr("not legal");
  }
  if (rung.predicted)
    return tr_format("{} predicted",
                     significant(amount_of(data, rung.params, data.size) / rung.predicted->seconds / unit.factor));
  if (!figure) return rung.stage ? tr("no recording") : "";
  const std::string speed = significant(rung.speed(*figure) / unit.factor);
  const std::optional<double> percent = figure->percent_of_reference();
  return rung.stage && percent ? fmt::format("{}  {:.0f} %", speed, *percent) : speed;
}

/// "NVIDIA H200" becomes "H200" if there is little room.
std::string without_maker(const std::string& device) {
  return device.substr(device.find(' ') == std::string::npos ? 0 : device.find(' ') + 1);
}

std::vector<LegendEntry> legend_of(const PlotData& data, const std::vector<Rung>& rungs) {
  std::vector<LegendEntry> legend;
  for (size_t i = 0; i < kBars.size(); ++i) {
    std::vector<const Measurement*> figures;
    for (const Rung& rung : rungs)
      if (rung.figures[i]) figures.push_back(rung.figures[i]);
    if (!figures.empty())
      legend.push_back({look_of(kBars[i]), provenance_text(kBars[i]), source_text(figures),
                        without_maker(figures.back()->subject.device)});
  }
  std::vector<std::string> devices;
  for (const Rung& rung : rungs)
    for (const Measurement* figure : rung.published)
      if (std::find(devices.begin(), devices.end(), figure->subject.device) == devices.end())
        devices.push_back(figure->subject.device);
  for (const std::string& device : devices)
    legend.push_back(
        {look_of(Provenance::Published), provenance_text(Provenance::Published), device, without_maker(device)});
  if (std::any_of(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.predicted.has_value(); }))
    legend.push_back(predicted_legend(data));
  if (std::any_of(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.bound && !rung.predicted; }))
    legend.push_back({{Ink::Text, Marker::Frame}, tr("bound on"), bound_device(data)->name});
  return legend;
}

}  // namespace

Plot ladder_plot(const PlotData& data, const Canvas& canvas) {
  const std::vector<Rung> rungs = rungs_of(data);
  Chart chart;
  ChartRows content;
  for (const Rung& rung : rungs) {
    content.rows.push_back(row_of(data, rung));
    for (const auto& figures : {std::vector(rung.figures.begin(), rung.figures.end()), rung.published})
      for (const Measurement* figure : figures)
        if (figure) chart.figures.push_back(*figure);
  }
  const Unit unit = unit_of(content.rows, "FLOP/s");
  for (size_t i = 0; i < rungs.size(); ++i) content.rows[i].words = words_of(data, rungs[i], unit);
  for (const store::CpuProduct& product : std::vector(data.cpu.rbegin(), data.cpu.rend())) {
    content.rows.insert(content.rows.begin(), cpu_row(product));
    content.rows.front().words = significant(1e9 * product.gflops() / unit.factor);
  }
  const bool alike = std::ranges::count(rungs, nullptr, &Rung::stage) == 1;
  content.words_unit =
      alike ? tr_format("{}, % of cuBLAS", unit.name) : tr_format("{}, % of each group's cuBLAS", unit.name);
  chart.legend = legend_of(data, rungs);
  if (const std::string left_out = stages_left_out(data); !left_out.empty())
    chart.legend.push_back({{Ink::Faint, Marker::None}, left_out, tr("in a faster precision")});
  chart.x.unit = "FLOP/s";
  chart.x.title = size_text(data, data.size);
  chart.content = std::move(content);
  return draw(chart, canvas);
}

}  // namespace tilescope::view
