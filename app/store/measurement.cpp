#include "store/measurement.h"

#include <array>

#include <fmt/format.h>

#include "base/json_reader.h"

namespace tilescope::store {
namespace {
using Json = nlohmann::ordered_json;
using statistics::Interval;
using statistics::Quartiles;

constexpr std::array<std::string_view, 3> kProvenances{"measured", "recorded", "published"};

Json spread_json(double low, double median, double high) { return {{"low", low}, {"median", median}, {"high", high}}; }

template <class Spread>
Spread read_spread(const Json& json, const char* what, JsonReader& whole) {
  JsonReader reader(json, what);
  const Spread spread{reader.number("low"), reader.number("median"), reader.number("high")};
  whole.take(reader);
  return spread;
}

Json reference_json(const Reference& reference) {
  const auto& [name, seconds, relative] = reference;
  return {{"name", name},
          {"seconds", spread_json(seconds.low, seconds.median, seconds.high)},
          {"relative", spread_json(relative.low, relative.median, relative.high)}};
}

Reference read_reference(const Json& json, JsonReader& whole) {
  JsonReader reader(json, "cublas");
  Reference reference;
  reference.name = reader.text("name");
  reference.seconds = read_spread<Quartiles>(reader.object("seconds"), "cuBLAS's time", reader);
  reference.relative = read_spread<Interval>(reader.object("relative"), "the time relative to cuBLAS", reader);
  whole.take(reader);
  return reference;
}

Json params_json(const Subject& subject) {
  Json params = Json::object();
  for (const auto& [name, value] : subject.params) params[name] = value;
  return params;
}

void read_params(const Json& json, Subject& subject, JsonReader& reader) {
  for (const auto& [name, value] : json.items())
    if (value.is_number_integer())
      subject.params.emplace_back(name, value.get<int64_t>());
    else
      reader.report(fmt::format("the parameter {} is not a whole number", name));
}

Json counters_json(const Measurement& measurement) {
  Json counters = Json::object();
  for (const auto& [name, value] : measurement.counters) counters[name] = value;
  return counters;
}

void read_counters(const Json& json, Measurement& measurement, JsonReader& reader) {
  for (const auto& [name, value] : json.items())
    if (value.is_number())
      measurement.counters.emplace_back(name, value.get<double>());
    else
      reader.report(fmt::format("the counter {} is not a number", name));
}

Provenance read_provenance(JsonReader& reader) {
  const std::string text = reader.text("provenance");
  for (size_t i = 0; i < kProvenances.size(); ++i)
    if (text == kProvenances[i]) return static_cast<Provenance>(i);
  reader.report(fmt::format("the provenance \"{}\" is unknown", text));
  return {};
}

void read_subject(JsonReader& reader, Subject& subject) {
  subject.device = reader.text("device");
  subject.kernel = reader.text("kernel");
  subject.kernel_hash = reader.text("kernel_hash");
  read_params(reader.object("params"), subject, reader);
  subject.m = reader.integer("m", 1);
  subject.n = reader.integer("n", 1);
  subject.k = reader.integer("k", 1);
  subject.math = reader.text("math");
  subject.toolkit = reader.text("toolkit");
  subject.hot = reader.flag("hot");
}

}  // namespace

std::string_view to_string(Provenance provenance) { return kProvenances[static_cast<size_t>(provenance)]; }

std::optional<double> Measurement::percent_of_reference() const {
  if (!reference) return std::nullopt;
  return 100 * reference->relative.median;
}

statistics::Comparison compare(const Measurement& a, const Measurement& b) {
  if (a.reference && b.reference) return statistics::compare(a.reference->relative, b.reference->relative);
  const auto speed = [](const Quartiles& time) { return Interval{1 / time.high, 1 / time.median, 1 / time.low}; };
  return statistics::compare(speed(a.seconds), speed(b.seconds));
}

std::string compiler_text(const Subject& subject) {
  const bool is_nvrtc = !subject.toolkit.empty() && subject.toolkit.front() >= '0' && subject.toolkit.front() <= '9';
  return is_nvrtc ? "NVRTC " + subject.toolkit : subject.toolkit;
}

std::string params_text(const std::vector<std::pair<std::string, int64_t>>& params) {
  std::string text;
  for (const auto& [name, value] : params)
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Json to_json(const Measurement& measurement) {
  const Subject& subject = measurement.subject;
  const Quartiles& seconds = measurement.seconds;
  Json json{{"provenance", to_string(measurement.provenance)},
            {"source", measurement.source},
            {"device", subject.device},
            {"driver", measurement.driver},
            {"toolkit", subject.toolkit},
            {"date", measurement.date},
            {"clock_mhz", measurement.clock_mhz},
            {"kernel", subject.kernel},
            {"kernel_hash", subject.kernel_hash},
            {"params", params_json(subject)},
            {"m", subject.m},
            {"n", subject.n},
            {"k", subject.k},
            {"math", subject.math},
            {"hot", subject.hot},
            {"seconds", spread_json(seconds.low, seconds.median, seconds.high)},
            {"gflops", measurement.gflops},
            {"cublas", measurement.reference ? reference_json(*measurement.reference) : Json()},
            {"noise", measurement.noise},
            {"noisy", measurement.is_noisy},
            {"samples", measurement.samples},
            {"dropped", measurement.dropped}};
  if (!measurement.counters.empty()) json["counters"] = counters_json(measurement);
  if (!measurement.no_counters.empty()) json["no_counters"] = measurement.no_counters;
  return json;
}

Result<Measurement> from_json(const Json& json) {
  JsonReader reader(json, "the measurement");
  Measurement result;
  result.provenance = read_provenance(reader);
  result.source = reader.text("source");
  read_subject(reader, result.subject);
  result.driver = reader.text("driver");
  result.date = reader.text("date");
  result.clock_mhz = reader.number("clock_mhz");
  result.seconds = read_spread<Quartiles>(reader.object("seconds"), "the time", reader);
  result.gflops = reader.number("gflops");
  if (!reader.is_null("cublas")) result.reference = read_reference(reader.object("cublas"), reader);
  result.noise = reader.number("noise");
  result.is_noisy = reader.flag("noisy");
  result.samples = reader.count<uint32_t>("samples");
  result.dropped = reader.count<uint32_t>("dropped");
  if (json.contains("counters")) read_counters(reader.object("counters"), result, reader);
  if (!reader.problems().empty()) return reader.problems();
  return result;
}

}  // namespace tilescope::store
