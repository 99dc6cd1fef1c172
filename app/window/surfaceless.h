#pragma once

#include <memory>

#include "base/result.h"

namespace tilescope::window {

/// An OpenGL 3.3 core context without a window or display, by EGL's surfaceless platform (Mesa).
class Surfaceless {
 public:
  /// Makes the context current. The error says what is missing.
  static Result<std::unique_ptr<Surfaceless>> open();
  ~Surfaceless();
  Surfaceless(const Surfaceless&) = delete;
  Surfaceless& operator=(const Surfaceless&) = delete;

 private:
  struct Library;
  explicit Surfaceless(std::unique_ptr<Library> library);
  bool make_context();

  std::unique_ptr<Library> egl_;
  void *display_ = nullptr, *context_ = nullptr;
};

}  // namespace tilescope::window
