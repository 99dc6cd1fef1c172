#include "kernel/nearest_legal.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "kernel/configuration.h"

namespace tilescope::kernel {
namespace {

constexpr size_t kMostWays = 3;
constexpr size_t kMostChanges = 3;  // parameters changed together
constexpr size_t kMostTrials = 6000;
constexpr size_t kMostValuesTried = 24;  // of a parameter, the nearest, where several change together
constexpr int64_t kSizeReach = 256;      // how far from a given M, N or K
constexpr int kSizeRounds = 4;

double distance(int64_t from, int64_t to) {
  if (from > 0 && to > 0) return std::fabs(std::log2(static_cast<double>(to) / static_cast<double>(from)));
  return std::fabs(static_cast<double>(to) - static_cast<double>(from));
}

struct LegalChange {
  double distance = 0;
  size_t not_chosen = 0;  ///< How many of the changes are to values that the user had left alone.
  FixIt changes;
};

class Search {
 public:
  Search(Model& model, const Description& description, const std::set<std::string>& must_change,
         const std::set<std::string>& chosen)
      : model_(model), description_(description), must_change_(must_change), chosen_(chosen) {}

  std::vector<FixIt> run() {
    sort_candidates();
    for (size_t count = 1; count <= kMostChanges && ways_.empty(); ++count) try_sets({}, 0, count);
    std::stable_sort(ways_.begin(), ways_.end(), [](const LegalChange& a, const LegalChange& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.not_chosen < b.not_chosen;
    });
    std::vector<FixIt> best;
    if (FixIt sizes = try_sizes(); !sizes.empty()) best.push_back(std::move(sizes));
    for (size_t i = 0; i < ways_.size() && best.size() < kMostWays; ++i) best.push_back(ways_[i].changes);
    return best;
  }

 private:
  using Parameters = std::vector<const Parameter*>;

  bool must(const std::string& name) const { return must_change_.contains(name); }

  void sort_candidates() {
    for (const Parameter& parameter : description_.parameters) {
      const int64_t current = model_.get(parameter.name);
      std::vector<int64_t> values = parameter.values;
      std::erase(values, current);
      std::stable_sort(values.begin(), values.end(),
                       [&](int64_t a, int64_t b) { return distance(current, a) < distance(current, b); });
      candidates_[parameter.name] = std::move(values);
    }
  }

  // Every set of `count` parameters, those from `next` on added to `set`, that contains all that must change.
  void try_sets(const Parameters& set, size_t next, size_t count) {
    if (set.size() == count) {
      const auto musts = std::count_if(set.begin(), set.end(), [&](const Parameter* each) { return must(each->name); });
      if (static_cast<size_t>(musts) == must_change_.size()) try_set(set);
      return;
    }
    for (size_t i = next; i < description_.parameters.size() && trials_ <= kMostTrials; ++i) {
      Parameters longer = set;
      longer.push_back(&description_.parameters[i]);
      try_sets(longer, i + 1, count);
    }
  }

  void try_set(const Parameters& set) {
    LegalChange best{INFINITY, 0, {}};
    try_values(set, {}, 0, best);
    if (best.changes.empty()) return;
    for (const auto& [name, value] : best.changes) best.not_chosen += !chosen_.contains(name);
    ways_.push_back(std::move(best));
  }

  // Every combination of values for the parameters of `set` after the first `changes.size()`, until one is farther than
  // the best so far.
  void try_values(const Parameters& set, const FixIt& changes, double so_far, LegalChange& best) {
    if (changes.size() == set.size()) {
      if (++trials_ <= kMostTrials && model_.broken() == 0) best = {so_far, 0, changes};
      return;
    }
    const Parameter& parameter = *set[changes.size()];
    const int64_t before = model_.get(parameter.name);
    const std::vector<int64_t>& values = candidates_[parameter.name];
    const size_t tried = set.size() == 1 ? values.size() : std::min(values.size(), kMostValuesTried);
    for (const int64_t value : std::span(values).first(tried)) {
      const double how_far = so_far + distance(before, value);
      if (how_far >= best.distance || trials_ > kMostTrials) break;
      model_.set(parameter.name, value);
      FixIt longer = changes;
      longer.emplace_back(parameter.name, value);
      try_values(set, longer, how_far, best);
      model_.set(parameter.name, before);
    }
  }

  // Moves M, N and K, each to the nearest value that breaks fewer rules, until none is broken. Values that must
  // change anyway are corrected first.
  FixIt try_sizes() {
    if (!must_change_.empty() && !ways_.empty()) return {};
    FixIt before, after;
    for (const Parameter& parameter : description_.parameters)
      if (must(parameter.name)) before.emplace_back(parameter.name, model_.get(parameter.name));
    for (const char* name : {"M", "N", "K"}) before.emplace_back(name, model_.get(name));
    for (const Parameter& parameter : description_.parameters)
      if (must(parameter.name)) model_.set(parameter.name, candidates_[parameter.name].front());
    size_t broken = model_.broken();
    for (int round = 0; round < kSizeRounds && broken != 0; ++round)
      for (const char* name : {"M", "N", "K"}) broken = improve_size(name, broken);
    for (const auto& [name, value] : before) {
      if (broken == 0 && model_.get(name) != value) after.emplace_back(name, model_.get(name));
      model_.set(name, value);
    }
    return after;
  }

  size_t improve_size(const std::string& name, size_t broken) {
    const int64_t start = model_.get(name);
    for (int64_t step = 1; step <= kSizeReach && broken != 0; ++step)
      for (const int64_t value : {start + step, start - step}) {
        if (value < 1 || value > kLargestSize) continue;
        model_.set(name, value);
        if (const size_t now = model_.broken(); now < broken) return now;
      }
    model_.set(name, start);
    return broken;
  }

  Model& model_;
  const Description& description_;
  const std::set<std::string>& must_change_;
  const std::set<std::string>& chosen_;
  std::map<std::string, std::vector<int64_t>> candidates_;  // other values of each parameter, the nearest first
  std::vector<LegalChange> ways_;
  size_t trials_ = 0;
};

}  // namespace

std::vector<FixIt> nearest_legal(Model& model, const Description& description, const std::set<std::string>& must_change,
                                 const std::set<std::string>& chosen) {
  return Search(model, description, must_change, chosen).run();
}

Message nearest_sentence(const std::vector<FixIt>& ways) {
  if (ways.empty()) return Message("No legal values were found near these.");
  Message all;
  for (const FixIt& changes : ways) {
    const Message one = settings_text(changes);
    all = all.empty() ? one : Message("{}; or {}", all, one);
  }
  return Message("Nearest legal: {}.", all);
}

Message settings_text(const FixIt& changes) {
  std::vector<Message> items;
  for (const auto& [name, value] : changes) items.push_back(fmt::format("{} = {}", name, value));
  return join_with_and(items);
}

}  // namespace tilescope::kernel
