#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>

namespace tilescope::statistics {
namespace {

constexpr double kConfidence = 0.99;
constexpr size_t kNoiseHistory = 32;
constexpr double kSettled = 0.05;

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> result(sample.begin(), sample.end());
  std::sort(result.begin(), result.end());
  return result;
}

double quantile(const std::vector<double>& ascending, double p) {
  const double at = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (at - static_cast<double>(below)) * (ascending[above] - ascending[below]);
}

double mean(std::span<const double> sample) {
  double sum = 0;
  for (const double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

/// How many of the smallest and of the largest values may be left out while the rest still spans the median with
/// kConfidence: the largest d with 2 P(Binomial(n, 1/2) < d) <= 1 - kConfidence.
size_t values_to_leave_out(size_t n) {
  const auto count = static_cast<double>(n);
  double term = std::exp2(-count), below = 0;
  size_t d = 0;
  if (term == 0)  // Beyond 1074 values the normal approximation is exact to a value or two.
    return static_cast<size_t>(std::max(0.0, std::floor(count / 2 - 2.576 * std::sqrt(count) / 2)));
  while (2 * (below + term) <= 1 - kConfidence) {
    below += term;
    term *= (count - static_cast<double>(d)) / static_cast<double>(d + 1);
    ++d;
  }
  return d;
}

}  // namespace

Quartiles quartiles(std::span<const double> sample) {
  if (sample.empty()) return {};
  const std::vector<double> values = sorted(sample);
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

Interval median_interval(std::span<const double> sample) {
  if (sample.empty()) return {};
  const std::vector<double> values = sorted(sample);
  const size_t left_out = values_to_leave_out(values.size());
  const size_t first = left_out == 0 ? 0 : left_out - 1;
  return {values[first], quantile(values, 0.5), values[values.size() - 1 - first]};
}

std::vector<double> pairwise_ratios(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) result.push_back(a[i] / b[i]);
  return result;
}

double noise(std::span<const double> sample) {
  if (sample.size() < 2) return 0;
  const double centre = mean(sample);
  double squares = 0;
  for (const double value : sample) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(sample.size() - 1)) / centre;
}

Comparison compare(const Interval& mine, const Interval& other, double run_to_run) {
  if (mine.low * (1 - run_to_run) > other.high * (1 + run_to_run)) return Comparison::Faster;
  if (mine.high * (1 + run_to_run) < other.low * (1 - run_to_run)) return Comparison::Slower;
  return Comparison::Ambiguous;
}

void Sampling::add(double ours, double reference) {
  ++count_;
  measured_ += ours + reference;
  // Welford's update: the noise of thousands of samples after each of them.
  const double step = ours - mean_;
  mean_ += step / static_cast<double>(count_);
  squares_ += step * (ours - mean_);
  recent_noise_.push_back(noise());
  if (recent_noise_.size() > kNoiseHistory) recent_noise_.erase(recent_noise_.begin());
}

double Sampling::noise() const {
  if (count_ < 2) return 0;
  return std::sqrt(squares_ / static_cast<double>(count_ - 1)) / mean_;
}

bool Sampling::is_quiet() const { return count_ >= 2 && noise() <= rule_.max_noise; }

bool Sampling::noise_has_settled() const {
  return recent_noise_.size() == kNoiseHistory && statistics::noise(recent_noise_) <= kSettled;
}

bool Sampling::is_done(double wall_seconds) const {
  if (count_ == 0) return false;
  if (count_ >= rule_.max_samples || wall_seconds >= rule_.timeout) return true;
  return count_ >= rule_.min_samples && measured_ >= rule_.min_time && (is_quiet() || noise_has_settled());
}

}  // namespace tilescope::statistics
