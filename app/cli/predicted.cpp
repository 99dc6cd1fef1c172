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
  const std::optional<predict::Predicted> time = predict::predict(*run::prediction_model(), device, *counted.demand);
  if (counted.demand->gap != predict::Gap::None)
    return PredictedLaunch{counted.kernel, counted.params, size, std::nullopt, counted.demand->gap};
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
         fmt::format(
             "\nPredicted for {} by a model fitted on recordings of an {}, not measured. M = {}, "
             "N = {}, K = {}. Of an H200 eight of ten recordings are within their range; of other devices it is not "
             "known.\n",
             first->time->device, first->time->fitted_on, first->size.m, first->size.n, first->size.k) +
         gaps_text(launches);
}

std::string predictions_json(const char* name, const std::vector<PredictedLaunch>& launches) {
  nlohmann::ordered_json json{{name, nlohmann::ordered_json::array()}};
  for (const PredictedLaunch& launch : launches) json[name].push_back(launch_json(launch));
  return to_text(json);
}

}  // namespace tilescope::cli
