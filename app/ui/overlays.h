#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/context.h"
#include "ui/file_chooser.h"

namespace tilescope::ui {

/// A line that the user is asked for.
enum class Asked {
  Path,      ///< Of a file to open.
  TourText,  ///< What to say about a stop of a tour.
};

/// Shown above the panels: a sentence about the last event, the list of keys, a line to type.
class Overlays {
 public:
  /// A sentence at the bottom, until the next one, until it is clicked, or until close(); after a while it leaves by
  /// itself.
  void say(std::string sentence) { put(std::move(sentence), false); }
  /// One about which something has to be done: it stays. `kernel`: as long as that one is on show; empty: whatever is.
  void warn(std::string sentence, std::string kernel = "") {
    put(std::move(sentence), true);
    kernel_ = std::move(kernel);
  }
  /// Takes a sentence away whose time is over; true if there was one. `now`: seconds, of any clock; `kernel`: that is
  /// on show.
  bool let_pass(double now, const std::string& kernel);
  void toggle_help() { help_ = !help_; }
  void ask(Asked what, std::string suggestion);
  bool asks() const { return asks_; }
  /// Whether something is above the panels other than a sentence.
  bool covers() const { return asks_ || help_; }
  /// Closes the topmost one; false if there was none.
  bool close();

  /// After the panels. Returns a line if one was entered. `filmed`: without the sentence, which is not in pictures.
  std::optional<std::pair<Asked, std::string>> show(const Context& context, bool filmed);

 private:
  void put(std::string sentence, bool stays);
  void show_notice(const Context& context);
  void show_help(const Context& context);
  bool show_field(const Context& context);

  std::string notice_, line_;
  std::string kernel_;  ///< With which the sentence stays; empty: with any.
  FileChooser file_;
  Asked asked_ = Asked::Path;
  bool help_ = false, asks_ = false, asks_newly_ = false, stays_ = false;
  double said_at_ = -1;  ///< Below zero: let_pass() has not been called since.
};

}  // namespace tilescope::ui
