#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilescope::clock {

/// Values by the numbers of lines, of sectors or of pairs of them, all in one array: millions of them are looked up.
template <class Value>
class NumberMap {
 public:
  /// The number's value, made where there is none. It stays in its place until the next one is made.
  Value& operator[](uint64_t number) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(number)];
    if (entry.number == kNone) {
      entry.number = number;
      ++size_;
    }
    return entry.value;
  }
  /// Null where there is none.
  const Value* find(uint64_t number) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place_of(number)];
    return entry.number == kNone ? nullptr : &entry.value;
  }
  /// Calls `visit` with each number and its value, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_)
      if (entry.number != kNone) visit(entry.number, entry.value);
  }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  struct Entry {
    uint64_t number = kNone;
    Value value{};
  };
  /// Where the number is, or would be.
  size_t place_of(uint64_t number) const {
    size_t place = (number * 0x9e3779b97f4a7c15) >> shift_;
    while (entries_[place].number != number && entries_[place].number != kNone)
      place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  void grow() {
    constexpr size_t kFirst = 64;
    std::vector<Entry> old =
        std::exchange(entries_, std::vector<Entry>(entries_.empty() ? kFirst : 2 * entries_.size()));
    shift_ = 64;
    for (size_t places = entries_.size(); places > 1; places /= 2) --shift_;
    for (const Entry& entry : old)
      if (entry.number != kNone) entries_[place_of(entry.number)] = entry;
  }

  std::vector<Entry> entries_;  // A power of two of them, at most half of which are used.
  size_t size_ = 0;
  uint32_t shift_ = 64;
};

}  // namespace tilescope::clock
