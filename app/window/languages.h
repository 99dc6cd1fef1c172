#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/words.h"
#include "ui/font_book.h"

namespace tilescope::window {

/// The languages of assets/words, and the one that the window speaks.
class Languages {
 public:
  /// `folder`: of the files of words. What is wrong with one of them goes to stderr, for whoever writes it.
  explicit Languages(const std::filesystem::path& folder);

  const std::vector<std::shared_ptr<const Language>>& all() const { return all_; }
  /// Asks for the characters of that language's words.
  void need_characters(const std::string& language, ui::FontBook& fonts) const;
  /// Speaks that language, English where there is no such.
  void set_language(const std::string& language) const;

 private:
  std::shared_ptr<const Language> find(const std::string& language) const;

  std::vector<std::shared_ptr<const Language>> all_;
};

/// The language that the environment asks for, "zh" of LANG=zh_CN.UTF-8; of LC_ALL, LC_MESSAGES and LANG the first that
/// is set. "en" where none is.
std::string environment_language();

}  // namespace tilescope::window
