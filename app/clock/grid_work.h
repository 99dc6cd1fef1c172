#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tilescope::clock {

/// How fast the blocks of an SM are, by how many there are: the oldest goes first.
class Paces {
 public:
  /// `all`: see SmRun; `few`: of fewer blocks, or none.
  Paces(std::vector<double> all, const std::vector<double>& few);
  /// Instructions a clock of the `i`th oldest of `blocks`.
  double of(size_t i, size_t blocks) const;
  /// Of that many blocks together.
  double sum(size_t blocks) const;

 private:
  std::vector<double> all_;
  std::vector<double> factors_;  ///< How much faster each is where there are so many.
};

/// The blocks that an SM holds, and the instructions that each has left.
class BlocksOfSm {
 public:
  /// `clocks_per_instruction`: of blocks that have no pace.
  BlocksOfSm(const Paces& paces, double clocks_per_instruction)
      : paces_(&paces), clocks_per_instruction_(clocks_per_instruction) {}
  void start(double instructions) { left_.push_back(instructions); }
  size_t count() const { return left_.size(); }
  /// Until the next of them ends.
  double clocks_to_end() const;
  /// Lets them go on for that long: until the next of them ends.
  void go_on(double clocks);

 private:
  const Paces* paces_;
  double clocks_per_instruction_;
  std::vector<double> left_;  ///< The oldest first.
};

/// Instructions of the blocks of a launch, or of the clusters, of which some were run.
class GridWork {
 public:
  void add(uint64_t number, double instructions) { of_[number] = instructions; }
  /// Whether all have about as much to do, as far as is known, but for the one with least and the one with most.
  bool is_alike() const;
  double mean() const;
  /// Of a block that was not run: between those of its neighbours that were.
  double of(uint64_t number) const;

 private:
  std::map<uint64_t, double> of_;
};

/// Clocks after which the SMs have ended their blocks.
struct GridEnds {
  double last = 0, mean = 0;
};
/// Each of the SMs gets a block, and again until it holds as many as it can; the others start where one has ended.
GridEnds ends_of_grid(const GridWork& work, const Paces& paces, uint64_t blocks, uint64_t sms, uint32_t resident);

}  // namespace tilescope::clock
