#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.h"

namespace tilescope {

/// A value, or the diagnostics that say why there is none (at least one of them an error).
/// Errors cross module seams this way; nothing in Tilescope throws across a module.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Diagnostic error) : state_(Diagnostics{std::move(error)}) {}
  Result(Diagnostics errors) : state_(std::move(errors)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state_); }
  T& operator*() { return std::get<T>(state_); }
  const T& operator*() const { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const T* operator->() const { return &std::get<T>(state_); }

  /// The diagnostics; only if there is no value.
  const Diagnostics& errors() const { return std::get<Diagnostics>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

}  // namespace tilescope
