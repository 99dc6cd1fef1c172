#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "run/launch_clock.h"

/// The launches of data/h200_launches.csv, and the same ones simulated.
namespace tilescope::test {

/// A row of the file. What is not a number reads as 0.
struct MeasuredLaunch {
  std::string kernel, preset;
  int64_t size = 0;
  bool is_fitted = false;  ///< Even rows: constants may be chosen by them. The odd ones judge.
  std::map<std::string, double> columns;

  std::string name() const;
  double operator[](const std::string& column) const;
  /// One of the stages that the ladder has, 01 to 16.
  bool is_of_the_ladder() const;
  /// Of all of a warp's clocks, by Stall; what the simulation does not distinguish is Misc.
  std::array<double, clock::kStalls> stall_shares() const;
};

std::vector<MeasuredLaunch> read_measured_launches();

struct SimulatedLaunch : run::LaunchClock {
  double wall = 0;          ///< Seconds of the simulation.
  uint64_t schedulers = 0;  ///< That have warps.
  double instructions() const { return of_launch(time.run.issued, time.run.issued_before); }
  std::array<double, clock::kStalls> stall_shares() const;
};

/// Simulates launches: the stages, the kernels beside the data, the examples.
class LaunchSimulator {
 public:
  LaunchSimulator();
  /// The NVRTC that compiles them, or why there is none.
  Result<compile::Toolchain> toolchain() { return compiler_.toolchain(); }
  Result<SimulatedLaunch> simulate(const MeasuredLaunch& launch, const clock::SmModel& model, uint64_t instructions);

 private:
  std::vector<kernel::Kernel> kernels_;
  compile::Compiler compiler_;
};

}  // namespace tilescope::test
