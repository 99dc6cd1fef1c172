#pragma once

#include "view/plots/plot_data.h"

/// The configurations of a plot, whether or not their figures are known: those to count, predict or measure to fill it.
/// Only legal ones, the shown one first, then the nearest to it.
namespace tilescope::view {

struct PlotPoint {
  const PlotStage* stage = nullptr;
  Params params;
  int64_t size = 0;  ///< M = N = K
};

/// The shown configuration, and every stage at its default parameters.
std::vector<PlotPoint> ladder_points(const PlotData& data);
/// One for each value of the parameter; only the shown one if there is no such parameter.
std::vector<PlotPoint> parameter_points(const PlotData& data, const std::string& parameter);
/// Powers of two.
constexpr int64_t kLeastPlottedSize = 256, kMostPlottedSize = 16384;
/// Of a kernel of vectors as many elements as a square matrix has.
int64_t plotted_size(const kernel::Description& description, int64_t side);
/// The side of that matrix.
int64_t plotted_side(const kernel::Description& description, int64_t size);
/// Only the shown one if the kernel has no extent.
std::vector<PlotPoint> size_points(const PlotData& data);
/// A pair of values of two parameters each.
std::vector<PlotPoint> heat_points(const PlotData& data, const std::string& across, const std::string& up);

/// Whether it was measured or recorded on a shown device.
bool has_figure(const PlotData& data, const PlotPoint& point);

/// `params` with another value of one.
Params with(Params params, const std::string& parameter, int64_t value);
/// 0 if there is no such parameter.
int64_t value_in(const Params& params, const std::string& parameter);

}  // namespace tilescope::view
