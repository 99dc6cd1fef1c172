#include "cli/predicted.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
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
  nlohmann::ordered_json params = nlohmann::ordered_json::object();
  for (const auto& [name, value] : launch.params) params[name] = value;
  return {{"kernel", launch.kernel},
          {"params", params},
          {"m", launch.size.m},
          {"n", launch.size.n},
          {"k", launch.size.k},
          {"gflops", launch.gflops()},
          {"predicted", wording::to_json(launch.time)}};
}

}  // namespace

double PredictedLaunch::gflops() const {
  return 2e-9 * static_cast<double>(size.m) * static_cast<double>(size.n) * static_cast<double>(size.k) / time.seconds;
}

Result<arch::Device> predicted_device(const std::string& name) {
  const Result<std::vector<arch::Device>> devices = arch::load_devices(data_folder() / "assets/devices.toml");
  if (!devices) return devices.errors();
  return arch::find_device(*devices, name);
}

Result<PredictedLaunch> predicted_launch(const run::CountedWork& counted, const kernel::Size& size,
                                         const arch::Device& device) {
  if (!run::prediction_model()) return run::prediction_model().errors();
  if (!counted.demand)
    return error(fmt::format("How many registers ptxas gives {} is not known without NVRTC.", counted.kernel));
  const std::optional<predict::Predicted> time = predict::predict(*run::prediction_model(), device, *counted.demand);
  if (!time) return error(fmt::format("The SMs or the clock of {} are not known.", device.name));
  return PredictedLaunch{counted.kernel, counted.params, size, *time};
}

std::string predictions_text(const std::vector<PredictedLaunch>& launches, const Style& style) {
  Table table({Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left});
  table.row({style.bold("predicted"), "", "time", "from .. to", "GFLOPS", "longest"});
  for (const PredictedLaunch& launch : launches)
    table.row({launch.kernel, settings_text(launch), time_text(launch.time.seconds),
               time_text(launch.time.low) + " .. " + time_text(launch.time.high),
               fmt::format("{:.0f}", launch.gflops()), std::string(to_string(launch.time.limiting))});
  const PredictedLaunch& first = launches.front();
  return table.text() + fmt::format(
                            "\nPredicted for {} by a model fitted on recordings of an {}, not measured. M = {}, "
                            "N = {}, K = {}. Eight of ten recordings lie in their range.\n",
                            first.time.device, first.time.fitted_on, first.size.m, first.size.n, first.size.k);
}

std::string predictions_json(const char* name, const std::vector<PredictedLaunch>& launches) {
  nlohmann::ordered_json json{{name, nlohmann::ordered_json::array()}};
  for (const PredictedLaunch& launch : launches) json[name].push_back(launch_json(launch));
  return to_text(json);
}

}  // namespace tilescope::cli
