#pragma once

#include <string>

namespace tilescope::agent {

/// What a kernel is checked by and timed beside.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// Computes what the kernel must write. Waits.
  virtual void compute_expected() = 0;
  /// Whether it wrote that; throws Wrong with the first wrong element. Returns the worst ratio of error to bound.
  /// Waits.
  virtual double verify() const = 0;
  /// The kernel adds to what its outputs held: only its first launch can be verified.
  virtual bool accumulates() const = 0;
  /// Chooses what run() does and returns its name. May wait.
  virtual std::string choose() = 0;
  /// What is timed beside the kernel. Queued.
  virtual void run() const = 0;
};

constexpr double kOwnLimit = 60;  ///< Seconds for anything but the request's kernel.

}  // namespace tilescope::agent
