#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/arch.h"
#include "cli/text.h"
#include "predict/predict.h"
#include "run/counted_work.h"

namespace tilescope::cli {

/// A configuration of a kernel at a size, with its predicted time or why it has none.
struct PredictedLaunch {
  std::string kernel;
  std::vector<std::pair<std::string, int64_t>> params;
  kernel::Size size;
  std::optional<predict::Predicted> time;
  predict::Gap gap = predict::Gap::None;  ///< Not None if there is no time.
  double gflops() const;                  ///< 2 m n k over the time, where there is one.
};

/// The GPU of assets/devices.toml that --gpu names.
Result<arch::Device> predicted_device(const std::string& name);

/// From counts; without a time if the kernel has a gap. Errors: ptxas's registers or the device's figures are unknown.
Result<PredictedLaunch> predicted_launch(const run::CountedWork& counted, const kernel::Size& size,
                                         const arch::Device& device);

/// A table with a row per launch and an explanation of its figures; below it, which have none and why. At least one.
std::string predictions_text(const std::vector<PredictedLaunch>& launches, const Style& style);
std::string predictions_json(const char* name, const std::vector<PredictedLaunch>& launches);

}  // namespace tilescope::cli
