#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ui/context.h"

namespace tilescope::window {

/// The widgets of a frame as a file: one per line, the name, then x, y, width and height in whole pixels.
class WidgetMap {
 public:
  explicit WidgetMap(std::filesystem::path file) : file_(std::move(file)) {}
  /// Replaces the file if the widgets have changed. Does nothing without a file.
  void write(const std::vector<ui::WidgetPlace>& widgets);

 private:
  std::filesystem::path file_;
  std::string written_;
};

}  // namespace tilescope::window
