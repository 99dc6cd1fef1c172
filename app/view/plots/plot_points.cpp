#include "view/plots/plot_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace tilescope::view {
namespace {

/// Collects points with their distance from the shown configuration.
class Gatherer {
 public:
  explicit Gatherer(const PlotData& data) : data_(data) { add(data.shown, data.params, data.size, -1); }

  void add(const PlotStage& stage, const Params& params, int64_t size, int64_t distance) {
    if (is_legal(stage.kernel->description, params, size))
      points_.emplace_back(distance, PlotPoint{&stage, params, size});
  }

  std::vector<PlotPoint> take() {
    std::stable_sort(points_.begin(), points_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<PlotPoint> result;
    for (auto& [distance, point] : points_)
      if (distance < 0 || !is_shown(point)) result.push_back(std::move(point));
    return result;
  }

 private:
  bool is_shown(const PlotPoint& point) const {
    return point.stage == &data_.shown && point.params == data_.params && point.size == data_.size;
  }

  const PlotData& data_;
  std::vector<std::pair<int64_t, PlotPoint>> points_;
};

/// How many of the parameter's values are between this value and the shown one.
int64_t steps_to(const PlotData& data, const kernel::Parameter& parameter, int64_t value) {
  const auto place = [&](int64_t wanted) {
    return std::find(parameter.values.begin(), parameter.values.end(), wanted) - parameter.values.begin();
  };
  return std::abs(place(value) - place(value_in(data.params, parameter.name)));
}

}  // namespace

bool has_figure(const PlotData& data, const PlotPoint& point) {
  return find_figure(data, store::Provenance::Measured, *point.stage, point.params, point.size) ||
         find_figure(data, store::Provenance::Recorded, *point.stage, point.params, point.size);
}

int64_t value_in(const Params& params, const std::string& parameter) {
  for (const auto& [name, value] : params)
    if (name == parameter) return value;
  return 0;
}

Params with(Params params, const std::string& parameter, int64_t value) {
  for (auto& [name, old] : params)
    if (name == parameter) old = value;
  return params;
}

std::vector<PlotPoint> ladder_points(const PlotData& data) {
  Gatherer gatherer(data);
  const auto shown = std::find_if(data.stages.begin(), data.stages.end(), [&](const PlotStage& stage) {
    return stage.kernel->name == data.shown.kernel->name;
  });
  for (auto stage = data.stages.begin(); stage != data.stages.end(); ++stage)
    gatherer.add(*stage, default_params(stage->kernel->description), data.size, std::abs(stage - shown));
  return gatherer.take();
}

std::vector<PlotPoint> parameter_points(const PlotData& data, const std::string& parameter) {
  Gatherer gatherer(data);
  const kernel::Parameter* known = data.shown.kernel->description.parameter(parameter);
  if (!known) return gatherer.take();
  for (const int64_t value : known->values)
    gatherer.add(data.shown, with(data.params, parameter, value), data.size, steps_to(data, *known, value));
  return gatherer.take();
}

int64_t plotted_size(const kernel::Description& description, int64_t side) {
  return kernel::is_of_vectors(description) ? side * side : side;
}

int64_t plotted_side(const kernel::Description& description, int64_t size) {
  return kernel::is_of_vectors(description) ? std::llround(std::sqrt(static_cast<double>(size))) : size;
}

std::vector<PlotPoint> size_points(const PlotData& data) {
  Gatherer gatherer(data);
  const auto power = [](int64_t size) { return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(size))); };
  for (int64_t side = kLeastPlottedSize; side <= kMostPlottedSize && !data.extents.empty(); side *= 2) {
    const int64_t size = plotted_size(data.shown.kernel->description, side);
    gatherer.add(data.shown, data.params, size, std::abs(power(size) - power(data.size)));
  }
  return gatherer.take();
}

std::vector<PlotPoint> heat_points(const PlotData& data, const std::string& across, const std::string& up) {
  Gatherer gatherer(data);
  const kernel::Description& description = data.shown.kernel->description;
  const kernel::Parameter *first = description.parameter(across), *second = description.parameter(up);
  if (!first || !second || first == second) return gatherer.take();
  for (const int64_t row : second->values)
    for (const int64_t column : first->values)
      gatherer.add(data.shown, with(with(data.params, across, column), up, row), data.size,
                   steps_to(data, *first, column) + steps_to(data, *second, row));
  return gatherer.take();
}

}  // namespace tilescope::view
