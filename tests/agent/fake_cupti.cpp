// A stand-in for libcupti: a chip with three counters that needs two passes. $FAKE_CUPTI names what goes wrong:
// "privileges", "busy", "endless". A counter's value is its place among those requested, from 1, times the launches.

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kImage = 16;

bool is(const char* mode) {
  const char* chosen = std::getenv("FAKE_CUPTI");
  return chosen && std::strcmp(chosen, mode) == 0;
}

int passes, ranges, open_ranges;
uint8_t* data;

}  // namespace

extern "C" {

CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_UNKNOWN";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  return params->structSize == CUpti_Profiler_Initialize_Params_STRUCT_SIZE ? CUPTI_SUCCESS
                                                                            : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  return std::strcmp(params->pChipName, "FAKE") == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CHIP_NAME;
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  return std::strncmp(params->pMetricName, "has_", 4) == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_METRIC_NAME;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = kImage;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  return params->configImageSize == kImage ? CUPTI_SUCCESS : CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (size_t i = 0; i < params->numMetrics; ++i)
    params->pMetricValues[i] = static_cast<double>(i + 1) * params->pCounterDataImage[0];
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params*) {
  passes = ranges = 0;
  return is("privileges") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = kImage;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  data = params->pCounterDataImage;
  return is("busy") ? CUPTI_ERROR_HARDWARE_BUSY : CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) { return CUPTI_SUCCESS; }
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params*) {
  ++open_ranges;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params*) {
  --open_ranges;
  ++ranges;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  params->isAllPassSubmitted = ++passes >= 2 && !is("endless");
  return open_ranges == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  data[0] = static_cast<uint8_t>(ranges);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  params->numTotalRanges = 1;
  return CUPTI_SUCCESS;
}
}
