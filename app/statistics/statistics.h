#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Statistics of repeated timings. Nothing here assumes a distribution: times have a floor and a long tail.
namespace tilescope::statistics {

/// The middle half of a sample.
struct Quartiles {
  double low = 0, median = 0, high = 0;
  bool operator==(const Quartiles&) const = default;
};

/// Interpolated between neighbours (type 7 of Hyndman and Fan, 1996, doi:10.1080/00031305.1996.10473566).
/// All zero for an empty sample.
Quartiles quartiles(std::span<const double> sample);

/// A median with an interval that holds the true one.
struct Interval {
  double low = 0, median = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// The median with its distribution-free interval of at least 99 % confidence, from order statistics (Gibbons and
/// Chakraborti, Nonparametric Statistical Inference, section 5.2). With fewer than eight values there is no such
/// interval, and it spans the whole sample.
Interval median_interval(std::span<const double> sample);

/// a[i] / b[i], of pairs measured side by side.
std::vector<double> pairwise_ratios(std::span<const double> a, std::span<const double> b);

/// Standard deviation over mean, as in nvbench; 0 for fewer than two values.
double noise(std::span<const double> sample);

/// How two configurations compare. Ambiguous: their intervals overlap.
enum class Comparison : uint8_t { Faster, Slower, Ambiguous };

/// How much two runs of one configuration may differ without significance: clocks, temperature and the arrays' places
/// change from run to run but not within one. 0.005 widens each interval by half a percent.
constexpr double kRunToRun = 0.005;

/// Whether `mine` beats `other`, both performances (more is better), each widened by `run_to_run` of itself.
Comparison compare(const Interval& mine, const Interval& other, double run_to_run = kRunToRun);

/// When to stop taking samples; the first four are nvbench's options with its defaults.
struct StoppingRule {
  size_t min_samples = 10;
  double min_time = 0.5;      ///< Seconds of measured GPU time, both of each pair.
  double max_noise = 0.005;   ///< Standard deviation over mean of the times.
  double timeout = 15;        ///< Seconds of wall time after which sampling stops.
  size_t max_samples = 1000;  ///< More would hardly narrow the interval.
  bool operator==(const StoppingRule&) const = default;
};

/// Collects pairs of times until the rule is met: enough samples and time, and the noise below its limit or no longer
/// changing (nvbench's stdrel criterion: the noise after each of the last samples differs by under 5 % from its mean).
class Sampling {
 public:
  explicit Sampling(const StoppingRule& rule) : rule_(rule) {}
  void add(double ours, double reference);
  /// `wall_seconds` since the first sample.
  bool is_done(double wall_seconds) const;
  size_t size() const { return count_; }
  /// Standard deviation over mean of our times.
  double noise() const;
  bool is_quiet() const;  ///< The noise is at most max_noise.

 private:
  bool noise_has_settled() const;

  StoppingRule rule_;
  std::vector<double> recent_noise_;
  size_t count_ = 0;
  double measured_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace tilescope::statistics
