#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/accessed_bytes.h"

namespace tilescope::program {

/// A piece of the device's work: a copy, a launch.
struct Operation {
  uint32_t stream = 0;
  uint64_t number = 0;           ///< In its stream, from 1.
  std::vector<uint64_t> before;  ///< By stream: the last number that ends before this begins.
  std::string name;              ///< "cudaMemcpyAsync", or the kernel's.
  std::string places;            ///< As in FailedCall.
  std::string same;              ///< Two that have the same write the same.
  std::shared_ptr<const analysis::AccessedRanges> accessed;
};

/// Two pieces of work that use the same bytes, one of which writes them, with nothing that orders the two.
struct UnorderedPair {
  Operation earlier;  ///< The one that the program asked for first.
  bool earlier_writes = false, later_writes = false;
  analysis::ByteRange bytes;
};

/// The work whose end the host has not waited for, to be compared with what comes.
class Unordered {
 public:
  /// Adds it; the last piece of work before it that it conflicts with.
  std::optional<UnorderedPair> add(Operation operation);
  /// By stream: the last number that the host knows to have ended. Everything later begins after these.
  void waited(const std::vector<uint64_t>& ended);

 private:
  std::list<Operation> pending_;
};

}  // namespace tilescope::program
