#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "program/device_memory.h"
#include "program/launch.h"

namespace tilescope::program {

/// Launches that were run, to reuse if the program repeats them, as when it times a kernel by a hundred launches:
/// blocks are deterministic, so a launch with the same kernel, shape and parameters, over arrays with the same
/// contents, leaves the same bytes and counts. The emulator says which arrays these are.
class Repeats {
 public:
  /// `most_bytes`: the limit for kept contents of arrays that kernels wrote.
  explicit Repeats(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The result of an equal launch, with its writes applied to `memory`; null if none is known. `key` identifies
  /// kernel, shape and parameters. Valid until the next call.
  const LaunchRecord* again(const std::string& key, DeviceMemory& memory);
  /// Keeps the result of a launch from the second time on that its key is seen, unless running it is faster.
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
  /// An array whose contents are again those left by an equal launch gets the same number.
  static void take_old_number(const Written& old, const LaunchEffect& effect, DeviceMemory& memory);
  void forget(std::list<Kept>::iterator kept);

  uint64_t most_bytes_, bytes_ = 0;
  std::map<std::string, uint64_t> seen_;  ///< How often.
  std::list<Kept> kept_;                  ///< The most recently used first.
  std::map<std::string, std::list<Kept>::iterator> by_key_;
};

}  // namespace tilescope::program
