#include "view/plots/plot_data.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/words.h"
#include "kernel/model.h"
#include "run/count.h"
#include "view/plots/plot_axes.h"

namespace tilescope::view {
namespace {
using store::Measurement;
using store::Provenance;

constexpr std::string_view kDefaultDevice = "H200";

std::string day_of(const std::string& date) { return date.substr(0, 10); }

std::string range_text(double low, double high, const char* format_unit) {
  const Unit unit = unit_for(high, format_unit);
  return tr_format("{} to {} {}", significant(low / unit.factor), significant(high / unit.factor), unit.name);
}

std::string spread_line(const Measurement& figure) {
  const std::string median = with_unit(figure.seconds.median, "s");
  if (figure.samples == 0) return median;
  return tr_format("{}, middle half {} of {}", median, range_text(figure.seconds.low, figure.seconds.high, "s"),
                   plural(figure.samples, "{} sample", "{} samples"));
}

std::string reference_line(const Measurement& figure) {
  const store::Reference& reference = *figure.reference;
  if (!figure.is_product())
    return tr_format("{:.1f} % of a copy of the same bytes ({:.1f} to {:.1f} %), which took {}",
                     100 * reference.relative.median, 100 * reference.relative.low, 100 * reference.relative.high,
                     with_unit(reference.seconds.median, "s"));
  return tr_format("{:.1f} % of cuBLAS ({:.1f} to {:.1f} %), which took {} ({})", *figure.percent_of_reference(),
                   100 * reference.relative.low, 100 * reference.relative.high,
                   with_unit(reference.seconds.median, "s"), reference.name);
}

std::string source_line(const Measurement& figure) {
  if (figure.provenance == Provenance::Published)
    return tr_format("published: \"{}\", {}", figure.source, figure.subject.device);
  std::vector<std::string> parts{fmt::format("{} {}", provenance_text(figure.provenance), figure.subject.device),
                                 day_of(figure.date)};
  if (!figure.driver.empty()) parts.push_back(tr_format("driver {}", figure.driver));
  if (!figure.subject.toolkit.empty()) parts.push_back(store::compiler_text(figure.subject));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string doubts_line(const Measurement& figure) {
  std::vector<std::string> parts;
  if (figure.clock_mhz > 0) parts.push_back(tr_format("SM clock {:.0f} MHz", figure.clock_mhz));
  if (figure.is_noisy) parts.push_back(tr_format("noise {:.1f} %, above the limit", 100 * figure.noise));
  if (figure.dropped > 0)
    parts.push_back(plural(figure.dropped, "{} sample dropped: the clock was throttled",
                           "{} samples dropped: the clock was throttled"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "3.1 TB/s, 65 % of what the memory of H200 delivers"
std::string bytes_line(const PlotData& data, const Measurement& figure) {
  const double speed = amount_of(data, figure.subject.params, figure.subject.m) / figure.seconds.median;
  const std::string text = with_unit(speed, "B/s");
  const arch::Device* device = find_device(data, figure.subject.device);
  if (!device || !device->dram_bytes_per_s) return text;
  return tr_format("{}, {:.0f} % of what the memory of {} delivers", text,
                   100 * speed / device->dram_bytes_per_s->value, device->name);
}

bool is_size(const Measurement& figure, int64_t size) {
  return figure.subject.m == size && figure.subject.n == size && figure.subject.k == size;
}

kernel::Model model_of(const kernel::Description& description, const Params& params, int64_t size) {
  kernel::Model model(description, {});
  for (const char* extent : {"M", "N", "K"}) model.set(extent, size);
  for (const auto& [name, value] : params) model.set(name, value);
  return model;
}

const kernel::Kernel* find_stage(const PlotData& data, const std::string& name) {
  if (data.shown.kernel->name == name) return data.shown.kernel;
  for (const PlotStage& stage : data.stages)
    if (stage.kernel->name == name) return stage.kernel;
  return nullptr;
}

}  // namespace

const std::string& device_of(const PlotData& data, Provenance provenance) {
  return provenance == Provenance::Measured ? data.measured_on : data.recorded_on;
}

bool belongs(const PlotData& data, const Measurement& figure, const PlotStage& stage, Provenance provenance) {
  return figure.provenance == provenance && figure.subject.kernel == stage.kernel->name &&
         figure.subject.kernel_hash == stage.hash && !figure.subject.hot &&
         figure.subject.device == device_of(data, provenance);
}

const Measurement* find_figure(const PlotData& data, Provenance provenance, const PlotStage& stage,
                               const Params& params, int64_t size) {
  const Measurement* newest = nullptr;
  for (const Measurement& figure : data.figures)
    if (is_size(figure, size) && belongs(data, figure, stage, provenance) && figure.subject.params == params &&
        (!newest || figure.date >= newest->date))
      newest = &figure;
  return newest;
}

const run::CountedWork* find_counted(const PlotData& data, const PlotStage& stage, const Params& params, int64_t size) {
  const arch::Device* device = bound_device(data);
  const run::CountedWork* found = nullptr;
  for (const run::CountedWork& counted : data.counted) {
    if (counted.kernel != stage.kernel->name || counted.source != stage.kernel->source || counted.params != params ||
        counted.size != size)
      continue;
    if (!found || (device && counted.device == device->name)) found = &counted;
  }
  return found;
}

const arch::Device* find_device(const PlotData& data, std::string_view name) {
  for (const arch::Device& device : data.devices)
    if (device.name == name || std::find(device.aliases.begin(), device.aliases.end(), name) != device.aliases.end())
      return &device;
  return nullptr;
}

const arch::Device* bound_device(const PlotData& data) {
  for (const std::string_view name : {std::string_view(data.measured_on), std::string_view(data.recorded_on)})
    if (const arch::Device* device = find_device(data, name)) return device;
  return find_device(data, kDefaultDevice);
}

bool is_legal(const kernel::Description& description, const Params& params, int64_t size) {
  return model_of(description, params, size).broken() == 0;
}

std::string size_text(const PlotData& data, int64_t size) {
  return kernel::short_size_text(data.extents, {size, size, size});
}

double amount_of(const PlotData& data, const Params& params, int64_t size) {
  const auto n = static_cast<double>(size);
  if (data.product) return 2 * n * n * n;
  if (const run::CountedWork* counted = find_counted(data, data.shown, params, size))
    return static_cast<double>(counted->work.dram_bytes);
  kernel::Model model = model_of(data.shown.kernel->description, params, size);
  return model.broken() == 0 ? static_cast<double>(run::dram_bytes(model.configuration())) : 0;
}

std::string_view speed_unit(const PlotData& data) { return data.product ? "FLOP/s" : "B/s"; }

Params default_params(const kernel::Description& description) {
  Params params;
  for (const kernel::Parameter& parameter : description.parameters)
    params.emplace_back(parameter.name, parameter.default_value);
  return params;
}

std::string changed_params(const kernel::Description& description, const Params& params) {
  Params changed;
  for (const auto& [name, value] : params) {
    const kernel::Parameter* parameter = description.parameter(name);
    if (!parameter || parameter->default_value != value) changed.emplace_back(name, value);
  }
  return params_text(changed);
}

std::string stage_name(const kernel::Kernel& kernel) {
  const std::string title =
      kernel.description.title.empty() ? kernel.file.stem().string() : tr(std::string_view(kernel.description.title));
  return kernel.number > 0 ? fmt::format("{} {}", kernel.number, title) : title;
}

std::string reference_name(const Measurement& figure) {
  return figure.is_product() ? "cuBLAS" : tr("a copy of the same bytes");
}

double reference_gflops(const Measurement& figure) {
  if (!figure.reference || !(figure.reference->seconds.median > 0)) return 0;
  return figure.gflops * figure.seconds.median / figure.reference->seconds.median;
}

std::string provenance_text(Provenance provenance) {
  switch (provenance) {
    case Provenance::Measured: return tr("measured");
    case Provenance::Recorded: return tr("recorded");
    case Provenance::Published: return tr("published");
  }
  return {};
}

std::string source_text(const std::vector<const Measurement*>& figures) {
  std::string first, last, device;
  for (const Measurement* figure : figures) {
    const std::string day = day_of(figure->date);
    if (first.empty() || day < first) first = day;
    last = std::max(last, day);
    device = figure->subject.device;
  }
  return first == last ? fmt::format("{}, {}", device, first) : tr_format("{}, {} to {}", device, first, last);
}

std::vector<std::string> figure_lines(const PlotData& data, const Measurement& figure) {
  std::vector<std::string> lines{
      figure.is_product() ? with_unit(1e9 * figure.gflops, "FLOP/s") : bytes_line(data, figure), spread_line(figure)};
  if (figure.reference) lines.push_back(reference_line(figure));
  lines.push_back(source_line(figure));
  if (std::string doubts = doubts_line(figure); !doubts.empty()) lines.push_back(std::move(doubts));
  return lines;
}

std::vector<std::string> reference_lines(const Measurement& figure) {
  std::vector<std::string> lines{
      tr_format("{}, middle half {}", with_unit(figure.reference->seconds.median, "s"),
                range_text(figure.reference->seconds.low, figure.reference->seconds.high, "s")),
      tr_format("{}, timed beside {}, sample by sample",
                figure.is_product() ? figure.reference->name : reference_name(figure), figure.subject.kernel),
      source_line(figure)};
  if (figure.is_product()) lines.insert(lines.begin(), with_unit(1e9 * reference_gflops(figure), "FLOP/s"));
  return lines;
}

std::vector<session::Command> go_to(const PlotData& data, const std::string& kernel, const Params& params) {
  const kernel::Kernel* stage = find_stage(data, kernel);
  if (!stage || (data.shipped && !ships({params.begin(), params.end()}, data.shipped(*stage)))) return {};
  std::vector<session::Command> commands;
  const bool chosen = data.shown.kernel->name == kernel;
  if (!chosen) commands.push_back(session::ChooseKernel{kernel});
  const Params now = chosen ? data.params : default_params(stage->description);
  for (const auto& param : params)
    if (std::find(now.begin(), now.end(), param) == now.end())
      commands.push_back(session::SetParameter{param.first, param.second});
  return commands;
}

}  // namespace tilescope::view
