#include "kernel/nearest_legal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace tilescope::kernel {
namespace {

constexpr size_t kMostWays = 3;
constexpr size_t kPairReach = 24;      // values of a parameter tried in pairs
constexpr size_t kMostTrials = 20000;  // of pairs
constexpr int64_t kSizeReach = 512;    // how far from a given M, N or K
constexpr int kSizeRounds = 4;
constexpr int64_t kLargestSize = 2147483647;

double distance(int64_t from, int64_t to) {
  if (from > 0 && to > 0) return std::fabs(std::log2(static_cast<double>(to) / static_cast<double>(from)));
  return std::fabs(static_cast<double>(to) - static_cast<double>(from));
}

struct Way {
  double distance = 0;
  size_t given = 0;  ///< How many of the changed values the user had not chosen.
  Changes changes;
};

class Search {
 public:
  Search(Model& model, const Description& description, const std::set<std::string>& must_change,
         const std::set<std::string>& chosen)
      : model_(model), description_(description), must_change_(must_change), chosen_(chosen) {}

  std::vector<Changes> run() {
    for (const Parameter& parameter : description_.parameters) try_one(parameter);
    if (ways_.empty()) try_pairs();
    std::stable_sort(ways_.begin(), ways_.end(), [](const Way& a, const Way& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.given < b.given;
    });
    std::vector<Changes> best;
    if (Changes sizes = try_sizes(); !sizes.empty()) best.push_back(std::move(sizes));
    for (size_t i = 0; i < ways_.size() && best.size() < kMostWays; ++i) best.push_back(ways_[i].changes);
    return best;
  }

 private:
  bool must(const std::string& name) const { return must_change_.contains(name); }

  std::vector<int64_t> by_nearness(const Parameter& parameter) const {
    const int64_t current = model_.get(parameter.name);
    std::vector<int64_t> values = parameter.values;
    std::erase(values, current);
    std::stable_sort(values.begin(), values.end(),
                     [&](int64_t a, int64_t b) { return distance(current, a) < distance(current, b); });
    return values;
  }

  void add_way(Changes changes, double how_far) {
    size_t given = 0;
    for (const Change& change : changes) given += !chosen_.contains(change.name);
    ways_.push_back({how_far, given, std::move(changes)});
  }

  void try_one(const Parameter& parameter) {
    if (must_change_.size() > must(parameter.name)) return;
    const int64_t before = model_.get(parameter.name);
    for (const int64_t value : by_nearness(parameter)) {
      model_.set(parameter.name, value);
      if (model_.broken() != 0) continue;
      add_way({{parameter.name, value}}, distance(before, value));
      break;
    }
    model_.set(parameter.name, before);
  }

  void try_pairs() {
    const auto& parameters = description_.parameters;
    for (size_t i = 0; i < parameters.size(); ++i)
      for (size_t j = i + 1; j < parameters.size(); ++j)
        if (must_change_.size() <= size_t{must(parameters[i].name)} + must(parameters[j].name))
          try_pair(parameters[i], parameters[j]);
  }

  // The nearest pair, which need not hold the nearest value of either.
  void try_pair(const Parameter& first, const Parameter& second) {
    const int64_t before_first = model_.get(first.name), before_second = model_.get(second.name);
    std::vector<int64_t> firsts = by_nearness(first), seconds = by_nearness(second);
    firsts.resize(std::min(firsts.size(), kPairReach));
    seconds.resize(std::min(seconds.size(), kPairReach));
    Changes best;
    double nearest = INFINITY;
    for (const int64_t a : firsts)
      for (const int64_t b : seconds) {
        const double how_far = distance(before_first, a) + distance(before_second, b);
        if (how_far >= nearest || ++trials_ > kMostTrials) continue;
        model_.set(first.name, a);
        model_.set(second.name, b);
        if (model_.broken() != 0) continue;
        nearest = how_far;
        best = {{first.name, a}, {second.name, b}};
      }
    model_.set(first.name, before_first);
    model_.set(second.name, before_second);
    if (!best.empty()) add_way(std::move(best), nearest);
  }

  // Moves M, N and K, each to the nearest value that breaks fewer rules, until none is broken. Values that must change
  // anyway are first put right.
  Changes try_sizes() {
    if (!must_change_.empty() && !ways_.empty()) return {};
    Changes before, after;
    for (const Parameter& parameter : description_.parameters)
      if (must(parameter.name)) before.push_back({parameter.name, model_.get(parameter.name)});
    for (const char* name : {"M", "N", "K"}) before.push_back({name, model_.get(name)});
    for (const Parameter& parameter : description_.parameters)
      if (must(parameter.name)) model_.set(parameter.name, by_nearness(parameter).front());
    size_t broken = model_.broken();
    for (int round = 0; round < kSizeRounds && broken != 0; ++round)
      for (const char* name : {"M", "N", "K"}) broken = improve_size(name, broken);
    for (const auto& [name, value] : before) {
      if (broken == 0 && model_.get(name) != value) after.push_back({name, model_.get(name)});
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
  std::vector<Way> ways_;
  size_t trials_ = 0;
};

}  // namespace

std::vector<Changes> nearest_legal(Model& model, const Description& description,
                                   const std::set<std::string>& must_change, const std::set<std::string>& chosen) {
  return Search(model, description, must_change, chosen).run();
}

std::string to_sentence(const std::vector<Changes>& ways) {
  if (ways.empty()) return "No legal values were found near these.";
  std::vector<std::string> alternatives;
  for (const Changes& changes : ways) {
    std::vector<std::string> items;
    for (const auto& [name, value] : changes) items.push_back(fmt::format("{} = {}", name, value));
    alternatives.push_back(join_with_and(items));
  }
  return fmt::format("Nearest legal: {}.", fmt::join(alternatives, "; or "));
}

}  // namespace tilescope::kernel
