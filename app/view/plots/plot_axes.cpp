#include "view/plots/plot_axes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {

constexpr double kMargin = 0.06;  ///< Of the range, beside the outermost values.
constexpr int kMostLevels = 40;   ///< Steps that are tried before none fits.
constexpr double kMostTicks = 200;
constexpr double kSlack = 1e-9;  ///< Of the range: tolerance for rounding.

double forward(AxisScale scale, double value) {
  switch (scale) {
    case AxisScale::Linear: return value;
    case AxisScale::Log2: return std::log2(value);
    case AxisScale::Log10: return std::log10(value);
  }
  return value;
}

double backward(AxisScale scale, double place) {
  switch (scale) {
    case AxisScale::Linear: return place;
    case AxisScale::Log2: return std::exp2(place);
    case AxisScale::Log10: return std::pow(10, place);
  }
  return place;
}

/// 1, 2, 5, 10, 20, 50 ... by number; 0 is 1.
double round_step(int number) {
  constexpr std::array<double, 3> kMantissas{1, 2, 5};
  const int decade = static_cast<int>(std::floor(number / 3.0));
  return kMantissas[static_cast<size_t>(number - 3 * decade)] * std::pow(10, decade);
}

std::string linear_text(double value, double step) {
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  if (decimals == 0 && value >= 10'000) return grouped(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value == 0 ? 0 : value, decimals);
}

std::string log_text(double value) {
  if (value >= 10'000 && value < 1e15) return grouped(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.6g}", value);
}

/// Multiples of a step within the axis, all with as many decimals as the step needs.
std::vector<Tick> linear_ticks(const Axis& axis, double unit, double step) {
  const double low = axis.low / unit, high = axis.high / unit, slack = (high - low) * kSlack;
  std::vector<Tick> result;
  if ((high - low) / step > kMostTicks) return result;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i)
    result.push_back({i * step * unit, linear_text(i * step, step)});
  return result;
}

/// `every` powers of the base, times each mantissa.
std::vector<Tick> power_ticks(const Axis& axis, double unit, double base, int every,
                              const std::vector<double>& mantissas) {
  const double low = axis.low / unit, high = axis.high / unit;
  const double scale = std::log(base);
  std::vector<Tick> result;
  for (double power = std::floor(std::log(low) / scale) - 1; std::pow(base, power) <= high * (1 + kSlack); ++power) {
    if (std::fmod(power, every) != 0) continue;
    for (const double mantissa : mantissas) {
      const double value = mantissa * std::pow(base, power);
      if (value >= low * (1 - kSlack) && value <= high * (1 + kSlack))
        result.push_back({value * unit, log_text(value)});
    }
    if (result.size() > kMostTicks) return {};
  }
  return result;
}

/// Neighbouring labels are further apart than both need.
bool fits(const Axis& axis, const std::vector<Tick>& ticks, const std::function<float(const std::string&)>& room) {
  for (size_t i = 1; i < ticks.size(); ++i) {
    const float apart = std::abs(axis.at(ticks[i].value) - axis.at(ticks[i - 1].value));
    if (apart < (room(ticks[i].text) + room(ticks[i - 1].text)) / 2) return false;
  }
  return !ticks.empty();
}

using Level = std::function<std::vector<Tick>(int)>;

/// The first level that fits; the levels have fewer and fewer ticks.
std::vector<Tick> first_fitting(const Axis& axis, const Level& level,
                                const std::function<float(const std::string&)>& room) {
  for (int i = 0; i < kMostLevels; ++i)
    if (std::vector<Tick> ticks = level(i); fits(axis, ticks, room)) return ticks;
  return {};
}

std::vector<Tick> log10_level(const Axis& axis, double unit, int level) {
  if (level == 0) return power_ticks(axis, unit, 10, 1, {1, 2, 5});
  return power_ticks(axis, unit, 10, level, {1});
}

}  // namespace

float Axis::at(double value) const {
  const double from = forward(scale, low), to = forward(scale, high);
  const double part = to > from ? (forward(scale, value) - from) / (to - from) : 0;
  return begin + static_cast<float>(part) * (end - begin);
}

double Axis::value_at(float pixel) const {
  const double part = end != begin ? static_cast<double>((pixel - begin) / (end - begin)) : 0;
  const double from = forward(scale, low), to = forward(scale, high);
  return backward(scale, from + part * (to - from));
}

Axis zoomed(const Axis& axis, double factor, float pixel) {
  const double middle = forward(axis.scale, axis.value_at(pixel));
  const double low = forward(axis.scale, axis.low), high = forward(axis.scale, axis.high);
  Axis result = axis;
  result.low = backward(axis.scale, middle + (low - middle) * factor);
  result.high = backward(axis.scale, middle + (high - middle) * factor);
  const bool sane = std::isfinite(result.low) && std::isfinite(result.high) &&
                    forward(axis.scale, result.high) - forward(axis.scale, result.low) >
                        1e-6 * std::max(1.0, std::abs(forward(axis.scale, result.high)));
  return sane ? result : axis;
}

Axis panned(const Axis& axis, float pixels) {
  Axis result = axis;
  result.low = axis.value_at(axis.begin - pixels);
  result.high = axis.value_at(axis.end - pixels);
  return std::isfinite(result.low) && std::isfinite(result.high) && result.low < result.high ? result : axis;
}

Axis around(AxisScale scale, const std::vector<double>& values) {
  const bool log = scale != AxisScale::Linear;
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    least = std::min(least, forward(scale, value));
    most = std::max(most, forward(scale, value));
  }
  if (least > most) return {scale, log ? 1.0 : 0.0, log ? 10.0 : 1.0};
  if (!log && least >= 0) return {scale, 0, most > 0 ? most * (1 + kMargin) : 1};
  const double margin = most > least ? kMargin * (most - least) : std::max(0.5, std::abs(most) * (log ? 0 : 0.1));
  return {scale, backward(scale, least - margin), backward(scale, most + margin)};
}

std::vector<Tick> ticks(const Axis& axis, double unit, const std::function<float(const std::string&)>& room) {
  if (!(axis.low < axis.high)) return {};
  const int first = static_cast<int>(std::floor(3 * std::log10((axis.high - axis.low) / unit))) - 5;
  const Level linear = [&](int level) { return linear_ticks(axis, unit, round_step(first + level)); };
  if (axis.scale == AxisScale::Linear) return first_fitting(axis, linear, room);
  if (axis.scale == AxisScale::Log2)
    return first_fitting(
        axis, [&](int level) { return power_ticks(axis, unit, 2, level + 1, {1}); }, room);
  std::vector<Tick> result = first_fitting(
      axis, [&](int level) { return log10_level(axis, unit, level); }, room);
  // Less than a decade holds too few powers: equal steps say more.
  return result.size() >= 3 || axis.high / axis.low > 30 ? result : first_fitting(axis, linear, room);
}

std::vector<Tick> ticks_at(const Axis& axis, const std::vector<double>& values,
                           const std::function<float(const std::string&)>& room) {
  std::vector<Tick> result;
  for (const double value : values) {
    if (!axis.shows(value)) continue;
    result.push_back({value, log_text(value)});
    if (result.size() > 1 && !fits(axis, {result[result.size() - 2], result.back()}, room)) result.pop_back();
  }
  return result;
}

Unit unit_for(double largest, std::string_view name) {
  constexpr std::array<const char*, 9> kPrefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
  if (!(largest > 0) || !std::isfinite(largest)) return {1, std::string(name)};
  // 999.6 is written with three digits, as 1 000.
  const int thousands = static_cast<int>(std::floor(std::log10(largest * 1.0005) / 3));
  const int index = std::clamp(thousands + 4, 0, static_cast<int>(kPrefixes.size()) - 1);
  return {std::pow(1000, index - 4), fmt::format("{}{}", kPrefixes[static_cast<size_t>(index)], name)};
}

std::string significant(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int digits = static_cast<int>(std::floor(std::log10(std::abs(value) * 1.0005)));
  if (digits >= 4 && value > 0) return grouped(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, std::clamp(2 - digits, 0, 9));
}

std::string with_unit(double value, std::string_view name) {
  const Unit unit = unit_for(std::abs(value), name);
  return fmt::format("{} {}", significant(value / unit.factor), unit.name);
}

}  // namespace tilescope::view
