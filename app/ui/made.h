#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace tilescope::ui {

/// Stands in a key for what a shared pointer owns: equal for the same value, and not for a later one at the same
/// address. It keeps nothing alive: a run is megabytes, and a panel that is not on show would keep an old one.
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

/// A value that a panel makes when what it depends on has changed, not in every frame.
template <class Key, class Value>
class Made {
 public:
  /// The value for `key`: the last one where that was made for an equal key, else what make() returns.
  template <class Make>
  const Value& get(const Key& key, Make make) {
    if (!key_ || !(*key_ == key)) {
      value_ = make();
      key_ = key;
    }
    return value_;
  }
  /// What get() returned last; while make() runs, what was made before.
  const Value& last() const { return value_; }
  /// The next get() makes the value anew, as when the window speaks another language.
  void forget() { key_.reset(); }

 private:
  std::optional<Key> key_;
  Value value_{};
};

}  // namespace tilescope::ui
