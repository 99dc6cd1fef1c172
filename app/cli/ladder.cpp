#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/precision.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/measure_options.h"
#include "cli/predicted.h"
#include "cli/stages.h"
#include "cli/text.h"
#include "measure/cpu_product.h"
#include "store/measurement.h"

namespace tilescope::cli {
namespace {
using store::CpuProduct;
using store::Measurement;

struct LadderCommand {
  std::string size = "4096";
  bool recorded = false;     ///< From the recordings that ship, without a GPU.
  bool predicted = false;    ///< From counts and a model, without a GPU.
  bool cpu = false;          ///< Also this machine's CPU.
  std::string gpu = "H200";  ///< The GPU to predict for.
  MeasureOptions options;
};

std::string marks(const Measurement& m) {
  std::string text;
  if (m.is_noisy) text += " ~";
  if (m.dropped) text += fmt::format(" {} dropped", m.dropped);
  return text;
}

std::vector<std::string> row(const Measurement& m) {
  return {m.subject.kernel,
          store::params_text(m.subject.params),
          fmt::format("{:.3f}", 1e3 * m.seconds.median),
          fmt::format("{:.1f}", m.gflops),
          m.reference ? fmt::format("{:.1f} %", *m.percent_of_reference()) : "-",
          marks(m)};
}

std::string precision_of(const Measurement& m) {
  const std::optional<Precision> precision = parse_precision(m.subject.math);
  return precision ? std::string(name_of(*precision)) : m.subject.math;
}

/// cuBLAS's own row in the precision of a stage.
std::vector<std::string> cublas_row(const Measurement& m) {
  const double seconds = m.reference->seconds.median;
  return {fmt::format("cuBLAS {}", precision_of(m)),
          m.reference->name,
          fmt::format("{:.3f}", 1e3 * seconds),
          fmt::format("{:.1f}", m.gflops * m.seconds.median / seconds),
          "100.0 %",
          ""};
}

std::vector<std::string> row(const CpuProduct& product) {
  return {"CPU, " + product.name,
          fmt::format("{} x {} x {} on {} thread{}", product.m, product.n, product.k, product.threads,
                      product.threads == 1 ? "" : "s"),
          fmt::format("{:.3f}", 1e3 * product.seconds), fmt::format("{:.1f}", product.gflops())};
}

nlohmann::ordered_json cpu_json(const CpuProduct& product) {
  return {{"name", product.name},
          {"threads", product.threads},
          {"m", product.m},
          {"n", product.n},
          {"k", product.k},
          {"seconds", product.seconds},
          {"gflops", product.gflops()},
          {"source", "measured"}};
}

std::string closing(const Measurement& m) {
  return fmt::format(
      "\n{} on {}, driver {}, {}, SM clock {:.0f} MHz, {}.\nM = {}, N = {}, K = {}. Each stage is beside cuBLAS "
      "in "
      "its own precision; FP32 is without TF32.\n",
      m.provenance == store::Provenance::Recorded ? "Recorded" : "Measured", m.subject.device, m.driver,
      store::compiler_text(m.subject), m.clock_mhz, m.date.substr(0, 10), m.subject.m, m.subject.n, m.subject.k);
}

/// The stages whose times of cuBLAS are shown: the fastest of a precision are measured last, and so the most often.
std::vector<const Measurement*> last_of_each_precision(const std::vector<Measurement>& stages) {
  std::vector<const Measurement*> found;
  for (const Precision precision : {Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16}) {
    const auto last = std::find_if(stages.rbegin(), stages.rend(), [&](const Measurement& m) {
      return m.reference && m.subject.math == to_string(precision);
    });
    if (last != stages.rend()) found.push_back(&*last);
  }
  return found;
}

std::string ladder_text(const std::vector<CpuProduct>& cpu, const std::vector<Measurement>& stages,
                        const Style& style) {
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
  table.row({style.bold("stage"), "", "ms", "GFLOPS", "of cuBLAS", ""});
  for (const CpuProduct& product : cpu) table.row(row(product));
  for (const Measurement& stage : stages) table.row(row(stage));
  for (const Measurement* last : last_of_each_precision(stages)) table.row(cublas_row(*last));
  const bool noisy = std::any_of(stages.begin(), stages.end(), [](const Measurement& m) { return m.is_noisy; });
  return table.text() + (stages.empty() ? "" : closing(stages.back())) +
         (noisy ? "~ The noise stayed above its limit.\n" : "") +
         (cpu.empty() ? "" : "The CPU's rows were measured here.\n");
}

std::string as_json(const std::vector<CpuProduct>& cpu, const std::vector<Measurement>& stages) {
  nlohmann::ordered_json json{{"stages", nlohmann::ordered_json::array()}};
  for (const CpuProduct& product : cpu) json["cpu"].push_back(cpu_json(product));
  for (const Measurement& stage : stages) json["stages"].push_back(to_json(stage));
  return to_text(json);
}

std::vector<CpuProduct> cpu_of(const LadderCommand& command) {
  const Result<kernel::Size> size = kernel::parse_size(command.size);
  return command.cpu && size ? measure::measure_cpu(*size, interrupted()) : std::vector<CpuProduct>();
}

int print(const std::vector<Measurement>& stages, const LadderCommand& command, int status) {
  if (stages.empty()) return status;
  const std::vector<CpuProduct> cpu = cpu_of(command);
  return finish(command.options.json ? as_json(cpu, stages) : ladder_text(cpu, stages, terminal_style()), status);
}

bool has_defaults(const Measurement& m, const kernel::Kernel& kernel) {
  return m.subject.kernel == kernel.name &&
         std::all_of(m.subject.params.begin(), m.subject.params.end(), [&](const auto& param) {
           const kernel::Parameter* known = kernel.description.parameter(param.first);
           return known && known->default_value == param.second;
         });
}

int print_recorded(const LadderCommand& command, const kernel::Catalogue& catalogue, const kernel::Size& size) {
  const store::Shipped shipped = store::load_recordings(data_folder() / "assets/recordings");
  warn(shipped.problems);
  std::vector<Measurement> stages;
  for (const kernel::Kernel& kernel : catalogue.kernels)
    for (const Measurement& m : shipped.measurements)
      if (has_defaults(m, kernel) && m.subject.m == size.m && m.subject.n == size.n && m.subject.k == size.k)
        stages.push_back(m);
  if (stages.empty()) return fail(fmt::format("There are no recordings of the stages at {}.", command.size));
  return print(stages, command, kFine);
}

Result<PredictedLaunch> predict_stage(const run::Request& request, const arch::Device& device,
                                      compile::Compiler& compiler) {
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler, &interrupted());
  if (!prepared) return prepared.errors();
  const Result<run::CountedWork> counted = run::count_and_time(**prepared, compiler, &interrupted());
  if (!counted) return counted.errors();
  return predicted_launch(*counted, request.size, device);
}

int print_predicted(const LadderCommand& command, const kernel::Catalogue& catalogue, const kernel::Size& size) {
  const Result<arch::Device> device = predicted_device(command.gpu);
  if (!device) return fail(device.errors());
  compile::Compiler compiler;
  std::vector<PredictedLaunch> stages;
  int status = kFine;
  const std::string arch = fmt::format("sm_{}", device->capability);
  const Stages taken = stages_at(catalogue, size, arch);
  if (taken.legal.empty()) return fail(taken.skipped);
  warn(taken.skipped);
  for (const kernel::Kernel& kernel : taken.legal) {
    run::Request request;
    request.kernel = kernel;
    request.size = size;
    request.arch = arch;
    const Result<PredictedLaunch> launch = predict_stage(request, *device, compiler);
    if (launch)
      stages.push_back(*launch);
    else
      status = fail(launch.errors());
    if (interrupted()) break;
  }
  if (stages.empty()) return status;
  return finish(command.options.json ? predictions_json("stages", stages) : predictions_text(stages, terminal_style()),
                status);
}

void add_ladder_command(CLI::App& command, LadderCommand& ladder) {
  command.add_option("--size", ladder.size, "4096, or M=256,N=128,K=64");
  command.add_flag("--recorded", ladder.recorded, "What was measured on another GPU and ships with tilescope");
  command.add_flag("--predicted", ladder.predicted, "By a model, from what is counted here; needs no GPU")
      ->excludes("--recorded");
  command.add_option("--gpu", ladder.gpu, "The GPU that --predicted is for (default H200)")->needs("--predicted");
  command
      .add_flag("--cpu", ladder.cpu, "And this machine's CPU: three plain loops, and OpenBLAS where it is installed")
      ->excludes("--predicted");
  add_measure_options(command, ladder.options);
  add_compiler_option(command);
  command.get_option("--compiler")->needs("--predicted");
  exclude_measuring(command, {"--predicted", "--recorded"});
}

/// `tilescope ladder`: all stages with their default parameters, beside cuBLAS.
int run_ladder(const LadderCommand& command) {
  const Result<kernel::Size> size = kernel::parse_size(command.size);
  if (!size) return fail(size.errors());
  const kernel::Catalogue catalogue = kernel::load_catalogue(data_folder() / "kernels");
  warn(catalogue.problems);
  if (command.predicted) return print_predicted(command, catalogue, *size);
  if (command.recorded) return print_recorded(command, catalogue, *size);
  compile::Compiler compiler;
  run::RunCache runs(compiler);
  measure::Measurer measurer(agent_settings(command.options), runs, store::default_store_file());
  const Result<protocol::DeviceFacts> device = measurer.device(&interrupted());
  if (!device) {
    Diagnostic problem = device.errors().front();
    problem.message = Message("{} tilescope ladder --recorded shows another GPU's.", problem.message);
    return fail(Diagnostics{problem});
  }
  const Stages taken = stages_at(catalogue, *size, fmt::format("sm_{}", device->capability));
  if (taken.legal.empty()) return fail(taken.skipped);
  warn(taken.skipped);
  std::vector<Measurement> stages;
  int status = kFine;
  for (const kernel::Kernel& kernel : taken.legal) {
    ProgressLine line(fmt::format("{}: ", kernel.name));
    line.show("stage", stages.size() + 1, taken.legal.size());
    const measure::Job job{run::Request{kernel, {}, *size}, command.options.measure, command.options.again};
    const Result<measure::Measured> measured = measurer.measure(job, {.cancel = &interrupted()});
    line.clear();
    if (measured) {
      warn(measured->notes);
      stages.push_back(measured->measurement);
      continue;
    }
    status = fail(measured.errors());
    if (status == kInterrupted) break;
  }
  return print(stages, command, status);
}

}  // namespace

void add_ladder(CLI::App& app, Action& chosen) {
  add_command(app, chosen, "ladder", "Measure all stages and compare them with cuBLAS", add_ladder_command, run_ladder);
}

}  // namespace tilescope::cli
