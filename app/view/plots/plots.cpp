#include "view/plots/plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/words.h"
#include "kernel/model.h"
#include "view/plots/plot_predicted.h"
#include "wording/bound.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr double kBesideSizes = 1.12;
constexpr float kRoomForBoth = 165;  ///< Height with which the times have room for the bound's sentence too.
constexpr double kBesideStages = 3;  ///< How much further than the points the roofline's x axis extends.

// --- Lines. ---

ChartPoint point_with(const PlotData& data, const statistics::Quartiles& seconds, const Measurement& figure,
                      Quantity quantity, double x) {
  if (quantity == Quantity::Time) return {x, seconds.low, seconds.median, seconds.high, {}};
  const double amount = amount_of(data, figure.subject.params, figure.subject.m);
  return {x, amount / seconds.high, amount / seconds.median, amount / seconds.low, {}};
}

/// The figure's median with its quartiles, as speed or time in seconds.
ChartPoint point_of(const PlotData& data, const Measurement& figure, Quantity quantity, double x, std::string title) {
  ChartPoint point = point_with(data, figure.seconds, figure, quantity, x);
  point.spot = {std::move(title), figure_lines(data, figure)};
  return point;
}

ChartPoint configuration_point(const PlotData& data, const Measurement& figure, Quantity quantity, int64_t value) {
  ChartPoint point = point_of(data, figure, quantity, static_cast<double>(value), params_text(figure.subject.params));
  point.spot.go = go_to(data, figure.subject.kernel, figure.subject.params);
  point.current = figure.subject.params == data.params;
  return point;
}

/// Figures of one provenance in the order in which they are joined.
class SeriesMaker {
 public:
  SeriesMaker(Chart& chart, Provenance provenance) : chart_(chart), provenance_(provenance) {
    ours_.look = look_of(provenance);
  }

  void add(const Measurement& figure, ChartPoint point) {
    ours_.points.push_back(std::move(point));
    figures_.push_back(&figure);
    chart_.figures.push_back(figure);
  }
  /// Those of cuBLAS or of the copy in the same runs, if any.
  void add_reference(const PlotData& data, Quantity quantity) {
    for (size_t i = 0; i < figures_.size(); ++i) {
      const Measurement& figure = *figures_[i];
      if (!figure.reference) continue;
      ChartPoint point = point_with(data, figure.reference->seconds, figure, quantity, ours_.points[i].x);
      point.spot = {fmt::format("{}, {}", reference_name(figure), size_text(data, figure.subject.m)),
                    reference_lines(figure)};
      reference_.points.push_back(std::move(point));
    }
  }
  void finish(bool joined) {
    if (figures_.empty()) return;
    ours_.joined = joined;
    reference_.look = cublas_look_of(provenance_);
    chart_.legend.push_back(
        {ours_.look, provenance_text(provenance_), source_text(figures_), figures_.front()->subject.device});
    if (!reference_.points.empty()) chart_.legend.push_back({reference_.look, reference_name(*figures_.front()), ""});
    auto& series = std::get<ChartLines>(chart_.content).series;
    if (!reference_.points.empty()) series.push_back(std::move(reference_));
    series.push_back(std::move(ours_));
  }

 private:
  Chart& chart_;
  Provenance provenance_;
  Series ours_, reference_{{}, {}, true, 0.85f};
  std::vector<const Measurement*> figures_;
};

/// Under the mouse everywhere: each value of the parameter without a point.
void add_columns(const PlotData& data, const kernel::Parameter& parameter, ChartLines& lines) {
  kernel::Settings settings;
  for (const auto& [name, value] : data.params) settings[name] = std::to_string(value);
  const auto legal = kernel::legal_values(data.shown.kernel->description, settings, {data.size, data.size, data.size},
                                          {}, parameter.name);
  for (const int64_t value : parameter.values) {
    bool is_legal = std::find(legal.begin(), legal.end(), value) != legal.end();
    session::SetParameter set{parameter.name, value};
    if (data.shipped) {
      const ParameterValues* nearest = nearest_with(parameter.name, value, data.shipped(*data.shown.kernel),
                                                    {data.params.begin(), data.params.end()});
      is_legal = nearest != nullptr;
      if (nearest) set.with = *nearest;
    }
    Column column{static_cast<double>(value), !is_legal, {fmt::format("{} = {}", parameter.name, value), {}}};
    column.spot.lines.push_back(is_legal       ? tr("A click sets the slider.")
                                : data.shipped ? tr("This page has no compiled kernel for it.")
                                               : tr("Not legal with the current other values."));
    if (is_legal) column.spot.go.push_back(std::move(set));
    lines.columns.push_back(std::move(column));
  }
}

/// What the memory delivers, over the bytes per second of a kernel that is no product.
void add_memory_roof(const PlotData& data, Quantity quantity, Chart& chart) {
  const arch::Device* device = bound_device(data);
  if (data.product || quantity == Quantity::Time || !device || !device->dram_bytes_per_s || !chart.x.range) return;
  const double most = device->dram_bytes_per_s->value;
  const auto [first, last] = *chart.x.range;
  std::get<ChartLines>(chart.content)
      .roofs.push_back({{{{first, most}, {last, most}}}, tr_format("memory of {}", device->name)});
}

// --- The roofline. ---

constexpr double kWavefrontBytes = arch::kBanks * arch::kBankBytes;

double wavefronts_of(const run::CountedWork& counted) {
  return static_cast<double>(counted.work.l1_wavefronts + counted.work.shared_wavefronts);
}

/// Its counts, if they place it in the roofline.
const run::CountedWork* placing(const PlotData& data, const PlotPoint& point) {
  const run::CountedWork* counted = find_counted(data, *point.stage, point.params, point.size);
  return counted && counted->stands_for_grid && wavefronts_of(*counted) > 0 ? counted : nullptr;
}

double intensity_of(const run::CountedWork& counted) {
  return counted.work.flops / (wavefronts_of(counted) * kWavefrontBytes);
}

std::string label_of(const kernel::Kernel& kernel) {
  return kernel.number > 0 ? std::to_string(kernel.number) : kernel.file.stem().string();
}

/// What the roofline says of a stage, wherever its speed is from.
void name_stage(const PlotData& data, const PlotPoint& place, const run::CountedWork& counted, ChartPoint& point) {
  const kernel::Kernel& kernel = *place.stage->kernel;
  point.spot.title = fmt::format("{}  {}", stage_name(kernel), params_text(place.params));
  point.spot.lines.push_back(
      tr_format("{} FLOP for each byte that L1 and shared memory could move: {} wavefronts of 128 bytes, counted on "
                "one block",
                significant(point.x), with_unit(wavefronts_of(counted), "")));
  point.spot.go = go_to(data, kernel.name, place.params);
  point.current = place.stage == &data.shown;
  point.label = label_of(kernel);
}

void add_stage(const PlotData& data, const PlotPoint& place, Provenance provenance, SeriesMaker& series) {
  const run::CountedWork* counted = placing(data, place);
  const Measurement* figure = find_figure(data, provenance, *place.stage, place.params, place.size);
  if (!counted || !figure) return;
  ChartPoint point = point_of(data, *figure, Quantity::Speed, intensity_of(*counted), "");
  name_stage(data, place, *counted, point);
  series.add(*figure, std::move(point));
}

/// Those that have no figure.
void add_predicted_stages(const PlotData& data, const std::vector<PlotPoint>& places, Chart& chart) {
  Series series{predicted_look(), {}, false};
  for (const PlotPoint& place : places) {
    const run::CountedWork* counted = placing(data, place);
    const auto predicted = predicted_of(data, place);
    if (!counted || !predicted || has_figure(data, place)) continue;
    series.points.push_back(predicted_point(data, place, *predicted, Quantity::Speed, intensity_of(*counted)));
    name_stage(data, place, *counted, series.points.back());
  }
  if (series.points.empty()) return;
  chart.legend.push_back(predicted_legend(data));
  std::get<ChartLines>(chart.content).series.push_back(std::move(series));
}

/// The stages that stand in one roofline with the shown one. Those of a faster precision have other roofs.
std::vector<PlotPoint> roofline_points(const PlotData& data) {
  std::vector<PlotPoint> points;
  for (const PlotStage& stage : data.stages)
    if (stage.kernel->name != data.shown.kernel->name &&
        kernel::precision_of(*stage.kernel) <= kernel::precision_of(*data.shown.kernel))
      points.push_back({&stage, default_params(stage.kernel->description), data.size});
  points.push_back({&data.shown, data.params, data.size});
  return points;
}

/// Those whose counts place them nowhere.
void name_left_out(const PlotData& data, const std::vector<PlotPoint>& points, Chart& chart) {
  std::vector<std::string> names;
  for (const PlotPoint& point : points)
    if (const run::CountedWork* counted = find_counted(data, *point.stage, point.params, point.size);
        counted && !counted->stands_for_grid)
      names.push_back(label_of(*point.stage->kernel));
  if (!names.empty())
    chart.legend.push_back({{Ink::Faint, Marker::None},
                            fmt::format("{}", fmt::join(names, ", ")),
                            tr("without a place: its blocks have unequal shares")});
  const PlotPoint& shown = points.back();
  if (!is_legal(shown.stage->kernel->description, shown.params, shown.size))
    chart.legend.push_back({{Ink::Faint, Marker::None},
                            label_of(*shown.stage->kernel),
                            tr("without a place: its parameters are not legal")});
}

/// Over the stages' range of the x axis. Of the memories the one whose bytes that axis counts: the intensity toward L2
/// or DRAM is another, and a stage would be above their roofs. `types`: those that the stages have tensor cores
/// multiply.
void add_roofs(const arch::Device& device, const std::set<arch::TensorType>& types, Chart& chart) {
  if (!chart.x.range || !device.sms || !device.clock_hz || !device.fma_lanes_per_sm) return;
  const auto [first, last] = *chart.x.range;
  const double cycles = device.sms->value * device.clock_hz->value;
  double peak = 2 * cycles * device.fma_lanes_per_sm->value;
  auto& roofs = std::get<ChartLines>(chart.content).roofs;
  roofs.push_back({{{{first, peak}, {last, peak}}}, tr_format("FMA issue {}", with_unit(peak, "FLOP/s"))});
  for (const arch::TensorType type : types) {
    const std::optional<arch::Figure>& fmas = device.tensor_fmas_per_sm[static_cast<size_t>(type)];
    if (!fmas) continue;
    const double tensor = 2 * cycles * fmas->value;
    roofs.push_back({{{{first, tensor}, {last, tensor}}},
                     tr_format("{} tensor cores {}", to_string(type), with_unit(tensor, "FLOP/s"))});
    peak = std::max(peak, tensor);
  }
  std::string memory, brief;
  if (device.shared_bytes_per_clock) {
    const double bytes_per_s = cycles * device.shared_bytes_per_clock->value, ridge = peak / bytes_per_s;
    const char* name = tr("L1 and shared memory");
    if (ridge > first) roofs.push_back({{{{first, first * bytes_per_s}, {ridge, peak}}}, name});
    brief = with_unit(bytes_per_s, "B/s");
    memory = fmt::format("{} {}", name, brief);
  }
  chart.legend.push_back({{Ink::Text, Marker::Frame}, tr_format("bound on {}", device.name), memory, brief});
}

// --- The heat map. ---

/// All pairs of values, rows of `up` from the least on; the sliders' other values as they are.
std::vector<Params> pairs_of(const PlotData& data, const kernel::Parameter& across, const kernel::Parameter& up) {
  std::vector<Params> pairs;
  for (const int64_t row : up.values)
    for (const int64_t column : across.values)
      pairs.push_back(with(with(data.params, across.name, column), up.name, row));
  return pairs;
}

std::vector<const Measurement*> figures_of(const PlotData& data, const std::vector<Params>& pairs,
                                           Provenance provenance) {
  std::vector<const Measurement*> figures;
  for (const Params& params : pairs) figures.push_back(find_figure(data, provenance, data.shown, params, data.size));
  return figures;
}

ChartCell cell_of(const PlotData& data, const Params& params, const Measurement* figure, kernel::Model& model) {
  for (const auto& [name, value] : params) model.set(name, value);
  Diagnostics why;
  const bool legal = model.broken(&why) == 0;
  ChartCell cell;
  cell.current = params == data.params;
  cell.hatched = !figure && !legal;
  const bool predicts = !figure && legal;
  const auto predicted = predicts ? predicted_of(data, {&data.shown, params, data.size}) : std::nullopt;
  if (figure) {
    cell.value = amount_of(data, params, data.size) / figure->seconds.median;
    cell.spot.lines = figure_lines(data, *figure);
  } else if (predicted) {
    cell.hollow = true;
    cell.value = amount_of(data, params, data.size) / predicted->seconds;
    cell.spot.lines = predicted_lines(data, *predicted, params, data.size);
  } else {
    cell.spot.lines.push_back(legal ? tr_format("No recording at {}.", size_text(data, data.size))
                                    : tr_format("Not legal: {}", why.empty() ? "" : why.front().message.text()));
    if (const auto gap = gap_line(data, {&data.shown, params, data.size})) cell.spot.lines.push_back(*gap);
  }
  if (legal) cell.spot.go = go_to(data, data.shown.kernel->name, params);
  return cell;
}

// --- The bound. ---

/// A field of RFC 4180, in quotes.
std::string field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

/// Of the bound, and of the prediction if there is one.
std::string table_of(const analysis::Bound& bound, const std::string& device,
                     const std::optional<predict::Predicted>& predicted) {
  std::string text = "device,source,resource,seconds,formula\n";
  for (size_t i = 0; i < analysis::kResources; ++i) {
    const auto resource = static_cast<analysis::Resource>(i);
    const analysis::ResourceTime& time = bound.time(resource);
    text +=
        fmt::format("{},bound,{},{},{}\n", field(device), field(std::string(to_string(resource))),
                    time.seconds ? fmt::format("{:.6g}", *time.seconds) : "", field(wording::formula(bound, resource)));
  }
  for (size_t i = 0; predicted && i < predict::kTerms; ++i)
    text += fmt::format("{},predicted,{},{:.6g},\n", field(device),
                        field(std::string(to_string(static_cast<predict::Term>(i)))), predicted->terms[i]);
  return text;
}

/// A row of the times: a resource of the bound, a term of the prediction, or both.
struct TimeRow {
  std::optional<analysis::Resource> resource;
  std::optional<predict::Term> term;
};
constexpr std::array<TimeRow, 9> kTimeRows{{{analysis::Resource::L1AndShared, predict::Term::Path},
                                            {analysis::Resource::Fma, predict::Term::Fma},
                                            {analysis::Resource::TensorCores, {}},
                                            {{}, predict::Term::Issue},
                                            {analysis::Resource::L2, predict::Term::L2},
                                            {analysis::Resource::Dram, predict::Term::Dram},
                                            {{}, predict::Term::Latency},
                                            {{}, predict::Term::LastRound},
                                            {{}, predict::Term::Launch}}};

/// What a term of the prediction is made of.
std::string explanation(predict::Term term) {
  constexpr std::array<const char*, predict::kTerms> kWords{
      tr_later("the wavefronts of L1 and shared memory, and of the registers that ptxas spilled"),
      tr_later("FMAs on four schedulers; register banks delay some of them"),
      tr_later("all instructions, one per clock and scheduler"),
      tr_later("how long a block by itself waits at barriers and for its loads"),
      tr_later("the least that must cross L2, at its peak"),
      tr_later("the least that must cross DRAM, at its peak"),
      tr_later("places on SMs left empty by the last wave"),
      tr_later("the launch itself, and caches that are cold")};
  return tr(kWords[static_cast<size_t>(term)]);
}

std::string words_of(const predict::Predicted& predicted, predict::Term term) {
  const std::string seconds = with_unit(predicted.terms[static_cast<size_t>(term)], "s");
  if (!predicted.simulated() || term == predict::Term::LastRound || term == predict::Term::Launch)
    return tr_format("predicted {} if the others took nothing: {}", seconds, explanation(term));
  if (term == predict::Term::Latency)
    return tr_format("for {} of the predicted time not even the busiest of these is busy: warps wait", seconds);
  return tr_format("busy for {} of the predicted time", seconds);
}

/// What the plot of the times is made of.
struct Times {
  const arch::Device& device;
  analysis::Bound bound;
  std::optional<predict::Predicted> predicted;
  const Measurement* taken = nullptr;  ///< Measured, else recorded; null: neither.

  std::optional<double> seconds(predict::Term term) const {
    return predicted ? std::optional(predicted->terms[static_cast<size_t>(term)]) : std::nullopt;
  }
  /// FMAs and tensor cores have no row in a kernel that does not use them.
  bool has(const TimeRow& row) const {
    const bool computes = row.resource == analysis::Resource::Fma || row.resource == analysis::Resource::TensorCores;
    if (computes && bound.time(*row.resource).seconds == 0.0) return false;
    return row.resource || predicted;
  }
  bool limits(const TimeRow& row) const {
    if (predicted) return row.term == predicted->limiting;
    return row.resource == bound.limiting;
  }
};

/// The bound as a solid bar; over it the prediction, hollow.
ChartRow row_of(const Times& times, const TimeRow& what) {
  ChartRow row;
  row.name = tr(what.resource ? to_string(*what.resource) : to_string(*what.term));
  row.current = times.limits(what);
  row.ink = row.current ? Ink::Strong : Ink::Text;
  row.spot.title = row.name;
  double longest = 0;
  if (what.resource) {
    const analysis::ResourceTime& time = times.bound.time(*what.resource);
    row.spot.lines = {
        wording::formula(times.bound, *what.resource),
        tr_format("bound on {}, each resource at its peak and all overlapped perfectly", times.device.name)};
    if (!time.seconds) row.words = tr_format("not known for {}", times.device.name);
    if (time.seconds)
      row.bars.push_back(
          {0, *time.seconds, 0, {Ink::Text, row.current ? 0.5f : 0.22f}, {Ink::Text, row.current ? 1 : 0.6f}});
    longest = time.seconds.value_or(0);
  }
  if (const auto seconds = what.term ? times.seconds(*what.term) : std::nullopt) {
    const Ink ink = predicted_look().ink;
    row.bars.push_back({0, *seconds, 0, {ink, row.current ? 0.3f : 0}, {ink}});
    row.spot.lines.push_back(words_of(*times.predicted, *what.term));
    longest = *seconds;
  }
  if (longest == 0) return row;
  row.words = with_unit(longest, "s");
  const double all = times.predicted ? times.predicted->seconds : times.taken ? times.taken->seconds.median : 0;
  if (all > 0) row.words += fmt::format("  {:.0f} %", 100 * longest / all);
  return row;
}

/// Without the shortest, if not all have room under that many lines of words.
void keep_longest(std::vector<ChartRow>& rows, const Canvas& canvas, size_t lines) {
  constexpr float kLine = 1.15f, kPitch = kLeastWords + 1, kGaps = 10;  // Of the height of text; pixels.
  constexpr size_t kFewestRows = 3;
  const float room = canvas.height - kLine * canvas.text * static_cast<float>(lines + 2) - kGaps;  // Legend, axis.
  const auto length = [](const ChartRow& row) {
    double longest = 0;
    for (const Bar& bar : row.bars) longest = std::max(longest, bar.value);
    return longest;
  };
  while (rows.size() > kFewestRows && static_cast<float>(rows.size()) * kPitch > room)
    rows.erase(std::min_element(rows.begin(), rows.end(),
                                [&](const ChartRow& a, const ChartRow& b) { return length(a) < length(b); }));
}

std::string summary_of(const Times& times) {
  const analysis::Bound& bound = times.bound;
  const std::string resource = tr(to_string(bound.limiting)), least = with_unit(bound.seconds, "s");
  if (!times.taken) return tr_format("{}: at least {} on {}", resource, least, times.device.name);
  return tr_format("{}: at least {} on {}, {:.0f} % of the {} {}", resource, least, times.device.name,
                   100 * bound.seconds / times.taken->seconds.median, provenance_text(times.taken->provenance),
                   with_unit(times.taken->seconds.median, "s"));
}

/// "4.76 ms predicted, 4.48 ms to 5.24 ms; longest: latency"
std::string summary_of(const predict::Predicted& predicted) {
  return tr_format("{} predicted, {} to {}; longest: {}", with_unit(predicted.seconds, "s"),
                   with_unit(predicted.low, "s"), with_unit(predicted.high, "s"), tr(to_string(predicted.limiting)));
}

}  // namespace

SeriesLook look_of(Provenance provenance) {
  switch (provenance) {
    case Provenance::Measured: return {Ink::ArrayA, Marker::Disc};
    case Provenance::Recorded: return {Ink::ArrayB, Marker::Square};
    case Provenance::Published: return {Ink::ArrayOther, Marker::Diamond};
  }
  return {};
}

SeriesLook cublas_look_of(Provenance provenance) {
  return {Ink::Faint, provenance == Provenance::Measured ? Marker::Ring : Marker::Frame};
}

Plot parameter_plot(const PlotData& data, const Canvas& canvas, const std::string& parameter, Quantity quantity,
                    const PlotRange& zoom) {
  const kernel::Parameter* known = data.shown.kernel->description.parameter(parameter);
  if (!known) return draw({.content = {}, .nothing = tr("This kernel has no parameters.")}, canvas);
  Chart chart;
  const auto is_power_of_two = [](int64_t value) { return value > 0 && (value & (value - 1)) == 0; };
  const bool powers = std::all_of(known->values.begin(), known->values.end(), is_power_of_two);
  chart.x.scale = powers ? AxisScale::Log2 : AxisScale::Linear;
  chart.x.ticks.assign(known->values.begin(), known->values.end());
  const Axis all = around(chart.x.scale, chart.x.ticks);
  chart.x.range = {all.low, all.high};
  chart.x.title = parameter;
  chart.y.unit = quantity == Quantity::Speed ? speed_unit(data) : "s";
  chart.nothing = tr_format("Nothing was measured or recorded over {} at {} with the current other values.", parameter,
                            size_text(data, data.size));
  auto& lines = std::get<ChartLines>(chart.content);
  lines.current = static_cast<double>(value_in(data.params, parameter));
  add_columns(data, *known, lines);
  for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured}) {
    SeriesMaker series(chart, provenance);
    for (const int64_t value : known->values)
      if (const auto* figure =
              find_figure(data, provenance, data.shown, with(data.params, parameter, value), data.size))
        series.add(*figure, configuration_point(data, *figure, quantity, value));
    series.add_reference(data, quantity);
    series.finish(true);
  }
  add_predictions(
      data, parameter_points(data, parameter), quantity, chart,
      [&](const PlotPoint& point) { return static_cast<double>(value_in(point.params, parameter)); },
      [&](const PlotPoint& point) { return has_figure(data, point); });
  add_gap(data, chart);
  add_memory_roof(data, quantity, chart);
  return draw(chart, canvas, zoom);
}

Plot size_plot(const PlotData& data, const Canvas& canvas, Quantity quantity, bool log, const PlotRange& zoom) {
  Chart chart;
  if (data.extents.empty()) {
    chart.nothing = tr("Nothing of this launch depends on a size.");
    return draw(chart, canvas, zoom);
  }
  const auto size_of = [&](int64_t side) {
    return static_cast<double>(plotted_size(data.shown.kernel->description, side));
  };
  const double least = size_of(kLeastPlottedSize), most = size_of(kMostPlottedSize);
  chart.x = {AxisScale::Log2,
             "",
             fmt::format("{}", fmt::join(data.extents, " = ")),
             {{least / kBesideSizes, most * kBesideSizes}}};
  for (int64_t side = kLeastPlottedSize; side <= kMostPlottedSize; side *= 2) chart.x.ticks.push_back(size_of(side));
  chart.y = {log ? AxisScale::Log10 : AxisScale::Linear,
             quantity == Quantity::Speed ? std::string(speed_unit(data)) : "s"};
  chart.nothing = tr("Nothing was measured or recorded of this configuration at any size.");
  std::get<ChartLines>(chart.content).current = static_cast<double>(data.size);
  for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured}) {
    std::set<int64_t> sizes;
    for (const Measurement& figure : data.figures)
      if (figure.subject.m == figure.subject.n && figure.subject.n == figure.subject.k &&
          figure.subject.params == data.params && belongs(data, figure, data.shown, provenance))
        sizes.insert(figure.subject.m);
    SeriesMaker series(chart, provenance);
    for (const int64_t size : sizes) {
      const Measurement& figure = *find_figure(data, provenance, data.shown, data.params, size);
      ChartPoint point = point_of(data, figure, quantity, static_cast<double>(size), size_text(data, size));
      point.spot.size = size;
      point.current = size == data.size;
      series.add(figure, std::move(point));
    }
    series.add_reference(data, quantity);
    series.finish(true);
  }
  add_predictions(
      data, size_points(data), quantity, chart, [](const PlotPoint& point) { return static_cast<double>(point.size); },
      [&](const PlotPoint& point) { return has_figure(data, point); });
  add_gap(data, chart);
  add_memory_roof(data, quantity, chart);
  return draw(chart, canvas, zoom);
}

Plot heat_plot(const PlotData& data, const Canvas& canvas, const std::string& across, const std::string& up) {
  const kernel::Description& description = data.shown.kernel->description;
  const kernel::Parameter *first = description.parameter(across), *second = description.parameter(up);
  if (!first || !second || first == second)
    return draw({.content = {}, .nothing = tr("A heat map needs a kernel with two parameters.")}, canvas);
  const std::vector<Params> pairs = pairs_of(data, *first, *second);
  std::vector<const Measurement*> measured = figures_of(data, pairs, Provenance::Measured),
                                  recorded = figures_of(data, pairs, Provenance::Recorded);
  const auto known = [](const auto& figures) { return std::count_if(figures.begin(), figures.end(), std::identity()); };
  const bool is_measured = known(measured) > 1 || known(recorded) == 0;
  const std::vector<const Measurement*>& figures = is_measured ? measured : recorded;
  Chart chart;
  chart.nothing = tr_format("Nothing was measured or recorded over {} and {} at {} with the current other values.",
                            across, up, size_text(data, data.size));
  CellGrid grid{across, up, {}, {}, {}, std::string(speed_unit(data)), tr("not legal"), tr("no recording")};
  for (const int64_t value : first->values) grid.columns.push_back(std::to_string(value));
  for (const int64_t value : second->values) grid.rows.push_back(std::to_string(value));
  kernel::Model model(description, {});
  for (const char* extent : {"M", "N", "K"}) model.set(extent, data.size);
  std::vector<const Measurement*> shown;
  for (size_t i = 0; i < pairs.size(); ++i) {
    grid.cells.push_back(cell_of(data, pairs[i], figures[i], model));
    grid.cells.back().spot.title =
        fmt::format("{} = {}, {} = {}", across, value_in(pairs[i], across), up, value_in(pairs[i], up));
    if (!figures[i]) continue;
    shown.push_back(figures[i]);
    chart.figures.push_back(*figures[i]);
  }
  const Provenance provenance = is_measured ? Provenance::Measured : Provenance::Recorded;
  // Their marks are the cells'.
  if (!shown.empty())
    chart.legend.push_back({{Ink::Text, Marker::Square}, provenance_text(provenance), source_text(shown)});
  const auto& cells = grid.cells;
  const bool predicts = std::any_of(cells.begin(), cells.end(), [](const ChartCell& cell) { return cell.hollow; });
  if (predicts) {
    chart.legend.push_back(predicted_legend(data));
    chart.legend.back().look = {Ink::Text, Marker::Frame};
  }
  add_gap(data, chart);
  if (!shown.empty() || predicts) chart.content = std::move(grid);
  return draw(chart, canvas);
}

Plot roofline_plot(const PlotData& data, const Canvas& canvas, const PlotRange& zoom) {
  Chart chart;
  chart.x = {AxisScale::Log10, "", tr("FLOP per byte of L1 and shared memory")};
  chart.y = {AxisScale::Log10, "FLOP/s"};
  chart.nothing =
      tr_format("No stage has both counts and a measurement or a recording at {} yet.", size_text(data, data.size));
  const std::vector<PlotPoint> points = roofline_points(data);
  for (const Provenance provenance : {Provenance::Recorded, Provenance::Measured}) {
    SeriesMaker series(chart, provenance);
    for (const PlotPoint& point : points) add_stage(data, point, provenance, series);
    series.finish(false);
  }
  add_predicted_stages(data, points, chart);
  std::set<arch::TensorType> types;
  for (const PlotPoint& point : points)
    if (const run::CountedWork* counted = placing(data, point))
      for (size_t i = 0; i < arch::kTensorTypes; ++i)
        if (counted->work.tensor_fmas[i] > 0) types.insert(static_cast<arch::TensorType>(i));
  double least = HUGE_VAL, most = 0;
  for (const Series& series : std::get<ChartLines>(chart.content).series)
    for (const ChartPoint& point : series.points) least = std::min(least, point.x), most = std::max(most, point.x);
  if (most > 0) chart.x.range = {least / kBesideStages, most * kBesideStages};
  if (const arch::Device* device = bound_device(data)) add_roofs(*device, types, chart);
  name_left_out(data, points, chart);
  return draw(chart, canvas, zoom);
}

Plot bound_plot(const PlotData& data, const Canvas& canvas) {
  Chart chart;
  chart.nothing = tr("The times appear when the kernel has been counted at this size.");
  const run::CountedWork* counted = find_counted(data, data.shown, data.params, data.size);
  const arch::Device* device = bound_device(data);
  if (!counted || !device) return draw(chart, canvas);
  if (!counted->stands_for_grid) {
    chart.nothing =
        tr("One block was counted, whose share of the tiles is not that of every block: no bound follows from its "
           "counts.");
    add_gap(data, chart);
    return draw(chart, canvas);
  }
  Times times{*device, analysis::bound(*device, counted->work),
              predicted_of(data, {&data.shown, data.params, data.size})};
  ChartRows rows{.rows = {}, .words_at_edge = true};
  for (const Provenance provenance : {Provenance::Measured, Provenance::Recorded}) {
    const Measurement* figure = find_figure(data, provenance, data.shown, data.params, data.size);
    if (!figure) continue;
    if (!times.taken) times.taken = figure;
    rows.rules.push_back({figure->seconds.median,
                          look_of(provenance),
                          {params_text(figure->subject.params), figure_lines(data, *figure)}});
    chart.legend.push_back({look_of(provenance), provenance_text(provenance),
                            fmt::format("{}: {}", source_text({figure}), with_unit(figure->seconds.median, "s"))});
  }
  if (times.predicted) {
    rows.rules.push_back({times.predicted->seconds,
                          predicted_look(),
                          {params_text(data.params), predicted_lines(data, *times.predicted, data.params, data.size)}});
    chart.legend.push_back(predicted_legend(data));
    chart.heading.push_back(summary_of(*times.predicted));
    if (times.predicted->doubt != predict::Doubt::None)
      chart.heading.push_back(tr_format("doubtful: {}", tr(to_string(times.predicted->doubt))));
  }
  chart.legend.push_back({{Ink::Text, Marker::Frame}, tr("bound on"), device->name});
  for (const TimeRow& row : kTimeRows)
    if (times.has(row)) rows.rows.push_back(row_of(times, row));
  if (!times.predicted || canvas.height > kRoomForBoth) chart.heading.push_back(summary_of(times));
  if (!times.predicted)
    chart.heading.push_back(
        tr_format("bound of {}, counted on one block of {}", size_text(data, data.size), counted->blocks));
  if (const auto gap = gap_line(data, {&data.shown, data.params, data.size})) chart.heading.push_back(*gap);
  if (!times.taken && !times.predicted)
    chart.heading.push_back(tr_format("No recording of this configuration at {}.", size_text(data, data.size)));
  keep_longest(rows.rows, canvas, chart.heading.size());
  chart.x.unit = "s";
  chart.content = std::move(rows);
  Plot plot = draw(chart, canvas);
  plot.csv = table_of(times.bound, device->name, times.predicted);
  return plot;
}

}  // namespace tilescope::view
