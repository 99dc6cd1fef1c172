#include "analysis/written_bytes.h"

#include <algorithm>
#include <bit>

namespace tilescope::analysis {
namespace {

/// An access is aligned to its size and at most 16 bytes wide, so its bits lie in one word.
uint64_t bits_of(uint64_t first, uint32_t bytes) { return ((uint64_t{1} << bytes) - 1) << first % 64; }

}  // namespace

void WrittenBytes::set(uint64_t first, uint32_t bytes) {
  if (words_.size() <= first / 64) words_.resize(first / 64 + 1, 0);
  words_[first / 64] |= bits_of(first, bytes);
}

bool WrittenBytes::all(uint64_t first, uint32_t bytes) const {
  return first / 64 < words_.size() && !(~words_[first / 64] & bits_of(first, bytes));
}

void WrittenBytes::set_range(uint64_t first, uint64_t bytes) {
  if (bytes == 0) return;
  const uint64_t last = first + bytes - 1;
  if (words_.size() <= last / 64) words_.resize(last / 64 + 1, 0);
  const uint64_t from = ~uint64_t{0} << first % 64, to = ~uint64_t{0} >> (63 - last % 64);
  if (first / 64 == last / 64) {
    words_[first / 64] |= from & to;
    return;
  }
  words_[first / 64] |= from;
  std::fill(words_.begin() + static_cast<int64_t>(first / 64) + 1, words_.begin() + static_cast<int64_t>(last / 64),
            ~uint64_t{0});
  words_[last / 64] |= to;
}

void WrittenBytes::add(const WrittenBytes& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
  for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
}

uint64_t WrittenBytes::run_from(uint64_t first, uint64_t bytes, bool written) const {
  const uint64_t end = first + bytes;
  uint64_t at = first;
  while (at < end) {
    const uint64_t word = at / 64 < words_.size() ? words_[at / 64] : 0;
    const uint64_t others = (written ? ~word : word) >> at % 64;
    if (others != 0) {
      at += static_cast<uint64_t>(std::countr_zero(others));
      break;
    }
    at = (at / 64 + 1) * 64;
  }
  return std::min(at, end) - first;
}

}  // namespace tilescope::analysis
