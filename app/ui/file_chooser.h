#pragma once

#include <string>
#include <vector>

#include "ui/context.h"

/// A path that is typed, with the files below it that may be meant.
namespace tilescope::ui {

/// Tab completes the path, arrows or a click choose among the files, and a folder leads to what is in it.
class FileChooser {
 public:
  /// Begins with that path; empty: with the current folder.
  void start(std::string path);
  /// True if a file was entered.
  bool show(const Context& context);
  const std::string& path() const { return path_; }

 private:
  struct Callback;
  void look();
  void go_to(std::string path);
  bool enter();

  std::string path_, listed_;       ///< What is typed; for what `files_` are.
  std::vector<std::string> files_;  ///< Whole paths; folders end with a slash.
  int chosen_ = -1;                 ///< Of them, by the arrows.
  bool focuses_ = false, is_new_ = false;
};

}  // namespace tilescope::ui
