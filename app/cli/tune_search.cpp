#include "cli/tune_search.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "kernel/model.h"
#include "run/counted_work.h"
#include "run/prepare.h"

namespace tilescope::cli {
namespace {

constexpr uint64_t kMostCombinations = 1'000'000;
constexpr size_t kSeeds = 24;       // Examined before neighbours.
constexpr size_t kRandomEvery = 5;  // Later one in this many: the best may have no good neighbour.

/// Visits every combination of the parameters' values by their places.
template <class Visit>
void for_each_combination(const kernel::Description& description, Visit visit) {
  std::vector<size_t> places(description.parameters.size(), 0);
  for (size_t at = 0;;) {
    visit(places);
    for (at = 0; at < places.size(); ++at) {
      if (++places[at] < description.parameters[at].values.size()) break;
      places[at] = 0;
    }
    if (at == places.size()) return;
  }
}

bool has_the_defaults(const Candidate& candidate, const kernel::Description& description) {
  return std::all_of(description.parameters.begin(), description.parameters.end(), [&](const auto& parameter) {
    return candidate.settings.at(parameter.name) == std::to_string(parameter.default_value);
  });
}

/// Whether one parameter has a neighbouring value and all others are equal.
bool are_neighbours(const Candidate& a, const Candidate& b) {
  size_t apart = 0;
  for (size_t i = 0; i < a.places.size(); ++i)
    apart += a.places[i] > b.places[i] ? a.places[i] - b.places[i] : b.places[i] - a.places[i];
  return apart == 1;
}

/// Of two with equal times, the one with more warps.
bool promises_more(const Candidate& a, const Candidate& b) {
  return a.seconds() != b.seconds() ? a.seconds() < b.seconds() : a.occupancy > b.occupancy;
}

void examine(const Search& search, Candidate& candidate, compile::Compiler& compiler, const std::atomic<bool>& cancel) {
  run::Request request;
  request.kernel = search.kernel;
  request.settings = candidate.settings;
  request.size = search.size;
  request.arch = search.arch;
  const Result<run::PreparedPointer> prepared = run::prepare(request, compiler, &cancel);
  if (!prepared || !(*prepared)->occupancy) return;
  const Result<run::CountedWork> counted = run::count_and_time(**prepared, compiler, &cancel);
  if (!counted) return;
  candidate.occupancy = (*prepared)->occupancy->theoretical;
  if (!search.device) return;
  if (counted->stands_for_grid) candidate.bound = analysis::bound(*search.device, counted->work).seconds;
  if (const Result<PredictedLaunch> predicted = predicted_launch(*counted, search.size, *search.device))
    candidate.predicted = *predicted;
}

}  // namespace

uint64_t combinations(const kernel::Description& description) {
  uint64_t count = 1;
  for (const kernel::Parameter& parameter : description.parameters) count *= parameter.values.size();
  return count;
}

Result<std::vector<Candidate>> legal_candidates(const Search& search) {
  const kernel::Description& description = search.kernel.description;
  if (combinations(description) > kMostCombinations)
    return error("There are more than a million combinations. Give the parameters fewer values in the description.");
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(search.arch));
  if (!limits) return limits.errors();
  kernel::Model model(description, run::configuration_limits(*limits));
  model.set("M", search.size.m);
  model.set("N", search.size.n);
  model.set("K", search.size.k);
  std::vector<Candidate> legal;
  for_each_combination(description, [&](const std::vector<size_t>& places) {
    Candidate candidate;
    candidate.places = places;
    for (size_t i = 0; i < places.size(); ++i) {
      const kernel::Parameter& parameter = description.parameters[i];
      model.set(parameter.name, parameter.values[places[i]]);
      candidate.settings[parameter.name] = std::to_string(parameter.values[places[i]]);
    }
    if (model.broken() == 0) legal.push_back(std::move(candidate));
  });
  return legal;
}

Examination::Examination(const Search& search, std::vector<Candidate> candidates, compile::Compiler& compiler,
                         unsigned threads, const std::atomic<bool>& cancel)
    : search_(search), compiler_(compiler), cancel_(cancel), candidates_(std::move(candidates)) {
  std::shuffle(candidates_.begin(), candidates_.end(), std::mt19937(1));
  std::stable_partition(candidates_.begin(), candidates_.end(), [&](const Candidate& candidate) {
    return has_the_defaults(candidate, search.kernel.description);
  });
  touched_.resize(candidates_.size());
  crew_.emplace(threads, [this] { work(); });
}

Examination::~Examination() { stop(); }

void Examination::stop() {
  ends_ = true;
  crew_.reset();
}

void Examination::work() {
  while (!ends_ && !cancel_ && examine_next()) continue;
}

void Examination::wait() {
  constexpr auto kMoment = std::chrono::milliseconds(50);
  if (crew_->size() == 0)
    examine_next();
  else
    std::this_thread::sleep_for(kMoment);
}

bool Examination::examine_next() {
  std::unique_lock lock(mutex_);
  const std::optional<size_t> index = next();
  if (!index) return false;
  touched_[*index] = true;
  ++begun_;
  Candidate candidate = candidates_[*index];
  lock.unlock();
  examine(search_, candidate, compiler_, cancel_);
  if (cancel_) return false;
  lock.lock();
  candidate.examined = true;
  const bool can_be_launched = candidate.occupancy > 0;
  candidates_[*index] = std::move(candidate);
  ++examined_;
  if (!can_be_launched) return true;
  const auto before = [this](size_t a, size_t b) { return promises_more(candidates_[a], candidates_[b]); };
  ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), *index, before), *index);
  return true;
}

std::optional<size_t> Examination::next() {
  if (begun_ < kSeeds || begun_ % kRandomEvery == 0) return untouched_at_random();
  const std::optional<size_t> neighbour = untouched_neighbour();
  return neighbour ? neighbour : untouched_at_random();
}

std::optional<size_t> Examination::untouched_neighbour() const {
  for (const size_t best : ranked_)
    for (size_t i = 0; i < candidates_.size(); ++i)
      if (!touched_[i] && are_neighbours(candidates_[best], candidates_[i])) return i;
  return std::nullopt;
}

// The candidates are in random order.
std::optional<size_t> Examination::untouched_at_random() {
  while (random_ < touched_.size() && touched_[random_]) ++random_;
  return random_ < touched_.size() ? std::optional(random_) : std::nullopt;
}

Examination::Progress Examination::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress{examined_, ranked_.size(), candidates_.size()};
  if (!ranked_.empty()) progress.best = candidates_[ranked_.front()];
  return progress;
}

std::optional<Candidate> Examination::take() {
  const std::lock_guard lock(mutex_);
  for (const size_t index : ranked_) {
    if (candidates_[index].taken) continue;
    candidates_[index].taken = true;
    return candidates_[index];
  }
  return std::nullopt;
}

std::vector<Candidate> Examination::launchable() const {
  const std::lock_guard lock(mutex_);
  std::vector<Candidate> found;
  for (const size_t index : ranked_) found.push_back(candidates_[index]);
  return found;
}

}  // namespace tilescope::cli
