#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/turns.h"
#include "base/words.h"

namespace tilescope::ui {

/// Represents a shared pointer's object in a key: equal for the same object, and not for a later one at the same
/// address. It keeps nothing alive: a run is megabytes, and a hidden panel would keep an old one.
template <class Value>
class Identity {
 public:
  Identity() = default;
  Identity(const std::shared_ptr<const Value>& value) : value_(value) {}
  bool operator==(const Identity& other) const {
    return !value_.owner_before(other.value_) && !other.value_.owner_before(value_);
  }

 private:
  std::weak_ptr<const Value> value_;
};

/// A value that a panel makes when its inputs or the language have changed, not in every frame.
template <class Key, class Value>
class Made {
 public:
  /// The value for `key`: the last one if it was made for an equal key in the same language, else the result of make().
  template <class Make>
  const Value& get(const Key& key, Make make) {
    if (const uint64_t now = words_version(); words_ != now) {
      *this = Made();
      words_ = now;
    }
    if (!key_ || !(*key_ == key)) {
      let_turns_pass();
      value_ = make();
      key_ = key;
    }
    return value_;
  }
  /// The last result of get(); while make() runs, the previous value in the same language, or an empty one.
  const Value& last() const { return value_; }

 private:
  std::optional<Key> key_;
  uint64_t words_ = 0;  ///< Version of the words that value_ was made with.
  Value value_{};
};

}  // namespace tilescope::ui
