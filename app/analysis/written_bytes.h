#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::analysis {

/// Which bytes of an array were written: one bit a byte.
class WrittenBytes {
 public:
  void clear() { words_.assign(words_.size(), 0); }
  /// An access: aligned to its size and at most 16 bytes wide.
  void set(uint64_t first, uint32_t bytes);
  bool all(uint64_t first, uint32_t bytes) const;
  /// How many bytes from `first` on are written without a gap, at most `bytes`.
  uint64_t written_from(uint64_t first, uint64_t bytes) const { return run_from(first, bytes, true); }
  /// Likewise not written.
  uint64_t unwritten_from(uint64_t first, uint64_t bytes) const { return run_from(first, bytes, false); }
  /// Any range, as a copy writes it.
  void set_range(uint64_t first, uint64_t bytes);
  /// All bytes that are written in the other.
  void add(const WrittenBytes& other);
  /// No byte from here on is written.
  uint64_t end() const { return uint64_t{64} * words_.size(); }

 private:
  uint64_t run_from(uint64_t first, uint64_t bytes, bool written) const;

  std::vector<uint64_t> words_;
};

}  // namespace tilescope::analysis
