#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::clock {

/// A cache of 128-byte lines that are filled by sectors of 32 bytes. A set's least recently used line makes room.
class SectorCache {
 public:
  struct Line {
    uint64_t number = ~uint64_t{0};  ///< Address / 128.
    uint64_t used = 0;               ///< When, in accesses.
    uint8_t sectors = 0;             ///< Bit for each that is there, or on its way.
    double filled[4] = {};           ///< The clock from which each is there.
  };

  explicit SectorCache(uint64_t bytes);
  /// The line, which counts as used. If it is not held it gets the place of another one, without sectors.
  Line& hold(uint64_t number);

 private:
  static constexpr uint32_t kWays = 16;
  uint64_t sets_ = 1, accesses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tilescope::clock
