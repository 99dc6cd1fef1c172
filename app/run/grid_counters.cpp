#include "run/grid_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "run/hardware_counters.h"
#include "run/traced_block.h"

namespace tilescope::run {
namespace {

// Of M and N, in elements: rows then begin at the same places of their lines and of their banks.
constexpr std::array<int64_t, 8> kSteps{64, 128, 192, 256, 320, 384, 448, 512};
constexpr int64_t kStepOfK = 128;  // A multiple of every tile's depth.

/// An extent of the launches that are counted, and with what weight each counts. The weights add up to 1: what grows by
/// the same from step to step is carried on to the launch's own extent.
struct Point {
  int64_t extent = 0;
  double weight = 1;
};
using Points = std::vector<Point>;

/// Two short extents that lie as `extent` does between the multiples of `step`; the extent itself where it is short.
Points points_of(int64_t extent, int64_t step) {
  if (extent < 3 * step) return {{extent, 1}};
  const int64_t first = step + extent % step;
  const double steps = static_cast<double>(extent - first) / static_cast<double>(step);
  return {{first, 1 - steps}, {first + step, steps}};
}

/// Whether the grids of the launches at these M and N carry on to the launch's own. False where one is not legal.
bool carry_on(const Prepared& prepared, const Points& rows, const Points& columns) {
  const Dim3& whole = prepared.configuration.grid;
  double x = 0, y = 0, z = 0;
  for (const Point& m : rows)
    for (const Point& n : columns) {
      Request shorter = prepared.request;
      shorter.size.m = m.extent;
      shorter.size.n = n.extent;
      const Result<kernel::Configuration> configuration = configure(shorter);
      if (!configuration) return false;
      x += m.weight * n.weight * configuration->grid.x;
      y += m.weight * n.weight * configuration->grid.y;
      z += m.weight * n.weight * configuration->grid.z;
    }
  const auto same = [](double carried, uint32_t own) { return std::abs(carried - own) < 1e-3; };
  return same(x, whole.x) && same(y, whole.y) && same(z, whole.z);
}

/// The shortest M and N from which the grid carries on to the launch's own; empty where there are none.
std::pair<Points, Points> growing_points(const Prepared& prepared) {
  const kernel::Size& size = prepared.request.size;
  for (const int64_t step_of_m : kSteps)
    for (const int64_t step_of_n : kSteps) {
      const Points rows = points_of(size.m, step_of_m), columns = points_of(size.n, step_of_n);
      if (carry_on(prepared, rows, columns)) return {rows, columns};
    }
  return {};
}

}  // namespace

std::optional<std::vector<uint64_t>> grid_counters(const Prepared& prepared, compile::Compiler& compiler,
                                                   const Control& control) {
  if (prepared.is_cooperative()) return std::nullopt;
  const auto [rows, columns] = growing_points(prepared);
  if (rows.empty()) return std::nullopt;
  Control all = control;
  all.instruction_limit = UINT64_MAX;
  const std::vector<HardwareCounter>& counters = hardware_counters();
  std::vector<double> sums(counters.size());
  for (const Point& m : rows)
    for (const Point& n : columns)
      for (const Point& k : points_of(prepared.request.size.k, kStepOfK)) {
        const Result<PreparedPointer> shorter =
            with_size(prepared, {m.extent, n.extent, k.extent}, compiler, control.cancel);
        if (!shorter) return std::nullopt;
        const Result<std::shared_ptr<const GridCounts>> counted = count_grid(*shorter, all);
        if (!counted || (*counted)->report.stopped) return std::nullopt;
        for (size_t i = 0; i < counters.size(); ++i)
          if (counters[i].counted)
            sums[i] +=
                m.weight * n.weight * k.weight * static_cast<double>(counters[i].counted((*counted)->report.counts));
      }
  std::vector<uint64_t> result(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) result[i] = static_cast<uint64_t>(std::llround(std::max(0.0, sums[i])));
  return result;
}

}  // namespace tilescope::run
