#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "program/device_memory.h"
#include "program/launch.h"

namespace tilescope::program {

/// Launches that were run, to be taken over where the program does the same again, as one does that times a kernel by a
/// hundred launches: blocks do the same every time, so a launch with the same kernel, shape and parameters, over arrays
/// that hold what they held, leaves the same bytes and counts. The emulator says which arrays these are.
class Repeats {
 public:
  /// `most_bytes`: what may be kept of arrays that kernels wrote.
  explicit Repeats(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// What an equal launch gave, its writes done to `memory`; null when none is known. `key` says kernel, shape and
  /// parameters. Valid until the next call.
  const LaunchRecord* again(const std::string& key, DeviceMemory& memory);
  /// Keeps what a launch did, from the second time on that its key is seen, unless it is quicker run than kept.
  void keep(const std::string& key, const LaunchEffect& effect, DeviceMemory& memory);

 private:
  struct Written {
    uint64_t base = 0;
    std::vector<std::byte> bytes;
    uint64_t contents = 0;  ///< As DeviceMemory numbers them.
  };
  struct Kept {
    std::string key;
    std::vector<TouchedArray> before;
    std::vector<Written> after;
    uint64_t bytes = 0;
    LaunchRecord record;
  };
  /// An array that holds again what an equal launch left in it gets the number that it had then.
  static void take_old_number(const Written& old, const LaunchEffect& effect, DeviceMemory& memory);
  void forget(std::list<Kept>::iterator kept);

  uint64_t most_bytes_, bytes_ = 0;
  std::map<std::string, uint64_t> seen_;  ///< How often.
  std::list<Kept> kept_;                  ///< The one that was used last comes first.
  std::map<std::string, std::list<Kept>::iterator> by_key_;
};

}  // namespace tilescope::program
