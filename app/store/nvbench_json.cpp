#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "store/measurement.h"

namespace tilescope::store {
namespace {
using Json = nlohmann::ordered_json;

Json axis_value(const std::string& name, int64_t value) {
  return {{"name", name}, {"type", "int64"}, {"value", std::to_string(value)}};
}

Json float_summary(const char* tag, const std::string& name, const char* hint, double value) {
  return {{"tag", tag},
          {"name", name},
          {"hint", hint},
          {"data", Json::array({{{"name", "value"}, {"type", "float64"}, {"value", fmt::format("{}", value)}}})}};
}

Json summaries(const Measurement& m) {
  Json result = Json::array({
      float_summary("nv/cold/sample_size", "Samples", "sample_size", m.samples),
      float_summary("nv/cold/time/gpu/q1", "Q1 GPU Time", "duration", m.seconds.low),
      float_summary("nv/cold/time/gpu/median", "Median GPU Time", "duration", m.seconds.median),
      float_summary("nv/cold/time/gpu/q3", "Q3 GPU Time", "duration", m.seconds.high),
      float_summary("nv/cold/time/gpu/stdev/relative", "Noise", "percentage", m.noise),
      float_summary("nv/cold/sm_clock_rate/mean", "Clock Rate", "frequency", m.clock_mhz * 1e6),
  });
  if (m.is_product()) result.push_back(float_summary("tilescope/gflops", "GFLOPS", "", m.gflops));
  if (m.reference) {
    const std::string name = m.is_product() ? "cuBLAS" : "Copy";
    result.push_back(float_summary(m.is_product() ? "tilescope/cublas/median" : "tilescope/copy/median", name,
                                   "duration", m.reference->seconds.median));
    result.push_back(
        float_summary("tilescope/relative", "Relative to " + name, "percentage", m.reference->relative.median));
  }
  return result;
}

Json state_json(const Measurement& m, int device) {
  Json axes = Json::array();
  for (const auto& [name, value] : m.subject.params) axes.push_back(axis_value(name, value));
  axes.push_back(axis_value("M", m.subject.m));
  axes.push_back(axis_value("N", m.subject.n));
  axes.push_back(axis_value("K", m.subject.k));
  const std::string extents = fmt::format("M={} N={} K={}", m.subject.m, m.subject.n, m.subject.k);
  const std::string params = params_text(m.subject.params);
  return {{"name", params.empty() ? extents : fmt::format("{} {}", params, extents)},
          {"device", device},
          {"axis_values", axes},
          {"is_skipped", false},
          {"summaries", summaries(m)}};
}

}  // namespace

Json to_nvbench_json(const std::vector<Measurement>& measurements) {
  std::map<std::string, int> devices;
  Json device_list = Json::array(), benchmarks = Json::array();
  std::map<std::string, size_t> places;
  for (const Measurement& m : measurements) {
    const auto [device, is_new] = devices.try_emplace(m.subject.device, static_cast<int>(devices.size()));
    if (is_new) device_list.push_back({{"id", device->second}, {"name", m.subject.device}});
    const auto [place, first] = places.try_emplace(m.subject.kernel, benchmarks.size());
    if (first) benchmarks.push_back({{"name", m.subject.kernel}, {"index", place->second}, {"states", Json::array()}});
    benchmarks[place->second]["states"].push_back(state_json(m, device->second));
  }
  return {{"meta", {{"version", {{"json", {{"major", 1}, {"minor", 0}, {"patch", 0}}}}}}},
          {"devices", device_list},
          {"benchmarks", benchmarks}};
}

}  // namespace tilescope::store
