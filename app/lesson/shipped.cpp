#include "lesson/shipped.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/sha256.h"
#include "store/store.h"

namespace tilescope::lesson {
namespace {
using store::Measurement;
using store::Provenance;

const store::Shipped& shipped(Provenance provenance) {
  static const store::Shipped recordings = store::load_recordings(data_folder() / "assets/recordings");
  static const store::Shipped published = store::load_published(data_folder() / "assets/published.toml");
  return provenance == Provenance::Recorded ? recordings : published;
}

/// The subject of a figure: the run's kernel and parameters, on a device, at a size.
struct Wanted {
  std::string device;
  int64_t size = 0;
  store::Subject like;
};

Result<Wanted> wanted(Provenance provenance, const SceneRun& run, const std::vector<Value>& given) {
  if (given.size() != 2 || !given[0].text() || !given[1].number())
    return error(fmt::format("Write {}(\"NVIDIA H200\", 4096): the device, and the size M = N = K.",
                             store::to_string(provenance)));
  Wanted wanted{*given[0].text(), static_cast<int64_t>(*given[1].number()), {}};
  wanted.like.kernel = run.report().kernel;
  wanted.like.params = run.report().params;
  if (provenance == Provenance::Recorded) wanted.like.kernel_hash = digest_of(run.traced->request().kernel.source);
  return wanted;
}

// A file may have them in another order than the kernel's description.
std::map<std::string, int64_t> params_of(const store::Subject& subject) {
  return {subject.params.begin(), subject.params.end()};
}

bool is_like(const Measurement& figure, const store::Subject& like) {
  return figure.subject.kernel == like.kernel && figure.subject.kernel_hash == like.kernel_hash &&
         params_of(figure.subject) == params_of(like) && !figure.subject.hot && figure.subject.m == figure.subject.n &&
         figure.subject.n == figure.subject.k;
}

/// Devices and sizes for which a kernel has figures.
using Places = std::set<std::pair<std::string, int64_t>>;

std::string places_text(const Places& places) {
  if (places.empty()) return "There are none of this kernel with these parameters and this text.";
  std::vector<std::string> texts;
  for (const auto& [device, size] : places) texts.push_back(fmt::format("{} at {}", device, size));
  return fmt::format("There are: {}.", fmt::join(texts, ", "));
}

Diagnostic nothing_there(Provenance provenance, const Wanted& wanted, const Places& others) {
  return error(fmt::format("Nothing {} of {} {} on {} at {} ships with the program. {}", store::to_string(provenance),
                           wanted.like.kernel, store::params_text(wanted.like.params), wanted.device, wanted.size,
                           places_text(others)));
}

/// counter("smsp__inst_executed.sum"): the GPU's counter for one launch.
Result<Value> counter_of(const Measurement& figure, const std::vector<Value>& given) {
  if (given.size() != 1 || !given[0].text())
    return error("Write counter(\"smsp__inst_executed.sum\"): a hardware counter's name.");
  for (const auto& [name, value] : figure.counters)
    if (name == *given[0].text()) return Value(value);
  std::vector<std::string> names;
  for (const auto& [name, value] : figure.counters) names.push_back(name);
  return error(fmt::format("No counter {} was recorded of {} {}. {}", *given[0].text(), figure.subject.kernel,
                           store::params_text(figure.subject.params),
                           names.empty() ? "There are none." : fmt::format("There are: {}.", fmt::join(names, ", "))));
}

std::map<std::string, Value> fields_of(const Measurement& figure) {
  std::map<std::string, Value> fields{{"gflops", figure.gflops},
                                      {"seconds", figure.seconds.median},
                                      {"seconds_low", figure.seconds.low},
                                      {"seconds_high", figure.seconds.high},
                                      {"device", figure.subject.device},
                                      {"source", figure.source},
                                      {"date", figure.date}};
  if (figure.reference)
    fields.emplace(figure.is_product() ? "of_cublas" : "of_copy", figure.reference->relative.median);
  // Figures that ship are loaded once.
  const auto counter = [&figure](const std::vector<Value>& given) { return counter_of(figure, given); };
  fields.emplace("counter", Value(std::make_shared<const Object>(Object{"hardware counters", {}, counter})));
  return fields;
}

Result<Value> figure_like(Provenance provenance, const SceneRun& run, const std::vector<Value>& given) {
  const Result<Wanted> what = wanted(provenance, run, given);
  if (!what) return what.errors();
  if (!shipped(provenance).problems.empty()) return shipped(provenance).problems;
  const Measurement* newest = nullptr;
  Places others;
  for (const Measurement& figure : shipped(provenance).measurements) {
    if (!is_like(figure, what->like)) continue;
    others.emplace(figure.subject.device, figure.subject.m);
    if (figure.subject.device == what->device && figure.subject.m == what->size &&
        (!newest || figure.date >= newest->date))
      newest = &figure;
  }
  if (!newest) return nothing_there(provenance, *what, others);
  return Value(std::make_shared<const Object>(
      Object{fmt::format("a {} figure", store::to_string(provenance)), fields_of(*newest), {}}));
}

}  // namespace

Result<Value> recorded_like(const SceneRun& run, const std::vector<Value>& given) {
  return figure_like(Provenance::Recorded, run, given);
}

Result<Value> published_like(const SceneRun& run, const std::vector<Value>& given) {
  return figure_like(Provenance::Published, run, given);
}

}  // namespace tilescope::lesson
