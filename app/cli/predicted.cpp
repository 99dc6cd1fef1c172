#include "cli/predicted.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/measure_options.h"
#include "run/demand.h"
#include "wording/report_json.h"

namespace tilescope::cli {
namespace {

std::string settings_text(const PredictedLaunch& launch) {
  std::string text;
  for (const auto& [name, value] : launch.params) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

nlohmann::ordered_json launch_json(const PredictedLaunch& launch) {
  using Json = nlohmann::ordered_json;
  Json params = Json::object();
  for (const auto& [name, value] : launch.params) params[name] = value;
  Json json{{"kernel", launch.kernel},
            {"params", params},
            {"m", launch.size.m},
            {"n", launch.size.n},
            {"k", launch.size.k},
            {"gflops", launch.time ? Json(launch.gflops()) : Json()},
            {"predicted", launch.time ? wording::to_json(*launch.time) : Json()}};
  if (!launch.time) json["not_predicted"] = to_string(launch.gap);
  return json;
}

/// "Not predicted, because the model does not cover tensor cores: 21_tf32_mma, 22_bf16_mma."
std::string gaps_text(const std::vector<PredictedLaunch>& launches) {
  std::map<predict::Gap, std::string> kernels;
  for (const PredictedLaunch& launch : launches) {
    std::string& names = kernels[launch.gap];
    if (!launch.time) names += (names.empty() ? "" : ", ") + launch.kernel;
  }
  std::string text;
  for (const auto& [gap, names] : kernels)
    if (!names.empty()) text += fmt::format("\nNot predicted, because {}: {}.\n", to_string(gap), names);
  return text;
}

/// "by executing the machine code on a simulated SM: eight of ten launches are within their range"
std::string method_text(const std::vector<PredictedLaunch>& launches) {
  std::string modelled;
  const predict::Predicted* by_model = nullptr;
  size_t times = 0, all_modelled = 0;
  for (const PredictedLaunch& launch : launches) {
    if (!launch.time) continue;
    ++times;
    if (launch.time->simulated()) continue;
    ++all_modelled;
    by_model = &*launch.time;
    modelled += (modelled.empty() ? "" : ", ") + launch.kernel;
  }
  const std::string simulation =
      "by executing the machine code on a simulated SM: eight of ten launches are within their range";
  if (!by_model) return simulation;
  const std::string model = fmt::format(
      "by a model of counts fitted on recordings of an {}, whose ranges are those of an H200, because their clocks are "
      "not known",
      by_model->fitted_on);
  return all_modelled == times ? model : fmt::format("{}; {} {}", simulation, modelled, model);
}

}  // namespace

double PredictedLaunch::gflops() const {
  return 2e-9 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k) / time->seconds;
}

Result<arch::Device> predicted_device(const std::string& name) {
  const Result<std::vector<arch::Device>>& devices = arch::shipped_devices();
  if (!devices) return devices.errors();
  return arch::find_device(*devices, name);
}

Result<PredictedLaunch> predicted_launch(const run::CountedWork& counted, const kernel::Size& size,
                                         const arch::Device& device) {
  if (!run::prediction_model()) return run::prediction_model().errors();
  if (!counted.demand)
    return error(fmt::format("How many registers ptxas gives {} is not known without NVRTC.", counted.kernel));
  if (const predict::Gap gap = run::gap_of(counted, device); gap != predict::Gap::None)
    return PredictedLaunch{counted.kernel, counted.params, size, std::nullopt, gap};
  const std::optional<predict::Predicted> time = run::predict_time(counted, *run::prediction_model(), device);
  if (!time) return error(fmt::format("The SMs or the clock of {} are not known.", device.name));
  return PredictedLaunch{counted.kernel, counted.params, size, *time, predict::Gap::None};
}

std::string predictions_text(const std::vector<PredictedLaunch>& launches, const Style& style) {
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
  table.row({style.bold("predicted"), "", "time", "from .. to", "GFLOPS", "longest"});
  const PredictedLaunch* first = nullptr;
  for (const PredictedLaunch& launch : launches) {
    if (!launch.time) continue;
    if (!first) first = &launch;
    const predict::Predicted& time = *launch.time;
    const bool doubtful = time.doubt != predict::Doubt::None;
    table.row({launch.kernel, settings_text(launch), time_text(time.seconds),
               time_text(time.low) + " .. " + time_text(time.high), fmt::format("{:.0f}", launch.gflops()),
               fmt::format("{}{}{}", to_string(time.limiting), doubtful ? "; doubtful: " : "", to_string(time.doubt))});
  }
  if (!first) return gaps_text(launches);
  return table.text() +
         fmt::format("\nPredicted for {}, not measured, {}. M = {}, N = {}, K = {}.\n", first->time->device,
                     method_text(launches), first->size.m, first->size.n, first->size.k) +
         gaps_text(launches);
}

std::string predictions_json(const char* name, const std::vector<PredictedLaunch>& launches) {
  nlohmann::ordered_json json{{name, nlohmann::ordered_json::array()}};
  for (const PredictedLaunch& launch : launches) json[name].push_back(launch_json(launch));
  return to_text(json);
}

}  // namespace tilescope::cli
