#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilescope::clock {

/// A queue of large values that uses its places again. A std::deque would allocate memory for each one.
template <class Value>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  Value& front() { return places_[first_]; }
  const Value& front() const { return places_[first_]; }
  /// A place behind the others, for the caller to fill: it has what was there before.
  Value& push() {
    if (size_ == places_.size()) grow();
    return places_[place_of(size_++)];
  }
  void pop() {
    first_ = place_of(1);
    --size_;
  }

 private:
  size_t place_of(size_t index) const { return (first_ + index) & (places_.size() - 1); }
  void grow() {
    constexpr size_t kFirst = 4;
    std::vector<Value> more(places_.empty() ? kFirst : 2 * places_.size());
    for (size_t i = 0; i < size_; ++i) more[i] = std::move(places_[place_of(i)]);
    places_ = std::move(more);
    first_ = 0;
  }

  std::vector<Value> places_;  // A power of two of them.
  size_t first_ = 0, size_ = 0;
};

}  // namespace tilescope::clock
