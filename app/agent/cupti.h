#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <string>

#include "base/result.h"

namespace tilescope::agent {

// Member and the function of libcupti that it is.
#define TILESCOPE_CUPTI_FUNCTIONS(X)                          \
  X(result_string, cuptiGetResultString)                      \
  X(initialize, cuptiProfilerInitialize)                      \
  X(chip_name, cuptiDeviceGetChipName)                        \
  X(host_begin, cuptiProfilerHostInitialize)                  \
  X(host_end, cuptiProfilerHostDeinitialize)                  \
  X(metric_properties, cuptiProfilerHostGetMetricProperties)  \
  X(add_metrics, cuptiProfilerHostConfigAddMetrics)           \
  X(config_size, cuptiProfilerHostGetConfigImageSize)         \
  X(config_image, cuptiProfilerHostGetConfigImage)            \
  X(evaluate, cuptiProfilerHostEvaluateToGpuValues)           \
  X(enable, cuptiRangeProfilerEnable)                         \
  X(disable, cuptiRangeProfilerDisable)                       \
  X(data_size, cuptiRangeProfilerGetCounterDataSize)          \
  X(data_begin, cuptiRangeProfilerCounterDataImageInitialize) \
  X(set_config, cuptiRangeProfilerSetConfig)                  \
  X(start, cuptiRangeProfilerStart)                           \
  X(stop, cuptiRangeProfilerStop)                             \
  X(push, cuptiRangeProfilerPushRange)                        \
  X(pop, cuptiRangeProfilerPopRange)                          \
  X(decode, cuptiRangeProfilerDecodeData)                     \
  X(data_info, cuptiRangeProfilerGetCounterDataInfo)

/// CUPTI, opened when counters are requested: the agent also measures without it.
struct Cupti {
#define TILESCOPE_MEMBER(member, declaration) decltype(&::declaration) member = nullptr;
  TILESCOPE_CUPTI_FUNCTIONS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER

  /// Why a call failed and what to do, as a sentence. `what` is what was tried: "starting".
  std::string explain(CUptiResult result, const char* what) const;
};

/// Opens libcupti: $TILESCOPE_CUPTI, on the loader's path, or in a CUDA folder. The error says what is missing.
Result<Cupti> load_cupti();

}  // namespace tilescope::agent
