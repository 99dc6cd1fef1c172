#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/words.h"
#include "ui/font_book.h"

namespace tilescope::window {

/// The languages of assets/words, and the window's current one.
class Languages {
 public:
  /// `folder`: of the files of words. Errors in them go to stderr, for their authors.
  explicit Languages(const std::filesystem::path& folder);

  const std::vector<std::shared_ptr<const Language>>& all() const { return all_; }
  /// Requests the characters of that language's words.
  void need_characters(const std::string& language, ui::FontBook& fonts) const;
  /// Switches to that language, or to English if there is no such.
  void set_language(const std::string& language) const;

 private:
  std::shared_ptr<const Language> find(const std::string& language) const;

  std::vector<std::shared_ptr<const Language>> all_;
};

}  // namespace tilescope::window
