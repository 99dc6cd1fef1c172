#include "agent/counters.h"

#if __has_include(<cupti_range_profiler.h>)

#include <cstdint>
#include <optional>

#include "agent/cupti.h"

namespace tilescope::agent {
namespace {

constexpr int kMostPasses = 64;

/// A call's parameters, all zero except their size, by which CUPTI knows their version.
#define TILESCOPE_PARAMS(type, name) \
  type name{};                       \
  name.structSize = type##_STRUCT_SIZE

/// Thrown and caught in this file.
struct CuptiFailure {
  CUptiResult result;
  const char* what;
};

void check(CUptiResult result, const char* what) {
  if (result != CUPTI_SUCCESS) throw CuptiFailure{result, what};
}

/// The half of CUPTI that knows the chip's counters: their names, how to set the GPU up for them, their values.
class Host {
 public:
  Host(const Cupti& cupti, int device) : cupti_(cupti) {
    TILESCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<size_t>(device);
    check(cupti.chip_name(&chip), "asking for the chip");
    TILESCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params, begin);
    begin.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    begin.pChipName = chip.pChipName;
    check(cupti.host_begin(&begin), "looking up the chip's counters");
    host_ = begin.pHostObject;
  }
  ~Host() {
    TILESCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, end);
    end.pHostObject = host_;
    cupti_.host_end(&end);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool has(const std::string& name) const {
    TILESCOPE_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
    params.pHostObject = host_;
    params.pMetricName = name.c_str();
    return cupti_.metric_properties(&params) == CUPTI_SUCCESS;
  }

  /// How the GPU must be set up, pass by pass.
  std::vector<uint8_t> configuration(std::vector<const char*> names) const {
    TILESCOPE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = host_;
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    check(cupti_.add_metrics(&add), "choosing counters");
    TILESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    check(cupti_.config_size(&size), "choosing counters");
    std::vector<uint8_t> image(size.configImageSize);
    TILESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, get);
    get.pHostObject = host_;
    get.configImageSize = image.size();
    get.pConfigImage = image.data();
    check(cupti_.config_image(&get), "choosing counters");
    return image;
  }

  std::vector<double> values(std::vector<const char*> names, const std::vector<uint8_t>& data) const {
    std::vector<double> values(names.size());
    TILESCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
    params.pHostObject = host_;
    params.pCounterDataImage = data.data();
    params.counterDataImageSize = data.size();
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    params.pMetricValues = values.data();
    check(cupti_.evaluate(&params), "evaluating the counters");
    return values;
  }

 private:
  const Cupti& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// The half that affects the GPU while it exists: other work of the context is slower meanwhile.
class Profiler {
 public:
  Profiler(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    TILESCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
    params.ctx = context;
    check(cupti.enable(&params), "enabling the profiler");
    profiler_ = params.pRangeProfilerObject;
  }
  ~Profiler() {
    TILESCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = profiler_;
    cupti_.disable(&params);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Counts the launch, once for each pass. The data is for Host::values().
  std::vector<uint8_t> count(std::vector<const char*> names, const std::vector<uint8_t>& configuration,
                             const CountedLaunch& counted) {
    std::vector<uint8_t> data = make_data(std::move(names));
    set_up(configuration, data);
    for (int pass = 0; !run_pass(counted); ++pass)
      if (pass == kMostPasses) throw CuptiFailure{CUPTI_ERROR_UNKNOWN, "ending the last pass"};
    TILESCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = profiler_;
    check(cupti_.decode(&params), "decoding the counters");
    TILESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    check(cupti_.data_info(&info), "decoding the counters");
    if (info.numTotalRanges != 1) throw CuptiFailure{CUPTI_ERROR_UNKNOWN, "counting the launch"};
    return data;
  }

 private:
  std::vector<uint8_t> make_data(std::vector<const char*> names) {
    TILESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    check(cupti_.data_size(&size), "making room for the counters");
    std::vector<uint8_t> data(size.counterDataSize);
    TILESCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, begin);
    begin.pRangeProfilerObject = profiler_;
    begin.counterDataSize = data.size();
    begin.pCounterData = data.data();
    check(cupti_.data_begin(&begin), "making room for the counters");
    return data;
  }

  void set_up(const std::vector<uint8_t>& configuration, std::vector<uint8_t>& data) {
    TILESCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
    params.pRangeProfilerObject = profiler_;
    params.configSize = configuration.size();
    params.pConfig = configuration.data();
    params.counterDataImageSize = data.size();
    params.pCounterDataImage = data.data();
    params.range = CUPTI_UserRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = 1;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.targetNestingLevel = 1;
    check(cupti_.set_config(&params), "setting the counters up");
  }

  // True after the last.
  bool run_pass(const CountedLaunch& counted) {
    counted.prepare();
    TILESCOPE_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = profiler_;
    check(cupti_.start(&start), "starting a pass");
    TILESCOPE_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "launch";
    check(cupti_.push(&push), "starting a pass");
    counted.launch();
    TILESCOPE_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = profiler_;
    check(cupti_.pop(&pop), "ending a pass");
    TILESCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    check(cupti_.stop(&stop), "ending a pass");
    return stop.isAllPassSubmitted != 0;
  }

  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

std::vector<protocol::CounterValue> count(const Cupti& cupti, CUcontext context, int device,
                                          const std::vector<std::string>& names, const CountedLaunch& counted) {
  TILESCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  check(cupti.initialize(&initialize), "starting");
  const Host host(cupti, device);
  std::vector<const char*> known;
  for (const std::string& name : names)
    if (host.has(name)) known.push_back(name.c_str());
  if (known.empty()) return {};
  const std::vector<uint8_t> data = Profiler(cupti, context).count(known, host.configuration(known), counted);
  const std::vector<double> values = host.values(known, data);
  std::vector<protocol::CounterValue> result;
  for (size_t i = 0; i < known.size(); ++i) result.push_back({known[i], values[i]});
  return result;
}

#undef TILESCOPE_PARAMS

}  // namespace

Result<std::vector<protocol::CounterValue>> read_counters(CUcontext context, int device,
                                                          const std::vector<std::string>& names,
                                                          const CountedLaunch& counted) {
  const Result<Cupti> cupti = load_cupti();
  if (!cupti) return cupti.errors();
  try {
    return count(*cupti, context, device, names, counted);
  } catch (const CuptiFailure& failure) {
    return error(cupti->explain(failure.result, failure.what));
  }
}

}  // namespace tilescope::agent

#else

namespace tilescope::agent {

Result<std::vector<protocol::CounterValue>> read_counters(CUcontext, int, const std::vector<std::string>&,
                                                          const CountedLaunch&) {
  return error("This agent was built without CUPTI, which reads hardware counters. Build it with the CUDA Toolkit 13.");
}

}  // namespace tilescope::agent

#endif
