#pragma once

#include "view/plots/plot_data.h"

/// The configurations that a plot has places for, whether or not a figure of them is known: what has to be counted,
/// predicted or measured to fill it. Legal ones alone, what is on show first, then what lies nearest to it.
namespace tilescope::view {

struct PlotPoint {
  const PlotStage* stage = nullptr;
  Params params;
  int64_t size = 0;  ///< M = N = K
};

/// What is on show, and every stage at its default parameters.
std::vector<PlotPoint> ladder_points(const PlotData& data);
/// A value of the parameter each; what is on show alone where there is no such parameter.
std::vector<PlotPoint> parameter_points(const PlotData& data, const std::string& parameter);
/// Powers of two.
constexpr int64_t kLeastPlottedSize = 256, kMostPlottedSize = 16384;
std::vector<PlotPoint> size_points(const PlotData& data);
/// A pair of values of two parameters each.
std::vector<PlotPoint> heat_points(const PlotData& data, const std::string& across, const std::string& up);

/// Whether it was measured or recorded on a device that is shown.
bool has_figure(const PlotData& data, const PlotPoint& point);

/// `params` with another value of one.
Params with(Params params, const std::string& parameter, int64_t value);
/// 0 where there is no such parameter.
int64_t value_in(const Params& params, const std::string& parameter);

}  // namespace tilescope::view
